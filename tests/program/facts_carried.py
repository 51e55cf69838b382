# SPDX-License-Identifier: MIT
"""Every row of the source facts is a row of the manifest: the rows of each CSV file are counted, and
those of the tables that carry it in `manifest show --json`. A CSV file that no table carries fails.
What was released after the facts were gathered is not counted. What scripts/manifest-refresh wrote, and what
comes from a source that was read later, may be one of the rows, or one that the CSV file lacks.

Called by tests/program/facts-carried: facts_carried.py FACTS PROGRAM.
"""
import csv
import glob
import json
import os
import subprocess
import sys


def of(framework):
    """The builds of a framework but for those of conda, which are in a CSV file of their own."""
    return [("framework/builds", lambda row, _: row["framework"] == framework and row.get("kind") != "conda")]


def every(*tables):
    return [(table, lambda row, _: True) for table in tables]


def number(version):
    return [int(part) for part in str(version).split(".")]


def until_newest(table, key, column):
    """The rows that are not newer than the newest of the CSV file."""
    return [(table, lambda row, facts: number(row[key]) <= max(number(fact[column]) for fact in facts))]


CARRIED = {
    "arch_driver_cutoff": every("capability/architectures"),
    "compute_capability": every("capability/rows"),
    "cuda_driver_min": until_newest("cuda/rows", "version", "cuda_version"),
    "cuda_minor_compat": every("cuda/majors"),
    # 9.25.1 has no row there: that of 9.25.0 names it in its note.
    "cudnn": [(table, lambda row, facts, within=within: row["version"] != "9.25.1" and within(row, facts))
              for table, within in until_newest("cudnn/rows", "version", "cudnn_version")],
    # cuDNN 4 was added from a report (CNMeM of TensorFlow 0.8).
    "cudnn_libraries": [("cudnn/libraries", lambda row, _: row.get("soname") != "libcudnn.so.4")],
    "driver_branches": until_newest("driver/rows", "branch", "branch"),
    "driver_files": every("file/rows"),
    # The runtime's own numbers are not there, but for 35.
    "errors_cuda": [("error/cuda", lambda row, _: "name" in row or row["code"] == 35)],
    "errors_nvml": every("error/nvml"),
    "errors_xid": every("error/xid"),
    "forward_compat_container_require": every("compat/containers"),
    "forward_compat_matrix": every("compat/rows"),
    "forward_compat_rules": every("compat/rules"),
    "gpu_models": every("gpu/rows"),
    # Its row 12.2 says in its notes that clang 16 came with 12.2.2: two rows here.
    "host_compiler": [("cuda/compilers", lambda row, _: row["cuda"] != "12.2.2")],
    # Two of its rows name what changed within CUDA 11: a row for each part here.
    # The SONAME of CUPTI 12 was read from its wheel.
    "library_sonames": [("library/sonames", lambda row, _: row.get("cuda") not in ("11.1", "11.2")
                         and row["id"] != "library/cupti-12")],
    "library_version_query": every("library/versions"),
    "ml_library_releases": every("library/releases"),
    # Its row 9.0-9.2 has 7.2, which came with 9.1: two rows here.
    "nvcc_arch_by_toolkit": [("cuda/architectures", lambda row, _: row["id"] != "nvcc/9.1")],
    "os_support": every("system/rows"),
    # A row there tells of two CUDA majors: a row for each here. Those of 11 have no place.
    "pip_wheel_layout": [("library/wheels", lambda row, _: row["cuda"] == 13)],
    # Caffe2 is a part of PyTorch, and no build of its own.
    "frameworks/caffe": of("caffe") + [("framework/frameworks", lambda row, _: row["framework"] == "caffe2")],
    "frameworks/conda": [("framework/builds", lambda row, _: row.get("kind") == "conda")],
    "frameworks/jax_nvidia_pins": [("framework/pins", lambda row, _: row["framework"] == "jax")],
    "frameworks/paddlepaddle_sm": every("framework/capabilities"),
    "frameworks/riders": every("framework/riders"),
    "frameworks/tensorflow_and_cuda_pins": [("framework/pins", lambda row, _: row["framework"] == "tensorflow")],
    "frameworks/uv_torch_backend": every("framework/indexes"),
}
# jaxlib 0.1.65+cuda112 was added from a report.
CARRIED["frameworks/jax"] = [(table, lambda row, _: row.get("framework") == "jax" and row.get("kind") != "conda"
                              and row.get("release") != "0.1.65")
                             for table, _ in of("jax")]
for name in ("cntk", "cupy", "dali", "mxnet", "ngc", "onnxruntime", "paddlepaddle", "pytorch", "rapids",
             "tensorflow", "tensorflow-serving", "tensorrt", "tvm", "vllm"):
    CARRIED["frameworks/" + name] = of(name)
CARRIED["frameworks/triton"] = of("triton-server")  # its name there is that of a language, too


# Sources that were read after the facts were gathered: how they begin.
LATER = ("the Python index", "python-index", "cuda.h and driver_types.h of CUDA 13.5", "unnonouno/cudnnenv",
         "the archives of manifests/legacy.json", "NVIDIA/nvidia-docker", "crt/host_config.h in the wheels",
         "triton-inference-server/server docs/introduction/compatibility.md")


def is_later(row):
    return any(source.startswith(LATER) for source in row.get("source", []))


def show(program, table):
    """The rows of SUBJECT/TABLE, and how many `manifest show` counts."""
    done = subprocess.run([program, "manifest", "show", table, "--json"], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").split("\n")[0]
    found = json.loads(done.stdout)["tables"][0]
    if found["count"] != len(found["rows"]):
        return None, f"{table}: count is {found['count']}, rows are {len(found['rows'])}"
    return found["rows"], None


def main(facts, program):
    shown, failures, total = {}, 0, 0
    files = sorted(glob.glob(facts + "/*.csv") + glob.glob(facts + "/frameworks/*.csv"))
    for path in files:
        name = os.path.relpath(path, facts).removesuffix(".csv")
        with open(path, newline="", encoding="utf-8") as file:
            wanted = list(csv.DictReader(file))
        carried, certain, problems = 0, 0, [] if name in CARRIED else ["no table carries it"]
        for table, condition in CARRIED.get(name, []):
            if table not in shown:
                shown[table] = show(program, table)
            rows, problem = shown[table]
            problems += [problem] if problem else []
            found = [row for row in rows or [] if condition(row, wanted)]
            carried += len(found)
            certain += sum(1 for row in found if not is_later(row))
        total += len(wanted)
        if problems or not certain <= len(wanted) <= carried:
            failures += 1
            print(f"FAIL {name}.csv: {len(wanted)} rows, {carried} in the manifest {'; '.join(problems)}")
    print(f"{len(files)} files, {total} rows, {failures} not carried over")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
