"""A preload script of Dask: dask worker --preload-nanny gpuenv_dask.py, or --preload where there is no nanny.

No worker starts on a machine that is broken: dask worker ends with exit code 1. A worker has the resource GPU, the
number of GPUs that gpuenv counted, unless you named it in --resources. Where something is unknown, or gpuenv hangs,
crashes or is missing, the worker starts without the resource, and the log says why.

Environment: GPUENV, the program; GPUENV_ARGS, more options of gpuenv doctor; GPUENV_LIMIT, seconds after which
gpuenv is killed (30).
"""
import logging
import os
import re
import subprocess
import sys

logger = logging.getLogger("distributed.gpuenv")


def judge():
    """The exit code of gpuenv doctor, and how many GPUs a program may use here."""
    program = os.environ.get("GPUENV", "@GPUENV@")
    command = ["timeout", "-k", "2", os.environ.get("GPUENV_LIMIT", "30"), program, "doctor", "--for", "run"]
    command += ["--timeout", "10", "--format", "prometheus"] + os.environ.get("GPUENV_ARGS", "").split()
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    except OSError:
        return 127, 0
    if run.returncode == 1 and not run.stdout:  # the loader's 1, where it cannot start gpuenv
        return 127, 0
    count = len(set(re.findall(rb'^gpuenv_gpu_info\{index="(\d+)"', run.stdout, re.MULTILINE)))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        count = min(count, len([name for name in visible.split(",") if name]))
    return run.returncode, count


def dask_setup(server):
    """Called by Dask before the worker is known to the scheduler. An Exception would only be logged."""
    code, count = judge()
    if code == 1:
        sys.exit("gpuenv: this machine is broken, no worker is started: run gpuenv doctor")
    if code != 0:
        logger.warning("gpuenv ended with exit code %s: the worker has no resource GPU", code)
    elif hasattr(server, "state"):  # a worker
        for resources in (server.state.total_resources, server.state.available_resources):
            resources.setdefault("GPU", count)
    else:  # a nanny hands these to its worker
        server.resources = {"GPU": count, **(server.resources or {})}
