/* SPDX-License-Identifier: MIT */
#include "install/print/envelope.h"

#include "base/text.h"
#include "install/run/run.h"
#include "manifest/manifest.h"

bool print_is_json(const struct run *run)
{
    return string_equal(run->request->format, "json");
}

json_t *print_envelope(const struct run *run)
{
    json_t *json = json_object();
    json_object_set_new(json, "schema_version", json_integer(1));
    json_object_set_new(json, "tool",
                        json_pack("{s:s, s:s}", "name", "gpuenv", "version", GPUENV_VERSION));
    json_object_set_new(json, "manifest",
                        json_pack("{s:s?, s:s?}", "version", manifest_version(run->manifest),
                                  "date", manifest_date(run->manifest)));
    if (run->request->root)
        json_object_set_new(json, "root", json_from_string(run->request->root));
    if (run->request->prefix)
        json_object_set_new(json, run->request->action == ACTION_MIRROR ? "mirror" : "prefix",
                            json_from_string(run->request->prefix));
    return json;
}
