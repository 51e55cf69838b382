# SPDX-License-Identifier: MIT
"""The source "cuda-packages": releases of CUDA and of cuDNN that the Python index has, with their
dates. What only documentation tells (the lowest driver, the lowest compute capability) is left out."""

import re

from refresh.index import Index
from refresh.place import Unreachable
from refresh.redistrib import cuda_name
from refresh.rows import in_order, numbers, place_of

KEY = "python-index"
TOOLKIT = "cuda-toolkit"
CUDNN = (("nvidia-cudnn-cu12", "12"), ("nvidia-cudnn-cu13", "13"))


def short(version, count=3):
    return ".".join(version.split(".")[:count])


def source(context, subject):
    return [
        subject.citation(
            f"{KEY}-{context.date}=the Python index (PyPI) on {context.date}, read by scripts/manifest-refresh:"
            " versions and dates of NVIDIA's packages"
        )
    ]


def add(subject, table, row):
    rows = subject.rows(table)
    row = in_order(row, rows)
    subject.put_row(table, place_of(f"{subject.name}/{table}", rows, row), row)


def toolkit_name(rows, version):
    """The name of a release: an update of one that is listed, or X.Y.0, which is the general release
    of a minor version of which the index has no other number."""
    told = cuda_name(rows, version)
    if not told and version.endswith(".0") and not any(short(row["version"], 2) == short(version, 2) for row in rows):
        told = {"release": f"{short(version, 2)} GA", "stage": "ga"}
    return told


def toolkits(context, index):
    cuda = context.manifests.subject("cuda")
    rows = cuda.rows("rows")
    for version, release in index.finals(TOOLKIT).items():
        name = short(version)
        if numbers(name) < numbers(rows[0]["version"]) or any(row["version"] == name for row in rows):
            continue
        if context.listing_only:
            context.behind(f"cuda/{name}")
            continue
        told = toolkit_name(rows, name)
        if not told:
            context.tell(f"cuda/{name} is on the index, but what release it is cannot be told: add it by hand")
            continue
        row = {"version": name, **told, "date": release.date(), "source": source(context, cuda), "confidence": "medium"}
        row["notes"] = "only the package cuda-toolkit on PyPI was seen"
        if told["stage"] == "ga":
            row["confidence"] = "low"
            row["notes"] += ". The name follows from its number: previews are there as 13.4.0rc1"
        add(cuda, "rows", row)


def cudnns(context, index):
    cudnn = context.manifests.subject("cudnn")
    rows, pairs = cudnn.rows("rows"), cudnn.rows("pairs")
    newest = max(numbers(row["version"]) for row in rows)
    for package, major in CUDNN:
        for version, release in index.finals(package).items():
            name = short(version)
            listed = any(row["version"] == name for row in rows)
            paired = any(row["cudnn"] == name and row["cuda"].split(".")[0] == major for row in pairs)
            if (listed and paired) or not re.fullmatch(r"9\.\d+\.\d+", name):
                continue
            if not listed and numbers(name) < newest[:1] + (0, 0):
                continue
            if context.listing_only:
                context.behind(f"cudnn/{name} for CUDA {major}")
                continue
            new = {"source": source(context, cudnn), "confidence": "high"}
            if not listed:
                add(cudnn, "rows", {"version": name, "build": version, "date": release.date(), **new})
            add(cudnn, "pairs", {"cudnn": name, "cuda": major, **new})


def refresh(context):
    index = context.index = getattr(context, "index", None) or Index(context.places.get(KEY), context.cache)
    try:
        if context.wants(TOOLKIT):
            toolkits(context, index)
        if context.wants(CUDNN[0][0]):
            cudnns(context, index)
    except Unreachable as problem:
        context.unreachable("cuda-packages", problem)
