/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "resolve/support.h"

static int setup(void **state)
{
    *state = manifest_new();
    return 0;
}

static int teardown(void **state)
{
    manifest_free(*state);
    return 0;
}

static void assert_version(const struct manifest_cudnn *cudnn, const char *text)
{
    char buffer[VERSION_TEXT_SIZE];
    if (text == NULL)
        assert_null(cudnn);
    else
        assert_string_equal(version_text(&cudnn->version, 0, buffer), text);
}

/* Rows of manifests/cudnn.json: 9.10.2 is the last for Maxwell to Volta, 9.11.0 dropped them; from
 * 9.23 on no floor is known; 10.7 (Rubin) came with CUDA 13.4, which no matrix names. */
static void test_cudnn(void **state)
{
    static const struct {
        const char *capability, *last, *dropped, *row;
    } cases[] = {
        {"3.5", "8.5.0", "8.9.0", "cudnn/8.5.0+cuda11"},
        {"5.2", "9.10.2", "9.11.0", "cudnn/9.10.2+cuda11"},
        {"7.0", "9.10.2", "9.11.0", "cudnn/9.10.2+cuda11"},
        {"7.5", "9.22.0", NULL, "cudnn/9.22.0+cuda12"},
        {"9.0", "9.22.0", NULL, "cudnn/9.22.0+cuda12"},
        {"12.0", "9.22.0", NULL, "cudnn/9.22.0+cuda13"},
        {"10.7", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version capability;
        assert_true(version_parse(cases[i].capability, &capability));
        const struct manifest_capability *row = manifest_capability_find(*state, &capability);
        assert_non_null(row);
        struct support_cudnn cudnn = support_cudnn(*state, row);
        assert_version(cudnn.last, cases[i].last);
        assert_version(cudnn.dropped, cases[i].dropped);
        assert_non_null(cudnn.newest);
        assert_null(cudnn.newest->stage);
        assert_true(cudnn.last == NULL ||
                    version_compare(&cudnn.newest->version, &cudnn.last->version) >= 0);
        assert_true(string_equal(cudnn.row ? cudnn.row->id : NULL, cases[i].row));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cudnn, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
