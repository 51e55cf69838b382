/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define LIST    "/etc/apt/sources.list"
#define PARTS   "/etc/apt/sources.list.d/"
#define LISTS   "/var/lib/apt/lists/"
#define PARTIAL LISTS "partial/"
#define GROUP   "apt_source/" PARTS "c.list:2:http://m.example/cuda/x86_64/"
#define NAME    "m.example_cuda_x86%5f64_"
#define RELEASE "SHA256:\n 00 1234 Packages.gz\n 00 99 Packages\n"

static void with_entry(struct tree *tree)
{
    tree_file(tree, PARTS "c.list",
              "# CUDA\ndeb [arch=amd64,arm64 signed-by=/k.gpg] "
              "http://u:secret@m.example/cuda/x86_64/ /\n");
}

static void reads_an_entry(void **state)
{
    struct tree *tree = *state;
    with_entry(tree);
    tree_probe(tree, probe_apt_source);
    assert_fact_integer(tree, "apt_source", "count", 1);
    assert_fact(tree, GROUP, "file", PARTS "c.list");
    assert_fact_integer(tree, GROUP, "line", 2);
    assert_fact(tree, GROUP, "uri", "http://m.example/cuda/x86_64/");
    assert_fact_list(tree, GROUP, "suites", "/");
    assert_fact_list(tree, GROUP, "components", "");
    assert_fact_list(tree, GROUP, "architectures", "amd64,arm64");
    assert_fact_list(tree, GROUP, "signed_by", "/k.gpg");
    assert_fact_list(tree, GROUP, "missing_keyrings", "/k.gpg");
    assert_fact_boolean(tree, GROUP, "trusted", false);
    assert_fact_absent(tree, GROUP, "update");
    tree_file(tree, "/k.gpg", "KBXf");
    tree_probe(tree, probe_apt_source);
    assert_fact_list(tree, GROUP, "missing_keyrings", "");
    assert_fact_list(tree, GROUP, "unread_keyrings", "/k.gpg");
    assert_fact_list(tree, GROUP, "sha1_keys", "");
    assert_fact_list(tree, GROUP, "expired_keys", "");
}

static void reads_a_paragraph_of_two_addresses(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, PARTS "d.sources",
              "Types: deb\nURIs: http://a.example/x http://b.example/x\nSuites: s\n"
              "Components: main\nTrusted: yes\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n"
              " .\n zz\n");
    tree_probe(tree, probe_apt_source);
    assert_fact_integer(tree, "apt_source", "count", 2);
    assert_fact_boolean(tree, "apt_source/" PARTS "d.sources:1:http://b.example/x", "trusted",
                        true);
    assert_fact_list(tree, "apt_source/" PARTS "d.sources:1:http://a.example/x", "signed_by",
                     "a key in the entry itself");
    assert_fact_list(tree, "apt_source/" PARTS "d.sources:1:http://a.example/x", "keyrings", "");
}

static void says_how_an_update_ended(void **state)
{
    struct tree *tree = *state;
    with_entry(tree);
    tree_file(tree, LISTS NAME "InRelease", RELEASE);
    tree_file(tree, LISTS NAME "Packages", "Package: a\nVersion: 1\n\nVersion: 2\n\n");
    tree_probe(tree, probe_apt_source);
    assert_fact(tree, GROUP, "update", "whole");
    assert_fact_boolean(tree, "apt_source", "partial", false);
    assert_fact_absent(tree, GROUP, "signers");
    assert_fact_absent(tree, GROUP, "sha1_signers");
    assert_fact(tree, GROUP, "index", LISTS NAME "Packages");
    assert_fact(tree, GROUP, "index_malformed", "Version: 2");
    tree_file(tree, PARTIAL NAME "InRelease", RELEASE);
    tree_file(tree, PARTIAL NAME "Packages.gz.FAILED", "<html>");
    tree_probe(tree, probe_apt_source);
    assert_fact(tree, GROUP, "update", "stopped");
    assert_fact_boolean(tree, "apt_source", "partial", true);
    assert_fact_integer(tree, GROUP, "index_bytes", 6);
    assert_fact_integer(tree, GROUP, "index_expected_bytes", 1234);
    assert_fact_boolean(tree, GROUP, "index_page", true);
    tree_file(tree, PARTIAL NAME "InRelease.FAILED", "\n<!DOCTYPE html>\n");
    tree_probe(tree, probe_apt_source);
    assert_fact(tree, GROUP, "update", "refused");
    assert_fact(tree, GROUP, "arrived", "<!DOCTYPE html>");
}

/* What apt refuses in a file whose signature may be right. */
static void says_why_apt_stopped(void **state)
{
    struct tree *tree = *state;
    static const char *const rows[][2] = {
        {"Valid-Until: Thu, 01 Jan 2026 00:00:00 UTC\n",
         "Valid-Until: Thu, 01 Jan 2026 00:00:00 UTC"},
        {"Date: Thu, 01 Jan 2099 00:00:00 UTC\n", "Date: Thu, 01 Jan 2099 00:00:00 UTC"},
        {"Label: other\n", "Label: other (mine)"},
        {"Label: mine\nValid-Until: Thu, 01 Jan 2099 00:00:00 UTC\n", NULL},
        {"Label: mine\nValid-Until: never\nDate: Thu, 01 Jan 2099 00:00:00 CET\n", NULL},
    };
    with_entry(tree);
    tree_file(tree, LISTS NAME "InRelease", "Label: mine\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tree_file(tree, PARTIAL NAME "InRelease", rows[i][0]);
        tree_probe(tree, probe_apt_source);
        assert_fact(tree, GROUP, "update", "stopped");
        if (rows[i][1])
            assert_fact(tree, GROUP, "stop", rows[i][1]);
        else
            assert_fact_absent(tree, GROUP, "stop");
    }
}

static void knows_a_repository_without_signature(void **state)
{
    struct tree *tree = *state;
    with_entry(tree);
    tree_file(tree, PARTIAL NAME "Release.FAILED", "Label: mine\n");
    tree_probe(tree, probe_apt_source);
    assert_fact(tree, GROUP, "update", "unsigned");
    assert_fact_absent(tree, GROUP, "index");
}

static void names_files_that_are_no_sources(void **state)
{
    struct tree *tree = *state;
    static const char *const good[] = {
        "", "# x\n", "deb-src http://a s main\n", "deb cdrom:[D 12]/ s main\n", "deb http://a x/\n",
    };
    static const char *const bad[] = {
        "<!doctype html>\n", "deb http://a\n",         "deb [x http://a s main\n",
        "deb http://a s\n",  "deb http://a x/ main\n",
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        tree_file(tree, LIST, good[i]);
        tree_probe(tree, probe_apt_source);
        assert_fact_integer(tree, "source_file", "count", 0);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tree_file(tree, LIST, bad[i]);
        tree_probe(tree, probe_apt_source);
        assert_fact_integer(tree, "source_file", "count", 1);
        assert_fact_integer(tree, "source_file/" LIST, "line", 1);
    }
    tree_file(tree, LIST, "");
    tree_file(tree, PARTS "x.sources", "Types: deb\n<html>\n");
    tree_file(tree, PARTS "y z.list", "<html>\n"); /* apt passes over this name */
    tree_probe(tree, probe_apt_source);
    assert_fact(tree, "source_file/" PARTS "x.sources", "text", "<html>");
    assert_fact(tree, "source_file/" PARTS "x.sources", "path", PARTS "x.sources");
    assert_fact_integer(tree, "source_file", "count", 1);
}

static void knows_the_program_for_signatures(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/bin/sqv", "");
    tree_probe(tree, probe_apt_verifier);
    assert_fact(tree, "apt_verifier", "program", "gpgv"); /* apt does not use it */
    assert_fact_boolean(tree, "apt_verifier", "sha1_rejected", false);
    assert_fact_boolean(tree, "apt_verifier", "joins_signed_by", false);
    tree_file(tree, "/var/lib/dpkg/status",
              "Package: apt\nStatus: install ok installed\nVersion: 3.0.3\n");
    tree_probe(tree, probe_apt_verifier);
    assert_fact(tree, "apt_verifier", "program", "sqv");
    assert_fact_boolean(tree, "apt_verifier", "joins_signed_by", true);
    assert_fact_boolean(tree, "apt_verifier", "sha1_rejected", true);
    tree_file(tree, "/usr/share/apt/default-sequoia.config",
              "[hash_algorithms]\nsha1.second_preimage_resistance = 9999-02-01    # x\n");
    tree_probe(tree, probe_apt_verifier);
    assert_fact(tree, "apt_verifier", "sha1_until", "9999-02-01");
    assert_fact_boolean(tree, "apt_verifier", "sha1_rejected", false);
    tree_file(tree, "/etc/crypto-policies/back-ends/apt-sequoia.config",
              "sha1.second_preimage_resistance = \"2026-02-01\"\n");
    tree_probe(tree, probe_apt_verifier);
    assert_fact(tree, "apt_verifier", "sha1_until", "2026-02-01");
    assert_fact_boolean(tree, "apt_verifier", "sha1_rejected", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_an_entry),
        tree_test(reads_a_paragraph_of_two_addresses),
        tree_test(says_how_an_update_ended),
        tree_test(says_why_apt_stopped),
        tree_test(knows_a_repository_without_signature),
        tree_test(names_files_that_are_no_sources),
        tree_test(knows_the_program_for_signatures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
