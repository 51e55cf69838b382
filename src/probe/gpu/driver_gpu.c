/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "base/text.h"

/* What the loaded module says of each GPU: kernel-open/nvidia/nv-procfs.c of
 * NVIDIA/open-gpu-kernel-modules. */
#define DRIVER_GPUS     "/proc/driver/nvidia/gpus"
#define INFORMATION_MAX 65536

/* The value behind "KEY:", without white space; NULL when no line has it. text is left whole. */
static char *value_of(const char *text, const char *key)
{
    AUTO_FREE char *copy = mem_string(text);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor));)
        if (string_starts(line, key) && line[strlen(key)] == ':')
            return mem_string(string_trim(line + strlen(key) + 1));
    return NULL;
}

/* A value that every release prints. */
static char *note_value(struct facts *facts, const char *group, const char *name, const char *text,
                        const char *key, const char *path)
{
    AUTO_FREE char *value = value_of(text, key);
    if (value && value[0])
        return mem_steal(&value);
    AUTO_FREE char *reason =
        mem_printf("%s \"%s:\"", value ? "there is no value after" : "no line", key);
    facts_set_unknown(facts, group, name, reason, path);
    return NULL;
}

static void note_bus_id(struct facts *facts, const char *group, const char *text, const char *path)
{
    AUTO_FREE char *bus_id = note_value(facts, group, "bus_id", text, "Bus Location", path);
    string_lower(bus_id);
    if (bus_id)
        facts_set_string(facts, group, "bus_id", bus_id, path);
}

static void note_minor(struct facts *facts, const char *group, const char *text, const char *path)
{
    AUTO_FREE char *minor = note_value(facts, group, "minor", text, "Device Minor", path);
    unsigned long long number;
    if (minor && string_to_unsigned(minor, &number) && number <= UINT32_MAX)
        facts_set_integer(facts, group, "minor", (int64_t)number, path);
    else if (minor)
        note_unexpected(facts, group, "minor", "not a number", minor, path);
}

/* Releases before GSP firmware have no such line; N/A: this GPU runs without. */
static void note_firmware(struct facts *facts, const char *group, const char *text,
                          const char *path)
{
    AUTO_FREE char *firmware = value_of(text, "GPU Firmware");
    bool none = firmware == NULL || firmware[0] == '\0' || string_equal(firmware, "N/A");
    facts_set_string(facts, group, "firmware", none ? NULL : firmware, path);
}

static void note_excluded(struct facts *facts, const char *group, const char *text,
                          const char *path)
{
    AUTO_FREE char *excluded = value_of(text, "GPU Excluded");
    if (excluded == NULL) /* its name in older releases */
        excluded = value_of(text, "Blacklisted");
    if (excluded == NULL)
        facts_set_absent(facts, group, "excluded", path);
    else if (string_equal(excluded, "Yes") || string_equal(excluded, "No"))
        facts_set_boolean(facts, group, "excluded", excluded[0] == 'Y', path);
    else
        note_unexpected(facts, group, "excluded", "neither Yes nor No", excluded, path);
}

static void note_gpu(const struct host *host, struct facts *facts, const char *directory)
{
    static const char *const names[] = {"bus_id", "model", "minor", "firmware", "excluded"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = mem_printf(DRIVER_GPUS "/%s/information", directory);
    AUTO_FREE char *group = facts_group_name("driver_gpu", directory);
    enum host_status status = note_read_text(host, path, INFORMATION_MAX, &text, &error);
    for (size_t i = 0; status != HOST_OK && i < sizeof(names) / sizeof(*names); i++)
        note_missing(facts, group, names[i], status, &error, path);
    if (status != HOST_OK)
        return;
    const char *content = text_string(&text);
    AUTO_FREE char *model = note_value(facts, group, "model", content, "Model", path);
    if (model)
        facts_set_string(facts, group, "model", model, path);
    note_bus_id(facts, group, content, path);
    note_minor(facts, group, content, path);
    note_firmware(facts, group, content, path);
    note_excluded(facts, group, content, path);
}

void probe_driver_gpu(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(context->host, DRIVER_GPUS, &names, &error);
    if (status != HOST_OK) {
        note_missing_below(context->host, facts, "driver_gpu", "count", status, &error, DRIVER_GPUS,
                           "/proc");
        return;
    }
    if (names.count > PROBE_INSTANCES)
        facts_set_unknown(facts, "driver_gpu", "count", "too many GPUs to keep", DRIVER_GPUS);
    else
        facts_set_integer(facts, "driver_gpu", "count", (int64_t)names.count, DRIVER_GPUS);
    for (size_t i = 0; i < names.count && i < PROBE_INSTANCES; i++)
        note_gpu(context->host, facts, names.items[i]);
}
