#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""elf_compare.py [--most N] ELF-LIST PLACE…: holds all that elf/ reads in the ELF files below PLACE (a directory, a
file, or a wheel, which is unpacked meanwhile) against what readelf prints. Prints each difference and the sums;
exits 1 when there is a difference. --most: every so many files that about N are left."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import zipfile

BATCH = 200
SHOWN = 40

SECTION_TYPES = {
    "NULL": 0, "PROGBITS": 1, "SYMTAB": 2, "STRTAB": 3, "RELA": 4, "HASH": 5, "DYNAMIC": 6, "NOTE": 7, "NOBITS": 8,
    "REL": 9, "SHLIB": 10, "DYNSYM": 11, "INIT_ARRAY": 14, "FINI_ARRAY": 15, "PREINIT_ARRAY": 16, "GROUP": 17,
    "SYMTAB SECTION INDICES": 18, "SYMTAB SECTION INDICIES": 18, "RELR": 19, "GNU_ATTRIBUTES": 0x6ffffff5,
    "GNU_HASH": 0x6ffffff6, "GNU_LIBLIST": 0x6ffffff7, "VERDEF": 0x6ffffffd, "VERNEED": 0x6ffffffe,
    "VERSYM": 0x6fffffff, "X86_64_UNWIND": 0x70000001, "AARCH64_ATTRIBUTES": 0x70000003,
    "ARM_EXIDX": 0x70000001, "ARM_ATTRIBUTES": 0x70000003}
SEGMENT_TYPES = {
    "NULL": 0, "LOAD": 1, "DYNAMIC": 2, "INTERP": 3, "NOTE": 4, "SHLIB": 5, "PHDR": 6, "TLS": 7,
    "GNU_EH_FRAME": 0x6474e550, "GNU_STACK": 0x6474e551, "GNU_RELRO": 0x6474e552, "GNU_PROPERTY": 0x6474e553,
    "GNU_SFRAME": 0x6474e554, "EXIDX": 0x70000001}
RANGES = {"LOOS": 0x60000000, "LOPROC": 0x70000000, "LOUSER": 0x80000000}
FILE_TYPES = {"NONE": 0, "REL": 1, "EXEC": 2, "DYN": 3, "CORE": 4}
MACHINES = {
    "None": 0, "Intel 80386": 3, "PowerPC": 20, "PowerPC64": 21, "IBM S/390": 22, "ARM": 40,
    "Advanced Micro Devices X86-64": 62, "AArch64": 183, "NVIDIA CUDA architecture": 190, "AMD GPU": 224,
    "RISC-V": 243, "Linux BPF": 247, "LoongArch": 258, "MIPS R3000": 8}


def number_of(name, names):
    """The number of a type, as readelf calls it; None: it says no number."""
    name = name.strip()
    if name in names:
        return names[name]
    found = re.search(r"(LOOS|LOPROC|LOUSER)\+(?:0x)?([0-9a-f]+)", name)
    if found:
        return RANGES[found[1]] + int(found[2], 16)
    found = re.search(r"<unknown>: ?(?:0x)?([0-9a-f]+)|^([0-9a-f]{8}): <unknown>|unknown: ?(?:0x)?([0-9a-f]+)", name)
    return int(next(part for part in found.groups() if part), 16) if found else None


def version(name):
    return tuple(int(part) for part in name.split("."))


class Theirs:
    """What readelf prints of one file, in the words of elf-list."""

    def __init__(self, path):
        words = ["readelf", "-W", "-h", "-l", "-t", "-d", "-n", "-V", "-p", ".modinfo", "--", path]
        done = subprocess.run(words, capture_output=True, env={**os.environ, "LC_ALL": "C"})
        self.text = done.stdout.decode("utf-8", "surrogateescape")
        self.complaints = done.stderr.decode("utf-8", "replace")
        self.lines = self.text.split("\n")
        self.found = collections.defaultdict(list)
        self.header()
        self.sections()
        self.segments()
        self.dynamic()
        self.notes()
        self.versions()
        self.modinfo()

    def header(self):
        head = {}
        for line in self.lines[:21]:
            key, _, value = line.strip().partition(":")
            head.setdefault(key, value.strip()) if key != "Version" else head.setdefault(
                "Version 2" if "Version" in head else key, value.strip())
        ident = [int(byte, 16) for byte in head["Magic"].split()]

        def number(key):
            return int(head[key].split()[0].rstrip(","), 0)

        def counted(key):  # "0 (70000)" where the first section has the number
            words = head[key].replace("(", "").replace(")", "").split()
            return int(words[-1])

        machine = re.sub(r"<unknown>: 0x", "", head["Machine"])
        self.found["header"].append(dict(
            bits={1: 32, 2: 64}[ident[4]], order=ident[5], ident_version=ident[6], abi=ident[7], abi_version=ident[8],
            type=FILE_TYPES[head["Type"].split()[0]],
            machine=MACHINES.get(machine, int(machine, 16) if re.fullmatch("[0-9a-f]+", machine) else machine),
            version=number("Version 2"), flags=number("Flags"), segments_at=number("Start of program headers"),
            sections_at=number("Start of section headers"), header_size=number("Size of this header"),
            segment_size=number("Size of program headers"), section_size=number("Size of section headers"),
            segments=counted("Number of program headers"), sections=counted("Number of section headers"),
            names=counted("Section header string table index")))

    def sections(self):
        if not any(line == "Section Headers:" for line in self.lines):
            return
        at = self.lines.index("Section Headers:") + 4
        while at + 2 < len(self.lines) and (head := re.match(r"  \[ *\d+\] ?(.*)", self.lines[at])):
            # The type may have spaces; address, offset, size, entry size, link, info and alignment follow it.
            kind = re.match(r"       (.*?) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) ", self.lines[at + 1])
            flags = re.match(r" *\[([0-9a-f]+)\]", self.lines[at + 2])
            self.found["section"].append((dict(type=number_of(kind[1], SECTION_TYPES), flags=int(flags[1], 16),
                                               offset=int(kind[3], 16), size=int(kind[4], 16)), head[1]))
            at += 3
            while self.lines[at].startswith("       "):  # of a compressed section: what it is unpacked
                at += 1

    def segments(self):
        if "Program Headers:" not in self.lines:
            return
        for line in self.lines[self.lines.index("Program Headers:") + 2:]:
            found = re.match(r"  (\S.*?) +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+) 0x[0-9a-f]+ "
                             r"[ RWE]{3} (0x)?([0-9a-f]+)$", line)
            if found:
                self.found["segment"].append(dict(
                    type=number_of(found[1], SEGMENT_TYPES), offset=int(found[2], 16), address=int(found[3], 16),
                    size=int(found[4], 16), align=int(found[6], 16)))
            elif not line.startswith("      ["):  # [Requesting program interpreter: …]
                return

    def dynamic(self):
        strings = {"NEEDED": ("needed", "Shared library"), "SONAME": ("soname", "Library soname"),
                   "RPATH": ("rpath", "Library rpath"), "RUNPATH": ("runpath", "Library runpath")}
        for line in self.lines:
            found = re.match(r" 0x([0-9a-f]+) \(([^)]*)\) *(.*)$", line)
            if not found:
                continue
            value = found[3]
            self.found["entry"].append((int(found[1], 16), int(value, 16) if re.fullmatch("0x[0-9a-f]+", value) else
                                        int(value.split()[0]) if value.endswith(" (bytes)") else None))
            if found[2] in strings:
                key, label = strings[found[2]]
                text = re.fullmatch(label + r": \[(.*)\]", value)
                self.found[key].append(text[1] if text else value)

    def notes(self):
        """The first build id of the note segments: readelf goes through the sections, where there are any, and Go's
        linker leaves one in a section alone."""
        segments = [part for part in self.found["segment"] if part["type"] == SEGMENT_TYPES["NOTE"]]
        sections = {name: part for part, name in self.found["section"]}
        within = False
        for line in self.lines:
            if line.startswith("Displaying notes found in: "):
                part = sections[line.partition(": ")[2]]
                within = any(segment["offset"] <= part["offset"] and part["offset"] + part["size"] <=
                             segment["offset"] + segment["size"] for segment in segments)
            elif line.startswith("Displaying notes found at "):
                within = True
            found = re.search(r"    Build ID: ([0-9a-f]+)", line)
            if found and within:
                self.found["build_id"] = [found[1]]
                return

    def versions(self):
        key = None
        seen = collections.defaultdict(list)
        for line in self.lines:
            if line.startswith("Version "):
                key = {"Version needs": "glibc_needed", "Version defin": "glibc_defined"}.get(line[:13])
            found = re.search(r" Name: GLIBC_(\d+(?:\.\d+)*)(?: |$)", line)
            if key and found:
                seen[key].append(found[1])
        for key, names in seen.items():
            self.found[key] = [max(names, key=version)]

    def modinfo(self):
        head = "String dump of section '.modinfo':"
        if head not in self.lines:
            return
        for line in self.lines[self.lines.index(head) + 1:]:
            found = re.match(r"  \[ *[0-9a-f]+\]  (.*)$", line)
            if found:
                self.found["modinfo"].append(found[1])
            elif line.startswith("       "):  # behind a line end within a string
                self.found["modinfo"][-1] += "\n" + line
            else:
                break
        self.found["modinfo"] = [tidy(field.replace("\\n", "\n")) for field in self.found["modinfo"]]


def tidy(field):
    """A string of several lines, of which readelf shows no white space at their ends, and tabs within as ^I."""
    lines = (line.strip() for line in field.split("\n"))
    return "\n".join(line.replace("\t", "^I") for line in lines if line)


def numbers(words):
    return {key: int(value, 16) for key, value in (word.split("=") for word in words)}


def unsafe(text):
    """The text of which text_append_safe() made this."""
    return re.sub(r"\\x([0-9a-f]{2})|\\\\", lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)


def ours_of(lines):
    found = collections.defaultdict(list)
    for line in lines:
        key, _, rest = line.partition(" ")
        if key == "section":
            *words, name = rest.split(" ", 4)
            found[key].append((numbers(words), name))
        elif key == "entry":
            entry = numbers(rest.split())
            found[key].append((entry["tag"], entry["value"]))
        elif key in ("header", "segment"):
            found[key].append(numbers(rest.split()))
        else:
            found[key].append(rest)
    return found


def compare(ours, theirs):
    """The differences, a sentence each."""
    if "refused" in ours:
        return [f"refused: {ours['refused'][0]}"]
    wrong = []
    for key in ("header", "segment", "section", "needed", "soname", "rpath", "runpath", "build_id", "glibc_needed",
                "glibc_defined", "modinfo"):
        mine, other = ours[key], theirs.found[key]
        if key == "modinfo":
            mine = [tidy(unsafe(field)) for field in mine]
        if mine != other:
            first = next((i for i, pair in enumerate(zip(mine, other)) if pair[0] != pair[1]), min(len(mine), len(other)))
            wrong.append(f"{key} {first} of {len(mine)}: {mine[first:first + 1]}, readelf {other[first:first + 1]}"
                         f" of {len(other)}")
    mine, other = ours["entry"], theirs.found["entry"]
    if [tag for tag, _ in mine] != [tag for tag, _ in other]:
        wrong.append(f"entries: {len(mine)}, readelf {len(other)}")
    for (tag, value), (_, said) in zip(mine, other):
        if said is not None and said != value:
            wrong.append(f"entry {tag:#x}: {value:#x}, readelf {said:#x}")
    return wrong


def listings(elf_list, paths):
    """What elf-list prints of each."""
    for start in range(0, len(paths), BATCH):
        done = subprocess.run([elf_list], input="\n".join(paths[start:start + BATCH]) + "\n", capture_output=True,
                              encoding="utf-8", errors="surrogateescape", check=True)
        found = {}
        for line in done.stdout.split("\n"):
            if line.startswith("file "):
                lines = found.setdefault(line[5:], [])
            elif line:
                lines.append(line)
        for path in paths[start:start + BATCH]:
            yield path, found[path]


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def elf_files(place):
    if os.path.isfile(place):
        return [place] if is_elf(place) else []
    found = []
    for directory, _, names in os.walk(place):
        paths = (os.path.join(directory, name) for name in sorted(names))
        found += [path for path in paths if not os.path.islink(path) and "\n" not in path and os.path.isfile(path) and
                  is_elf(path)]
    return found


class Sums:
    def __init__(self):
        self.files = self.differences = self.read = 0
        self.things = collections.Counter()

    def take(self, elf_list, paths):
        for path, lines in listings(elf_list, paths):
            ours, theirs = ours_of(lines), Theirs(path)
            self.files += 1
            self.things.update({key: len(values) for key, values in ours.items()})
            for sentence in compare(ours, theirs):
                self.differences += 1
                if self.differences <= SHOWN:
                    print(f"{path}: {sentence}")
                    if theirs.complaints:
                        print(f"  readelf: {theirs.complaints.splitlines()[0]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("elf_list")
    parser.add_argument("places", nargs="+")
    options = parser.parse_args()
    elf_list, most = options.elf_list, options.most
    sums = Sums()
    for place in options.places:
        before = sums.files
        if place.endswith(".whl"):
            with tempfile.TemporaryDirectory() as directory:
                with zipfile.ZipFile(place) as wheel:
                    wheel.extractall(directory)
                sums.take(elf_list, elf_files(directory))
        else:
            paths = elf_files(os.path.realpath(place))
            step = max(1, len(paths) // most) if most else 1
            sums.take(elf_list, paths[::step])
        print(f"{place}: {sums.files - before} files", flush=True)
    print(", ".join(f"{count} {key}" for key, count in sorted(sums.things.items())))
    print(f"{sums.files} files compared, {sums.differences} differences")
    sys.exit(1 if sums.differences or sums.files == 0 else 0)


if __name__ == "__main__":
    main()
