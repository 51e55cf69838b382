# SPDX-License-Identifier: MIT
"""A place for random tests of gpuenv: a mirror of a small CUDA and cuDNN that is a directory, a manifest
that pins it, an environment in which nothing of the caller is set. What is packed is written down here,
so that a test can tell without gpuenv's help what has to be in a prefix.
"""
import atexit
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

FAULTS = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(FAULTS)
INTERRUPTED = "interrupted"  # the word of verify for a change or an uninstall that did not end
RUNTIME = ("cuda_cudart", "libcublas", "cudnn")  # components that profile runtime has

_CUDART = {"lib/libcudart.so": ["libcudart.so.12"], "include/b.h": "b", "share/both": "same bytes"}
_CUBLAS = {"lib/libcublas.so.12": "blas", "include/cublas.h": "blas"}
_CRT = {"include/crt/c.h": "c"}


def _cudnn(name, header):
    return {"cudnn": {"include/cudnn.h": name, "lib/libcudnn.so.9": "so " + name,
                      "lib/libcudnn.so": ["libcudnn.so.9"], header: name,
                      "lib/libcudnn_static.a": "static " + name, "share/both": "same bytes"}}


# product → version → component → path → text, or [target] of a link. A file becomes a directory, a
# directory a file, and files come and go, between 12.8.90 and 12.8.91.
PACKED = {
    "cuda": {
        "12.8.90": {"cuda_nvcc": {"bin/nvcc": "nvcc 90", "include/a.h": "a", "nvvm/x": "x", "include/turns": "file"},
                    "cuda_crt": _CRT,
                    "cuda_cudart": dict(_CUDART, **{"lib/libcudart.so.12": "so", "include/gone.h": "gone",
                                                    "include/gone/deep/x.h": "x"}),
                    "libcublas": _CUBLAS},
        "12.8.91": {"cuda_nvcc": {"bin/nvcc": "nvcc 91", "include/a.h": "a", "nvvm/x": "x",
                                  "include/turns/into": "directory"},
                    "cuda_crt": _CRT,
                    "cuda_cudart": dict(_CUDART, **{"lib/libcudart.so.12": "so 91", "include/gone": "a file now",
                                                    "new/deep/er": "new"}),
                    "libcublas": _CUBLAS},
        "12.9.90": {"cuda_nvcc": {"bin/nvcc": "nvcc 12.9"}, "cuda_crt": _CRT,
                    "cuda_cudart": {"lib/libcudart.so.12": "so 12.9"}},
    },
    "cudnn": {"9.8.0": _cudnn("98", "include/only98.h"), "9.10.2": _cudnn("910", "include/only910.h")},
}


def is_shared(path):
    name = path.rsplit("/", 1)[-1]
    return name.endswith(".so") or ".so." in name


# Of what installing does not ask: one row is left of each of these lists, which halves the time of a run.
UNASKED = {"legacy": ["advice", "archives", "runfiles"], "error": ["messages", "cudnn", "nvml", "nccl", "cuda"],
           "framework": ["builds", "pins", "riders", "indexes", "capabilities", "glibcs", "wheels"],
           "package": ["rows", "repositories"]}


def contents(product, version, profile):
    """path → text or [target] of what this product brings, but for licences, .pc files and gpuenv's own."""
    files = {}
    for component, packed in PACKED[product][version].items():
        if profile == "runtime":
            packed = {p: c for p, c in packed.items() if is_shared(p)} if component in RUNTIME else {}
        files.update(packed)
    return files


def find_program(given):
    """gpuenv: --gpuenv, GPUENV, or what scripts/test has built."""
    program = given or os.environ.get("GPUENV") or os.path.join(os.path.dirname(TESTS), "build/dev/gpuenv")
    for path in (program, os.path.join(os.path.dirname(program), "gpuenv-install")):
        if not os.access(path, os.X_OK):
            print(f"skipped: {path} is not built: scripts/test builds it, or name another by --gpuenv")
            sys.exit(77)
    return os.path.abspath(program)


class Place:
    """A directory of the test's own with mirrors, manifest and cache. run() starts gpuenv in it."""

    def __init__(self, gpuenv):
        os.umask(0o022)
        self.gpuenv = gpuenv
        plain = re.fullmatch(r"[A-Za-z0-9/._-]{1,40}", tempfile.gettempdir())  # a socket's name is short
        self.work = tempfile.mkdtemp(prefix="gpuenv-faults-", dir=None if plain else "/tmp")
        self.mirror = os.path.join(self.work, "mirror")
        self.loose = os.path.join(self.work, "loose")  # others may write it: everything goes through the cache
        self.manifest = os.path.join(self.work, "manifest.json")
        self.cache = os.path.join(self.work, "cache")
        self.environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": os.path.join(self.work, "home"),
                            "GPUENV_CACHE_DIR": self.cache, "NO_COLOR": "1"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        atexit.register(self.remove)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        os.mkdir(self.environment["HOME"])
        self._pack()

    def _write_manifest(self):
        """That of the build, cut short where the result is sound."""
        whole = os.path.join(os.path.dirname(self.gpuenv), "gpuenv.manifest.json")
        with open(whole, encoding="utf-8") as file:
            manifest = json.load(file)
        for part, lists in UNASKED.items():
            for name in lists:
                del manifest[part][name][1:]
        with open(self.manifest, "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        if self.run("manifest", "check", self.manifest)[0] != 0:
            shutil.copy(whole, self.manifest)

    def _pack(self):
        self._write_manifest()
        for product, versions in PACKED.items():
            for version, components in versions.items():
                packed = {name: dict(files) for name, files in components.items()}
                if "cuda_cudart" in packed:
                    short = ".".join(version.split(".")[:2])
                    packed["cuda_cudart"][f"pkg-config/cudart-{short}.pc"] = f"cudaroot=/usr/local/cuda-{short}\n"
                variant = [] if product == "cuda" else ["cuda12"]
                subprocess.run([os.path.join(TESTS, "fakes/redist_make"), self.mirror, product, version, *variant],
                               input=json.dumps(packed).encode(), check=True)
        self._share_archives("12.8.90", "12.8.91", ("cuda_crt", "libcublas"))
        for product, versions in PACKED.items():
            for version in versions:
                kind = "file" if product == "cuda" else "content"
                subprocess.run([os.path.join(TESTS, "fakes/manifest_pin"), self.manifest, self.mirror, product, version, kind],
                               check=True)
        shutil.copytree(self.mirror, self.loose)
        for top, _, names in os.walk(self.loose):
            for name in names:
                os.chmod(os.path.join(top, name), 0o666)

    def _share_archives(self, old, new, components):
        """A component that a patch release does not touch has the same archive in both."""
        base = os.path.join(self.mirror, "compute/cuda/redist/redistrib_%s.json")
        with open(base % old, encoding="utf-8") as file:
            before = json.load(file)
        with open(base % new, encoding="utf-8") as file:
            after = json.load(file)
        after.update({name: before[name] for name in components})
        with open(base % new, "w", encoding="utf-8") as file:
            json.dump(after, file, indent=4)

    def install_words(self, prefix, specs, mirror=None):
        return ["install", "--manifest", self.manifest, "--mirror", mirror or self.mirror, "--progress", "none",
                "--accept-eula", "--prefix", prefix, *specs]

    def run(self, *words, timeout=120, **more):
        """Its exit code, what it said on stdout and on stderr."""
        done = subprocess.run([self.gpuenv, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.environment, timeout=timeout, check=False, **more)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def install(self, prefix, *specs):
        code, _, err = self.run(*self.install_words(prefix, specs))
        if code != 0:
            raise SystemExit(f"cannot install {' '.join(specs)} to begin with: {code}: {err}")

    def remove(self):
        """At the end of the program, however that comes."""
        for top, directories, _ in os.walk(self.work):
            for name in directories:  # before they are listed: a test may have closed them
                if not os.path.islink(os.path.join(top, name)):
                    os.chmod(os.path.join(top, name), 0o700)
        shutil.rmtree(self.work, ignore_errors=True)


def describe(path):
    """What an entry is, for comparison: type, mode, and bytes, target or number."""
    status = os.lstat(path)
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            return ("file", mode, hashlib.sha256(file.read()).hexdigest())
    if stat.S_ISLNK(status.st_mode):
        return ("link", None, os.readlink(path))
    if stat.S_ISDIR(status.st_mode):
        return ("directory", mode, None)
    return ("special", mode, (stat.S_IFMT(status.st_mode), status.st_ino))


def entries(directory):
    """The paths of all that is below, relative to it, sorted."""
    found = []
    for top, directories, names in os.walk(directory):
        found += [os.path.relpath(os.path.join(top, name), directory) for name in directories + names]
    return sorted(found)
