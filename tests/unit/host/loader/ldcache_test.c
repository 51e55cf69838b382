/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <elf.h>
#include <unistd.h>

#include "base/strlist.h"
#include "base/text.h"
#include "host/loader/ldcache.h"

/* What the fields of the two formats look like: see ldcache.c. */
struct made_entry {
    uint32_t flags, key, value, os;
    uint64_t hwcap;
};

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

static void append_u32(struct text *text, uint32_t value)
{
    text_append_n(text, (const char *)&value, sizeof(value));
}

/* A new-format cache with these entries and these bytes behind them. */
static void make_new(struct text *text, const struct made_entry *entries, uint32_t count,
                     const char *strings, size_t strings_size)
{
    text_append(text, "glibc-ld.so.cache1.1");
    append_u32(text, count);
    append_u32(text, (uint32_t)strings_size);
    append_u32(text, 2); /* little-endian */
    for (int i = 0; i < 4; i++)
        append_u32(text, 0);
    for (uint32_t i = 0; i < count; i++)
        text_append_n(text, (const char *)&entries[i], sizeof(entries[i]));
    text_append_n(text, strings, strings_size);
}

#define STRINGS      "libfoo.so.1\0/lib/libfoo.so.1"
#define STRINGS_SIZE sizeof(STRINGS)
#define AT(count)    (48 + (count)*24u)

static void made_entry_is_read(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    struct made_entry entry = {0x0303, AT(1), AT(1) + 12, 0, UINT64_C(1) << 62 | 1};
    make_new(&text, &entry, 1, STRINGS, STRINGS_SIZE);
    struct ldcache cache;
    assert_true(ldcache_parse(text.data, text.size, &cache, &error));
    assert_int_equal(cache.count, 1);
    assert_string_equal(cache.entries[0].soname, "libfoo.so.1");
    assert_string_equal(cache.entries[0].path, "/lib/libfoo.so.1");
    assert_int_equal(cache.entries[0].flags, 0x0303);
    assert_true(cache.entries[0].hwcap == (UINT64_C(1) << 62 | 1));
    ldcache_free(&cache);
    assert_null(cache.entries);
    ldcache_free(NULL);
}

/* Parses and expects a refusal that names a reason with these words. */
static void expect_refused(const struct text *text, const char *words)
{
    AUTO_ERROR struct error error = {0};
    struct ldcache cache;
    assert_false(ldcache_parse(text->data, text->size, &cache, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(error.why);
    if (strstr(error.why, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.why, words);
}

static void bad_offsets_are_refused(void **state)
{
    (void)state;
    const struct {
        struct made_entry entry;
        const char *words;
    } cases[] = {
        {{0x0303, 0xffffffff, AT(1), 0, 0}, "at byte 52: the name"},
        {{0x0303, AT(1) + STRINGS_SIZE, AT(1), 0, 0}, "at byte 52: the name"},
        {{0x0303, AT(1), 0xfffffff0, 0, 0}, "at byte 56: the path"},
        {{0x0303, AT(1), AT(1) + STRINGS_SIZE + 1, 0, 0}, "at byte 56: the path"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_TEXT struct text text = {0};
        make_new(&text, &cases[i].entry, 1, STRINGS, STRINGS_SIZE);
        expect_refused(&text, cases[i].words);
    }
}

static void unterminated_string_is_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct made_entry entry = {0x0303, AT(1), AT(1) + 12, 0, 0};
    make_new(&text, &entry, 1, STRINGS, STRINGS_SIZE - 1);
    expect_refused(&text, "does not end within the file");
}

static void bad_headers_are_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    make_new(&text, NULL, 0, STRINGS, STRINGS_SIZE);
    text.data[20] = 2; /* entries */
    expect_refused(&text, "at byte 20: more entries");
    memset(text.data + 20, 0xff, 4);
    expect_refused(&text, "at byte 20: more entries");
    memset(text.data + 20, 0, 4);
    text.data[28] = 3;
    expect_refused(&text, "byte order");
    text.data[28] = 1;
    expect_refused(&text, "invalid");
    text.data[28] = 0; /* as ldconfig wrote it before glibc 2.33 */
    struct ldcache cache;
    assert_true(ldcache_parse(text.data, text.size, &cache, NULL));
    ldcache_free(&cache);
    text.data[18] = '9';
    expect_refused(&text, "at byte 0");
    text_clear(&text);
    text_append_n(&text, "", 0);
    assert_false(ldcache_parse("", 0, &cache, NULL));
}

/* Every beginning of a cache is refused, or holds exactly what the whole one does. */
static void expect_safe_truncation(const struct text *whole)
{
    struct ldcache full, part;
    assert_true(ldcache_parse(whole->data, whole->size, &full, NULL));
    for (size_t size = 0; size < whole->size; size++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *bytes = mem_alloc(size + 1);
        memcpy(bytes, whole->data, size);
        if (!ldcache_parse(bytes, size, &part, &error)) {
            assert_int_equal(error.kind, ERROR_DATA);
            continue;
        }
        assert_int_equal(part.count, full.count);
        for (size_t i = 0; i < part.count; i++)
            assert_string_equal(part.entries[i].path, full.entries[i].path);
        ldcache_free(&part);
    }
    ldcache_free(&full);
}

static void truncation_is_safe(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct made_entry entries[2] = {{0x0303, AT(2), AT(2) + 12, 0, 0},
                                    {0x0003, AT(2), AT(2) + 12, 0, 0}};
    make_new(&text, entries, 2, STRINGS, STRINGS_SIZE);
    expect_safe_truncation(&text);
}

/* One line of `ldconfig -p`, "\tNAME (libc6,x86-64) => PATH", against an entry. */
static void expect_line(const char *line, const struct ldcache_entry *entry)
{
    AUTO_FREE char *start = mem_printf("\t%s (", entry->soname);
    AUTO_FREE char *end = mem_printf(" => %s", entry->path);
    if (!string_starts(line, start) || !string_ends(line, end))
        fail_msg("ldconfig: \"%s\", parsed: %s => %s", line, entry->soname, entry->path);
    assert_int_equal(strstr(line, "(libc6,x86-64") != NULL, (entry->flags & 0xff00) == 0x0300);
    assert_int_equal(strstr(line, "(libc6,AArch64") != NULL, (entry->flags & 0xff00) == 0x0a00);
    assert_int_equal(strstr(line, ", hwcap: ") != NULL, entry->hwcap != 0);
}

static bool have_ldconfig(void)
{
    return system("PATH=$PATH:/sbin:/usr/sbin ldconfig --version >/dev/null 2>&1") == 0;
}

/* The cache in file against what ldconfig prints of it, entry by entry; how many there were. */
static size_t compare_with_ldconfig(const char *path)
{
    AUTO_TEXT struct text content = {0};
    AUTO_TEXT struct text printed = {0};
    assert_true(slurp(path, &content));
    AUTO_FREE char *command =
        mem_printf("PATH=$PATH:/sbin:/usr/sbin LC_ALL=C ldconfig -p -C '%s'", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
        text_append_n(&printed, buffer, got);
    assert_int_equal(pclose(pipe), 0);
    struct ldcache cache;
    assert_true(ldcache_parse(content.data, content.size, &cache, NULL));
    char *cursor = printed.data;
    string_next_line(&cursor); /* "N libs found in cache" */
    for (size_t i = 0; i < cache.count; i++)
        expect_line(string_next_line(&cursor), &cache.entries[i]);
    size_t count = cache.count;
    char *rest = string_next_line(&cursor);
    assert_true(rest == NULL || string_starts(rest, "Cache generated by"));
    ldcache_free(&cache);
    return count;
}

static void real_cache_is_what_ldconfig_says(void **state)
{
    (void)state;
    if (!have_ldconfig() || access("/etc/ld.so.cache", R_OK) != 0) {
        print_message("no ldconfig, or no /etc/ld.so.cache: not compared\n");
        skip();
    }
    assert_true(compare_with_ldconfig("/etc/ld.so.cache") > 0);
}

/* A root with two libraries, one of them also in a glibc-hwcaps subdirectory. */
static void make_root(const char *root)
{
    AUTO_FREE char *command =
        mem_printf("set -e; cd '%s'; mkdir -p etc lib/glibc-hwcaps/x86-64-v3 opt/x; "
                   "echo /opt/x > etc/ld.so.conf; echo 'int f(void); int f(void){return 1;}' > f.c;"
                   "cc -shared -fPIC -o lib/libone.so.1 -Wl,-soname,libone.so.1 f.c;"
                   "cc -shared -fPIC -o opt/x/libtwo.so.2 -Wl,-soname,libtwo.so.2 f.c;"
                   "cp lib/libone.so.1 lib/glibc-hwcaps/x86-64-v3/",
                   root);
    assert_int_equal(system(command), 0);
}

static void made_caches_are_what_ldconfig_says(void **state)
{
    const char *root = *state;
    if (!have_ldconfig()) {
        print_message("no ldconfig: no caches made\n");
        skip();
    }
    make_root(root);
    static const char *const formats[] = {"old", "new", "compat"};
    AUTO_FREE char *cache = mem_printf("%s/etc/ld.so.cache", root);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        AUTO_FREE char *command =
            mem_printf("PATH=$PATH:/sbin:/usr/sbin ldconfig -X -r '%s' -c %s >/dev/null 2>&1", root,
                       formats[i]);
        assert_int_equal(system(command), 0);
        AUTO_TEXT struct text content = {0};
        size_t count = compare_with_ldconfig(cache);
        print_message("%s: %zu entries\n", formats[i], count);
        assert_true(count >= 2);
        assert_true(slurp(cache, &content));
        expect_safe_truncation(&content);
    }
}

static int make_directory(void **state)
{
    *state = mem_string("/tmp/gpuenv-ldcache-XXXXXX");
    return mkdtemp(*state) == NULL;
}

static int remove_directory(void **state)
{
    AUTO_FREE char *command = mem_printf("rm -rf '%s'", (const char *)*state);
    free(*state);
    return system(command);
}

static void entries_fit_their_machine(void **state)
{
    (void)state;
    const struct {
        int32_t flags;
        uint16_t machine;
        unsigned bits;
        bool fits;
    } cases[] = {
        {0x0303, EM_X86_64, 64, true},  {0x0303, EM_386, 32, false},
        {0x0303, EM_X86_64, 32, false}, {0x0803, EM_X86_64, 32, true},
        {0x0003, EM_386, 32, true},     {0x0003, EM_X86_64, 64, false},
        {0x0a03, EM_AARCH64, 64, true}, {0x0a03, EM_X86_64, 64, false},
        {0x0903, EM_ARM, 32, true},     {0x0503, EM_PPC64, 64, true},
        {0x0300, EM_X86_64, 64, false}, {0x0303, EM_AARCH64, 64, false},
        {0x0303, EM_NONE, 0, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ldcache_entry entry = {.flags = cases[i].flags};
        assert_int_equal(ldcache_entry_fits(&entry, cases[i].machine, cases[i].bits),
                         cases[i].fits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_entry_is_read),
        cmocka_unit_test(bad_offsets_are_refused),
        cmocka_unit_test(unterminated_string_is_refused),
        cmocka_unit_test(bad_headers_are_refused),
        cmocka_unit_test(truncation_is_safe),
        cmocka_unit_test(real_cache_is_what_ldconfig_says),
        cmocka_unit_test_setup_teardown(made_caches_are_what_ldconfig_says, make_directory,
                                        remove_directory),
        cmocka_unit_test(entries_fit_their_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
