/* SPDX-License-Identifier: MIT */
#include "report/formats.h"
#include "test.h"

static struct facts *states(void)
{
    struct facts *facts = facts_new();
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, "/usr/local/cuda");
    strlist_add(&list, "CUDA_HOME");
    facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
    facts_set_absent(facts, "os", "id_like", "/etc/os-release");
    facts_set_string(facts, "os", "version_id", "", "/etc/os-release");
    facts_set_boolean(facts, "module", "nvidia", true, "/sys/module/nvidia");
    facts_set_unknown(facts, "module", "version", "cannot be read: Input/output error",
                      "/sys/module/nvidia/version");
    facts_set_integer(facts, "pci", "count", 8, "/sys/bus/pci/devices");
    facts_set_list(facts, "toolkit/usr/local/cuda-12.8", "named_by", &list, "toolkit search");
    facts_set_skipped(facts, "kernel", "release", "a directory tree has no data", "--root");
    return facts;
}

static char *printed(bool quiet, bool verbose)
{
    struct facts *facts = states();
    struct report_input input = {.facts = facts, .quiet = quiet, .verbose = verbose, .columns = 80};
    struct text text = {0};
    report_facts_text(&input, &text);
    facts_free(facts);
    return text_steal(&text);
}

static void every_state(void **state)
{
    (void)state;
    AUTO_FREE char *text = printed(false, false);
    assert_string_equal(
        text,
        "os\n  id                 debian [/etc/os-release]\n  id_like            absent "
        "[/etc/os-release]\n  version_id         (empty) [/etc/os-release]\n\nmodule\n  nvidia     "
        "        yes [/sys/module/nvidia]\n  version            unknown: cannot be read: "
        "Input/output error\n                     [/sys/module/nvidia/version]\n\npci\n  count     "
        "         8 [/sys/bus/pci/devices]\n\ntoolkit/usr/local/cuda-12.8\n  named_by           "
        "/usr/local/cuda, CUDA_HOME [toolkit search]\n\nkernel\n  release            skipped: a "
        "directory tree has no data [--root]\n");
}

static void quiet_leaves_out_what_has_no_value(void **state)
{
    (void)state;
    AUTO_FREE char *text = printed(true, false);
    assert_null(strstr(text, "absent"));
    assert_null(strstr(text, "kernel"));
    assert_non_null(strstr(text, "unknown: cannot be read"));
    assert_non_null(strstr(text, "debian"));
}

static void verbose_says_what_facts_mean(void **state)
{
    (void)state;
    AUTO_FREE char *text = printed(false, true);
    assert_non_null(strstr(text, "  id                 debian [/etc/os-release]\n"
                                 "                     ID of os-release: debian\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state),
        cmocka_unit_test(quiet_leaves_out_what_has_no_value),
        cmocka_unit_test(verbose_says_what_facts_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
