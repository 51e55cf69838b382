/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

/* CUDA's compilers and mathematical libraries: their version, without a handle, which would need a
 * GPU. cublas_api.h, cublasLt.h, cufft.h, curand.h, cusolver_common.h, cusparse.h, nvrtc.h,
 * nvJitLink.h and library_types.h (libraryPropertyType) of CUDA 13.0. Every result is int, 0:
 * success. */
static void ask_stored(struct channel *channel, const char *soname, const char *group,
                       const char *function)
{
    int version;
    if (ask_stored_number(channel, soname, group, function, &version))
        ask_version(channel, group, "version", version, 1000, function);
}

static void ask_property(struct channel *channel, const char *soname, const char *group,
                         const char *function)
{
    union ask_function call;
    if (!ask_find(channel, soname, group, function, &call))
        return;
    int part[3] = {0};
    for (int i = 0; i < 3; i++) { /* MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL */
        int result = call.property(i, &part[i]);
        if (result != 0) {
            ask_refused(channel, group, "version", function, result);
            return;
        }
    }
    AUTO_FREE char *version = mem_printf("%d.%d.%d", part[0], part[1], part[2]);
    answer_string(channel, group, "version", version, function);
}

static void ask_pair(struct channel *channel, const char *soname, const char *group,
                     const char *function)
{
    union ask_function call;
    if (!ask_find(channel, soname, group, function, &call))
        return;
    int major = 0;
    int minor = 0;
    int result = call.pair(&major, &minor);
    if (result != 0) {
        ask_refused(channel, group, "version", function, result);
        return;
    }
    AUTO_FREE char *version = mem_printf("%d.%d", major, minor);
    answer_string(channel, group, "version", version, function);
}

void ask_cublas(struct channel *channel, const char *soname, const char *group)
{
    ask_property(channel, soname, group, "cublasGetProperty");
}

void ask_cublas_lt(struct channel *channel, const char *soname, const char *group)
{
    static const char function[] = "cublasLtGetVersion";
    union ask_function call;
    if (!ask_find(channel, soname, group, function, &call))
        return;
    size_t version = call.give();
    /* CUBLAS_VERSION: 10202 is 10.2.2, 130100 is 13.1.0 */
    ask_version(channel, group, "version", (int64_t)version, version < 100000 ? 1000 : 10000,
                function);
}

void ask_cufft(struct channel *channel, const char *soname, const char *group)
{
    ask_stored(channel, soname, group, "cufftGetVersion");
}

void ask_curand(struct channel *channel, const char *soname, const char *group)
{
    ask_stored(channel, soname, group, "curandGetVersion");
}

void ask_cusolver(struct channel *channel, const char *soname, const char *group)
{
    ask_stored(channel, soname, group, "cusolverGetVersion");
}

void ask_cusparse(struct channel *channel, const char *soname, const char *group)
{
    ask_property(channel, soname, group, "cusparseGetProperty");
}

void ask_nvrtc(struct channel *channel, const char *soname, const char *group)
{
    ask_pair(channel, soname, group, "nvrtcVersion");
}

void ask_nvjitlink(struct channel *channel, const char *soname, const char *group)
{
    ask_pair(channel, soname, group, "nvJitLinkVersion");
}
