/* SPDX-License-Identifier: MIT */
#include "manifest/error/error_table.h"

#include <string.h>

#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

/* manifests/error.json: a table for each list of numbers, one of messages, and the words that
 * NVIDIA says with an Xid. */

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL    "abcdefghijklmnopqrstuvwxyz"
#define LETTERS  CAPITALS SMALL
#define DIGITS   "0123456789"

#define KEYS_BEGIN KEY(manifest_error, code, KEY_CODE, .required = true)
#define KEYS_OF_MEANING                                                                            \
    KEY(manifest_error, meaning, KEY_STRING), KEY(manifest_error, cause, KEY_STRING),              \
        KEY(manifest_error, fix, KEY_STRING)
#define KEYS_END                                                                                   \
    KEY(manifest_error, findings, KEY_STRINGS), KEY(manifest_error, facts, KEY_STRINGS),           \
        KEY(manifest_error, remaining, KEY_STRING), KEY(manifest_error, command, KEY_STRING),      \
        KEY(manifest_error, root, KEY_CHOICE, .choices = manifest_yes),                            \
        KEY(manifest_error, meaning_confidence, KEY_CHOICE, .choices = manifest_confidence),       \
        KEYS_OF_EVERY_ROW(manifest_error),                                                         \
    {                                                                                              \
        .name = NULL                                                                               \
    }

static const struct manifest_key cuda_keys[] = {
    KEYS_BEGIN,
    KEY(manifest_error, name, KEY_STRING),
    KEY(manifest_error, runtime_name, KEY_STRING),
    KEY(manifest_error, words, KEY_STRING),
    KEYS_OF_MEANING,
    KEYS_END,
};

static const struct manifest_key nvml_keys[] = {
    KEYS_BEGIN,
    KEY(manifest_error, name, KEY_STRING, .required = true),
    KEY(manifest_error, words, KEY_STRING),
    KEYS_OF_MEANING,
    KEYS_END,
};

static const struct manifest_key xid_keys[] = {
    KEYS_BEGIN,
    KEY(manifest_error, name, KEY_STRING),
    KEYS_OF_MEANING,
    KEY(manifest_error, action, KEY_STRING),
    KEY(manifest_error, investigate, KEY_STRING),
    KEY(manifest_error, application, KEY_CHOICE, .choices = manifest_yes),
    KEYS_END,
};

static const struct manifest_key cudnn_keys[] = {
    KEYS_BEGIN,
    KEY(manifest_error, name, KEY_STRING, .required = true),
    KEY(manifest_error, older_name, KEY_STRING),
    KEY(manifest_error, older_code, KEY_UNSIGNED),
    KEYS_OF_MEANING,
    KEYS_END,
};

/* As of NVML: code, name and what it means. */
#define nccl_keys nvml_keys

static const struct manifest_key messages_keys[] = {
    KEY(manifest_error, text, KEY_STRING, .required = true),
    KEY(manifest_error, by, KEY_STRING, .required = true),
    KEY(manifest_error, error, KEY_STRING),
    KEYS_OF_MEANING,
    KEYS_END,
};

static const struct manifest_key action_keys[] = {
    KEY(manifest_error_action, action, KEY_STRING, .required = true),
    KEY(manifest_error_action, meaning, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_error_action),
    {.name = NULL},
};

static char *cuda_id(const void *row)
{
    return mem_printf("error/cuda-%u", ((const struct manifest_error *)row)->code);
}

static char *nvml_id(const void *row)
{
    return mem_printf("error/nvml-%u", ((const struct manifest_error *)row)->code);
}

static char *xid_id(const void *row)
{
    return mem_printf("error/xid-%u", ((const struct manifest_error *)row)->code);
}

static char *cudnn_id(const void *row)
{
    return mem_printf("error/cudnn-%u", ((const struct manifest_error *)row)->code);
}

static char *nccl_id(const void *row)
{
    return mem_printf("error/nccl-%u", ((const struct manifest_error *)row)->code);
}

static char *messages_id(const void *row)
{
    AUTO_FREE char *slug = manifest_slug(((const struct manifest_error *)row)->text);
    return mem_printf("error/message-%s", slug);
}

static char *action_id(const void *row)
{
    return mem_printf("error/action-%s", ((const struct manifest_error_action *)row)->action);
}

/* Whether name is prefix and then characters of allowed alone. */
static bool is_named(const char *name, const char *prefix, const char *allowed)
{
    size_t size = strlen(prefix);
    return strncmp(name, prefix, size) == 0 && name[size] != '\0' &&
           name[size + strspn(name + size, allowed)] == '\0';
}

/* "nvml.fabric_state" */
static bool is_fact(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot != NULL && dot > name && strspn(name, LETTERS "_") == (size_t)(dot - name) &&
           is_named(dot, ".", LETTERS DIGITS "_");
}

const char *manifest_error_fact(const char *entry, struct strlist *ret_names)
{
    const char *colon = strstr(entry, ": ");
    if (colon == NULL || colon[2] == '\0')
        return NULL;
    AUTO_FREE char *names = mem_string_n(entry, (size_t)(colon - entry));
    for (char *name = names; name != NULL;) {
        char *comma = strstr(name, ", ");
        if (comma != NULL)
            *comma = '\0';
        if (!is_fact(name))
            return NULL;
        strlist_add(ret_names, name);
        name = comma != NULL ? comma + 2 : NULL;
    }
    return colon + 2;
}

static bool lists_check(const struct manifest_place *place, const struct manifest_error *row)
{
    for (size_t i = 0; i < row->findings.count; i++)
        if (!is_named(row->findings.items[i], "", SMALL DIGITS "_"))
            return place_problem(place, "findings", row->findings.items[i],
                                 "causes of findings such as driver_too_old");
    for (size_t i = 0; i < row->facts.count; i++) {
        AUTO_STRLIST struct strlist names = {0};
        if (manifest_error_fact(row->facts.items[i], &names) == NULL)
            return place_problem(place, "facts", row->facts.items[i],
                                 "facts such as \"module.nvidia: what it tells\"");
    }
    return true;
}

/* Nothing is said of what something comes from before it is said what it is, and no command is
 * there without what it is to decide. */
static bool texts_check(const struct manifest_place *place, const struct manifest_error *row)
{
    const struct {
        const char *key, *value, *needs, *needed;
    } pairs[] = {
        {"cause", row->cause, "meaning", row->meaning},
        {"fix", row->fix, "meaning", row->meaning},
        {"findings", row->findings.count ? "some" : NULL, "meaning", row->meaning},
        {"facts", row->facts.count ? "some" : NULL, "meaning", row->meaning},
        {"remaining", row->remaining, "meaning", row->meaning},
        {"meaning_confidence", row->meaning_confidence, "meaning", row->meaning},
        {"meaning", row->meaning, "meaning_confidence", row->meaning_confidence},
        {"remaining", row->remaining, "command", row->command},
        {"command", row->command, "remaining", row->remaining},
        {"root", row->root, "command", row->command},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (pairs[i].value != NULL && pairs[i].needed == NULL)
            return place_problem(place, pairs[i].needs, "nothing", "a value, since %s is given",
                                 pairs[i].key);
    return true;
}

static bool error_check(const struct manifest_place *place, const struct manifest_error *row,
                        const struct manifest_error *before)
{
    if (before != NULL && row->code < before->code)
        return place_problem(place, "code", row->id, "a row that sorts after %s", before->id);
    return texts_check(place, row) && lists_check(place, row);
}

static bool cuda_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_error *row = item;
    if (row->name == NULL && row->runtime_name == NULL)
        return place_problem(place, "name", "nothing", "a value here or in runtime_name");
    if (row->name != NULL && !is_named(row->name, "CUDA_", CAPITALS DIGITS "_"))
        return place_problem(place, "name", row->name, "a name such as CUDA_ERROR_NO_DEVICE");
    if (row->runtime_name != NULL && !is_named(row->runtime_name, "cuda", LETTERS DIGITS))
        return place_problem(place, "runtime_name", row->runtime_name,
                             "a name such as cudaErrorNoDevice");
    return error_check(place, row, previous);
}

static bool nvml_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_error *row = item;
    if (!is_named(row->name, "NVML_", CAPITALS DIGITS "_"))
        return place_problem(place, "name", row->name, "a name such as NVML_ERROR_UNKNOWN");
    return error_check(place, row, previous);
}

static bool xid_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_error *row = item;
    if (row->code == 0)
        return place_problem(place, "code", "0", "an Xid, 1 or greater");
    if (row->name != NULL && !is_named(row->name, "", CAPITALS DIGITS "_"))
        return place_problem(place, "name", row->name, "a name such as GSP_ERROR");
    return error_check(place, row, previous);
}

static bool cudnn_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_error *row = item;
    const char *names[] = {row->name, row->older_name};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i] != NULL && !is_named(names[i], "CUDNN_STATUS_", CAPITALS "_"))
            return place_problem(place, i ? "older_name" : "name", names[i],
                                 "a name such as CUDNN_STATUS_NOT_INITIALIZED");
    if (row->older_name != NULL && row->older_code == 0)
        return place_problem(place, "older_code", "nothing", "a value, since older_name is given");
    return error_check(place, row, previous);
}

static bool nccl_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_error *row = item;
    if (!is_named(row->name, "nccl", LETTERS))
        return place_problem(place, "name", row->name, "a name such as ncclSystemError");
    return error_check(place, row, previous);
}

static bool messages_check(const struct manifest_place *place, const void *item,
                           const void *previous)
{
    const struct manifest_error *row = item;
    const struct manifest_error *before = previous;
    if (before != NULL && strcmp(row->text, before->text) < 0)
        return place_problem(place, "text", row->text, "a row that sorts after %s", before->text);
    if (row->error == NULL && row->meaning == NULL)
        return place_problem(place, "meaning", "nothing", "a value here or in error");
    if (row->error != NULL && (row->meaning != NULL || row->findings.count > 0))
        return place_problem(place, "error", row->error,
                             "either error alone, or meaning and findings");
    return texts_check(place, row) && lists_check(place, row);
}

static bool action_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_error_action *row = item;
    const struct manifest_error_action *before = previous;
    if (!is_named(row->action, "", CAPITALS DIGITS "_/"))
        return place_problem(place, "action", row->action, "a word such as RESET_GPU");
    if (before != NULL && strcmp(row->action, before->action) < 0)
        return place_problem(place, "action", row->action, "a row that sorts after %s",
                             before->action);
    return true;
}

#define ERROR_TABLE(list, words, ...)                                                              \
    {                                                                                              \
        .name = #list, .about = (words), .keys = list##_keys,                                      \
        .row_size = sizeof(struct manifest_error),                                                 \
        .id_offset = offsetof(struct manifest_error, id), .id = list##_id, .check = list##_check,  \
        __VA_ARGS__                                                                                \
    }

static manifest_agreement xid_agrees, messages_agrees;

const struct manifest_subject manifest_error_subject = {
    .name = "error",
    .tables = {[ERRORS_CUDA] =
                   ERROR_TABLE(cuda, "errors of the driver API and the runtime", .agrees = NULL),
               [ERRORS_NVML] = ERROR_TABLE(nvml, "errors of NVML", .agrees = NULL),
               [ERRORS_XID] =
                   ERROR_TABLE(xid, "Xid errors in the kernel log", .agrees = xid_agrees),
               [ERRORS_CUDNN] = ERROR_TABLE(cudnn, "statuses of cuDNN", .agrees = NULL),
               [ERRORS_NCCL] = ERROR_TABLE(nccl, "results of NCCL", .agrees = NULL),
               [ERRORS_MESSAGE] =
                   ERROR_TABLE(messages, "messages that people see", .agrees = messages_agrees),
               [ERROR_ACTIONS] = {.name = "actions",
                                  .about = "what NVIDIA says to do after an Xid",
                                  .keys = action_keys,
                                  .row_size = sizeof(struct manifest_error_action),
                                  .id_offset = offsetof(struct manifest_error_action, id),
                                  .id = action_id,
                                  .check = action_check}},
};

static bool xid_agrees(struct manifest *manifest, struct manifest_place *place, const void *item)
{
    const struct manifest_error *row = item;
    if (row->action == NULL || manifest_error_action(manifest, row->action) != NULL)
        return true;
    return place_problem(place, "action", row->action, "a word that error.actions lists");
}

static bool messages_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *item)
{
    const struct manifest_error *row = item;
    enum manifest_error_list list;
    if (row->error == NULL || manifest_error_meant(manifest, row, &list) != NULL)
        return true;
    return place_problem(place, "error", row->error, "a row such as cuda-802");
}
