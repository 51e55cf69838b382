/* SPDX-License-Identifier: MIT */
/* The rows of manifests/error.json by number and by name. */
#include <string.h>

#include "manifest/error/error_table.h"
#include "manifest/store/store.h"

const char *manifest_error_list_name(enum manifest_error_list list)
{
    static const char *const names[] = {
        [ERRORS_CUDA] = "CUDA",   [ERRORS_NVML] = "NVML", [ERRORS_XID] = "Xid",
        [ERRORS_CUDNN] = "cuDNN", [ERRORS_NCCL] = "NCCL", [ERRORS_MESSAGE] = "message"};
    return names[list];
}

const char *const manifest_error_list_words[ERROR_LISTS] = {
    [ERRORS_CUDA] = "cuda",   [ERRORS_NVML] = "nvml", [ERRORS_XID] = "xid",
    [ERRORS_CUDNN] = "cudnn", [ERRORS_NCCL] = "nccl", [ERRORS_MESSAGE] = "message"};

const struct manifest_error *manifest_errors(struct manifest *manifest,
                                             enum manifest_error_list list, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_error_subject, list, ret_count);
}

/* cuDNN numbered its statuses from 1 on before cuDNN 9, and from 1001 on since. */
bool manifest_error_has_number(const struct manifest_error *row, uint64_t number)
{
    return row->code == number || (row->older_code != 0 && row->older_code == number);
}

const struct manifest_error *manifest_error(struct manifest *manifest,
                                            enum manifest_error_list list, int64_t code)
{
    size_t count;
    if (code < 0)
        return NULL;
    const struct manifest_error *rows =
        manifest_rows_with(manifest, &manifest_error_subject, list, (uint64_t)code, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

const struct manifest_error *manifest_error_named(struct manifest *manifest, const char *name,
                                                  enum manifest_error_list *ret_list)
{
    AUTO_FREE char *id = mem_printf("error/%s", name);
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        for (size_t i = 0; i < count; i++)
            if (rows[i].error == NULL && string_equal(rows[i].id, id)) {
                *ret_list = list;
                return &rows[i];
            }
    }
    return NULL;
}

const struct manifest_error *manifest_error_meant(struct manifest *manifest,
                                                  const struct manifest_error *message,
                                                  enum manifest_error_list *ret_list)
{
    *ret_list = ERRORS_MESSAGE;
    return message->error ? manifest_error_named(manifest, message->error, ret_list) : message;
}

const struct manifest_error_action *manifest_error_action(struct manifest *manifest,
                                                          const char *action)
{
    size_t count;
    const struct manifest_error_action *rows =
        manifest_rows(manifest, &manifest_error_subject, ERROR_ACTIONS, &count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(rows[i].action);
        if (strncmp(action, rows[i].action, size) == 0 && strchr(" ", action[size]) != NULL)
            return &rows[i];
    }
    return NULL;
}
