/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/python/metadata.h"

#define WHEEL_MAX 65536
#define TAGS_MAX  64

static void read_tags(const struct host *host, const struct framework *framework, char **ret_path,
                      struct strlist *tags)
{
    AUTO_TEXT struct text text = {0};
    if (framework->package == NULL || framework->package->build)
        return;
    *ret_path = path_join(framework->package->info, "WHEEL");
    if (host_read(host, *ret_path, WHEEL_MAX, &text, NULL) == HOST_OK)
        metadata_values(text_string(&text), text.size, "Tag", TAGS_MAX, tags);
}

/* Part 0 to 2 of "cp312-cp312-manylinux_2_28_x86_64". free() it. */
static char *tag_part(const char *tag, unsigned index)
{
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, tag, '-');
    return parts.count == 3 ? mem_string(parts.items[index]) : NULL;
}

/* manylinux_2_28 promises glibc 2.28; the names before that numbering: PEP 513, 571, 599. */
static bool tag_glibc(const char *tag, struct version *ret_version)
{
    static const struct {
        const char *name, *glibc;
    } old[] = {{"manylinux1_", "2.5"}, {"manylinux2010_", "2.12"}, {"manylinux2014_", "2.17"}};
    const char *platform = strstr(tag, "manylinux_");
    if (platform) {
        char *end;
        unsigned long major = strtoul(platform + strlen("manylinux_"), &end, 10);
        unsigned long minor = *end == '_' ? strtoul(end + 1, NULL, 10) : 0;
        *ret_version = (struct version){.part = {(uint32_t)major, (uint32_t)minor}, .count = 2};
        return major > 0 && major < 100 && minor < 1000;
    }
    for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++)
        if (strstr(tag, old[i].name))
            return version_parse(old[i].glibc, ret_version);
    return false;
}

static void note_glibc(struct framework_work *work, const struct framework *framework,
                       const struct strlist *tags, const char *path, const struct elf_info *elf)
{
    struct version lowest = {.count = 0}, needed = {.count = 0}, version;
    char buffer[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < tags->count; i++)
        if (tag_glibc(tags->items[i], &version) &&
            (lowest.count == 0 || version_compare(&version, &lowest) < 0))
            lowest = version;
    if (elf && elf->glibc_needed)
        version_parse(elf->glibc_needed, &needed);
    bool by_elf = needed.count > 0 && (lowest.count == 0 || version_compare(&needed, &lowest) > 0);
    const char *source = by_elf ? framework->library : path ? path : framework->group;
    if (by_elf || lowest.count > 0)
        facts_set_string(work->facts, framework->group, "glibc_needed",
                         version_text(by_elf ? &needed : &lowest, 0, buffer), source);
    else
        facts_set_absent(work->facts, framework->group, "glibc_needed", source);
}

/* "cp312", "py3", "py2.py3", and with the stable interface "cp39-abi3" for 3.9 and later. */
static bool tag_fits(const char *tag, const char *minor)
{
    AUTO_FREE char *python = tag_part(tag, 0);
    AUTO_FREE char *interface = tag_part(tag, 1);
    if (python == NULL || strstr(python, "py3"))
        return python == NULL || strncmp(python, "cp", 2) != 0;
    AUTO_FREE char *digits = mem_printf("cp3%s", strchr(minor, '.') ? strchr(minor, '.') + 1 : "");
    bool threaded = string_ends(digits, "t");
    digits[strlen(digits) - (threaded ? 1 : 0)] = '\0';
    if (string_equal(interface, "abi3") && string_starts(python, "cp3") && !threaded)
        return strtol(python + 3, NULL, 10) <= strtol(digits + 3, NULL, 10);
    return string_equal(python, digits) &&
           (string_equal(interface, "none") || string_ends(interface, "t") == threaded);
}

/* The Python that imports it: of a directory of PYTHONPATH the active one, whatever the directory's
 * name says. NULL: not known. */
static const char *minor_of(const struct framework_work *work,
                            const struct python_environment *environment)
{
    if (!string_equal(environment->kind, "directory") ||
        !strlist_has(&environment->named_by, "PYTHONPATH"))
        return environment->minor;
    for (size_t i = 0; i < work->world->count; i++)
        if (string_equal(work->world->items[i].directory, work->world->active) &&
            work->world->items[i].minor)
            return work->world->items[i].minor;
    return environment->minor;
}

static void note_python(struct framework_work *work, const struct framework *framework,
                        const struct strlist *tags, const char *path)
{
    const char *minor = minor_of(work, framework->environment);
    const char *source = path ? path : framework->group;
    if (tags->count == 0 || minor == NULL) {
        facts_set_absent(work->facts, framework->group, "python_fits", source);
        return;
    }
    bool fits = false;
    for (size_t i = 0; i < tags->count; i++)
        fits = fits || tag_fits(tags->items[i], minor);
    facts_set_boolean(work->facts, framework->group, "python_fits", fits, source);
}

/* NVIDIA's wheels for Jetson: linux_aarch64, without manylinux, version …nv24.08. */
static bool is_jetson(const struct framework *framework, const struct strlist *tags)
{
    const char *version = framework->package ? framework->package->version : "";
    bool plain = false;
    for (size_t i = 0; i < tags->count; i++)
        plain = plain || string_ends(tags->items[i], "-linux_aarch64");
    return plain && (strstr(version, ".nv") || strstr(version, "+nv"));
}

/* What the first tag is for; NULL: any machine, or one that has no GPUs of NVIDIA's. */
static const char *machine_of_tags(const struct strlist *tags)
{
    static const char *const machines[] = {"x86_64", "aarch64", "ppc64le"};
    for (size_t i = 0; tags->count > 0 && i < sizeof(machines) / sizeof(*machines); i++)
        if (string_ends(tags->items[0], machines[i]))
            return machines[i];
    return NULL;
}

void framework_note_wheel_platform(struct framework_work *work,
                                   const struct python_package *package, const char *group)
{
    const struct framework holder = {.package = package};
    AUTO_STRLIST struct strlist tags = {0};
    AUTO_FREE char *path = NULL;
    read_tags(work->host, &holder, &path, &tags);
    facts_set_string(work->facts, group, "platform", machine_of_tags(&tags),
                     path ? path : package->info);
}

static void note_platform(struct framework_work *work, const struct framework *framework,
                          const struct strlist *tags, const char *path, const struct elf_info *elf)
{
    char buffer[24];
    AUTO_ELF struct elf_info first = {0};
    const char *source = elf ? framework->library : path ? path : framework->group;
    if (elf == NULL && framework->first &&
        elf_read(work->host, framework->first, &first, NULL) == HOST_OK) {
        elf = &first;
        source = framework->first;
    }
    const char *platform = elf ? elf_machine_name(elf->machine, elf->bits, buffer) : NULL;
    if (platform == NULL)
        platform = machine_of_tags(tags);
    if (platform && string_equal(platform, "aarch64") && is_jetson(framework, tags)) {
        platform = "jetson";
        source = path;
    }
    facts_set_string(work->facts, framework->group, "platform", platform, source);
}

void framework_note_tags(struct framework_work *work, const struct framework *framework,
                         const struct elf_info *elf)
{
    AUTO_STRLIST struct strlist tags = {0};
    AUTO_FREE char *path = NULL;
    read_tags(work->host, framework, &path, &tags);
    facts_set_list(work->facts, framework->group, "tags", &tags, path ? path : framework->group);
    note_platform(work, framework, &tags, path, elf);
    note_python(work, framework, &tags, path);
    note_glibc(work, framework, &tags, path, elf);
}

/* Whether a wheel with that tag can be loaded: its Python, its processor, and glibc (a machine
 * whose C library is musl has no loader that is read here). */
static bool tag_serves(const struct framework_work *work, const char *tag, const char *minor)
{
    char buffer[24];
    const char *machine =
        elf_machine_name(loader_machine(work->loader), loader_bits(work->loader), buffer);
    bool any = string_ends(tag, "-any");
    return tag_fits(tag, minor) && strstr(tag, "musllinux") == NULL &&
           (any || string_ends(tag, machine));
}

void framework_note_misfits(struct framework_work *work,
                            const struct python_environment *environment)
{
    static const char *const names[] = {"numpy", "scipy", "ml-dtypes"};
    AUTO_STRLIST struct strlist misfits = {0};
    const char *minor = minor_of(work, environment);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && minor; i++) {
        const struct python_package *package = python_package_find(environment, names[i]);
        if (package == NULL || package->build)
            continue;
        const struct framework holder = {.package = package};
        AUTO_STRLIST struct strlist tags = {0};
        AUTO_FREE char *path = NULL;
        bool serves = false;
        read_tags(work->host, &holder, &path, &tags);
        for (size_t k = 0; k < tags.count; k++)
            serves |= tag_serves(work, tags.items[k], minor);
        if (tags.count > 0 && !serves)
            strlist_take(&misfits,
                         mem_printf("%s %s: %s", package->name, package->version, tags.items[0]));
    }
    facts_set_list(work->facts, environment->group, "misfit", &misfits, environment->directory);
}
