/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"

#include <string.h>

#include "base/json.h"
#include "host/file.h"

/* What is installed already, in so far as it decides what is to be: the installer, which changes
 * it, reads it strictly. */

/* As install/ledger.h has them, whose room this one does not see. */
#define LEDGER     ".gpuenv/ledger.json"
#define LEDGER_MAX (64u << 20)

static bool read_ledger(const struct session *session, const char *prefix, struct text *text)
{
    AUTO_FREE char *path = mem_printf("%s/" LEDGER, prefix);
    struct host_stat status;
    return host_lstat(session->live, path, &status, NULL) == HOST_OK &&
           status.type == HOST_REGULAR && (status.mode & 022) == 0 &&
           (status.user == 0 || status.user == host_user_id(session->live)) &&
           host_read(session->live, path, LEDGER_MAX, text, NULL) == HOST_OK;
}

bool installer_cuda_there(const struct session *session, const char *prefix,
                          struct version *ret_version)
{
    AUTO_TEXT struct text text = {0};
    if (!read_ledger(session, prefix, &text))
        return false;
    AUTO_JSON json_t *json = json_parse(text_string(&text), text.size, LEDGER_MAX, prefix, NULL);
    const json_t *products = json_object_get(json, "products");
    for (size_t i = 0; i < json_array_size(products); i++) {
        const json_t *row = json_array_get(products, i);
        const char *version = json_string_value(json_object_get(row, "version"));
        if (string_equal(json_string_value(json_object_get(row, "product")), "cuda"))
            return version && version_parse(version, ret_version);
    }
    return false;
}

char *installer_linked_prefix(const struct session *session)
{
    const char *data = host_environment(session->live, "XDG_DATA_HOME");
    const char *home = host_environment(session->live, "HOME");
    AUTO_FREE char *own = NULL;
    char *path = NULL;
    if (data && data[0] == '/')
        own = mem_printf("%s/gpuenv/cuda", data);
    else if (home && home[0] == '/')
        own = mem_printf("%s/.local/share/gpuenv/cuda", home);
    if (host_user_id(session->live) != 0 && own &&
        host_real_path(session->live, own, &path, NULL) == HOST_OK)
        return path;
    return host_real_path(session->live, "/usr/local/cuda", &path, NULL) == HOST_OK ? path : NULL;
}
