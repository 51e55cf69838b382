/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include <string.h>

#include "probe/engine/probes.h"

/* NVIDIA's packages that are no libraries of CUDA's. */
static const char *const other_packages[] = {"nvidia-ml-py",   "nvidia-dali", "nvidia-modelopt",
                                             "nvidia-pyindex", "nvidia-smi",  "nvidia-nat"};

/* conda's packages with the same libraries. */
static const char *const conda_packages[] = {
    "cudatoolkit",  "cudnn",     "nccl",         "cuda-version", "pytorch-cuda", "cuda-cudart",
    "libcublas",    "libcufft",  "libcurand",    "libcusolver",  "libcusparse",  "cuda-nvrtc",
    "libnvjitlink", "cuda-nvcc", "cuda-runtime", "tensorrt",     "cuda-cupti",   "cuda-libraries"};

static bool is_wheel(const struct python_package *package)
{
    if (package->build) {
        for (size_t i = 0; i < sizeof(conda_packages) / sizeof(*conda_packages); i++)
            if (string_equal(package->name, conda_packages[i]))
                return true;
        return false;
    }
    for (size_t i = 0; i < sizeof(other_packages) / sizeof(*other_packages); i++)
        if (string_starts(package->name, other_packages[i]))
            return false;
    return string_starts(package->name, "nvidia-") || string_equal(package->name, "cuda-toolkit");
}

/* "-cu12" at the end of the name, "nvidia/cu13/lib", cuda-toolkit's and cudatoolkit's version. */
static char *wheel_cuda(const struct python_package *package, const char *directory)
{
    static const char *const releases[] = {"cuda-toolkit", "cudatoolkit", "cuda-version",
                                           "pytorch-cuda"};
    const char *suffix = strstr(package->name, "-cu1");
    if (suffix)
        return mem_string_n(suffix + 3, strspn(suffix + 3, "0123456789"));
    const char *folder = directory ? strstr(directory, "/nvidia/cu") : NULL;
    size_t digits = folder ? strspn(folder + strlen("/nvidia/cu"), "0123456789") : 0;
    if (digits > 0)
        return mem_string_n(folder + strlen("/nvidia/cu"), digits);
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++)
        if (string_equal(package->name, releases[i]) &&
            version_parse_prefix(package->version, &version))
            return mem_string(version_text(&version, 2, buffer));
    return NULL;
}

static void note_wheel(struct framework_work *work, const struct python_environment *environment,
                       const struct python_package *package, const char *group)
{
    struct facts *facts = work->facts;
    AUTO_RECORD_CHECK struct record_check check = {.present = false};
    if (package->build == NULL)
        record_check(work->host, environment, package, &check);
    AUTO_FREE char *cuda = wheel_cuda(package, check.directory);
    facts_set_string(facts, group, "name", package->name, package->info);
    facts_set_string(facts, group, "version", package->version, package->info);
    facts_set_string(facts, group, "environment", environment->directory, package->info);
    facts_set_string(facts, group, "python", environment->group, package->info);
    facts_set_string(facts, group, "origin", package->build ? "conda" : "wheel", package->info);
    facts_set_string(facts, group, "cuda", cuda, package->info);
    framework_note_wheel_platform(work, package, group);
    facts_set_string(facts, group, "directory", check.directory, package->info);
    facts_set_list(facts, group, "libraries", &check.names, package->info);
    facts_set_list(facts, group, "broken", &check.broken, package->info);
}

void framework_note_wheels(struct framework_work *work)
{
    static const char source[] = "metadata of Python and conda packages";
    size_t count = 0;
    for (size_t i = 0; i < work->world->count; i++) {
        const struct python_environment *environment = &work->world->items[i];
        for (size_t k = 0; k < environment->package_count && count < PROBE_INSTANCES; k++) {
            if (!is_wheel(&environment->packages[k]))
                continue;
            AUTO_FREE char *group = mem_printf("wheel/%zu", count++);
            note_wheel(work, environment, &environment->packages[k], group);
        }
    }
    if (count == PROBE_INSTANCES)
        facts_set_unknown(work->facts, "wheel", "count", "more than gpuenv keeps", source);
    else
        facts_set_integer(work->facts, "wheel", "count", (int64_t)count, source);
}
