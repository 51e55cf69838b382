# SPDX-License-Identifier: MIT
# For the tests of install: sourced after lib-install.sh, a mirror of a few files in a directory,
# $work/mirror, with CUDA 12.8.99 and cuDNN 9.8.0 pinned, CUDA 12.8.77 not known, and $work/manifest.json.
# shellcheck shell=bash
: "${work:?}" "${tests:?}"
command -v jq >/dev/null || skip "jq is not installed"
for name in "${!GPUENV_@}"; do unset "$name"; done
export GPUENV_CACHE_DIR=$work/cache

cuda_files() { # cuda_files VERSION
    cat <<JSON
{"cuda_nvcc": {"bin/nvcc": "#!/bin/sh\necho $1\n"},
 "cuda_cudart": {"lib/libcudart.so.$1": "runtime", "lib/libcudart.so.12": ["libcudart.so.$1"],
                 "include/cuda.h": "//\n", "lib/libcudart_static.a": "static",
                 "lib/stubs/libcuda.so": "stub",
                 "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\nName: cudart\n"},
 "libcublas": {"lib/libcublas.so.12": "blas", "include/cublas.h": "//\n"},
 "cuda_gdb": {"bin/cuda-gdb": "#!/bin/sh\n"},
 "nsight_compute": {"bin/ncu": "#!/bin/sh\n"},
 "nvidia_driver": {"lib/libcuda.so.1": "driver"}}
JSON
}
for_sbsa() { # for_sbsa PRODUCT VERSION: the redistrib file has the same archives for linux-sbsa
    python3 - "$work/mirror/compute/$1/redist" "$2" <<'PY'
import json, os, shutil, sys
base, version = sys.argv[1:]
path = f"{base}/redistrib_{version}.json"
data = json.load(open(path))
for name, component in data.items():
    if not isinstance(component, dict):
        continue
    def moved(entry):
        new = dict(entry, relative_path=entry["relative_path"].replace("linux-x86_64", "linux-sbsa"))
        os.makedirs(os.path.dirname(f"{base}/{new['relative_path']}"), exist_ok=True)
        os.path.exists(f"{base}/{entry['relative_path']}") and shutil.copy(f"{base}/{entry['relative_path']}", f"{base}/{new['relative_path']}")
        return new
    entry = component["linux-x86_64"]
    component["linux-sbsa"] = moved(entry) if "size" in entry else {key: moved(value) for key, value in entry.items()}
json.dump(data, open(path, "w"))
PY
}
for version in 12.8.99 12.8.77; do
    cuda_files $version | "$tests/fakes/redist_make" "$work/mirror" cuda $version || exit 1
done
echo '{"cudnn": {"lib/libcudnn.so.9": "nn", "include/cudnn.h": "//\n"}, "cudnn_samples": {"src/a.c": "//\n"}}' |
    "$tests/fakes/redist_make" "$work/mirror" cudnn 9.8.0 cuda12 || exit 1
pin "$work/mirror" cuda 12.8.99 file
pin "$work/mirror" cudnn 9.8.0 content
