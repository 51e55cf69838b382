# SPDX-License-Identifier: MIT
"""The open kernel modules, a git repository on this disk: which GPUs the README of each release
lists, and by which names; the boards of virtual GPUs."""

import re
import subprocess

ROW = re.compile(r"^\| (\S.*?) +\| ([0-9A-F]{4})((?: [0-9A-F]{4} [0-9A-F]{4})?) *\|$", re.M)
RELEASED = re.compile(r'\{ 0x([0-9A-Fa-f]{4}), 0x\w+, 0x\w+, "([^"]+)" \}')
# "NVIDIA H100XM-1-10CME": the board, a MIG slice, GB of memory, the kind
VIRTUAL = re.compile(r"^(?:NVIDIA |GRID )?(.+?)(?:-\d+)?-\d+[QCBA](?:ME|MEPS|GFX)*$")
NAMES_FILE = "src/nvidia/generated/g_nv_name_released.h"


def number(release):
    return [int(part) for part in release.split(".")]


def table(readme):
    """[(name, id)] of a README, without a leading NVIDIA."""
    return [(row[0].removeprefix("NVIDIA "), row[1].lower()) for row in ROW.findall(readme)]


def boards(header):
    """{board: ids} of the virtual GPUs that the header names: {"H100XM": ["2330"]}."""
    found = {}
    for device, name in RELEASED.findall(header):
        match = VIRTUAL.match(name)
        if match:
            ids = found.setdefault(match[1], [])
            if device.lower() not in ids:
                ids.append(device.lower())
    return found


def git(repository, *arguments):
    done = subprocess.run(["git", "--git-dir", repository, *arguments], check=True,
                          capture_output=True)
    return done.stdout.decode(errors="replace")


def developer_series(dates):
    """The series (535.43) that developers get beside a branch: their numbers are below those of
    releases that came before them. Two such releases make one, as one may be out of order."""
    series = {}
    for release, date in dates.items():
        start = ".".join(release.split(".")[:2])
        later = [other for other, day in dates.items()
                 if other.split(".")[0] == release.split(".")[0] and day < date
                 and number(other)[1] > number(release)[1]]
        series[start] = series.get(start, 0) + (1 if later else 0)
    return {start for start, count in series.items() if count >= 2}


def releases(repository):
    """[(release, [(name, id)])], oldest number first, those of developer series left out."""
    text = git(repository, "for-each-ref", "refs/tags",
               "--format=%(refname:short) %(creatordate:unix) %(*committerdate:unix)")
    dates = {}
    for line in text.splitlines():
        words = line.split()
        if re.fullmatch(r"\d+(\.\d+){1,2}", words[0]):
            dates[words[0]] = int(words[-1])
    left_out = developer_series(dates)
    kept = sorted((release for release in dates
                   if ".".join(release.split(".")[:2]) not in left_out), key=number)
    return [(release, table(git(repository, "show", f"{release}:README.md"))) for release in kept]


def newest_boards(repository, release):
    return boards(git(repository, "show", f"{release}:{NAMES_FILE}"))


def listed(tables):
    """Rows (branch, release, ids): from that release of its branch on the ids are listed, and from
    the first release of each later branch, unless a row of that branch says another release, or
    none (release None): no release of the branch lists them. tables: as releases() gives them."""
    branches = {}
    for release, rows in tables:
        if rows:
            branches.setdefault(int(release.split(".")[0]), []).append(
                (release, {device for _, device in rows}))
    rows = {}
    known = {}  # id: whether the branch before lists it
    for branch, members in branches.items():
        for device in sorted(set(known).union(*(ids for _, ids in members))):
            first = next((release for release, ids in members if device in ids), None)
            from_start = first == members[0][0]
            if device not in known or known[device] != from_start or not (from_start or not first):
                rows.setdefault((branch, first), []).append(device)
            known[device] = first is not None
    return [(branch, release, ids) for (branch, release), ids in
            sorted(rows.items(), key=lambda row: (row[0][0], number(row[0][1] or "0")))]
