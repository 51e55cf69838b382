# SPDX-License-Identifier: MIT
"""What tests/faults/power-cut cuts: the small releases there are, and each operation of gpuenv with what
was there before it. Words that begin with @ stand for places: @disk is the file system that is cut, all
others lie outside of it."""
import json
import os
import socket
import subprocess
import sys
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(f"{TESTS}/fakes")
import update_site  # noqa: E402
PLACE = "@disk/opt/cuda"
LARGE = "bytes of a library " * 2500  # more than one block, and than btrfs keeps beside a name

RELEASES = [
    ("cuda", "12.8.90", None, "file", {
        "cuda_nvcc": {"bin/nvcc": "nvcc 90", "include/turns": "file", "include/a.h": "a"},
        "cuda_cudart": {"lib/libcudart.so.12": "so 90 " + LARGE, "lib/libcudart.so": ["libcudart.so.12"],
                        "gone/deep/x.h": "x", "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\n"}}),
    ("cuda", "12.8.91", None, "file", {
        "cuda_nvcc": {"bin/nvcc": "nvcc 91", "include/turns/into": "directory", "include/a.h": "a"},
        "cuda_cudart": {"lib/libcudart.so.12": "so 91 " + LARGE, "lib/libcudart.so": ["libcudart.so.12"],
                        "new/deep/er": "new", "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\n"}}),
    ("cudnn", "9.8.0", "cuda12", "content", {
        "cudnn": {"include/cudnn.h": "98", "lib/libcudnn.so.9": "so 98", "include/only98.h": "98"}}),
    ("cudnn", "9.10.2", "cuda12", "content", {
        "cudnn": {"include/cudnn.h": "910", "lib/libcudnn.so.9": "so 910", "include/only910.h": "910"}}),
]

# The longest lists of the manifest, which no operation here asks: read some ten thousand times, they
# would take half of all the time.
NOT_ASKED = (("framework", "builds"), ("legacy", "archives"), ("legacy", "runfiles"))


def make_mirror(top, joined):
    """TOP/mirror and TOP/manifest.json, which pins it; joined is the manifest of the build."""
    fakes = f"{TESTS}/fakes"
    with open(joined, encoding="utf-8") as file:
        manifest = json.load(file)
    for subject, name in NOT_ASKED:
        manifest[subject][name] = manifest[subject][name][:1]
    with open(f"{top}/manifest.json", "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    for product, version, variant, _, files in RELEASES:
        words = [f"{fakes}/redist_make", f"{top}/mirror", product, version, *([variant] if variant else [])]
        subprocess.run([sys.executable, *words], input=json.dumps(files), text=True, check=True)
    for product, version, _, pin, _ in RELEASES:
        subprocess.run([sys.executable, f"{fakes}/manifest_pin", f"{top}/manifest.json", f"{top}/mirror",
                        product, version, pin], check=True)


def make_sites(top, trusting):
    """TOP/site105 and TOP/site106, which publish manifests of these numbers; False without keys for it."""
    keys = os.path.join(os.path.dirname(trusting), "keys")
    if not os.access(trusting, os.X_OK):
        return False
    with open(f"{keys}/root.json", encoding="utf-8") as file:
        root = file.read().strip()[1:-1]
    with open(f"{top}/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    for number in (105, 106):
        manifest["manifest"].update(version=number, date="2027-01-01")
        data = json.dumps(manifest).encode()
        site = update_site.Site(f"{top}/site{number}", root, update_site.Key(f"{keys}/manifest.key"), lambda _, data=data: data,
                                time.time())
        site.publish(number, version=number)
    return True


SOURCE = ["--manifest", "@manifest", "--mirror", "@mirror"]
INSTALL = ["install", *SOURCE, "--progress", "none", "--accept-eula", "--jobs", "1", "--prefix", PLACE]
USE = ["use", *SOURCE, "--progress", "none", "--jobs", "1", "--prefix", PLACE]
UNINSTALL = ["uninstall", "--prefix", PLACE]
OLD, NEWER = ["cuda@12.8.90", "cudnn@9.8.0"], ["cuda@12.8.91", "cudnn@9.10.2"]
LOCK = "@disk/project/gpuenv.lock"


def files_of_others(disk):
    os.mkdir(f"{disk}/opt/cuda/mine")
    with open(f"{disk}/opt/cuda/mine/a", "w", encoding="ascii") as file:
        file.write("x")
    os.symlink("a", f"{disk}/opt/cuda/mine/l")


def socket_of_others(disk):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"{disk}/opt/cuda/s")


def project(disk):
    os.mkdir(f"{disk}/project")


class Operation:
    """before: what is done to an empty file system, commands and functions of its directory; words: the
    command that is cut; settled: the command that must leave the new state as it is (the same one, but
    where that would do something else then); place: what is judged, below @disk; kind: prefix, file or
    mirror."""

    def __init__(self, name, before, words, settled=None, place="opt/cuda", kind="prefix"):
        self.name, self.before, self.words = name, before, words
        self.settled = settled or words
        self.place, self.kind = place, kind


MIRROR = ["mirror", "@disk/mirror", *OLD, *SOURCE, "--progress", "none", "--accept-eula"]
PLAN_LOCK = ["plan", *SOURCE, "--prefix", "@outside", "--lock", LOCK]

UPDATES = ("update", "update-again")  # by a gpuenv that trusts the keys of the tests
OPERATIONS = {operation.name: operation for operation in (
    Operation("install", [], [*INSTALL, *OLD]),
    Operation("add", [[*INSTALL, OLD[0]], files_of_others], [*INSTALL, OLD[1]]),
    Operation("upgrade", [[*INSTALL, *OLD], files_of_others, socket_of_others], [*INSTALL, *NEWER]),
    Operation("use", [[*INSTALL, *OLD], files_of_others, [*INSTALL, *NEWER]],
              [*USE, "--previous"], settled=[*USE, *OLD]),
    Operation("uninstall-product", [[*INSTALL, *OLD], files_of_others], [*UNINSTALL, "cudnn"]),
    Operation("uninstall-foreign", [[*INSTALL, *OLD], files_of_others], UNINSTALL),
    Operation("uninstall", [[*INSTALL, *OLD]], UNINSTALL),
    Operation("mirror", [], MIRROR, place="mirror", kind="mirror"),
    Operation("lock", [project], [*PLAN_LOCK, *OLD], place="project/gpuenv.lock", kind="file"),
    Operation("lock-again", [project, [*PLAN_LOCK, *OLD]], [*PLAN_LOCK, *NEWER],
              place="project/gpuenv.lock", kind="file"),
    Operation("update", [], ["manifest", "update", "@site105"], place="data/gpuenv/manifest.update", kind="file"),
    Operation("update-again", [["manifest", "update", "@site105"]], ["manifest", "update", "@site106"],
              place="data/gpuenv/manifest.update", kind="file"),
)}
