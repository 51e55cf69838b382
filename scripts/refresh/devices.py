#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Brings manifests/device.json, and the ranges of manifests/gpu.json, up to date with pci.ids and
with the open kernel modules.

  scripts/refresh/devices.py [--pci-ids FILE] [--open-modules GIT-DIRECTORY] [--check]

What a source says of an id is written as rows whose sources are these two; rows with other sources
were entered by a person and stay. What contradicts such a row is told. --check writes nothing and
exits with 1 when something would change."""

import argparse
import json
import os
import re
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from refresh import open_modules, pci_ids
else:
    from . import open_modules, pci_ids

MANIFESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "manifests")
OURS = {"pci-ids", "open-modules"}
RANGE_GAP = 0x40  # ids further apart are not of one run
# Words of a name that tell no GPU from another, and one word for what has several.
NOISE = re.compile(r"\b(nvidia|geforce|tesla|gpu|with|design|generation|edition|tensor|core)\b")
ONE_WORD = ((re.compile(r"\b(laptop|notebook)\b"), "mobile"), (re.compile(r"max q"), "maxq"))
CLASSES = (
    ("data-centre", r"Server Edition|^(Tesla|GRID|HGX|DGX|A\d|H\d|L\d|B\d|GH\d|GB\d|PG\d|T4G?\b)"),
    ("jetson", r"^Jetson"),
    ("embedded", r"^(DRIVE|RTX Spark)"),
    ("workstation", r"^(Quadro|NVS|RTX|T\d{3})"),
    ("geforce", r"^(GeForce|TITAN|GTX?\b|MX\d|CMP|P10\d)"),
)


def plain(name):
    """One text for all ways to write a name; the program compares names so (gpu_name.c)."""
    text = re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()
    text = NOISE.sub("", text)
    for pattern, word in ONE_WORD:
        text = pattern.sub(word, text)
    return text.replace(" ", "")


def class_of(name):
    return next((kind for kind, pattern in CLASSES if re.search(pattern, name)), None)


class Devices:
    """What the sources say of each id."""

    def __init__(self):
        self.chips = {}  # id: chip
        self.names = {}  # (plain name, id): name, that of the driver where it is known
        self.sources = {}  # (plain name, id): set
        self.others = {}  # (plain name, id): how a source writes several products in one

    def add(self, device, name, source):
        key = (plain(name), device)
        if source == "open-modules" or key not in self.names:
            self.names[key] = name
        self.sources.setdefault(key, set()).add(source)


def gather(pci, tables):
    devices = Devices()
    for device, (chip, names) in pci.items():
        devices.chips[device] = chip
        for name in names[:-1] or names:
            devices.add(device, name, "pci-ids")
        if len(names) > 1:
            for name in names[:-1]:
                devices.others[plain(name), device] = names[-1]
    for _, rows in tables:
        for name, device in rows:
            devices.add(device, name, "open-modules")
    return devices


def known_by_hand(gpus):
    """{(plain name, id)} of the rows that persons entered."""
    return {(plain(name), device) for table in ("rows", "others") for row in gpus[table]
            for name in [row["name"], *row.get("names", [])] for device in row.get("device_ids", [])}


def device_rows(devices, chips, by_hand, problems):
    rows = {}
    for (key, device), name in devices.names.items():
        if (key, device) in by_hand:
            continue
        chip = devices.chips.get(device)
        if chip is None or chip not in chips:
            problems.append(f"{device} {name}: no chip of device/chips ({chip})")
            continue
        row = rows.setdefault((key, chip), {"name": name, "ids": [], "sources": set(), "others": set()})
        row["ids"].append(device)
        row["sources"] |= devices.sources[key, device]
        row["others"] |= {devices.others[key, device]} if (key, device) in devices.others else set()
    return [whole_row(row, chip, chips[chip]) for (_, chip), row in
            sorted(rows.items(), key=lambda item: (min(item[1]["ids"]), item[1]["name"]))]


def whole_row(row, chip, about):
    whole = {"name": row["name"], "names": sorted(row["others"]) or None, "class": class_of(row["name"]),
             "architecture": about["architecture"], "capability": about.get("capability"),
             "chip": chip, "device_ids": sorted(row["ids"]),
             "source": sorted(row["sources"], reverse=True), "confidence": "medium"}
    return {key: value for key, value in whole.items() if value is not None}


def range_rows(devices, chips):
    """First and last id of each run of chips with one compute capability."""
    rows = []
    last = None
    for device, chip in sorted(devices.chips.items()):
        about = chips.get(chip, {})
        far = last is None or int(device, 16) - int(last, 16) > RANGE_GAP
        if not about:
            last = None
            continue
        cells = {key: about[key] for key in ("architecture", "capability") if key in about}
        if far or any(rows[-1].get(key) != cells.get(key) for key in ("architecture", "capability")):
            rows.append({"first": device, "last": device, **cells, "chips": [],
                         "source": ["pci-ids"], "confidence": "medium"})
        last = rows[-1]["last"] = device
        rows[-1]["chips"] = sorted({*rows[-1]["chips"], chip})
    return rows


def listed_rows(tables):
    rows = []
    for branch, release, ids in open_modules.listed(tables):
        row = {"branch": branch, "release": release, "device_ids": ids, "source": ["open-modules"],
               "confidence": "high"}
        rows.append({key: value for key, value in row.items() if value is not None})
    return rows


def board_rows(boards, chips, devices):
    return [{"board": board, "device_ids": ids, "source": ["open-modules"], "confidence": "high"}
            for board, ids in sorted(boards.items()) if all(i in devices.chips for i in ids)]


def merged(old, new, of_source):
    """The new rows, and the old ones that have other sources."""
    kept = [row for row in old if not set(row["source"]) <= of_source]
    return new + [row for row in kept if row not in new]


def contradictions(gpus, devices, chips):
    """Rows of persons whose id the sources give to a chip with another compute capability."""
    for table in ("rows", "others"):
        for row in gpus[table]:
            for device in row.get("device_ids", []):
                told = chips.get(devices.chips.get(device), {}).get("capability")
                if told and told != row["capability"]:
                    yield f"{row['name']}: {device} is of {devices.chips[device]}, which has {told}"


def text_of(document):
    """One row a line, as all files of manifests/ are written."""
    def cell(value):
        return json.dumps(value, ensure_ascii=False)
    parts = []
    for key, value in document.items():
        if key == "sources":
            lines = ",\n".join(f"    {cell(k)}: {cell(v)}" for k, v in value.items())
            parts.append(f'  "sources": {{\n{lines}\n  }}')
        elif isinstance(value, list):
            lines = ",\n".join(f"    {cell(row)}" for row in value)
            parts.append(f"  {cell(key)}: [\n{lines}\n  ]")
        else:
            parts.append(f"  {cell(key)}: {cell(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def refresh(manifests, pci, tables, boards):
    """The new texts of device.json and gpu.json, and what contradicts them. pci: as pci_ids.read()
    gives it; tables, boards: as open_modules gives them."""
    with open(os.path.join(manifests, "device.json"), encoding="utf-8") as file:
        document = json.load(file)
    with open(os.path.join(manifests, "gpu.json"), encoding="utf-8") as file:
        gpus = json.load(file)
    chips = {row["chip"]: row for row in document["chips"]}
    devices = gather(pci, tables)
    problems = list(contradictions(gpus, devices, chips))
    rows = device_rows(devices, chips, known_by_hand(gpus), problems)
    document["rows"] = merged(document["rows"], rows, OURS)
    document["listed"] = merged(document["listed"], listed_rows(tables), OURS)
    document["boards"] = merged(document["boards"], board_rows(boards, chips, devices), OURS)
    gpus["ranges"] = range_rows(devices, chips)
    return {"device.json": text_of(document), "gpu.json": text_of(gpus)}, problems


def write(manifests, texts, check):
    """The names of the files that differ; written unless check."""
    changed = []
    for name, text in texts.items():
        path = os.path.join(manifests, name)
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                continue
        changed.append(name)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return changed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--pci-ids", default="/usr/share/misc/pci.ids")
    parser.add_argument("--open-modules", required=True)
    parser.add_argument("--manifests", default=MANIFESTS)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.pci_ids, encoding="utf-8", errors="replace") as file:
        pci = pci_ids.read(file)
    tables = open_modules.releases(arguments.open_modules)
    boards = open_modules.newest_boards(arguments.open_modules, tables[-1][0])
    texts, problems = refresh(arguments.manifests, pci, tables, boards)
    for problem in problems:
        print(f"left as it is: {problem}")
    changed = write(arguments.manifests, texts, arguments.check)
    print("\n".join(f"{name}: changed" for name in changed) or "nothing to do")
    sys.exit(1 if arguments.check and changed else 0)


if __name__ == "__main__":
    main()
