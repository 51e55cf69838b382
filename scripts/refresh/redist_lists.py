# SPDX-License-Identifier: MIT
"""The source "redist": NVIDIA's lists of redistributable archives. Its place is a folder or an
address that has PRODUCT/redist/redistrib_*.json, or PRODUCT/redistrib_*.json."""

import argparse
import copy
import os
import re
import tempfile

from refresh import place
from refresh.redistrib import Redistrib, add_cuda, add_cudnn, add_pin
from refresh.rows import Refusal, numbers

NAME = re.compile(r"redistrib_(\d+(?:\.\d+)*)\.json")


def listing(where):
    """The versions that a folder has, or the page of one."""
    if place.is_address(where):
        return set(NAME.findall(place.read(where.rstrip("/") + "/").decode("utf-8", "replace")))
    return {match[1] for match in map(NAME.fullmatch, os.listdir(where)) if match}


def folder_of(root, product):
    if place.is_address(root):
        return place.join(root, f"{product}/redist")
    both = (os.path.join(root, product, "redist"), os.path.join(root, product))
    return next((folder for folder in both if os.path.isdir(folder)), None)


def options_for(context, root):
    """As scripts/manifest-add has them: the pin is of the content, as a mirror may be anyone's."""
    text = f"redist-{context.date}=NVIDIA's redistrib files at {root}, read by scripts/manifest-refresh"
    return argparse.Namespace(
        **{**vars(context.options), "source": [f"{text} ({context.date})"], "set": [], "file_pin": False},
        sha256=None, product=None, version=None, confidence=None,
    )  # fmt: skip


def add_file(context, path):
    """The rows of one file, or none of them."""
    manifests = context.manifests
    kept = {name: (list(item.lines), copy.deepcopy(item.document)) for name, item in manifests.subjects.items()}
    try:
        file = Redistrib(path, manifests)
        add_pin(manifests, file)
        {"cuda": add_cuda, "cudnn": add_cudnn}.get(file.product, lambda *_: None)(manifests, file)
    except Refusal as problem:
        for name in list(manifests.subjects):
            if name in kept:
                manifests.subjects[name].lines, manifests.subjects[name].document = kept[name]
            else:
                del manifests.subjects[name]
        context.contradict(problem)


def refresh(context):
    root = context.places.get("redist") or context.default_place
    pins = context.manifests.subject("pin").rows("rows")
    context.manifests.options = options_for(context, root)
    have = {(row["product"], row["version"]) for row in pins if row["pin"] != "none"}
    for product in sorted({row["product"] for row in pins}):
        folder = folder_of(root, product)
        if folder is None:
            continue
        for version in sorted(listing(folder), key=numbers):
            if (product, version) in have:
                continue
            if context.listing_only:
                context.behind(f"pin/{product}-{version}")
                continue
            with tempfile.TemporaryDirectory() as work:
                path = os.path.join(work, product, f"redistrib_{version}.json")
                os.mkdir(os.path.dirname(path))
                with open(path, "wb") as stream:
                    stream.write(place.read(place.join(folder, os.path.basename(path))))
                add_file(context, path)
