/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "code/code.h"

static bool read_string(const char *text, struct code_listing *listing, struct error *error)
{
    struct byte_source source = byte_source_memory(text, strlen(text));
    return code_read(&source, listing, error);
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *wanted;
        unsigned major, minor;
    } rows[] = {
        {".version 8.4\n.target sm_90a\n.address_size 64\n", "compute_90a", 8, 4},
        {"// a comment\n/* another\n*/\r\n .version\t9.0 // x\n/**/.target sm_100f, debug\n",
         "compute_100f", 9, 0},
        {".version 3.2 .target sm_20,texmode_independent", "compute_20", 3, 2},
        {".version 7.0\n.target compute_75\n", "compute_75", 7, 0},
        {".version 1.4\n.target sm_13, map_f64_to_f32", "compute_13", 1, 4},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_CODE_LISTING struct code_listing listing = {0};
        assert_true(read_string(rows[i].text, &listing, NULL));
        assert_int_equal(listing.file, CODE_FILE_PTX);
        assert_int_equal(listing.count, 1);
        char name[CODE_NAME_SIZE];
        code_architecture_name(&listing.entries[0], name);
        assert_string_equal(name, rows[i].wanted);
        assert_int_equal(listing.entries[0].ptx_major, rows[i].major);
        assert_int_equal(listing.entries[0].ptx_minor, rows[i].minor);
        assert_int_equal(listing.cuda_major, 0);
    }
}

static void test_toolkit(void **state)
{
    (void)state;
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_true(read_string("//\n// Compiler Build ID: CL-1\n"
                            "// Cuda compilation tools, release 12.4, V12.4.131\n//\n"
                            ".version 8.4\n.target sm_90\n",
                            &listing, NULL));
    assert_string_equal(listing.toolkit, "Cuda compilation tools, release 12.4, V12.4.131");
    assert_int_equal(listing.cuda_major, 12);
    assert_int_equal(listing.cuda_minor, 4);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {".version x\n", "offset 0x9: no number after .version"},
        {".version 8\n", "offset 0xa: no number after .version"},
        {".version 8.4\n", "offset 0xd: no .target with an architecture after .version"},
        {".version 8.4\n.target gfx906",
         "offset 0x15: no .target with an architecture after .version"},
        {".version 8.4\n.target sm_",
         "offset 0x18: no .target with an architecture after .version"},
        {".version 8.4\n.target sm_90x",
         "offset 0x1a: no .target with an architecture after .version"},
        {".version 8.4\n/* no end", "offset 0xd: no .target with an architecture after .version"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        assert_false(read_string(rows[i].text, &listing, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.why, rows[i].why);
    }
}

/* Text that only looks a little like PTX is no container, and not refused. */
static void test_other_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        ".",
        ".versions 1.0",
        "int main(void) { return 0; }",
        "// .version 8.4",
        "/* .version 8.4",
        "\177EL",
        "!<arch",
        "PK\3",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_CODE_LISTING struct code_listing listing = {0};
        assert_true(read_string(texts[i], &listing, NULL));
        assert_int_equal(listing.file, CODE_FILE_OTHER);
        assert_int_equal(listing.count, 0);
    }
}

static void test_zip_is_known(void **state)
{
    (void)state;
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_true(read_string("PK\3\4 and so on", &listing, NULL));
    assert_int_equal(listing.file, CODE_FILE_ZIP);
}

/* A comment of any length may stand before; the directives are looked for in the first 64 KiB. */
static void test_long_comment(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    text_append(&text, ".version 8.4 //");
    while (text.size < 70000)
        text_append(&text, "xxxxxxxxxxxxxxxx");
    text_append(&text, "\n.target sm_90\n");
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_false(read_string(text.data, &listing, &error));
    memset(text.data + 4000, '\n', 65536 - 4000);
    memcpy(text.data + 60000, ".target sm_90", 13);
    assert_true(read_string(text.data, &listing, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),      cmocka_unit_test(test_toolkit),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_other_text),
        cmocka_unit_test(test_zip_is_known), cmocka_unit_test(test_long_comment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
