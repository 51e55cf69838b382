/* SPDX-License-Identifier: MIT */
#include "cli/about/helper_build.h"

#include <string.h>

#include "base/error.h"
#include "host/child/child.h"
#include "host/local/helper.h"

#define TIMEOUT_MS 5000

/* A line "name version". */
static void take_line(struct helper_build *helper, char *line)
{
    char *space = strchr(line, ' ');
    if (space == NULL)
        return;
    *space = '\0';
    AUTO_FREE char *name = string_safe(line);
    AUTO_FREE char *value = string_safe(space + 1);
    if (string_equal(name, "commit")) {
        free(helper->commit);
        helper->commit = mem_steal(&value);
        return;
    }
    if (string_equal(name, HELPER_NAME)) {
        free(helper->version);
        helper->version = mem_string(value);
    }
    json_object_set_new(helper->versions, name, json_from_string(value));
}

struct helper_build helper_build_ask(const struct host *live)
{
    AUTO_ERROR struct error error = {0};
    AUTO_CHILD_RESULT struct child_result result = {.exited = false};
    struct helper_build helper = {.path = helper_path(live)};
    if (helper.path == NULL)
        return helper;
    helper.versions = json_object();
    const char *const argv[] = {helper.path, "--version", NULL};
    if (!child_run(live, argv, TIMEOUT_MS, &result, &error)) {
        helper.problem = mem_printf("%s: %s", error.what, error.why ? error.why : "");
        return helper;
    }
    AUTO_FREE char *output = text_steal(&result.output);
    char *cursor = output;
    for (char *line; (line = string_next_line(&cursor)) != NULL;)
        take_line(&helper, line);
    helper.problem = child_result_problem(&result);
    return helper;
}

void helper_build_free(struct helper_build *helper)
{
    free(helper->path);
    free(helper->problem);
    free(helper->version);
    free(helper->commit);
    json_decref(helper->versions);
}
