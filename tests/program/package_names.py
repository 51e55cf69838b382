# SPDX-License-Identifier: MIT
"""Every name of a package of NVIDIA's that a scenario has or a fix installs is in package-names.tsv.

    package_names.py DIR    DIR: the source tree"""
import json
import re
import sys
from pathlib import Path

OURS = re.compile(r"nvidia|cuda|cudnn|libnccl|libnv|cublas|nsight|libtensorrt")
HOLES = {"BRANCH": r"[1-9][0-9]{2}", "CUDA": r"[0-9]+-[0-9]", "MAJOR": r"1[0-9]",
         "KERNEL": r"[0-9]+\.[0-9]+\.[0-9].*", "VERSION": r"[0-9]+\.[0-9.]+",
         "SYSTEM": r"[a-z]+[0-9]+", "SERIES": r"[0-9]{2}\.[0-9]{2}"}
# How a scenario has a package: dpkg's database, rpm's, pacman's.
DECLARED = (re.compile(r"^include package (?:.* )?name=(\S+)", re.M), re.compile(r"^rpm (\S+) ", re.M),
            re.compile(r"^\| Package: (\S+)", re.M), re.compile(r"^\| %NAME%\n\| (\S+)", re.M))
# What a fix installs or removes.
COMMAND = re.compile(r"(?:apt-get|apt|dnf|yum|zypper|pacman|rpm-ostree)(?: -[A-Za-z-]+)* "
                     r"(?:install|remove|-Syu?|-R)((?: [^ \n\"';&|)(\\]+)+)")
# Their own tool, not of a driver.
OTHERS = {"ubuntu-drivers-common"}


def rows_of(path):
    """The rows: name and the expression that it stands for."""
    rows = {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, system, source = line.split("\t")
        if not system or not source:
            raise SystemExit(f"{path}: {name} has no system or no source")
        rows[name] = re.compile("".join(HOLES.get(part, re.escape(part)) for part in
                                        re.split(f"({'|'.join(HOLES)})", name)) + r"\Z")
    return rows


def declared_in(root):
    """(name, file) of every scenario and part of a machine."""
    files = [path for place in ("tests/cases", "tests/blind", "tests/machines/parts")
             for path in sorted((root / place).rglob("*")) if path.is_file()]
    for path in files:
        text = path.read_text(errors="replace")
        for pattern in DECLARED:
            for name in pattern.findall(text):
                yield name, path


def installed_by(root):
    """(name, file) of what the manifest and the fixes name."""
    manifest = root / "manifests/package.json"
    for row in json.loads(manifest.read_text())["rows"]:
        for name in row["packages"]:
            yield name, manifest
    for path in [*sorted((root / "src/rules").rglob("*.[cd]*")), manifest,
                 *sorted((root / "tests/cases").rglob("*.case"))]:
        for words in COMMAND.findall(path.read_text()):
            for word in words.split():
                yield word, path


def main():
    root = Path(sys.argv[1])
    rows = rows_of(root / "tests/package-names.tsv")
    used, missing, count = set(), {}, 0
    for name, path in [*declared_in(root), *installed_by(root)]:
        name = name.split("=")[0].rstrip(".,")
        if not OURS.search(name) or name in OTHERS or re.search(r"[*%<>/$]", name):
            continue
        count += 1
        found = [row for row, pattern in rows.items() if row == name or pattern.match(name)]
        used.update(found)
        if not found:
            missing.setdefault(name, path)
    for name, path in sorted(missing.items()):
        print(f"{name}: no row in tests/package-names.tsv ({path.relative_to(root)})")
    for name in sorted(set(rows) - used):
        print(f"{name}: a row of tests/package-names.tsv that nothing uses")
    print(f"{count} names of packages, {len(rows)} rows")
    return 1 if missing or set(rows) - used or count < 100 else 0


sys.exit(main())
