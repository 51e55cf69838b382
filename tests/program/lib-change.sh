# SPDX-License-Identifier: MIT
# For the tests of prefixes that are changed: two patch releases of a small CUDA, two of cuDNN, another
# CUDA, in a mirror that is a directory.
. "$(dirname "${BASH_SOURCE[0]}")/lib-install.sh"

mirror=$work/mirror
redist() { "$tests/fakes/redist_make" "$mirror" "$@"; }
redist cuda 12.8.90 <<'JSON'
{"cuda_nvcc": {"bin/nvcc": "nvcc 90", "include/a.h": "a", "nvvm/x": "x", "include/turns": "file"},
 "cuda_crt": {"include/crt/c.h": "c"},
 "cuda_cudart": {"lib/libcudart.so.12": "so", "lib/libcudart.so": ["libcudart.so.12"], "include/b.h": "b",
                 "include/gone.h": "gone", "include/gone/deep/x.h": "x", "share/both": "same bytes",
                 "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\n"},
 "libcublas": {"lib/libcublas.so.12": "blas", "include/cublas.h": "blas"},
 "cuda_demo_suite": {"extras/demo": "demo"}}
JSON
redist cuda 12.8.91 <<'JSON'
{"cuda_nvcc": {"bin/nvcc": "nvcc 91", "include/a.h": "a", "nvvm/x": "x", "include/turns/into": "directory"},
 "cuda_crt": {"include/crt/c.h": "c"},
 "cuda_cudart": {"lib/libcudart.so.12": "so 91", "lib/libcudart.so": ["libcudart.so.12"], "include/b.h": "b",
                 "include/gone": "a file now", "share/both": "same bytes", "new/deep/er": "new",
                 "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\n"},
 "libcublas": {"lib/libcublas.so.12": "blas", "include/cublas.h": "blas"},
 "cuda_demo_suite": {"extras/demo": "demo"}}
JSON
# A component that a patch release does not touch has the same archive in both.
python3 - "$mirror/compute/cuda/redist" <<'PY'
import json, sys
base = sys.argv[1]
old = json.load(open(f"{base}/redistrib_12.8.90.json"))
path = f"{base}/redistrib_12.8.91.json"
new = json.load(open(path))
for name in ("cuda_crt", "libcublas"):
    new[name] = old[name]
json.dump(new, open(path, "w"), indent=4)
PY
redist cuda 12.9.90 <<'JSON'
{"cuda_nvcc": {"bin/nvcc": "nvcc 12.9"}, "cuda_cudart": {"lib/libcudart.so.12": "so 12.9"}, "cuda_crt": {"include/crt/c.h": "c"}}
JSON
redist cuda 13.0.90 <<'JSON'
{"cuda_nvcc": {"bin/nvcc": "nvcc 13"}, "cuda_cudart": {"lib/libcudart.so.13": "so 13"}, "cuda_crt": {"include/crt/c.h": "c"}}
JSON
redist cudnn 9.8.0 cuda12 <<'JSON'
{"cudnn": {"include/cudnn.h": "98", "lib/libcudnn.so.9": "so 98", "lib/libcudnn.so": ["libcudnn.so.9"],
           "include/only98.h": "98", "lib/libcudnn_static.a": "static", "share/both": "same bytes"}}
JSON
redist cudnn 9.10.2 cuda12 <<'JSON'
{"cudnn": {"include/cudnn.h": "910", "lib/libcudnn.so.9": "so 910", "lib/libcudnn.so": ["libcudnn.so.9"],
           "include/only910.h": "910", "lib/libcudnn_static.a": "static 910", "share/both": "same bytes"}}
JSON
redist cudnn 9.11.0 cuda12 <<'JSON'
{"cudnn": {"include/a.h": "not the one of nvcc", "lib/libcudnn.so.9": "so 911"}}
JSON
for version in 12.8.90 12.8.91 12.9.90 13.0.90; do pin "$mirror" cuda $version file; done
for version in 9.8.0 9.10.2 9.11.0; do pin "$mirror" cudnn $version content; done
serve "$mirror"
from=$server

# run COMMAND ARG…: its exit code is in $code, what it said in $work/out and $work/err.
run() { "$GPUENV" "$@" >"$work/out" 2>"$work/err"; code=$?; }
# install PREFIX SPEC… [OPTION…]
install() {
    local prefix=$1
    shift
    run install --manifest "$work/manifest.json" --mirror "$from" --progress none --accept-eula --prefix "$prefix" "$@"
}
plan() {
    local prefix=$1
    shift
    run plan --manifest "$work/manifest.json" --mirror "$from" --progress none --prefix "$prefix" "$@"
}
# use PREFIX SPEC…|--previous [OPTION…]
use() {
    local prefix=$1
    shift
    run use --manifest "$work/manifest.json" --mirror "$from" --progress none --prefix "$prefix" "$@"
}
uninstall() {
    local prefix=$1
    shift
    run uninstall --prefix "$prefix" "$@"
}
# The command use may not be there yet: then the request that it would make.
if ! "$GPUENV" use --help 2>/dev/null | grep -q -- --previous; then
    use() {
        local prefix=$1
        shift
        python3 - "$prefix" "$from" "$work/manifest.json" "$@" >"$work/request" <<'PY'
import json, sys
prefix, mirror, manifest, *words = sys.argv[1:]
def product(word):
    name, _, version = word.partition("@")
    return {"spec": word, "product": name} | ({"version": version} if version else {})
json.dump({"action": "use", "products": [product(w) for w in words if not w.startswith("--")], "prefix": prefix,
           "platform": "linux-x86_64", "profile": "full", "mirrors": [mirror], "manifest_path": manifest,
           "manifest_text": open(manifest).read(), "format": "json" if "--json" in words else "text",
           "progress": "none", "offline": "--offline" in words, "previous": "--previous" in words,
           "date": 1760000000}, sys.stdout)
PY
        "$(dirname "$GPUENV")/gpuenv-install" --request 0 <"$work/request" >"$work/out" 2>"$work/err"
        code=$?
    }
fi

ended_well() { [ "$code" -eq 0 ] || { echo "  $code: $(cat "$work/err")"; return 1; }; }
refused() { [ "$code" -eq "$1" ] && grep -qF -- "$2" "$work/err" || { echo "  $code: $(cat "$work/err")"; return 1; }; }
says() { grep -qF -- "$1" "$work/out" || { echo "  $(cat "$work/out")"; return 1; }; }
notes() { grep -qF -- "$1" "$work/err" || { echo "  $(cat "$work/err")"; return 1; }; }
json() { jq -e "$1" "$work/out" >"$work/null" || { echo "  $(head -c 2000 "$work/out")"; return 1; }; }
holds() { [ "$(ls -A "$1" 2>/dev/null | tr '\n' ' ')" = "${2:+$2 }" ] || { echo "  $(ls -A "$1")"; return 1; }; }
is_whole() { "$GPUENV" verify --prefix "$1" >"$work/verified" 2>&1 || { cat "$work/verified"; return 1; }; }
# The tree without its ledger; of a ledger what does not say when and by what words.
bare_tree() { tree_of "$1" | grep -v -e ' *\.gpuenv' -e '^\.gpuenv'; }
ledger_of() { command jq -S 'del(.products[].accepted, .products[].spec, .products[].previous)' "$1/.gpuenv/ledger.json"; }
same() { [ "$1" = "$2" ] || { diff <(echo "$1") <(echo "$2") | head -n 20; return 1; }; }
