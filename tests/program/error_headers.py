# SPDX-License-Identifier: MIT
"""Compares the error numbers of NVIDIA's headers with manifests/error.json.

    error_headers.py MANIFEST HEADER…

Exit 1, with a line for each number that differs."""

import json
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ENUMS = {  # the table of the manifest, its key, the enumeration, its names, the first word of a citation
    "cuda.h": ("cuda", "name", r"typedef\s+enum\s+cudaError_enum\s*\{(.*?)\}", r"CUDA_\w+", "cuda.h"),
    "driver_types.h": ("cuda", "runtime_name", r"enum\s+(?:\w+\s+)?cudaError\s*\{(.*?)\}", r"cuda[ES]\w+", "cuda.h"),
    "nvml.h": ("nvml", "name", r"typedef\s+enum\s+nvmlReturn_enum\s*\{(.*?)\}", r"NVML_\w+", "nvml.h"),
    "cudnn_graph.h": ("cudnn", "name", r"typedef\s+enum\s*\{([^}]*CUDNN_STATUS_[^}]*)\}", r"CUDNN_\w+", "cudnn"),
    "nccl.h": ("nccl", "name", r"typedef\s+enum\s*\{([^}]*)\}\s*ncclResult_t", r"nccl\w+", "nccl.h"),
}
VERSIONS = {  # how a header tells its release, as citations write it
    "cuda.h": (r"#define\s+CUDA_VERSION\s+(\d+)", lambda told: f"{int(told) // 1000}.{int(told) % 1000 // 10}"),
    "nccl.h": (r"#define\s+NCCL_VERSION_CODE\s+(\d+)", lambda told: f"{int(told) // 10000}.{int(told) // 100 % 100}.{int(told) % 100}"),
}
COUNTERS = {"ncclNumResults"}  # how many there are: no error


def numbers(text, kind):
    """{number: its names}"""
    found = {}
    body = re.search(ENUMS[kind][2], COMMENT.sub("", text), re.S)
    for name, number in re.findall(rf"\b({ENUMS[kind][3]})(?:\s+[A-Z_]+)?\s*=\s*(\d+|0x[0-9a-fA-F]+)", body[1] if body else ""):
        if name not in COUNTERS:
            found.setdefault(int(number, 0), []).append(name)
    return found


def release(text, kind):
    pattern, told = VERSIONS.get(kind, (None, None))
    match = pattern and re.search(pattern, text)
    return told(match[1]) if match else None


def differences(manifest, path):
    kind = path.rpartition("/")[2].replace("_v9", "")
    table, key, _, _, citation = ENUMS[kind]
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = numbers(text, kind)
    rows = {row["code"]: row for row in manifest[table]}
    if not found:
        yield f"{path}: no numbers were read"
    for number, names in found.items():
        told = rows.get(number, {}).get(key)
        if told is None:
            yield f"{table} {number} {names[0]}: no row with a {key} ({path})"
        elif told not in names:
            yield f"{table} {number} {names[0]}: in the header, but {told} in the manifest ({path})"
    cited = f"{citation}-{release(text, kind)}"
    for number, row in rows.items():
        if cited in row["source"] and key in row and number not in found:
            yield f"{table} {number} {row[key]}: cites {cited}, which does not define it ({path})"
    print(f"{path}: {len(found)} numbers")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        manifest = json.load(file)
    wrong = [line for path in sys.argv[2:] for line in differences(manifest, path)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
