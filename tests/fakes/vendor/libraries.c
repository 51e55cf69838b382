/* SPDX-License-Identifier: MIT */
/* The CUDA runtime, cuDNN, NCCL and the others: what tells their version. All of them have all of
 * these functions; only their SONAMEs differ. */
#include <stddef.h>
#include <stdlib.h>

#include "plan.h"

static long long number_of(const char *function, const char *key)
{
    long long number = 0;
    plan_number(function, NO_GPU, key, &number);
    return number;
}

/* int NAME(int *version): cuda_runtime_api.h 13.0, nccl.h 2.28, cufft.h, curand.h, cusolverDn.h */
#define ANSWERS_INT(function, key)                                                                 \
    EXPORTED int function(int *version)                                                            \
    {                                                                                              \
        int result = plan_call(#function, NO_GPU, 0);                                              \
        if (result == 0)                                                                           \
            *version = (int)number_of(#function, key);                                             \
        return result;                                                                             \
    }

/* size_t NAME(void): cudnn_version.h 9.19, cublas_api.h; getInferLibVersion returns an int32_t,
 * which the caller reads the same way. */
#define RETURNS_SIZE(function, key)                                                                \
    EXPORTED size_t function(void)                                                                 \
    {                                                                                              \
        plan_call(#function, NO_GPU, 0);                                                           \
        return (size_t)number_of(#function, key);                                                  \
    }

/* int NAME(int *major, int *minor): nvrtc.h, nvJitLink.h */
#define ANSWERS_PAIR(function)                                                                     \
    EXPORTED int function(int *major, int *minor)                                                  \
    {                                                                                              \
        int result = plan_call(#function, NO_GPU, 0);                                              \
        if (result == 0) {                                                                         \
            *major = (int)number_of("", "major");                                                  \
            *minor = (int)number_of("", "minor_version");                                          \
        }                                                                                          \
        return result;                                                                             \
    }

/* int NAME(libraryPropertyType type, int *value): library_types.h */
#define ANSWERS_PROPERTY(function)                                                                 \
    EXPORTED int function(int type, int *value)                                                    \
    {                                                                                              \
        static const char *const keys[] = {"major", "minor_version", "patch"};                     \
        int result = plan_call(#function, NO_GPU, 0);                                              \
        if (type < 0 || type > 2)                                                                  \
            return 1;                                                                              \
        if (result == 0)                                                                           \
            *value = (int)number_of("", keys[type]);                                               \
        return result;                                                                             \
    }

ANSWERS_INT(cudaRuntimeGetVersion, "cudart")
ANSWERS_INT(cudaDriverGetVersion, "cuda")
ANSWERS_INT(cudaGetDeviceCount, "gpus")
ANSWERS_INT(ncclGetVersion, "nccl")
ANSWERS_INT(cufftGetVersion, "cufft")
ANSWERS_INT(curandGetVersion, "curand")
ANSWERS_INT(cusolverGetVersion, "cusolver")
RETURNS_SIZE(cudnnGetVersion, "cudnn")
RETURNS_SIZE(cudnnGetCudartVersion, "cudnn_cudart")
RETURNS_SIZE(cudnnGetMaxDeviceVersion, "cudnn_capability")
RETURNS_SIZE(cublasGetCudartVersion, "cudart")
RETURNS_SIZE(cublasLtGetVersion, "cublas")
RETURNS_SIZE(getInferLibVersion, "tensorrt")
ANSWERS_PAIR(nvrtcVersion)
ANSWERS_PAIR(nvJitLinkVersion)
ANSWERS_PROPERTY(cublasGetProperty)
ANSWERS_PROPERTY(cufftGetProperty)
ANSWERS_PROPERTY(curandGetProperty)
ANSWERS_PROPERTY(cusolverGetProperty)
ANSWERS_PROPERTY(cusparseGetProperty)
