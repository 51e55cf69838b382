/* SPDX-License-Identifier: MIT */
/*
 * machine-make TREE DIR: makes DIR/root, a machine's file tree, and DIR/facts.json, what was live
 * around it, from the description in the file TREE (docs/testing.md). One directive a line; `\xHH`
 * stands for a byte, `\\` for a backslash; lines that begin with "| " belong to the line before:
 *
 *   include TREE          all of another description first, relative to this one
 *   drop PATH             takes away what an included one made, with all below it
 *   drop-fact GROUP
 *   dir PATH
 *   link PATH TARGET
 *   file PATH            and its lines
 *   elf PATH [machine=x86_64|aarch64|i386] [soname=S] [needed=A,B] [runpath=R] [rpath=R]
 *   ldcache [aarch64]    and lines "SONAME PATH": writes /etc/ld.so.cache
 *   fact GROUP NAME JSON  a value; absent, unknown REASON and skipped REASON also stand for JSON
 */
#include <elf.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/json.h"
#include "base/strlist.h"
#include "base/text.h"

struct maker {
    const char *tree;
    unsigned line;
    char *root;
    json_t *facts;
};

static _Noreturn void fail(const struct maker *maker, const char *what, const char *which)
{
    fprintf(stderr, "machine-make: %s:%u: %s: %s\n", maker->tree, maker->line, what, which);
    exit(65);
}

static int hex(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Undoes \xHH and \\ in place; returns the number of bytes. */
static size_t unescape(const struct maker *maker, char *string)
{
    size_t to = 0;
    for (size_t from = 0; string[from]; from++) {
        char c = string[from];
        if (c == '\\' && string[from + 1] == '\\') {
            from++;
        } else if (c == '\\') {
            int high = string[from + 1] == 'x' ? hex(string[from + 2]) : -1;
            int low = high >= 0 ? hex(string[from + 3]) : -1;
            if (low < 0)
                fail(maker, "a backslash wants \\\\ or \\xHH", string);
            c = (char)(high * 16 + low);
            from += 3;
        }
        string[to++] = c;
    }
    string[to] = '\0';
    return to;
}

/* The path below the root, its parent directories made. */
static char *place(const struct maker *maker, const char *path)
{
    if (path[0] != '/' || strstr(path, "/../"))
        fail(maker, "not an absolute path", path);
    AUTO_FREE char *full = mem_printf("%s%s", maker->root, path);
    for (char *slash = full + strlen(maker->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        struct stat info;
        if (mkdir(full, 0755) != 0 && errno != EEXIST)
            fail(maker, strerror(errno), full);
        /* A link could lead out of the root: name the real place instead. */
        if (lstat(full, &info) != 0 || !S_ISDIR(info.st_mode))
            fail(maker, "not below a directory of the tree", path);
        *slash = '/';
    }
    return mem_steal(&full);
}

static void write_file(const struct maker *maker, const char *path, const void *bytes, size_t size)
{
    AUTO_FREE char *full = place(maker, path);
    unlink(full);
    FILE *file = fopen(full, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail(maker, strerror(errno), full);
    bool script = size > 1 && memcmp(bytes, "#!", 2) == 0;
    if (chmod(full, script ? 0755 : 0644) != 0)
        fail(maker, strerror(errno), full);
}

static char *next_word(char **cursor)
{
    while (**cursor == ' ')
        (*cursor)++;
    if (**cursor == '\0')
        return NULL;
    char *word = *cursor;
    char *end = strchrnul(word, ' ');
    *cursor = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

struct elf_wish {
    uint16_t machine;
    unsigned char class;
    const char *soname, *runpath, *rpath;
    struct strlist needed;
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
    else if (string_starts(word, "needed="))
        strlist_split(&wish->needed, word + strlen("needed="), ',');
    else
        fail(maker, "unknown word", word);
}

struct dynamic {
    Elf64_Dyn entries[64];
    size_t count;
    struct text strings;
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

static void dynamic_fill(struct dynamic *dynamic, const struct elf_wish *wish, uint64_t strings_at)
{
    text_append_n(&dynamic->strings, "", 1);
    for (size_t i = 0; i < wish->needed.count; i++)
        dynamic_string(dynamic, DT_NEEDED, wish->needed.items[i]);
    dynamic_string(dynamic, DT_SONAME, wish->soname);
    dynamic_string(dynamic, DT_RUNPATH, wish->runpath);
    dynamic_string(dynamic, DT_RPATH, wish->rpath);
    dynamic_add(dynamic, DT_STRTAB, strings_at);
    dynamic_add(dynamic, DT_STRSZ, dynamic->strings.size);
    dynamic_add(dynamic, DT_NULL, 0);
}

/* A 64-bit shared object that holds nothing but its dynamic section. */
static void write_elf64(const struct maker *maker, const char *path, const struct elf_wish *wish)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr load, dynamic;
        Elf64_Dyn entries[64];
    } image = {0};
    struct dynamic dynamic = {.count = 0};
    dynamic_fill(&dynamic, wish, sizeof(image));
    memcpy(image.entries, dynamic.entries, sizeof(image.entries));

    uint64_t size = sizeof(image) + dynamic.strings.size;
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
    image.header.e_phnum = 2;
    image.header.e_shentsize = sizeof(Elf64_Shdr);
    image.load = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = size, .p_memsz = size, .p_align = 0x1000};
    uint64_t entries_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
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
    text_append_n(&bytes, dynamic.strings.data, dynamic.strings.size);
    write_file(maker, path, bytes.data, bytes.size);
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

static void make_elf(const struct maker *maker, const char *path, char *rest)
{
    struct elf_wish wish = {.machine = EM_X86_64, .class = ELFCLASS64};
    char *word;
    while ((word = next_word(&rest)) != NULL)
        elf_option(maker, &wish, word);
    if (wish.class == ELFCLASS64)
        write_elf64(maker, path, &wish);
    else
        write_elf32(maker, path, &wish);
    strlist_free(&wish.needed);
}

/* The format that ldconfig writes since glibc 2.2: sysdeps/generic/dl-cache.h. */
static void make_ldcache(const struct maker *maker, const char *machine, char *lines)
{
    struct {
        char magic[20];
        uint32_t count, strings_size;
        uint8_t flags, padding[3];
        uint32_t unused[4];
    } header = {.magic = "glibc-ld.so.cache1.1"};
    struct entry {
        int32_t flags;
        uint32_t key, value, os_version;
        uint64_t hwcap;
    } *entries = NULL;
    size_t count = 0, capacity = 0;
    AUTO_TEXT struct text strings = {0};
    char *line;
    while ((line = string_next_line(&lines)) != NULL) {
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

static void make_fact(const struct maker *maker, char *rest)
{
    const char *group = next_word(&rest);
    const char *name = next_word(&rest);
    if (name == NULL || *rest == '\0')
        fail(maker, "wants GROUP NAME VALUE", "fact");
    json_t *fact = json_object();
    if (string_equal(rest, "absent")) {
        json_object_set_new(fact, "absent", json_true());
    } else if (string_starts(rest, "unknown ")) {
        json_object_set_new(fact, "unknown", json_string(rest + strlen("unknown ")));
    } else if (string_starts(rest, "skipped ")) {
        json_object_set_new(fact, "skipped", json_string(rest + strlen("skipped ")));
    } else {
        json_t *value = json_loads(rest, JSON_DECODE_ANY, NULL);
        if (value == NULL)
            fail(maker, "not a JSON value", rest);
        json_object_set_new(fact, "value", value);
    }
    json_object_set_new(fact, "source", json_string("tree description"));
    if (json_object_get(maker->facts, group) == NULL)
        json_object_set_new(maker->facts, group, json_object());
    json_object_set_new(json_object_get(maker->facts, group), name, fact);
}

static void make_link(const struct maker *maker, const char *path, char *target)
{
    unescape(maker, target);
    AUTO_FREE char *full = place(maker, path);
    unlink(full);
    if (symlink(target, full) != 0)
        fail(maker, strerror(errno), full);
}

static void make_directory(const struct maker *maker, const char *path)
{
    AUTO_FREE char *full = place(maker, path);
    if (mkdir(full, 0755) != 0 && errno != EEXIST)
        fail(maker, strerror(errno), full);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void drop(const struct maker *maker, const char *path)
{
    AUTO_FREE char *full = place(maker, path);
    if (nftw(full, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fail(maker, "nothing to drop", path);
}

static void make_all(struct maker *maker);

static void include(const struct maker *maker, const char *path)
{
    const char *slash = strrchr(maker->tree, '/');
    int length = slash ? (int)(slash - maker->tree) + 1 : 0;
    AUTO_FREE char *tree = mem_printf("%.*s%s", length, maker->tree, path);
    struct maker included = {.tree = tree, .root = maker->root, .facts = maker->facts};
    make_all(&included);
}

/* The directives that name no path below the root. False when word is none of them. */
static bool make_pathless(const struct maker *maker, const char *word, char *rest, char *body)
{
    if (string_equal(word, "fact"))
        make_fact(maker, rest);
    else if (string_equal(word, "drop-fact"))
        json_object_del(maker->facts, rest);
    else if (string_equal(word, "ldcache"))
        make_ldcache(maker, rest, body);
    else if (string_equal(word, "include"))
        include(maker, rest);
    else
        return false;
    return true;
}

/* One directive with the lines that belong to it. */
static void make(const struct maker *maker, char *directive, char *body)
{
    char *rest = directive;
    const char *word = next_word(&rest);
    if (make_pathless(maker, word, rest, body))
        return;
    char *path = next_word(&rest);
    if (path == NULL)
        fail(maker, "wants a path", word);
    unescape(maker, path);
    if (string_equal(word, "file"))
        write_file(maker, path, body, unescape(maker, body));
    else if (string_equal(word, "drop"))
        drop(maker, path);
    else if (string_equal(word, "dir"))
        make_directory(maker, path);
    else if (string_equal(word, "link"))
        make_link(maker, path, rest);
    else if (string_equal(word, "elf"))
        make_elf(maker, path, rest);
    else
        fail(maker, "unknown directive", word);
}

static void make_all(struct maker *maker)
{
    FILE *tree = fopen(maker->tree, "r");
    if (tree == NULL)
        fail(maker, strerror(errno), maker->tree);
    AUTO_FREE char *line = NULL;
    size_t capacity = 0;
    AUTO_TEXT struct text directive = {0};
    AUTO_TEXT struct text body = {0};
    unsigned number = 0;
    ssize_t length;
    do {
        length = getline(&line, &capacity, tree);
        number++;
        if (length > 0 && line[0] == '|') {
            text_append(&body, line[1] == ' ' ? line + 2 : line + 1);
            continue;
        }
        if (directive.size > 0) {
            text_append(&body, "");
            make(maker, directive.data, body.data);
        }
        text_clear(&directive);
        text_clear(&body);
        maker->line = number;
        char *trimmed = length > 0 ? string_trim(line) : NULL;
        if (trimmed && trimmed[0] != '\0' && trimmed[0] != '#')
            text_append(&directive, trimmed);
    } while (length > 0);
    fclose(tree);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: machine-make TREE DIR\n");
        return 64;
    }
    AUTO_FREE char *root = mem_printf("%s/root", argv[2]);
    struct maker maker = {.tree = argv[1], .root = root, .facts = json_object()};
    if (mkdir(root, 0755) != 0)
        fail(&maker, strerror(errno), root);
    make_all(&maker);

    AUTO_TEXT struct text text = {0};
    json_append_text(maker.facts, &text);
    AUTO_FREE char *path = mem_printf("%s/facts.json", argv[2]);
    FILE *file = fopen(path, "w");
    if (file == NULL || fwrite(text.data, 1, text.size, file) != text.size || fclose(file) != 0)
        fail(&maker, strerror(errno), path);
    json_decref(maker.facts);
    return 0;
}
