/* SPDX-License-Identifier: MIT */
#include "rules/framework/framework_load.h"

#include <string.h>

#include "base/path.h"
#include "base/shell.h"
#include "manifest/toolkit/library.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

void framework_loads_free(struct framework_loads *loads)
{
    free(loads->items);
}

/* CuPy has a module for each, and imports it only where cupy.cuda.nccl or cupy.cudnn is used. */
static bool is_optional(const struct framework *framework, const char *family)
{
    return string_equal(framework->name, "cupy") &&
           (string_equal(family, "nccl") || string_equal(family, "cudnn"));
}

static void add(struct framework_loads *loads, const struct facts *facts,
                const struct frameworks *frameworks, const char *group)
{
    const struct framework *framework =
        frameworks_at(frameworks, facts_string(facts, group, "framework"));
    const char *soname = facts_string(facts, group, "soname");
    const char *family = facts_string(facts, group, "family");
    const char *real_path = facts_string(facts, group, "real_path");
    const struct fact *path = facts_get(facts, group, "path");
    const char *why = facts_string(facts, group, "why");
    const char *damaged = facts_string(facts, group, "damaged");
    bool is_cudnn = string_equal(family, "cudnn") && path && path->state == FACT_VALUE;
    bool by_variable = why && string_starts(why, "LD_PRELOAD");
    if (framework == NULL || soname == NULL ||
        (string_equal(facts_string(facts, group, "how"), "preloaded") && !by_variable && !damaged &&
         !is_cudnn) ||
        (is_optional(framework, family) && path && path->state == FACT_ABSENT))
        return;
    struct framework_load *load = vec_push(loads->items, loads->count, loads->capacity);
    *load = (struct framework_load){
        .group = group,
        .framework = framework,
        .soname = soname,
        .family = family ? family : "",
        .by = facts_string(facts, group, "by"),
        .path = facts_string(facts, group, "path"),
        .why = why,
        .damaged = damaged,
        .missing = path && path->state == FACT_ABSENT && damaged == NULL,
        .linked = string_equal(facts_string(facts, group, "how"), "needed"),
    };
    load->real_path = real_path ? real_path : load->path;
}

struct framework_loads framework_loads_of(const struct facts *facts,
                                          const struct frameworks *frameworks)
{
    struct framework_loads loads = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework_library", &i)) != NULL;)
        add(&loads, facts, frameworks, group);
    return loads;
}

const struct framework_load *framework_loads_got(const struct framework_loads *loads,
                                                 const struct framework *framework,
                                                 const char *soname)
{
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        if (load->framework == framework && load->path && string_equal(load->soname, soname))
            return load;
    }
    return NULL;
}

static bool is_usable(const struct facts *facts, const char *group)
{
    return judged_library_fits(facts, group) && !judged_library_is_stub(facts, group);
}

const char *framework_copy_named(const struct facts *facts, const char *soname)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (is_usable(facts, group) && string_equal(facts_string(facts, group, "soname"), soname))
            return group;
    return NULL;
}

/* Whether the names before ".so" are one: libnvrtc.so.11.2 and libnvrtc.so.13, not
 * libnvrtc-builtins.so.13.0. */
static bool is_same_stem(const char *one, const char *other)
{
    const char *end = strstr(one, ".so");
    return end && strncmp(one, other, (size_t)(end - one) + strlen(".so")) == 0;
}

const char *framework_copy_other(const struct facts *facts, const char *family, const char *soname)
{
    const char *group, *first = NULL;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        const char *other = facts_string(facts, group, "soname");
        if (!is_usable(facts, group) || other == NULL || string_equal(other, soname) ||
            !string_equal(facts_string(facts, group, "family"), family))
            continue;
        if (is_same_stem(soname, other))
            return group;
        if (first == NULL)
            first = group;
    }
    return first;
}

bool framework_load_is_core(const struct framework_load *load)
{
    static const char *const families[] = {"cudart",   "cublas",   "cublasLt",  "cufft", "curand",
                                           "cusolver", "cusparse", "nvJitLink", "cupti"};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (string_equal(load->family, families[i]))
            return true;
    return load->linked && !string_equal(load->family, "cudnn") &&
           !string_equal(load->family, "nvrtc") && !string_equal(load->family, "driver");
}

void framework_fix_path(struct finding *finding, const char *path, const char *note)
{
    if (path == NULL)
        return;
    AUTO_FREE char *directory = path_parent(path);
    AUTO_FREE char *quoted = shell_quote(directory);
    finding_fix_command(finding, FIX_SHELL, note,
                        "export LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", quoted);
}

bool framework_loads_brought(const struct framework_loads *loads,
                             const struct framework_load *asked)
{
    if (!string_equal(asked->framework->name, "onnxruntime"))
        return false;
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        if (load->framework != asked->framework && load->path &&
            string_equal(load->soname, asked->soname) &&
            string_equal(load->framework->environment, asked->framework->environment))
            return true;
    }
    return false;
}

static bool is_lent(const struct framework_loads *loads, const struct framework_load *asked)
{
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        if (string_equal(asked->framework->name, "cupy") && load->path &&
            string_equal(load->framework->name, "pytorch") &&
            string_equal(load->soname, asked->soname) &&
            string_equal(load->framework->environment, asked->framework->environment))
            return true;
    }
    return false;
}

void framework_fix_order(struct finding *finding, const struct framework_loads *loads,
                         const struct framework_load *asked)
{
    if (is_lent(loads, asked))
        finding_fix_note(finding, FIX_ADVICE,
                         "import torch before cupy: CuPy then uses the libraries that PyTorch has "
                         "loaded");
}

const char *framework_wheel_of(struct manifest *manifest, const char *family, const char *soname)
{
    struct version cuda;
    return manifest_soname_cuda(manifest, family, soname, &cuda)
               ? manifest_library_package(manifest, family, cuda.part[0])
               : NULL;
}

bool framework_has_loads(const struct framework_loads *loads, const struct framework *framework)
{
    for (size_t i = 0; i < loads->count; i++)
        if (loads->items[i].framework == framework)
            return true;
    return false;
}
