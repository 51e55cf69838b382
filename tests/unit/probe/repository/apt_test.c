/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define LIST  "/etc/apt/sources.list"
#define PARTS "/etc/apt/sources.list.d/"

#define DEBIAN "ID=debian\n"

/* It needs the name of the distribution. */
static void probe_sources(const struct probe_context *context, struct facts *facts)
{
    probe_os(context, facts);
    probe_apt(context, facts);
}

static void reads_lines(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", DEBIAN);
    tree_file(tree, LIST,
              "# deb http://deb.debian.org/debian bookworm non-free\n"
              "deb-src http://deb.debian.org/debian bookworm main non-free\n"
              "deb [arch=amd64 signed-by=/k.gpg] http://deb.debian.org/debian/ bookworm main "
              "contrib # non-free\r\n"
              "deb http://security.debian.org/debian-security bookworm-security main non-free\n"
              "deb cdrom:[Debian 12]/ bookworm main\n"
              "deb http://deb.debian.org/debian\n");
    tree_probe(tree, probe_sources);
    assert_fact_list(tree, "apt", "components", "main,contrib");
    assert_fact(tree, "apt", "file", LIST);
}

static void reads_paragraphs(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", DEBIAN);
    tree_file(tree, PARTS "debian.sources",
              "# a comment\nTypes: deb\nURIs: mirror+file:///etc/apt/mirrors/debian.list\n"
              "Suites: bookworm\n bookworm-updates\nComponents: main\n# no blank line\n"
              " contrib\nSigned-By:\n -----BEGIN non-free\n\n"
              "types: deb-src\nuris: http://d/debian\nsuites: bookworm\ncomponents: source\n\n"
              "Enabled: no\nTypes: deb\nURIs: http://d/debian\nSuites: bookworm\n"
              "Components: non-free\n");
    tree_probe(tree, probe_sources);
    assert_fact_list(tree, "apt", "components", "main,contrib");
    assert_fact(tree, "apt", "file", PARTS "debian.sources");
}

/* Components of others say nothing about the distribution's. */
static void passes_others_over(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n");
    tree_file(tree, LIST, "");
    tree_file(tree, PARTS "a.list",
              "deb https://www.deb-multimedia.org noble main non-free\n"
              "deb https://ppa.launchpadcontent.net/x/ppa/ubuntu noble main extra\n"
              "deb https://h/compute/cuda/repos/ubuntu2404/x86_64/ /\n");
    tree_file(tree, PARTS "b.list.save", "deb http://archive.ubuntu.com/ubuntu noble multiverse\n");
    tree_file(tree, PARTS "c.list", "deb http://archive.ubuntu.com/ubuntu noble main restricted\n");
    tree_probe(tree, probe_sources);
    assert_fact_list(tree, "apt", "components", "main,restricted");
    assert_fact(tree, "apt", "file", PARTS "c.list");
}

static void no_sources_are_no_empty_ones(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", DEBIAN);
    tree_probe(tree, probe_sources);
    assert_fact_absent(tree, "apt", "components");
    assert_fact_absent(tree, "apt", "file");
    tree_directory(tree, "/etc/apt/sources.list.d");
    tree_link(tree, PARTS "x.list", "/nowhere");
    tree_probe(tree, probe_sources);
    assert_fact_absent(tree, "apt", "components");
    tree_directory(tree, PARTS "y.list");
    tree_probe(tree, probe_sources);
    assert_fact_unknown(tree, "apt", "components", "a directory, not a file");
}

static void survives_hostile_sources(void **state)
{
    static const char *const texts[] = {
        "deb\n", "deb [\n", "deb [x] \n", "deb debian\n", "[] # \n", "deb # debian a main\n",
    };
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", DEBIAN "ID_LIKE=\n");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tree_file(tree, LIST, texts[i]);
        tree_probe(tree, probe_sources);
        assert_fact_list(tree, "apt", "components", "");
        assert_fact_absent(tree, "apt", "file");
    }
    tree_bytes(tree, LIST, "deb\0debian", 10);
    tree_probe(tree, probe_sources);
    assert_fact_unknown(tree, "apt", "components", "NUL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_lines),
        tree_test(reads_paragraphs),
        tree_test(passes_others_over),
        tree_test(no_sources_are_no_empty_ones),
        tree_test(survives_hostile_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
