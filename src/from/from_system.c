/* SPDX-License-Identifier: MIT */
/* Files of /proc and /etc as sections of nvidia-bug-report.log, and its own first lines. */
#include "from/from_private.h"

#include "probe/system/system_field.h"

/* "uname: Linux host 6.8.0-45-generic #45-Ubuntu SMP … x86_64 GNU/Linux" */
static size_t take_uname(struct from_part *part)
{
    size_t line = from_find(part, part->first, "uname: Linux ");
    if (line == part->end || !string_starts(part->file->lines[line], "uname: Linux "))
        return 0;
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, part->file->lines[line]);
    if (words.count < 4)
        return 0;
    from_string(part, line, "kernel", "release", words.items[3]);
    for (size_t i = 4; i < words.count; i++)
        if (string_equal(words.items[i], "x86_64") || string_equal(words.items[i], "aarch64")) {
            from_string(part, line, "kernel", "machine", words.items[i]);
            from_string(part, line, "os", "architecture", words.items[i]);
            break;
        }
    return 1;
}

/* "MemTotal:       65780332 kB" */
static size_t take_memory(struct from_part *part)
{
    size_t used = 0;
    for (size_t i = part->first; i < part->end; i++)
        for (size_t k = 0; k < MEMINFO_FIELDS; k++) {
            int64_t bytes;
            if (!string_starts(part->file->lines[i], meminfo_fields[k].key))
                continue;
            AUTO_FREE char *rest = mem_string(part->file->lines[i] + strlen(meminfo_fields[k].key));
            if (!meminfo_bytes(string_trim(rest), &bytes))
                continue;
            from_integer(part, i, "memory", meminfo_fields[k].name, bytes);
            used++;
        }
    return used;
}

/* "Model: NVIDIA H100" of /proc/driver/nvidia/gpus/0000:18:00.0/information. */
static size_t take_gpu(struct from_part *part)
{
    static const char begin[] = "/proc/driver/nvidia/";
    const char *gpus = strstr(part->title, "/gpus/");
    if (gpus == NULL || !string_starts(part->title, begin) ||
        !string_ends(part->title, "/information"))
        return 0;
    AUTO_FREE char *address = from_address(gpus + strlen("/gpus/"));
    if (address == NULL)
        return 0;
    AUTO_FREE char *group = mem_printf("driver_gpu/%s", address);
    size_t used = 0;
    for (size_t i = part->first; i < part->end; i++) {
        const char *line = part->file->lines[i], *colon = strchr(line, ':');
        const char *value = colon ? colon + 1 + strspn(colon + 1, " \t") : "";
        unsigned long long minor;
        if (string_starts(line, "Model:"))
            from_string(part, i, group, "model", value);
        else if (string_starts(line, "GPU Firmware:"))
            from_string(part, i, group, "firmware", value);
        else if (string_starts(line, "Device Minor:") && string_to_decimal(value, 255, &minor))
            from_integer(part, i, group, "minor", (int64_t)minor);
        else
            continue;
        used++;
    }
    if (used > 0)
        from_string(part, part->first, group, "bus_id", address);
    return used;
}

/* "NAME=value" of os-release. */
static size_t take_os(struct from_part *part)
{
    size_t used = 0;
    bool named = from_find(part, part->first, "PRETTY_NAME=") < part->end;
    if (!named && (from_find(part, part->first, "VERSION_ID=") == part->end ||
                   from_find(part, part->first, "ID=") == part->end))
        return 0;
    for (size_t i = part->first; i < part->end; i++)
        for (size_t k = 0; k < RELEASE_FIELDS; k++) {
            const char *line = part->file->lines[i];
            size_t size = strlen(release_fields[k].key);
            if (!string_starts(line, release_fields[k].key) || line[size] != '=')
                continue;
            AUTO_FREE char *rest = mem_string(line + size + 1);
            from_string(part, i, "os", release_fields[k].name, release_value(rest));
            used++;
        }
    return used;
}

size_t from_system(struct from_part *part)
{
    size_t used = take_os(part);
    if (part->title == NULL)
        return used;
    used += take_uname(part) + take_gpu(part);
    return used + (string_equal(part->title, "/proc/meminfo") ? take_memory(part) : 0);
}
