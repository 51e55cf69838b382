/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "facts/dictionary.h"
#include "probe/table.h"
#include "probe/engine/probes.h"

static const char *const apt_groups[] = {"source_file", NULL};
static const char *const pacman_groups[] = {"pacman", NULL};
static const char *const rpm_groups[] = {"package_origin", "package_log", NULL};
static const char *const log_groups[] = {"log_line", NULL};
static const char *const toolkit_groups[] = {"host_compiler", "include_path", "ptxas", NULL};
static const char *const python_groups[] = {"framework", "wheel", "framework_library", NULL};
static const char *const vendor_groups[] = {"cuda", "nvml", NULL};
static const char *const trial_groups[] = {"peer_copy", NULL};

const struct probe probe_table[] = {
#define PROBE(probe, ...) {.name = #probe, .run = probe_##probe, __VA_ARGS__},
#include "probe/engine/probes.def"
#undef PROBE
    {.name = NULL},
};

static void skip_group(const char *group, struct facts *facts)
{
    AUTO_FREE char *reason =
        mem_printf("a directory tree has no data about %s", dictionary_kind(group)->meaning);
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++)
        if (strcmp(entry->kind, group) == 0 && !entry->of_instance)
            facts_set_skipped(facts, group, entry->name, reason, "--root");
}

static void skip_groups(const struct probe *probe, struct facts *facts)
{
    skip_group(probe->group, facts);
    for (size_t i = 0; probe->more_groups && probe->more_groups[i]; i++)
        skip_group(probe->more_groups[i], facts);
}

/* Once there is no time left every look fails: what that came to is not what is there. */
static void doubt_group(const char *group, struct facts *facts)
{
    static const char reason[] = "no time left";
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++)
        if (strcmp(entry->kind, group) == 0 && !entry->of_instance && strcmp(entry->name, "*") != 0)
            facts_set_unknown(facts, group, entry->name, reason, "--timeout");
    size_t cursor = 0;
    const char *instance;
    while ((instance = facts_next(facts, group, &cursor)) != NULL)
        for (size_t i = 0; i < facts_count(facts, instance); i++)
            facts_set_unknown(facts, instance, facts_at(facts, instance, i)->name, reason,
                              "--timeout");
}

static void doubt_groups(const struct probe *probe, struct facts *facts)
{
    doubt_group(probe->group, facts);
    for (size_t i = 0; probe->more_groups && probe->more_groups[i]; i++)
        doubt_group(probe->more_groups[i], facts);
}

static void run_probe(const struct probe *probe, const struct probe_context *context,
                      struct facts *facts)
{
    bool started = probe->own_time || !host_is_late(context->host);
    if (started)
        probe->run(context, facts);
    bool by_itself = probe->keeps_time || probe->own_time;
    if (!started || (!by_itself && host_is_late(context->host)))
        doubt_groups(probe, facts);
}

void probe_all(const struct probe_context *context, bool (*wanted)(const char *group),
               struct facts *facts)
{
    for (const struct probe *probe = probe_table; probe->name; probe++) {
        if (wanted && !wanted(probe->group))
            continue;
        if (probe->live_only && !host_is_live(context->host))
            skip_groups(probe, facts);
        else
            run_probe(probe, context, facts);
    }
}
