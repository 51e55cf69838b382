# SPDX-License-Identifier: MIT
"""What really happens: imports the frameworks named, and makes them open what they open only for a GPU.

    reality.py OUT STAND_IN PROBE…

Each step is a line of OUT/steps (name, ok or the error), written at once, since the next one may end the process.
OUT/maps is what is mapped after each step. There is no GPU: STAND_IN has a libcuda.so.1 that counts as many devices as
STAND_IN_DEVICES says, and answers every other call with an error.
"""
import ctypes
import glob
import importlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile

OUT, STAND_IN, PROBES = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.dont_write_bytecode = True
KEPT = []  # something in it: the maps stay as they are, what comes later is not what an import does
sys.path.pop(0)


def maps():
    if KEPT:
        return
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        names = {line.split(None, 5)[5].strip() for line in file if line.count("/")}
    with open(os.path.join(OUT, "maps"), "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(name for name in names if ".so" in name)))


def step(name, function):
    try:
        wrong = function()
    except BaseException as error:  # a framework may raise anything, SystemExit too
        wrong = f"{type(error).__name__}: {error}"
    with open(os.path.join(OUT, "steps"), "a", encoding="utf-8") as file:
        file.write(json.dumps([name, str(wrong) if wrong else "ok"]) + "\n")
    maps()
    return not wrong


def load(module):
    return step(f"import {module}", lambda: importlib.import_module(module) and None)


def folder(module):
    """Its folder, without importing it."""
    spec = importlib.util.find_spec(module)
    return list(spec.submodule_search_locations)[0]


def opened(pattern):
    """Loads the library as the framework's own code does, by its path."""
    found = sorted(glob.glob(pattern))
    if not found:
        return f"no {pattern}"
    ctypes.CDLL(found[0])
    return None


def as_if(library_pattern, names):
    """Opens names as code in that library would: from a stand-in with its RPATH and RUNPATH."""
    found = sorted(glob.glob(library_pattern))
    if not found:
        return f"no {library_pattern}"
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import elf
    rpath, runpath = elf.paths(found[0])
    origin = os.path.dirname(os.path.realpath(found[0]))
    kind = "open-runpath.so" if runpath or not rpath else "open-rpath.so"
    copy = os.path.join(tempfile.mkdtemp(dir=OUT), kind)
    shutil.copy(os.path.join(STAND_IN, kind), copy)
    elf.set_paths(copy, (runpath or rpath).replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", origin))
    opener = ctypes.CDLL(copy)
    opener.open_it.restype = ctypes.c_char_p
    errors = [opener.open_it(name.encode()) for name in names]
    return "; ".join(error.decode() for error in errors if error)


def cudnn_parts():
    """What cuDNN 9 says of its own parts, each of which it opens for the question."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        name = next((line.split(None, 5)[5].strip() for line in file if "/libcudnn.so.9" in line), None)
    if not name:
        return None
    library = ctypes.CDLL(name)
    answers = {part: getattr(library, f"cudnn{part}VersionCheck")() for part in ("Graph", "Ops", "Cnn", "Adv")}
    wrong = {part: code for part, code in answers.items() if code}
    return f"cuDNN's version checks: {wrong}" if wrong else None


def torch():
    if not load("torch"):
        return
    import torch as module
    step("torch has CUDA", lambda: None if module.version.cuda else "no CUDA")
    step("torch cuDNN version", lambda: module.backends.cudnn.version() and None)
    library = os.path.join(folder("torch"), "lib")
    if glob.glob(f"{library}/libcaffe2_nvrtc.so"):
        step("torch NVRTC", lambda: opened(f"{library}/libcaffe2_nvrtc.so"))
    if glob.glob(f"{library}/libtorch_cuda_linalg.so"):
        step("torch linear algebra", lambda: opened(f"{library}/libtorch_cuda_linalg.so"))
    step("cuDNN parts", cudnn_parts)


def jax():
    if not load("jax"):
        return
    import jax as module
    for number in ("12", "13"):
        if importlib.util.find_spec("jax_plugins") and importlib.util.find_spec(f"jax_plugins.xla_cuda{number}"):
            plugin = f"jax_plugins.xla_cuda{number}"
            if load(plugin):
                step("jax plugin", lambda: jax_plugin(importlib.import_module(plugin)))
            break
    else:
        step("jax plugin", lambda: "no plugin for CUDA")

    def devices():
        try:
            module.devices("cuda")
        except RuntimeError:
            pass  # with no GPU every JAX ends here; it is for what it maps before

    step("jax devices", devices)
    step("jax versions", jax_versions)
    step("cuDNN parts", cudnn_parts)


def is_mapped(name):
    """Is that library here? Some answer no question without a GPU, and JAX says then that it cannot load them."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        return f"/lib{name.lower()}." in file.read().lower()


def jax_plugin(plugin):
    try:
        plugin.initialize()
    except RuntimeError as error:
        words = str(error).split()
        if "Unable to load" not in str(error) or not is_mapped(words[words.index("load") + 1].strip(".")):
            raise


def jax_versions():
    """The libraries whose versions JAX asks for when it starts on a GPU, asked by its own code."""
    for name in ("jax_cuda12_plugin", "jax_cuda13_plugin"):
        if importlib.util.find_spec(name):
            versions = importlib.import_module(f"{name}._versions")
            break
    else:
        return "no jax_cuda12_plugin"
    wrong = []
    for name in ("cudnn_get_version", "cublas_get_version", "cufft_get_version", "cusolver_get_version",
                 "cusparse_get_version", "cupti_get_version"):
        if hasattr(versions, name):
            try:
                have = getattr(versions, name)()
                built = getattr(versions, name.replace("_get", "_build"))()
                # As JAX compares: cuDNN by its whole version, the others by what they promise.
                if name == "cudnn_get_version" and have < built:
                    wrong.append(f"cuDNN {have} < {built}")
            except Exception as error:  # what its code raises when a library cannot be opened
                if not is_mapped(name.split("_")[0]):
                    wrong.append(f"{name}: {error}")
    return "; ".join(wrong)


def tensorflow():
    os.environ["STAND_IN_DEVICES"] = "1"
    if not load("tensorflow"):
        return
    import tensorflow as module
    step("tensorflow has CUDA", lambda: None if module.test.is_built_with_cuda() else "no CUDA")

    def devices():
        with tempfile.TemporaryFile(dir=OUT) as said:
            old = os.dup(2)
            os.dup2(said.fileno(), 2)
            try:
                module.config.list_physical_devices("GPU")
            finally:
                os.dup2(old, 2)
                said.seek(0)
                text = said.read().decode(errors="replace")
                sys.stderr.write(text)
        return "Cannot dlopen some GPU libraries" if "Cannot dlopen some GPU libraries" in text else None

    step("tensorflow devices", devices)
    step("cuDNN parts", cudnn_parts)


def onnxruntime():
    if not load("onnxruntime"):
        return
    import onnxruntime as module
    step("onnxruntime has CUDA", lambda: None if "CUDAExecutionProvider" in module.get_available_providers() else "no CUDA")
    capi = os.path.join(folder("onnxruntime"), "capi")

    def provider():
        ctypes.CDLL(f"{capi}/libonnxruntime_providers_shared.so", mode=ctypes.RTLD_GLOBAL)
        ctypes.CDLL(f"{capi}/libonnxruntime_providers_cuda.so")

    alone = step("onnxruntime provider", provider)
    if not alone and hasattr(module, "preload_dlls"):
        KEPT.append("preload_dlls")  # what an application may call, and gpuenv cannot know
        step("onnxruntime preload_dlls", module.preload_dlls)
        step("onnxruntime provider after preload_dlls", provider)


def from_import(package, name):
    """As `from package import name` does it: CuPy 14 loads the library of a module when it is asked for it so."""
    exec(f"from {package} import {name}", {})


def cupy():
    if not load("cupy"):
        return
    libraries = "cupy_backends.cuda.libs"
    for name in ("cublas", "cusparse", "cusolver", "curand"):
        step(f"cupy {name}", lambda name=name: from_import(libraries, name))
    step("cupy cufft", lambda: from_import("cupy.cuda", "cufft"))

    def nvrtc():
        from_import(libraries, "nvrtc")
        sys.modules[f"{libraries}.nvrtc"].getVersion()

    step("cupy nvrtc", nvrtc)


def faiss():
    if load("faiss"):
        import faiss as module
        step("faiss has GPU", lambda: None if hasattr(module, "StandardGpuResources") else "no code for GPUs")


def ctranslate2():
    if load("ctranslate2"):
        top = os.path.dirname(folder("ctranslate2"))
        step("ctranslate2 cuBLAS", lambda: as_if(f"{top}/ctranslate2.libs/libctranslate2*.so*", ["libcublas.so.12"]))


def xformers():
    if load("xformers"):
        step("xformers library", lambda: importlib.import_module("xformers._cpp_lib")._register_extensions() and None)


def bitsandbytes():
    def library():
        import torch as module
        path = folder("bitsandbytes")
        number = module.version.cuda.replace(".", "")
        return opened(f"{path}/libbitsandbytes_cuda{number}.so")

    if load("bitsandbytes"):
        step("bitsandbytes library", library)


def vllm():
    def library():
        import torch as module
        module.ops.load_library(glob.glob(os.path.join(folder("vllm"), "_C.*.so"))[0])

    step("vllm library", library)


def numba_cuda():
    def libraries():
        from numba.cuda.cudadrv import libs, nvvm
        nvvm.NVVM()
        libs.open_cudalib("cudart")
        libs.open_cudalib("nvrtc")

    if load("numba.cuda"):
        step("numba-cuda libraries", libraries)


def cudf():
    os.environ["RAPIDS_NO_INITIALIZE"] = "1"
    load("cudf")


def paddle():
    if load("paddle"):
        library = os.path.join(folder("paddle"), "base", "libpaddle.so")
        step("paddle cuBLAS and cuDNN", lambda: as_if(library, ["libcublas.so.11", "libcudnn.so.8"]))


def mxnet():
    load("mxnet")


for probe in PROBES:
    globals()[probe.replace("-", "_")]()
step("end", lambda: None)
os._exit(0)
