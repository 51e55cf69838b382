/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "facts/dictionary.h"
#include "probe/probe.h"
#include "probe/probes.h"

static const char *const python_groups[] = {"framework", "wheel", "framework_library", NULL};
static const char *const vendor_groups[] = {"cuda", "nvml", NULL};

/* The environment probe is not live_only: a tree may have been given the environment of a record,
 * and its facts have no fixed names. */
const struct probe probe_table[] = {
    {.name = "os", .group = "os", .run = probe_os},
    {.name = "machine", .group = "machine", .run = probe_machine},
    {.name = "container", .group = "container", .run = probe_container},
    {.name = "cgroup", .group = "cgroup", .run = probe_cgroup},
    {.name = "security", .group = "security", .run = probe_security},
    {.name = "memory", .group = "memory", .run = probe_memory},
    {.name = "kernel", .live_only = true, .group = "kernel", .run = probe_kernel},
    {.name = "disk", .live_only = true, .group = "disk", .run = probe_disk},
    {.name = "limits", .live_only = true, .group = "limits", .run = probe_limits},
    {.name = "environment", .group = "environment", .run = probe_environment},
    {.name = "pci", .group = "pci", .run = probe_pci},
    {.name = "hybrid", .group = "hybrid", .run = probe_hybrid},
    /* After pci: it wants the addresses of GPUs and their bridges. */
    {.name = "kernel_log", .group = "kernel_log", .run = probe_kernel_log},
    {.name = "boot", .group = "boot", .run = probe_boot},
    {.name = "modprobe", .group = "modprobe", .run = probe_modprobe},
    {.name = "initramfs", .group = "initramfs", .run = probe_initramfs}, /* after modprobe */
    {.name = "secure_boot", .group = "secure_boot", .run = probe_secure_boot},
    {.name = "module", .group = "module", .run = probe_module},
    {.name = "driver_parameter", .group = "driver_parameter", .run = probe_driver_parameter},
    {.name = "module_file", .group = "module_file", .run = probe_module_file},
    {.name = "dkms", .group = "dkms", .run = probe_dkms},
    {.name = "installed_kernel", .group = "installed_kernel", .run = probe_installed_kernel},
    {.name = "compiler", .group = "compiler", .run = probe_compiler},
    {.name = "driver_install", .group = "driver_install", .run = probe_driver_install},
    {.name = "package", .group = "package", .run = probe_package},
    {.name = "service", .group = "service", .run = probe_service},
    {.name = "fabric_manager",
     .group = "fabric_manager",
     .run = probe_fabric_manager}, /* after package and service */
    {.name = "mps", .group = "mps", .run = probe_mps},
    {.name = "container_toolkit", .group = "container_toolkit", .run = probe_container_toolkit},
    {.name = "cdi", .group = "cdi", .run = probe_cdi},
    {.name = "device", .live_only = true, .group = "device", .run = probe_device},
    {.name = "library", .group = "library", .run = probe_library},
    {.name = "loader", .group = "loader", .run = probe_loader},
    {.name = "toolkit", .group = "toolkit", .run = probe_toolkit},
    {.name = "python",
     .group = "python",
     .more_groups = python_groups,
     .run = probe_python}, /* after library */
    {.name = "driver_gpu", .group = "driver_gpu", .run = probe_driver_gpu},
    {.name = "gpu_process", .live_only = true, .group = "gpu_process", .run = probe_gpu_process},
    /* The last: calling the driver can load modules and make nodes, and so change what the others
     * read. */
    {.name = "vendor",
     .live_only = true,
     .group = "answer",
     .keeps_time = true,
     .more_groups = vendor_groups,
     .run = probe_vendor},
    {.name = NULL},
};

static void skip_group(const char *group, struct facts *facts)
{
    AUTO_FREE char *reason =
        mem_printf("a tree holds no answer about %s", dictionary_kind(group)->meaning);
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
    bool started = !host_is_late(context->host);
    if (started)
        probe->run(context, facts);
    if (!started || (!probe->keeps_time && host_is_late(context->host)))
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
