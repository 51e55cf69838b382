# SPDX-License-Identifier: MIT
"""Rows of the manifest, held against the sources that a program can open. A checker of a table gives
(verdict, what was compared): RIGHT, WRONG, PARTLY (what could be compared is right) or UNKNOWN."""

import glob
import os
import re
import subprocess

from refresh import pci_ids
from refresh.code import inspected
from refresh.index import Index, order
from refresh.metadata import allows, plain, requirements
from refresh.packages import PACKAGES, Package
from refresh.place import Unreachable
from refresh.python_index import (
    Refresh,
    best_wheel,
    ends_of,
    is_ours,
    newest_of_minor,
    pip_takes,
    pythons_named,
)
from refresh.redistrib import content_digest
from refresh.rows import Refusal, read_json
from refresh.wheel import Wheel

RIGHT, WRONG, PARTLY, UNKNOWN = "right", "wrong", "partly", "not checkable"
CODE = ("sass", "ptx", "sass_aarch64", "cuda")
REMARKS = ("source", "confidence", "notes", "ptx_fails")


class Sources:
    """places: {name: folder}; a git directory, or a folder with headers ("headers")."""

    def __init__(self, context, places, gpuenv):
        self.context, self.places, self.gpuenv = context, places, gpuenv
        self.index = Index(places.get("python-index"), context.cache)
        self.work = Refresh(context, self.index)
        self.ids = None

    def git(self, name, *arguments):
        if name not in self.places:
            return None
        done = subprocess.run(["git", "--git-dir", self.places[name], *arguments], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

    def has_text(self, name, text, revision="HEAD"):
        """Whether a file of a repository has the text; None: the repository is not here."""
        if name not in self.places:
            return None
        return bool(self.git(name, "grep", "-lF", "-e", text, revision))

    def devices(self):
        if self.ids is None and "pci-ids" in self.places:
            self.ids = pci_ids.read((self.git("pci-ids", "show", "HEAD:pci.ids") or "").split("\n"))
        return self.ids


def judged(differences, what, whole=True):
    if differences:
        return WRONG, "; ".join(differences)
    return (RIGHT if whole else PARTLY), what


# --- Builds, pins and riders of the Python index ----------------------------------------------------


def package_of(row):
    """The package of the index that makes such a row, or None."""
    mine = [each for each in PACKAGES if each.framework == row["framework"]]
    told = {row.get("package"), *row.get("packages", ())}
    named = [each for each in mine if each.told in told or each.project in told]
    with_variant = [each for each in named if each.variant in (None, row.get("variant"))]
    if not with_variant and row.get("package"):
        return Package(row["framework"], row["package"].partition("[")[0])
    return (with_variant or [each for each in mine if len(mine) == 1] or [None])[0]


def releases_of(sources, package):
    found = sources.index.finals(package.tags)
    return newest_of_minor(found, package.minors == "padded") if package.minors else found


def rebuilt(sources, package, row, release):
    """The row as the index gives it now."""
    new = {**sources.work.told(package, row["release"], release), **package.cells}
    wheel = best_wheel(release)
    if wheel is not None:
        sources.work.read_wheel(package, new, wheel, release)
    return new


def code_of(sources, package, row, release):
    """Differences of the GPU code, or None where it is not read."""
    if not sources.gpuenv or not package.code or not {"sass", "ptx"} & set(row):
        return None
    there = sources.work.code_release(package, row, row["release"], release, package.code[0])
    wheels = there.wheels("x86_64") if there else []
    if not wheels:
        return None
    found = inspected(Wheel(sources.index.address(pip_takes(wheels, "x86_64"))), package.code[1], sources.gpuenv)
    return [f"{key} {row.get(key)}, the wheel {found.get(key)}" for key in ("sass", "ptx") if row.get(key) != found.get(key)]


def same_cell(sources, key, row, new):
    """Of Pythons, packages that the release requires may have fewer."""
    if key != "python" or key not in row:
        return row.get(key) == new[key]
    mine, theirs = pythons_named(row[key]), pythons_named(new[key])
    return sources.work.same(key, row, new) or (mine is not None and theirs is not None and mine <= theirs)


def build(sources, row):
    package = package_of(row)
    if package is None or "release" not in row:
        return UNKNOWN, "no package of the index"
    release = releases_of(sources, package).get(row["release"])
    if release is None:
        return UNKNOWN, f"{package.tags} {row['release']} is not on the index"
    if not is_ours(row):
        if row.get("os") == "windows" or row.get("variant") == "windows":
            return UNKNOWN, "of Windows"
        if row.get("index") and row.get("is_default") != "yes":
            return UNKNOWN, "of another index"
        told = sources.work.told(package, row["release"], release)
        wrong = [f"{key} {row[key]}, the index {told[key]}" for key in ("date", "python")
                 if key in row and key in told and not sources.work.same(key, row, told)]  # fmt: skip
        return judged(wrong, "date and Pythons", whole=False)
    new = rebuilt(sources, package, row, release)
    left = {key for key in row if key not in REMARKS + ("framework", "release", "uses_cuda", "package", "variant", "requires")}
    # What the libraries tell stands before what the small members tell.
    code = any("code" in source for source in row["source"])
    wrong = [f"{key} {row.get(key)}, the index {new[key]}" for key in new
             if key != "requires" and not same_cell(sources, key, row, new) and not (code and key in ("cuda", "cudas"))]  # fmt: skip
    differs = code_of(sources, package, row, release)
    left -= set(new) | (set(CODE) if differs is not None else set())
    if row.get("requires") != new.get("requires"):
        wrong.append(f"requires {row.get('requires')}, the index {new.get('requires')}")
    return judged(wrong + (differs or []), "all cells" + (f" but {', '.join(sorted(left))}" if left else ""), not left)


def metadata_of(sources, package, version):
    release = sources.index.finals(package.tags).get(version)
    wheel = best_wheel(release) if release else None
    return requirements(sources.index.metadata(wheel), package.extras) if wheel else None


def pin(sources, row):
    package = next((each for each in PACKAGES if each.framework == row["framework"] and each.pins
                    and each.variant == row.get("variant")), None)  # fmt: skip
    if package is None or not is_ours(row):
        return UNKNOWN, "not from the index"
    wrong = []
    for version in sorted(set(ends_of(row["release"])), key=order):
        wanted = metadata_of(sources, package, version)
        specs = [plain(each.spec) or ">=0" for each in wanted or () if each.name == row["package"]]
        if row["spec"] not in specs:
            wrong.append(f"{version} has {specs}")
    if "newest" in row:
        newest = [each for each in sources.index.finals(row["package"]) if allows(row["spec"], each)][-1]
        if newest != row["newest"]:
            wrong.append(f"newest is {newest}")
    return judged(wrong, "METADATA of the first and the last release" + (", newest on the index" if "newest" in row else ""))


def rider(sources, row):
    package = next((each for each in PACKAGES if each.framework == row["framework"] and each.kind == "riders"), None)
    if package is None or not is_ours(row):
        return UNKNOWN, "not from the index"
    name = {"pytorch": "torch"}.get(row["backend"], row["backend"])
    wrong = []
    for version in sorted(set(ends_of(row["release"])), key=order):
        specs = [each.spec or ">=0" for each in metadata_of(sources, package, version) or () if each.name == name]
        if (specs or [">=0"])[0] != row["spec"]:
            wrong.append(f"{version} has {specs}")
    return judged(wrong, "METADATA of the first and the last release")


# --- CUDA, cuDNN, error numbers ----------------------------------------------------------------------


def cudnn_release(sources, row):
    """A release may have a build for each CUDA."""
    found = {}
    for package in ("nvidia-cudnn-cu13", "nvidia-cudnn-cu12", "nvidia-cudnn-cu11"):
        for version, release in sources.index.finals(package).items():
            if ".".join(version.split(".")[:3]) == row["version"]:
                found[version] = release.date()
    if not found:
        return UNKNOWN, "not on the index"
    known = row.get("build", min(found)) in found or any(version in row.get("notes", "") for version in found)
    wrong = [] if known else [f"build {row['build']}, the index {' '.join(found)}"]
    if "date" in row and all(abs(int(row["date"][:4]) - int(date[:4])) > 1 for date in found.values()):
        wrong.append(f"date {row['date']}, the index {min(found.values())}")
    return judged(wrong, "build on the index", "build" in row or "date" not in row)


def cudnn_pair(sources, row):
    package = f"nvidia-cudnn-cu{row['cuda'].split('.')[0]}"
    try:
        found = [version for version in sources.index.finals(package) if version.startswith(row["cudnn"] + ".")]
    except Unreachable:
        found = []
    return (PARTLY, f"{package} has it; minimum versions not compared") if found else (UNKNOWN, "not on the index")


def error_number(table):
    def check(sources, row):
        folder = sources.places.get("headers")
        if folder is None:
            return UNKNOWN, "no headers here"
        names = [row[key] for key in ("name", "runtime_name") if key in row]
        text = ""
        for path in glob.glob(os.path.join(folder, "**", "*"), recursive=True):
            if path.endswith((".h", ".py")):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += file.read()
        wrong = [name for name in names if not re.search(rf"\b{name}(\s+[A-Z_]+)?\s*=\s*(0x)?0*{row['code']}\b", text)]
        return judged([f"{name}: not {row['code']} in a header" for name in wrong], f"{table}: names in headers")

    return check


def xid(sources, row):
    text = sources.git("open-modules", "grep", "-hE", rf"#define +{row['name']} +\({row['code']}\)", "HEAD")
    if text is None and "nverror.h" not in " ".join(row["source"]):
        return UNKNOWN, "only in NVIDIA's catalogue"
    return judged([] if text else ["not in nverror.h"], "name and number in nverror.h")


# --- GPUs ---------------------------------------------------------------------------------------------


def device(chips):
    def check(sources, row):
        devices = sources.devices()
        if devices is None:
            return UNKNOWN, "no pci.ids here"
        wrong, other = [], []
        for each in row.get("device_ids", ()):
            chip, names = devices.get(each, (None, []))
            if chip is None:
                wrong.append(f"{each}: not in pci.ids")
            elif row.get("chip", chip) != chip or chips.get(chip) != row["capability"]:
                wrong.append(f"{each}: {chip}, capability {chips.get(chip)}")
            elif not any(same_name(row["name"], name) for name in names) and not listed_name(sources, row, each):
                other.append(f"{each}: {names}")  # a name of an older release, or of the same board
        if other and not wrong:
            return PARTLY, f"id and chip; named otherwise: {other[0]}"
        return judged(wrong, "id, chip and name in pci.ids")

    return check


def same_name(one, other):
    one, other = one.lower(), other.lower()
    return one in other or other in one


def listed_name(sources, row, each):
    text = sources.git("open-modules", "show", "HEAD:README.md") or ""
    return re.search(rf"^\| (NVIDIA )?{re.escape(row['name'])} +\| {each.upper()}\b", text, re.M) is not None


def first_listed(sources, row):
    if "release" not in row or "open-modules" not in sources.places:
        return UNKNOWN, "no release"
    text = sources.git("open-modules", "show", f"{row['release']}:README.md") or ""
    missing = [each for each in row["device_ids"] if not re.search(rf"\| {each.upper()}\b", text)]
    return judged([f"{each}: not in the README" for each in missing], f"README of {row['release']}")


# --- Installers ---------------------------------------------------------------------------------------

REPOSITORIES = {"spack": "spack", "easybuild": "easybuild", "conda": "conda-cudnn", "jimver": "jimver", "rules": "rules-ml", "nixpkgs": "nixpkgs"}


def archive(sources, row):
    """Whether a repository that is cited has the digest, or else the name, and not another digest."""
    wanted = row.get("sha256") or row["file"]
    for cited in row["source"]:
        commit = re.fullmatch(r"conda-cudnn-([0-9a-f]+)", cited)
        name = next((REPOSITORIES[word] for word in REPOSITORIES if cited.startswith(word)), None)
        if commit and sources.git("conda-cudnn", "cat-file", "-t", commit[1]) is None:
            continue
        if name and sources.has_text(name, wanted, commit[1] if commit else "HEAD"):
            return RIGHT, f"{'digest' if 'sha256' in row else 'name'} in {cited}"
    return UNKNOWN, f"not found in the repositories here: {' '.join(row['source'])}"


def redistrib_pin(sources, row):
    name = f"redistrib_{row['version']}.json"
    listing = sources.git("cuda-legacy", "ls-tree", "-r", "--name-only", "HEAD") or ""
    paths = [path for path in listing.split("\n") if re.search(rf"(^|/){row['product']}/{re.escape(name)}$", path)]
    if row["pin"] == "content" and paths:
        text = sources.git("cuda-legacy", "show", f"HEAD:{paths[0]}")
        with open(os.path.join(sources.context.cache, name), "w", encoding="utf-8") as file:
            file.write(text)
        try:
            digest = content_digest(file.name, read_json(file.name)[1])
        except Refusal as problem:
            return UNKNOWN, str(problem)
        return judged([] if digest == row["sha256"] else [f"content {digest}"], f"content of {paths[0]}")
    if row["pin"] == "file" and sources.has_text("rules-ml", row["sha256"]):
        return RIGHT, "digest in rules_ml_toolchain"
    return UNKNOWN, "no copy here"


# --- Messages -----------------------------------------------------------------------------------------


def log_line(sources, row):
    if "open-modules" not in sources.places or not any(cited in ("nv.c", "ogkm", "modeset", "uvm", "nvlink") for cited in row["source"]):
        return UNKNOWN, "not a message of the open kernel modules"
    missing = [part for part in row.get("parts", ())
               if not sources.has_text("open-modules", re.sub(r"^NVRM: ", "", part))]  # fmt: skip
    if missing:  # a text may be made from a format, or be of an older release
        return UNKNOWN, f"not as it stands in the newest sources: {missing[0]}"
    return RIGHT, "its parts are in the kernel modules' sources"


def checkers(manifest):
    chips = {row["chip"]: row.get("capability") for row in manifest["device"]["chips"]}
    table = {
        "framework/builds": build, "framework/pins": pin, "framework/riders": rider,
        "cudnn/rows": cudnn_release, "cudnn/pairs": cudnn_pair, "error/xid": xid,
        "device/rows": device(chips), "gpu/rows": device(chips), "device/listed": first_listed,
        "legacy/archives": archive, "legacy/runfiles": archive, "pin/rows": redistrib_pin, "log/rows": log_line,
    }  # fmt: skip
    return {**table, **{f"error/{name}": error_number(name) for name in ("cuda", "nvml", "cudnn", "nccl")}}


def check(table, sources, row):
    try:
        return table(sources, row)
    except Unreachable as problem:
        return UNKNOWN, str(problem)
