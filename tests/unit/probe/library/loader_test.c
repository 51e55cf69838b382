/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "probe/cuda_tree.h"

#define CUDA "/usr/local/cuda-12.8"

static void test_nothing_there(void **state)
{
    (void)state;
    static const char *const names[] = {
        "libcuda.so.1",          "libcuda.so",
        "libnvidia-ml.so.1",     "libnvidia-ptxjitcompiler.so.1",
        "libnvidia-encode.so.1", "libnvcuvid.so.1",
    };
    struct tree *tree = tree_new();
    tree_probe(tree, probe_loader);
    assert_state(tree->facts, "loader", "cache", FACT_ABSENT);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *group = facts_group_name("loader", names[i]);
        assert_fact(tree->facts, group, "name", names[i]);
        assert_state(tree->facts, group, "path", FACT_ABSENT);
        assert_state(tree->facts, group, "why", FACT_ABSENT);
        assert_list(tree->facts, group, "passed_over", "");
        free(group);
    }
    size_t cursor = 0, count = 0;
    while (facts_next(tree->facts, "loader", &cursor))
        count++;
    assert_int_equal(count, sizeof(names) / sizeof(*names));
    tree_free(tree);
}

static void make_stack(const struct tree *tree)
{
    tree_library(tree, "/usr/lib/libcuda.so.570.86.15", "libcuda.so.1", NULL, NULL);
    tree_link(tree, "libcuda.so.570.86.15", "/usr/lib/libcuda.so.1");
    tree_library(tree, CUDA "/lib64/libcudart.so.12.8.90", "libcudart.so.12", NULL, NULL);
    tree_link(tree, "libcudart.so.12.8.90", CUDA "/lib64/libcudart.so.12");
    tree_link(tree, "libcudart.so.12.8.90", CUDA "/lib64/libcudart.so.11.0");
    tree_link(tree, "libcudart.so.12", CUDA "/lib64/libcudart.so");
    tree_library(tree, CUDA "/lib64/stubs/libcuda.so", "libcuda.so.1", NULL, NULL);
}

static void check_stack(struct tree *tree)
{
    const struct facts *facts = tree->facts;
    assert_fact(facts, "loader/libcuda.so.1", "path", "/usr/lib/libcuda.so.1");
    assert_fact(facts, "loader/libcuda.so.1", "real_path", "/usr/lib/libcuda.so.570.86.15");
    assert_fact(facts, "loader/libcuda.so.1", "why", "default directory: /usr/lib");
    assert_fact(facts, "loader/libcuda.so", "path", CUDA "/lib64/stubs/libcuda.so");
    assert_fact(facts, "loader/libcuda.so", "why", "LD_LIBRARY_PATH: " CUDA "/lib64/stubs");
    assert_fact(facts, "loader/libcudart.so.12", "path", CUDA "/lib64/libcudart.so.12");
    assert_fact(facts, "loader/libcudart.so.12", "why", "LD_LIBRARY_PATH: " CUDA "/lib64");
    /* a link somebody made so that old programs start */
    assert_fact(facts, "loader/libcudart.so.11.0", "real_path", CUDA "/lib64/libcudart.so.12.8.90");
    assert_null(facts_get(facts, "loader/libcudart.so", "name"));
    assert_null(facts_get(facts, "loader/libcudart.so.12.8.90", "name"));
}

static void test_search(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    make_stack(tree);
    host_set_environment(tree->host, "LD_LIBRARY_PATH", CUDA "/lib64:" CUDA "/lib64/stubs");
    tree_probe(tree, probe_loader);
    check_stack(tree);
    tree_free(tree);
}

/* The same from what the library probe recorded. */
static void test_search_after_libraries(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    make_stack(tree);
    host_set_environment(tree->host, "LD_LIBRARY_PATH", CUDA "/lib64:" CUDA "/lib64/stubs");
    tree_probe(tree, probe_library);
    tree_probe(tree, probe_loader);
    check_stack(tree);
    tree_free(tree);
}

static void test_found_but_not_served(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_library(tree, CUDA "/lib64/libcudart.so.12", "libcudart.so.12", NULL, NULL);
    tree_probe(tree, probe_loader);
    assert_fact(tree->facts, "loader/libcudart.so.12", "name", "libcudart.so.12");
    assert_state(tree->facts, "loader/libcudart.so.12", "path", FACT_ABSENT);
    tree_free(tree);
}

static void test_passed_over(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, "/opt/broken/libcuda.so.1", "");
    tree_library(tree, "/usr/lib/libcuda.so.1", "libcuda.so.1", NULL, NULL);
    host_set_environment(tree->host, "LD_LIBRARY_PATH", "/opt/broken");
    tree_probe(tree, probe_loader);
    const struct strlist *list = facts_list(tree->facts, "loader/libcuda.so.1", "passed_over");
    assert_non_null(list);
    assert_int_equal(list->count, 1);
    assert_true(string_starts(list->items[0], "/opt/broken/libcuda.so.1: "));
    tree_free(tree);
}

static void test_damaged_cache(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, "/etc/ld.so.cache", "glibc-ld.so.cache1.1 and then nothing of the kind");
    tree_probe(tree, probe_loader);
    assert_true(strlen(unknown_reason(tree->facts, "loader", "cache")) > 5);
    assert_state(tree->facts, "loader/libcuda.so.1", "path", FACT_UNKNOWN);
    tree_free(tree);
}

static void test_unreachable_cache(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    char *cache = tree_path(tree, "/etc/ld.so.cache");
    assert_int_equal(symlink("ld.so.cache", cache), 0);
    free(cache);
    tree_probe(tree, probe_loader);
    assert_non_null(strstr(unknown_reason(tree->facts, "loader", "cache"), "symbolic links"));
    assert_state(tree->facts, "loader/libcuda.so.1", "path", FACT_UNKNOWN);
    tree_free(tree);
}

static void test_this_machine(void **state)
{
    (void)state;
    if (access("/usr/local/cuda-13.0/lib/libcudnn.so.9", R_OK) != 0 ||
        access("/etc/ld.so.cache", R_OK) != 0 || getenv("LD_LIBRARY_PATH")) {
        print_message("no /usr/local/cuda-13.0 with cuDNN here, or LD_LIBRARY_PATH is set\n");
        skip();
    }
    struct facts *facts = machine_probe(false, probe_loader);
    assert_fact(facts, "loader", "cache", "/etc/ld.so.cache");
    assert_fact(facts, "loader/libcudnn.so.9", "why", "ld.so.cache");
    assert_fact(facts, "loader/libcudnn.so.9", "real_path",
                "/usr/local/cuda-13.0/lib/libcudnn.so.9");
    assert_fact(facts, "loader/libnccl.so.2", "path", "/usr/local/cuda-13.0/lib/libnccl.so.2");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_search_after_libraries),
        cmocka_unit_test(test_found_but_not_served),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_damaged_cache),
        cmocka_unit_test(test_unreachable_cache),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
