/* SPDX-License-Identifier: MIT */
/* Python environments: where they are found, what they are, which one is active. */
#include "probe/tree.h"

#include "base/text.h"

#define SITE_312 "lib/python3.12/site-packages"

static void make_package(const struct tree *tree, const char *site, const char *info)
{
    AUTO_FREE char *path = mem_printf("%s/%s.dist-info/METADATA", site, info);
    AUTO_FREE char *record = mem_printf("%s/%s.dist-info/RECORD", site, info);
    tree_file(tree, path, "Metadata-Version: 2.1\n");
    tree_file(tree, record, "");
}

/* The group of the environment with that directory. */
static const char *group_of(const struct tree *tree, const char *directory)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(tree->facts, "python", &i)) != NULL;)
        if (string_equal(facts_string(tree->facts, group, "directory"), directory))
            return group;
    fail_msg("%s was not found", directory);
    return NULL;
}

static void assert_environment(const struct tree *tree, const char *directory, const char *kind,
                               const char *version, bool active)
{
    const char *group = group_of(tree, directory);
    assert_fact(tree, group, "kind", kind);
    if (version)
        assert_fact(tree, group, "version", version);
    else
        assert_fact_absent(tree, group, "version");
    assert_fact_boolean(tree, group, "active", active);
}

static void an_empty_tree_has_none(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_python);
    assert_fact_integer(tree, "python", "count", 0);
    assert_fact_absent(tree, "python", "active");
    assert_fact_integer(tree, "framework", "count", 0);
    assert_fact_integer(tree, "wheel", "count", 0);
    assert_fact_integer(tree, "framework_library", "count", 0);
}

static void each_kind_by_what_lies_there(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/usr/lib/python3/dist-packages", "numpy-1.26.4");
    tree_file(tree, "/usr/bin/python3.11", "");
    tree_link(tree, "/usr/bin/python3", "python3.11");
    make_package(tree, "/usr/local/lib/python3.11/dist-packages", "six-1.16.0");
    make_package(tree, "/home/u/.local/lib/python3.11/site-packages", "six-1.16.0");
    make_package(tree, "/opt/venv/" SITE_312, "six-1.16.0");
    tree_file(tree, "/opt/venv/pyvenv.cfg",
              "home = /usr/bin\nversion = 3.12.4\ninclude-system-site-packages = true\n");
    make_package(tree, "/home/u/.local/share/pipx/venvs/x/" SITE_312, "six-1.16.0");
    tree_file(tree, "/home/u/.local/share/pipx/venvs/x/pyvenv.cfg",
              "version_info = 3.12.1.final.0\n");
    make_package(tree, "/workspace/.venv/lib/python3.13t/site-packages", "six-1.16.0");
    tree_file(tree, "/workspace/.venv/pyvenv.cfg", "uv = 0.5.1\nversion_info = 3.13.0\n");
    tree_file(tree, "/opt/conda/conda-meta/python-3.10.14-h955ad1f_1.json", "{}");
    tree_probe_root(tree, tree->root, "PATH", "/usr/local/bin:/usr/bin", probe_python);
    assert_fact_integer(tree, "python", "count", 7);
    assert_environment(tree, "/usr", "system", "3.11", true);
    assert_environment(tree, "/usr/local", "system", "3.11", true);
    assert_environment(tree, "/home/u/.local", "user", "3.11", true);
    assert_environment(tree, "/opt/venv", "venv", "3.12.4", false);
    assert_fact_boolean(tree, group_of(tree, "/opt/venv"), "system_site", true);
    assert_environment(tree, "/home/u/.local/share/pipx/venvs/x", "pipx", "3.12.1", false);
    assert_environment(tree, "/workspace/.venv", "uv", "3.13.0", false);
    assert_fact_boolean(tree, group_of(tree, "/workspace/.venv"), "free_threaded", true);
    assert_environment(tree, "/opt/conda", "conda", "3.10.14", false);
    assert_fact_list(tree, group_of(tree, "/opt/conda"), "sites", "");
    assert_fact(tree, "python", "active", "/usr");
}

static void the_variable_that_path_agrees_with_is_active(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/home/u/venv/" SITE_312, "torch-2.5.1");
    tree_file(tree, "/home/u/venv/pyvenv.cfg", "version = 3.12.4\n");
    make_package(tree, "/home/u/.local/" SITE_312, "torch-2.4.0");
    tree_probe_root(tree, tree->root, "VIRTUAL_ENV", "/home/u/venv", probe_python);
    assert_environment(tree, "/home/u/venv", "venv", "3.12.4", true);
    assert_fact_list(tree, group_of(tree, "/home/u/venv"), "named_by", "VIRTUAL_ENV,default place");
    /* It is kept apart from what is the user's. */
    assert_environment(tree, "/home/u/.local", "user", "3.12", false);
    assert_fact(tree, "python", "active", "/home/u/venv");
}

static void python_path_is_seen_by_all(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/opt/packages", "torch-2.5.1");
    tree_probe_root(tree, tree->root, "PYTHONPATH", "/opt/packages:relative", probe_python);
    assert_environment(tree, "/opt/packages", "directory", NULL, true);
    assert_fact_boolean(tree, "framework/0", "active", true);
}

static void a_user_can_be_kept_out(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/usr/lib/python3/dist-packages", "numpy-1.26.4");
    tree_file(tree, "/usr/bin/python3.11", "");
    tree_link(tree, "/usr/bin/python3", "python3.11");
    make_package(tree, "/root/.local/lib/python3.11/site-packages", "six-1.16.0");
    struct host *host = host_new(tree->root, NULL);
    host_set_environment(host, "PATH", "/usr/bin");
    host_set_environment(host, "PYTHONNOUSERSITE", "1");
    struct loader *loader = loader_new(host);
    struct probe_context context = {.host = host, .loader = loader, .deadline_ms = UINT64_MAX};
    tree->facts = facts_new();
    probe_python(&context, tree->facts);
    loader_free(loader);
    host_free(host);
    assert_environment(tree, "/usr", "system", "3.11", true);
    assert_environment(tree, "/root/.local", "user", "3.11", false);
}

static void without_an_environment_the_only_one_counts(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/opt/venv/" SITE_312, "torch-2.5.1");
    tree_file(tree, "/opt/venv/pyvenv.cfg", "version = 3.12.4\n");
    tree_probe(tree, probe_python);
    assert_environment(tree, "/opt/venv", "venv", "3.12.4", true);
    make_package(tree, "/opt/conda/" SITE_312, "torch-2.5.1");
    tree_probe(tree, probe_python);
    assert_fact_absent(tree, "python", "active");
    assert_fact_unknown(tree, group_of(tree, "/opt/venv"), "active", "nothing says");
}

/* No python3 is in the tree: the directories of PATH stand for it, and no program's own
 * environment. */
static void without_a_python_path_tells(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/usr/local/lib/python3.10/dist-packages", "onnxruntime_gpu-1.20.1");
    make_package(tree, "/usr/lib/python3/dist-packages", "six-1.16.0");
    make_package(tree, "/root/.local/lib/python3.10/site-packages", "torch-2.5.1");
    make_package(tree, "/opt/conda/lib/python3.12/site-packages", "six-1.16.0");
    tree_file(tree, "/opt/conda/conda-meta/history", "");
    tree_probe_root(tree, tree->root, "PATH", "/usr/local/bin:/usr/bin:/bin", probe_python);
    assert_environment(tree, "/usr/local", "system", "3.10", true);
    assert_environment(tree, "/root/.local", "user", "3.10", true);
    assert_environment(tree, "/opt/conda", "conda", "3.12", false);
    tree_probe_root(tree, tree->root, "PATH", "/opt/conda/bin:/usr/local/bin", probe_python);
    assert_environment(tree, "/usr/local", "system", "3.10", false);
    assert_environment(tree, "/opt/conda", "conda", "3.12", true);
}

static void a_program_of_pipx_is_not_the_only_one(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/root/.local/share/pipx/venvs/x/" SITE_312, "ctranslate2-4.5.0");
    tree_file(tree, "/root/.local/share/pipx/venvs/x/pyvenv.cfg", "version = 3.12.1\n");
    tree_probe(tree, probe_python);
    assert_environment(tree, "/root/.local/share/pipx/venvs/x", "pipx", "3.12.1", false);
    assert_fact_absent(tree, "python", "active");
}

/* pip install -e: the folder lies in the working tree. */
static void make_python_2(const struct tree *tree)
{
    make_package(tree, "/usr/local/lib/python2.7/dist-packages", "tensorflow_gpu-1.12.0");
    make_package(tree, "/usr/lib/python2.7/dist-packages", "six-1.11.0");
    tree_file(tree, "/home/u/venv/lib/python2.7/orig-prefix.txt", "/usr");
    make_package(tree, "/home/u/venv/lib/python2.7/site-packages", "tensorflow_gpu-1.13.1");
    tree_file(tree, "/usr/bin/python2.7", "");
    tree_link(tree, "/usr/bin/python2", "python2.7");
}

static void python_2_7_alone_is_active(void **state)
{
    struct tree *tree = *state;
    make_python_2(tree);
    tree_probe_root(tree, tree->root, "PATH", "/usr/bin", probe_python);
    assert_environment(tree, "/usr", "system", "2.7", true);
    assert_environment(tree, "/usr/local", "system", "2.7", true);
    assert_environment(tree, "/home/u/venv", "venv", "2.7", false);
    assert_fact_integer(tree, "framework", "count", 2);
    tree_probe_root(tree, tree->root, "VIRTUAL_ENV", "/home/u/venv", probe_python);
    assert_environment(tree, "/home/u/venv", "venv", "2.7", true);
    assert_environment(tree, "/usr/local", "system", "2.7", false);
}

/* Here nothing tells the minor of python3, but it is no 2.7. */
static void python_3_beside_2_7_is_meant(void **state)
{
    struct tree *tree = *state;
    make_python_2(tree);
    tree_file(tree, "/usr/bin/python3", "");
    tree_probe_root(tree, tree->root, "PATH", "/usr/bin", probe_python);
    assert_environment(tree, "/usr", "system", "2.7", false);
    assert_environment(tree, "/usr/local", "system", "2.7", false);
}

static void conda_has_python_2_7(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/opt/conda/envs/u/conda-meta/python-dateutil-2.8.2-py27_0.json", "{}");
    tree_file(tree, "/opt/conda/envs/u/conda-meta/python-2.7.18-h15b4118_1.json", "{}");
    tree_file(tree, "/opt/conda/envs/u/lib/python2.7/site-packages/six-1.16.0-py2.7.egg-info",
              "Metadata-Version: 1.1\n");
    tree_probe_root(tree, tree->root, "CONDA_PREFIX", "/opt/conda/envs/u", probe_python);
    assert_environment(tree, "/opt/conda/envs/u", "conda", "2.7.18", true);
}

static void a_working_tree_is_found(void **state)
{
    struct tree *tree = *state;
    make_package(tree, "/opt/venv/" SITE_312, "vllm-0.9.2");
    tree_file(tree, "/opt/venv/pyvenv.cfg", "version = 3.12.4\n");
    tree_file(tree, "/opt/venv/" SITE_312 "/vllm-0.9.2.dist-info/direct_url.json",
              "{\"dir_info\": {\"editable\": true}, \"url\": \"file:///home/u/src/vllm\"}");
    tree_file(tree, "/home/u/src/vllm/vllm/__init__.py", "");
    tree_probe(tree, probe_python);
    assert_fact(tree, "framework/0", "directory", "/home/u/src/vllm/vllm");
}

static void conda_packages_by_their_names(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/opt/conda/conda-meta/pytorch-2.5.1-py3.12_cuda12.4_cudnn9.1.0_0.json",
              "{\"channel\": \"https://user:secret@conda.example.org/t/secret/pytorch/linux-64\"}");
    tree_file(tree, "/opt/conda/conda-meta/pytorch-cuda-12.4-hc786d27_7.json", "{}");
    tree_file(tree, "/opt/conda/conda-meta/cudnn-9.1.0-h1_0.json", "{}");
    tree_file(tree, "/opt/conda/conda-meta/nonsense.json", "{}");
    tree_file(tree, "/opt/conda/conda-meta/history", "");
    make_package(tree, "/opt/conda/" SITE_312, "torch-2.5.1");
    tree_probe(tree, probe_python);
    assert_fact_integer(tree, "framework", "count", 1); /* its dist-info is the same one's */
    assert_fact(tree, "framework/0", "origin", "conda");
    assert_fact(tree, "framework/0", "build", "py3.12_cuda12.4_cudnn9.1.0_0");
    assert_fact(tree, "framework/0", "channel", "pytorch");
    assert_fact(tree, "framework/0", "accelerator", "cuda");
    assert_fact(tree, "framework/0", "cuda", "12.4");
    assert_fact(tree, "framework/0", "cudnn_wanted", "9.1.0");
    assert_fact(tree, "framework/0", "cudnn_carried", "9.1.0");
    assert_fact_integer(tree, "wheel", "count", 2);
}

static void assert_build(struct tree *tree, const char *name, const char *build,
                         const char *accelerator, const char *cuda)
{
    AUTO_FREE char *path = mem_printf("/opt/conda/conda-meta/%s-1.0-%s.json", name, build);
    AUTO_FREE char *full = mem_printf("%s%s", tree->root, path);
    tree_file(tree, path, "{}");
    tree_probe(tree, probe_python);
    assert_fact(tree, "framework/0", "accelerator", accelerator);
    if (cuda)
        assert_fact(tree, "framework/0", "cuda", cuda);
    else
        assert_int_not_equal(tree_fact(tree, "framework/0", "cuda")->state, FACT_VALUE);
    assert_int_equal(remove(full), 0);
}

static void builds_of_conda(void **state)
{
    struct tree *tree = *state;
    assert_build(tree, "pytorch", "cpu_generic_py312_h1234567_0", "cpu", NULL);
    assert_build(tree, "pytorch", "py3.9_cpu_0", "cpu", NULL);
    assert_build(tree, "pytorch", "cuda126_mkl_py312_h6c5d6f0_303", "cuda", "12.6");
    assert_build(tree, "pytorch", "cuda118_py310h1_200", "cuda", "11.8");
    assert_build(tree, "tensorflow", "gpu_py311h65739b5_0", "cuda", NULL);
    assert_build(tree, "tensorflow", "mkl_py39h4683426_0", "cpu", NULL);
    assert_build(tree, "tensorflow", "cuda120py311h5cbd639_203", "cuda", "12.0");
    assert_build(tree, "pytorch", "py3.8_cuda10.2.89_cudnn7.6.5_0", "cuda", "10.2");
}

static void assert_wheel(struct tree *tree, const char *info, const char *accelerator,
                         const char *cuda)
{
    AUTO_FREE char *metadata = mem_printf("/opt/venv/" SITE_312 "/%s.dist-info/METADATA", info);
    AUTO_FREE char *full = mem_printf("%s%s", tree->root, metadata);
    tree_file(tree, "/opt/venv/pyvenv.cfg", "version = 3.12.4\n");
    tree_file(tree, metadata, "");
    tree_probe(tree, probe_python);
    if (accelerator)
        assert_fact(tree, "framework/0", "accelerator", accelerator);
    else
        assert_fact_unknown(tree, "framework/0", "cpu_only", "neither the package's files");
    if (cuda)
        assert_fact(tree, "framework/0", "cuda", cuda);
    else
        assert_int_not_equal(tree_fact(tree, "framework/0", "cuda")->state, FACT_VALUE);
    assert_int_equal(remove(full), 0);
    *strrchr(full, '/') = '\0';
    assert_int_equal(rmdir(full), 0);
}

static void names_of_wheels(void **state)
{
    struct tree *tree = *state;
    assert_wheel(tree, "torch-2.5.1+cpu", "cpu", NULL);
    assert_wheel(tree, "torch-2.5.1+cu124", "cuda", "12.4");
    assert_wheel(tree, "torch-2.5.1+rocm6.2", "rocm", NULL);
    assert_wheel(tree, "torch-2.9.0a0+145a3a7bda.nv25.10", NULL, NULL);
    assert_wheel(tree, "torch-2.5.1", NULL, NULL);
    assert_wheel(tree, "tensorflow_cpu-2.17.0", "cpu", NULL);
    assert_wheel(tree, "onnxruntime-1.19.2", "cpu", NULL);
    assert_wheel(tree, "onnxruntime_gpu-1.19.2", "cuda", NULL);
    assert_wheel(tree, "cupy_cuda12x-13.0.0", "cuda", "12");
    assert_wheel(tree, "cupy_cuda110-8.0.0", "cuda", "11.0");
    assert_wheel(tree, "cupy_rocm_4_3-10.0.0", "rocm", NULL);
    assert_wheel(tree, "mxnet_cu112-1.9.1", "cuda", "11.2");
    assert_wheel(tree, "mxnet-1.9.1", "cpu", NULL);
    assert_wheel(tree, "jaxlib-0.4.34", "cpu", NULL);
    assert_wheel(tree, "jaxlib-0.4.20+cuda12.cudnn89", "cuda", "12");
    assert_wheel(tree, "jax_cuda13_plugin-0.8.0", "cuda", "13");
    assert_wheel(tree, "paddlepaddle_gpu-2.6.2.post117", "cuda", "11.7");
    assert_wheel(tree, "flash_attn-2.7.0+cu12torch2.5cxx11abiFALSE", "cuda", "12");
    assert_wheel(tree, "torch_scatter-2.1.2+pt24cu121", "cuda", "12.1");
    assert_fact(tree, "framework/0", "torch_wanted", "2.4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(an_empty_tree_has_none),
        tree_test(each_kind_by_what_lies_there),
        tree_test(the_variable_that_path_agrees_with_is_active),
        tree_test(python_path_is_seen_by_all),
        tree_test(a_user_can_be_kept_out),
        tree_test(without_an_environment_the_only_one_counts),
        tree_test(without_a_python_path_tells),
        tree_test(a_program_of_pipx_is_not_the_only_one),
        tree_test(a_working_tree_is_found),
        tree_test(python_2_7_alone_is_active),
        tree_test(python_3_beside_2_7_is_meant),
        tree_test(conda_has_python_2_7),
        tree_test(conda_packages_by_their_names),
        tree_test(builds_of_conda),
        tree_test(names_of_wheels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
