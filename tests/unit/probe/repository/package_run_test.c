/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define DNF    "/var/log/dnf.log"
#define ZYPPER "/var/log/zypper.log"
#define BEGIN  "2026-11-26T06:50:44+0000 INFO --- logging initialized ---\n"
#define FAILED "2026-11-26T06:50:44+0000 CRITICAL Error: Unable to find a match: x\n"

static void reads_the_last_run_of_dnf(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_package_run);
    assert_fact_integer(tree, "package_run", "count", 0);
    tree_file(tree, DNF,
              BEGIN "2026-11-26T06:50:45+0000 WARNING Errors during downloading metadata:\n"
                    "  - Status code: 404 for http://h/x\n" FAILED);
    tree_probe(tree, probe_package_run);
    assert_fact_integer(tree, "package_run", "count", 1);
    assert_fact(tree, "package_run/dnf", "name", "dnf");
    assert_fact_list(tree, "package_run/dnf", "errors",
                     "Errors during downloading metadata:,Status code: 404 for http://h/x,"
                     "Error: Unable to find a match: x");
    tree_file(tree, DNF, BEGIN FAILED BEGIN "2026-11-26T06:50:45+0000 WARNING x\n");
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/dnf", "errors", ""); /* the last one did not fail */
    tree_file(tree, DNF, FAILED);
    tree_probe(tree, probe_package_run);
    assert_fact_integer(tree, "package_run", "count", 0); /* where it began is not known */
}

static void reads_the_last_run_of_zypper(void **state)
{
    struct tree *tree = *state;
    static const char begin[] = "x ===== Hi, me zypper 1.14.42\n";
    AUTO_FREE char *usual = mem_printf("%sx THROW:    File '/media.1/media' not found\n", begin);
    AUTO_FREE char *failed =
        mem_printf("%sx THROW:    Signature verification failed for repomd.xml\n"
                   "x THROW:    [c] Valid metadata not found at specified URL\n",
                   usual);
    tree_file(tree, ZYPPER, usual);
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/zypper", "errors", "");
    tree_file(tree, ZYPPER, failed);
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/zypper", "errors",
                     "File '/media.1/media' not found,"
                     "Signature verification failed for repomd.xml,"
                     "[c] Valid metadata not found at specified URL");
}

static void reads_what_pacman_has(void **state)
{
    struct tree *tree = *state;
    static const char keys[100] = "keys of more than a header";
    tree_probe(tree, probe_package_run);
    assert_fact_absent(tree, "pacman", "keyring");
    assert_fact_absent(tree, "pacman", "refused");
    tree_file(tree, "/etc/pacman.d/gnupg/pubring.kbx", "KBXf");
    tree_file(tree, "/etc/pacman.conf", "# x\n\n<html>\n");
    tree_file(tree, "/var/lib/pacman/sync/a.db", "\n<!DOCTYPE html>\n");
    tree_file(tree, "/var/lib/pacman/sync/b.db", "\x1f\x8b");
    tree_probe(tree, probe_package_run);
    assert_fact_boolean(tree, "pacman", "keyring", false);
    assert_fact(tree, "pacman", "refused", "<html>");
    assert_fact_list(tree, "pacman", "pages", "/var/lib/pacman/sync/a.db");
    tree_bytes(tree, "/etc/pacman.d/gnupg/pubring.gpg", keys, sizeof(keys));
    tree_file(tree, "/etc/pacman.conf", "[options]\n");
    tree_probe(tree, probe_package_run);
    assert_fact_boolean(tree, "pacman", "keyring", true);
    assert_fact_absent(tree, "pacman", "refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_the_last_run_of_dnf),
        tree_test(reads_the_last_run_of_zypper),
        tree_test(reads_what_pacman_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
