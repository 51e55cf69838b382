/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/wrap.h"
#include "rules/engine/finding.h"
#include "report/sample.h"

struct world {
    struct facts *facts;
    struct judgement *judgement;
    struct strlist gpu_names;
    struct report_input input;
};

static int world_new(void **state)
{
    struct world *world = mem_alloc(sizeof(*world));
    world->facts = sample_facts();
    world->judgement = sample_judgement();
    strlist_add(&world->gpu_names, "H100 SXM5 80GB");
    strlist_add(&world->gpu_names, "H100 SXM5 80GB");
    world->input = sample_input(world->facts, world->judgement, &world->gpu_names);
    *state = world;
    return 0;
}

static int world_free(void **state)
{
    struct world *world = *state;
    facts_free(world->facts);
    judgement_free(world->judgement);
    strlist_free(&world->gpu_names);
    free(world);
    return 0;
}

static char *printed(const struct report_input *input)
{
    struct text text = {0};
    report_format_find("text")->doctor(input, &text);
    return text_steal(&text);
}

static void whole_report(void **state)
{
    struct world *world = *state;
    AUTO_FREE char *text = printed(&world->input);
    assert_string_equal(
        text,
        "broken: 1 problem, 1 warning\n"
        "FAIL DRV-902 user-space driver 570.211.01 does not match the loaded module\n"
        "     570.195.03 [libcuda.so.1; /sys/module/nvidia/version]\n"
        "     why: packages were upgraded and the module was not reloaded; both must be\n"
        "          of exactly the same version\n"
        "     fix: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia\n"
        "          stop every GPU user first\n"
        "     also: no program sees a GPU (because of DRV-902)\n"
        "WARN HST-901 /dev/shm holds 64 MiB\n"
        "??   CUD-901 cannot tell whether nvcc is missing: /usr/local/cuda-12.8/bin/nvcc:\n"
        "     no answer in 10 s\n"
        "     try: gpuenv doctor --timeout 60\n"
        "Driver      570.195.03, open kernel module, supports CUDA 12.8\n"
        "GPU         2 x H100 SXM5 80GB\n"
        "CUDA        toolkit 12.8.1 in /usr/local/cuda-12.8\n"
        "cuDNN       none found\n"
        "Frameworks  none found\n"
        "Machine     Ubuntu 24.04.1 LTS, kernel 6.8.0-45-generic, x86_64, kvm guest\n"
        "Profile     run (not in a container)\n"
        "info DNN-901 no cuDNN is installed\n"
        "more: gpuenv explain DRV-902, doctor -v, doctor --fix [gpuenv 0.1.0, manifest 7]\n");
}

static void quiet_report(void **state)
{
    struct world *world = *state;
    world->input.quiet = true;
    AUTO_FREE char *text = printed(&world->input);
    assert_string_equal(
        text,
        "FAIL DRV-902 user-space driver 570.211.01 does not match the loaded module\n"
        "     570.195.03 [libcuda.so.1; /sys/module/nvidia/version]\n"
        "     why: packages were upgraded and the module was not reloaded; both must be\n"
        "          of exactly the same version\n"
        "     fix: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia\n"
        "          stop every GPU user first\n"
        "     FAIL GPU-901 no program sees a GPU\n"
        "WARN HST-901 /dev/shm holds 64 MiB\n"
        "1 fail, 1 warn, 3 pass, 1 skip, 1 unknown: broken; gpuenv explain DRV-902\n");
}

static void verbose_report(void **state)
{
    struct world *world = *state;
    world->input.verbose = true;
    AUTO_FREE char *text = printed(&world->input);
    assert_non_null(strstr(text, "     or:  sudo systemctl reboot\n"
                                 "     or:  take the old library out of the way; needs a reboot\n"
                                 "     saw: libcuda.so.1: version 570.211.01\n"
                                 "          /sys/module/nvidia/version: 570.195.03\n"));
    assert_non_null(strstr(text, "ok   DRV-901 ruled out: the fault \"the module is old\"\n"));
    assert_non_null(strstr(text, "skip CON-901 not checked whether nothing was put in: not in a "
                                 "container\n"));
    assert_null(strstr(text, "ruled out: the fault \"cuDNN is missing\""));
}

static void labels_of_fixes(void **state)
{
    static const struct {
        enum fix_kind kind;
        const char *note, *says;
    } rows[] = {
        {FIX_STEP, "another", "or:  another"},
        {FIX_ADVICE, "or another", "or:  another"},
        {FIX_SHELL, "and the other", "and: the other"},
        {FIX_ALSO, "at every boot", "and: at every boot"},
        {FIX_LOOK, "shows it", "see: shows it"},
    };
    struct world *world = *state;
    world->input.verbose = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct finding *finding = world->judgement->findings[0];
        sample_fix(finding, NULL, rows[i].note, false);
        finding->fixes[finding->fix_count - 1].kind = rows[i].kind;
        AUTO_FREE char *text = printed(&world->input);
        assert_non_null(strstr(text, rows[i].says));
    }
}

static void judge_again(struct world *world)
{
    judgement_free(world->judgement);
    world->judgement = mem_alloc(sizeof(*world->judgement));
    world->judgement->purpose_reason = mem_string("--for");
    world->input.judgement = world->judgement;
}

static void fine_report(void **state)
{
    struct world *world = *state;
    judge_again(world);
    sample_check(world->judgement, "DRV-901", CHECK_PASS, NULL);
    AUTO_FREE char *text = printed(&world->input);
    assert_string_equal(text,
                        "ok: no problem found\n"
                        "\n"
                        "Driver      570.195.03, open kernel module, supports CUDA 12.8\n"
                        "GPU         2 x H100 SXM5 80GB\n"
                        "CUDA        toolkit 12.8.1 in /usr/local/cuda-12.8\n"
                        "cuDNN       none found\n"
                        "Frameworks  none found\n"
                        "Machine     Ubuntu 24.04.1 LTS, kernel 6.8.0-45-generic, x86_64, kvm "
                        "guest\n"
                        "Profile     run (--for)\n"
                        "more: gpuenv doctor -v [gpuenv 0.1.0, manifest 7]\n");
}

/* A container that may have been meant to have one is told so in the second line. */
static void no_gpu_was_given(void **state)
{
    struct world *world = *state;
    judge_again(world);
    world->judgement->gpu_request = "docker run --gpus all";
    world->input.columns = 120;
    AUTO_FREE char *text = printed(&world->input);
    assert_true(string_starts(text,
                              "ok: no problem found\nno GPU was given to this container; if the "
                              "container needs a GPU: docker run --gpus all, then gpuenv "));
    world->judgement->gpu_request = NULL;
    AUTO_FREE char *without = printed(&world->input);
    assert_null(strstr(without, "no GPU was given"));
}

static void unknown_is_never_ok(void **state)
{
    struct world *world = *state;
    judge_again(world);
    world->judgement->exit_code = 3;
    sample_check(world->judgement, "DRV-901", CHECK_PASS, NULL);
    sample_check(world->judgement, "DRV-902", CHECK_UNKNOWN, "libcuda.so.1: killed by signal 11");
    AUTO_FREE char *text = printed(&world->input);
    assert_null(strstr(text, "ok:"));
    assert_true(string_starts(text, "unknown: no problem found, but 1 check could not be decided\n"
                                    "??   DRV-902 cannot tell whether libcuda is old: "
                                    "libcuda.so.1: killed by signal\n     11\n"
                                    "     try: gpuenv explain DRV-902 (how to check by hand)\n"));
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Many problems: each keeps its line, the first its fix, and the page its length. */
static void long_report(void **state)
{
    struct world *world = *state;
    static const char message[] = "a message of a problem that is so long that it takes two lines";
    judge_again(world);
    for (size_t i = 0; i < 8; i++) {
        sample_finding(world->judgement, i % 2 ? "DRV-901" : "CUD-901", SEVERITY_FAIL, message);
        sample_fix(world->judgement->findings[i], i ? "another" : "the first", NULL, false);
    }
    world->judgement->fail = 8;
    AUTO_FREE char *text = printed(&world->input);
    assert_true(lines_of(text) <= 22);
    assert_non_null(strstr(text, "     fix: the first\n"));
    assert_null(strstr(text, "Frameworks"));
    assert_non_null(strstr(text, "more: gpuenv explain CUD-901"));

    /* One is too long for any page: it ends with what matters. */
    struct text why = {0};
    for (size_t i = 0; i < 400; i++)
        text_append(&why, "because ");
    world->judgement->findings[0]->why = text_steal(&why);
    AUTO_FREE char *longer = printed(&world->input);
    assert_true(lines_of(longer) > 22);
    const char *end = strstr(longer, "more: gpuenv explain CUD-901");
    assert_non_null(end);
    assert_non_null(strstr(end, "\nbroken: 8 problems\nFAIL CUD-901 a message"));
    assert_true(string_ends(longer, "     fix: the first\n"));
}

/* One library that hangs leaves many checks open: one line, where the first of them stands. */
static void unknown_for_one_reason(void **state)
{
    struct world *world = *state;
    judgement_free(world->judgement);
    world->judgement = mem_alloc(sizeof(*world->judgement));
    world->judgement->exit_code = 3;
    sample_check(world->judgement, "GPU-901", CHECK_UNKNOWN, "libnvidia-ml.so.1: no answer");
    sample_check(world->judgement, "DRV-901", CHECK_UNKNOWN, "another");
    sample_check(world->judgement, "DRV-902", CHECK_UNKNOWN, "libnvidia-ml.so.1: no answer");
    sample_check(world->judgement, "CUD-901", CHECK_UNKNOWN, NULL);
    sample_check(world->judgement, "DNN-901", CHECK_SKIP, "another");
    world->input.judgement = world->judgement;
    AUTO_FREE char *text = printed(&world->input);
    assert_true(string_starts(text, "unknown: no problem found, but 4 checks could not be decided\n"
                                    "??   GPU-901 and 1 more check could not be decided: "));
    assert_non_null(strstr(text, "??   DRV-901 cannot tell whether the module is old: another\n"));
    assert_non_null(strstr(text, "??   CUD-901 cannot tell whether nvcc is missing: no reason"));
    assert_null(strstr(text, "DRV-902"));
    world->input.verbose = true;
    AUTO_FREE char *verbose = printed(&world->input);
    assert_non_null(strstr(verbose, "??   DRV-902 cannot tell whether libcuda is old: lib"));
    assert_non_null(strstr(verbose, "??   GPU-901 cannot tell whether a GPU is gone: lib"));
}

/* Several files that are not there because one file system is not. */
static void unknown_for_one_origin(void **state)
{
    struct world *world = *state;
    judgement_free(world->judgement);
    world->judgement = mem_alloc(sizeof(*world->judgement));
    world->judgement->exit_code = 3;
    sample_check(world->judgement, "GPU-901", CHECK_UNKNOWN, "pci.count: there is no /sys/bus/pci");
    sample_check(world->judgement, "DRV-901", CHECK_UNKNOWN, "module: there is no /proc/modules");
    sample_check(world->judgement, "DRV-902", CHECK_UNKNOWN,
                 "module.nvidia: there is no /sys/module");
    world->input.judgement = world->judgement;
    AUTO_FREE char *text = printed(&world->input);
    assert_non_null(strstr(text,
                           "??   GPU-901 and 1 more check could not be decided: /sys is not "
                           "mounted, or is\n     hidden\n     try: mount -t sysfs sys /sys\n"));
    assert_non_null(strstr(text, "??   DRV-901 cannot tell whether the module is old: module: "
                                 "there is no\n     /proc/modules\n"
                                 "     try: mount -t proc proc /proc\n"));
    assert_null(strstr(text, "DRV-902"));
}

static void sample_library(struct facts *facts, const char *family, const char *name,
                           const char *path, const char *version)
{
    AUTO_FREE char *group = facts_group_name("library", path);
    facts_set_string(facts, group, "family", family, path);
    facts_set_string(facts, group, "name", name, path);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "version", version, path);
}

static void sample_answer(struct facts *facts, const char *library, const char *path,
                          const char *version, const char *source)
{
    AUTO_FREE char *group = facts_group_name("answer", library);
    facts_set_string(facts, group, "path", path, "dlopen(3)");
    facts_set_string(facts, group, "version", version, source);
}

/* What a file does not tell, the library does when called: that file's, and no other's. */
static void called_versions(void **state)
{
    struct world *world = *state;
    struct facts *facts = world->facts;
    sample_library(facts, "cudnn", "libcudnn", "/a/libcudnn.so.9", "9");
    sample_library(facts, "cudnn", "libcudnn", "/b/libcudnn.so.9", NULL);
    sample_library(facts, "nccl", "libnccl", "/a/libnccl.so.2", NULL);
    sample_library(facts, "tensorrt", "libnvinfer", "/a/libnvinfer.so.10", "10.3.0.26");
    sample_library(facts, "cudart", "libcudart", "/a/libcudart.so.13", NULL);
    facts_set_string(facts, "loader/libcudart.so.13", "real_path", "/a/libcudart.so.13", "cache");
    sample_answer(facts, "libcudnn.so.9", "/a/libcudnn.so.9", "9.19.0", "cudnnGetVersion");
    sample_answer(facts, "libnccl.so.2", "/a/libnccl.so.2", "2.28.9", "ncclGetVersion");
    sample_answer(facts, "libnvinfer.so.10", "/a/libnvinfer.so.10", "10.3.0", "getInferLibVersion");
    sample_answer(facts, "libcudart.so.13", "/a/libcudart.so.13", "13.0", "cudaRuntimeGetVersion");
    world->input.columns = 200;
    world->input.verbose = true;
    AUTO_FREE char *text = printed(&world->input);
    assert_non_null(strstr(text, "cuDNN      9.19.0, as it reports, in /a; unknown version in /b "
                                 "[cudnnGetVersion]\n"));
    assert_non_null(strstr(
        text, "Libraries  NCCL 2.28.9, as it reports, in /a; TensorRT 10.3.0.26 in /a; "
              "0 NVIDIA libraries in all [ncclGetVersion; /a/libnvinfer.so.10; library search]\n"));
    assert_non_null(strstr(text, "; runtime libcudart 13.0, as it reports ["));
    assert_non_null(strstr(text, "cudaRuntimeGetVersion]\n"));
}

/* Causes that point at each other, at themselves or at nothing: each finding is printed once. */
static void tangled_causes(void **state)
{
    struct world *world = *state;
    judgement_free(world->judgement);
    world->judgement = mem_alloc(sizeof(*world->judgement));
    sample_finding(world->judgement, "DRV-901", SEVERITY_FAIL, "one")->caused_by = "DRV-902";
    sample_finding(world->judgement, "DRV-902", SEVERITY_FAIL, "two")->caused_by = "DRV-901";
    sample_finding(world->judgement, "GPU-901", SEVERITY_FAIL, "three")->caused_by = "GPU-901";
    sample_finding(world->judgement, "CUD-901", SEVERITY_FAIL, "four")->caused_by = "DNN-901";
    sample_finding(world->judgement, "NEW-999", SEVERITY_FAIL, "five");
    world->input.judgement = world->judgement;
    world->input.quiet = true;
    AUTO_FREE char *text = printed(&world->input);
    assert_string_equal(text, "FAIL CUD-901 four\n"
                              "FAIL NEW-999 five\n"
                              "FAIL DRV-901 one\n"
                              "     FAIL DRV-902 two\n"
                              "FAIL GPU-901 three\n"
                              "0 fail, 0 warn, 0 pass, 0 skip, 0 unknown: ok; gpuenv explain "
                              "DRV-901\n");
}

/* One check may find several: the last line says how many lines there are of it. */
static void findings_of_one_check(void **state)
{
    struct world *world = *state;
    judgement_free(world->judgement);
    struct judgement *judgement = world->judgement = mem_alloc(sizeof(*world->judgement));
    sample_finding(judgement, "GPU-901", SEVERITY_WARN, "one");
    sample_finding(judgement, "GPU-901", SEVERITY_WARN, "two");
    sample_finding(judgement, "GPU-902", SEVERITY_WARN, "follows")->caused_by = "GPU-901";
    judgement->warn = 1;
    world->input.judgement = judgement;
    world->input.quiet = true;
    AUTO_FREE char *text = printed(&world->input);
    assert_non_null(strstr(text, "0 fail, 1 warn (2 findings), 0 pass"));
}

/* A fail of a later block comes before a warning of an earlier one. */
static void top_cause_first(void **state)
{
    struct world *world = *state;
    judgement_free(world->judgement);
    struct judgement *judgement = world->judgement = mem_alloc(sizeof(*world->judgement));
    sample_finding(judgement, "CUD-901", SEVERITY_FAIL, "no nvcc");
    sample_finding(judgement, "DRV-901", SEVERITY_WARN, "an old module");
    world->input.judgement = judgement;
    world->input.verbose = true;
    AUTO_FREE char *moved = printed(&world->input);
    const char *cuda = strstr(moved, "FAIL CUD-901 no nvcc");
    const char *driver = strstr(moved, "WARN DRV-901 an old module");
    assert_non_null(cuda);
    assert_non_null(driver);
    assert_true(cuda < driver);
    assert_true(strstr(moved, "CUDA ") < strstr(moved, "GPU "));
    assert_null(strstr(driver, "CUD-901 no nvcc"));

    judgement->findings[1]->severity = SEVERITY_INFO;
    AUTO_FREE char *usual = printed(&world->input);
    assert_true(strstr(usual, "info DRV-901") < strstr(usual, "FAIL CUD-901"));

    judgement->findings[1]->severity = SEVERITY_FAIL;
    judgement->findings[1]->caused_by = "CUD-901";
    AUTO_FREE char *below = printed(&world->input);
    assert_true(strstr(below, "Driver ") < strstr(below, "FAIL CUD-901"));
    assert_non_null(strstr(below, "     FAIL DRV-901"));
}

static void colour_marks(void **state)
{
    struct world *world = *state;
    world->input.colour = true;
    world->input.quiet = true;
    AUTO_FREE char *text = printed(&world->input);
    assert_true(string_starts(text, "\x1b[31m✗\x1b[0m DRV-902 user-space"));
    assert_non_null(strstr(text, "\n  why: packages"));
    assert_non_null(strstr(text, "\n  \x1b[31m✗\x1b[0m GPU-901 no program"));
}

/* A backslash in a command stays one; control bytes never get through. */
static void commands_stay_copyable(void **state)
{
    struct world *world = *state;
    sample_fix(sample_finding(world->judgement, "CUD-901", SEVERITY_FAIL, "a"),
               "printf 'a\\n' | sudo tee /etc/x", NULL, false);
    sample_fix(sample_finding(world->judgement, "CUD-901", SEVERITY_FAIL, "b"), "rm '\x1b\n'", NULL,
               false);
    AUTO_FREE char *text = printed(&world->input);
    assert_non_null(strstr(text, "     fix: printf 'a\\n' | sudo tee /etc/x\n"));
    assert_non_null(strstr(text, "     fix: rm '\\x1b\\x0a'\n"));
}

static void wrapping(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    wrap_paragraph(&text, 20, 2,
                   "one two  three four äöüäöüäöüä six a-word-longer-than-the-line x");
    assert_string_equal(text_string(&text), "  one two three four\n"
                                            "  äöüäöüäöüä six\n"
                                            "  a-word-longer-than-the-line\n"
                                            "  x\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_report, world_new, world_free),
        cmocka_unit_test_setup_teardown(quiet_report, world_new, world_free),
        cmocka_unit_test_setup_teardown(verbose_report, world_new, world_free),
        cmocka_unit_test_setup_teardown(labels_of_fixes, world_new, world_free),
        cmocka_unit_test_setup_teardown(fine_report, world_new, world_free),
        cmocka_unit_test_setup_teardown(long_report, world_new, world_free),
        cmocka_unit_test_setup_teardown(no_gpu_was_given, world_new, world_free),
        cmocka_unit_test_setup_teardown(unknown_is_never_ok, world_new, world_free),
        cmocka_unit_test_setup_teardown(unknown_for_one_reason, world_new, world_free),
        cmocka_unit_test_setup_teardown(unknown_for_one_origin, world_new, world_free),
        cmocka_unit_test_setup_teardown(called_versions, world_new, world_free),
        cmocka_unit_test_setup_teardown(tangled_causes, world_new, world_free),
        cmocka_unit_test_setup_teardown(findings_of_one_check, world_new, world_free),
        cmocka_unit_test_setup_teardown(top_cause_first, world_new, world_free),
        cmocka_unit_test_setup_teardown(colour_marks, world_new, world_free),
        cmocka_unit_test_setup_teardown(commands_stay_copyable, world_new, world_free),
        cmocka_unit_test(wrapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
