/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "probe/kernel/nvrm.h"

#define AUTO_NVRM AUTO(nvrm_free)

struct sample {
    const char *text;
    const char *version;
    const char *flavour;
    const char *compiler;
};

static void assert_same(const char *a, const char *b)
{
    if (b == NULL)
        assert_null(a);
    else
        assert_string_equal(a ? a : "(none)", b);
}

static void reads_every_form(void **state)
{
    static const struct sample samples[] = {
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.51.03  Release Build  "
         "(builder@host-1)  Tue Apr 22 08:14:09 UTC 2025\n"
         "GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1) \n",
         "575.51.03", "open", "gcc version 12.3.0 (Ubuntu 12.3.0-1)"},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  565.57  Release Build  (nix@)\n"
         "GCC version:  Selected multilib: .;@m64\n",
         "565.57", "open", "Selected multilib: .;@m64"},
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\n"
         "GCC version:  gcc version 9.4.0\n",
         "535.54.03", "proprietary", "gcc version 9.4.0"},
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Wed Apr 29 17:32:45 UTC 2026",
         "580.159.04", "proprietary", NULL},
        {"NVRM version: NVIDIA UNIX Kernel Module 12.4rc1\nGCC version:\n", "12.4rc1",
         "proprietary", NULL},
        {"NVRM version: some Module 999999999999.1", "999999999999.1", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        AUTO_NVRM struct nvrm nvrm = {0};
        nvrm_parse(samples[i].text, strlen(samples[i].text), &nvrm);
        assert_null(nvrm.problem);
        assert_same(nvrm.version, samples[i].version);
        assert_same(nvrm.flavour, samples[i].flavour);
        assert_same(nvrm.compiler, samples[i].compiler);
        assert_memory_equal(nvrm.line, samples[i].text, strlen(nvrm.line));
    }
}

static void says_why_there_is_no_version(void **state)
{
    static const char *const samples[][2] = {
        {"", "the file is empty"},
        {"\n", "does not begin with"},
        {"GCC version:  gcc\nNVRM version: Kernel Module 1.2", "does not begin with"},
        {"\177ELF\2\1\1", "does not begin with"},
        {"NVRM version: Kernel Module 570.\033[31m86", "control characters"},
        {"NVRM version: NVIDIA UNIX 570.86.15", "no version"},
        {"NVRM version: Kernel Module for x86_64", "no version"},
        {"NVRM version: Module", "no version"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        AUTO_NVRM struct nvrm nvrm = {0};
        nvrm_parse(samples[i][0], strlen(samples[i][0]), &nvrm);
        assert_null(nvrm.version);
        assert_non_null(strstr(nvrm.problem, samples[i][1]));
    }
}

static void refuses_nul_bytes_and_endless_versions(void **state)
{
    (void)state;
    AUTO_NVRM struct nvrm nvrm = {0};
    nvrm_parse("NVRM version: Kernel Module\0 570", 32, &nvrm);
    assert_non_null(strstr(nvrm.problem, "NUL"));
    AUTO_NVRM struct nvrm longest = {0};
    char text[256];
    int size = snprintf(text, sizeof(text), "NVRM version: Kernel Module %0100d", 7);
    nvrm_parse(text, (size_t)size, &longest);
    assert_null(longest.version);
    assert_non_null(longest.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form),
        cmocka_unit_test(says_why_there_is_no_version),
        cmocka_unit_test(refuses_nul_bytes_and_endless_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
