/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "manifest/manifest.h"
#include "manifest/versions/capability.h"
#include "resolve/support/support.h"

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
 * 8.6 to 8.8 no floor is known; 10.7 (Rubin) is named by 9.25. */
static void test_cudnn(void **state)
{
    static const struct {
        const char *capability, *last, *unknown, *dropped, *row;
    } cases[] = {
        {"3.5", "8.5.0", "8.6.0", "8.9.0", "cudnn/8.5.0+cuda11"},
        {"5.2", "9.10.2", NULL, "9.11.0", "cudnn/9.10.2+cuda11"},
        {"7.0", "9.10.2", NULL, "9.11.0", "cudnn/9.10.2+cuda11"},
        {"7.5", "9.28.1", NULL, NULL, "cudnn/9.28.1+cuda13"},
        {"9.0", "9.28.1", NULL, NULL, "cudnn/9.28.1+cuda13"},
        {"12.0", "9.28.1", NULL, NULL, "cudnn/9.28.1+cuda13"},
        {"10.7", "9.25.1", "9.26.0", NULL, "cudnn/9.25.1+cuda13.4:10.7"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version capability;
        assert_true(version_parse(cases[i].capability, &capability));
        const struct manifest_capability *row = manifest_capability_find(*state, &capability);
        assert_non_null(row);
        struct support_cudnn cudnn = support_cudnn(*state, row);
        assert_version(cudnn.last, cases[i].last);
        assert_version(cudnn.unknown, cases[i].unknown);
        assert_version(cudnn.dropped, cases[i].dropped);
        assert_non_null(cudnn.newest);
        assert_null(cudnn.newest->stage);
        assert_true(cudnn.last == NULL ||
                    version_compare(&cudnn.newest->version, &cudnn.last->version) >= 0);
        assert_true(string_equal(cudnn.row ? cudnn.row->id : NULL, cases[i].row));
    }
}

static const struct support_framework *framework_of(const struct support_frameworks *frameworks,
                                                    const char *name)
{
    for (size_t i = 0; i < frameworks->count; i++)
        if (string_equal(frameworks->items[i].framework->framework, name))
            return &frameworks->items[i];
    fail_msg("no framework %s", name);
    return NULL;
}

/* Rows of manifests/framework.json. Only releases that no longer change are named. */
static void test_frameworks(void **state)
{
    static const struct {
        const char *capability, *framework, *row, *machine;
        enum { SASS, PTX, DOCUMENTED } code;
    } cases[] = {
        {"3.7", "pytorch", "framework/pytorch-2.7.1+cu118", "x86_64", SASS},
        {"3.7", "mxnet", "framework/mxnet-1.9.1+cu100", "x86_64", SASS},
        /* the last for CUDA 11 has code for 3.5 */
        {"3.7", "tensorflow", "framework/tensorflow-2.14.1", "x86_64", SASS},
        {"7.0", "mxnet", "framework/mxnet-1.9.1+cu100", "x86_64", SASS},
        {"8.0", "caffe", "framework/caffe-1.0", "x86_64", PTX},
        {"12.0", "mxnet", NULL, NULL, SASS},
        /* Jetson: code and PTX of builds for x86_64 say nothing */
        {"5.3", "pytorch", NULL, NULL, SASS},
        {"8.7", "jax", NULL, NULL, SASS},
        {"2.0", "pytorch", NULL, NULL, SASS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version capability;
        struct support_frameworks frameworks = {0};
        assert_true(version_parse(cases[i].capability, &capability));
        support_frameworks_of(*state, &capability, &frameworks);
        const struct support_framework *found = framework_of(&frameworks, cases[i].framework);
        assert_true(string_equal(found->build ? found->build->id : NULL, cases[i].row));
        assert_true(string_equal(found->machine, cases[i].machine));
        assert_int_equal(found->ptx, cases[i].code == PTX);
        assert_int_equal(found->documented, cases[i].code == DOCUMENTED);
        assert_non_null(found->newest);
        support_frameworks_free(&frameworks);
    }
}

/* Thor is on aarch64 alone; V100 has code in a build for CUDA 12 and in none for 13. */
static void test_framework_builds(void **state)
{
    const struct version thor = {.part = {11, 0}, .count = 2};
    const struct version volta = {.part = {7, 0}, .count = 2};
    struct support_frameworks of_thor = {0};
    struct support_frameworks of_volta = {0};
    support_frameworks_of(*state, &thor, &of_thor);
    support_frameworks_of(*state, &volta, &of_volta);
    assert_string_equal(framework_of(&of_thor, "pytorch")->machine, "aarch64");
    assert_int_equal(framework_of(&of_volta, "pytorch")->build->cuda.part[0], 12);
    assert_int_equal(framework_of(&of_volta, "jax")->build->cuda.part[0], 12);
    support_frameworks_free(&of_thor);
    support_frameworks_free(&of_volta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cudnn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_frameworks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_framework_builds, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
