/* SPDX-License-Identifier: MIT */
#include "resolve/engine/words.h"

#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/toolkit/legacy.h"
#include "manifest/toolkit/pin.h"
#include "manifest/toolkit/single.h"
#include "manifest/versions/driver.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"

char *words_version(const struct version *version)
{
    char buffer[VERSION_TEXT_SIZE];
    return mem_string(version_text(version, 0, buffer));
}

/* The CUDA driver API version, as called, else as listed for the branch. */
static const struct version *supported_cuda(const struct resolve_context *context)
{
    const struct resolve_machine *machine = &context->machine;
    if (machine->driver_api.count)
        return &machine->driver_api;
    const struct manifest_branch *branch =
        manifest_branch_find(context->manifest, &machine->driver);
    return branch && branch->cuda.count ? &branch->cuda : NULL;
}

char *words_driver(const struct resolve_context *context)
{
    const struct resolve_machine *machine = &context->machine;
    const struct version *supported = supported_cuda(context);
    AUTO_TEXT struct text text = {0};
    char buffer[VERSION_TEXT_SIZE];
    text_append(&text, machine->driver_assumed ? "assumed driver" : "driver");
    if (machine->driver.count)
        text_printf(&text, " %s", version_text(&machine->driver, 0, buffer));
    if (supported)
        text_printf(&text, " (supports CUDA %s)", version_text(supported, 0, buffer));
    return text_steal(&text);
}

void words_add_newer(const struct resolve_context *context, char **why)
{
    if (!fit_driver_is_newer(context))
        return;
    char *both = mem_printf("%s; the driver is newer than this manifest (%s), so gpuenv assumes "
                            "that this driver runs whatever older drivers run",
                            *why, manifest_date(context->manifest));
    free(*why);
    *why = both;
}

char *words_gpu(const struct resolve_gpu *gpu)
{
    char buffer[VERSION_TEXT_SIZE];
    const char *name = gpu->model ? gpu->model->name : gpu->name;
    if (gpu->capability.count == 0)
        return mem_printf("%s", name ? name : "a GPU without a name");
    version_text(&gpu->capability, 0, buffer);
    if (gpu->model == NULL && (name == NULL || string_equal(name, buffer)))
        return mem_printf("compute capability %s", buffer);
    return mem_printf("%s (compute capability %s)", name, buffer);
}

/* Where NVIDIA's own file of an old version is; NULL: not known. */
static char *old_file(const struct resolve_context *context, const char *product,
                      const struct version *version, const struct version *cuda)
{
    const char *machine = context->machine.architecture ? context->machine.architecture : "x86_64";
    AUTO_FREE char *platform = mem_printf("linux-%s", machine);
    if (string_equal(product, "cuda"))
        return manifest_runfile_url(context->manifest, version, platform);
    return string_equal(product, "cudnn") && cuda
               ? manifest_archive_url(context->manifest, version, cuda, platform)
               : NULL;
}

/* A release that is one archive with a layout; NULL: it is not, or its checksum is not known. */
static char *words_single(const struct resolve_context *context, const char *product,
                          const struct version *version, const struct version *cuda)
{
    static const struct version none = {.count = 0};
    const char *machine = context->machine.architecture ? context->machine.architecture : "x86_64";
    AUTO_FREE char *platform =
        mem_printf("linux-%s", string_equal(machine, "aarch64") ? "sbsa" : machine);
    char text[VERSION_TEXT_SIZE];
    struct manifest_single single;
    if (!manifest_single_find(context->manifest, product, version, cuda ? cuda : &none, platform,
                              &single) ||
        single.sha256 == NULL)
        return NULL;
    AUTO_FREE char *url = manifest_single_url(&single);
    return mem_printf("gpuenv install %s@%s --archive %s; NVIDIA's own file is %s", product,
                      version_text(version, 0, text), single.file, url ? url : "no longer known");
}

char *words_install(const struct resolve_context *context, const char *product,
                    const struct version *version, const struct version *cuda)
{
    char text[VERSION_TEXT_SIZE];
    const struct manifest_pin *pin = manifest_pin_find(context->manifest, product, version);
    const struct manifest_pin *oldest = manifest_pin_oldest(context->manifest, product);
    if ((pin && manifest_pin_is_pinned(pin)) || oldest == NULL)
        return NULL;
    AUTO_FREE char *single = words_single(context, product, version, cuda);
    if (single)
        return mem_steal(&single);
    if (version_compare(version, &oldest->version) >= 0)
        return mem_string("this manifest has no checksums for this version: gpuenv install needs "
                          "--allow-unpinned");
    AUTO_FREE char *url = old_file(context, product, version, cuda);
    return mem_printf("gpuenv cannot install it: it is older than %s, the first version with "
                      "archives that gpuenv can install%s%s",
                      version_text(&oldest->version, 0, text), url ? "; NVIDIA's own file is " : "",
                      url ? url : "");
}

void words_limits(enum fit fit, struct strlist *limits)
{
    if (fit == FIT_MINOR) {
        strlist_add(limits,
                    "the driver does not compile PTX from this CUDA: programs without machine code "
                    "for the GPU fail with error 222 (\"gpuenv explain cuda 222\")");
        strlist_add(limits, "features of this CUDA that need a newer driver fail with error 36");
    } else if (fit == FIT_COMPAT) {
        strlist_add(limits, "programs must load cuda-compat's libcuda first, through "
                            "LD_LIBRARY_PATH or an entry in ld.so.conf.d");
        strlist_add(limits, "CUDA shared with OpenGL or Vulkan does not work");
    }
}
