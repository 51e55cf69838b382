# SPDX-License-Identifier: MIT
"""The files of manifests/, changed line by line: what scripts/manifest-add and
scripts/manifest-refresh share."""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENDS = ("source", "confidence", "notes")  # the last keys of every row
CITATION_MAX = 400
ITSELF = ("redistrib-itself", "the redistrib_X.Y.Z.json itself, as given to scripts/manifest-add")
# The keys that rows are ordered by, where that cannot be seen from the rows.
ORDER = {
    "pin/rows": ["product", "version"],
    "legacy/archives": ["version", "cuda", "platform", "file"],
    "legacy/runfiles": ["version", "platform", "kind", "file"],
}
GROUPED = {"gpu/rows": "architecture"}  # no order but this: equal ones stand together


class Refusal(Exception):
    def __init__(self, message, status=65):
        super().__init__(message)
        self.status = status


def usage(message):
    return Refusal(message, 64)


def no_twins(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f'the key "{key}" is there twice')
    return dict(pairs)


def read_json(path):
    """The bytes of a file, and what they say."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}", 66) from None
    try:
        document = json.loads(raw.decode("utf-8"), object_pairs_hook=no_twins)
    except ValueError as error:
        raise Refusal(f"{path}: not JSON: {error}") from None
    except RecursionError:
        raise Refusal(f"{path}: nested too deep") from None
    if not isinstance(document, dict):
        raise Refusal(f"{path}: not an object")
    return raw, document


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def is_version(text):
    return re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9}){0,5}", text) is not None


def dates_agree(one, other):
    return not one or not other or one.startswith(other) or other.startswith(one)

def say(message):
    """What a terminal would not show is escaped: it may be from a file."""
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in str(message))
    print(f"{os.path.basename(sys.argv[0])}: {shown}", file=sys.stderr)


# --- The files of manifests/ ---------------------------------------------------------------------


class Subject:
    """One file, changed line by line: what is not touched keeps every byte."""

    def __init__(self, folder, name):
        self.name = name
        self.path = os.path.join(folder, name + ".json")
        raw, self.document = read_json(self.path)
        self.lines = raw.decode("utf-8").split("\n")
        self.before = list(self.lines)

    def block(self, name, brackets):
        """The lines inside "name": [ … ], first and one after the last."""
        try:
            first = self.lines.index(f'  "{name}": {brackets[0]}') + 1
        except ValueError:
            raise Refusal(f'{self.path}: no line "{name}": {brackets[0]}') from None
        last = first
        while self.lines[last] not in (f"  {brackets[1]}", f"  {brackets[1]},"):
            last += 1
        if last - first != len(self.document[name]):
            raise Refusal(f"{self.path}: {name}: not one to a line")
        return first, last

    def put(self, name, brackets, at, text, new):
        first, last = self.block(name, brackets)
        line = "    " + text
        if new:
            self.lines.insert(first + at, line)
            last += 1
        else:
            self.lines[first + at] = line
        for index in range(first, last):
            self.lines[index] = self.lines[index].rstrip(",") + ("," if index < last - 1 else "")

    def put_row(self, table, at, row, new=True):
        self.put(table, "[]", at, json.dumps(row, ensure_ascii=False), new)
        if new:
            self.document[table].insert(at, row)
        else:
            self.document[table][at] = row

    def rows(self, table):
        rows = self.document.get(table)
        if not isinstance(rows, list):
            tables = [key for key, value in self.document.items() if isinstance(value, list)]
            raise usage(f"{self.name} has no table {table}; it has: {' '.join(tables)}")
        return rows

    def citation(self, given):
        """The key of a citation: one that is there, KEY=TEXT, or a text."""
        sources = self.document["sources"]
        if given in sources:
            return given
        match = re.fullmatch(r"([a-z0-9][a-z0-9.+-]*)=(.+)", given)
        key, text = match.groups() if match else (None, given)
        if key is None and " " not in given:
            raise usage(f"{self.path}: sources has no {given}; a new citation is KEY=TEXT")
        for known in sources:
            if sources[known] == text and key in (None, known):
                return known
        if key in sources:
            raise Refusal(f'{self.path}: sources.{key} is "{sources[key]}", not "{text}"')
        if not 0 < len(text.encode()) <= CITATION_MAX:
            raise usage(f"a citation of {len(text.encode())} bytes; 1 to {CITATION_MAX} are allowed")
        if key is None:
            key = re.sub(r"[^a-z0-9.]+", "-", text.lower())[:40].strip("-.")
            while key in sources:
                key += "-2"
        self.put("sources", "{}", len(sources), f"{json.dumps(key)}: {json.dumps(text, ensure_ascii=False)}", True)
        sources[key] = text
        return key

    def changes(self):
        """The lines that went and those that came, without the commas between rows."""
        old = [line.strip().rstrip(",") for line in self.before]
        new = [line.strip().rstrip(",") for line in self.lines]
        return ["- " + line for line in old if line not in new] + ["+ " + line for line in new if line not in old]


class Manifests:
    def __init__(self, options):
        self.folder = options.manifests
        self.options = options
        self.subjects = {}

    def subject(self, name):
        if name not in self.subjects:
            if not os.path.isfile(os.path.join(self.folder, name + ".json")):
                raise usage(f"no subject {name} in {self.folder}")
            self.subjects[name] = Subject(self.folder, name)
        return self.subjects[name]

    def changed(self):
        return [subject for subject in self.subjects.values() if subject.lines != subject.before]

    def bump(self):
        about = self.subject("manifest")
        version, date = about.document["version"], about.document["date"]
        today = self.options.date or max(date, datetime.date.today().isoformat())
        if today < date:
            raise Refusal(f"--date {today}: the manifest is of {date} already")
        for index, line in enumerate(about.lines):
            line = line.replace(f'"version": {version}', f'"version": {version + 1}')
            about.lines[index] = line.replace(f'"date": "{date}"', f'"date": "{today}"')

    def joined(self, changed):
        """The document that the build makes of all subjects (cmake/manifest.cmake)."""
        parts = []
        for file in sorted(os.listdir(self.folder)):
            name, end = os.path.splitext(file)
            if end != ".json":
                continue
            if changed and name in self.subjects:
                text = "\n".join(self.subjects[name].lines)
            else:
                with open(os.path.join(self.folder, file), encoding="utf-8") as stream:
                    text = stream.read()
            parts.append(f'"{name}": {text.strip()}')
        return "{\n" + ",\n".join(parts) + "\n}\n"

    def write(self):
        """All files are written before one is replaced."""
        changed = sorted(self.changed(), key=lambda subject: subject.name == "manifest")
        try:
            for subject in changed:
                with open(subject.path + ".new", "w", encoding="utf-8") as file:
                    file.write("\n".join(subject.lines))
            for subject in changed:
                os.replace(subject.path + ".new", subject.path)
        except OSError as error:
            raise Refusal(f"{subject.path}: {error.strerror}", 73) from None
        finally:
            for subject in changed:
                if os.path.exists(subject.path + ".new"):
                    os.unlink(subject.path + ".new")


# --- Rows ----------------------------------------------------------------------------------------


def key_order(rows):
    """The keys of a table in their order: one before another where a row has them so."""
    later = {}  # what comes after each key
    for row in rows:
        keys = [key for key in row if key not in ENDS]
        for key in keys:
            later.setdefault(key, set())
        for key, after in zip(keys, keys[1:]):
            later[key].add(after)
    order = []
    while later:
        # Where rows disagree there is no first one: any will do.
        first = next((key for key in later if not any(key in after for after in later.values())), next(iter(later)))
        order.append(first)
        del later[first]
    return order + list(ENDS)


def in_order(row, rows):
    order = key_order(rows)
    unknown = [key for key in row if key not in order]
    order[len(order) - len(ENDS) : len(order) - len(ENDS)] = unknown
    return {key: row[key] for key in order if key in row}


def rank(value):
    if value is None:
        return (0, ())
    if isinstance(value, (int, float)):
        return (1, (value,))
    if is_version(str(value)):
        return (1, numbers(value))
    return (2, str(value))


def ranks(row, keys):
    return [rank(row.get(key)) for key in keys]


def order_keys(name, rows):
    """The keys that rows are ordered by, as few as tell them apart; and whether they do."""
    best = []
    counts = range(1, 5)
    for keys in [ORDER[name]] if name in ORDER else [key_order(rows)[:count] for count in counts]:
        sorted_by = [ranks(row, keys) for row in rows]
        if any(one > other for one, other in zip(sorted_by, sorted_by[1:])):
            break
        best = keys
        if all(one < other for one, other in zip(sorted_by, sorted_by[1:])):
            return best, True
    return best, False


def place_of(name, rows, row):
    """Where the row goes: after those that it is not below, else at the end."""
    if name in GROUPED:
        same = [index for index, other in enumerate(rows) if other.get(GROUPED[name]) == row.get(GROUPED[name])]
        return same[-1] + 1 if same else len(rows)
    keys, _ = order_keys(name, rows)
    mine = ranks(row, keys)
    return sum(1 for other in rows if not keys or ranks(other, keys) <= mine)


def twin_of(name, rows, row):
    """The number of the row that is about the same thing, or None. Where no few keys tell rows
    apart it is the one that says the same; the check finds the others."""
    keys, apart = order_keys(name, rows)
    if name in GROUPED:
        keys = key_order(rows)[:1]
    elif not apart:
        keys = [key for key in row if key not in ENDS]
    for index, other in enumerate(rows):
        if all(other.get(key) == row.get(key) for key in keys):
            return index
    return None

def cell(subject, rows, key, text):
    """A value of the type that the column has."""
    if key == "source":
        return [subject.citation(item) for item in text.split(",")]
    known = next((row[key] for row in rows if key in row), "")
    if isinstance(known, list):
        return text.split(",")
    if isinstance(known, (int, float)):
        try:
            return json.loads(text)
        except ValueError:
            raise usage(f"{key}={text}: not a number") from None
    return text


def add_row(manifests, subject, table, row):
    rows = subject.rows(table)
    given = manifests.options.source
    if "source" not in row:
        row["source"] = [subject.citation(text) for text in given or ["=".join(ITSELF)]]
    row.setdefault("confidence", manifests.options.confidence or "medium")
    row = in_order(row, rows)
    subject.put_row(table, place_of(f"{subject.name}/{table}", rows, row), row)


# --- The check ------------------------------------------------------------------------------------


def find_gpuenv(options):
    built = [os.path.join(TOP, "build", preset, "gpuenv") for preset in ("dev", "release")]
    built = sorted(filter(os.path.exists, built), key=os.path.getmtime)
    return options.gpuenv or os.environ.get("GPUENV") or (built[-1] if built else None)


def run_check(gpuenv, text):
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run(
                [gpuenv, "manifest", "check", file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
        except OSError as error:
            raise Refusal(f"{gpuenv}: {error.strerror}", 66) from None
    # The problems come first, then what to do about a file that is gone by then.
    problems = done.stdout.decode("utf-8", "replace").split("\n\n")[0]
    return done.returncode, problems.replace(file.name, "joined").rstrip()


def check(manifests):
    gpuenv = find_gpuenv(manifests.options)
    if manifests.options.no_check or gpuenv is None:
        return "not checked" + ("" if gpuenv else ": no gpuenv is built here; scripts/test builds one and checks")
    status, output = run_check(gpuenv, manifests.joined(changed=True))
    if status == 0:
        return f"checked by {gpuenv}"
    if run_check(gpuenv, manifests.joined(changed=False))[0] != 0:
        raise Refusal(f"{gpuenv} refuses the manifest as it was before, too: rebuild it, or --no-check\n{output}")
    raise Refusal(f"{gpuenv} refuses the manifest with what is added:\n{output}")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise usage(f"{message}; --help says more")
