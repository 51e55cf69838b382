#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes an ELF file of 64 bits in place, or reads it.

    elf.py rpath FILE VALUE      DT_RPATH and DT_RUNPATH become VALUE, which may not be longer
    elf.py machine FILE NUMBER   e_machine
"""
import struct
import sys

SONAME, RPATH, RUNPATH, STRTAB = 14, 15, 29, 5


def segments(data):
    start, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        yield kind, offset, address, length


def dynamic(data):
    """The tags of the dynamic section with their values, and where its strings are in the file."""
    parts = list(segments(data))
    tags = []
    for kind, offset, _, length in parts:
        if kind == 2:
            for at in range(offset, offset + length, 16):
                tag, value = struct.unpack_from("<qQ", data, at)
                if tag == 0:
                    break
                tags.append((tag, value))
    table = next(value for tag, value in tags if tag == STRTAB)
    for kind, offset, address, length in parts:
        if kind == 1 and address <= table < address + length:
            return tags, table - address + offset
    raise ValueError("no strings")


def text_at(data, at):
    return bytes(data[at:data.index(b"\0", at)])


def paths(file_name):
    """DT_RPATH and DT_RUNPATH as they are written, or an empty text."""
    with open(file_name, "rb") as file:
        data = file.read()
    tags, strings = dynamic(data)
    found = {tag: text_at(data, strings + value).decode() for tag, value in tags if tag in (RPATH, RUNPATH)}
    return found.get(RPATH, ""), found.get(RUNPATH, "")


def set_paths(file_name, value):
    with open(file_name, "r+b") as file:
        data = file.read()
        tags, strings = dynamic(data)
        for tag, offset in tags:
            if tag not in (RPATH, RUNPATH):
                continue
            old = text_at(data, strings + offset)
            if len(value) > len(old):
                raise ValueError(f"{file_name}: {old.decode()} is shorter than {value}")
            file.seek(strings + offset)
            file.write(value.encode() + b"\0")


def set_machine(file_name, number):
    with open(file_name, "r+b") as file:
        file.seek(18)
        file.write(struct.pack("<H", number))


if __name__ == "__main__":
    if sys.argv[1] == "rpath":
        set_paths(sys.argv[2], sys.argv[3])
    else:
        set_machine(sys.argv[2], int(sys.argv[3]))
