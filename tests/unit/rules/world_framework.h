/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RULES_WORLD_FRAMEWORK_H
#define TESTS_UNIT_RULES_WORLD_FRAMEWORK_H

#include "base/memory.h"
#include "rules/world.h"

/* Frameworks and what they load, as records. */

#define VENV "/home/u/venv"
#define SITE VENV "/lib/python3.12/site-packages"

/* An environment of Python 3.12. */
UNUSED static void world_python(struct facts *facts, const char *directory, bool active)
{
    facts_set_integer(facts, "python", "count", 1, "probe");
    facts_set_string(facts, "python/0", "directory", directory, directory);
    facts_set_string(facts, "python/0", "version", "3.12", directory);
    facts_set_boolean(facts, "python/0", "active", active, directory);
}

/* framework/0, built for that CUDA (NULL: for processors), in an active environment. */
UNUSED static void world_framework(struct facts *facts, const char *name, const char *package,
                                   const char *version, const char *cuda)
{
    static const char group[] = "framework/0";
    world_python(facts, VENV, true);
    facts_set_integer(facts, "framework", "count", 1, "probe");
    facts_set_string(facts, group, "name", name, SITE);
    facts_set_string(facts, group, "package", package, SITE);
    facts_set_string(facts, group, "version", version, SITE);
    facts_set_string(facts, group, "environment", VENV, VENV);
    facts_set_string(facts, group, "python", "python/0", VENV);
    facts_set_boolean(facts, group, "active", true, VENV);
    facts_set_string(facts, group, "origin", "wheel", SITE);
    facts_set_string(facts, group, "accelerator", cuda ? "cuda" : "cpu", SITE);
    facts_set_boolean(facts, group, "cpu_only", cuda == NULL, SITE);
    facts_set_string(facts, group, "cuda", cuda, SITE);
}

UNUSED static void world_idle(struct facts *facts)
{
    facts_set_boolean(facts, "framework/0", "active", false, VENV);
    facts_set_boolean(facts, "python/0", "active", false, VENV);
}

/* framework_library/N of framework/0; path NULL: it gets nothing. */
UNUSED static void world_load(struct facts *facts, unsigned n, const char *family,
                              const char *soname, const char *path, const char *why)
{
    AUTO_FREE char *group = mem_printf("framework_library/%u", n);
    facts_set_string(facts, group, "framework", "framework/0", "probe");
    facts_set_string(facts, group, "soname", soname, "probe");
    facts_set_string(facts, group, "family", family, "probe");
    facts_set_string(facts, group, "how", "opened", "probe");
    facts_set_string(facts, group, "by", SITE "/main.so", "probe");
    facts_set_string(facts, group, "path", path, "probe");
    facts_set_string(facts, group, "real_path", path, "probe");
    facts_set_string(facts, group, "why", why, "probe");
}

/* The version of what it gets, and of the copy in its environment. */
UNUSED static void world_load_versions(struct facts *facts, unsigned n, const char *version,
                                       const char *own, const char *own_version)
{
    AUTO_FREE char *group = mem_printf("framework_library/%u", n);
    facts_set_string(facts, group, "version", version, "probe");
    facts_set_string(facts, group, "own", own, "probe");
    facts_set_string(facts, group, "own_version", own_version, "probe");
}

/* H100 with driver 550 and PyTorch 2.5.1 of CUDA 12.4: nothing is wrong. */
UNUSED static struct facts *world_with_torch(void)
{
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "pytorch", "torch", "2.5.1+cu124", "12.4");
    return facts;
}

UNUSED static void world_jetson(struct facts *facts, const char *release, const char *capability)
{
    facts_set_string(facts, "machine", "jetson_release", release, "/etc/nv_tegra_release");
    facts_set_string(facts, "os", "architecture", "aarch64", "/lib/ld-linux-aarch64.so.1");
    facts_set_integer(facts, "cuda", "count", 1, "cuDeviceGetCount");
    facts_set_string(facts, "cuda/0", "name", "Orin", "cuDeviceGetName");
    facts_set_string(facts, "cuda/0", "capability", capability, "cuDeviceGetAttribute");
}

#endif
