# SPDX-License-Identifier: MIT
"""A wheel, of which only the directory and the wanted members are read."""

import struct
import zlib

from refresh.place import Bytes, Unreachable

END_SIZE, END64_SIZE, ENTRY_SIZE, LOCAL_SIZE = 22, 56, 46, 30
TAIL = 64 << 10
STEP = 1 << 20
MEMBER_MAX = 4 << 20
DEFLATED = 8


class Member:
    def __init__(self, name, method, packed, size, at):
        self.name, self.method, self.packed, self.size, self.at = name, method, packed, size, at


class Wheel:
    def __init__(self, place):
        self.bytes = Bytes(place)
        self.members = {member.name: member for member in self.directory()}

    def directory(self):
        tail = self.bytes.tail(TAIL)
        end = tail.rfind(b"PK\5\6")
        if end < 0 or len(tail) - end < END_SIZE:
            raise Unreachable(self.bytes.place, "not a zip archive")
        size, first = struct.unpack_from("<II", tail, end + 12)
        end64 = tail.rfind(b"PK\6\6", 0, end)
        if 0xFFFFFFFF in (size, first) and end64 >= 0:
            size, first = struct.unpack_from("<QQ", tail, end64 + 40)
        start = self.bytes.size - len(tail)
        raw = tail[first - start : first - start + size] if first >= start else self.bytes.part(first, size)
        at = 0
        while raw[at : at + 4] == b"PK\1\2":
            method, packed, whole = struct.unpack_from("<H8xII", raw, at + 10)
            name_size, extra, comment = struct.unpack_from("<HHH", raw, at + 28)
            (local,) = struct.unpack_from("<I", raw, at + 42)
            name = raw[at + ENTRY_SIZE : at + ENTRY_SIZE + name_size].decode("utf-8", "replace")
            more = raw[at + ENTRY_SIZE + name_size : at + ENTRY_SIZE + name_size + extra]
            whole, packed, local = self.long_sizes(more, whole, packed, local)
            yield Member(name, method, packed, whole, local)
            at += ENTRY_SIZE + name_size + extra + comment

    @staticmethod
    def long_sizes(extra, *values):
        """The numbers that did not fit into four bytes are in the extra field 1, in this order."""
        values = list(values)
        at = 0
        while at + 4 <= len(extra):
            kind, size = struct.unpack_from("<HH", extra, at)
            if kind == 1:
                inside = at + 4
                for index, value in enumerate(values):
                    if value == 0xFFFFFFFF and inside + 8 <= at + 4 + size:
                        (values[index],) = struct.unpack_from("<Q", extra, inside)
                        inside += 8
            at += 4 + size
        return values

    def stream(self, member, step=STEP):
        """The member's bytes in pieces."""
        head = self.bytes.part(member.at, LOCAL_SIZE)
        name_size, extra = struct.unpack_from("<HH", head, 26)
        first = member.at + LOCAL_SIZE + name_size + extra
        unpack = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == DEFLATED else None
        for at in range(0, member.packed, step):
            piece = self.bytes.part(first + at, min(step, member.packed - at))
            yield unpack.decompress(piece) if unpack else piece

    def text(self, end):
        """The one member whose name ends so, as text; None: there is none, or it is too large. One
        that a package has of another inside is deeper in its folders."""
        named = [name for name in self.members if name.endswith(end)]
        least = min((name.count("/") for name in named), default=0)
        found = [self.members[name] for name in named if name.count("/") == least]
        if len(found) != 1 or found[0].size > MEMBER_MAX:
            return None
        return b"".join(self.stream(found[0])).decode("utf-8", "replace")
