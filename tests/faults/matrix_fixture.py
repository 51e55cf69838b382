# SPDX-License-Identifier: MIT
"""A directory of one worker: a small mirror, a manifest that pins it, and one run after another."""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fakes"))
import matrix_world as world
import update_site
from matrix_operations import PREFIX

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 300  # a run that takes longer hangs
# Tables of the manifest whose rows are all kept: those that are used, and those that others name.
KEPT = {"component", "cuda", "cudnn", "driver", "capability", "error", "pin", "manifest"}

# Two releases of each product: a file that changes, one that goes, one that comes, one that turns into
# a directory, a link, and one that names the prefix.
PRODUCTS = [
    ("cuda", "12.8.90", "", {"cuda_cudart": {
        "lib/libcudart.so.12": "so 90", "lib/libcudart.so": ["libcudart.so.12"], "include/turns": "file",
        "gone/x": "gone", "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\n"}}),
    ("cuda", "12.8.91", "", {"cuda_cudart": {
        "lib/libcudart.so.12": "so 91", "lib/libcudart.so": ["libcudart.so.12"], "include/turns/into": "directory",
        "new/x": "new", "pkg-config/cudart-12.8.pc": "cudaroot=/usr/local/cuda-12.8\n"}}),
    ("cudnn", "9.8.0", "cuda12", {"cudnn": {"lib/libcudnn.so.9": "so 98"}}),
    ("cudnn", "9.10.2", "cuda12", {"cudnn": {"lib/libcudnn.so.9": "so 910"}}),
]


UPDATES = (105, 106)  # manifests that are published


class Fault(Exception):
    """The matrix itself cannot go on."""


def trim(value, name=""):
    """A table with its first rows: checking the manifest is most of what a run costs."""
    if isinstance(value, dict):
        return trim_message(value) if "libraries" in value else {key: trim(below, key) for key, below in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict) and name not in ("actions", "frameworks"):
        return value[:2]
    return value


def trim_message(subject):
    """Rows whose "as" names another row, and that row."""
    libraries = subject["libraries"][:2]
    named = {row["as"] for row in libraries}
    patterns = [row for row in subject["patterns"] if row["name"] in named]
    return {key: trim(below, key) for key, below in subject.items()} | {"libraries": libraries, "patterns": patterns}


class Sources:
    """What all workers read: the mirror, the same in a directory that others may write, the manifest."""
    def __init__(self, top, gpuenv):
        self.top, self.gpuenv = top, gpuenv
        self.manifest = os.path.join(top, "manifest.json")
        os.makedirs(top)
        self.make_mirrors()
        self.make_manifest()
        self.trusting = os.path.join(os.path.dirname(gpuenv), "trusting/gpuenv")
        if self.has_keys():
            for number in UPDATES:
                self.make_update(number)

    def has_keys(self):
        return os.access(self.trusting, os.X_OK)

    def make_update(self, number):
        """A site that publishes the manifest with this number."""
        keys = os.path.join(os.path.dirname(self.trusting), "keys")
        with open(os.path.join(keys, "root.json"), encoding="utf-8") as file:
            root = file.read().strip()[1:-1]
        with open(self.manifest, encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["manifest"].update(version=number, date="2027-01-01")
        site = update_site.Site(os.path.join(self.top, f"site{number}"), root, update_site.Key(f"{keys}/manifest.key"),
                                lambda _: json.dumps(manifest).encode(), time.time())
        site.publish(number, version=number)

    def tool(self, name, *words, **what):
        subprocess.run([sys.executable, "-B", os.path.join(TESTS, "fakes", name), *words], check=True, **what)

    def make_mirrors(self):
        mirror = os.path.join(self.top, "mirror")
        for product, version, variant, components in PRODUCTS:
            self.tool("redist_make", mirror, product, version, *([variant] if variant else []),
                      input=json.dumps(components).encode())
        shared = os.path.join(self.top, "shared")
        shutil.copytree(mirror, shared)
        for directory, _, names in os.walk(shared):
            for name in names:
                os.chmod(os.path.join(directory, name), 0o666)

    def make_manifest(self):
        full = os.path.join(os.path.dirname(self.gpuenv), "gpuenv.manifest.json")
        shutil.copyfile(full, self.manifest)
        for product, version, _, _ in PRODUCTS:
            self.tool("manifest_pin", self.manifest, os.path.join(self.top, "mirror"), product, version,
                      "file" if product == "cuda" else "content")
        with open(self.manifest, encoding="utf-8") as file:
            manifest = json.load(file)
        for name in manifest.keys() - KEPT:
            manifest[name] = trim(manifest[name])
        manifest["pin"]["rows"] = [row for row in manifest["pin"]["rows"] if row["source"] == ["tests"]]
        small = self.manifest + ".small"
        with open(small, "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        if subprocess.run([self.gpuenv, "manifest", "check", small], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0:
            os.rename(small, self.manifest)
        else:
            print("the small manifest is not valid any more: the whole one is used, which takes longer", file=sys.stderr)


class Result:
    def __init__(self, code, out, err, calls=()):
        self.code, self.out, self.err, self.calls = code, out, err, calls


class Fixture:
    def __init__(self, top, sources, gpuenv, nth_call):
        self.top, self.sources, self.gpuenv, self.nth_call = top, sources, gpuenv, nth_call
        self.run_top = os.path.join(top, "run")
        self.environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": os.path.join(top, "home"), "LANG": "C.UTF-8",
            "GPUENV_CACHE_DIR": os.path.join(self.run_top, "cache"), "GPUENV_DATA_DIR": os.path.join(self.run_top, "data"),
            "SOURCE_DATE_EPOCH": "1760000000",
            "ASAN_OPTIONS": "detect_leaks=0",
            "GPUENV_JOBS": "1"}  # so that calls come in the same order
        os.makedirs(self.environment["HOME"])
        self.worlds = {}

    # --- Runs ---

    def expand(self, words):
        mirrors = {"@": "mirror", "@shared": "shared"}
        out = []
        for word in words:
            if word in mirrors:
                out += ["--manifest", self.sources.manifest, "--mirror", os.path.join(self.sources.top, mirrors[word]), "--progress", "none"]
            elif word.startswith("^"):
                out.append(os.path.join(self.sources.top, f"site{word[1:]}"))
            elif word.split("/")[0] in ("o", "site", "lock"):
                out.append(os.path.join(self.run_top, word))
            else:
                out.append(word)
        return out

    def call(self, words, before=()):
        """Runs gpuenv."""
        gpuenv = self.sources.trusting if words[:2] == ["manifest", "update"] else self.gpuenv
        with subprocess.Popen([*before, gpuenv, *self.expand(words)], stdin=subprocess.DEVNULL, cwd=self.top,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment) as process:
            try:
                out, err = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return Result(None, "", f"it hangs: no end after {SECONDS} s")
        return Result(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    def must(self, words):
        result = self.call(words)
        if result.code != 0:
            raise Fault(f"gpuenv {' '.join(self.expand(words))}: {result.code}: {result.err}")

    def call_at(self, words, number=None, mode=None):
        """Runs gpuenv with a fault at a call, and lists its calls."""
        listed = os.path.join(self.top, "calls")
        fault = [] if number is None else ["--at", str(number)] + (["--kill"] if mode == "kill" else ["--errno", mode])
        result = self.call(words, [self.nth_call, "--list", listed, *fault, "--"])
        if result.code == 125:
            raise Fault(f"nth-call: {result.err}")
        if result.code is not None:
            with open(listed, encoding="utf-8", errors="replace") as file:
                result.calls = [line.rstrip("\n").split("\t") for line in file]
        return result

    def verify(self):
        result = self.call(["verify", "--prefix", PREFIX])
        return result.code, result.out + result.err

    # --- Worlds ---

    def take(self):
        return world.take(self.run_top)

    def put(self, there):
        world.put(self.run_top, there)

    def remove(self, name):
        there = self.take()
        self.put({path: entry for path, entry in there.items() if path.split("/")[0] != name})
        os.makedirs(os.path.join(self.run_top, "o"), exist_ok=True)

    def make_foreign(self, path):
        full = os.path.join(self.run_top, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write("somebody's\n")
        os.chmod(full, 0o640)
        os.utime(full, (world.FOREIGN_TIME, world.FOREIGN_TIME))

    def make_socket(self):
        """Something that cannot be linked: the prefix is then changed file by file."""
        world.make_socket(os.path.join(self.run_top, PREFIX, "s"))

    def worlds_of(self, operation):
        """Before and after the operation, undisturbed, and the calls that it made."""
        if operation.name not in self.worlds:
            self.put({})
            for name in ("o", "lock"):
                os.mkdir(os.path.join(self.run_top, name))
            operation.build(self)
            old = self.take()
            done = self.call_at(operation.words)
            new = self.take()
            if done.code != 0:
                raise Fault(f"{operation.name}, undisturbed: {done.code}: {done.err}")
            if old == new:
                raise Fault(f"{operation.name} changes nothing")
            self.worlds[operation.name] = (old, new, done)
        return self.worlds[operation.name]
