# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The preload script of `integrate dask`, in real workers of a real scheduler.
[ -x "$work/venv/bin/dask" ] || python dask distributed
script=$root/opt/gpuenv/dask/gpuenv_dask.py
address=tcp://127.0.0.1:8786
nsenter -t "$pid" -n "$work/venv/bin/dask" scheduler --host 127.0.0.1 --port 8786 --no-dashboard >"$work/scheduler.log" 2>&1 &
scheduler=$!
workers() { # the resources of the workers; and that a task which asks for a GPU runs
    outside timeout 20 "$work/venv/bin/python" - "$address" "${1-0}" 2>"$work/null" <<'PY'
import sys
from distributed import Client
client = Client(sys.argv[1], timeout=10)
wanted = int(sys.argv[2])
if wanted:
    client.wait_for_workers(wanted, timeout=10)
found = [dict(worker["resources"]) for worker in client.scheduler_info()["workers"].values()]
print(found, *[client.submit(lambda: "ran", resources={"GPU": 1}).result(timeout=10) for has in found if "GPU" in has])
PY
}
# try MODE WORKERS WORDS OPTION...: a worker with these options, and what the scheduler has
try() {
    mode "$1"
    local wanted=$2 words=$3 worker
    shift 3
    nsenter -t "$pid" -n env GPUENV="${GPUENV_TRY:-$double}" GPUENV_LIMIT=3 timeout 60 "$work/venv/bin/dask" worker "$address" --nthreads 1 \
        --no-dashboard --local-directory "$work" "$@" >"$work/worker.log" 2>&1 &
    worker=$!
    if [ "$wanted" = "[]" ]; then
        wait "$worker"
        [ $? = 1 ] || return 1
        workers 0 >"$work/asked"
    else
        workers 1 >"$work/asked"
        kill "$worker"
        wait "$worker"
    fi
    [ "$(cat "$work/asked")" = "$wanted" ] && { [ -z "$words" ] || grep -q "$words" "$work/worker.log"; }
}
await 30 workers 0
for options in "--preload-nanny" "--no-nanny --preload"; do
    # shellcheck disable=SC2086 # several words
    {
        see "distributed $(outside "$work/venv/bin/python" -c 'import distributed; print(distributed.__version__)'), $options: two GPUs, and a task with one runs" \
            try pair "[{'GPU': 2}] ran" "" $options "$script"
        see "$options, a fault: the worker ends with 1" try nouveau "[]" "this machine is broken" $options "$script"
        see "$options, unknown: no GPU" try unknown "[{}]" "exit code 3" $options "$script"
        see "$options, hang: no GPU" try hang "[{}]" "exit code 124" $options "$script"
        see "$options, the loader cannot start gpuenv: no GPU" try loader "[{}]" "exit code 127" $options "$script"
        see "$options, missing: no GPU" eval "GPUENV_TRY=/none try pair '[{}]' 'exit code 127' $options '$script'"
        see "$options, your own --resources: stay" try pair "[{'GPU': 1.0}] ran" "" --resources GPU=1 $options "$script"
    }
done
kill "$scheduler"
