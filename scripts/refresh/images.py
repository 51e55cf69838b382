# SPDX-License-Identifier: MIT
"""The source "images": tags of NVIDIA's CUDA images. Its place is a JSON file or an address: an
object with "tags" (a registry's answer) or "results" with "name" (a hub's), page by page ("next")."""

import json
import re

from refresh import place
from refresh.rows import numbers

TAG = re.compile(r"(\d+\.\d+(?:\.\d+)?)-(?:base|runtime|devel)-([a-z]+[\d.]+)")
PAGES = 100


def tags(where):
    found = []
    for _ in range(PAGES):
        told = json.loads(place.read(where))
        found += told.get("tags") or [each["name"] for each in told.get("results") or ()]
        where = told.get("next")
        if not where:
            break
    return found


def systems(names):
    """{cuda: systems}: {"12.8.1": {"ubuntu24.04", …}}."""
    found = {}
    for match in filter(None, map(TAG.fullmatch, names)):
        found.setdefault(match[1], set()).add(match[2])
    return found


def refresh(context):
    """Images belong to releases: one of a release that the manifest lacks is behind; the manifest has
    no table of tags, so nothing is written."""
    listed = {row["version"] for row in context.manifests.subject("cuda").rows("rows")}
    minors = {".".join(version.split(".")[:2]) for version in listed}
    found = systems(tags(context.places["images"]))
    for version in sorted(found, key=numbers):
        if version not in listed and version not in minors:
            context.behind(f"cuda/{version}: has images for {' '.join(sorted(found[version]))}")
