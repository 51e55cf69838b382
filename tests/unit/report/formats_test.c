/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "report/engine/words.h"
#include "report/formats.h"
#include "report/sample.h"

struct world {
    struct facts *facts;
    struct judgement *judgement;
    struct report_input input;
    struct text text;
};

static int world_new(void **state)
{
    struct world *world = mem_alloc(sizeof(*world));
    world->facts = sample_facts();
    world->judgement = sample_judgement();
    world->input = sample_input(world->facts, world->judgement, NULL);
    *state = world;
    return 0;
}

static int world_free(void **state)
{
    struct world *world = *state;
    facts_free(world->facts);
    judgement_free(world->judgement);
    text_free(&world->text);
    free(world);
    return 0;
}

static const char *print(struct world *world, const char *format)
{
    text_clear(&world->text);
    report_format_find(format)->doctor(&world->input, &world->text);
    return text_string(&world->text);
}

static int code(const struct world *world, const char *format)
{
    return report_format_find(format)->exit_code(world->judgement);
}

/* A judgement that found nothing. */
static void heal(struct world *world)
{
    judgement_free(world->judgement);
    world->judgement = mem_alloc(sizeof(*world->judgement));
    sample_check(world->judgement, "DRV-901", CHECK_PASS, NULL);
    world->input.judgement = world->judgement;
}

#define MISMATCH "user-space driver 570.211.01 does not match the loaded module 570.195.03"

static void nagios(void **state)
{
    struct world *world = *state;
    const char *text = print(world, "nagios");
    assert_true(string_starts(text,
                              "GPUENV CRITICAL - DRV-902 " MISMATCH
                              " | fail=1;;;0 warn=1;;;0 unknown=1;;;0 pass=3;;;0 skip=1;;;0\n"
                              "broken: 1 problem, 1 warning, 1 check could not be decided\n"));
    assert_non_null(strstr(text, "\nfail GPU-901: no program sees a GPU (because of DRV-902)\n"));
    assert_non_null(strstr(text, "\n  fix: sudo rmmod nvidia_uvm "));
    assert_int_equal(code(world, "nagios"), 2);
    heal(world);
    assert_true(
        string_starts(print(world, "nagios"), "GPUENV OK - no problem found | fail=0;;;0 "));
    assert_int_equal(code(world, "nagios"), 0);
}

static void exit_codes_follow_the_judgement(void **state)
{
    struct world *world = *state;
    heal(world);
    sample_check(world->judgement, "HST-901", CHECK_WARN, NULL);
    sample_finding(world->judgement, "HST-901", SEVERITY_WARN, "/dev/shm holds 64 MiB");
    assert_int_equal(code(world, "nagios"), 1);
    assert_int_equal(code(world, "npd"), 0);
    world->judgement->exit_code = EXIT_FOUND; /* --strict */
    assert_int_equal(code(world, "nagios"), 2);
    assert_int_equal(code(world, "npd"), 1);
    world->judgement->exit_code = EXIT_UNKNOWN;
    assert_int_equal(code(world, "nagios"), 3);
    assert_int_equal(code(world, "npd"), 2);
}

static void unknown_names_its_reason(void **state)
{
    struct world *world = *state;
    heal(world);
    sample_check(world->judgement, "CUD-901", CHECK_UNKNOWN, "no answer in 10 s in cuInit");
    world->judgement->exit_code = EXIT_UNKNOWN;
    assert_string_equal(print(world, "npd"), "cannot tell: no answer in 10 s in cuInit\n");
    assert_non_null(
        strstr(print(world, "nagios"), "UNKNOWN - cannot tell: no answer in 10 s in cuInit | "));
    assert_true(string_starts(print(world, "github"),
                              "::warning title=gpuenv%3A unknown::1 check could not be decided; "
                              "cannot tell: no answer in 10 s in cuInit\n"));
    assert_non_null(strstr(print(world, "junit"),
                           "<error type=\"nvcc_gone\" message=\"could not be "
                           "decided: no answer in 10 s in cuInit\">"));
    assert_non_null(strstr(print(world, "prometheus"),
                           "gpuenv_undecided_checks{code=\"CUD-901\",cause=\"nvcc_gone\"} 1\n"));
    world->judgement->exit_code = EXIT_DONE; /* no check of the profile needs it */
    assert_non_null(strstr(print(world, "junit"), "<skipped message=\"could not be decided: no"));
}

static void npd(void **state)
{
    struct world *world = *state;
    assert_string_equal(print(world, "npd"), "DRV-902 " MISMATCH "\n"); /* exactly 80 bytes */
    assert_int_equal(code(world, "npd"), 1);
    free(world->judgement->findings[0]->message);
    world->judgement->findings[0]->message = mem_string("the \xc3\xbc of " MISMATCH);
    assert_string_equal(
        print(world, "npd"),
        "DRV-902 the ? of user-space driver 570.211.01 does not match the loaded modul...\n");
    assert_int_equal(world->text.size, 80 + 1);
}

static void what_was_not_judged_is_said(void **state)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    (void)state;
    error_set(&error, ERROR_DATA, "not a | manifest");
    error_where(&error, "x.json");
    assert_int_equal(report_format_find("nagios")->failed(&error, &text), 3);
    assert_string_equal(text.data,
                        "GPUENV UNKNOWN - gpuenv could not judge: not a \\x7c manifest: x.json\n");
    text_clear(&text);
    assert_int_equal(report_format_find("npd")->failed(&error, &text), 2);
    assert_string_equal(text.data, "gpuenv could not judge: not a | manifest: x.json\n");
}

static void prometheus(void **state)
{
    struct world *world = *state;
    sample_finding(world->judgement, "HST-901", SEVERITY_WARN, "/dev/shm holds 65 MiB");
    const char *text = print(world, "prometheus");
    assert_non_null(strstr(text, "\ngpuenv_verdict{verdict=\"broken\"} 1\n"));
    assert_non_null(strstr(text, "\ngpuenv_verdict{verdict=\"ok\"} 0\n"));
    assert_non_null(strstr(text, "\ngpuenv_exit_code 1\n"));
    assert_non_null(strstr(text, "\ngpuenv_checks{status=\"pass\"} 3\n"));
    assert_non_null(strstr(text, "gpuenv_findings{code=\"GPU-901\",cause=\"gpu_gone\",severity="
                                 "\"fail\",subject=\"\",caused_by=\"DRV-902\"} 1\n"));
    assert_non_null(strstr(text, "{code=\"HST-901\",cause=\"small_shm\",severity=\"warn\",subject="
                                 "\"\",caused_by=\"\"} 2\n"));
    assert_non_null(strstr(text, "gpuenv_driver_info{version=\"570.195.03\",cuda=\"12.8\"} 1\n"));
    assert_null(strstr(text, "64 MiB")); /* no message is a label */
}

static void add_gpu(struct facts *facts, const char *group, const char *name)
{
    facts_set_string(facts, group, "name", name, "nvmlDeviceGetName");
    facts_set_string(facts, group, "capability", "9.0", "nvmlDeviceGetCudaComputeCapability");
}

static void nfd(void **state)
{
    struct world *world = *state;
    add_gpu(world->facts, "nvml/0", "NVIDIA H100 80GB HBM3");
    add_gpu(world->facts, "nvml/1", "NVIDIA H100 80GB HBM3");
    assert_string_equal(print(world, "nfd"),
                        "# gpuenv doctor --format nfd\n"
                        "feature.node.kubernetes.io/gpuenv.verdict=broken\n"
                        "feature.node.kubernetes.io/gpuenv.profile=run\n"
                        "feature.node.kubernetes.io/gpuenv.driver-version=570.195.03\n"
                        "feature.node.kubernetes.io/gpuenv.driver-cuda=12.8\n"
                        "feature.node.kubernetes.io/gpuenv.gpu-count=2\n"
                        "feature.node.kubernetes.io/gpuenv.gpu-name=NVIDIA-H100-80GB-HBM3\n"
                        "feature.node.kubernetes.io/gpuenv.gpu-capability=9.0\n"
                        "feature.node.kubernetes.io/gpuenv.finding-DRV-902=fail\n"
                        "feature.node.kubernetes.io/gpuenv.finding-HST-901=warn\n");
    add_gpu(world->facts, "nvml/1", "NVIDIA L4");
    assert_non_null(strstr(print(world, "nfd"), "gpuenv.gpu-name=mixed\n"));
    facts_set_absent(world->facts, "nvml/1", "name", "nvmlDeviceGetName");
    assert_null(strstr(print(world, "nfd"), "gpu-name"));
}

static void junit(void **state)
{
    struct world *world = *state;
    const char *text = print(world, "junit");
    assert_non_null(strstr(text, "tests=\"7\" failures=\"1\" errors=\"1\" skipped=\"1\">"));
    assert_non_null(strstr(text,
                           "<testcase classname=\"gpuenv.Driver\" name=\"DRV-902 library_old\" "
                           "time=\"0.001\"><failure type=\"library_old\" message=\"" MISMATCH
                           "\">fail: " MISMATCH "\nwhy: "));
    assert_non_null(strstr(text, "<skipped message=\"not in a container\"></skipped>"));
    assert_non_null(strstr(text, "<system-out>warn: /dev/shm holds 64 MiB\n</system-out>"));
}

/* A check whose findings all follow from another does not fail again. */
static void junit_counts_a_cause_once(void **state)
{
    struct world *world = *state;
    world->judgement->checks[2].status = CHECK_FAIL; /* GPU-901 */
    assert_non_null(strstr(print(world, "junit"), "failures=\"1\" errors=\"1\" skipped=\"2\">"));
    assert_non_null(
        strstr(text_string(&world->text), "<skipped message=\"follows from DRV-902\">"));
}

static void junit_with_strict(void **state)
{
    struct world *world = *state;
    heal(world);
    sample_check(world->judgement, "HST-901", CHECK_WARN, NULL);
    sample_finding(world->judgement, "HST-901", SEVERITY_WARN, "/dev/shm holds 64 MiB");
    assert_non_null(strstr(print(world, "junit"), "failures=\"0\""));
    world->judgement->strict = true;
    assert_non_null(strstr(print(world, "junit"), "failures=\"1\""));
}

static void github(void **state)
{
    struct world *world = *state;
    assert_string_equal(
        print(world, "github"),
        "::error title=DRV-902 library_old::" MISMATCH
        "%0Awhy: packages were upgraded and the module was not reloaded; both must be of exactly "
        "the same version%0Afix: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo "
        "modprobe nvidia%0Aalso: GPU-901 no program sees a GPU\n"
        "::warning title=HST-901 small_shm::/dev/shm holds 64 MiB\n"
        "::notice title=DNN-901 cudnn_gone::no cuDNN is installed\n"
        "gpuenv doctor: broken: 1 problem, 1 warning, 1 check could not be decided\n");
}

/* The runner takes ten annotations of a kind. */
static void github_has_ten_of_each(void **state)
{
    struct world *world = *state;
    size_t count = 0;
    for (size_t i = 0; i < 10; i++)
        sample_finding(world->judgement, "HST-901", SEVERITY_WARN, "/dev/shm holds 64 MiB");
    for (const char *at = print(world, "github"); (at = strstr(at, "::warning ")) != NULL; at++)
        count++;
    assert_int_equal(count, 10);
    assert_non_null(
        strstr(text_string(&world->text),
               "::warning title=gpuenv::2 more findings: gpuenv doctor -v shows them\n"));
}

static void markdown(void **state)
{
    struct world *world = *state;
    sample_fix(world->judgement->findings[0], "printf 'a\\n'; echo ```", "then reboot", true);
    const char *text = print(world, "markdown");
    assert_true(string_starts(text,
                              "### gpuenv doctor: broken: 1 problem, 1 warning, 1 check could "
                              "not be decided\n\n**fail DRV-902** " MISMATCH "\n\nWhy: "));
    assert_non_null(strstr(text, "What follows from these:\n\n- **fail GPU-901** no program sees"));
    assert_non_null(
        strstr(text, "| Machine | Ubuntu 24.04.1 LTS, kernel 6.8.0-45-generic, x86\\_64"));
    assert_non_null(strstr(text, "\n````sh\nprintf 'a\\n'; echo ```\n````\n"));
    assert_non_null(strstr(text, "- CUD-901: /usr/local/cuda-12.8/bin/nvcc: no answer in 10 s\n"));
}

static void a_line_is_cut_between_characters(void **state)
{
    static const struct {
        const char *given, *shown;
        size_t most;
    } rows[] = {
        {"abcdefgh", "abcdefgh", 8},
        {"abcdefghi", "abcde...", 8},
        {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4", "\xc3\xa4\xc3\xb6...", 8},
        {"ab\x1b[31mx", "ab...", 8}, /* not in the middle of \x1b */
        {"a\\\\\\\\\\", "a\\\\\\\\...", 8},
        {"abc", "", 0},
        {NULL, "", 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *line = format_line(rows[i].given, rows[i].most);
        assert_string_equal(line, rows[i].shown);
    }
}

/* Whatever a name is, a format has no control character but the newline, and is UTF-8. */
static void hostile_names_stay_in_their_line(void **state)
{
    static const char evil[] = "a\x1b[2J\n::error::|<b>\xff\"'&%\r\t\\\xe2\x80\xae]]>`@x #1 =,:$";
    struct world *world = *state;
    struct finding *finding = world->judgement->findings[0];
    finding->subject = mem_string(evil);
    free(finding->message);
    finding->message = mem_string(evil);
    free(finding->fixes[0].command);
    finding->fixes[0].command = mem_string(evil);
    add_gpu(world->facts, "nvml/0", evil);
    facts_set_string(world->facts, "module", "version", evil, evil);
    for (const struct report_format *format = report_formats; format->name; format++) {
        const char *text = print(world, format->name);
        assert_true(utf8_valid(text, strlen(text)));
        assert_null(strstr(text, "\n::error::"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        for (const char *at = text; *at; at++)
            assert_true(((unsigned char)*at >= 0x20 || *at == '\n') && *at != 0x7f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nagios, world_new, world_free),
        cmocka_unit_test_setup_teardown(exit_codes_follow_the_judgement, world_new, world_free),
        cmocka_unit_test_setup_teardown(unknown_names_its_reason, world_new, world_free),
        cmocka_unit_test_setup_teardown(npd, world_new, world_free),
        cmocka_unit_test(what_was_not_judged_is_said),
        cmocka_unit_test_setup_teardown(prometheus, world_new, world_free),
        cmocka_unit_test_setup_teardown(nfd, world_new, world_free),
        cmocka_unit_test_setup_teardown(junit, world_new, world_free),
        cmocka_unit_test_setup_teardown(junit_counts_a_cause_once, world_new, world_free),
        cmocka_unit_test_setup_teardown(junit_with_strict, world_new, world_free),
        cmocka_unit_test_setup_teardown(github, world_new, world_free),
        cmocka_unit_test_setup_teardown(github_has_ten_of_each, world_new, world_free),
        cmocka_unit_test_setup_teardown(markdown, world_new, world_free),
        cmocka_unit_test(a_line_is_cut_between_characters),
        cmocka_unit_test_setup_teardown(hostile_names_stay_in_their_line, world_new, world_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
