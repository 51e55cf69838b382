/* SPDX-License-Identifier: MIT */
/* Noise changes nothing: the same findings, in the same order, with the same exit code. */
#include "properties/noise.h"

#include <stdio.h>
#include <string.h>

#define FROM "noise"

static void add_package(struct facts *facts)
{
    facts_set_string(facts, "package/9001", "name", "libx11-xcb1", FROM);
    facts_set_string(facts, "package/9001", "version", "2:1.8.4-2", FROM);
    facts_set_string(facts, "package/9001", "status", "install ok installed", FROM);
}

static void add_variables(struct facts *facts)
{
    facts_set_string(facts, "environment", "EDITOR", "vim", FROM);
    facts_set_string(facts, "environment", "NVM_DIR", "/home/u/.nvm", FROM);
    facts_set_string(facts, "environment", "ROCM_PATH", "/opt/rocm", FROM);
}

static void add_language(struct facts *facts)
{
    facts_set_string(facts, "environment", "LANG", "de_DE.UTF-8", FROM);
    facts_set_string(facts, "environment", "LC_ALL", "zh_CN.GB18030", FROM);
}

static const char *first_bus(const struct facts *facts)
{
    size_t at = 0;
    const char *group = facts_next(facts, "pci", &at);
    return group ? strchr(group, '/') + 1 : "0000:01:00.0";
}

/* A line of an earlier boot; a record whose log was not read stays without one. */
static void add_earlier(struct facts *facts, const char *event, int number, const char *message)
{
    int64_t count;
    if (!facts_integer(facts, "kernel_log", "count", &count))
        return;
    AUTO_FREE char *bus = mem_string(first_bus(facts));
    AUTO_FREE char *group = mem_printf("kernel_log/%s-earlier", event);
    facts_set_string(facts, group, "event", event, FROM);
    facts_set_string(facts, group, "boot", "earlier", FROM);
    facts_set_string(facts, group, "bus_id", bus, FROM);
    facts_set_string(facts, group, "message", message, FROM);
    facts_set_integer(facts, group, "count", 3, FROM);
    if (number)
        facts_set_integer(facts, group, "number", number, FROM);
    facts_set_integer(facts, "kernel_log", "count", count + 1, FROM);
}

static void add_earlier_xid(struct facts *facts)
{
    add_earlier(facts, "xid", 79, "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.");
}

static void add_earlier_error(struct facts *facts)
{
    add_earlier(facts, "nvrm_error", 0, "NVRM: some call failed with error 0x65");
}

static void add_earlier_oom(struct facts *facts)
{
    add_earlier(facts, "oom_kill", 0, "Out of memory: Killed process 4711 (chrome)");
}

/* Of another user: not active here. */
static void add_environment(struct facts *facts)
{
    facts_set_string(facts, "python/900", "directory", "/home/other/venv", FROM);
    facts_set_string(facts, "python/900", "kind", "venv", FROM);
    facts_set_string(facts, "python/900", "version", "3.12.4", FROM);
    facts_set_boolean(facts, "python/900", "active", false, FROM);
}

static void add_library(struct facts *facts)
{
    const char *group = "library//opt/other/lib/libcufft.so.9.0.176";
    struct strlist none = {0};
    facts_set_string(facts, group, "family", "cufft", FROM);
    facts_set_string(facts, group, "name", "libcufft", FROM);
    facts_set_string(facts, group, "path", "/opt/other/lib/libcufft.so.9.0.176", FROM);
    facts_set_string(facts, group, "soname", "libcufft.so.9.0", FROM);
    facts_set_string(facts, group, "version", "9.0.176", FROM);
    facts_set_string(facts, group, "architecture", "i386", FROM);
    facts_set_string(facts, group, "origin", "system", FROM);
    facts_set_boolean(facts, group, "stub", false, FROM);
    facts_set_list(facts, group, "unresolved", &none, FROM);
}

static void grow(struct facts *facts, const char *group, const char *name, int64_t more)
{
    int64_t value;
    if (facts_integer(facts, group, name, &value))
        facts_set_integer(facts, group, name, value + more, FROM);
}

static void add_space(struct facts *facts)
{
    int64_t bytes;
    if (facts_integer(facts, "disk", "prefix_free_bytes", &bytes) && bytes > INT64_C(1) << 36)
        grow(facts, "disk", "prefix_free_bytes", INT64_C(1) << 40);
    grow(facts, "memory", "swap_total_bytes", INT64_C(1) << 33);
}

static void add_kernel(struct facts *facts)
{
    const char *group = "installed_kernel/4.4.0-1-other";
    int64_t count;
    if (!facts_integer(facts, "installed_kernel", "count", &count))
        return;
    facts_set_integer(facts, "installed_kernel", "count", count + 1, FROM);
    facts_set_string(facts, group, "release", "4.4.0-1-other", FROM);
    facts_set_boolean(facts, group, "modules", true, FROM);
    facts_set_boolean(facts, group, "image", true, FROM);
    facts_set_boolean(facts, group, "headers", false, FROM);
}

static void add_to_list(struct facts *facts, const char *group, const char *name, const char *word)
{
    AUTO_STRLIST struct strlist list = {0};
    const struct strlist *old = facts_list(facts, group, name);
    if (old == NULL)
        return;
    strlist_copy(&list, old);
    strlist_add(&list, word);
    facts_set_list(facts, group, name, &list, FROM);
}

static void add_boot_option(struct facts *facts)
{
    add_to_list(facts, "boot", "options", "pci=pcie_bus_perf");
    add_to_list(facts, "modprobe", "options", "snd_hda_intel power_save=1");
    add_to_list(facts, "modprobe", "blacklisted", "pcspkr");
}

static void add_group(struct facts *facts)
{
    add_to_list(facts, "os", "device_groups", "987 other");
    add_to_list(facts, "limits", "groups", "987");
}

/* The sound of an NVIDIA card is a PCI function of its own. */
static void add_sound(struct facts *facts)
{
    facts_set_string(facts, "pci/0000:fe:00.1", "device_id", "10f7", FROM);
    facts_set_string(facts, "pci/0000:fe:00.1", "class", "040300", FROM);
    facts_set_string(facts, "pci/0000:fe:00.1", "driver", "snd_hda_intel", FROM);
}

static void add_service(struct facts *facts)
{
    facts_set_boolean(facts, "service/zfs-zed", "present", true, FROM);
    facts_set_boolean(facts, "service/zfs-zed", "running", true, FROM);
}

static void add_warmth(struct facts *facts)
{
    grow(facts, "nvml/0", "temperature_c", 2);
    grow(facts, "nvml/0", "power_mw", 900);
}

static void add_build(struct facts *facts)
{
    facts_set_string(facts, "kernel", "version", "#99~other SMP Thu Jan 1 00:00:00 UTC 1970", FROM);
}

static void add_initramfs(struct facts *facts)
{
    struct strlist none = {0};
    facts_set_string(facts, "initramfs//boot/initrd.img-4.4.0", "path", "/boot/initrd.img-4.4.0",
                     FROM);
    facts_set_string(facts, "initramfs//boot/initrd.img-4.4.0", "kernel", "4.4.0-1-other", FROM);
    facts_set_list(facts, "initramfs//boot/initrd.img-4.4.0", "newer_settings", &none, FROM);
}

static const struct {
    const char *name;
    void (*add)(struct facts *facts);
} kinds[] = {
    {"package", add_package},
    {"variables", add_variables},
    {"language", add_language},
    {"earlier-xid", add_earlier_xid},
    {"earlier-error", add_earlier_error},
    {"earlier-oom", add_earlier_oom},
    {"other-users-python", add_environment},
    {"library-elsewhere", add_library},
    {"more-space", add_space},
    {"old-kernel", add_kernel},
    {"boot-options", add_boot_option},
    {"group", add_group},
    {"sound", add_sound},
    {"service", add_service},
    {"warmth", add_warmth},
    {"kernel-build", add_build},
    {"old-initramfs", add_initramfs},
};

/* As a judge that does not look at the boot of a line. */
static void plant(struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "kernel_log", &i)) != NULL;)
        facts_set_string(facts, group, "boot", "current", FROM);
}

static bool every_group(const char *group)
{
    (void)group;
    return true;
}

/* The first finding that differs; NULL: none does. */
static const char *difference(const struct judgement *before, const struct judgement *after)
{
    for (size_t i = 0; i < before->finding_count && i < after->finding_count; i++) {
        const struct finding *a = before->findings[i], *b = after->findings[i];
        if (!string_equal(a->code, b->code) || a->severity != b->severity ||
            !string_equal(a->subject, b->subject) || !string_equal(a->caused_by, b->caused_by))
            return b->code;
    }
    if (before->finding_count != after->finding_count)
        return before->finding_count > after->finding_count
                   ? before->findings[after->finding_count]->code
                   : after->findings[before->finding_count]->code;
    return before->exit_code == after->exit_code ? NULL : "exit";
}

void noise_check(struct noise_run *run, const struct machine *machine)
{
    struct judgement *before = machine_judge(machine, machine->facts);
    run->machines++;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (run->kind && strcmp(run->kind, kinds[i].name) != 0)
            continue;
        struct facts *facts = facts_new();
        facts_copy(facts, machine->facts, every_group);
        kinds[i].add(facts);
        if (run->plant)
            plant(facts);
        struct judgement *after = machine_judge(machine, facts);
        const char *code = difference(before, after);
        run->variations++;
        if (code) {
            run->violations++;
            printf("noise\t%s\t%s changes\t%s\t\n", kinds[i].name, code, machine->name);
        }
        judgement_free(after);
        facts_free(facts);
    }
    judgement_free(before);
}
