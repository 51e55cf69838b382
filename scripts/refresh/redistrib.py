# SPDX-License-Identifier: MIT
"""NVIDIA's redistrib files: the pin of one, and the rows of its release."""

import hashlib
import os
import re

from refresh.rows import (
    ITSELF,
    Refusal,
    add_row,
    cell,
    dates_agree,
    in_order,
    is_version,
    numbers,
    read_json,
    say,
    twin_of,
    usage,
)

NAME_ALONE = "only the name of the file is known"
STATED = "other projects state the digest, but no copy of the file was available to check it"


def apply_set(manifests, subject, rows, row):
    for setting in manifests.options.set:
        match = re.fullmatch(r"([a-z_]+)\.([a-z0-9_]+)=(.+)", setting)
        if match is None:
            raise usage(f"--set {setting}: not SUBJECT.KEY=VALUE")
        if match.group(1) == subject.name:
            row[match.group(2)] = cell(subject, rows, match.group(2), match.group(3))

def entries_of(node):
    for value in node.values():
        if isinstance(value, dict):
            if "relative_path" in value:
                yield value
            yield from entries_of(value)


def content_digest(path, document):
    """As src/manifest/toolkit/pin.h and docs/reference/manifest.md define it."""
    lines = {}
    for entry in entries_of(document):
        words = [entry.get(key) for key in ("relative_path", "sha256", "size")]
        for word, pattern in zip(words, ("[!-~]+", "[0-9a-f]{64}", "[1-9][0-9]*")):
            if not isinstance(word, str) or not re.fullmatch(pattern, word):
                raise Refusal(f"{path}: an entry with relative_path, sha256, size = {words}")
        if lines.setdefault(words[0], words) != words:
            raise Refusal(f"{path}: {words[0]} is there with two digests or sizes")
    if not lines:
        raise Refusal(f"{path}: no archive in it: not a redistrib file")
    text = sorted(f"{' '.join(words)}\n".encode() for words in lines.values())
    return hashlib.sha256(b"".join(text)).hexdigest()


class Redistrib:
    def __init__(self, path, manifests):
        self.path = path
        raw, self.document = read_json(path)
        self.sha256, self.size = hashlib.sha256(raw).hexdigest(), len(raw)
        self.content = content_digest(path, self.document)
        self.components = {name: value for name, value in self.document.items() if isinstance(value, dict)}
        self.date = self.document.get("release_date")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", str(self.date)):
            raise Refusal(f"{path}: release_date is {self.date}, not a date")
        self.label = self.document.get("release_product") or ""
        self.product = self.find_product(manifests)
        self.version = self.find_version(manifests.options)
        platforms = {key for item in self.components.values() for key in item if isinstance(item[key], dict)}
        self.platforms = sorted(platforms)
        self.variants = self.find_variants(self.components.values(), self.platforms)

    def find_product(self, manifests):
        # cudnn-v8-9-cuda-12 is cudnn.
        stated = re.sub(r"-v[0-9].*", "", self.label)
        if manifests.options.product or stated:
            product = manifests.options.product or stated
            if stated not in ("", product):
                raise Refusal(f"{self.path}: --product {product}, but the file says {self.label}")
            return product
        folder = os.path.basename(os.path.dirname(os.path.abspath(self.path)))
        if any(row["product"] == folder for row in manifests.subject("pin").rows("rows")):
            return folder
        raise usage(f"{self.path}: the file does not say of which product it is: give --product")

    def find_version(self, options):
        match = re.fullmatch(r"redistrib_(.+)\.json", os.path.basename(self.path))
        named = {
            "--version": options.version,
            "its name": match.group(1) if match else None,
            "release_label": self.document.get("release_label"),
        }
        told = {source: version for source, version in named.items() if version}
        if not told:
            raise usage(f"{self.path}: neither the file nor its name says a version: give --version")
        if len(set(told.values())) > 1:
            raise Refusal(f"{self.path}: " + ", ".join(f"{key} says {told[key]}" for key in told))
        version = next(iter(told.values()))
        if not is_version(version):
            raise Refusal(f"{self.path}: {version} is not a version")
        return version

    def find_variants(self, components, platforms):
        """The CUDA versions of keys (cuda12, cuda13.1) and of file names (…_cuda12-archive…)."""
        found = set()
        for component in components:
            for platform in platforms:
                entry = component.get(platform)
                if not isinstance(entry, dict):
                    continue
                found |= {key[4:] for key, value in entry.items() if isinstance(value, dict) and key.startswith("cuda")}
                for archive in entries_of({"": entry}):
                    found |= set(re.findall(r"_cuda([0-9.]+)-archive", archive["relative_path"]))
        return sorted(found, key=numbers)


def pin_row(manifests, file, old):
    """The new row; old (None: there is none) gives what the file cannot tell."""
    options = manifests.options
    by_file = options.file_pin or options.sha256 is not None
    row = {"product": file.product, "version": file.version}
    if by_file or (old and old["pin"] == "file"):
        row.update(pin="file", sha256=file.sha256, size=file.size)
    else:
        row.update(pin="content", sha256=file.content)
    row["path"] = f"/compute/{file.product}/redist/redistrib_{file.version}.json"
    row.update(date=file.date, platforms=file.platforms)
    if file.variants:
        row["variants"] = file.variants
    pins = manifests.subject("pin")
    short = ".".join(file.version.split(".")[:3])
    listed = any(other["product"] == file.product and other["version"] == short for other in pins.rows("rows"))
    if old and "superseded" in old:
        row["superseded"] = old["superseded"]
    elif re.search(r"-cuda-\d+$", file.label) and short != file.version and listed:
        row["superseded"] = short  # the edition for one CUDA, beside that for all
    if old or options.sha256:
        # Two that agree: who stated the digest, and the file.
        agree = options.sha256 is not None or (old and old["pin"] == "file")
        row["confidence"] = options.confidence or ("high" if agree else "medium")
    notes = [note for note in (old or {}).get("notes", "").split("; ") if note and note != NAME_ALONE]
    if "; ".join(notes).startswith(STATED):
        notes = notes[len(STATED.split("; ")) :]
    if notes:
        row["notes"] = "; ".join(notes)
    if old:
        new = [pins.citation(text) for text in options.source or ["=".join(ITSELF)]]
        row["source"] = old["source"] + [key for key in new if key not in old["source"]]
    apply_set(manifests, pins, pins.rows("rows"), row)
    return row


def add_pin(manifests, file):
    options, pins = manifests.options, manifests.subject("pin")
    if (options.file_pin or options.sha256) and not options.source:
        raise usage("a pin of the file needs --source: who says that these are NVIDIA's bytes?")
    if options.sha256 and options.sha256 != file.sha256:
        raise Refusal(f"{file.path}: its sha256 is {file.sha256}, not {options.sha256}: not the same bytes")
    rows = pins.rows("rows")
    at = twin_of("pin/rows", rows, {"product": file.product, "version": file.version})
    if at is None:
        add_row(manifests, pins, "rows", pin_row(manifests, file, None))
        return
    old = rows[at]
    name = f"pin/{file.product}-{file.version}"
    have = {"file": file.sha256, "content": file.content, "none": None}[old["pin"]]
    if have and old["sha256"] != have:
        raise Refusal(f"{file.path}: {name} has the {old['pin']} digest {old['sha256']}, this file {have}")
    wants_file = bool(options.file_pin or options.sha256)
    if old["pin"] == "none" or "platforms" not in old or (wants_file and old["pin"] == "content"):
        pins.put_row("rows", at, in_order(pin_row(manifests, file, old), rows), new=False)
    else:
        say(f"{name} is there already ({old['pin']})")


def contradict(name, key, row, told):
    if row.get(key) and told and row[key] != told and not (key == "date" and dates_agree(row[key], told)):
        raise Refusal(f"{name} has {key} {row[key]}, the file {told}")


def cuda_name(rows, version):
    """Which update of its minor a release is, counted from the general release."""
    *minor, patch = numbers(version)
    for row in rows:
        *other, first = numbers(row["version"])
        if other == minor and row["stage"] == "ga" and patch > first:
            return {"release": f"{minor[0]}.{minor[1]} Update {patch - first}", "stage": "update"}
    return {}


def add_cuda(manifests, file):
    cuda = manifests.subject("cuda")
    rows = cuda.rows("rows")
    driver = file.components.get("nvidia_driver", {})
    linux = any(platform.startswith("linux-") for platform in driver)
    row = {"version": file.version, **cuda_name(rows, file.version), "date": file.date}
    if linux:
        row["driver_bundled"] = driver["version"]
    row["ships_driver"] = "yes" if linux else "no"
    for old in rows:
        if old["version"] == file.version:
            for key in ("date", "driver_bundled", "ships_driver"):
                contradict(f"cuda/{file.version}", key, old, row.get(key))
            say(f"cuda/{file.version} is there already")
            return
    apply_set(manifests, cuda, rows, row)
    if "release" not in row or "stage" not in row:
        raise usage(
            f"{file.path} does not tell what release {file.version} is, and no general release of its minor is"
            ' listed: give --set "cuda.release=X.Y GA" --set cuda.stage=ga, or what it is'
        )
    add_row(manifests, cuda, "rows", row)


def add_cudnn(manifests, file):
    cudnn = manifests.subject("cudnn")
    rows = cudnn.rows("rows")
    version = ".".join(file.version.split(".")[:3])
    main = file.components.get("cudnn", {})
    row = {"version": version, "date": file.date}
    if str(main.get("version", "")).startswith(version + "."):
        row["build"] = main["version"]
    for old in rows:
        if old["version"] == version:
            # A file with four numbers may be of another build.
            if file.version == version:
                contradict(f"cudnn/{version}", "build", old, row.get("build"))
                contradict(f"cudnn/{version}", "date", old, row["date"])
            say(f"cudnn/{version} is there already")
            return
    apply_set(manifests, cudnn, rows, row)
    linux = [platform for platform in file.platforms if platform.startswith("linux-")]
    variants = file.find_variants([main], linux)
    if not variants:
        raise Refusal(f"{file.path}: no archive of cudnn for a CUDA on Linux")
    add_row(manifests, cudnn, "rows", row)
    for variant in variants:
        pair = {"cudnn": version, "cuda": variant}
        pair.update({key: row[key] for key in ("source", "confidence") if key in row})
        add_row(manifests, cudnn, "pairs", pair)
