# SPDX-License-Identifier: MIT
"""A second reading of the GPU code in files, without a look at what the files are.

    code_reading.py LISTING                        goes through all bytes of each file
    code_reading.py --cuobjdump PROGRAM LISTING    asks cuobjdump instead

LISTING is what code-list printed of some files. The second reading looks for the first eight bytes of a
fat binary at every offset that is a multiple of 4, whatever lies there, and takes the entries apart by
their sizes. It does not know where in the file nvcc puts code, so places are summed up: what is equal is
the number of entries of each kind, architecture, PTX version and compression, and of fat binaries.

cuobjdump knows .nv_fatbin alone, unless that is not there, and calls the cubins of sm_100f sm_100: held
against it are the entries that are neither relocatable nor embedded.
"""
import collections
import mmap
import re
import struct
import subprocess
import sys

FIRST = struct.pack("<IHH", 0xBA55ED50, 1, 16)
KINDS = {1: "PTX", 2: "SASS", 8: "LTO-IR"}
PREFIXES = {"PTX": "compute_", "SASS": "sm_", "LTO-IR": "lto_", "other": "other_"}


def entries_of(region):
    """(kind, name, PTX version, compression) of each entry of a fat binary, without its header."""
    at = 0
    while at < len(region):
        number, _version, header, size = struct.unpack_from("<HHIQ", region, at)
        minor, major, arch = struct.unpack_from("<HHI", region, at + 24)
        (flags,) = struct.unpack_from("<Q", region, at + 40)
        kind = KINDS.get(number, "other")
        suffix = "a" if flags >> 20 & 1 else "f" if flags >> 21 & 1 else ""
        version = f"{major}.{minor}" if kind == "PTX" else "0.0"
        packing = "zstd" if flags >> 15 & 1 else "lz4" if flags >> 13 & 1 else "none"
        yield kind, f"{PREFIXES[kind]}{arch}{suffix}", version, packing
        at += header + size
    if at != len(region):
        raise ValueError("its entries do not end where it ends")


def second_reading(path):
    found, regions, at = collections.Counter(), 0, 0
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        while (at := data.find(FIRST, at)) >= 0:
            (size,) = struct.unpack_from("<Q", data, at + 8)
            if at % 4 != 0 or size > len(data) - at - 16:
                at += 1
                continue
            found.update(entries_of(data[at + 16:at + 16 + size]))
            regions += 1
            at += 16 + size
    return found, regions


def asked(program, path):
    found = collections.Counter()
    for option, prefix in (("--list-elf", "sm_"), ("--list-ptx", "compute_")):
        said = subprocess.run([program, option, path], capture_output=True, text=True, check=False).stdout
        for number in re.findall(r"\.\d+\.sm_(\d+[af]?)\.(?:cubin|ptx)$", said, re.M):
            found[prefix + number] += 1
    return found


def listings(path):
    """(file, fat binaries, entries) as code-list printed them; an entry is its words and its count."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("  "):
                name, words = line.split(": ", 1)
                entries = []
                yield name, int(re.search(r"(\d+) fat binaries", words)[1]), entries
            else:
                *words, count, _size = line.split()
                entries.append((words, int(count)))


def differences(mine, other):
    for key in sorted(set(mine) | set(other)):
        if mine[key] != other[key]:
            yield f"{key}: {mine[key]} listed, {other[key]} in the second reading"


def compare(program, name, fat_binaries, entries):
    mine = collections.Counter()
    for words, count in entries:
        if program is None:
            mine[tuple(words[:4])] += count
        elif words[0] in ("SASS", "PTX") and len(words) == 4:
            mine[words[1].rstrip("f") if words[0] == "SASS" else words[1]] += count
    if program is not None:
        return list(differences(mine, asked(program, name))), sum(mine.values())
    other, regions = second_reading(name)
    found = list(differences(mine, other))
    if regions != fat_binaries:
        found.append(f"{fat_binaries} fat binaries listed, {regions} in the second reading")
    return found, sum(mine.values())


def main():
    program = sys.argv[2] if sys.argv[1] == "--cuobjdump" else None
    total, wrong = 0, 0
    for name, fat_binaries, entries in list(listings(sys.argv[-1])):
        found, count = compare(program, name, fat_binaries, entries)
        total += count
        wrong += len(found)
        for line in found:
            print(f"{name}: {line}")
    print(f"{total} entries, {wrong} differences")
    return 1 if wrong or not total else 0


sys.exit(main())
