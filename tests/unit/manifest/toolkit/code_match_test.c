/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/strlist.h"
#include "base/version.h"
#include "manifest/manifest.h"
#include "manifest/toolkit/code_match.h"

static struct version version(const char *text)
{
    struct version value;
    assert_true(version_parse(text, &value));
    return value;
}

typedef enum code_match match_list(struct manifest *manifest, const struct strlist *list,
                                   const struct version *gpu);

/* items are separated by blanks. */
static enum code_match ask(match_list *match, const char *items, const char *gpu)
{
    AUTO_STRLIST struct strlist list = {0};
    struct version capability = version(gpu);
    struct manifest *manifest = manifest_new();
    strlist_split(&list, items, ' ');
    enum code_match found = match(manifest, &list, &capability);
    manifest_free(manifest);
    return found;
}

struct question {
    const char *items, *gpu;
    enum code_match match;
};

static void test_machine_code(void **state)
{
    (void)state;
    static const struct question rows[] = {
        {"7.0 8.0", "8.6", CODE_MATCH_YES}, {"sm_70 sm_80", "8.6", CODE_MATCH_YES},
        {"8.6", "8.0", CODE_MATCH_NO},      {"8.0", "9.0", CODE_MATCH_NO},
        {"9.0a", "9.0", CODE_MATCH_YES},    {"sm_100a", "10.3", CODE_MATCH_NO},
        {"sm_120", "12.0", CODE_MATCH_YES}, {"sm_ compute_x sm_9 nine", "9.0", CODE_MATCH_NO},
        {"", "9.0", CODE_MATCH_NO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ask(code_list_match_machine, rows[i].items, rows[i].gpu), rows[i].match);
    assert_int_equal(
        code_list_match_machine(NULL, NULL, &(struct version){.part = {9}, .count = 2}),
        CODE_MATCH_NO);
}

/* By the manifest: families, Thor's two numbers, and what is not promised. */
static void test_listed(void **state)
{
    (void)state;
    static const struct question rows[] = {
        {"sm_100f", "10.3", CODE_MATCH_YES},    /* of its family */
        {"sm_100f", "10.1", CODE_MATCH_NO},     /* a family of its own */
        {"sm_120f", "12.9", CODE_MATCH_UNSURE}, /* a GPU that is not listed */
        {"sm_101", "11.0", CODE_MATCH_UNSURE},  /* one chip */
        {"sm_101a", "11.0", CODE_MATCH_UNSURE},
        {"sm_86", "8.7", CODE_MATCH_UNSURE}, /* integrated */
        {"sm_86 sm_87", "8.7", CODE_MATCH_YES},
        {"sm_87", "8.9", CODE_MATCH_UNSURE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ask(code_list_match_machine, rows[i].items, rows[i].gpu), rows[i].match);
}

static void test_ptx(void **state)
{
    (void)state;
    static const struct question rows[] = {
        {"compute_80", "12.0", CODE_MATCH_YES}, {"compute_80", "8.7", CODE_MATCH_YES},
        {"compute_90", "8.6", CODE_MATCH_NO},   {"compute_90a", "10.0", CODE_MATCH_NO},
        {"10.0f", "10.3", CODE_MATCH_YES},      {"10.0f", "12.0", CODE_MATCH_NO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ask(code_list_match_ptx, rows[i].items, rows[i].gpu), rows[i].match);
}

static void test_own_capability(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    struct version orin = version("8.7");
    strlist_split(&list, "sm_80 sm_86", ' ');
    assert_false(code_list_has(&list, &orin));
    strlist_add(&list, "sm_87");
    assert_true(code_list_has(&list, &orin));
    assert_false(code_list_has(NULL, &orin));
}

static void test_bounds(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    struct version low, high;
    assert_false(code_list_bounds(&list, &low, &high));
    strlist_split(&list, "sm_80 sm_120 sm_75 word", ' ');
    assert_true(code_list_bounds(&list, &low, &high));
    assert_int_equal(low.part[0] * 10 + low.part[1], 75);
    assert_int_equal(high.part[0] * 10 + high.part[1], 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_code), cmocka_unit_test(test_listed),
        cmocka_unit_test(test_ptx),          cmocka_unit_test(test_own_capability),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
