/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define DNF    "/var/log/dnf.log"
#define DNF5   "/var/log/dnf5.log"
#define ZYPPER "/var/log/zypper.log"
#define TERM   "/var/log/apt/term.log"
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

/* What it logs is in libdnf5/base/transaction.cpp; that a run has ended well, in dnf5/main.cpp. */
static void reads_the_last_run_of_dnf5(void **state)
{
    struct tree *tree = *state;
    static const char begin[] = "2026-11-20T07:12:40+0000 [5121] INFO --- DNF5 launched with "
                                "arguments: \"dnf upgrade\" ---\n";
    static const char problem[] = "2026-11-20T07:12:44+0000 [5121] ERROR Problem: x\n"
                                  "  - nothing provides y needed by z\n"
                                  "2026-11-20T07:12:44+0000 [5121] DEBUG more\n"
                                  "  not of it\n";
    static const char end[] = "2026-11-20T07:12:45+0000 [5121] INFO DNF5 finished\n";
    AUTO_FREE char *failed = mem_printf("%s%s", begin, problem);
    AUTO_FREE char *skipped = mem_printf("%s%s", failed, end); /* a package was skipped */
    AUTO_FREE char *later = mem_printf("%s%s%s", failed, begin, end);
    tree_file(tree, DNF, BEGIN FAILED); /* of the release before */
    tree_date(tree, DNF, 1700000000);
    tree_file(tree, DNF5, failed);
    tree_probe(tree, probe_package_run);
    assert_fact(tree, "package_run/dnf5", "name", "dnf5");
    assert_fact_list(tree, "package_run/dnf5", "errors",
                     "Problem: x,nothing provides y needed by z");
    assert_fact_list(tree, "package_run/dnf", "errors", "");
    tree_file(tree, DNF5, skipped);
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/dnf5", "errors", "");
    tree_file(tree, DNF5, later);
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/dnf5", "errors", "");
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

/* The solver's words, the exit status, and what rpm says below. */
static void knows_how_a_run_of_zypper_ended(void **state)
{
    struct tree *tree = *state;
    static const char begin[] =
        "2026-11-26 ===== Hi, me zypper 1.14.42\n"
        "2026-11-26 SATResolver.cc(problems):1678 Problem 1:\n"
        "2026-11-26 SATResolver.cc(problems):1679 ====\n"
        "2026-11-26 SATResolver.cc(problems):1683 nothing provides x\n"
        "2026-11-26 Exception.cc(log):166 RpmDb.cc THROW:    Subprocess failed.\n"
        "2026-11-26 Exception.cc(log):166 \tinstalling package x needs 4MB more "
        "space on the / filesystem\n2026-11-26 else\n"
        "2026-11-26 Exception.cc(log):166 not of it\n";
    static const struct {
        const char *status, *errors;
    } rows[] = {
        {"4", "nothing provides x,Subprocess failed.,"
              "installing package x needs 4MB more space on the / filesystem"},
        {"0", ""},
        {"100", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *log = mem_printf("%s2026-11-26 setExitCode 8\n2026-11-26 setExitCode %s\n",
                                         begin, rows[i].status);
        tree_file(tree, ZYPPER, log);
        tree_probe(tree, probe_package_run);
        assert_fact_list(tree, "package_run/zypper", "errors", rows[i].errors);
    }
}

static void reads_what_librepo_and_filters_say(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, DNF,
              BEGIN "2026-11-26T06:50:44+0000 INFO All matches were filtered out by x\n" FAILED
                    "2026-11-26T06:50:44+0000 CRITICAL Error: Transaction test error:\n"
                    "  installing package x needs 4MB more space\n\n  not of it\n");
    tree_file(tree, "/var/log/dnf.librepo.log",
              "2026-11-26T06:50:43+0000 INFO Error during transfer: earlier\n"
              "2026-11-26T06:50:44+0000 INFO Error during transfer: Status code: 404\n"
              "2026-11-26T06:50:45+0000 INFO else\nshort\n");
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/dnf", "errors",
                     "All matches were filtered out by x,Error: Unable to find a match: x,"
                     "Error: Transaction test error:,installing package x needs 4MB more space,"
                     "Status code: 404");
}

static void reads_what_dpkg_said_below_apt(void **state)
{
    struct tree *tree = *state;
    static const char log[] = "Log started: 2026-11-26  10:00:00\n"
                              "dpkg: error processing archive /x.deb (--unpack):\n"
                              " new x package pre-installation script failed\n"
                              "Errors were encountered while processing:\n /x.deb\n";
    AUTO_FREE char *later = mem_printf("%sLog started: 2026-11-26  11:00:00\nSetting up x\n", log);
    tree_file(tree, TERM, log);
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/apt", "errors",
                     "dpkg: error processing archive /x.deb (--unpack):,"
                     "new x package pre-installation script failed");
    tree_file(tree, TERM, later);
    tree_probe(tree, probe_package_run);
    assert_fact_list(tree, "package_run/apt", "errors", "");
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
        tree_test(reads_the_last_run_of_dnf5),
        tree_test(reads_the_last_run_of_zypper),
        tree_test(knows_how_a_run_of_zypper_ended),
        tree_test(reads_what_librepo_and_filters_say),
        tree_test(reads_what_dpkg_said_below_apt),
        tree_test(reads_what_pacman_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
