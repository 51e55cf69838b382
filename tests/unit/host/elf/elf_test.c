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
#include "elf/made_elf.h"
#include "host/elf/elf.h"
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

static bool parse(const void *bytes, size_t size, struct elf_info *info, struct error *error)
{
    struct byte_source source = byte_source_memory(bytes, size);
    return elf_info_read(&source, info, error);
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
            if (!parse(whole.data, whole.size, &info, &error)) {
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
        if (parse(bytes, size, &info, NULL))
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
    expect_failed(
        tree, "/libcut.so", "not a valid ELF file",
        "truncated: program header table at 64 ends at 176, but the file has only 100 bytes");
    write_file(tree, "/libhead.so", made.bytes, 20);
    expect_failed(tree, "/libhead.so", "not a valid ELF file",
                  "truncated: the header has 64 bytes, but the file has only 20");
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
        IN_TREE(changed_and_cut_files_are_safe),
        IN_TREE(other_files_are_named_as_what_they_are),
        IN_TREE(objects_and_static_programs_have_no_dynamic_facts),
        IN_TREE(classes_of_32_bits_are_read),
        IN_TREE(long_runpath_is_whole),
        IN_TREE(sparse_files_cost_little_memory),
        IN_TREE(many_notes_cost_little_memory),
        IN_TREE(modinfo_is_read),
        IN_TREE(compressed_modules_are_named),
        cmocka_unit_test(real_libraries_are_what_readelf_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
