/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <elf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "machine_make.h"

struct elf_wish {
    uint16_t machine;
    unsigned char class;
    const char *soname, *runpath, *rpath;
    const char *needs;   /* GLIBC_2.27: of the C library */
    const char *defines; /* the same, where this is the C library */
    struct strlist needed;
    const char *tool;         /* 12.8.93: a program that nvcc starts; then nothing else counts */
    struct strlist sass, ptx; /* sm_90a, compute_90:8.7: GPU code inside */
};

static void elf_option(const struct maker *maker, struct elf_wish *wish, char *word)
{
    if (string_equal(word, "machine=x86_64"))
        wish->machine = EM_X86_64;
    else if (string_equal(word, "machine=aarch64"))
        wish->machine = EM_AARCH64;
    else if (string_equal(word, "machine=i386"))
        *wish = (struct elf_wish){
            .machine = EM_386, .class = ELFCLASS32, .soname = wish->soname, .needed = wish->needed};
    else if (string_starts(word, "soname="))
        wish->soname = word + strlen("soname=");
    else if (string_starts(word, "runpath="))
        wish->runpath = word + strlen("runpath=");
    else if (string_starts(word, "rpath="))
        wish->rpath = word + strlen("rpath=");
    else if (string_starts(word, "needs="))
        wish->needs = word + strlen("needs=");
    else if (string_starts(word, "defines="))
        wish->defines = word + strlen("defines=");
    else if (string_starts(word, "tool="))
        wish->tool = word + strlen("tool=");
    else if (string_starts(word, "sass="))
        strlist_split(&wish->sass, word + strlen("sass="), ',');
    else if (string_starts(word, "ptx="))
        strlist_split(&wish->ptx, word + strlen("ptx="), ',');
    else if (string_starts(word, "needed="))
        strlist_split(&wish->needed, word + strlen("needed="), ',');
    else
        fail(maker, "unknown word", word);
}

struct dynamic {
    Elf64_Dyn entries[64];
    size_t count;
    struct text strings;
    struct text records; /* of versions, before the strings */
};

static void dynamic_add(struct dynamic *dynamic, int64_t tag, uint64_t value)
{
    if (dynamic->count < 64)
        dynamic->entries[dynamic->count++] = (Elf64_Dyn){.d_tag = tag, .d_un.d_val = value};
}

static void dynamic_string(struct dynamic *dynamic, int64_t tag, const char *string)
{
    if (string == NULL)
        return;
    dynamic_add(dynamic, tag, dynamic->strings.size);
    text_append_n(&dynamic->strings, string, strlen(string) + 1);
}

/* The offset of string in the string table. */
static uint32_t dynamic_name(struct dynamic *dynamic, const char *string)
{
    uint32_t at = (uint32_t)dynamic->strings.size;
    text_append_n(&dynamic->strings, string, strlen(string) + 1);
    return at;
}

static void dynamic_versions(struct dynamic *dynamic, const struct elf_wish *wish, uint64_t at)
{
    if (wish->needs) {
        struct {
            Elf64_Verneed need;
            Elf64_Vernaux aux;
        } need = {.need = {.vn_version = VER_NEED_CURRENT, .vn_cnt = 1}};
        need.need.vn_aux = sizeof(need.need);
        need.need.vn_file = dynamic_name(dynamic, "libc.so.6");
        need.aux.vna_name = dynamic_name(dynamic, wish->needs);
        dynamic_add(dynamic, DT_VERNEED, at + dynamic->records.size);
        dynamic_add(dynamic, DT_VERNEEDNUM, 1);
        text_append_n(&dynamic->records, (const char *)&need, sizeof(need));
    }
    if (wish->defines) {
        struct {
            Elf64_Verdef definition;
            Elf64_Verdaux aux;
        } definition = {.definition = {.vd_version = VER_DEF_CURRENT, .vd_ndx = 2, .vd_cnt = 1}};
        definition.definition.vd_aux = sizeof(definition.definition);
        definition.aux.vda_name = dynamic_name(dynamic, wish->defines);
        dynamic_add(dynamic, DT_VERDEF, at + dynamic->records.size);
        dynamic_add(dynamic, DT_VERDEFNUM, 1);
        text_append_n(&dynamic->records, (const char *)&definition, sizeof(definition));
    }
}

static void dynamic_fill(struct dynamic *dynamic, const struct elf_wish *wish, uint64_t records_at)
{
    text_append_n(&dynamic->strings, "", 1);
    dynamic_versions(dynamic, wish, records_at);
    for (size_t i = 0; i < wish->needed.count; i++)
        dynamic_string(dynamic, DT_NEEDED, wish->needed.items[i]);
    dynamic_string(dynamic, DT_SONAME, wish->soname);
    dynamic_string(dynamic, DT_RUNPATH, wish->runpath);
    dynamic_string(dynamic, DT_RPATH, wish->rpath);
    dynamic_add(dynamic, DT_STRTAB, records_at + dynamic->records.size);
    dynamic_add(dynamic, DT_STRSZ, dynamic->strings.size);
    dynamic_add(dynamic, DT_NULL, 0);
}

/* One entry of a fat binary, as docs/background/code.md has it, with 8 bytes for its code. PTX that
 * says no version is of 8.0. */
static void add_code(struct text *bytes, const char *name, uint16_t kind)
{
    const char *number = strchr(name, '_') ? strchr(name, '_') + 1 : name;
    char *suffix;
    struct {
        uint16_t kind, version;
        uint32_t header;
        uint64_t size;
        uint32_t packed, unused;
        uint16_t minor, major;
        uint32_t architecture;
        uint64_t more;
        uint64_t flags;
        uint64_t most, unpacked;
        uint64_t code;
    } entry = {.kind = kind, .version = 0x0101, .header = 64, .size = 8, .packed = 8, .major = 8};
    entry.architecture = (uint32_t)strtoul(number, &suffix, 10);
    entry.flags = 0x2000u | (*suffix == 'a' ? 0x100000u : *suffix == 'f' ? 0x200000u : 0);
    const char *version = strchr(name, ':');
    if (version) {
        entry.major = (uint16_t)strtoul(version + 1, &suffix, 10);
        entry.minor = (uint16_t)(*suffix == '.' ? strtoul(suffix + 1, NULL, 10) : 0);
    }
    entry.unpacked = 64;
    text_append_n(bytes, (const char *)&entry, sizeof(entry));
}

/* A fat binary with an entry for each. */
static void add_fat_binary(struct text *bytes, const struct elf_wish *wish)
{
    AUTO_TEXT struct text entries = {0};
    for (size_t i = 0; i < wish->sass.count; i++)
        add_code(&entries, wish->sass.items[i], 2);
    for (size_t i = 0; i < wish->ptx.count; i++)
        add_code(&entries, wish->ptx.items[i], 1);
    if (entries.size == 0)
        return;
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size;
    } header = {.magic = 0xBA55ED50u, .version = 1, .header = 16, .size = entries.size};
    while (bytes->size % 8 != 0)
        text_append_char(bytes, '\0');
    text_append_n(bytes, (const char *)&header, sizeof(header));
    text_append_n(bytes, entries.data, entries.size);
}

/* A 64-bit shared object that holds nothing but its dynamic section. */
static void write_elf64(const struct maker *maker, const char *path, const struct elf_wish *wish)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr load, stack, dynamic;
        Elf64_Dyn entries[64];
    } image = {0};
    struct dynamic dynamic = {.count = 0};
    dynamic_fill(&dynamic, wish, sizeof(image));
    memcpy(image.entries, dynamic.entries, sizeof(image.entries));

    AUTO_TEXT struct text rest = {0};
    text_append_n(&rest, text_string(&dynamic.records), dynamic.records.size);
    text_append_n(&rest, dynamic.strings.data, dynamic.strings.size);
    add_fat_binary(&rest, wish);
    uint64_t size = sizeof(image) + rest.size;
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_ident[EI_VERSION] = EV_CURRENT;
    image.header.e_type = ET_DYN;
    image.header.e_machine = wish->machine;
    image.header.e_version = EV_CURRENT;
    image.header.e_ehsize = sizeof(Elf64_Ehdr);
    image.header.e_phoff = sizeof(Elf64_Ehdr);
    image.header.e_phentsize = sizeof(Elf64_Phdr);
    image.header.e_phnum = 3;
    image.header.e_shentsize = sizeof(Elf64_Shdr);
    image.load = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = size, .p_memsz = size, .p_align = 0x1000};
    /* Without it glibc takes the stack to be wanted executable, and refuses that since 2.41. */
    image.stack = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    uint64_t entries_at = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr);
    uint64_t entries_size = dynamic.count * sizeof(Elf64_Dyn);
    image.dynamic = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                 .p_flags = PF_R,
                                 .p_offset = entries_at,
                                 .p_vaddr = entries_at,
                                 .p_paddr = entries_at,
                                 .p_filesz = entries_size,
                                 .p_memsz = entries_size,
                                 .p_align = 8};
    AUTO_TEXT struct text bytes = {0};
    text_append_n(&bytes, (const char *)&image, sizeof(image));
    text_append_n(&bytes, rest.data, rest.size);
    write_file(maker, path, bytes.data, bytes.size);
    text_free(&dynamic.records);
    text_free(&dynamic.strings);
}

/* A 32-bit one needs to be told apart, not to be searched: its header is enough. */
static void write_elf32(const struct maker *maker, const char *path, const struct elf_wish *wish)
{
    Elf32_Ehdr header = {.e_type = ET_DYN,
                         .e_machine = wish->machine,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof(Elf32_Ehdr)};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    write_file(maker, path, &header, sizeof(header));
}

/* A program of nvcc's: among its constants is what it prints when it is asked for its release. */
static void write_tool(const struct maker *maker, const char *path, const struct elf_wish *wish)
{
    static const char names[] = "\0.rodata\0.shstrtab";
    const char *dot = strchr(wish->tool, '.');
    size_t length = dot ? (size_t)(dot - wish->tool) + 1 + strcspn(dot + 1, ".") : 0;
    AUTO_FREE char *line = mem_printf("Cuda compilation tools, release %.*s, V%s\nBuild cuda_0",
                                      (int)length, wish->tool, wish->tool);
    struct {
        Elf64_Ehdr header;
        Elf64_Shdr sections[3];
        char names[24];
    } image = {.header = {.e_type = ET_EXEC,
                          .e_machine = wish->machine,
                          .e_version = EV_CURRENT,
                          .e_ehsize = sizeof(Elf64_Ehdr),
                          .e_shentsize = sizeof(Elf64_Shdr),
                          .e_shoff = sizeof(Elf64_Ehdr),
                          .e_shnum = 3,
                          .e_shstrndx = 2}};
    image.sections[1] = (Elf64_Shdr){.sh_name = 1,
                                     .sh_type = SHT_PROGBITS,
                                     .sh_offset = sizeof(image),
                                     .sh_size = strlen(line) + 1};
    image.sections[2] = (Elf64_Shdr){.sh_name = 9,
                                     .sh_type = SHT_STRTAB,
                                     .sh_offset = sizeof(image) - sizeof(image.names),
                                     .sh_size = sizeof(names)};
    memcpy(image.names, names, sizeof(names));
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_ident[EI_VERSION] = EV_CURRENT;
    AUTO_TEXT struct text bytes = {0};
    text_append_n(&bytes, (const char *)&image, sizeof(image));
    text_append_n(&bytes, line, strlen(line) + 1);
    write_file(maker, path, bytes.data, bytes.size);
    AUTO_FREE char *full = place(maker, path);
    if (chmod(full, 0755) != 0)
        fail(maker, "cannot be made executable", full);
}

void make_elf(const struct maker *maker, const char *path, char *rest)
{
    struct elf_wish wish = {.machine = EM_X86_64, .class = ELFCLASS64};
    char *word;
    while ((word = next_word(&rest)) != NULL)
        elf_option(maker, &wish, word);
    if (wish.tool)
        write_tool(maker, path, &wish);
    else if (wish.class == ELFCLASS64)
        write_elf64(maker, path, &wish);
    else
        write_elf32(maker, path, &wish);
    strlist_free(&wish.needed);
    strlist_free(&wish.sass);
    strlist_free(&wish.ptx);
}

/* glibc's order of SONAMEs, numbers as numbers: elf/dl-cache.c, _dl_cache_libcmp(). Each ends
 * with a blank. */
static int compare_sonames(const char *a, const char *b)
{
    for (; *a && *b && (*a != ' ' || *b != ' '); a++, b++) {
        bool number = isdigit((unsigned char)*a), other = isdigit((unsigned char)*b);
        if (number != other)
            return number - other;
        char *end = NULL, *other_end = NULL;
        unsigned long first = number ? strtoul(a, &end, 10) : (unsigned char)*a;
        unsigned long second = number ? strtoul(b, &other_end, 10) : (unsigned char)*b;
        if (first != second)
            return first > second ? 1 : -1;
        a = number ? end - 1 : a;
        b = number ? other_end - 1 : b;
    }
    return 0;
}

/* As the loader searches them: the greatest first, of one name in the order they have. */
static void sort_cache(struct strlist *lines)
{
    for (size_t i = 1; i < lines->count; i++) {
        char *line = lines->items[i];
        size_t at = i;
        for (; at > 0 && compare_sonames(line, lines->items[at - 1]) > 0; at--)
            lines->items[at] = lines->items[at - 1];
        lines->items[at] = line;
    }
}

/* The format that ldconfig writes since glibc 2.2: sysdeps/generic/dl-cache.h. */
void make_ldcache(const struct maker *maker, const char *machine)
{
    struct {
        char magic[20];
        uint32_t count, strings_size;
        uint8_t flags, padding[3];
        uint32_t unused[4];
    } header = {.count = 0};
    struct entry {
        int32_t flags;
        uint32_t key, value, os_version;
        uint64_t hwcap;
    } *entries = NULL;
    size_t count = 0, capacity = 0;
    AUTO_TEXT struct text strings = {0};
    memcpy(header.magic, "glibc-ld.so.cache1.1", sizeof(header.magic)); /* without its end */
    sort_cache(maker->cache);
    for (size_t i = 0; i < maker->cache->count; i++) {
        AUTO_FREE char *copy = mem_string(maker->cache->items[i]);
        char *line = copy;
        const char *soname = next_word(&line);
        const char *path = next_word(&line);
        if (path == NULL)
            fail(maker, "wants \"SONAME PATH\"", "ldcache");
        struct entry *entry = vec_push(entries, count, capacity);
        /* FLAG_ELF_LIBC6 with FLAG_AARCH64_LIB64 or FLAG_X8664_LIB64. */
        entry->flags = string_equal(machine, "aarch64") ? 0x0a03 : 0x0303;
        entry->key = (uint32_t)strings.size;
        text_append_n(&strings, soname, strlen(soname) + 1);
        entry->value = (uint32_t)strings.size;
        text_append_n(&strings, path, strlen(path) + 1);
    }
    size_t base = sizeof(header) + count * sizeof(struct entry);
    for (size_t i = 0; i < count; i++) {
        entries[i].key += (uint32_t)base;
        entries[i].value += (uint32_t)base;
    }
    header.count = (uint32_t)count;
    header.strings_size = (uint32_t)strings.size;
    header.flags = 2; /* little endian */
    AUTO_TEXT struct text bytes = {0};
    text_append_n(&bytes, (const char *)&header, sizeof(header));
    text_append_n(&bytes, (const char *)entries, count * sizeof(struct entry));
    text_append_n(&bytes, text_string(&strings), strings.size);
    write_file(maker, "/etc/ld.so.cache", bytes.data, bytes.size);
    free(entries);
}

/* Tag, length and content of DER (X.690), up to 64 KiB. */
static void der(struct text *to, unsigned char tag, const struct text *content)
{
    size_t size = content->size;
    text_append_char(to, (char)tag);
    if (size >= 0x80) {
        text_append_char(to, (char)0x82);
        text_append_char(to, (char)(size >> 8));
    }
    text_append_char(to, (char)(size & 0xff));
    text_append_n(to, text_string(content), size);
}

/* Wraps what is in text into one element. */
static void der_wrap(struct text *text, unsigned char tag)
{
    AUTO_TEXT struct text content = *text;
    *text = (struct text){0};
    der(text, tag, &content);
}

static void der_bytes(struct text *to, const char *bytes, size_t size)
{
    text_append_n(to, bytes, size);
}
#define DER(to, bytes) der_bytes(to, bytes, sizeof(bytes) - 1)

/* A name of one commonName. */
static void der_name(struct text *to, const char *common)
{
    AUTO_TEXT struct text name = {0};
    text_append(&name, common);
    der_wrap(&name, 0x0c); /* UTF8String */
    AUTO_TEXT struct text named = {0};
    DER(&named, "\x06\x03\x55\x04\x03"); /* commonName */
    text_append_n(&named, name.data, name.size);
    der_wrap(&named, 0x30);
    der_wrap(&named, 0x31);
    der_wrap(&named, 0x30);
    text_append_n(to, named.data, named.size);
}
#define SERIAL "\x02\x04\x11\x22\x33\x44"

/* The name, a serial number, the algorithms and 256 bytes that sign nothing: RFC 2315. */
static void signer_info(struct text *to, const char *signer)
{
    AUTO_TEXT struct text info = {0};
    AUTO_TEXT struct text bytes = {0};
    AUTO_TEXT struct text named = {0};
    der_name(&named, signer);
    DER(&named, SERIAL);
    der_wrap(&named, 0x30);
    DER(&info, "\x02\x01\x01");
    text_append_n(&info, named.data, named.size);
    DER(&info, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03");         /* sha512 */
    DER(&info, "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00"); /* RSA */
    for (int i = 0; i < 256; i++)
        text_append_char(&bytes, (char)i);
    der(&info, 0x04, &bytes);
    der_wrap(&info, 0x30);
    der_wrap(&info, 0x31);
    text_append_n(to, info.data, info.size);
}

/* Documentation/admin-guide/module-signing and include/linux/module_signature.h of the kernel: the
 * PKCS #7 message, twelve bytes about it, a line that says so. */
static void append_signature(struct text *to, const char *signer)
{
    AUTO_TEXT struct text data = {0};
    DER(&data, "\x02\x01\x01\x31\x0d\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03");
    DER(&data, "\x30\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"); /* data */
    signer_info(&data, signer);
    der_wrap(&data, 0x30);
    der_wrap(&data, 0xa0);
    AUTO_TEXT struct text message = {0};
    DER(&message, "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"); /* signedData */
    text_append_n(&message, data.data, data.size);
    der_wrap(&message, 0x30);
    text_append_n(to, message.data, message.size);
    const char about[12] = {[2] = 2, /* PKCS #7 */
                            [10] = (char)(message.size >> 8),
                            [11] = (char)(message.size & 0xff)};
    text_append_n(to, about, sizeof(about));
    text_append(to, "~Module signature appended~\n");
}

/* Replaces the file by its compressed form, named by its end. */
static void compress(const struct maker *maker, const char *path)
{
    static const char *const tools[][2] = {{".xz", "xz"}, {".zst", "zstd"}, {".gz", "gzip"}};
    extern char **environ;
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        if (!string_ends(path, tools[i][0]))
            continue;
        AUTO_FREE char *full = place(maker, path);
        AUTO_FREE char *plain = mem_string_n(full, strlen(full) - strlen(tools[i][0]));
        char *const words[] = {(char *)tools[i][1], (char *)"-qf", plain, NULL};
        pid_t child;
        int status = -1;
        if (rename(full, plain) != 0 ||
            posix_spawnp(&child, tools[i][1], NULL, NULL, words, environ) != 0 ||
            waitpid(child, &status, 0) != child || status != 0)
            fail(maker, "cannot compress", path);
        unlink(plain); /* zstd leaves it */
        return;
    }
}

/* A kernel module that holds its .modinfo alone, and a signature where a field names a signer. */
void make_module(const struct maker *maker, const char *path, char *fields)
{
    static const char names[] = "\0.modinfo\0.shstrtab";
    AUTO_TEXT struct text modinfo = {0};
    AUTO_FREE char *signer = NULL;
    for (char *line; (line = string_next_line(&fields)) != NULL;) {
        if (string_starts(line, "signer="))
            signer = mem_string(line + strlen("signer="));
        else
            text_append_n(&modinfo, line, strlen(line) + 1);
    }
    struct {
        Elf64_Ehdr header;
        Elf64_Shdr sections[3];
    } image = {0};
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_ident[EI_VERSION] = EV_CURRENT;
    image.header.e_type = ET_REL;
    image.header.e_machine = EM_X86_64;
    image.header.e_version = EV_CURRENT;
    image.header.e_ehsize = sizeof(Elf64_Ehdr);
    image.header.e_shoff = sizeof(Elf64_Ehdr);
    image.header.e_shentsize = sizeof(Elf64_Shdr);
    image.header.e_shnum = 3;
    image.header.e_shstrndx = 2;
    image.sections[1] = (Elf64_Shdr){.sh_name = 1,
                                     .sh_type = SHT_PROGBITS,
                                     .sh_offset = sizeof(image),
                                     .sh_size = modinfo.size,
                                     .sh_addralign = 1};
    image.sections[2] = (Elf64_Shdr){.sh_name = 10,
                                     .sh_type = SHT_STRTAB,
                                     .sh_offset = sizeof(image) + modinfo.size,
                                     .sh_size = sizeof(names),
                                     .sh_addralign = 1};
    AUTO_TEXT struct text bytes = {0};
    text_append_n(&bytes, (const char *)&image, sizeof(image));
    text_append_n(&bytes, text_string(&modinfo), modinfo.size);
    text_append_n(&bytes, names, sizeof(names));
    if (signer)
        append_signature(&bytes, signer);
    write_file(maker, path, bytes.data, bytes.size);
    compress(maker, path);
}

/* A certificate of that name for itself, whose key and signature are of no use: RFC 5280, 4.1. */
static void append_certificate(struct text *to, const char *name)
{
    static const char rsa[] = "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b\x05\x00";
    AUTO_TEXT struct text body = {0};
    DER(&body, "\xa0\x03\x02\x01\x02" SERIAL);
    text_append_n(&body, rsa, sizeof(rsa) - 1);
    der_name(&body, name);
    DER(&body, "\x30\x1e\x17\x0d"
               "260101000000Z\x17\x0d"
               "360101000000Z");
    der_name(&body, name);
    DER(&body, "\x30\x1a\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x09\x00"
               "\x30\x06\x02\x01\x0f\x02\x01\x03");
    der_wrap(&body, 0x30);
    AUTO_TEXT struct text whole = {0};
    text_append_n(&whole, body.data, body.size);
    text_append_n(&whole, rsa, sizeof(rsa) - 1);
    DER(&whole, "\x03\x02\x00\x01");
    der_wrap(&whole, 0x30);
    text_append_n(to, whole.data, whole.size);
}

static void append_number(struct text *to, size_t value)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        text_append_char(to, (char)(value >> shift & 0xff));
}

/* One certificate a line: as it is, or as an EFI variable holds them, each in a list of its own
 * behind the variable's attributes (UEFI 2.10, 32.4.1). */
void make_certificates(const struct maker *maker, const char *path, const char *form, char *names)
{
    static const char x509[] = "\xa1\x59\xc0\xa5\xe4\x94\xa7\x4a\x87\xb5\xab\x15\x5c\x2b\xf0\x72";
    AUTO_TEXT struct text bytes = {0};
    bool efi = string_equal(form, "efi");
    if (efi)
        append_number(&bytes, 6);
    for (char *name; (name = string_next_line(&names)) != NULL;) {
        AUTO_TEXT struct text one = {0};
        append_certificate(&one, name);
        if (efi) {
            text_append_n(&bytes, x509, 16);
            append_number(&bytes, 28 + 16 + one.size);
            append_number(&bytes, 0);
            append_number(&bytes, 16 + one.size);
            text_append_n(&bytes, x509, 16); /* any owner */
        }
        text_append_n(&bytes, one.data, one.size);
    }
    write_file(maker, path, text_string(&bytes), bytes.size);
}

static unsigned long number(const struct maker *maker, const char *digits, int base)
{
    char *end = NULL;
    unsigned long value = strtoul(digits, &end, base);
    if (end == digits || *end != '\0')
        fail(maker, "not a number", digits);
    return value;
}

static void patch(const struct maker *maker, unsigned char *bytes, size_t size, char *word)
{
    char *hex = strchr(word, '=');
    if (hex == NULL)
        fail(maker, "wants OFFSET=BYTES", word);
    *hex++ = '\0';
    size_t at = number(maker, word, 16);
    for (; hex[0] && hex[1]; hex += 2) {
        const char digits[3] = {hex[0], hex[1], '\0'};
        if (at >= size)
            fail(maker, "beyond the end", word);
        bytes[at++] = (unsigned char)number(maker, digits, 16);
    }
}

/* SIZE bytes, zeros or those of fill=HH, with others at OFFSET=HHHH…; all but SIZE in hex. */
void make_binary(const struct maker *maker, const char *path, char *rest)
{
    const char *size_word = next_word(&rest);
    size_t size = size_word ? number(maker, size_word, 10) : 0;
    if (size == 0 || size > 1 << 20)
        fail(maker, "wants PATH SIZE", "binary");
    AUTO_FREE unsigned char *bytes = mem_alloc(size);
    char *word;
    while ((word = next_word(&rest)) != NULL) {
        if (string_starts(word, "fill="))
            memset(bytes, (int)number(maker, word + strlen("fill="), 16), size);
        else
            patch(maker, bytes, size, word);
    }
    write_file(maker, path, bytes, size);
}
