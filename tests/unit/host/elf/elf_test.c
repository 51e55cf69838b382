/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"
#include "host/elf/elf.h"
#include "host/elf/elf_image.h"
#include "host/root/host.h"

/* One temporary tree per test; its root is the state. */
struct tree {
    char *root;
    struct host *host;
};

static int make_tree(void **state)
{
    struct tree *tree = mem_alloc(sizeof(*tree));
    tree->root = mem_string("/tmp/gpuenv-elf-XXXXXX");
    *state = tree;
    if (mkdtemp(tree->root) == NULL)
        return -1;
    tree->host = host_new(tree->root, NULL);
    return tree->host == NULL;
}

static int remove_tree(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *command = mem_printf("rm -rf '%s'", tree->root);
    host_free(tree->host);
    free(tree->root);
    free(tree);
    return system(command);
}

static void run_in(const struct tree *tree, const char *script)
{
    AUTO_FREE char *command = mem_printf("set -e; cd '%s'; %s", tree->root, script);
    assert_int_equal(system(command), 0);
}

static void write_file(const struct tree *tree, const char *path, const void *bytes, size_t size)
{
    AUTO_FREE char *whole = mem_printf("%s%s", tree->root, path);
    FILE *file = fopen(whole, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static bool slurp(const char *path, struct text *text)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    char buffer[65536];
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        text_append_n(text, buffer, got);
    fclose(file);
    return true;
}

/* ---- a small ELF file made by hand, in either byte order ---- */

#define MADE_SIZE    1024
#define MADE_LOADED  0x10000 /* where its bytes are loaded */
#define MADE_DYNAMIC 256
#define MADE_STRINGS 512
#define MADE_NEEDS   640
static const char made_strings[] = "\0libmade.so.1\0libc.so.6\0/opt/lib\0GLIBC_2.9\0GLIBC_2.17\0";
enum { MADE_SONAME = 1, MADE_LIBC = 14, MADE_RUNPATH = 24, MADE_V9 = 33, MADE_V17 = 43 };

struct made {
    bool big;
    unsigned char bytes[MADE_SIZE];
};

static void put(struct made *made, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned shift = 8 * (made->big ? width - 1 - i : i);
        made->bytes[at + i] = (unsigned char)(value >> shift);
    }
}

#define PUT_FIELD(made, at, type, field, value)                                                    \
    put((made), (at) + offsetof(type, field), sizeof(((type *)NULL)->field), (value))

static void put_segment(struct made *made, unsigned index, uint32_t type, uint64_t offset,
                        uint64_t size)
{
    size_t at = sizeof(Elf64_Ehdr) + index * sizeof(Elf64_Phdr);
    PUT_FIELD(made, at, Elf64_Phdr, p_type, type);
    PUT_FIELD(made, at, Elf64_Phdr, p_offset, offset);
    PUT_FIELD(made, at, Elf64_Phdr, p_vaddr, MADE_LOADED + offset);
    PUT_FIELD(made, at, Elf64_Phdr, p_filesz, size);
}

static void put_dynamic(struct made *made, unsigned index, uint64_t tag, uint64_t value)
{
    size_t at = MADE_DYNAMIC + index * sizeof(Elf64_Dyn);
    put(made, at, 8, tag);
    put(made, at + 8, 8, value);
}

/* One version need of two names, the lower one last. */
static void put_needs(struct made *made)
{
    const size_t aux = MADE_NEEDS + sizeof(Elf64_Verneed);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_version, 1);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_cnt, 2);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_file, MADE_LIBC);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_aux, sizeof(Elf64_Verneed));
    PUT_FIELD(made, aux, Elf64_Vernaux, vna_name, MADE_V17);
    PUT_FIELD(made, aux, Elf64_Vernaux, vna_next, sizeof(Elf64_Vernaux));
    PUT_FIELD(made, aux + sizeof(Elf64_Vernaux), Elf64_Vernaux, vna_name, MADE_V9);
}

static void make_elf(struct made *made, bool big)
{
    *made = (struct made){.big = big};
    memcpy(made->bytes, ELFMAG, SELFMAG);
    made->bytes[EI_CLASS] = ELFCLASS64;
    made->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
    made->bytes[EI_VERSION] = EV_CURRENT;
    PUT_FIELD(made, 0, Elf64_Ehdr, e_type, ET_DYN);
    PUT_FIELD(made, 0, Elf64_Ehdr, e_machine, EM_S390);
    PUT_FIELD(made, 0, Elf64_Ehdr, e_version, EV_CURRENT);
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phoff, sizeof(Elf64_Ehdr));
    PUT_FIELD(made, 0, Elf64_Ehdr, e_ehsize, sizeof(Elf64_Ehdr));
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phentsize, sizeof(Elf64_Phdr));
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phnum, 2);
    put_segment(made, 0, PT_LOAD, 0, MADE_SIZE);
    put_segment(made, 1, PT_DYNAMIC, MADE_DYNAMIC, 8 * sizeof(Elf64_Dyn));
    put_dynamic(made, 0, DT_STRTAB, MADE_LOADED + MADE_STRINGS);
    put_dynamic(made, 1, DT_STRSZ, sizeof(made_strings));
    put_dynamic(made, 2, DT_SONAME, MADE_SONAME);
    put_dynamic(made, 3, DT_NEEDED, MADE_LIBC);
    put_dynamic(made, 4, DT_RUNPATH, MADE_RUNPATH);
    put_dynamic(made, 5, DT_VERNEED, MADE_LOADED + MADE_NEEDS);
    put_dynamic(made, 6, DT_VERNEEDNUM, 1);
    memcpy(made->bytes + MADE_STRINGS, made_strings, sizeof(made_strings));
    put_needs(made);
}

static bool parse_made(const struct made *made, struct elf_info *info, struct error *error)
{
    return elf_parse(-1, (const char *)made->bytes, sizeof(made->bytes), info, error);
}

static void made_files_are_read_in_both_byte_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct made made;
        AUTO_ELF struct elf_info info = {0};
        make_elf(&made, big == 1);
        assert_true(parse_made(&made, &info, NULL));
        assert_int_equal(info.bits, 64);
        assert_int_equal(info.machine, EM_S390);
        assert_int_equal(info.type, ET_DYN);
        assert_string_equal(info.soname, "libmade.so.1");
        assert_int_equal(info.needed.count, 1);
        assert_string_equal(info.needed.items[0], "libc.so.6");
        assert_string_equal(info.runpath, "/opt/lib");
        assert_null(info.rpath);
        assert_null(info.build_id);
        assert_string_equal(info.glibc_needed, "2.17");
        assert_null(info.glibc_defined);
    }
}

/* A made file that is wrong in one place, and what must be said of it. */
struct wrong {
    size_t at;
    unsigned width;
    uint64_t value;
    const char *words;
};

#define PHDR(index, field)                                                                         \
    sizeof(Elf64_Ehdr) + (index) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field)
#define DYN(index) MADE_DYNAMIC + (index) * sizeof(Elf64_Dyn) + 8

static const struct wrong wrongs[] = {
    {EI_CLASS, 1, 7, "class 7"},
    {EI_DATA, 1, 0, "byte order 0"},
    {offsetof(Elf64_Ehdr, e_version), 4, 9, "version 9"},
    {offsetof(Elf64_Ehdr, e_phentsize), 2, 55, "headers of 55 bytes"},
    {offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff, "more than 65534 program headers"},
    {offsetof(Elf64_Ehdr, e_phnum), 2, 100, "at 64 ends at 5664, the file has 1024"},
    {offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX - 8,
     "program header table at 18446744073709551607"},
    {offsetof(Elf64_Ehdr, e_shoff), 8, 64, "sections"},
    {PHDR(0, p_filesz), 8, 4096, "segment 0 at 0 ends at 4096"},
    {PHDR(1, p_offset), 8, 1000, "segment 1 at 1000 ends at 1128"},
    {PHDR(1, p_offset), 8, UINT64_MAX - 3, "segment 1 at 18446744073709551612"},
    {DYN(0), 8, 0x999999, "string table at address 0x999999 is in no segment"},
    {DYN(1), 8, 4096, "string table at 512 has 4096 bytes, its segment 512"},
    {DYN(1), 8, UINT64_MAX, "string table at 512 has 18446744073709551615 bytes"},
    {DYN(1), 8, 20, "DT_RUNPATH at 24 of a string table of 20"},
    {DYN(1), 8, 30, "DT_RUNPATH at 24 of the string table does not end"},
    {DYN(2), 8, 4000, "DT_SONAME at 4000"},
    {DYN(3), 8, UINT64_MAX, "DT_NEEDED at 18446744073709551615"},
    {DYN(5), 8, 7, "version needs at address 0x7"},
    {DYN(5), 8, MADE_LOADED + MADE_SIZE - 4, "version needs"},
    {MADE_NEEDS + offsetof(Elf64_Verneed, vn_aux), 4, 0xfffffff0, "version needs: a record at"},
    {MADE_NEEDS + offsetof(Elf64_Verneed, vn_aux), 4, 17, "version needs: a record at 17"},
    {MADE_NEEDS + offsetof(Elf64_Verneed, vn_next), 4, 0x7ffffff0, "version needs: a record at"},
};

static void wrong_places_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        struct made made;
        struct elf_info info;
        AUTO_ERROR struct error error = {0};
        make_elf(&made, false);
        put(&made, wrongs[i].at, wrongs[i].width, wrongs[i].value);
        if (parse_made(&made, &info, &error))
            fail_msg("accepted, should say \"%s\"", wrongs[i].words);
        assert_int_equal(error.kind, ERROR_DATA);
        if (strstr(error.why, wrongs[i].words) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", error.why, wrongs[i].words);
    }
}

/* Thousands of version needs of 3000 names each, which share their places: bounded, not followed.
 */
static void shared_records_end(void **state)
{
    (void)state;
    static char bytes[256 * 1024];
    struct made made;
    make_elf(&made, false);
    PUT_FIELD(&made, sizeof(Elf64_Ehdr), Elf64_Phdr, p_filesz, sizeof(bytes));
    put_dynamic(&made, 5, DT_VERNEED, MADE_LOADED + MADE_SIZE);
    memcpy(bytes, made.bytes, MADE_SIZE);
    for (size_t at = MADE_SIZE; at + 16 < sizeof(bytes); at += 16) {
        /* As a Verneed: 3000 names from here on, next in 16 bytes; as a Vernaux: a name, next. */
        const Elf64_Verneed need = {.vn_cnt = 3000, .vn_aux = 16, .vn_next = 16};
        memcpy(bytes + at, &need, sizeof(need));
    }
    struct elf_info info;
    AUTO_ERROR struct error error = {0};
    assert_false(elf_parse(-1, bytes, sizeof(bytes), &info, &error));
    assert_non_null(strstr(error.why, "more than 2048 names"));
}

/* Names that begin at different places and share an end 60000 bytes on: none is kept whole. */
static void long_names_are_not_kept(void **state)
{
    (void)state;
    static char bytes[256 * 1024];
    struct made made;
    make_elf(&made, false);
    PUT_FIELD(&made, sizeof(Elf64_Ehdr), Elf64_Phdr, p_filesz, sizeof(bytes));
    put_dynamic(&made, 0, DT_STRTAB, MADE_LOADED + MADE_SIZE);
    put_dynamic(&made, 1, DT_STRSZ, 60000);
    memcpy(bytes, made.bytes, MADE_SIZE);
    memset(bytes + MADE_SIZE, 'a', 59999);
    struct elf_info info;
    AUTO_ERROR struct error error = {0};
    assert_false(elf_parse(-1, bytes, sizeof(bytes), &info, &error));
    assert_non_null(strstr(error.why, "DT_SONAME at"));
    assert_non_null(strstr(error.why, "does not end"));
}

/* A library made by the compiler, changed at every byte of its headers and cut at every length. */
static void changed_and_cut_files_are_safe(void **state)
{
    const struct tree *tree = *state;
    run_in(tree, "echo 'int f(void); int f(void){return 1;}' > f.c;"
                 "cc -shared -fPIC -s -o f.so -Wl,-soname,libf.so.1,-z,noseparate-code f.c");
    AUTO_FREE char *path = mem_printf("%s/f.so", tree->root);
    AUTO_TEXT struct text whole = {0};
    assert_true(slurp(path, &whole));
    const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t refused = 0;
    for (size_t at = 0; at < whole.size && at < 4096; at++) {
        for (size_t i = 0; i < sizeof(values); i++) {
            struct elf_info info = {0};
            AUTO_ERROR struct error error = {0};
            char kept = whole.data[at];
            whole.data[at] = (char)values[i];
            if (!elf_parse(-1, whole.data, whole.size, &info, &error)) {
                assert_int_equal(error.kind, ERROR_DATA);
                refused++;
            }
            whole.data[at] = kept;
            elf_info_free(&info);
        }
    }
    assert_true(refused > 100);
    for (size_t size = 0; size < whole.size; size++) {
        AUTO_ELF struct elf_info info = {0};
        AUTO_FREE char *bytes = mem_string_n(whole.data, size);
        if (elf_parse(-1, bytes, size, &info, NULL))
            assert_string_equal(info.soname, "libf.so.1");
        else
            assert_null(info.soname);
    }
}

/* ---- files ---- */

static void expect_failed(const struct tree *tree, const char *path, const char *what,
                          const char *why)
{
    struct elf_info info;
    AUTO_ERROR struct error error = {0};
    assert_int_equal(elf_read(tree->host, path, &info, &error), HOST_FAILED);
    if (strstr(error.what, what) == NULL || error.why == NULL || strstr(error.why, why) == NULL)
        fail_msg("%s: \"%s\": \"%s\"", path, error.what, error.why);
    assert_string_equal(error.where, path);
}

static void other_files_are_named_as_what_they_are(void **state)
{
    const struct tree *tree = *state;
    static const char script[] = "/* GNU ld script\n   Use the shared library */\nGROUP ( x )\n";
    write_file(tree, "/libscript.so", script, sizeof(script) - 1);
    expect_failed(tree, "/libscript.so", "not an ELF file", "begins with \"/* GNU ld script\"");
    write_file(tree, "/libempty.so", "", 0);
    expect_failed(tree, "/libempty.so", "not an ELF file", "the file is empty");
    write_file(tree, "/libbinary.so", "\033]0;x\007", 6);
    expect_failed(tree, "/libbinary.so", "not an ELF file", "begins with \"\\x1b]0;x\\x07\"");
    struct made made;
    make_elf(&made, false);
    write_file(tree, "/libcut.so", made.bytes, 100);
    expect_failed(tree, "/libcut.so", "not a valid ELF file",
                  "truncated: program header table at 64 ends at 176, the file has 100 bytes");
    write_file(tree, "/libhead.so", made.bytes, 20);
    expect_failed(tree, "/libhead.so", "not a valid ELF file",
                  "truncated: the header has 64 bytes, the file 20");
    struct elf_info info;
    assert_int_equal(elf_read(tree->host, "/libnone.so", &info, NULL), HOST_ABSENT);
    assert_int_equal(mkdir("/dev/null/x", 0), -1);
    run_in(tree, "mkdir libdir.so; mkfifo libfifo.so");
    assert_int_equal(elf_read(tree->host, "/libdir.so", &info, NULL), HOST_FAILED);
    assert_int_equal(elf_read(tree->host, "/libfifo.so", &info, NULL), HOST_FAILED);
}

static void objects_and_static_programs_have_no_dynamic_facts(void **state)
{
    const struct tree *tree = *state;
    run_in(tree, "echo 'void _start(void); void _start(void){for(;;);}' > s.c; cc -c -o s.o s.c;"
                 "cc -static -nostdlib -o s s.o");
    static const char *const paths[] = {"/s.o", "/s"};
    const uint16_t types[] = {ET_REL, ET_EXEC};
    for (size_t i = 0; i < 2; i++) {
        AUTO_ELF struct elf_info info = {0};
        AUTO_ERROR struct error error = {0};
        assert_int_equal(elf_read(tree->host, paths[i], &info, &error), HOST_OK);
        assert_int_equal(info.type, types[i]);
        assert_null(info.soname);
        assert_null(info.glibc_needed);
        assert_int_equal(info.needed.count, 0);
    }
}

static void classes_of_32_bits_are_read(void **state)
{
    const struct tree *tree = *state;
    AUTO_FREE char *command =
        mem_printf("cd '%s' && echo 'int f(void); int f(void){return 1;}' > f.c &&"
                   "cc -m32 -shared -fPIC -nostdlib -o f.so -Wl,-soname,libf.so.1,--build-id "
                   "-Wl,-rpath,/opt/x,--enable-new-dtags f.c 2>/dev/null",
                   tree->root);
    if (system(command) != 0) {
        print_message("the compiler makes no 32-bit library: not tested\n");
        skip();
    }
    AUTO_ELF struct elf_info info = {0};
    assert_int_equal(elf_read(tree->host, "/f.so", &info, NULL), HOST_OK);
    assert_int_equal(info.bits, 32);
    assert_int_equal(info.machine, EM_386);
    assert_string_equal(info.soname, "libf.so.1");
    assert_string_equal(info.runpath, "/opt/x");
    assert_int_equal(strlen(info.build_id), 40);
}

/* A long RUNPATH, as build trees have, and a wrong one that is not kept. */
static void long_runpath_is_whole(void **state)
{
    const struct tree *tree = *state;
    AUTO_TEXT struct text path = {0};
    for (int i = 0; i < 300; i++)
        text_printf(&path, "/opt/some/where/lib%d:", i);
    AUTO_FREE char *script = mem_printf("echo 'int x;' > x.c; cc -shared -fPIC -o x.so x.c "
                                        "-Wl,-rpath,'%s',--enable-new-dtags",
                                        text_string(&path));
    run_in(tree, script);
    AUTO_ELF struct elf_info info = {0};
    assert_int_equal(elf_read(tree->host, "/x.so", &info, NULL), HOST_OK);
    assert_string_equal(info.runpath, text_string(&path));
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 1 GiB, all holes behind the first KiB, with segments that claim all of it. */
static void sparse_files_cost_little_memory(void **state)
{
    const struct tree *tree = *state;
    struct made made;
    const uint64_t size = UINT64_C(1) << 30;
    make_elf(&made, false);
    PUT_FIELD(&made, sizeof(Elf64_Ehdr), Elf64_Phdr, p_filesz, size);
    write_file(tree, "/sparse.so", made.bytes, MADE_SIZE);
    put_segment(&made, 1, PT_NOTE, MADE_SIZE, size - MADE_SIZE);
    write_file(tree, "/notes.so", made.bytes, MADE_SIZE);
    put_segment(&made, 1, PT_DYNAMIC, MADE_SIZE, size - MADE_SIZE);
    write_file(tree, "/dynamic.so", made.bytes, MADE_SIZE);
    make_elf(&made, false);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_shoff, 4096);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_shnum, 0xfeff);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_shstrndx, 1);
    write_file(tree, "/sections.so", made.bytes, MADE_SIZE);
    run_in(tree, "truncate -s 1G sparse.so notes.so dynamic.so sections.so");
    long before = peak_kib();
    static const struct {
        const char *path;
        enum host_status status;
    } files[] = {{"/sparse.so", HOST_OK},
                 {"/notes.so", HOST_OK},
                 {"/dynamic.so", HOST_FAILED},
                 {"/sections.so", HOST_OK}};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        AUTO_ELF struct elf_info info = {0};
        AUTO_STRLIST struct strlist fields = {0};
        assert_int_equal(elf_read(tree->host, files[i].path, &info, NULL), files[i].status);
        assert_int_equal(elf_read_modinfo(tree->host, files[i].path, &fields, NULL), HOST_FAILED);
    }
    long grown = peak_kib() - before;
    print_message("peak memory grew by %ld KiB\n", grown);
    assert_true(grown < 64 * 1024);
}

/* As many note segments as there can be, each of other 64 KiB, together 4 GiB. */
static void many_notes_cost_little_memory(void **state)
{
    const struct tree *tree = *state;
    const size_t count = PN_XNUM - 1, notes = sizeof(Elf64_Ehdr) + count * sizeof(Elf64_Phdr);
    AUTO_FREE unsigned char *bytes = mem_alloc(notes + 2 * 65536);
    struct made made;
    make_elf(&made, false);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_phnum, count);
    memcpy(bytes, made.bytes, sizeof(Elf64_Ehdr));
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr segment = {
            .p_type = PT_NOTE, .p_offset = notes + i, .p_filesz = 65536, .p_align = 4};
        memcpy(bytes + sizeof(Elf64_Ehdr) + i * sizeof(segment), &segment, sizeof(segment));
    }
    write_file(tree, "/many.so", bytes, notes + 2 * 65536);
    AUTO_ELF struct elf_info info = {0};
    long before = peak_kib();
    assert_int_equal(elf_read(tree->host, "/many.so", &info, NULL), HOST_OK);
    assert_null(info.build_id);
    assert_true(peak_kib() - before < 64 * 1024);
}

/* ---- kernel modules ---- */

static void modinfo_is_read(void **state)
{
    const struct tree *tree = *state;
    run_in(
        tree,
        "echo 'const char a[] __attribute__((section(\".modinfo\"),used)) = \"version=570.86.15\";"
        "const char b[] __attribute__((section(\".modinfo\"),used)) = \"license=NVIDIA\";' > m.c;"
        "cc -c -o nvidia.ko m.c; echo 'int x;' > x.c; cc -c -o x.o x.c");
    AUTO_STRLIST struct strlist fields = {0};
    AUTO_ERROR struct error error = {0};
    assert_int_equal(elf_read_modinfo(tree->host, "/nvidia.ko", &fields, &error), HOST_OK);
    assert_int_equal(fields.count, 2);
    assert_true(strlist_has(&fields, "version=570.86.15"));
    assert_true(strlist_has(&fields, "license=NVIDIA"));
    assert_int_equal(elf_read_modinfo(tree->host, "/x.o", &fields, &error), HOST_FAILED);
    assert_non_null(strstr(error.why, ".modinfo"));
    assert_int_equal(fields.count, 2);
}

static void compressed_modules_are_named(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *bytes;
        const char *how;
    } cases[] = {{"\xfd"
                  "7zXZ\0and more",
                  "xz"},
                 {"\x28\xb5\x2f\xfd and more", "zstd"},
                 {"\x1f\x8b and more", "gzip"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_STRLIST struct strlist fields = {0};
        AUTO_ERROR struct error error = {0};
        write_file(tree, "/nvidia.ko.x", cases[i].bytes, 12);
        assert_int_equal(elf_read_modinfo(tree->host, "/nvidia.ko.x", &fields, &error),
                         HOST_FAILED);
        assert_non_null(strstr(error.what, "compressed"));
        assert_non_null(strstr(error.why, cases[i].how));
    }
}

static void machines_have_names(void **state)
{
    (void)state;
    char buffer[24];
    assert_string_equal(elf_machine_name(EM_X86_64, 64, buffer), "x86_64");
    assert_string_equal(elf_machine_name(EM_AARCH64, 64, buffer), "aarch64");
    assert_string_equal(elf_machine_name(EM_386, 32, buffer), "i386");
    assert_string_equal(elf_machine_name(4242, 64, buffer), "machine 4242");
}

/* ---- against readelf ---- */

/* What readelf -d -n -V prints of one file, in the words of struct elf_info. */
static void keep_higher(char **highest, const char *line)
{
    const char *name = strstr(line, "Name: GLIBC_");
    struct version seen, best;
    if (name == NULL)
        return;
    AUTO_FREE char *number = mem_string(name + strlen("Name: GLIBC_"));
    number[strcspn(number, " ")] = '\0';
    if (!version_parse(number, &seen))
        return;
    if (*highest && version_parse(*highest, &best) && version_compare(&seen, &best) <= 0)
        return;
    free(*highest);
    *highest = mem_steal(&number);
}

static char *bracketed(const char *line, const char *label)
{
    const char *at = strstr(line, label);
    if (at == NULL)
        return NULL;
    at += strlen(label);
    const char *end = strrchr(at, ']');
    return end ? mem_string_n(at, (size_t)(end - at)) : NULL;
}

static void replace(char **field, char *value)
{
    if (value == NULL)
        return;
    free(*field);
    *field = value;
}

static bool readelf_says(const char *path, struct elf_info *info)
{
    AUTO_FREE char *command = mem_printf("LC_ALL=C readelf -W -d -n -V '%s' 2>/dev/null", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char line[65536];
    char **versions = NULL;
    while (fgets(line, sizeof(line), pipe) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (string_starts(line, "Version "))
            versions = string_starts(line, "Version needs")        ? &info->glibc_needed
                       : string_starts(line, "Version definition") ? &info->glibc_defined
                                                                   : NULL;
        if (versions != NULL)
            keep_higher(versions, line);
        replace(&info->soname, bracketed(line, "Library soname: ["));
        replace(&info->rpath, bracketed(line, "Library rpath: ["));
        replace(&info->runpath, bracketed(line, "Library runpath: ["));
        char *needed = bracketed(line, "Shared library: [");
        if (needed != NULL)
            strlist_take(&info->needed, needed);
        const char *id = strstr(line, "Build ID: ");
        if (id != NULL && info->build_id == NULL)
            info->build_id = mem_string(id + strlen("Build ID: "));
    }
    return pclose(pipe) == 0;
}

static void expect_same(const char *path, const char *field, const char *ours, const char *theirs)
{
    if (!string_equal(ours, theirs))
        fail_msg("%s: %s: %s, readelf: %s", path, field, ours ? ours : "none",
                 theirs ? theirs : "none");
}

static void compare_with_readelf(const struct host *host, const char *path)
{
    AUTO_ELF struct elf_info ours = {0};
    AUTO_ELF struct elf_info theirs = {0};
    AUTO_ERROR struct error error = {0};
    enum host_status status = elf_read(host, path, &ours, &error);
    if (status != HOST_OK && string_equal(error.what, "not an ELF file"))
        return; /* a linker script: readelf has nothing to say either */
    if (status != HOST_OK)
        fail_msg("%s: %s: %s", path, error.what, error.why);
    assert_true(readelf_says(path, &theirs));
    AUTO_FREE char *our_needed = strlist_join(&ours.needed, " ");
    AUTO_FREE char *their_needed = strlist_join(&theirs.needed, " ");
    expect_same(path, "needed", our_needed, their_needed);
    expect_same(path, "soname", ours.soname, theirs.soname);
    expect_same(path, "rpath", ours.rpath, theirs.rpath);
    expect_same(path, "runpath", ours.runpath, theirs.runpath);
    expect_same(path, "build id", ours.build_id, theirs.build_id);
    expect_same(path, "glibc needed", ours.glibc_needed, theirs.glibc_needed);
    expect_same(path, "glibc defined", ours.glibc_defined, theirs.glibc_defined);
}

/* Every step-th library of a directory; how many. */
static size_t compare_directory(const struct host *host, const char *directory, size_t step)
{
    DIR *dir = opendir(directory);
    AUTO_STRLIST struct strlist names = {0};
    if (dir == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_type == DT_REG && string_starts(entry->d_name, "lib") &&
            strstr(entry->d_name, ".so") != NULL)
            strlist_add(&names, entry->d_name);
    }
    closedir(dir);
    strlist_sort(&names);
    size_t compared = 0;
    for (size_t i = 0; i < names.count; i += step, compared++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, names.items[i]);
        compare_with_readelf(host, path);
    }
    return compared;
}

static void real_libraries_are_what_readelf_says(void **state)
{
    (void)state;
    if (system("readelf --version >/dev/null 2>&1") != 0) {
        print_message("no readelf: not compared\n");
        skip();
    }
    struct host *host = host_new("/", NULL);
    assert_non_null(host);
    size_t cuda = compare_directory(host, "/usr/local/cuda-13.0/targets/x86_64-linux/lib", 1);
    cuda += compare_directory(host, "/usr/local/cuda-13.0/lib", 1);
    size_t system_libraries = compare_directory(host, "/usr/lib/x86_64-linux-gnu", 12);
    system_libraries += compare_directory(host, "/usr/lib/aarch64-linux-gnu", 12);
    system_libraries += compare_directory(host, "/usr/lib64", 12);
    print_message("compared: %zu of CUDA, %zu of the system\n", cuda, system_libraries);
    AUTO_FREE char *self = realpath("/proc/self/exe", NULL);
    compare_with_readelf(host, self);
    host_free(host);
    assert_true(cuda + system_libraries > 0);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_files_are_read_in_both_byte_orders),
        cmocka_unit_test(wrong_places_are_named),
        cmocka_unit_test(shared_records_end),
        cmocka_unit_test(long_names_are_not_kept),
        IN_TREE(changed_and_cut_files_are_safe),
        IN_TREE(other_files_are_named_as_what_they_are),
        IN_TREE(objects_and_static_programs_have_no_dynamic_facts),
        IN_TREE(classes_of_32_bits_are_read),
        IN_TREE(long_runpath_is_whole),
        IN_TREE(sparse_files_cost_little_memory),
        IN_TREE(many_notes_cost_little_memory),
        IN_TREE(modinfo_is_read),
        IN_TREE(compressed_modules_are_named),
        cmocka_unit_test(machines_have_names),
        cmocka_unit_test(real_libraries_are_what_readelf_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
