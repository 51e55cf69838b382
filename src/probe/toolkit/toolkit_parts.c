/* SPDX-License-Identifier: MIT */
#include "probe/places/toolkit_root.h"

#include "probe/places/path_match.h"

#define PART_PLACES 4

/* Where each part may be, below a root. lib/cuda and lib/nvidia-cuda-toolkit: Debian's, root /usr.
 * "../": the parts that the wheels of CUDA 12 keep in packages of their own. */
static const struct toolkit_part {
    const char *name;
    const char *places[PART_PLACES];
    const char *in_libraries[2]; /* in one of the library directories */
} toolkit_parts[] = {
    {.name = "nvcc", .places = {"bin/nvcc"}},
    {.name = "ptxas", .places = {"bin/ptxas", "lib/nvidia-cuda-toolkit/bin/ptxas"}},
    {.name = "cicc", .places = {"nvvm/bin/cicc", "bin/cicc", "lib/nvidia-cuda-toolkit/bin/cicc"}},
    {.name = "libdevice",
     .places = {"nvvm/libdevice/libdevice.*.bc", "lib/cuda/nvvm/libdevice/libdevice.*.bc",
                "lib/nvidia-cuda-toolkit/libdevice/libdevice.*.bc"}},
    {.name = "cudart",
     .places = {"../cuda_runtime/lib/libcudart.so*"},
     .in_libraries = {"libcudart.so*", "libcudart_static.a"}},
    {.name = "headers",
     .places = {"include/cuda_runtime.h", "targets/*/include/cuda_runtime.h",
                "../cuda_runtime/include/cuda_runtime.h"}},
};

static bool part_is_there(const struct host *host, const char *root,
                          const struct strlist *libraries, const struct toolkit_part *part)
{
    for (unsigned i = 0; i < PART_PLACES && part->places[i]; i++)
        if (path_matches(host, root, part->places[i]))
            return true;
    for (unsigned i = 0; i < 2 && part->in_libraries[i]; i++)
        for (size_t k = 0; k < libraries->count; k++)
            if (path_matches(host, libraries->items[k], part->in_libraries[i]))
                return true;
    return false;
}

void toolkit_missing(const struct host *host, const char *root, struct strlist *missing)
{
    AUTO_STRLIST struct strlist libraries = {0};
    toolkit_library_directories(host, root, &libraries);
    for (size_t i = 0; i < sizeof(toolkit_parts) / sizeof(*toolkit_parts); i++)
        if (!part_is_there(host, root, &libraries, &toolkit_parts[i]))
            strlist_add(missing, toolkit_parts[i].name);
}
