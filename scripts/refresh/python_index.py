# SPDX-License-Identifier: MIT
"""The source "python-index": rows of manifests/framework.json from the Python index.

A release that has a row is not read again. Of a row that a person entered only the cells that are
missing are filled in, and cells that the index contradicts are told."""

import datetime
import re

from refresh.code import inspected
from refresh.index import MACHINES, Index, order
from refresh.metadata import allows, ordered, plain, requirements
from refresh.packages import DECIDE, PACKAGES
from refresh.place import Unreachable
from refresh.rows import in_order, key_order
from refresh.wheel import Wheel

KEY = "python-index"
CUDA_PACKAGE = re.compile(r"(nvidia-(?!ml-py|modelopt|cutlass|cudnn-frontend|nvimgcodec|resiliency).+|cuda-toolkit|tensorrt(-.+)?)")
RUNTIME = re.compile(r"nvidia-cuda-runtime(-cu\d+)?|cuda-toolkit")
CUDNN = re.compile(r"nvidia-cudnn(-cu\d+)?")
NO_SPEC = ">=0"
DAYS = 10  # between the announcement of a release and its first file, or the other way round
SAME_PYTHON = re.compile(r"\((?:[^()]*)\)")


def is_ours(row):
    return all(source.startswith(KEY) for source in row["source"])


def minor(version):
    return ".".join(version.split(".")[:2])


# --- Cells -----------------------------------------------------------------------------------------


def python_of(release):
    """ "3.11-3.14" where each Python has its wheel; ">=3.11" where one is for several."""
    files = release.wheels() or release.files
    exact, lowest, asked = set(), set(), ""
    for file in files:
        asked = file.requires_python or asked
        for tag in file.pythons:
            match = re.fullmatch(r"cp3(\d+)", tag)
            if match and "abi3" in file.abis:
                lowest.add(int(match[1]))
            elif match and not any(abi.endswith("t") for abi in file.abis):
                exact.add(int(match[1]))
            elif not match and not tag.startswith("cp2"):
                lowest.add(0)
    if exact and not lowest:
        first, last = min(exact), max(exact)
        if exact == set(range(first, last + 1)):
            return f"3.{first}-3.{last}" if first != last else f"3.{first}"
        return ";".join(f"3.{number}" for number in sorted(exact))
    return ordered(re.sub(r"(\d+\.\d+)\.0\b", r"\1", asked)) or None


def days_apart(one, other):
    """Between two dates; 0 where one has no day or they have the same month."""
    if len(one) != len(other) or len(one) < 10:
        return 0 if one[:7] == other[:7] else DAYS + 1
    return abs((datetime.date.fromisoformat(one) - datetime.date.fromisoformat(other)).days)


def pythons_named(text):
    """The minor versions of Python 3 that a cell names, up to 3.20; None: of a form not known."""
    text = SAME_PYTHON.sub("", text).strip()
    found = set()
    if re.match(r"[<>=!]", text):
        spec = plain(text.replace(".x", ".99"))
        spec = ",".join(part for part in spec.split(",") if re.fullmatch(r"(>=|<=|<|>)[\d.]+", part))
        return {n for n in range(4, 21) if allows(spec, f"3.{n}")}
    for part in text.split(";"):
        match = re.fullmatch(r"(\d)\.(\d+)(?:-3\.(\d+))?", part.strip())
        if not match:
            return None
        if match[1] == "3":
            found |= set(range(int(match[2]), int(match[3] or match[2]) + 1))
    return found


def pythons_of(text):
    """The Pythons that a cell names, "2.7" and "3.4" to "3.15", oldest first; None: a form not known."""
    found = pythons_named(text)
    if found is None:
        return None
    two = re.match(r"2\.7\b", text.strip())
    return (["2.7"] if two else []) + [f"3.{minor}" for minor in sorted(found) if 4 <= minor <= 15]


def arch_of(release):
    """The machines of wheels that have libraries: one for any machine beside them has none."""
    files = [file for file in release.wheels() if "any" not in file.platforms]
    return [machine for machine in MACHINES if any(file.glibc(machine) is not None for file in files)]


def best_wheel(release):
    """The wheel that is read: for x86_64 if there is one, of the newest Python."""
    wheels = release.wheels("x86_64") or release.wheels()
    wheels = [file for file in wheels if not any(abi.endswith("t") for abi in file.abis)] or wheels
    return max(wheels, key=lambda file: (order(file.pythons[-1].replace("cp3", "3.")), file.name), default=None)


def pip_takes(wheels, machine):
    """Of wheels of one Python, pip takes that of the newest glibc: the other one may be without CUDA."""
    return max(wheels, key=lambda file: (order(file.glibc(machine) or "0"), -wheels.index(file)))


def span(spec, package):
    """The range of CUDA versions that a pin of the runtime allows."""
    low = re.search(r">=(\d+\.\d+)", spec)
    high = re.search(r"<(\d+)", spec)
    major = re.search(r"-cu(\d+)$", package)
    if not low:
        return None
    below = high[1] if high else str(int(major[1]) + 1) if major else None
    return f">={low[1]}" + (f",<{below}" if below else "")


def pin_cells(pins):
    """What pins of CUDA and cuDNN say of a build."""
    cells = {}
    for wanted in pins:
        spec = plain(wanted.spec)
        exact = re.fullmatch(r"==([\d.]+)", spec)
        if RUNTIME.fullmatch(wanted.name):
            if exact:
                cells["cuda"] = minor(exact[1])
            elif span(spec, wanted.name):
                cells["cuda_range"] = span(spec, wanted.name)
        elif CUDNN.fullmatch(wanted.name):
            if exact:
                cells["cudnn"] = exact[1]
            elif spec:
                cells["cudnn_range"] = spec
    return cells


# --- Rows -------------------------------------------------------------------------------------------


class Table:
    """A table of framework.json: rows of a framework by release, and where one goes."""

    def __init__(self, subject, name):
        self.subject, self.name = subject, name
        self.rows = subject.rows(name)
        self.keys = key_order(self.rows)

    def of(self, framework):
        return [row for row in self.rows if row["framework"] == framework]

    def add(self, row):
        row = {key: row[key] for key in self.keys if key in row}
        mine = (row["framework"], order(first_release(row)), row.get("variant", ""))
        at = sum(1 for other in self.rows if (other["framework"], order(first_release(other)), "") <= mine)
        self.subject.put_row(self.name, at, row)

    def change(self, old, new):
        at = next(index for index, row in enumerate(self.rows) if row is old)
        self.subject.put_row(self.name, at, in_order(new, self.rows), new=False)


def first_release(row):
    match = re.search(r"\d[\w.]*", row.get("release", "") or "0")
    return match[0].rstrip(".x") if match else "0"


def ends_of(release):
    first, _, last = release.partition("-")
    return first, last or first


def between(first, version, last):
    """Whether a release is from first to last; 2.21.1 is in 2.18-2.21, as a minor version is all of it."""
    whole = last.count(".") < 2 and version.startswith(last + ".")
    return order(first) <= order(version) and (order(version) <= order(last) or whole)


class Refresh:
    def __init__(self, context, index):
        self.context, self.index = context, index
        self.subject = context.manifests.subject("framework")
        self.builds, self.pins, self.riders = (Table(self.subject, name) for name in ("builds", "pins", "riders"))
        self.listed = {row["framework"] for row in self.subject.rows("frameworks")}
        self.codes = {}

    def source(self):
        return [
            self.subject.citation(
                f"{KEY}-{self.context.date}=the Python index (PyPI) on {self.context.date}, read by"
                " scripts/manifest-refresh: names, tags and dates of the files, METADATA and small members of a wheel"
            )
        ]

    def package(self, package):
        if package.framework not in self.listed:
            self.context.tell(f"{package.project}: frameworks has no {package.framework}")
            return
        releases = {
            version: release
            for version, release in self.index.finals(package.tags).items()
            if release.wheels() or not all(file.is_wheel for file in release.files)
        }
        if package.minors:
            releases = newest_of_minor(releases, package.minors == "padded")
        if package.kind == "riders":
            self.rider_releases(package, releases)
            return
        before = None
        for version, release in releases.items():
            row = self.row_of(package, version)
            is_followed = release.date() >= package.since and order(version) >= order(package.first)
            if package.pins and is_followed:
                self.release_pins(package, version, release, before)
            if row is not None:
                for step in (self.compare, self.read_stated, self.read_code):
                    step(package, self.row_of(package, version), version, release)
            elif is_followed:
                self.new_build(package, version, release)
            before = version
        for machine in MACHINES:
            self.glibcs(package, releases, machine)

    def glibcs(self, package, releases, machine):
        """A row where the glibc of the tags is another one from a release on."""
        table = Table(self.subject, "glibcs")
        rows = [row for row in table.of(package.framework) if row.get("architecture", "x86_64") == machine]
        if not rows or package.minors == "padded":
            return
        for version, release in releases.items():
            before = [row for row in rows if order(row["release"]) <= order(version)]
            told = [file.glibc(machine) for file in release.wheels(machine)]
            if not before or not told or not all(told):
                continue
            glibc = max(told, key=order)
            if before[-1]["glibc"] == glibc or not re.fullmatch(r"[\d.]+", version):
                continue
            if release.date() < package.since:
                continue
            if order(before[-1]["release"]) == order(version) and not is_ours(before[-1]):
                self.context.contradict(f"framework/{package.framework}-{version} has glibc {before[-1]['glibc']} for"
                                        f" {machine}, the index {glibc}")  # fmt: skip
                continue
            if self.context.listing_only:
                self.context.behind(f"framework/{package.framework}-{version}: glibc {glibc} for {machine}")
                continue
            row = {"framework": package.framework, "release": version, "glibc": glibc}
            if machine != "x86_64":
                row["architecture"] = machine
            row["source"], row["confidence"] = self.source(), "high"
            table.add(row)
            rows = sorted([*rows, row], key=lambda each: order(each["release"]))

    def row_of(self, package, version):
        """The row of a release, or else one that says that pip does not take it any more."""
        left = None
        for row in self.builds.of(package.framework):
            if row.get("release") != version or row.get("kind", "wheel") not in ("wheel", "source"):
                continue
            if package.variant and row.get("variant") == package.variant:
                return row
            if package.told in row.get("packages", ()):
                return row
            plain_install = row.get("index") is None or row.get("is_default") == "yes"
            if package.variant or not plain_install:
                continue
            if row.get("is_default") == "no":
                left = row if row.get("package") == package.told else left
            elif row.get("package", package.told) == package.told:
                return row
        return left

    def told(self, package, version, release):
        """The cells of a build that the index tells."""
        wheels = release.wheels()
        cells = {"kind": "wheel" if wheels else "source", "date": release.date(), "python": python_of(release)}
        if any("any" not in file.platforms for file in wheels):
            cells["arch"] = package.cells.get("arch") or arch_of(release)
        return {key: value for key, value in cells.items() if value}

    def new_build(self, package, version, release):
        if self.context.listing_only:
            self.context.behind(f"framework/{package.framework}-{version}")
            return
        row = {"framework": package.framework, "release": version, "uses_cuda": "yes", "package": package.told}
        row.update(self.told(package, version, release))
        row.update(package.cells)
        if package.variant:
            row["variant"] = package.variant
        wheel = best_wheel(release)
        if wheel is not None:
            self.read_wheel(package, row, wheel, release)
        row["source"], row["confidence"] = self.source(), "high"
        cells = self.stated(package, row, version, release)
        row.update(cells)
        row["source"] += self.stated_source() if cells else []
        self.documented(package, row)
        self.reports(row)
        self.builds.add(row)

    def documented(self, package, row):
        """What the documentation says of the release before is taken to hold, with less confidence."""
        older = [old for old in self.builds.of(row["framework"]) if old.get("variant") == row.get("variant")
                 and order(first_release(old)) < order(row["release"])]  # fmt: skip
        taken = {key: older[-1][key] for key in package.like_before if older and key in older[-1]}
        if taken:
            row.update(taken)
            row["source"], row["confidence"] = [*older[-1]["source"], *row["source"]], "medium"
            row["source"] = [source for at, source in enumerate(row["source"]) if source not in row["source"][:at]
                             and (not source.startswith(KEY) or source in self.source())]  # fmt: skip

    def reports(self, row):
        """What was reported of the code of an older release holds for a newer one with the same code."""
        for old in self.builds.of(row["framework"]):
            same = all(old.get(key) == row.get(key) for key in ("sass", "ptx"))
            if same and "ptx" in row and "ptx_fails" in old and order(first_release(old)) < order(row["release"]):
                row["ptx_fails"] = old["ptx_fails"]
                row["notes"] = f"ptx_fails is that of {old['release']}, which has the same code"

    def read_wheel(self, package, row, wheel, release):
        wanted = requirements(self.index.metadata(wheel), package.extras)
        cuda = [each for each in wanted if CUDA_PACKAGE.fullmatch(each.name)]
        row.update(pin_cells(cuda))
        major = re.fullmatch(r"cuda(\d+)", package.variant or "")
        if major and "<" not in row.get("cuda_range", "<"):
            row["cuda_range"] += f",<{int(major[1]) + 1}"
        if any(RUNTIME.fullmatch(each.name) for each in cuda):
            row["carries"] = "cuda"
        if package.readers:
            opened = Wheel(self.index.address(wheel))
            for reader in package.readers:
                row.update(reader(opened))
            self.read_aarch64(package, row, release)
        decide = [each for each in wanted if each.name in DECIDE and not (package.pins and each in cuda)]
        if not package.pins:
            decide += [each for each in cuda if each not in decide]
        if any(each.name == "torch" for each in decide):
            row.setdefault("carries", "cuda")  # pip brings PyTorch, and with it its CUDA
        if decide:
            row["requires"] = sorted(each.text() for each in decide)

    def read_aarch64(self, package, row, release):
        """Wheels for aarch64 may be without CUDA: then none of the readers finds any."""
        wheels = release.wheels("aarch64") if "aarch64" in row.get("arch", ()) else []
        if not wheels or package.tags != package.project:
            return
        opened, cells = Wheel(self.index.address(wheels[0])), {}
        for reader in package.readers:
            cells.update(reader(opened))
        if not cells:
            row["arch"] = [machine for machine in row["arch"] if machine != "aarch64"]
        elif "sass" in cells:
            row["sass_aarch64"] = cells["sass"]

    def read_code(self, package, row, version, release):
        """The GPU code of a row that has none yet: with --code alone, as whole libraries are read."""
        gpuenv = self.context.gpuenv_for_code
        if not package.code or not gpuenv or {"sass", "ptx"} & set(row) or release.date() < package.since:
            return
        projects, pattern, *since = package.code
        if since and release.date() < since[0]:
            return
        there, cells = self.code_release(package, row, version, release, projects), {}
        for machine, suffix in (("x86_64", ""), ("aarch64", "_aarch64")):
            wheels = there.wheels(machine) if there and machine in row.get("arch", MACHINES) else []
            if wheels:
                found = self.code_of(pip_takes(wheels, machine), pattern, gpuenv)
                wanted = ("sass", "ptx", "cuda") if not suffix else ("sass",)
                cells.update({key + suffix: found[key] for key in wanted if key in found})
        if not cells:
            return
        new = {**row, **{key: value for key, value in cells.items() if key not in row}}
        if "cuda" in new and "cudas" in new:
            del new["cudas"]
        new["source"] = [*row["source"], *(key for key in self.code_source() if key not in row["source"])]
        self.builds.change(row, new)

    def stated(self, package, row, version, release):
        """The cells that a release itself states, and that the row has not."""
        if not package.stated:
            return {}
        pattern, read = package.stated
        archive = next((file for file in release.files if not file.is_wheel), None)
        file, text = best_wheel(release) or archive, ""
        if pattern and archive:
            file, text = archive, self.index.inside(archive, pattern) + "\n"
        if pattern is not None and file:
            text += self.index.description(file)
        return {key: value for key, value in read(version, text).items() if key not in row}

    def stated_source(self):
        return [
            self.subject.citation(
                f"{KEY}-stated-{self.context.date}=what releases on the Python index (PyPI) state of GPUs and CUDA: their"
                f" number, the description in METADATA, setup.py of a source archive ({self.context.date})"
            )
        ]

    def read_stated(self, package, row, version, release):
        """Fills in what a release states, of rows that were written before it was read."""
        if self.context.listing_only or not is_ours(row) or {"sass", "ptx"} & set(row):
            return
        if release.date() < package.since:
            return
        cells = self.stated(package, row, version, release)
        if cells:
            self.builds.change(row, {**row, **cells, "source": [*row["source"], *self.stated_source()]})

    def code_release(self, package, row, version, release, projects):
        """The release whose wheels have the code: of the project itself, of one that has the same
        versions, or of the first of several that the row requires in one version."""
        if projects == package.tags:
            return release
        if isinstance(projects, str):
            found = self.index.finals(projects)
            return (newest_of_minor(found, package.minors == "padded") if package.minors else found).get(version)
        for project in projects:
            for wanted in row.get("requires", ()):
                match = re.fullmatch(re.escape(project) + r"==([\d.]+(?:\.post\d+)?)", wanted)
                if match:
                    return self.index.finals(project).get(match[1])
        return None

    def code_of(self, wheel, pattern, gpuenv):
        """What the libraries of a wheel have; several rows may have the same one."""
        key = (wheel.hash, pattern)
        if key not in self.codes:
            self.codes[key] = inspected(Wheel(self.index.address(wheel)), pattern, gpuenv)
        return self.codes[key]

    def code_source(self):
        return [
            self.subject.citation(
                f"{KEY}-code-{self.context.date}=the libraries in the wheels on PyPI, as gpuenv inspect reads them"
                f" ({self.context.date})"
            )
        ]

    # --- What is there ---------------------------------------------------------------------------

    def compare(self, package, row, version, release):
        told = self.told(package, version, release)
        # The Pythons that pip takes, by all that a build is tied to, are fewer than those of its tags.
        held = any(source.startswith("python-index-lines") for source in row["source"])
        for key in ("date",) if held else ("date", "python"):
            if key in row and key in told and not is_ours(row) and not self.same(key, row, told):
                self.context.contradict(
                    f"framework/{package.framework}-{version} has {key} {row[key]}, the index {told[key]}"
                )
        missing = {key: told[key] for key in ("date", "python") if key in told and key not in row}
        if row.get("kind") != "wheel" or told["kind"] != "wheel":
            missing.pop("python", None)
        if not missing:
            return
        if self.context.listing_only:
            self.context.behind(f"framework/{package.framework}-{version}: {', '.join(missing)}")
            return
        source = [*row["source"], *(key for key in self.source() if key not in row["source"])]
        if len(source) <= 10:
            self.builds.change(row, {**row, **missing, "source": source})

    @staticmethod
    def same(key, row, told):
        if key == "date":
            return days_apart(row[key], told[key]) <= DAYS
        mine, theirs = pythons_named(row[key]), pythons_named(told[key])
        if mine is None or theirs is None:
            return True
        # The first one must be right. ">=3.12" of documentation has no upper end, and of "3.8-3.11
        # (3.12 exp)" the last one is there, or is not.
        is_open = "(" in row[key] or any(re.match(r"\s*>=\s*[\d.]+\s*$", text) for text in (row[key], told[key]))
        return min(mine, default=0) == min(theirs, default=0) if is_open else mine == theirs

    # --- Pins ------------------------------------------------------------------------------------

    def release_pins(self, package, version, release, before):
        """The pins of a release of which none is a row yet."""
        for row in self.pins.of(package.framework):
            first, last = ends_of(row["release"])
            if is_ours(row) and row.get("variant") == package.variant and between(first, version, last):
                return
        wheel = best_wheel(release)
        if wheel is None:
            return
        if self.context.listing_only:
            self.context.behind(f"framework/{package.framework}-{version}: pins")
            return
        for each in requirements(self.index.metadata(wheel), package.extras):
            if CUDA_PACKAGE.fullmatch(each.name):
                self.add_pin(package, version, before, each)

    def add_pin(self, package, version, before, each):
        row = {"framework": package.framework, "release": version, "at": "install", "package": each.name}
        if package.variant:
            row["variant"] = package.variant
        row["spec"] = plain(each.spec) or NO_SPEC
        if not row["spec"].startswith((">=", "==")):
            return
        if not each.spec:
            row["notes"] = "METADATA names the package without a version"
        if not self.person_says(row, version):
            row["source"], row["confidence"] = self.source(), "high"
            self.extend(self.pins, row, before, ("variant", "at", "package", "spec"))

    def person_says(self, row, version):
        """Whether a person entered this pin; what the index says instead is told."""
        for other in self.pins.of(row["framework"]):
            first, last = ends_of(other["release"])
            same = all(other.get(key) == row.get(key) for key in ("variant", "at", "package"))
            if is_ours(other) or not same or not between(first, version, last):
                continue
            if other["spec"] != row["spec"]:
                self.context.contradict(
                    f"framework/{row['framework']}-{version}: {row['package']} is {other['spec']} in"
                    f" {other['release']}, the index has {row['spec']}"
                )
            return True
        return False

    def extend(self, table, row, before, same):
        """Makes the range of a row one release longer, or adds a row."""
        for other in table.of(row["framework"]):
            if any(other.get(key) != row.get(key) for key in same):
                continue
            first, last = ends_of(other["release"])
            if between(first, row["release"], last):
                return
            if last == before and is_ours(other):
                table.change(other, {**other, "release": f"{first}-{row['release']}", "source": row["source"]})
                return
        table.add(row)

    def newest(self, frameworks):
        """What pip takes today, for each pin of these that allows several versions."""
        for row in [row for row in self.pins.rows if row["framework"] in frameworks]:
            if row["at"] != "install" or not row["spec"].startswith(">=") or not is_ours(row):
                continue
            try:
                found = [version for version in self.index.finals(row["package"]) if allows(row["spec"], version)]
            except Unreachable as problem:
                self.context.tell(problem)
                continue
            if found and row.get("newest") != found[-1]:
                if self.context.listing_only:
                    self.context.behind(f"framework/{row['framework']}: {row['package']} {found[-1]}")
                else:
                    self.pins.change(row, {**row, "newest": found[-1], "source": self.source()})

    # --- Riders ----------------------------------------------------------------------------------

    def rider_releases(self, package, releases):
        before = None
        for version, release in releases.items():
            spans = [ends_of(row["release"]) for row in self.riders.of(package.framework)]
            ours = any(between(first, version, last) for first, last in spans)
            if not ours and release.date() >= package.since:
                self.new_rider(package, version, release, before)
            before = version

    def new_rider(self, package, version, release, before):
        if self.context.listing_only:
            self.context.behind(f"framework/{package.framework}-{version}")
            return
        framework = next(row for row in self.subject.rows("frameworks") if row["framework"] == package.framework)
        wheel = best_wheel(release)
        wanted = requirements(self.index.metadata(wheel), package.extras) if wheel else []
        for backend in framework["backends"]:
            name = {"pytorch": "torch"}.get(backend, backend)
            found = [each for each in wanted if each.name == name]
            row = {"framework": package.framework, "release": version, "backend": backend, "use": "run"}
            row["spec"] = (found[0].spec if found else "") or NO_SPEC
            low = re.search(r"(?:>=|==|~=|>)([\d.]+)", row["spec"])
            if low and found and found[0].spec:
                row["version"] = low[1].rstrip(".")
            python = python_of(release)
            if python:
                row["python"] = python
            if not found:
                row["notes"] = ("METADATA does not name it" if wheel else
                                "the index has only its source archive, which was not opened")  # fmt: skip
            row["source"], row["confidence"] = self.source(), "high" if wheel else "medium"
            self.extend(self.riders, row, before, ("backend", "use", "spec", "python", "notes"))


def newest_of_minor(releases, padded):
    """{minor: its newest release}, with the first one's date: "PACKAGE==1.31.*" installs it."""
    found = {}
    for version, release in releases.items():
        year, _, month = minor(version).partition(".")
        name = f"{year}.{month:0>2}" if padded else minor(version)
        first = found.get(name, release).date()
        found[name] = release
        release.first = first
    return found


def refresh(context):
    """One package that cannot be read leaves the others."""
    index = context.index = getattr(context, "index", None) or Index(context.places.get(KEY), context.cache)
    work = Refresh(context, index)
    done = set()
    for package in PACKAGES:
        if context.wants(package.project):
            try:
                work.package(package)
            except Unreachable as problem:
                context.unreachable(KEY, problem)
                if not index.answers():
                    return  # the index itself does not answer
            done.add(package.framework)
    work.newest(done)
