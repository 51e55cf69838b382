/* SPDX-License-Identifier: MIT */
#include "report/share/share.h"

#include <string.h>

#include "test.h"
#include "report/share/html.h"
#include "report/share/markdown.h"
#include "report/sample.h"

/* What would end an element, a block of code or a cell, or name somebody. */
#define EVIL "</pre><script>x()</script> ``` ````` | @octocat #1 \x1b[2J\n[os]\nid = 3\n![x](y) $a$"

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

static void fill(struct facts *facts, struct judgement *judgement)
{
    facts_set_string(facts, "os", "pretty_name", EVIL, EVIL);
    facts_set_string(facts, "module", "version", EVIL, EVIL);
    facts_set_string(facts, "pci/0000:01:00.0", "driver", "nvidia", EVIL);
    facts_set_string(facts, "pci/0000:01:00.0", "device_id", EVIL, EVIL);
    facts_set_string(facts, "nvml/0", "name", EVIL, EVIL);
    facts_set_string(facts, "nvml/0", "bus_id", "0000:01:00.0", EVIL);
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 4, EVIL);
    facts_set_string(facts, "library/0", "path", EVIL, EVIL);
    facts_set_string(facts, "toolkit/0", "path", EVIL, EVIL);
    facts_set_unknown(facts, "kernel", "release", EVIL, EVIL);
    judgement->purpose_reason = mem_string(EVIL);
    struct finding *finding = sample_finding(judgement, "DRV-902", SEVERITY_FAIL, EVIL);
    finding->why = mem_string(EVIL);
    sample_fix(finding, EVIL, EVIL, true);
    sample_evidence(finding, EVIL, EVIL, EVIL);
    sample_finding(judgement, "GPU-901", SEVERITY_WARN, EVIL)->caused_by = "DRV-902";
    sample_check(judgement, "CUD-901", CHECK_UNKNOWN, EVIL);
    judgement->exit_code = 1;
}

static void make(void (*report)(const struct report_input *input, struct text *output),
                 struct text *text)
{
    AUTO_FACTS struct facts *facts = facts_new();
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    fill(facts, judgement);
    struct report_input input = {.tool_version = "0.1.0",
                                 .manifest_version = "7",
                                 .manifest_date = "2026-11-20",
                                 .root = EVIL,
                                 .record = EVIL,
                                 .facts = facts,
                                 .judgement = judgement,
                                 .columns = 80};
    report(&input, text);
    judgement_free(judgement);
}

static void test_html(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    make(report_html, &text);
    assert_int_equal(count_of(text_string(&text), "<script"), 1); /* the record's */
    assert_int_equal(count_of(text_string(&text), "</script>"), 1);
    assert_int_equal(count_of(text_string(&text), "<pre>"), count_of(text_string(&text), "</pre>"));
    assert_null(strchr(text_string(&text), '\x1b'));
    assert_non_null(strstr(text_string(&text), "4 NVLinks"));
    assert_non_null(strstr(text_string(&text), "<svg "));
}

/* Outside of code no mark of the machine's is one, and no block of code ends before its end. */
static void test_markdown(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    make(report_markdown, &text);
    char *cursor = text.data;
    size_t fence = 0;
    assert_null(strchr(text_string(&text), '\x1b'));
    for (const char *line; (line = string_next_line(&cursor)) != NULL;) {
        size_t ticks = strspn(line, "`");
        if (ticks >= 3 && (fence == 0 || (ticks >= fence && line[ticks] == '\0'))) {
            fence = fence == 0 ? ticks : 0;
            continue;
        }
        if (fence > 0 || string_starts(line, "<details>") || string_equal(line, "</details>"))
            continue;
        assert_null(strchr(line, '@'));
        assert_int_equal(count_of(line, "<"), count_of(line, "<!-- -->"));
        assert_null(strstr(line, " ``` "));
        assert_false(string_starts(line, "[os]"));
    }
    assert_int_equal(fence, 0);
}

/* What has no room is left out by whole kinds, and said to be. */
static void test_parts(void **state)
{
    (void)state;
    AUTO_FACTS struct facts *facts = facts_new();
    facts_set_integer(facts, "library", "count", 2, "x");
    for (int i = 0; i < 20; i++) {
        AUTO_FREE char *group = mem_printf("library/%d", i);
        AUTO_FREE char *path = mem_printf("/usr/lib/%d/libcudart.so.12", i);
        facts_set_string(facts, group, "path", path, "x");
    }
    facts_set_string(facts, "os", "id", "debian", "x");
    AUTO_PARTS struct share_parts all = share_parts(facts, 10000);
    assert_int_equal(all.titles.count, 2);
    assert_int_equal(all.left_out.count, 0);
    AUTO_PARTS struct share_parts some = share_parts(facts, 300);
    assert_int_equal(some.left_out.count, 1);
    assert_string_equal(some.left_out.items[0], "library");
    assert_null(strstr(some.texts.items[0], "libcudart"));
    assert_non_null(strstr(some.texts.items[0], "- skipped \"left out of the report"));
    AUTO_PARTS struct share_parts none = share_parts(facts, 0);
    assert_int_equal(none.texts.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
