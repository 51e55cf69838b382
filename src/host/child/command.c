/* SPDX-License-Identifier: MIT */
#include "host/child/command.h"

#include "host/root/file.h"

static char *find_program(const struct host *host, const char *name)
{
    static const char *const directories[] = {"/usr/sbin", "/usr/bin", "/sbin", "/bin",
                                              "/run/current-system/sw/bin"};
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        char *path = mem_printf("%s/%s", directories[i], name);
        if (host_exists(host, path))
            return path;
        free(path);
    }
    return NULL;
}

bool command_run(const struct host *host, const struct strlist *words, unsigned timeout_ms,
                 struct child_result *ret_result, struct error *error)
{
    AUTO_FREE char *program = find_program(host, words->items[0]);
    AUTO_FREE const char **argv = NULL;
    size_t count = 0, capacity = 0;
    if (program == NULL)
        return error_set(error, ERROR_NO_INPUT, "there is no %s here", words->items[0]);
    *vec_push(argv, count, capacity) = program;
    for (size_t i = 1; i < words->count; i++)
        *vec_push(argv, count, capacity) = words->items[i];
    vec_push(argv, count, capacity);
    return child_run_clean(host, argv, timeout_ms, ret_result, error);
}
