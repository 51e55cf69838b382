/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"
#include "probe/system/environment_name.h"

#define SOURCE "environment"

const char *const environment_names[] = {
    "PATH",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LIBRARY_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDAToolkit_ROOT",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_REQUIRE_CUDA",
    "NVIDIA_IMEX_CHANNELS",
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONNOUSERSITE",
    "UV_PROJECT_ENVIRONMENT",
    "TMPDIR",
    "CUDA_DISABLE_PTX_JIT",
    "XLA_FLAGS",
    "MAX_JOBS",
    "CUDACXX",
    "CUDAHOSTCXX",
    "CUDAARCHS",
    "NVCC_CCBIN",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "CC",
    "TORCH_CUDA_ARCH_LIST",
    "TRITON_PTXAS_PATH",
    "TRITON_PTXAS_BLACKWELL_PATH",
    "KUBERNETES_SERVICE_HOST",
    "SUDO_UID",
    NULL,
};

static bool tree_without_environment(const struct host *host)
{
    if (host_is_live(host))
        return false;
    AUTO_STRLIST struct strlist all = {0};
    host_environment_names(host, "", &all);
    return all.count == 0;
}

void probe_environment(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    bool skip = tree_without_environment(host);
    for (size_t i = 0; environment_names[i]; i++) {
        const char *name = environment_names[i];
        if (skip)
            facts_set_skipped(facts, "environment", name, "a tree holds no environment", "--root");
        else
            facts_set_string(facts, "environment", name, host_environment(host, name), SOURCE);
    }
    AUTO_STRLIST struct strlist others = {0};
    host_environment_names(host, "CUDA_", &others);
    host_environment_names(host, "NVIDIA_", &others);
    for (size_t i = 0; i < others.count && i < PROBE_INSTANCES; i++)
        facts_set_string(facts, "environment", others.items[i],
                         host_environment(host, others.items[i]), SOURCE);
}
