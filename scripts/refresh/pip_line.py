# SPDX-License-Identifier: MIT
"""What pip does with a line, as far as the index says it: names, tags, Pythons, extras and pins.

A requirement with one version is followed into that release's own requirements; of others it is
asked whether any release suits. Whether they all go together only a resolver says."""

import re
import shlex

from refresh import place
from refresh.index import order
from refresh.metadata import allows, ordered, plain, requirements

PYTHONS = ("2.7", *(f"3.{minor}" for minor in range(4, 16)))
REQUIREMENT = re.compile(r"(\w[\w.-]*)(?:\[([\w.,_-]+)\])?((?:[<>=!~]=?[\w.*+!]+,?)*)$")
PATCH = ".18"  # of any Python: one late in its life


def named(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def takes_python(file, python):
    return allows(plain(ordered(file.requires_python)), python + PATCH)


def builds_on(releases, release, python):
    """Whether pip builds it there without a compiler: a source archive, and no wheel with libraries,
    of this release or, where any would do, of the others."""
    pure = all("any" in file.platforms for each in releases for file in each.files if file.is_wheel)
    return pure and any(not file.is_wheel and takes_python(file, python) for file in release.files)


def runs_on(file, python, machine):
    """Whether the tags of a wheel are for the Python and the machine, and it is not shut out."""
    if file.glibc(machine) is None or not takes_python(file, python):
        return False
    have = tuple(int(part) for part in python.split("."))
    for tag in file.pythons:
        match = re.fullmatch(r"(cp|py)(\d)(\d*)", tag)
        if not match:
            continue
        wanted = (int(match[2]), int(match[3] or 0))
        if match[1] == "py" and wanted[0] == have[0] and wanted <= have:
            return True
        if match[1] == "cp" and wanted == have and not all(abi.endswith("t") for abi in file.abis):
            return True
        if match[1] == "cp" and wanted <= have and wanted[0] == have[0] and "abi3" in file.abis:
            return True
    return False


class Line:
    """ "pip install A==1 "B<2"": its requirements, and what else it says."""

    def __init__(self, command):
        words = shlex.split(command)
        self.is_pip = words[:2] == ["pip", "install"]
        self.wanted, self.index, self.find_links, self.problem = [], None, None, None
        self.builds = False  # a source archive is what is meant
        rest = iter(words[2:])
        for word in rest:
            if word == "--index-url":
                self.index = next(rest, "")
            elif word in ("-f", "--find-links"):
                self.find_links = next(rest, "")
            elif word == "--no-build-isolation":
                self.builds = True
            elif word == "-C":
                self.builds = bool(next(rest, ""))
            elif match := REQUIREMENT.fullmatch(word):
                self.wanted.append((named(match[1]), match[2] or "", match[3].rstrip(",")))
            else:
                self.problem = f"not a requirement: {word}"
        for address in (self.index, self.find_links):
            if address is not None and not re.fullmatch(r"https://[\w./-]+", address):
                self.problem = f"not an address: {address}"
        if not self.wanted:
            self.problem = self.problem or "nothing is installed"


class Holder:
    """Holds requirements against an index; what was found out is kept."""

    def __init__(self, index):
        self.index = index
        self.known, self.fit = {}, {}

    def releases(self, name):
        """{version: Release}, those that were withdrawn too: pip takes one that is named in full."""
        try:
            return self.index.everything(name)
        except place.Unreachable as problem:
            if "HTTP 404" in str(problem):
                return {}
            raise

    def fitting(self, name, spec):
        """The releases that a specifier takes, newest first; those before a final one at the end."""
        if (name, spec) not in self.fit:
            self.fit[name, spec] = self.find(name, spec)
        return self.fit[name, spec]

    def find(self, name, spec):
        wanted, found = plain(ordered(spec)), []
        exact = re.fullmatch(r"={2,3}([^*,]+)", wanted)
        for version, release in self.releases(name).items():
            if exact:
                if order(version) == order(exact[1]):
                    found.append(release)
            elif allows(wanted, version) and not release.yanked():
                found.append(release)
        is_final = lambda release: re.fullmatch(r"\d+(\.\d+)*(\.post\d+)?", release.version) is not None
        return sorted(found, key=lambda release: (is_final(release), order(release.version)), reverse=True)

    def why_not(self, name, extras, spec, python, machine, is_first=False):
        """Why pip refuses a requirement with that Python; None: nothing speaks against it. "1.0+cuda11"
        is on a page of its makers, as no index takes such a version."""
        if "+" in spec:
            return None
        key = (name, extras, spec, python, machine, is_first)
        if key not in self.known:
            self.known[key] = None  # of a circle: nothing new
            self.known[key] = self.found_against(name, extras, spec, python, machine, is_first)
        return self.known[key]

    def found_against(self, name, extras, spec, python, machine, is_first):
        words = f"{name}{spec}"
        releases = self.fitting(name, spec)
        if not releases:
            return f"{words}: not on the index"
        is_one = re.fullmatch(r"={2,3}[^*,]+", plain(ordered(spec))) is not None
        for release in releases:
            wheel = next((file for file in release.files if file.is_wheel and runs_on(file, python, machine)), None)
            if wheel:
                return self.against_file(wheel, name, extras, python, machine) if is_one else None
            if not is_first and builds_on(releases, release, python):
                archive = next(file for file in release.files if not file.is_wheel)
                return self.against_file(archive, name, extras, python, machine) if is_one else None
        return f"{words}: no wheel for Python {python} on {machine}"

    def against_file(self, file, name, extras, python, machine):
        """By what a release itself asks for."""
        text = self.index.metadata(file)
        there = {named(each) for each in re.findall(r"^Provides-Extra:\s*(\S+)", text, re.M)}
        asked = [named(extra) for extra in extras.split(",") if extra]
        for extra in asked:
            if extra not in there and file.is_wheel:
                return f"{name}: no extra {extra}"
        for wanted in requirements(text, asked, python, machine):
            why = self.why_not(wanted.name, wanted.extras, wanted.spec, python, machine)
            if why:
                return f"{name}: {why}"
        return None

    def line(self, line, python, machine):
        """Why pip refuses the line with that Python; None: nothing speaks against it."""
        if line.problem:
            return line.problem
        needs_wheel = not line.find_links and not line.builds
        for at, (name, extras, spec) in enumerate(line.wanted):
            why = self.why_not(name, extras, spec, python, machine, is_first=at == 0 and needs_wheel)
            if why:
                return why
        return None
