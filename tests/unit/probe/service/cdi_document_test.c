/* SPDX-License-Identifier: MIT */
/* Specifications as documents: what engines refuse, and what only looks like it. */
#include "probe/service/cdi_document.h"

#include "facts/facts.h"
#include "probe/tree.h"

static void assert_problem(const char *text, const char *problem)
{
    AUTO_FREE char *found = cdi_document_problem(text);
    if (!string_equal(found, problem))
        fail_msg("\"%s\", not \"%s\": %s", found ? found : "nothing", problem ? problem : "nothing",
                 text);
}

static void whole_ones(void **state)
{
    (void)state;
    assert_problem("", NULL);
    assert_problem("---\ncdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: \"0\"\n"
                   "  containerEdits:\n    deviceNodes:\n    - path: /dev/nvidia0\n",
                   NULL);
    assert_problem("# don't [care\nkind: a\t# a tab is fine here\n\t\n...\n", NULL);
    assert_problem(
        "containerEdits:\n  env: [\"A=1\",\n    'it''s', # ] a comment\n    \"a \\\" b\"]\n", NULL);
    assert_problem("annotations:\n  any.key: [1]\n  note: |\n    {[ 'text\n    \tx\nkind: b\n",
                   NULL);
    assert_problem("{\"cdiVersion\": \"0.5.0\",\n\t\"devices\": [{\"name\": \"it's\"},]}\n", NULL);
    assert_problem(
        "containerEdits:\n  hooks:\n  - args:\n    - --link\n    - a::b\n    - \"x: y\"\n"
        "    - /lib/[a]\n",
        NULL);
    assert_problem("kind: \"a\n  b\"\n", NULL);
}

static void broken_ones(void **state)
{
    (void)state;
    assert_problem("kind: a\n\tdevices:\n", "line 2: a tab in the indentation");
    assert_problem("kind: a\n  \tdevices:\n", "line 2: a tab in the indentation");
    assert_problem("kind: a\ndevices:\n- name: [\n  b,\n", "line 3: [ is not closed");
    assert_problem("{\"devices\": [{\"name\": \"all\"}", "line 1: { is not closed");
    assert_problem("{\"devices\": [{\"name\": \"all\"]}", "line 1: ] where } is due");
    assert_problem("kind: \"a\nb: c\n", "line 1: \" is not closed");
    assert_problem("kind: a\nannotation: x\n", "line 2: CDI has no key named annotation");
    assert_problem("devices:\n- name: a\n  containerEdit:\n",
                   "line 3: CDI has no key named containerEdit");
    assert_problem("annotations:\n  free: 1\nfree: 1\n", "line 3: CDI has no key named free");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_ones),
        cmocka_unit_test(broken_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
