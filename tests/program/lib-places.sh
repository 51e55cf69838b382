# SPDX-License-Identifier: MIT
# For the tests of places, disks, signals and neighbours: a mirror in a directory, and installs from it.
. "$(dirname "${BASH_SOURCE[0]}")/lib-install.sh"

mirror=$work/mirror
"$tests/fakes/redist_make" "$mirror" cuda 13.0.77 <<'JSON'
{"cuda_nvcc": {"bin/nvcc": "nvcc", "include/a.h": "a", "nvvm/x": "x", "empty/": null},
 "cuda_cudart": {"lib/libcudart.so.13": "so", "lib/libcudart.so": ["libcudart.so.13"], "include/b.h": "b",
                 "pkg-config/cudart-13.0.pc": "cudaroot=/usr/local/cuda-13.0\n"},
 "cuda_crt": {"include/crt/c.h": "c"}}
JSON
# A small archive of a large file, so that the plan's estimate says that it fits.
python3 -c 'import json; print(json.dumps({"cuda_nvcc": {"bin/nvcc": "x" * 3000000}, "cuda_cudart": {f"include/{i}.h": "h" for i in range(200)}}))' |
    "$tests/fakes/redist_make" "$mirror" cuda 13.0.78
echo '{"cudnn": {"lib/libcudnn.so.9": "nn", "lib/libcudnn.so": ["libcudnn.so.9"], "include/cudnn.h": "//\n"}}' |
    "$tests/fakes/redist_make" "$mirror" cudnn 9.19.0 cuda13
pin "$mirror" cudnn 9.19.0 content
pin "$mirror" cuda 13.0.77 file
pin "$mirror" cuda 13.0.78 content
arguments=(--manifest "$work/manifest.json" --mirror "$mirror" cuda@13.0.77 --profile build --accept-eula --progress none)
# try PREFIX [OPTION…]: its exit code is in $code, what it said in $work/out and $work/err.
try() { "$GPUENV" install "${arguments[@]}" --prefix "$@" >"$work/out" 2>"$work/err"; code=$?; }
# refused CODE WORDS: the last try ended so and said so.
refused() { [ "$code" -eq "$1" ] && grep -qF -- "$2" "$work/err" || { echo "  $code: $(cat "$work/err")"; return 1; }; }
ended_well() { [ "$code" -eq 0 ] || { echo "  $code: $(cat "$work/err")"; return 1; }; }
holds() { [ "$(ls -A "$1" 2>/dev/null | tr '\n' ' ')" = "${2:+$2 }" ] || { echo "  $(ls -A "$1")"; return 1; }; }
is_whole() { "$GPUENV" verify --prefix "$1" >"$work/verified" 2>&1 || { cat "$work/verified"; return 1; }; }
# waits_for COMMAND…: until it ends well, half a minute at most.
waits_for() { for ((k = 0; k < 600; k++)); do "$@" && return; sleep 0.05; done; return 1; }
