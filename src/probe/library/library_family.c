/* SPDX-License-Identifier: MIT */
#include "probe/library/library_family.h"

#include <string.h>

#include "base/text.h"

#define VERSION_MACROS(prefix)                                                                     \
    {                                                                                              \
        prefix "_MAJOR", prefix "_MINOR", prefix "_PATCH", prefix "_BUILD"                         \
    }
#define CUDNN_MACROS                                                                               \
    {                                                                                              \
        "CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"                                           \
    }

const struct library_family library_families[] = {
    {.name = "driver", .interface = 1},
    {.name = "nvenc", .interface = 1},
    {.name = "nvdec", .interface = 1},
    {.name = "cudart",
     .headers = {{"cuda_runtime_api.h", {"CUDART_VERSION"}}},
     .wheel = "nvidia_cuda_runtime"},
    {.name = "cublas",
     .headers = {{"cublas_api.h", VERSION_MACROS("CUBLAS_VER")}},
     .wheel = "nvidia_cublas"},
    {.name = "cublasLt",
     .headers = {{"cublas_api.h", VERSION_MACROS("CUBLAS_VER")}},
     .wheel = "nvidia_cublas"},
    {.name = "cufft",
     .headers = {{"cufft.h", VERSION_MACROS("CUFFT_VER")}},
     .wheel = "nvidia_cufft"},
    {.name = "curand",
     .headers = {{"curand.h", VERSION_MACROS("CURAND_VER")}},
     .wheel = "nvidia_curand"},
    {.name = "cusolver",
     .headers = {{"cusolver_common.h", VERSION_MACROS("CUSOLVER_VER")}},
     .wheel = "nvidia_cusolver"},
    {.name = "cusparse",
     .headers = {{"cusparse.h", VERSION_MACROS("CUSPARSE_VER")}},
     .wheel = "nvidia_cusparse"},
    {.name = "nvrtc", .wheel = "nvidia_cuda_nvrtc"},
    {.name = "nvJitLink", .wheel = "nvidia_nvjitlink"},
    {.name = "cusparseLt", .wheel = "nvidia_cusparselt"},
    {.name = "cudss", .wheel = "nvidia_cudss"},
    {.name = "cufile", .interface = 1},
    {.name = "cupti", .wheel = "nvidia_cuda_cupti"},
    {.name = "nvToolsExt", .interface = 1},
    {.name = "nvshmem", .wheel = "nvidia_nvshmem"},
    {.name = "cudnn",
     /* cudnn.h itself stated it until cuDNN 7 */
     .headers = {{"cudnn_version.h", CUDNN_MACROS}, {"cudnn.h", CUDNN_MACROS}},
     .wheel = "nvidia_cudnn"},
    {.name = "nccl",
     .headers = {{"nccl.h", {"NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"}}},
     .wheel = "nvidia_nccl"},
    {.name = "tensorrt",
     .headers = {{"NvInferVersion.h", VERSION_MACROS("NV_TENSORRT")}},
     .wheel = "tensorrt"},
    {.name = NULL},
};

static const struct library_stem {
    const char *stem;
    bool more; /* any stem that begins so */
    const char *family;
} library_stems[] = {
    {.stem = "libcuda", .family = "driver"},
    {.stem = "libnvidia-ml", .family = "driver"},
    {.stem = "libnvidia-ptxjitcompiler", .family = "driver"},
    {.stem = "libcudadebugger", .family = "driver"},
    {.stem = "libnvdxgdmal", .family = "driver"},
    {.stem = "libnvidia-encode", .family = "nvenc"},
    {.stem = "libnvcuvid", .family = "nvdec"},
    {.stem = "libcudart", .family = "cudart"},
    {.stem = "libcublas", .family = "cublas"},
    {.stem = "libcublasLt", .family = "cublasLt"},
    {.stem = "libcufft", .family = "cufft"},
    {.stem = "libcurand", .family = "curand"},
    {.stem = "libcusolver", .family = "cusolver"},
    {.stem = "libcusparse", .family = "cusparse"},
    {.stem = "libnvrtc", .family = "nvrtc"},
    {.stem = "libnvrtc-builtins", .family = "nvrtc"},
    {.stem = "libnvJitLink", .family = "nvJitLink"},
    {.stem = "libcusparseLt", .family = "cusparseLt"},
    {.stem = "libcudss", .family = "cudss"},
    {.stem = "libcufile", .family = "cufile"},
    {.stem = "libcupti", .family = "cupti"},
    {.stem = "libnvToolsExt", .family = "nvToolsExt"},
    {.stem = "libnvshmem_host", .family = "nvshmem"},
    {.stem = "libcudnn", .family = "cudnn"},
    {.stem = "libcudnn_", .more = true, .family = "cudnn"},
    {.stem = "libnccl", .family = "nccl"},
    {.stem = "libnvinfer", .more = true, .family = "tensorrt"},
};

static const struct library_family *family_named(const char *name)
{
    for (const struct library_family *family = library_families; family->name; family++)
        if (strcmp(family->name, name) == 0)
            return family;
    return NULL;
}

/* The length of what stands before ".so" and, if anything, ".digits and dots"; 0 when the name is
 * not of that form. */
static size_t stem_length(const char *file_name)
{
    const char *end = strstr(file_name, ".so");
    if (end == NULL)
        return 0;
    const char *rest = end + strlen(".so");
    bool versioned =
        rest[0] == '.' && rest[1] != '\0' && rest[1 + strspn(rest + 1, "0123456789.")] == '\0';
    return rest[0] == '\0' || versioned ? (size_t)(end - file_name) : 0;
}

const struct library_family *library_family_of(const char *file_name, size_t *ret_stem)
{
    /* Every stem begins so; most names of a system directory do not. */
    if (!string_starts(file_name, "libcu") && !string_starts(file_name, "libn"))
        return NULL;
    size_t length = stem_length(file_name);
    for (size_t i = 0; length > 0 && i < sizeof(library_stems) / sizeof(*library_stems); i++) {
        const struct library_stem *row = &library_stems[i];
        size_t size = strlen(row->stem);
        bool fits = row->more ? length >= size : length == size;
        if (fits && memcmp(file_name, row->stem, size) == 0) {
            if (ret_stem)
                *ret_stem = length;
            return family_named(row->family);
        }
    }
    return NULL;
}

bool library_name_version(const char *file_name, struct version *ret_version)
{
    const char *end = strstr(file_name, ".so.");
    return end && version_parse(end + strlen(".so."), ret_version);
}
