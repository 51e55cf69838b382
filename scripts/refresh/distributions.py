# SPDX-License-Identifier: MIT
"""The source "distributions": driver branches that the package index of a release of Debian or
Ubuntu has. Its place is a folder with one file SYSTEM-RELEASE.packages each (Packages as it is,
ubuntu-24.04.packages), or one such file."""

import os
import re

from refresh import place
from refresh.rows import numbers

DRIVER = re.compile(r"nvidia-driver-(\d+)(-server)?(-open)?|nvidia(-tesla(?:-\d+)?)?-driver")
NAME = re.compile(r"([a-z]+)-([\d.]+|sid)\.packages")


def stanzas(text):
    for part in re.split(r"\n\n+", text):
        fields = dict(re.findall(r"^([A-Za-z-]+): *(.*)$", part, re.M))
        if "Package" in fields:
            yield fields


def branches(text):
    """{branch: newest version} of the driver packages."""
    found = {}
    for fields in stanzas(text):
        if not DRIVER.fullmatch(fields["Package"]):
            continue
        match = re.match(r"(?:\d+:)?((\d+)(?:\.\d+)+)", fields.get("Version", ""))
        if match and numbers(match[1]) > numbers(found.get(match[2], "0")):
            found[match[2]] = match[1]
    return found


def files(where):
    if os.path.isdir(where):
        return [os.path.join(where, name) for name in sorted(os.listdir(where)) if NAME.fullmatch(name)]
    return [where]


def refresh(context):
    """A branch with a newer release than the manifest has seen is behind; `latest` of a row that a
    person entered is left, and told."""
    drivers = {row["branch"]: row for row in context.manifests.subject("driver").rows("rows")}
    for path in files(context.places["distributions"]):
        for branch, version in sorted(branches(place.read(path).decode("utf-8", "replace")).items()):
            row = drivers.get(branch) or drivers.get(int(branch))
            if row is None:
                context.behind(f"driver/{branch}: {os.path.basename(path)} has {version}")
            elif numbers(row.get("latest", "0")) < numbers(version):
                context.behind(f"driver/{branch}: latest is {row.get('latest')}, {os.path.basename(path)} has {version}")
