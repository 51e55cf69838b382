# SPDX-License-Identifier: MIT
"""The packages that the manifest carries: what the Python index is asked for, and how a release of
each becomes a row."""

from refresh import code

# What a row names under requires: packages that decide which CUDA there is.
DECIDE = {
    "bitsandbytes", "ctranslate2", "cuda-bindings", "cuda-core", "cuda-pathfinder", "cuda-python", "cuda-toolkit",
    "cupy-cuda12x", "cupy-cuda13x", "cudf-cu12", "cudf-cu13", "flash-attn", "flash-attn-3", "flash-attn-4",
    "flashinfer-python", "jax", "jaxlib", "numba", "numba-cuda", "sgl-kernel", "sglang-kernel", "tensorrt",
    "tensorflow", "torch", "torchao", "torchaudio", "torchcodec", "torchvision", "transformer-engine-cu12",
    "transformer-engine-cu13", "transformers", "triton", "xformers",
}  # fmt: skip
SINCE = "2024-11-01"
SETUP, GGML = r"[^/]+/setup\.py", r"[^/]+/vendor/llama\.cpp/ggml/src/ggml-cuda/CMakeLists\.txt"
DALI, ENGINE = r"/libdali(_kernels|_operators)?\.so$", r"/libtransformer_engine\.so$"


class Package:
    """A project on the index, and the rows that its releases make.

    kind     "builds", or "riders" for what has no CUDA of its own
    told     what the installer is told, if not the project's name
    extras   the extras that belong to that
    tags     another project, whose wheels have the tags, METADATA and code
    variant  of every row; else what the readers say
    pins     "pins": the CUDA packages that it requires become rows of their own
    readers  what is read from the wheel beside METADATA
    like_before  cells of documentation, which a new release takes from the one before it
    arch     where wheels for other machines are without CUDA, or it is not known whether they have it
    first    the release with which the extras begin
    minors   one row for the releases of a minor version; "padded": written as 26.02
    stated   for cells that are missing: a pattern of a file in the source archive, which is read
             with the description of METADATA ("": that alone; None: neither), and the function of
             a release and that text
    code     the project whose wheels have the GPU code (or several: the first one that the release
             requires in one version), a pattern of the libraries, and since when they are read, if
             not always
    """

    def __init__(self, framework, project, **rest):
        self.framework, self.project = framework, project
        self.kind = rest.pop("kind", "builds")
        self.told = rest.pop("told", project)
        self.extras = rest.pop("extras", ())
        self.tags = rest.pop("tags", project)
        self.variant = rest.pop("variant", None)
        self.pins = rest.pop("pins", False)
        self.readers = rest.pop("readers", ())
        self.minors = rest.pop("minors", False)
        self.since = rest.pop("since", SINCE)
        self.code = rest.pop("code", None)
        self.stated = rest.pop("stated", None)
        self.first = rest.pop("first", "0")
        self.like_before = rest.pop("like_before", ())
        self.cells = rest


def rider(framework, project, extras=()):
    return Package(framework, project, kind="riders", extras=extras)


PACKAGES = (
    rider("accelerate", "accelerate"),
    Package("bitsandbytes", "bitsandbytes", readers=(code.library_names,), code=("bitsandbytes", r"/libbitsandbytes_cuda\d+\.so$")),
    Package("causal-conv1d", "causal-conv1d", stated=(SETUP, code.setup_flags)),
    Package("ctranslate2", "ctranslate2", arch=["x86_64"], code=("ctranslate2", r"/libctranslate2-[^/]*\.so")),
    Package("cuda-python", "cuda-python", stated=(None, code.major_of_release)),
    Package("cupy", "cupy-cuda12x", told="cupy-cuda12x[ctk]", extras=("ctk",), variant="cuda12x", first="14.0.0",
            carries="cuda", cuda_range=">=12,<13", like_before=("capability_min", "notes")),
    Package("cupy", "cupy-cuda13x", told="cupy-cuda13x[ctk]", extras=("ctk",), variant="cuda13x", first="14.0.0",
            carries="cuda", cuda_range=">=13,<14", like_before=("capability_min", "notes")),
    Package("dali", "nvidia-dali-cuda120", variant="cuda120", cudas=["12.x"], code=("nvidia-dali-cuda120", DALI, "2026-07-01")),
    Package("dali", "nvidia-dali-cuda130", variant="cuda130", cudas=["13.x"], code=("nvidia-dali-cuda130", DALI, "2026-07-01")),
    rider("deepspeed", "deepspeed"),
    rider("diffusers", "diffusers", extras=("torch",)),
    rider("faster-whisper", "faster-whisper"),
    Package("flash-attn", "flash-attn", stated=(SETUP, code.setup_flags)),
    Package("flashinfer", "flashinfer-python", stated=("", code.gpu_table)),
    Package("jax", "jax", told="jax[cuda12]", tags="jax-cuda12-plugin", extras=("with-cuda",), variant="cuda12",
            pins=True, carries="cuda", packages=["jax-cuda12-plugin", "jax-cuda12-pjrt"],
            readers=(code.jax_versions,), code=("jax-cuda12-pjrt", r"/xla_cuda_plugin\.so$")),
    Package("jax", "jax", told="jax[cuda13]", tags="jax-cuda13-plugin", extras=("with-cuda",), variant="cuda13",
            pins=True, carries="cuda", packages=["jax-cuda13-plugin", "jax-cuda13-pjrt"],
            readers=(code.jax_versions,), code=("jax-cuda13-pjrt", r"/xla_cuda_plugin\.so$")),
    rider("lightning", "lightning"),
    Package("llama-cpp", "llama-cpp-python", stated=(GGML, code.ggml_list)),
    Package("mamba-ssm", "mamba-ssm", stated=(SETUP, code.setup_flags)),
    Package("nccl", "nvidia-nccl-cu12", variant="cu12", cudas=["12.x"], code=("nvidia-nccl-cu12", r"/libnccl\.so\.2$", "2025-11-01")),
    Package("nccl", "nvidia-nccl-cu13", variant="cu13", cudas=["13.x"], code=("nvidia-nccl-cu13", r"/libnccl\.so\.2$", "2025-11-01")),
    rider("numba", "numba"),
    Package("numba-cuda", "numba-cuda", told="numba-cuda[cu12]", extras=("cu12",), variant="cu12", first="0.14.0",
            carries="cuda", cuda_range=">=12,<13", like_before=("capability_min", "notes")),
    Package("numba-cuda", "numba-cuda", told="numba-cuda[cu13]", extras=("cu13",), variant="cu13", first="0.19.0",
            carries="cuda", cuda_range=">=13,<14", like_before=("capability_min", "notes")),
    Package("onnxruntime", "onnxruntime-gpu", carries="system", minors=True, is_default="yes",
            readers=(code.onnxruntime_info,), code=("onnxruntime-gpu", r"/libonnxruntime_providers_cuda\.so$")),
    rider("peft", "peft"),
    Package("pytorch", "torch", pins=True, carries="cuda", tier="stable", is_default="yes",
            readers=(code.local_version, code.torch_flags)),
    Package("rapids", "cudf-cu12", variant="cu12", cudas=["12.x"], minors="padded", code=("libcudf-cu12", r"/libcudf\.so$", "2026-10-01")),
    Package("rapids", "cudf-cu13", variant="cu13", cudas=["13.x"], minors="padded", code=("libcudf-cu13", r"/libcudf\.so$", "2026-10-01")),
    rider("sentence-transformers", "sentence-transformers"),
    Package("sglang", "sglang", code=(("sglang-kernel", "sgl-kernel"), r"^sgl_kernel/(sm100/)?common_ops\.abi3\.so$", "2026-08-01")),
    Package("tensorflow", "tensorflow", told="tensorflow[and-cuda]", extras=("and-cuda",), pins=True, os="linux", arch=["x86_64"],
            carries="cuda", since="2023-09-20", first="2.14", readers=(code.tensorflow_info,)),
    Package("tensorrt", "tensorrt-cu12", variant="cu12", cudas=["12.x"]),
    Package("tensorrt", "tensorrt-cu13", variant="cu13", cudas=["13.x"]),
    Package("tensorrt-llm", "tensorrt-llm", like_before=("capabilities", "notes")),
    Package("torchao", "torchao"),
    Package("torchaudio", "torchaudio", readers=(code.local_version,), code=("torchaudio", r"/libtorchaudio[^/]*\.so$")),
    Package("torchvision", "torchvision", readers=(code.local_version,), code=("torchvision", r"^torchvision/_C(_stable)?\.so$")),
    Package("transformer-engine", "transformer-engine-cu12", told="transformer-engine[core_cu12]", variant="cu12",
            cudas=["12.x"], stated=("", code.ampere_or_later),
            code=("transformer-engine-cu12", ENGINE, "2026-06-01")),
    Package("transformer-engine", "transformer-engine-cu13", told="transformer-engine[core_cu13]", variant="cu13",
            cudas=["13.x"], stated=("", code.ampere_or_later),
            code=("transformer-engine-cu13", ENGINE, "2026-06-01")),
    rider("transformers", "transformers", extras=("torch",)),
    Package("triton-language", "triton"),
    Package("tvm", "apache-tvm", readers=(code.runtime_major,)),
    Package("vllm", "vllm", readers=(code.runtime_major,), code=("vllm", r"^vllm/_C(_stable_libtorch)?\.abi3\.so$", "2026-06-01")),
    rider("whisper", "openai-whisper"),
    Package("xformers", "xformers", readers=(code.runtime_major,), code=("xformers", r"^xformers/_C[^/]*\.so$")),
    Package("xgboost", "xgboost", arch=["x86_64"], code=("xgboost", r"/libxgboost\.so$")),
)  # fmt: skip
