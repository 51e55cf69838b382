/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "rules/engine/finding.h"
#include "report/sample.h"

struct world {
    struct facts *facts;
    struct judgement *judgement;
    json_t *report;
};

static int world_new(void **state)
{
    struct world *world = mem_alloc(sizeof(*world));
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    world->facts = sample_facts();
    world->judgement = sample_judgement();
    struct report_input input = sample_input(world->facts, world->judgement, NULL);
    report_format_find("json")->doctor(&input, &text);
    world->report = json_parse(text.data, text.size, 1u << 20, "report", &error);
    *state = world;
    return world->report ? 0 : -1;
}

static int world_free(void **state)
{
    struct world *world = *state;
    facts_free(world->facts);
    judgement_free(world->judgement);
    json_decref(world->report);
    free(world);
    return 0;
}

/* The value at a path such as "findings/0/fix/1/command". */
static json_t *at(const struct world *world, const char *path)
{
    AUTO_STRLIST struct strlist keys = {0};
    json_t *value = world->report;
    strlist_split(&keys, path, '/');
    for (size_t i = 0; i < keys.count; i++)
        value = json_is_array(value) ? json_array_get(value, strtoul(keys.items[i], NULL, 10))
                                     : json_object_get(value, keys.items[i]);
    if (value == NULL)
        print_error("nothing at %s\n", path);
    assert_non_null(value);
    return value;
}

static void assert_string_at(const struct world *world, const char *path, const char *expected)
{
    assert_string_equal(json_string_value(at(world, path)), expected);
}

static void assert_number_at(const struct world *world, const char *path, json_int_t expected)
{
    assert_true(json_is_integer(at(world, path)));
    assert_int_equal(json_integer_value(at(world, path)), expected);
}

static void envelope(void **state)
{
    const struct world *world = *state;
    assert_number_at(world, "schema_version", 1);
    assert_string_at(world, "tool/name", "gpuenv");
    assert_string_at(world, "tool/version", "0.1.0");
    assert_string_at(world, "manifest/version", "7");
    assert_string_at(world, "manifest/date", "2026-11-20");
}

static void host(void **state)
{
    const struct world *world = *state;
    assert_string_at(world, "host/os", "Ubuntu 24.04.1 LTS");
    assert_string_at(world, "host/kernel", "6.8.0-45-generic");
    assert_string_at(world, "host/architecture", "x86_64");
    assert_string_at(world, "host/virtualization", "kvm");
    assert_string_at(world, "host/root", "/");
    assert_true(json_is_null(at(world, "host/container")));
    assert_true(json_is_null(at(world, "host/wsl")));
    assert_true(json_is_null(at(world, "host/record")));
    assert_string_at(world, "profile/name", "run");
    assert_string_at(world, "profile/reason", "not in a container");
}

static void findings(void **state)
{
    const struct world *world = *state;
    assert_int_equal(json_array_size(at(world, "findings")), 4);
    assert_string_at(world, "findings/0/code", "DRV-902");
    assert_string_at(world, "findings/0/cause", "library_old");
    assert_string_at(world, "findings/0/severity", "fail");
    assert_true(json_is_null(at(world, "findings/0/subject")));
    assert_string_at(world, "findings/0/manifest", "driver/570");
    assert_true(json_is_null(at(world, "findings/0/caused_by")));
    assert_int_equal(json_array_size(at(world, "findings/0/fix")), 3);
    assert_string_at(world, "findings/0/fix/1/command", "sudo systemctl reboot");
    assert_true(json_is_true(at(world, "findings/0/fix/1/reboot")));
    assert_true(json_is_false(at(world, "findings/0/fix/1/root")));
    assert_true(json_is_null(at(world, "findings/0/fix/2/command")));
    assert_string_at(world, "findings/0/evidence/1/source", "/sys/module/nvidia/version");
    assert_string_at(world, "findings/0/evidence/1/value", "570.195.03");
    assert_string_at(world, "findings/0/evidence/0/name", "version");
    assert_string_at(world, "findings/1/caused_by", "DRV-902");
}

static void checks_and_summary(void **state)
{
    const struct world *world = *state;
    assert_int_equal(json_array_size(at(world, "checks")), 7);
    assert_string_at(world, "checks/3/code", "CUD-901");
    assert_string_at(world, "checks/3/status", "unknown");
    assert_true(json_number_value(at(world, "checks/3/duration_ms")) == 0.5);
    assert_number_at(world, "summary/pass", 3);
    assert_number_at(world, "summary/warn", 1);
    assert_number_at(world, "summary/fail", 1);
    assert_number_at(world, "summary/skip", 1);
    assert_number_at(world, "summary/unknown", 1);
    assert_number_at(world, "summary/exit_code", 1);
    assert_string_at(world, "summary/verdict", "broken");
}

static void verdicts(void **state)
{
    (void)state;
    static const struct {
        struct judgement judgement;
        const char *verdict;
    } rows[] = {
        {.judgement = {.exit_code = 0, .pass = 3}, .verdict = "ok"},
        {.judgement = {.exit_code = 0, .warn = 1}, .verdict = "degraded"},
        {.judgement = {.exit_code = 1, .warn = 1}, .verdict = "degraded"},
        {.judgement = {.exit_code = 3, .warn = 1, .unknown = 1}, .verdict = "unknown"},
        {.judgement = {.exit_code = 1, .fail = 1, .unknown = 1}, .verdict = "broken"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(report_verdict(&rows[i].judgement), rows[i].verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(envelope, world_new, world_free),
        cmocka_unit_test_setup_teardown(host, world_new, world_free),
        cmocka_unit_test_setup_teardown(findings, world_new, world_free),
        cmocka_unit_test_setup_teardown(checks_and_summary, world_new, world_free),
        cmocka_unit_test(verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
