# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The script of `integrate ray`, which starts a real Ray head; a client asks for its resources, and for a task.
[ -x "$work/venv/bin/ray" ] || python "ray[default]"
ray() { # ray [NAME=VALUE...]: the head, as gpuenv-ray-start starts it
    outside env RAY_USAGE_STATS_ENABLED=0 GPUENV="$double" GPUENV_LIMIT=3 GPUENV_RAY="$work/venv/bin/ray" "$@" \
        timeout 200 "$root/opt/gpuenv/ray/gpuenv-ray-start" --head --node-ip-address=127.0.0.1 --port=6379 \
        --include-dashboard=false --num-cpus=1 --object-store-memory=100000000 >"$work/ray.log" 2>&1
}
ask() { # what the cluster has, and what a task with a GPU sees
    outside timeout 200 "$work/venv/bin/python" - 2>"$work/null" <<'PY'
import os
import ray
ray.init(address="127.0.0.1:6379", logging_level="ERROR", log_to_driver=False)
has = ray.cluster_resources()
print(f"GPU {has.get('GPU', 0):g}, gpuenv_ok {has.get('gpuenv_ok', 0):g}")
if has.get("GPU"):
    wanted = {"gpuenv_ok": 0.001} if has.get("gpuenv_ok") else {}
    task = ray.remote(num_gpus=1, num_cpus=0, resources=wanted)(lambda: os.environ.get("CUDA_VISIBLE_DEVICES"))
    print("a task sees", ray.get(task.remote(), timeout=60))
PY
}
stop_ray() { outside timeout 60 "$work/venv/bin/ray" stop --force >"$work/null" 2>&1; }
try() { # try MODE RESOURCES WORDS [NAME=VALUE...]: a head that starts
    mode "$1"
    local wanted=$2 words=$3
    shift 3
    ray "$@"
    ask >"$work/asked"
    stop_ray
    grep -qx "$wanted" "$work/asked" && { [ -z "$words" ] || grep -q "$words" "$work/ray.log"; }
}
see "Ray $("$work/venv/bin/ray" --version | sed 's/.*version //'): two GPUs, and gpuenv_ok" try pair "GPU 2, gpuenv_ok 1" ""
see "a task with a GPU and gpuenv_ok runs: $(sed -n 2p "$work/asked")" grep -q 'a task sees [01]' "$work/asked"
see "CUDA_VISIBLE_DEVICES=1: one GPU" try pair "GPU 1, gpuenv_ok 1" "" CUDA_VISIBLE_DEVICES=1
see "unknown: Ray starts, and counts itself" try unknown "GPU 0, gpuenv_ok 0" "something is unknown"
see "hang: Ray starts, and counts itself" try hang "GPU 0, gpuenv_ok 0" "exit code 124"
see "the loader cannot start gpuenv: Ray starts, and counts itself" try loader "GPU 0, gpuenv_ok 0" "exit code 127"
see "missing: Ray starts, and counts itself" try pair "GPU 0, gpuenv_ok 0" "exit code 127" GPUENV=/none
see "one GPU of two has a fault, GPUENV_PART: Ray starts with the other one" try one-of-two "GPU 1, gpuenv_ok 0" "without the GPUs" GPUENV_PART=yes
see "$(sed -n 2p "$work/asked"): its UUID" grep -q 'a task sees GPU-' "$work/asked"
broken() { mode "$1"; ! ray && grep -q 'this machine is broken, Ray is not started' "$work/ray.log"; }
see "a fault: exit code 1" broken nouveau
see "one GPU of two has a fault: exit code 1" broken one-of-two
see "no Ray runs" test -z "$(outside pgrep -x gcs_server)"
