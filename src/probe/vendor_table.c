/* SPDX-License-Identifier: MIT */
#include "probe/ask.h"

static const char *const driver_facts[] = {"version", "init", "init_name", "device_count", NULL};
static const char *const nvml_facts[] = {
    "version", "init", "init_name", "device_count", "driver_version", "cuda_version", NULL};
static const char *const cudnn_facts[] = {"version", "cudart_version", "capability_max", NULL};
static const char *const version_alone[] = {"version", NULL};

static const char *const cuda_kinds[] = {"cuda", NULL};
static const char *const nvml_kinds[] = {"nvml", NULL};

/* The deep ones take 50 to 400 ms each to load: hundreds of MB to relocate. */
const struct vendor_question vendor_questions[] = {
    {.library = "libcuda.so.1",
     .family = "driver",
     .kinds = cuda_kinds,
     .facts = driver_facts,
     .ask = ask_cuda},
    {.library = "libnvidia-ml.so.1",
     .family = "driver",
     .kinds = nvml_kinds,
     .facts = nvml_facts,
     .ask = ask_nvml},
    {.family = "cudart", .name = "libcudart", .facts = version_alone, .ask = ask_cudart},
    {.family = "cudnn", .name = "libcudnn", .facts = cudnn_facts, .ask = ask_cudnn},
    {.family = "nccl", .name = "libnccl", .facts = version_alone, .ask = ask_nccl},
    {.family = "tensorrt", .name = "libnvinfer", .facts = version_alone, .ask = ask_tensorrt},
    {.family = "cublas",
     .name = "libcublas",
     .facts = version_alone,
     .deep = true,
     .ask = ask_cublas},
    {.family = "cublasLt",
     .name = "libcublasLt",
     .facts = version_alone,
     .deep = true,
     .ask = ask_cublas_lt},
    {.family = "cufft", .name = "libcufft", .facts = version_alone, .deep = true, .ask = ask_cufft},
    {.family = "curand",
     .name = "libcurand",
     .facts = version_alone,
     .deep = true,
     .ask = ask_curand},
    {.family = "cusolver",
     .name = "libcusolver",
     .facts = version_alone,
     .deep = true,
     .ask = ask_cusolver},
    {.family = "cusparse",
     .name = "libcusparse",
     .facts = version_alone,
     .deep = true,
     .ask = ask_cusparse},
    {.family = "nvrtc", .name = "libnvrtc", .facts = version_alone, .deep = true, .ask = ask_nvrtc},
    {.family = "nvJitLink",
     .name = "libnvJitLink",
     .facts = version_alone,
     .deep = true,
     .ask = ask_nvjitlink},
    {.family = NULL},
};
