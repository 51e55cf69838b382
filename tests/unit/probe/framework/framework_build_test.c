/* SPDX-License-Identifier: MIT */
/* What a framework is built for where its wheels do not say it: what is known of the release. */
#include "test.h"

#include "probe/cuda_tree.h"

#define ENV  "/opt/venv"
#define SITE ENV "/lib/python3.12/site-packages"

/* What the manifest would say: 11.8 of a release 3, and nothing of any other. */
static bool built_for(void *data, const char *framework, const struct version *release,
                      struct version *ret_cuda)
{
    (void)data;
    *ret_cuda = (struct version){.part = {11, 8}, .count = 2};
    return string_equal(framework, "ctranslate2") && release->part[0] == 3;
}

static const char *no_soname(void *data, const char *library, const struct version *cuda)
{
    (void)data;
    (void)library;
    (void)cuda;
    return NULL;
}

static const struct probe_knowledge known = {.soname = no_soname, .built_for = built_for};

static void look(const struct tree *tree, const struct probe_knowledge *knowledge)
{
    const struct probe_context context = {
        .host = tree->host, .loader = tree->loader, .knowledge = knowledge};
    probe_python(&context, tree->facts);
}

static struct tree *environment_new(void)
{
    struct tree *tree = tree_new();
    tree_file(tree, ENV "/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.4\n");
    tree->loader = loader_new(tree->host);
    return tree;
}

static struct tree *with_wheel(const char *package, const struct probe_knowledge *knowledge)
{
    struct tree *tree = environment_new();
    AUTO_FREE char *metadata = mem_printf(SITE "/%s.dist-info/METADATA", package);
    tree_file(tree, metadata, "Metadata-Version: 2.1\n");
    look(tree, knowledge);
    return tree;
}

static void a_wheel_is_of_what_is_known(void **state)
{
    (void)state;
    struct tree *tree = with_wheel("ctranslate2-3.24.0", &known);
    assert_fact(tree->facts, "framework/0", "name", "ctranslate2");
    assert_fact(tree->facts, "framework/0", "accelerator", "cuda");
    assert_fact(tree->facts, "framework/0", "cuda", "11.8");
    assert_string_equal(facts_get(tree->facts, "framework/0", "cuda")->source,
                        SITE "/ctranslate2-3.24.0.dist-info");
    tree_free(tree);
}

static void what_is_not_known_is_not_guessed(void **state)
{
    (void)state;
    struct tree *newer = with_wheel("ctranslate2-5.0.0", &known);
    assert_fact(newer->facts, "framework/0", "accelerator", "cuda");
    assert_null(facts_string(newer->facts, "framework/0", "cuda"));
    tree_free(newer);
    struct tree *untold = with_wheel("ctranslate2-3.24.0", NULL);
    assert_null(facts_string(untold->facts, "framework/0", "cuda"));
    tree_free(untold);
}

/* Conda's build string says it, or nothing does: its packages are no wheels. */
static void a_package_of_conda_is_no_wheel(void **state)
{
    (void)state;
    struct tree *tree = environment_new();
    tree_file(tree, "/opt/conda/lib/python3.12/site-packages/ctranslate2-3.24.0.dist-info/METADATA",
              "Metadata-Version: 2.1\n");
    tree_file(tree, "/opt/conda/conda-meta/ctranslate2-3.24.0-py312h0_0.json", "{}");
    look(tree, &known);
    assert_fact(tree->facts, "framework/0", "name", "ctranslate2");
    assert_null(facts_string(tree->facts, "framework/0", "cuda"));
    tree_free(tree);
}

/* What it is linked to goes before what is known of its release. */
static void its_own_library_goes_first(void **state)
{
    (void)state;
    struct tree *tree = environment_new();
    tree_file(tree, SITE "/ctranslate2-3.24.0.dist-info/METADATA", "Metadata-Version: 2.1\n");
    tree_library(tree, SITE "/ctranslate2.libs/libctranslate2-ec1e0bd3.so.3.24.0",
                 "libctranslate2-ec1e0bd3.so.3.24.0", "libcublas.so.12", NULL);
    look(tree, &known);
    assert_fact(tree->facts, "framework/0", "cuda", "12");
    tree_free(tree);
}

/* Before CUDA 11, libraries had the number of CUDA's minor version. */
static void old_libraries_name_the_minor(void **state)
{
    static const char *const sonames[][2] = {
        {"libcudart.so.10.0", "10.0"}, {"libcublas.so.10", "10"}, {"libcudart.so.11.0", "11"}};
    (void)state;
    for (size_t i = 0; i < sizeof(sonames) / sizeof(*sonames); i++) {
        struct tree *tree = environment_new();
        tree_file(tree, SITE "/tensorflow_gpu-1.13.1.dist-info/METADATA", "Name: tensorflow\n");
        tree_library(tree, SITE "/tensorflow/python/_pywrap_tensorflow_internal.so",
                     "_pywrap_tensorflow_internal.so", sonames[i][0], NULL);
        look(tree, &known);
        assert_fact(tree->facts, "framework/0", "accelerator", "cuda");
        assert_fact(tree->facts, "framework/0", "cuda", sonames[i][1]);
        tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wheel_is_of_what_is_known),
        cmocka_unit_test(what_is_not_known_is_not_guessed),
        cmocka_unit_test(a_package_of_conda_is_no_wheel),
        cmocka_unit_test(its_own_library_goes_first),
        cmocka_unit_test(old_libraries_name_the_minor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
