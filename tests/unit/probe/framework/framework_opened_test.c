/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "probe/cuda_tree.h"

#define SITE  "/opt/venv/lib/python3.12/site-packages"
#define CUDNN SITE "/nvidia/cudnn/lib"

/* What the manifest would say: two libraries of a major 9, and of no other. */
static const struct strlist *find_cudnn(void *data, unsigned major)
{
    static char program[] = "libcudnn.so.9", part[] = "libcudnn_ops.so.9";
    static char *items[] = {program, part};
    static const struct strlist parts = {.items = items, .count = 2};
    (void)data;
    return major == 9 ? &parts : NULL;
}

static const char *find_none(void *data, const char *library, const struct version *cuda)
{
    (void)data;
    (void)library;
    (void)cuda;
    return NULL;
}

/* A PyTorch that is linked to the cuDNN of that name, which lies where its RUNPATH leads. */
static struct tree *torch_with(const char *cudnn, const struct probe_knowledge *knowledge)
{
    struct tree *tree = tree_new();
    AUTO_FREE char *path = mem_printf(CUDNN "/%s", cudnn);
    tree_file(tree, "/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.4\n");
    tree_file(tree, SITE "/torch-2.5.1.dist-info/METADATA", "Metadata-Version: 2.1\n");
    tree_file(tree, SITE "/torch/version.py", "cuda = '12.4'\nhip = None\n");
    tree_library(tree, SITE "/torch/lib/libtorch_cuda.so", "libtorch_cuda.so", cudnn, CUDNN);
    tree_library(tree, path, cudnn, NULL, NULL);
    tree_library(tree, CUDNN "/libcudnn_ops.so.9", "libcudnn_ops.so.9", NULL, NULL);
    tree->loader = loader_new(tree->host);
    const struct probe_context context = {
        .host = tree->host, .loader = tree->loader, .knowledge = knowledge};
    probe_python(&context, tree->facts);
    return tree;
}

static const char *load_of(const struct tree *tree, const char *soname)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(tree->facts, "framework_library", &i)) != NULL;)
        if (string_equal(facts_string(tree->facts, group, "soname"), soname))
            return group;
    return NULL;
}

static const struct probe_knowledge known = {.soname = find_none, .cudnn = find_cudnn};

static void cudnn_opens_its_parts_by_name(void **state)
{
    (void)state;
    struct tree *tree = torch_with("libcudnn.so.9", &known);
    const char *program = load_of(tree, "libcudnn.so.9"),
               *part = load_of(tree, "libcudnn_ops.so.9");
    assert_non_null(program);
    assert_non_null(part);
    assert_fact(tree->facts, program, "how", "needed");
    assert_fact(tree->facts, program, "path", CUDNN "/libcudnn.so.9");
    assert_fact(tree->facts, part, "how", "opened");
    assert_fact(tree->facts, part, "by", CUDNN "/libcudnn.so.9");
    tree_free(tree);
}

static void auditwheels_name_tells_the_major(void **state)
{
    (void)state;
    struct tree *tree = torch_with("libcudnn-74a4c495.so.9.1.0", &known);
    assert_non_null(load_of(tree, "libcudnn_ops.so.9"));
    tree_free(tree);
}

static void parts_of_an_unknown_major_are_not_guessed(void **state)
{
    (void)state;
    struct tree *newer = torch_with("libcudnn.so.10", &known);
    assert_non_null(load_of(newer, "libcudnn.so.10"));
    assert_null(load_of(newer, "libcudnn_ops.so.9"));
    tree_free(newer);
    struct tree *untold = torch_with("libcudnn.so.9", NULL);
    assert_non_null(load_of(untold, "libcudnn.so.9"));
    assert_null(load_of(untold, "libcudnn_ops.so.9"));
    tree_free(untold);
}

static const char *find_any(void *data, const char *library, const struct version *cuda)
{
    (void)data;
    (void)cuda;
    return string_equal(library, "cudart")   ? "libcudart.so.10.2"
           : string_equal(library, "cublas") ? "libcublas.so.10"
                                             : NULL;
}

/* TensorFlow 1.13 asks for cuBLAS under the number that it is linked to, and opens no other. */
static void what_is_linked_is_not_opened_too(void **state)
{
    static const struct probe_knowledge knowledge = {.soname = find_any, .cudnn = find_cudnn};
    struct tree *tree = tree_new();
    (void)state;
    tree_file(tree, "/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.7.4\n");
    tree_file(tree, SITE "/tensorflow_gpu-1.13.1.dist-info/METADATA", "Metadata-Version: 2.1\n");
    tree_library(tree, SITE "/tensorflow/python/_pywrap_tensorflow_internal.so", NULL,
                 "libcublas.so.10.0", NULL);
    tree->loader = loader_new(tree->host);
    const struct probe_context context = {
        .host = tree->host, .loader = tree->loader, .knowledge = &knowledge};
    probe_python(&context, tree->facts);
    assert_non_null(load_of(tree, "libcublas.so.10.0"));
    assert_null(load_of(tree, "libcublas.so.10"));
    assert_fact(tree->facts, load_of(tree, "libcudart.so.10.2"), "how", "opened");
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cudnn_opens_its_parts_by_name),
        cmocka_unit_test(what_is_linked_is_not_opened_too),
        cmocka_unit_test(auditwheels_name_tells_the_major),
        cmocka_unit_test(parts_of_an_unknown_major_are_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
