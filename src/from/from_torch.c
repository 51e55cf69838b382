/* SPDX-License-Identifier: MIT */
/* python -m torch.utils.collect_env, and its kin in vLLM and others. */
#include "from/from_private.h"

#include <ctype.h>

#define FRAMEWORK  "framework/0"
#define WHEELS_MAX 200

/* The value of "KEY: value", which begins a line; NULL: the line is another's. */
static const char *value_of(const char *line, const char *key)
{
    line += strspn(line, " \t");
    if (!string_starts(line, key) || line[strlen(key)] != ':')
        return NULL;
    line += strlen(key) + 1;
    return line + strspn(line, " ");
}

static bool is_known(const char *value)
{
    return *value && !string_equal(value, "N/A") && !string_contains_nocase(value, "could not");
}

static void take_torch(const struct from_part *part, size_t line, const char *version)
{
    from_string(part, line, FRAMEWORK, "name", "pytorch");
    from_string(part, line, FRAMEWORK, "package", "torch");
    from_string(part, line, FRAMEWORK, "version", version);
    from_boolean(part, line, FRAMEWORK, "active", true);
}

static void take_cuda(const struct from_part *part, size_t line, const char *value)
{
    bool none = string_equal(value, "None");
    if (!none && !isdigit((unsigned char)*value))
        return;
    from_boolean(part, line, FRAMEWORK, "cpu_only", none);
    from_string(part, line, FRAMEWORK, "accelerator", none ? "cpu" : "cuda");
    if (none)
        from_absent(part, line, FRAMEWORK, "cuda");
    else
        from_string(part, line, FRAMEWORK, "cuda", value);
}

/* "Ubuntu 22.04.4 LTS (x86_64)" */
static void take_os(const struct from_part *part, size_t line, const char *value)
{
    const char *open = strrchr(value, '(');
    AUTO_FREE char *name = mem_string_n(value, open ? (size_t)(open - value) : strlen(value));
    from_string(part, line, "os", "pretty_name", string_trim(name));
    if (open == NULL)
        return;
    AUTO_FREE char *machine = mem_string_n(open + 1, strcspn(open + 1, ")"));
    if (string_equal(machine, "x86_64") || string_equal(machine, "aarch64"))
        from_string(part, line, "os", "architecture", machine);
}

/* "Linux-6.5.0-44-generic-x86_64-with-glibc2.35" */
static void take_platform(const struct from_part *part, size_t line, const char *value)
{
    static const char *const machines[] = {"-x86_64", "-aarch64"};
    if (!string_starts(value, "Linux-"))
        return;
    value += strlen("Linux-");
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        const char *end = strstr(value, machines[i]);
        if (end == NULL)
            continue;
        AUTO_FREE char *release = mem_string_n(value, (size_t)(end - value));
        from_string(part, line, "kernel", "release", release);
        if (string_contains_nocase(release, "microsoft"))
            from_integer(part, line, "machine", "wsl", 2);
    }
}

/* "GPU 0: NVIDIA A100-SXM4-80GB", one a line. */
static void take_gpus(const struct from_part *part, size_t first, const char *value)
{
    int64_t count = 0;
    for (size_t i = first; i < part->end && count < 64; i++) {
        const char *line = i == first ? value : part->file->lines[i];
        AUTO_FREE char *begin = mem_printf("GPU %lld: ", (long long)count);
        if (i == first && *line == '\0')
            continue;
        if (!string_starts(line, begin))
            break;
        AUTO_FREE char *group = mem_printf("nvml/%lld", (long long)count++);
        AUTO_FREE char *name =
            mem_string_n(line + strlen(begin), strcspn(line + strlen(begin), "("));
        from_string(part, i, group, "name", string_trim(name));
    }
    if (count > 0)
        from_integer(part, first, "nvml", "count", count);
}

/* "[pip3] nvidia-cudnn-cu12==9.1.0.70", "[conda] nvidia-nccl-cu12 2.21.5 pypi_0 pypi" */
static void take_package(const struct from_part *part, size_t line, size_t *wheels)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, part->file->lines[line]);
    bool conda = words.count >= 3 && string_equal(words.items[0], "[conda]");
    bool pip = words.count == 2 && string_starts(words.items[0], "[pip");
    const char *equals = pip ? strstr(words.items[1], "==") : NULL;
    if (*wheels >= WHEELS_MAX || (!conda && equals == NULL))
        return;
    AUTO_FREE char *name = conda ? mem_string(words.items[1])
                                 : mem_string_n(words.items[1], (size_t)(equals - words.items[1]));
    const char *version = conda ? words.items[2] : equals + 2;
    if (!string_starts(name, "nvidia-"))
        return;
    AUTO_FREE char *group = mem_printf("wheel/%zu", (*wheels)++);
    from_string(part, line, group, "name", name);
    from_string(part, line, group, "version", version);
    from_string(part, line, group, "origin", conda ? "conda" : "wheel");
    if (string_ends(name, "-cu11") || string_ends(name, "-cu12") || string_ends(name, "-cu13"))
        from_string(part, line, group, "cuda", name + strlen(name) - 2);
}

static const struct {
    const char *key;
    void (*take)(const struct from_part *part, size_t line, const char *value);
} keys[] = {
    {"CUDA used to build PyTorch", take_cuda},
    {"OS", take_os},
    {"Python platform", take_platform},
    {"GPU models and configuration", take_gpus},
};

static bool take_line(struct from_part *part, size_t index)
{
    const char *line = part->file->lines[index], *value;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if ((value = value_of(line, keys[i].key)) != NULL) {
            if (is_known(value) || keys[i].take == take_gpus)
                keys[i].take(part, index, value);
            return true;
        }
    if ((value = value_of(line, "Nvidia driver version")) && isdigit((unsigned char)*value)) {
        from_nvml(part, index, value, NULL, -1);
        return true;
    }
    if ((value = value_of(line, "ROCM used to build PyTorch")) && isdigit((unsigned char)*value))
        from_string(part, index, FRAMEWORK, "rocm", value);
    if ((value = value_of(line, "Libc version")) && string_starts(value, "glibc-"))
        from_string(part, index, "os", "glibc_version", value + 6);
    return value != NULL;
}

#define TORCH_LINES 400 /* of one output */

size_t from_torch(struct from_part *part)
{
    size_t used = 0, wheels = 0;
    for (size_t i = part->first; i < part->end; i++) {
        const char *version = value_of(part->file->lines[i], "PyTorch version");
        if (version == NULL || !isdigit((unsigned char)*version))
            continue;
        take_torch(part, i, version);
        used = 1;
        for (size_t k = i + 1; k < part->end && k < i + TORCH_LINES; k++) {
            used += take_line(part, k);
            take_package(part, k, &wheels);
        }
        return used;
    }
    return 0;
}
