/* SPDX-License-Identifier: MIT */
#include "report/machine/summary.h"

#include <inttypes.h>
#include <string.h>

#include "base/path.h"
#include "report/machine/framework_list.h"
#include "report/machine/summary_private.h"
#include "rules/engine/rule.h"
#include "rules/query/judged_version.h"

bool summary_append_gap(const struct facts *facts, const char *group, const char *name,
                        struct text *sentence)
{
    const struct fact *fact = facts_get(facts, group, name);
    if (fact == NULL || fact->reason == NULL)
        return false;
    text_printf(sentence, "%s: %s", fact->state == FACT_UNKNOWN ? "unknown" : "not available",
                fact->reason);
    return true;
}

void summary_add_source(const struct facts *facts, const char *group, const char *name,
                        struct strlist *sources)
{
    const struct fact *fact = facts_get(facts, group, name);
    if (fact)
        strlist_add_new(sources, fact->source);
}

void summary_append_separator(struct text *sentence, const char *separator)
{
    if (sentence->size > 0)
        text_append(sentence, separator);
}

#define NVML_ANSWER "answer/libnvidia-ml.so.1"

static void append_driver_cuda(const struct report_input *input, struct text *sentence)
{
    if (input->driver_cuda)
        text_printf(sentence, ", supports CUDA %s", input->driver_cuda);
}

/* A driver of which something shows: its version, its module, or whose it is. */
static bool driver_shows(const struct facts *facts)
{
    int64_t wsl;
    return facts_string(facts, "assumed", "driver_version") ||
           facts_string(facts, "module", "version") || facts_true(facts, "module", "nvidia") ||
           facts_string(facts, NVML_ANSWER, "driver_version") ||
           facts_string(facts, "machine", "jetson_release") ||
           facts_integer(facts, "machine", "wsl", &wsl);
}

bool summary_is_of_nothing(const struct report_input *input, enum block block)
{
    size_t cursor = 0;
    return (block == BLOCK_DRIVER && !driver_shows(input->facts)) ||
           (block == BLOCK_FRAMEWORKS && !facts_next(input->facts, "framework", &cursor));
}

static void summary_driver(const struct report_input *input, struct text *sentence,
                           struct strlist *sources)
{
    const struct facts *facts = input->facts;
    const char *version = facts_string(facts, "module", "version");
    const char *flavour = facts_string(facts, "module", "flavour");
    const char *assumed = facts_string(facts, "assumed", "driver_version");
    const char *told = facts_string(facts, NVML_ANSWER, "driver_version");
    int64_t wsl;
    if (assumed) {
        text_printf(sentence, "%s, assumed", assumed);
        append_driver_cuda(input, sentence);
        summary_add_source(facts, "assumed", "driver_version", sources);
    } else if (version) {
        text_append(sentence, version);
        if (flavour)
            text_printf(sentence, ", %s kernel module", flavour);
        append_driver_cuda(input, sentence);
        summary_add_source(facts, "module", "version", sources);
    } else if (facts_integer(facts, "machine", "wsl", &wsl)) {
        text_printf(sentence, "%s%sthe driver in Windows (WSL %" PRId64 ")%s", told ? told : "",
                    told ? ", " : "", wsl, told ? "" : ", version not known");
        append_driver_cuda(input, sentence);
        summary_add_source(facts, "machine", "wsl", sources);
    } else if (facts_string(facts, "machine", "jetson_release")) {
        text_printf(sentence, "part of Jetson Linux %s",
                    facts_string(facts, "machine", "jetson_release"));
        summary_add_source(facts, "machine", "jetson_release", sources);
    } else if (told) {
        text_append(sentence, told);
        append_driver_cuda(input, sentence);
        summary_add_source(facts, NVML_ANSWER, "driver_version", sources);
    } else if (facts_true(facts, "module", "nvidia")) {
        text_append(sentence, "kernel module loaded, version not known");
        summary_add_source(facts, "module", "nvidia", sources);
    } else if (!summary_append_gap(facts, "module", "nvidia", sentence)) {
        text_append(sentence, "no NVIDIA kernel module is loaded");
        if (input->driver_cuda)
            text_printf(sentence, "; libcuda is there and supports CUDA %s", input->driver_cuda);
        summary_add_source(facts, "module", "nvidia", sources);
    }
}

/* Toolkits or copies named in a summary; the rest is counted. */
static size_t shown_max(const struct report_input *input)
{
    return input->verbose ? 4 : 2;
}

static void append_more(const struct report_input *input, size_t count, struct text *sentence)
{
    if (count > shown_max(input))
        text_printf(sentence, "; %zu more", count - shown_max(input));
}

/* The CUDA runtime that the loader gives to programs, for each of its names. */
static void append_runtimes(const struct facts *facts, struct text *sentence,
                            struct strlist *sources)
{
    const char *loader;
    for (size_t i = 0; (loader = facts_next(facts, "loader", &i)) != NULL;) {
        const char *path = facts_string(facts, loader, "real_path");
        if (path == NULL || !string_starts(strchr(loader, '/') + 1, "libcudart.so"))
            continue;
        const char *group = facts_find(facts, "library", "path", path);
        struct judged_version version = {.text = NULL};
        if (group)
            version = judged_version(facts, group);
        if (version.text == NULL)
            continue;
        AUTO_FREE char *words = judged_version_words(&version);
        summary_append_separator(sentence, "; ");
        text_printf(sentence, "runtime libcudart %s", words);
        summary_add_source(facts, version.group, version.name, sources);
    }
}

static void summary_cuda(const struct report_input *input, struct text *sentence,
                         struct strlist *sources)
{
    const struct facts *facts = input->facts;
    const char *group;
    size_t count = 0;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL; count++) {
        const char *version = facts_string(facts, group, "version");
        const char *path = facts_string(facts, group, "path");
        if (count >= shown_max(input))
            continue;
        summary_append_separator(sentence, "; ");
        text_printf(sentence, "toolkit %s in %s", version ? version : "of unknown version",
                    path ? path : group);
        summary_add_source(facts, group, "version", sources);
    }
    append_more(input, count, sentence);
    if (count == 0 && !summary_append_gap(facts, "toolkit", "count", sentence)) {
        text_append(sentence, "no CUDA toolkit found");
        summary_add_source(facts, "toolkit", "count", sources);
    }
    append_runtimes(facts, sentence, sources);
}

/* "9.19.0 in /usr/lib/x86_64-linux-gnu" for each copy of the family's library; sources: of the
 * versions that are shown. */
static void copies_of(const struct report_input *input, const char *family, const char *name,
                      struct strlist *copies, struct strlist *sources)
{
    const struct facts *facts = input->facts;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        const char *path = facts_string(facts, group, "path");
        if (!string_equal(facts_string(facts, group, "family"), family) ||
            !string_equal(facts_string(facts, group, "name"), name) || path == NULL ||
            facts_true(facts, group, "stub"))
            continue;
        AUTO_FREE char *directory = path_parent(path);
        struct judged_version version = judged_version(facts, group);
        AUTO_FREE char *copy =
            mem_printf("%s%s in %s", version.text ? version.text : "unknown version",
                       version.called ? ", as it reports," : "", directory);
        if (strlist_add_new(copies, copy) && copies->count <= shown_max(input) && version.text)
            summary_add_source(facts, version.group, version.name, sources);
    }
}

static void append_copies(const struct report_input *input, const char *prefix,
                          const struct strlist *copies, struct text *sentence)
{
    for (size_t i = 0; i < copies->count && i < shown_max(input); i++) {
        summary_append_separator(sentence, "; ");
        text_printf(sentence, "%s%s", prefix, copies->items[i]);
    }
    append_more(input, copies->count, sentence);
}

static void summary_cudnn(const struct report_input *input, struct text *sentence,
                          struct strlist *sources)
{
    AUTO_STRLIST struct strlist copies = {0};
    copies_of(input, "cudnn", "libcudnn", &copies, sources);
    append_copies(input, "", &copies, sentence);
    if (copies.count > 0 || summary_append_gap(input->facts, "library", "count", sentence))
        return;
    text_append(sentence, "none found");
    summary_add_source(input->facts, "library", "count", sources);
}

static void summary_libraries(const struct report_input *input, struct text *sentence,
                              struct strlist *sources)
{
    AUTO_STRLIST struct strlist nccl = {0};
    AUTO_STRLIST struct strlist tensorrt = {0};
    copies_of(input, "nccl", "libnccl", &nccl, sources);
    copies_of(input, "tensorrt", "libnvinfer", &tensorrt, sources);
    append_copies(input, "NCCL ", &nccl, sentence);
    append_copies(input, "TensorRT ", &tensorrt, sentence);
    int64_t count;
    if (!facts_integer(input->facts, "library", "count", &count)) {
        summary_append_gap(input->facts, "library", "count", sentence);
        return;
    }
    summary_append_separator(sentence, "; ");
    text_printf(sentence, "%" PRId64 " NVIDIA librar%s in all", count, count == 1 ? "y" : "ies");
    summary_add_source(input->facts, "library", "count", sources);
}

static void summary_container(const struct report_input *input, struct text *sentence,
                              struct strlist *sources)
{
    const struct facts *facts = input->facts;
    const char *engine = facts_string(facts, "container", "engine");
    if (engine) {
        bool injected = facts_true(facts, "container", "nvidia_libraries");
        text_printf(sentence, "%s, %s", engine,
                    injected ? "driver libraries mounted by the container runtime"
                             : "no driver libraries mounted by the container runtime");
        summary_add_source(facts, "container", "engine", sources);
    } else if (!summary_append_gap(facts, "container", "engine", sentence)) {
        text_append(sentence, "not inside one");
    }
}

static void append_bytes(const struct facts *facts, const char *name, const char *word,
                         struct text *sentence, struct strlist *sources)
{
    int64_t bytes;
    if (!facts_integer(facts, "memory", name, &bytes))
        return;
    summary_append_separator(sentence, ", ");
    if (bytes == 0)
        text_printf(sentence, "no %s", word);
    else
        text_printf(sentence, "%.1f GiB %s", (double)bytes / (1 << 30), word);
    summary_add_source(facts, "memory", name, sources);
}

static void summary_host(const struct report_input *input, struct text *sentence,
                         struct strlist *sources)
{
    const struct facts *facts = input->facts;
    const char *name = facts_string(facts, "os", "pretty_name");
    const char *glibc = facts_string(facts, "os", "glibc_version");
    text_append(sentence, name ? name : "unknown system");
    summary_add_source(facts, "os", "pretty_name", sources);
    if (glibc)
        text_printf(sentence, ", glibc %s", glibc);
    append_bytes(facts, "total_bytes", "memory", sentence, sources);
    append_bytes(facts, "swap_total_bytes", "swap", sentence, sources);
}

static void (*const summaries[BLOCK_COUNT])(const struct report_input *, struct text *,
                                            struct strlist *) = {
    [BLOCK_DRIVER] = summary_driver,       [BLOCK_GPU] = summary_gpu,
    [BLOCK_CUDA] = summary_cuda,           [BLOCK_CUDNN] = summary_cudnn,
    [BLOCK_LIBRARIES] = summary_libraries, [BLOCK_FRAMEWORKS] = framework_list_summary,
    [BLOCK_CONTAINER] = summary_container, [BLOCK_HOST] = summary_host,
};

void summary_append(const struct report_input *input, enum block block, struct text *sentence,
                    struct strlist *sources)
{
    if (summaries[block])
        summaries[block](input, sentence, sources);
}

void summary_append_machine(const struct report_input *input, struct text *sentence)
{
    const struct facts *facts = input->facts;
    const char *system = facts_string(facts, "os", "pretty_name");
    const char *kernel = facts_string(facts, "kernel", "release");
    const char *architecture = facts_string(facts, "os", "architecture");
    const char *guest = facts_string(facts, "machine", "virtualization");
    const char *engine = facts_string(facts, "container", "engine");
    const char *jetson = facts_string(facts, "machine", "jetson_model");
    int64_t wsl;
    text_append(sentence, system ? system : "unknown system");
    if (kernel)
        text_printf(sentence, ", kernel %s", kernel);
    if (architecture)
        text_printf(sentence, ", %s", architecture);
    if (jetson)
        text_printf(sentence, ", %s", jetson);
    if (facts_integer(facts, "machine", "wsl", &wsl))
        text_printf(sentence, ", WSL %" PRId64, wsl);
    else if (string_equal(guest, "other"))
        text_append(sentence, ", virtual machine");
    else if (guest && !string_equal(guest, "none"))
        text_printf(sentence, ", %s guest", guest);
    if (engine)
        text_printf(sentence, ", %s container", engine);
    if (facts_string(facts, "container", "sandbox"))
        text_append(sentence, " in gVisor");
    if (input->root && !string_equal(input->root, "/"))
        text_printf(sentence, ", tree %s", input->root);
    if (input->record)
        text_printf(sentence, ", record %s", input->record);
}
