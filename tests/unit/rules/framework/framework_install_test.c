/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/query/framework_choice.h"
#include "rules/world.h"

/* What installs CUDA for a framework: nothing is printed that gpuenv install refuses. */

static const struct {
    const char *asked, *command, *cuda, *cudnn;
    bool unpinned;
} known[] = {
    {.asked = "tensorflow@2.17.0",
     .command = "gpuenv install --for-framework tensorflow@2.17.0 --profile runtime"},
    {.asked = "cuda@11.3",
     .command = "gpuenv install cuda@11.3.1 --allow-unpinned",
     .unpinned = true},
    {.asked = "tensorflow@2.2.0", .cuda = "10.1.243", .cudnn = "7.6.5"},
};

static void answer(const void *data, struct framework_install *install)
{
    (void)data;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!string_equal(known[i].asked, install->asked))
            continue;
        install->command = mem_string(known[i].command);
        install->unpinned = known[i].unpinned;
        install->cuda = mem_string(known[i].cuda);
        install->cudnn = mem_string(known[i].cudnn);
        return;
    }
    fail_msg("asked for %s", install->asked);
}

static void assert_install(const char *asked, const char *says, const char *lacks)
{
    const struct framework_choices choices = {.try_install = answer};
    struct facts *facts = world_bare();
    struct manifest *manifest = manifest_new();
    const struct rule_context context = {.facts = facts, .manifest = manifest, .choices = &choices};
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    struct finding *finding = judgement_add(judgement);
    framework_fix_install(&context, finding, asked);
    assert_int_equal(finding->fix_count, 1);
    assert_fix(finding, says);
    assert_false(fix_says(finding, lacks));
    judgement_free(judgement);
    manifest_free(manifest);
    facts_free(facts);
}

static void test_what_install_takes(void **state)
{
    (void)state;
    assert_install("tensorflow@2.17.0", "gpuenv install --for-framework", "NVIDIA's own files");
}

static void test_what_is_too_old(void **state)
{
    (void)state;
    assert_install("tensorflow@2.2.0", "CUDA 10.1.243 and cuDNN 7.6.5", "gpuenv install --for");
    assert_install("tensorflow@2.2.0", "cuda_10.1.243_418.87.00_linux.run", "--allow-unpinned");
}

static void test_what_has_no_checksum(void **state)
{
    const struct framework_choices choices = {.try_install = answer};
    const struct rule_context context = {.choices = &choices};
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    struct finding *finding = judgement_add(judgement);
    const struct framework framework = {.cuda = {.count = 2, .part = {11, 3}}};
    (void)state;
    framework_fix_cuda(&context, finding, &framework);
    assert_fix(finding, "cuda@11.3.1 --allow-unpinned");
    assert_fix(finding, "not known: --allow-unpinned");
    judgement_free(judgement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_install_takes),
        cmocka_unit_test(test_what_is_too_old),
        cmocka_unit_test(test_what_has_no_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
