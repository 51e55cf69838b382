/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"
#include "install/ledger/ledger.h"

#define SHA "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
static const char small[] =
    "{\n  \"schema\": 1,\n  \"gpuenv\": \"0.1.0\",\n  \"products\": [\n"
    "    {\"product\":\"cuda\",\"version\":\"12.8.1\",\"spec\":\"cuda@12.8\",\"profile\":\"build\","
    "\"pin\":\"file\",\"catalog\":\"" SHA "\",\"accepted\":\"2026-11-21\",\"components\":["
    "{\"name\":\"cuda_nvcc\",\"version\":\"12.8.93\",\"platform\":\"linux-x86_64\","
    "\"archive\":\"compute/cuda/redist/cuda_nvcc/a.tar.xz\",\"size\":9000000000,\"sha256\":\"" SHA
    "\",\"licence\":\"CUDA Toolkit\"}]}\n  ],\n  \"files\": [\n"
    "    {\"path\":\"bin\",\"type\":\"directory\",\"mode\":\"0755\",\"owners\":[\"gpuenv\"]},\n"
    "    {\"path\":\"bin/nvcc\",\"type\":\"file\",\"mode\":\"0755\",\"size\":0,\"sha256\":\"" SHA
    "\",\"owners\":[\"cuda/cuda_nvcc\",\"cuda/cuda_x\"]},\n"
    "    {\"path\":\"lib64\",\"type\":\"link\",\"target\":\"lib\",\"owners\":[\"gpuenv\"]}\n  "
    "]\n}\n";

static void test_what_is_written_is_what_was_read(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    AUTO_TEXT struct text text = {0};
    if (!ledger_parse(small, strlen(small), "L", &ledger, &error))
        fail_msg("%s: %s", error.where, error.why);
    assert_int_equal(ledger.products[0].components[0].size, 9000000000);
    assert_int_equal(ledger_find(&ledger, "bin/nvcc")->mode, 0755);
    assert_int_equal(ledger_find(&ledger, "lib64")->type, LEDGER_LINK);
    assert_null(ledger_find(&ledger, "bin/nvc"));
    ledger_append(&ledger, &text);
    assert_string_equal(text_string(&text), small);
    struct ledger empty = {.gpuenv = NULL};
    assert_null(ledger_find(&empty, "bin"));
}

static void test_every_truncation_is_an_error(void **state)
{
    (void)state;
    for (size_t size = 0; size < strlen(small) - 2; size++) {
        AUTO_ERROR struct error error = {0};
        AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
        assert_false(ledger_parse(small, size, "L", &ledger, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_true(string_starts(error.where, "L"));
    }
}

/* old is replaced by new, once. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *where, *why;
    } cases[] = {
        {"\"schema\": 1", "\"schema\": 2", "L: schema", "newer gpuenv"},
        {"\"schema\": 1", "\"schema\": 0", "L: schema", "expected 1"},
        {"\"pin\":\"file\"", "\"pin\":\"fille\"", "L: products[0].pin",
         "expected one of file, content, none"},
        {"\"profile\":\"build\"", "\"profile\":\"built\"", "L: products[0].profile",
         "expected one of full, runtime, build"},
        {"\"gpuenv\": \"0.1.0\"", "\"gpuenv\": \"\"", "L: gpuenv", "a non-empty string"},
        {"\"gpuenv\"", "\"colour\"", "L: colour", "no such key"},
        {"\"spec\"", "\"spek\"", "L: products[0].spek", "no such key"},
        {"\"size\":9000000000", "\"size\":\"9\"", "L: products[0].components[0].size",
         "a whole number"},
        {"\"size\":9000000000", "\"size\":-1", "L: products[0].components[0].size", "a whole"},
        {"\"path\":\"bin/nvcc\"", "\"path\":\"bin/../../nvcc\"", "L: files[1]", "below the prefix"},
        {"\"path\":\"bin/nvcc\"", "\"path\":\"/etc/passwd\"", "L: files[1]", "below the prefix"},
        {"\"path\":\"bin/nvcc\"", "\"path\":\"a\"", "L: files[1]", "ascending order"},
        {"\"path\":\"bin/nvcc\"", "\"path\":\"bin\"", "L: files[1]", "without duplicates"},
        {"\"mode\":\"0755\",\"size\"", "\"mode\":\"4755\",\"size\"", "L: files[1].mode", "a mode"},
        {"\"mode\":\"0755\",\"size\"", "\"size\"", "L: files[1]", "a mode"},
        {"\"type\":\"file\"", "\"type\":\"fifo\"", "L: files[1].type",
         "one of file, directory, link"},
        {"\"type\":\"file\"", "\"type\":\"link\"", "L: files[1]", "a target for a link"},
        {",\"target\":\"lib\"", "", "L: files[2]", "a target for a link"},
        {",\"size\":0", "", "L: files[1]", "size and sha256"},
        {"\"owners\":[\"gpuenv\"]},\n    {\"path\":\"bin/", "\"owners\":[]},\n    {\"path\":\"bin/",
         "L: files[0]", "one or more owners"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
        const char *at = strstr(small, cases[i].old);
        assert_non_null(at);
        AUTO_FREE char *text = mem_printf("%.*s%s%s", (int)(at - small), small, cases[i].new,
                                          at + strlen(cases[i].old));
        if (ledger_parse(text, strlen(text), "L", &ledger, &error))
            fail_msg("taken: %s", cases[i].new);
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.where, cases[i].where);
        if (strstr(error.why, cases[i].why) == NULL)
            fail_msg("%s: %s", error.where, error.why);
    }
}

/* What a product was before, and in a pending one what is not to stay. */
#define COMPONENTS                                                                                 \
    "\"components\":[{\"name\":\"c\",\"platform\":\"linux-x86_64\",\"archive\":\"a\",\"size\":1,"  \
    "\"sha256\":\"" SHA "\"}]"
#define CUDNN(version)                                                                             \
    "{\"product\":\"cudnn\",\"version\":\"" version                                                \
    "\",\"variant\":\"cuda12\",\"spec\":\"cudnn\",\"profile\":\"full\",\"wishes\":[\"x\"],"        \
    "\"pin\":\"content\",\"catalog\":\"" SHA "\",\"accepted\":\"2026-11-21\"," COMPONENTS
#define PENDING(remove, previous)                                                                  \
    "{\n  \"schema\": 1,\n  \"gpuenv\": \"0.1.0\",\n" remove                                       \
    "  \"products\": [\n    " CUDNN("9.10.2") ",\"previous\":[" previous                           \
                                              "]}\n  ],\n  \"files\": [\n  ]\n}\n"
#define REMOVE  "  \"remove\": [\n    \"include/a.h\",\n    \"include/b.h\"\n  ],\n"
#define EARLIER CUDNN("9.8.0") ",\"change\":1}"

static void test_previous_and_remove(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    AUTO_TEXT struct text text = {0};
    static const char whole[] = PENDING(REMOVE, EARLIER);
    if (!ledger_parse(whole, strlen(whole), "L", &ledger, &error))
        fail_msg("%s: %s", error.where, error.why);
    assert_int_equal(ledger.remove.count, 2);
    assert_int_equal(ledger.products[0].previous_count, 1);
    assert_string_equal(ledger.products[0].previous[0].version, "9.8.0");
    assert_int_equal(ledger_last_change(&ledger), 1);
    ledger_append(&ledger, &text);
    assert_string_equal(text_string(&text), whole);
}

static void test_previous_is_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *why;
    } cases[] = {
        {PENDING("", CUDNN("9.8.0") "}"), "L: products[0].previous[0].change", "a whole number"},
        {PENDING("", CUDNN("9.8.0") ",\"change\":0}"), "L: products[0].previous[0]",
         "a change to the same product"},
        {PENDING("", CUDNN("9.8.0") ",\"change\":1,\"previous\":[]}"),
         "L: products[0].previous[0].previous", "no such key"},
        {PENDING("", EARLIER "," EARLIER "," EARLIER "," EARLIER "," EARLIER), "L: products[0]",
         "fewer previous"},
        {PENDING("  \"remove\": [\"/etc/passwd\"],\n", EARLIER), "L: remove", "below the prefix"},
        {PENDING("  \"remove\": [\"a/../../b\"],\n", EARLIER), "L: remove", "below the prefix"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
        if (ledger_parse(cases[i].text, strlen(cases[i].text), "L", &ledger, &error))
            fail_msg("taken: %zu", i);
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.where, cases[i].where);
        if (strstr(error.why, cases[i].why) == NULL)
            fail_msg("%s: %s", error.where, error.why);
    }
}

/* All of a toolkit and more. */
static void test_forty_thousand_files(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_LEDGER struct ledger ledger = {.gpuenv = mem_string("0.1.0")};
    AUTO_LEDGER struct ledger again = {.gpuenv = NULL};
    AUTO_TEXT struct text text = {0};
    for (unsigned i = 0; i < 40000; i++) {
        struct ledger_file *file = vec_push(ledger.files, ledger.file_count, ledger.file_capacity);
        file->path = mem_printf("include/%05u.h", i);
        file->mode = 0644;
        strlist_add(&file->owners, "cuda/cccl");
    }
    ledger_append(&ledger, &text);
    if (!ledger_parse(text_string(&text), text.size, "L", &again, &error))
        fail_msg("%s: %s", error.what, error.where);
    assert_int_equal(again.file_count, 40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_what_was_read),
        cmocka_unit_test(test_every_truncation_is_an_error),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_previous_and_remove),
        cmocka_unit_test(test_previous_is_read_strictly),
        cmocka_unit_test(test_forty_thousand_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
