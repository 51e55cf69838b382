/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "probe/cuda_tree.h"

#define SITE "/opt/venv/lib/python3.12/site-packages"

/* A PyTorch with that text in torch/utils/cpp_extension.py (NULL: none), and the variable set. */
static struct tree *torch_with(const char *text, const char *variable)
{
    struct tree *tree = tree_new();
    tree_file(tree, "/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.4\n");
    tree_file(tree, SITE "/torch-2.9.0.dist-info/METADATA", "Metadata-Version: 2.1\n");
    tree_file(tree, SITE "/torch/version.py", "cuda = '12.8'\nhip = None\n");
    if (text)
        tree_file(tree, SITE "/torch/utils/cpp_extension.py", text);
    host_set_environment(tree->host, "TORCH_CUDA_ARCH_LIST", variable);
    tree_probe(tree, probe_python);
    return tree;
}

static void lists_are_read(void **state)
{
    (void)state;
    struct tree *tree = torch_with("    named_arches = collections.OrderedDict([\n"
                                   "        ('Ampere+Tegra', '8.7'),\n"
                                   "        (\"Ampere\", '8.0;8.6+PTX'),\n"
                                   "    ])\n"
                                   "    supported_arches = ['8.0', '8.6',\n"
                                   "                        \"9.0a\"]\n"
                                   "    other = ['1.0']\n",
                                   "8.0");
    assert_list(tree->facts, "framework/0", "torch_arches", "8.0 8.6 9.0a");
    assert_list(tree->facts, "framework/0", "torch_arch_names", "Ampere+Tegra Ampere");
    tree_free(tree);
}

static void what_cannot_be_read_is_absent(void **state)
{
    static const char *const texts[] = {NULL, "", "supported_arches = ['8.0'",
                                        "supported_arches = []"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct tree *tree = torch_with(texts[i], "8.0");
        assert_state(tree->facts, "framework/0", "torch_arches", FACT_ABSENT);
        tree_free(tree);
    }
    struct tree *tree = torch_with("supported_arches = ['8.0']", NULL);
    assert_state(tree->facts, "framework/0", "torch_arches", FACT_ABSENT);
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(what_cannot_be_read_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
