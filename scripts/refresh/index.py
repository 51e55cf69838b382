# SPDX-License-Identifier: MIT
"""The Python index that pip is configured for: releases, the tags of their wheels, METADATA."""

import functools
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile

from refresh import place
from refresh.wheel import Wheel

JSON = "application/vnd.pypi.simple.v1+json"
ASK_PIP = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
FINAL = re.compile(r"\d+(\.\d+)*(\.post\d+)?")
GLIBC = re.compile(r"manylinux_(\d+)_(\d+)_(\w+)")
OLD_GLIBC = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}
MACHINES = ("x86_64", "aarch64")


def configured():
    """The address of pip's index; pip itself says which one it is without configuration."""
    pip = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    for told in (
        os.environ.get("PIP_INDEX_URL"),
        subprocess.run(pip, capture_output=True, text=True, check=False).stdout.strip(),
        subprocess.run([sys.executable, "-c", ASK_PIP], capture_output=True, text=True, check=False).stdout.strip(),
    ):
        if told:
            return told
    raise place.Unreachable("the Python index", "pip is not there, or names none")


@functools.lru_cache(1 << 16)
def order(version):
    """A key by which versions ascend: 1.0rc1 < 1.0 < 1.0.post1."""
    match = re.match(r"(?:(\d+)!)?(\d+(?:\.\d+)*)(.*)", version)
    if not match:
        return (0, (), 0, (), version)
    numbers = [int(part) for part in match[2].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    rest = match[3]
    stage = 2 if rest.startswith(".post") else 1 if not rest or rest.startswith("+") else 0
    return (int(match[1] or 0), tuple(numbers), stage, tuple(int(part) for part in re.findall(r"\d+", rest)), rest)


def of_archive(body, pattern=r"[^/]+/PKG-INFO"):
    """A file of a source archive, the first one of that name; "" where there is none. PKG-INFO has
    what the package requires where its makers' tools are new."""
    try:
        with tarfile.open(fileobj=io.BytesIO(body), mode="r|*") as archive:
            for member in archive:
                if re.fullmatch(pattern, member.name):
                    return archive.extractfile(member).read().decode("utf-8", "replace")
    except (tarfile.TarError, OSError, EOFError):
        pass  # a .zip, or not what its name says
    return ""


class File:
    """A wheel or a source archive, as the index names it."""

    def __init__(self, told, package):
        self.name = told["filename"]
        self.url = told["url"]
        self.date = (told.get("upload-time") or "")[:10]
        self.requires_python = told.get("requires-python") or ""
        self.yanked = bool(told.get("yanked"))
        self.metadata = told.get("core-metadata") or told.get("data-dist-info-metadata") or False
        self.hash = (told.get("hashes") or {}).get("sha256", self.name)
        self.is_wheel = self.name.endswith(".whl")
        self.pythons, self.abis, self.platforms = [], [], []
        if self.is_wheel:
            parts = self.name[:-4].split("-")
            self.version = parts[1]
            self.pythons, self.abis, self.platforms = (part.split(".") for part in parts[-3:])
        else:
            stem = re.sub(r"\.(tar\.gz|zip|tar\.bz2|tgz)$", "", self.name)
            self.version = re.sub(r"-(\d+)$", r".post\1", stem[len(package) + 1 :])

    def glibc(self, machine):
        """The glibc of the tag, "" for any platform; None: not for Linux with that machine."""
        if "any" in self.platforms:
            return ""
        found = []
        for platform in self.platforms:
            match = GLIBC.fullmatch(platform)
            if match and match[3] == machine:
                found.append(f"{match[1]}.{match[2]}")
            old = platform.removesuffix("_" + machine)
            if old != platform and old in OLD_GLIBC:
                found.append(OLD_GLIBC[old])
            if platform == "linux_" + machine:
                found.append("")
        return min(found, key=order) if found else None


class Release:
    def __init__(self, version):
        self.version = version
        self.files = []
        self.first = None  # the date, where this release stands for older ones too

    def wheels(self, machine=None):
        machines = [machine] if machine else MACHINES
        return [file for file in self.files if file.is_wheel and any(file.glibc(each) is not None for each in machines)]

    def yanked(self):
        """Whether all of it was withdrawn."""
        return all(file.yanked for file in self.files)

    def date(self):
        return self.first or min((file.date for file in self.files if file.date), default="")


class Index:
    def __init__(self, root=None, cache=None):
        self.root, self.cache = root, cache
        self.listings = {}

    def page(self, package):
        if self.root is None:
            self.root = configured()
        if place.is_address(self.root):
            return place.read(place.join(self.root, package + "/"), {"Accept": JSON})
        return place.read(os.path.join(self.root, package + ".json"))

    def everything(self, package):
        """{version: Release} of a package, ascending. A package is asked for once."""
        if package not in self.listings:
            try:
                self.listings[package] = self.listing(package)
            except place.Unreachable as problem:
                self.listings[package] = problem
        if isinstance(self.listings[package], place.Unreachable):
            raise self.listings[package]
        return self.listings[package]

    def releases(self, package):
        """The same, and files that were withdrawn are left out."""
        found = {}
        for version, release in self.everything(package).items():
            files = [file for file in release.files if not file.yanked]
            if files:
                found[version] = Release(version)
                found[version].files = files
        return found

    def listing(self, package):
        try:
            told = json.loads(self.page(package))
            files = [File(file, package) for file in told["files"]]
        except (ValueError, KeyError, IndexError) as error:
            raise place.Unreachable(package, f"not the JSON of an index: {error!r}") from None
        found = {}
        for file in files:
            found.setdefault(file.version, Release(file.version)).files.append(file)
        return dict(sorted(found.items(), key=lambda item: order(item[0])))

    def answers(self):
        """Whether any package could be read."""
        return any(not isinstance(listing, place.Unreachable) for listing in self.listings.values())

    def finals(self, package):
        return {version: release for version, release in self.releases(package).items() if FINAL.fullmatch(version)}

    def address(self, file):
        return place.join(self.root, file.url)

    def kept(self, name, read):
        """What was read once is kept: the files of a release never change."""
        kept = self.cache and os.path.join(self.cache, hashlib.sha256(name.encode()).hexdigest()[:32])
        if kept and os.path.exists(kept):
            with open(kept, encoding="utf-8") as stream:
                return stream.read()
        text = read()
        if kept:
            os.makedirs(self.cache, exist_ok=True)
            with open(kept + ".new", "w", encoding="utf-8") as stream:
                stream.write(text)
            os.replace(kept + ".new", kept)
        return text

    def metadata(self, file):
        """What METADATA requires, without the description."""
        return self.kept(file.hash, lambda: self.read_metadata(file).partition("\n\n")[0] + "\n")

    def description(self, file):
        """The description of a package, which METADATA ends with."""
        return self.kept(file.hash + " description", lambda: self.read_metadata(file).partition("\n\n")[2])

    def inside(self, file, pattern):
        """A file of a source archive; "" where there is none."""
        return self.kept(f"{file.hash} {pattern}", lambda: of_archive(place.read(self.address(file)), pattern))

    def read_metadata(self, file):
        """METADATA of a wheel: from the index, else from the wheel's own directory."""
        url = self.address(file)
        if not file.is_wheel:
            text = of_archive(place.read(url))
        elif file.metadata:
            text = place.read(url + ".metadata").decode("utf-8", "replace")
        else:
            text = Wheel(url).text(".dist-info/METADATA")
        if text is None:
            raise place.Unreachable(file.name, "no METADATA in it")
        return text.replace("\r\n", "\n")
