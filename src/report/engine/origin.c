/* SPDX-License-Identifier: MIT */
#include "report/engine/report.h"

static const struct {
    const char *text, *word;
} origins[] = {
    [ORIGIN_BUILT_IN] = {.text = "built in", .word = "built-in"},
    [ORIGIN_UPDATED] = {.text = "updated", .word = "updated"},
    [ORIGIN_FILE] = {.text = "--manifest", .word = "file"},
};

const char *report_origin_text(enum report_origin origin)
{
    return origins[origin].text;
}

const char *report_origin_word(enum report_origin origin)
{
    return origins[origin].word;
}

char *report_manifest_text(const struct report_input *input)
{
    return mem_printf("manifest %s of %s (%s)", input->manifest_version, input->manifest_date,
                      report_origin_text(input->manifest_origin));
}

/* version, date, origin (built-in, updated, file) and, unless it is built in, file. */
static json_t *manifest_json(const struct report_input *input)
{
    json_t *manifest = json_object();
    json_object_set_new(manifest, "version", json_from_string(input->manifest_version));
    json_object_set_new(manifest, "date", json_from_string(input->manifest_date));
    json_set_string(manifest, "origin", origins[input->manifest_origin].word);
    json_set_string(manifest, "file", input->manifest_path);
    return manifest;
}

json_t *report_envelope(const struct report_input *input)
{
    json_t *envelope = json_object();
    json_t *tool = json_object();
    json_object_set_new(tool, "name", json_string("gpuenv"));
    json_object_set_new(tool, "version", json_from_string(input->tool_version));
    json_object_set_new(envelope, "schema_version", json_integer(1));
    json_object_set_new(envelope, "tool", tool);
    json_object_set_new(envelope, "manifest", manifest_json(input));
    return envelope;
}
