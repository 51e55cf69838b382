/* SPDX-License-Identifier: MIT */
#include "install/print/envelope.h"

#include "base/text.h"
#include "install/run/run.h"
#include "manifest/manifest.h"

bool print_is_json(const struct run *run)
{
    return string_equal(run->request->format, "json");
}

static json_t *manifest_json(const struct run *run)
{
    const char *origin = run->request->manifest_origin;
    json_t *json = json_pack("{s:s?, s:s?}", "version", manifest_version(run->manifest), "date",
                             manifest_date(run->manifest));
    json_set_string(json, "origin", origin ? origin : "built-in");
    json_set_string(json, "file", run->request->manifest_path);
    return json;
}

json_t *print_envelope(const struct run *run)
{
    json_t *json = json_object();
    json_object_set_new(json, "schema_version", json_integer(1));
    json_object_set_new(json, "tool",
                        json_pack("{s:s, s:s}", "name", "gpuenv", "version", GPUENV_VERSION));
    json_object_set_new(json, "manifest", manifest_json(run));
    if (run->request->root)
        json_object_set_new(json, "root", json_from_string(run->request->root));
    if (run->request->prefix)
        json_object_set_new(json, run->request->action == ACTION_MIRROR ? "mirror" : "prefix",
                            json_from_string(run->request->prefix));
    return json;
}
