/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/installer/installer.h"
#include "cli/machine/installed.h"
#include "host/root/file.h"

/* What is installed already, in so far as it decides what is to be: the installer, which changes
 * it, reads it strictly. */

bool installer_cuda_there(const struct session *session, const struct arguments *arguments,
                          const char *prefix, struct version *ret_version)
{
    AUTO_HOST struct host *tree = NULL;
    const struct host *host = NULL;
    AUTO_INSTALLED struct installed installed = {.path = NULL};
    if (!installed_host(session, arguments, &tree, &host, NULL) ||
        !installed_read(host, prefix, &installed))
        return false;
    for (size_t i = 0; i < installed.count; i++) {
        if (!string_equal(installed.products[i].product, "cuda"))
            continue;
        *ret_version = installed.products[i].version;
        return true;
    }
    return false;
}

char *installer_linked_prefix(const struct session *session, const struct arguments *arguments,
                              struct error *error)
{
    AUTO_HOST struct host *tree = NULL;
    const struct host *host = NULL;
    const struct strlist none = {.count = 0};
    AUTO_FREE char *link = NULL;
    char *path = NULL;
    if (installed_host(session, arguments, &tree, &host, error) &&
        installed_choose(session, host, arguments, &none, &link, error))
        host_real_path(host, link, &path, error);
    return path;
}

static bool is_link(const struct host *host, const char *path)
{
    struct host_stat status;
    return host_lstat(host, path, &status, NULL) == HOST_OK && status.type == HOST_LINK;
}

char *installer_read_path(const struct session *session, const struct arguments *arguments,
                          const char *given)
{
    struct host *tree = NULL;
    const struct host *host = NULL;
    char *path = installer_path(arguments, given);
    char *real = NULL;
    for (size_t size = strlen(path); size > 1 && path[size - 1] == '/'; size--)
        path[size - 1] = '\0';
    if (installed_host(session, arguments, &tree, &host, NULL) && is_link(host, path) &&
        host_is_directory(host, path) && host_real_path(host, path, &real, NULL) == HOST_OK) {
        free(path);
        path = real;
    }
    host_free(tree);
    return path;
}
