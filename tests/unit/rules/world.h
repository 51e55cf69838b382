/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RULES_WORLD_H
#define TESTS_UNIT_RULES_WORLD_H

#include "test.h"

#include "base/memory.h"
#include "base/strlist.h"
#include "facts/facts.h"
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"

/* Machines as records, made in memory. A test starts from a healthy one and breaks a part. */

#define UNUSED __attribute__((unused))

/* Lists are given as "a:b:c"; "" is the empty list. */
UNUSED static void world_list(struct facts *facts, const char *group, const char *name,
                              const char *items)
{
    AUTO_STRLIST struct strlist list = {0};
    if (*items)
        strlist_split(&list, items, ':');
    facts_set_list(facts, group, name, &list, group);
}

UNUSED static void world_gpu(struct facts *facts, const char *address, const char *device_id,
                             const char *driver)
{
    AUTO_FREE char *group = facts_group_name("pci", address);
    facts_set_string(facts, group, "device_id", device_id, "sysfs");
    facts_set_string(facts, group, "class", "030200", "sysfs");
    facts_set_string(facts, group, "driver", driver, "sysfs");
}

/* A copy of a library; version NULL: not known. */
UNUSED static void world_library(struct facts *facts, const char *family, const char *path,
                                 const char *soname, const char *version, const char *origin)
{
    AUTO_FREE char *group = facts_group_name("library", path);
    const char *base = strrchr(path, '/') + 1;
    AUTO_FREE char *name = mem_string_n(base, (size_t)(strstr(base, ".so") - base));
    AUTO_FREE char *link = mem_printf("%.*s%s", (int)(base - path), path, soname ? soname : base);
    AUTO_FREE char *found_as = mem_printf("%s:%s", path, link);
    facts_set_string(facts, group, "family", family, path);
    facts_set_string(facts, group, "name", name, path);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "soname", soname, path);
    facts_set_string(facts, group, "version", version, path);
    facts_set_string(facts, group, "origin", origin, path);
    facts_set_string(facts, group, "architecture", "x86_64", path);
    facts_set_boolean(facts, group, "stub", strstr(path, "/stubs/") != NULL, path);
    world_list(facts, group, "found_as", found_as);
    world_list(facts, group, "unresolved", "");
}

/* What the loader gives for a name; path NULL: nothing. */
UNUSED static void world_loader(struct facts *facts, const char *soname, const char *path,
                                const char *real_path, const char *why)
{
    AUTO_FREE char *group = facts_group_name("loader", soname);
    facts_set_string(facts, group, "name", soname, "loader");
    facts_set_string(facts, group, "path", path, why);
    facts_set_string(facts, group, "real_path", real_path, why);
    facts_set_string(facts, group, "why", path ? why : NULL, why);
}

/* The driver's libraries at one version, where the loader finds them. */
UNUSED static void world_driver_libraries(struct facts *facts, const char *version)
{
    static const char *const names[] = {"libcuda", "libnvidia-ml"};
    for (size_t i = 0; i < 2; i++) {
        AUTO_FREE char *soname = mem_printf("%s.so.1", names[i]);
        AUTO_FREE char *link = mem_printf("/usr/lib/%s", soname);
        AUTO_FREE char *path = mem_printf("/usr/lib/%s.so.%s", names[i], version);
        world_library(facts, "driver", path, soname, version, "package");
        world_loader(facts, soname, link, path, "ld.so.cache");
    }
}

UNUSED static void world_no_driver_libraries(struct facts *facts)
{
    world_loader(facts, "libcuda.so.1", NULL, NULL, "LD_LIBRARY_PATH, ld.so.cache");
    world_loader(facts, "libnvidia-ml.so.1", NULL, NULL, "LD_LIBRARY_PATH, ld.so.cache");
}

UNUSED static void world_module(struct facts *facts, const char *version)
{
    facts_set_boolean(facts, "module", "nvidia", version != NULL, "/proc/modules");
    facts_set_boolean(facts, "module", "nvidia_uvm", version != NULL, "/proc/modules");
    facts_set_boolean(facts, "module", "nouveau", false, "/proc/modules");
    facts_set_boolean(facts, "module", "nova", false, "/proc/modules");
    facts_set_string(facts, "module", "version", version, "/sys/module/nvidia/version");
}

UNUSED static void world_module_file(struct facts *facts, const char *kernel, const char *version)
{
    AUTO_FREE char *path = mem_printf("/lib/modules/%s/updates/dkms/nvidia.ko", kernel);
    AUTO_FREE char *group = facts_group_name("module_file", path);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "kernel", kernel, path);
    facts_set_string(facts, group, "version", version, path);
}

UNUSED static void world_package(struct facts *facts, const char *name, const char *status)
{
    AUTO_FREE char *group = facts_group_name("package", name);
    facts_set_string(facts, group, "name", name, "/var/lib/dpkg/status");
    facts_set_string(facts, group, "status", status, "/var/lib/dpkg/status");
}

/* named_by and missing as in world_list(). */
UNUSED static void world_toolkit(struct facts *facts, const char *path, const char *version,
                                 const char *named_by, const char *missing)
{
    AUTO_FREE char *group = facts_group_name("toolkit", path);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "version", version, path);
    facts_set_string(facts, group, "origin", "directory", path);
    facts_set_string(facts, group, "compat_path", NULL, path);
    world_list(facts, group, "named_by", named_by);
    world_list(facts, group, "missing", missing);
    facts_set_integer(facts, "toolkit", "count", 1, "probe");
}

UNUSED static void world_cudnn(struct facts *facts, const char *directory, const char *version,
                               const char *origin)
{
    static const char *const names[] = {
        "libcudnn",
        "libcudnn_graph",
        "libcudnn_ops",
        "libcudnn_cnn",
        "libcudnn_adv",
        "libcudnn_heuristic",
        "libcudnn_engines_precompiled",
        "libcudnn_engines_runtime_compiled",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        AUTO_FREE char *soname = mem_printf("%s.so.9", names[i]);
        AUTO_FREE char *path = mem_printf("%s/%s.so.%s", directory, names[i], version);
        world_library(facts, "cudnn", path, soname, version, origin);
    }
}

/* Ubuntu without anything of NVIDIA, everything looked for. */
UNUSED static struct facts *world_bare(void)
{
    static const char *const variables[] = {"LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH",
                                            "CUDAToolkit_ROOT", "CUDA_VISIBLE_DEVICES"};
    struct facts *facts = facts_new();
    facts_set_string(facts, "os", "id", "ubuntu", "/etc/os-release");
    facts_set_string(facts, "os", "id_like", "debian", "/etc/os-release");
    facts_set_string(facts, "os", "architecture", "x86_64", "/lib64/ld-linux-x86-64.so.2");
    facts_set_string(facts, "os", "glibc_version", "2.39", "libc.so.6");
    facts_set_absent(facts, "machine", "wsl", "/proc/version");
    facts_set_string(facts, "machine", "virtualization", "none", "DMI");
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    facts_set_string(facts, "kernel", "release", "6.8.0-50-generic", "uname(2)");
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        facts_set_absent(facts, "environment", variables[i], "environment");
    facts_set_integer(facts, "container_engine", "count", 0, "/proc");
    facts_set_absent(facts, "lxc_guest", "count", "/var/lib/lxc");
    facts_set_integer(facts, "cdi", "count", 0, "/etc/cdi");
    facts_set_integer(facts, "pci", "count", 0, "/sys/bus/pci/devices");
    facts_set_integer(facts, "package", "count", 0, "/var/lib/dpkg/status");
    facts_set_integer(facts, "device", "count", 0, "/dev");
    facts_set_integer(facts, "library", "count", 0, "probe");
    facts_set_integer(facts, "toolkit", "count", 0, "probe");
    facts_set_integer(facts, "framework", "count", 0, "probe");
    facts_set_absent(facts, "toolkit", "default", "/usr/local/cuda");
    facts_set_absent(facts, "toolkit", "default_link", "/usr/local/cuda");
    facts_set_absent(facts, "toolkit", "nvcc_on_path", "PATH");
    world_module(facts, NULL);
    world_no_driver_libraries(facts);
    return facts;
}

/* The same with one GPU (H100 SXM5), and no driver. */
UNUSED static struct facts *world_with_gpu(void)
{
    struct facts *facts = world_bare();
    facts_set_integer(facts, "pci", "count", 1, "/sys/bus/pci/devices");
    world_gpu(facts, "0000:01:00.0", "2330", NULL);
    return facts;
}

/* A node below /dev, which the user of the record (usable) may use. */
UNUSED static void world_node(struct facts *facts, const char *name, const char *number,
                              bool usable)
{
    AUTO_FREE char *group = facts_group_name("device", name);
    AUTO_FREE char *path = mem_printf("/dev/%s", name);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "mode", usable ? "0666" : "0660", path);
    facts_set_integer(facts, group, "user", 0, path);
    facts_set_integer(facts, group, "group", usable ? 0 : 44, path);
    facts_set_string(facts, group, "number", number, path);
    facts_set_boolean(facts, group, "usable", usable, "access(2)");
}

/* What cuInit or nvmlInit answered, and the library's own version (NULL: not told). */
UNUSED static void world_answer(struct facts *facts, const char *library, int64_t init,
                                const char *init_name, const char *version)
{
    AUTO_FREE char *group = facts_group_name("answer", library);
    facts_set_string(facts, group, "library", library, library);
    facts_set_string(facts, group, "version", version, "cuDriverGetVersion");
    facts_set_integer(facts, group, "init", init, "init");
    facts_set_string(facts, group, "init_name", init_name, "init");
}

UNUSED static void world_no_answer(struct facts *facts, const char *library, const char *reason)
{
    AUTO_FREE char *group = facts_group_name("answer", library);
    facts_set_string(facts, group, "library", library, library);
    facts_set_unknown(facts, group, "version", reason, library);
    facts_set_unknown(facts, group, "init", reason, library);
}

/* What the file at path said its version is, when a library of that name was called. */
UNUSED static void world_called(struct facts *facts, const char *library, const char *path,
                                const char *version, const char *source)
{
    AUTO_FREE char *group = facts_group_name("answer", library);
    facts_set_string(facts, group, "library", library, "the loader's search");
    facts_set_string(facts, group, "path", path, "dlopen(3)");
    facts_set_string(facts, group, "version", version, source);
}

/* A finding of that cause has evidence from there. */
UNUSED static bool evidence_from(const struct finding *finding, const char *source)
{
    for (size_t i = 0; finding && i < finding->evidence_count; i++)
        if (strcmp(finding->evidence[i].source, source) == 0)
            return true;
    return false;
}

/* GPU and a working driver of that version. */
UNUSED static struct facts *world_with_driver(const char *version)
{
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    world_module(facts, version);
    world_module_file(facts, "6.8.0-50-generic", version);
    world_driver_libraries(facts, version);
    facts_set_integer(facts, "device", "count", 1, "/dev");
    facts_set_integer(facts, "limits", "user_id", 1000, "getuid(2)");
    world_node(facts, "nvidia0", "195:0", true);
    world_node(facts, "nvidiactl", "195:255", true);
    world_node(facts, "nvidia-uvm", "510:0", true);
    return facts;
}

UNUSED static void world_default_toolkit(struct facts *facts, const char *path, const char *version)
{
    world_toolkit(facts, path, version, "/usr/local/cuda", "");
    facts_set_string(facts, "toolkit", "default", path, "/usr/local/cuda");
    facts_set_string(facts, "toolkit", "default_link", path, "/usr/local/cuda");
}

UNUSED static void world_container(struct facts *facts, const char *engine)
{
    facts_set_string(facts, "container", "engine", engine, "/.dockerenv");
}

/* Judges as --for purpose, and frees the facts when the test is done with them: not here. */
UNUSED static struct judgement *world_judge(const struct facts *facts, enum purpose purpose)
{
    struct manifest *manifest = manifest_new();
    struct judge_options options = {.purpose_given = true, .purpose = purpose};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    manifest_free(manifest);
    return judgement;
}

UNUSED static const struct finding *found(const struct judgement *judgement, const char *cause)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (strcmp(judgement->findings[i]->cause, cause) == 0)
            return judgement->findings[i];
    return NULL;
}

UNUSED static size_t found_count(const struct judgement *judgement, const char *cause)
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->finding_count; i++)
        count += strcmp(judgement->findings[i]->cause, cause) == 0;
    return count;
}

UNUSED static const struct check *check_of(const struct judgement *judgement, const char *cause)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (strcmp(judgement->checks[i].cause, cause) == 0)
            return &judgement->checks[i];
    return NULL;
}

UNUSED static void assert_says(const char *text, const char *words)
{
    if (text == NULL || strstr(text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text ? text : "nothing", words);
}

/* The check of that cause ended so; for skip and unknown, with these words in its reason. */
UNUSED static void assert_check(const struct facts *facts, enum purpose purpose, const char *cause,
                                enum check_status status, const char *words)
{
    struct judgement *judgement = world_judge(facts, purpose);
    const struct check *check = check_of(judgement, cause);
    assert_non_null(check);
    if (check->status != status)
        print_error("%s: %s (%s), not %s\n", cause, check_status_name(check->status),
                    check->reason ? check->reason : "", check_status_name(status));
    assert_int_equal(check->status, status);
    if (words)
        assert_says(check->reason, words);
    judgement_free(judgement);
}

/* One of the fixes, its command and note together, says these words. */
UNUSED static bool fix_says(const struct finding *finding, const char *words)
{
    for (size_t i = 0; i < finding->fix_count; i++) {
        const struct finding_fix *fix = &finding->fixes[i];
        if ((fix->command && strstr(fix->command, words)) ||
            (fix->note && strstr(fix->note, words)))
            return true;
    }
    return false;
}

UNUSED static void assert_fix(const struct finding *finding, const char *words)
{
    if (!fix_says(finding, words))
        for (size_t i = 0; i < finding->fix_count; i++)
            print_error("fix: %s (%s)\n",
                        finding->fixes[i].command ? finding->fixes[i].command : "-",
                        finding->fixes[i].note ? finding->fixes[i].note : "-");
    assert_true(fix_says(finding, words));
}

/* The one finding of that cause, of that severity and with these words; judged again. */
UNUSED static void assert_found(const struct facts *facts, enum purpose purpose, const char *cause,
                                enum severity severity, const char *words)
{
    struct judgement *judgement = world_judge(facts, purpose);
    const struct finding *finding = found(judgement, cause);
    assert_non_null(finding);
    assert_int_equal(finding->severity, severity);
    assert_says(finding->message, words);
    assert_non_null(finding->why);
    assert_true(finding->evidence_count > 0);
    judgement_free(judgement);
}

/* The first finding of that cause has such a fix; judged again. */
UNUSED static void assert_found_fix(const struct facts *facts, enum purpose purpose,
                                    const char *cause, const char *words)
{
    struct judgement *judgement = world_judge(facts, purpose);
    const struct finding *finding = found(judgement, cause);
    assert_non_null(finding);
    assert_fix(finding, words);
    judgement_free(judgement);
}

#endif
