# SPDX-License-Identifier: MIT
"""The source "pip-lines": which Pythons pip takes a build for today, by its wheels and by those of the
releases that it is tied to; and builds that the index has no longer.

What a person entered is told, and not changed, where pip takes fewer Pythons than it names."""

import re

from refresh import place
from refresh.index import Index
from refresh.pip_line import PYTHONS, Holder, Line
from refresh.python_index import Table, is_ours, pythons_of

INDEX = "python-index"
KEY = "python-index-lines"
PATTERNS = {"wheel": "pip", "source": "pip_source"}  # the key of the framework that has the line
ABOUT = "read by scripts/manifest-refresh: names and tags of the files, METADATA of a release and of those that it is tied to"


def spans(pythons):
    """ "2.7;3.5-3.7" for these, oldest first."""
    parts = []
    for python in pythons:
        major, at = python.split(".")
        if parts and parts[-1][0] == major and int(at) == parts[-1][2] + 1:
            parts[-1][2] = int(at)
        else:
            parts.append([major, int(at), int(at)])
    return ";".join(f"{major}.{low}" + (f"-{major}.{high}" if high > low else "") for major, low, high in parts)


def as_written(cell, pythons):
    """What a cell should say: itself where it means these already."""
    named = pythons_of(cell) if cell else None
    if cell and named is None:
        return cell
    if named is not None and [python for python in named if python in PYTHONS] == pythons:
        return cell
    return spans(pythons)


def packages_of(row):
    """What the installer may be told of a row."""
    if row.get("package"):
        return [row["package"]]
    return [each for each in row.get("packages", ()) if re.fullmatch(r"[\w.-]+cuda\d+x?", each)]


def version_of(row, framework):
    version = row["release"] + ("." + row["suffix"] if row.get("suffix") else "")
    return version + (".*" if "VERSION.*" in framework["pip"] else "")


class PipLines:
    def __init__(self, context, index):
        self.context = context
        self.subject = context.manifests.subject("framework")
        self.table = Table(self.subject, "builds")
        self.frameworks = {row["framework"]: row for row in self.subject.rows("frameworks")}
        self.holder = Holder(index)

    def is_ours_to_hold(self, row):
        """What this index has, wheel or source archive, with a line, or that would have one."""
        framework = self.frameworks.get(row["framework"], {})
        return (
            row.get("kind") in PATTERNS
            and framework.get(PATTERNS[row["kind"]])
            and row.get("os", "linux") == "linux"
            and not row.get("stage")
            and not row.get("index")
            and row.get("is_default") != "no"
            and re.fullmatch(r"\d+(\.\d+)*([abcr]+\d+)?(\.post\d+)?", row.get("release", ""))
            and packages_of(row)
        )

    def taken(self, row, package, machine):
        """The Pythons for which pip takes it."""
        words = [f"{package}=={version_of(row, self.frameworks[row['framework']])}", *row.get("with", ())]
        line = Line("pip install " + " ".join(f'"{word}"' for word in words))
        line.builds = row["kind"] == "source"
        return [python for python in PYTHONS if self.holder.line(line, python, machine) is None]

    @staticmethod
    def pythons(row, found):
        """Writes those of each machine: the first one's, and of aarch64 where it has fewer."""
        first = next(iter(found))
        row["python"] = as_written(row.get("python"), found[first])
        row.pop("python_aarch64", None)
        if found.get("aarch64", found[first]) != found[first]:
            row["python_aarch64"] = spans(found["aarch64"])

    def row(self, row):
        machines = row.get("arch") or ["x86_64"]
        found = {package: {machine: self.taken(row, package, machine) for machine in machines}
                 for package in packages_of(row)}  # fmt: skip
        most = max(sum(map(len, each.values())) for each in found.values())
        there = [package for package in found if most and sum(map(len, found[package].values())) == most]
        able = [machine for machine in machines if any(found[package][machine] for package in there)]
        new = dict(row)
        if not there:
            new["is_default"] = "no"
        else:
            self.pythons(new, {machine: [python for python in PYTHONS if any(python in found[package][machine]
                                                                             for package in there)] for machine in able})  # fmt: skip
            if not row.get("package"):
                new["packages"] = [each for each in row["packages"] if each in there or each not in found]
            if "arch" in row:
                new["arch"] = able
        if new != row:
            self.say(row, new)

    def say(self, row, new):
        name = f"framework/{row['framework']}-{row['release']}" + (f"+{row['variant']}" if row.get("variant") else "")
        changed = [key for key in ("is_default", "python", "python_aarch64", "packages", "arch") if new.get(key) != row.get(key)]
        what = "; ".join(f"{key} {row.get(key)}, by what pip takes {new.get(key)}" for key in changed)
        if not is_ours(row) and not self.context.options.over:
            self.context.contradict(f"{name}: {what}")
        elif self.context.listing_only:
            self.context.behind(f"{name}: {what}")
        else:
            source = [*row["source"], self.subject.citation(
                f"{KEY}-{self.context.date}=the Python index (PyPI) on {self.context.date}, {ABOUT}")]  # fmt: skip
            new["source"] = list(dict.fromkeys(source))
            self.table.change(row, new)


def refresh(context):
    """One build that cannot be read leaves the others."""
    index = context.index = getattr(context, "index", None) or Index(context.places.get(INDEX), context.cache)
    work = PipLines(context, index)
    for row in list(work.table.rows):
        if work.is_ours_to_hold(row) and context.wants(packages_of(row)[0].partition("[")[0]):
            try:
                work.row(row)
            except place.Unreachable as problem:
                context.unreachable("pip-lines", problem)
                if not index.answers():
                    return
