/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "base/text.h"

static void reads_quoted_values(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release",
              "# comment\n"
              "NAME=Other\n"
              "ID=rocky\r\n"
              "ID_LIKE=\"rhel centos fedora\"\n"
              "  VERSION_ID='9.4'\n"
              "PRETTY_NAME=\"Rocky \\\"Blue\\\" \\$9 \\\\\" # tail\n"
              "no equals sign");
    tree_probe(tree, probe_os);
    assert_fact(tree, "os", "id", "rocky");
    assert_fact(tree, "os", "id_like", "rhel centos fedora");
    assert_fact(tree, "os", "version_id", "9.4");
    assert_fact(tree, "os", "pretty_name", "Rocky \"Blue\" $9 \\");
    assert_string_equal(tree_fact(tree, "os", "id")->source, "/etc/os-release");
}

static void falls_back_to_usr_lib(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/lib/os-release", "ID=arch");
    tree_probe(tree, probe_os);
    assert_fact(tree, "os", "id", "arch");
    assert_string_equal(tree_fact(tree, "os", "id")->source, "/usr/lib/os-release");
    assert_fact_absent(tree, "os", "version_id");
    assert_fact_boolean(tree, "os", "ostree", false);
    tree_file(tree, "/run/ostree-booted", "");
    tree_probe(tree, probe_os);
    assert_fact_boolean(tree, "os", "ostree", true);
}

static void an_empty_tree_has_nothing(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_os);
    assert_fact_absent(tree, "os", "id");
    assert_fact_absent(tree, "os", "glibc_version");
    assert_int_equal(tree_fact(tree, "os", "architecture")->state, FACT_UNKNOWN);
}

static void survives_hostile_files(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", "ID=\"\nVERSION_ID='\\\nPRETTY_NAME=\"a\\");
    tree_probe(tree, probe_os);
    assert_fact(tree, "os", "id", "");
    assert_fact(tree, "os", "version_id", "\\");
    assert_fact(tree, "os", "pretty_name", "a\\");

    tree_bytes(tree, "/etc/os-release", "ID=a\0b\n", 7);
    tree_probe(tree, probe_os);
    assert_fact_unknown(tree, "os", "id", "NUL");

    AUTO_FREE char *large = mem_alloc(1 << 20);
    memset(large, 'x', (1 << 20) - 1);
    tree_file(tree, "/etc/os-release", large);
    tree_probe(tree, probe_os);
    assert_int_equal(tree_fact(tree, "os", "id")->state, FACT_UNKNOWN);
}

static void glibc_comes_from_the_package_when_the_file_does_not_say(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/lib/x86_64-linux-gnu/libc.so.6", "no ELF file");
    tree_probe(tree, probe_os);
    assert_int_equal(tree_fact(tree, "os", "glibc_version")->state, FACT_UNKNOWN);

    tree_file(tree, "/var/lib/dpkg/status",
              "Package: libc6\nStatus: install ok installed\nVersion: 2.36-9+deb12u14\n");
    tree_probe(tree, probe_os);
    assert_fact(tree, "os", "glibc_version", "2.36");
}

static void copy_file(const struct tree *tree, const char *from, const char *path)
{
    AUTO_TEXT struct text bytes = {0};
    char buffer[65536];
    FILE *file = fopen(from, "r");
    assert_non_null(file);
    for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        text_append_n(&bytes, buffer, size);
    assert_int_equal(fclose(file), 0);
    tree_bytes(tree, path, bytes.data, bytes.size);
}

/* The machine's own C library, read as a file, has the version that it reports itself. */
static void reads_a_real_c_library(void **state)
{
    static const char path[] = "/lib/x86_64-linux-gnu/libc.so.6";
    struct tree *tree = *state;
    struct host *host = host_new("/", NULL);
    const char *running = host_libc_version(host);
    if (running == NULL || access(path, R_OK) != 0) {
        print_message("no glibc for x86_64 here: not tested\n");
        host_free(host);
        return;
    }
    copy_file(tree, path, path);
    tree_probe(tree, probe_os);
    assert_fact(tree, "os", "glibc_version", running);
    assert_string_equal(tree_fact(tree, "os", "glibc_version")->source, path);
    tree_probe_root(tree, "/", NULL, NULL, probe_os);
    assert_fact(tree, "os", "glibc_version", running);
    assert_fact(tree, "os", "architecture", "x86_64");
    host_free(host);
}

static void groups_of_device_nodes(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_os);
    assert_fact_absent(tree, "os", "device_groups");
    tree_file(tree, "/etc/group",
              "root:x:0:\nvideo:x:44:ann,bob\nrender:x:x:\nnvidia\nvglusers:x:\ngpu:x:7");
    tree_probe(tree, probe_os);
    const struct strlist *groups = facts_list(tree->facts, "os", "device_groups");
    assert_int_equal(groups->count, 2);
    assert_string_equal(groups->items[0], "44 video");
    assert_string_equal(groups->items[1], "7 gpu");
}

static void where_sudo_is(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_os);
    assert_fact_absent(tree, "os", "sudo");
    tree_file(tree, "/run/wrappers/bin/sudo", "");
    tree_probe(tree, probe_os);
    assert_fact(tree, "os", "sudo", "/run/wrappers/bin/sudo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_quoted_values),
        tree_test(falls_back_to_usr_lib),
        tree_test(an_empty_tree_has_nothing),
        tree_test(survives_hostile_files),
        tree_test(glibc_comes_from_the_package_when_the_file_does_not_say),
        tree_test(reads_a_real_c_library),
        tree_test(groups_of_device_nodes),
        tree_test(where_sudo_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
