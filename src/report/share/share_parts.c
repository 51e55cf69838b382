/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "facts/record_lines.h"
#include "report/share/share.h"

/* What is folded together. The last takes all kinds that no other has. */
static const struct part {
    const char *title;
    const char *kinds; /* words */
} parts[] = {
    {"GPUs", "pci driver_gpu device nvml cuda answer gpu_process trial peer_copy assumed"},
    {"kernel log", "kernel_log log_line"},
    {"driver", "module driver_parameter module_file dkms installed_kernel compiler driver_install "
               "initramfs modprobe boot secure_boot hybrid"},
    {"packages", "package apt"},
    {"containers and services", "service fabric_manager mps container_toolkit container_engine "
                                "docker_container kubernetes cdi container cgroup"},
    {"libraries", "loader library toolkit"},
    {"frameworks", "python framework wheel framework_library"},
    {"system", NULL},
};
#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

/* Kinds that are left out, in this order, where there is no room. */
static const char *const least[] = {"framework_library", "library",   "wheel",   "loader",
                                    "framework",         "python",    "package", "log_line",
                                    "docker_container",  "peer_copy", "device",  "toolkit"};
#define LEAST_COUNT (sizeof(least) / sizeof(least[0]))

static bool has_word(const char *words, const char *group)
{
    size_t size = strcspn(group, "/");
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == size && strncmp(at, group, size) == 0)
            return true;
        at += length;
    }
    return false;
}

static size_t part_of(const char *group)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        if (parts[i].kinds == NULL || has_word(parts[i].kinds, group))
            return i;
    return PART_COUNT - 1;
}

static bool is_of_part(const char *group, const void *data)
{
    const struct part *part = data;
    return &parts[part_of(group)] == part;
}

static bool is_instance_of(const char *group, const char *kind)
{
    size_t size = strlen(kind);
    return strncmp(group, kind, size) == 0 && group[size] == '/';
}

/* The record without the instances of the first kinds of the list; its facts about such a kind as a
 * whole are then unknown to whoever reads it. */
static struct facts *without(const struct facts *facts, size_t kinds, struct strlist *left_out)
{
    struct facts *rest = facts_new();
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i), *gone = NULL;
        for (size_t k = 0; k < kinds && gone == NULL; k++)
            gone = is_instance_of(group, least[k]) ? least[k] : NULL;
        if (gone)
            strlist_add_new(left_out, gone);
        else
            facts_copy_group(rest, facts, group);
    }
    for (size_t i = 0; i < left_out->count; i++)
        for (size_t k = 0; k < facts_count(rest, left_out->items[i]); k++)
            facts_set_skipped(rest, left_out->items[i], facts_at(rest, left_out->items[i], k)->name,
                              "left out of the report, which would have been too long", "report");
    return rest;
}

static size_t parts_make(const struct facts *facts, struct share_parts *ret_parts)
{
    size_t size = 0;
    for (size_t i = 0; i < PART_COUNT; i++) {
        struct text text = {0};
        record_lines_append(facts, parts[i].title, is_of_part, &parts[i], &text);
        size += text.size;
        if (text.size > 0) {
            strlist_add(&ret_parts->titles, parts[i].title);
            strlist_take(&ret_parts->texts, text_steal(&text));
        } else {
            text_free(&text);
        }
    }
    return size;
}

void share_parts_free(struct share_parts *made)
{
    strlist_free(&made->titles);
    strlist_free(&made->texts);
    strlist_free(&made->left_out);
}

struct share_parts share_parts(const struct facts *facts, size_t most)
{
    struct share_parts made = {.left_out = {.count = 0}};
    size_t size = parts_make(facts, &made);
    for (size_t kinds = 1; size > most && kinds <= LEAST_COUNT; kinds++) {
        share_parts_free(&made);
        AUTO_FACTS struct facts *rest = without(facts, kinds, &made.left_out);
        size = parts_make(rest, &made);
    }
    while (size > most && made.titles.count > 0) {
        size_t last = --made.titles.count;
        size -= strlen(made.texts.items[last]);
        strlist_take(&made.left_out, made.titles.items[last]);
        free(made.texts.items[last]);
        made.texts.count--;
    }
    return made;
}
