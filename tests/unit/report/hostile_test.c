/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "facts/record.h"
#include "rules/engine/finding.h"
#include "report/sample.h"

/* ESC, newline, invalid UTF-8, a right-to-left override, a line separator, DEL, C1, percent. */
#define EVIL "a\x1b[2J\n\xff\xc3(\xe2\x80\xae\xe2\x80\xa8\x7f\xc2\x9b%n%s\r\tz"
#define SHOWN                                                                                      \
    "a\\x1b[2J\\x0a\\xff\\xc3(\\xe2\\x80\\xae\\xe2\\x80\\xa8\\x7f\\xc2\\x9b%n%s\\x0d\\x09z"

struct world {
    struct facts *facts;
    struct judgement *judgement;
    struct strlist gpu_names;
    struct report_input input;
};

static void hostile_facts(struct facts *facts)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, EVIL);
    strlist_add(&list, "plain");
    facts_set_string(facts, "os", "pretty_name", EVIL, EVIL);
    facts_set_string(facts, "os", "glibc_version", EVIL, EVIL);
    facts_set_string(facts, "os", "architecture", EVIL, EVIL);
    facts_set_string(facts, "kernel", "release", EVIL, EVIL);
    facts_set_string(facts, "machine", "virtualization", EVIL, EVIL);
    facts_set_string(facts, "machine", "jetson_model", EVIL, EVIL);
    facts_set_string(facts, "container", "engine", EVIL, EVIL);
    facts_set_string(facts, "module", "version", EVIL, EVIL);
    facts_set_string(facts, "module", "flavour", EVIL, EVIL);
    facts_set_integer(facts, "pci", "count", -1, EVIL);
    facts_set_string(facts, "pci/0", "device_id", EVIL, EVIL);
    facts_set_string(facts, "pci/1", "device_id", EVIL, EVIL);
    facts_set_string(facts, "assumed/0", "name", EVIL, EVIL);
    facts_set_string(facts, "toolkit/0", "version", EVIL, EVIL);
    facts_set_string(facts, "toolkit/0", "path", EVIL, EVIL);
    facts_set_list(facts, "toolkit/0", "named_by", &list, EVIL);
    facts_set_unknown(facts, "toolkit", "count", EVIL, EVIL);
    facts_set_string(facts, "library/0", "family", "cudnn", EVIL);
    facts_set_string(facts, "library/0", "name", "libcudnn", EVIL);
    facts_set_string(facts, "library/0", "path", EVIL, EVIL);
    facts_set_string(facts, "library/0", "version", EVIL, EVIL);
    facts_set_skipped(facts, "memory", "total_bytes", EVIL, EVIL);
    facts_set_string(facts, "environment", EVIL, EVIL, EVIL);
}

static void hostile_judgement(struct judgement *judgement)
{
    judgement->purpose_reason = mem_string(EVIL);
    struct finding *finding = sample_finding(judgement, EVIL, SEVERITY_FAIL, EVIL);
    finding->subject = mem_string(EVIL);
    finding->why = mem_string(EVIL);
    finding->manifest = mem_string(EVIL);
    sample_fix(finding, EVIL, EVIL, true);
    sample_fix(finding, NULL, EVIL, false);
    sample_evidence(finding, EVIL, EVIL, EVIL);
    sample_finding(judgement, "GPU-901", SEVERITY_WARN, EVIL)->caused_by = EVIL;
    sample_check(judgement, EVIL, CHECK_UNKNOWN, EVIL);
    sample_check(judgement, "DRV-901", CHECK_SKIP, EVIL);
    sample_check(judgement, "DRV-902", CHECK_PASS, NULL);
    sample_check(judgement, "GPU-901", CHECK_WARN, NULL);
    sample_check(judgement, "CUD-901", CHECK_UNKNOWN, EVIL);
    sample_check(judgement, "DNN-901", CHECK_PASS, NULL);
    sample_check(judgement, "CON-901", CHECK_PASS, NULL);
    sample_check(judgement, "HST-901", CHECK_PASS, NULL);
    judgement->exit_code = 1;
}

static int world_new(void **state)
{
    struct world *world = mem_alloc(sizeof(*world));
    world->facts = facts_new();
    world->judgement = mem_alloc(sizeof(*world->judgement));
    hostile_facts(world->facts);
    hostile_judgement(world->judgement);
    strlist_add(&world->gpu_names, EVIL);
    world->input = sample_input(world->facts, world->judgement, &world->gpu_names);
    world->input.tool_version = world->input.manifest_version = EVIL;
    world->input.manifest_date = world->input.driver_cuda = EVIL;
    world->input.root = world->input.record = EVIL;
    world->input.verbose = true;
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

/* Valid UTF-8 without a control character but the newline, and nothing that turns text round. */
static void assert_printable(const struct text *text)
{
    assert_true(text->size > 0);
    assert_true(utf8_valid(text->data, text->size));
    for (size_t i = 0; i < text->size; i++) {
        unsigned char c = (unsigned char)text->data[i];
        assert_true((c >= 0x20 || c == '\n') && c != 0x7f);
        assert_false(c == 0xc2 && (unsigned char)text->data[i + 1] < 0xa0);
    }
    assert_null(strstr(text->data, "\xe2\x80\xae"));
    assert_null(strstr(text->data, "\xe2\x80\xa8"));
}

static void doctor_text_is_printable(void **state)
{
    struct world *world = *state;
    AUTO_TEXT struct text text = {0};
    report_format_find("text")->doctor(&world->input, &text);
    assert_printable(&text);
    assert_non_null(strstr(text.data, SHOWN));
    assert_non_null(strstr(text.data, "why: " SHOWN "\n"));
    assert_non_null(strstr(text.data, "fix: " SHOWN "\n"));
    assert_non_null(strstr(text.data, "saw: " SHOWN ":\n"));
}

static void facts_text_is_printable(void **state)
{
    struct world *world = *state;
    AUTO_TEXT struct text text = {0};
    report_facts_text(&world->input, &text);
    assert_printable(&text);
    assert_non_null(strstr(text.data, SHOWN));
}

static void doctor_json_is_ascii_and_keeps_meaning(void **state)
{
    struct world *world = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    report_format_find("json")->doctor(&world->input, &text);
    for (size_t i = 0; i < text.size; i++)
        assert_true((text.data[i] >= 0x20 && text.data[i] < 0x7f) || text.data[i] == '\n');
    AUTO_JSON json_t *report = json_parse(text.data, text.size, 1u << 20, "report", &error);
    assert_non_null(report);
    const json_t *finding = json_array_get(json_object_get(report, "findings"), 0);
    const char *const keys[] = {"code", "cause", "subject", "message", "why", "manifest"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_string_equal(json_string_value(json_object_get(finding, keys[i])), SHOWN);
}

/* A string that JSON can hold comes back as it was, whatever it does to a terminal. */
static void valid_strings_come_back_whole(void **state)
{
    static const char valid[] = "\x1b[2J\n\t\"\\\xe2\x80\xae\xe2\x80\xa8\x7f\xf0\x9f\x98\x80";
    struct world *world = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    free(world->judgement->findings[0]->message);
    world->judgement->findings[0]->message = mem_string(valid);
    report_format_find("json")->doctor(&world->input, &text);
    AUTO_JSON json_t *report = json_parse(text.data, text.size, 1u << 20, "report", &error);
    const json_t *finding = json_array_get(json_object_get(report, "findings"), 0);
    assert_string_equal(json_string_value(json_object_get(finding, "message")), valid);
}

static void facts_json_is_a_record(void **state)
{
    struct world *world = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    report_facts_json(&world->input, &text);
    struct facts *again = record_load(text.data, text.size, "record", &error);
    assert_non_null(again);
    assert_string_equal(facts_string(again, "module", "version"), EVIL);
    assert_string_equal(facts_list(again, "toolkit/0", "named_by")->items[0], EVIL);
    facts_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(doctor_text_is_printable, world_new, world_free),
        cmocka_unit_test_setup_teardown(facts_text_is_printable, world_new, world_free),
        cmocka_unit_test_setup_teardown(doctor_json_is_ascii_and_keeps_meaning, world_new,
                                        world_free),
        cmocka_unit_test_setup_teardown(valid_strings_come_back_whole, world_new, world_free),
        cmocka_unit_test_setup_teardown(facts_json_is_a_record, world_new, world_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
