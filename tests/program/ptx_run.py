#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Carries out a small PTX text for single threads: ptx_run.py KERNEL EXPECTED.

EXPECTED has lines "INDEX INPUT RESULT". Only the instructions of gpuenv's own kernel are known (PTX ISA 3.0),
each by its own words of the manual; any other one ends it."""

import re
import struct
import sys

M32, M64 = 2**32 - 1, 2**64 - 1
IN, OUT, COUNT = 0x10000000, 0x20000000, 65536


def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def parse(text):
    body = text[text.index("{") + 1:text.rindex("}")]
    code, labels = [], {}
    for statement in re.findall(r"[A-Za-z_]\w*:|[^;:]+;", body):
        statement = statement.strip().rstrip(";").strip()
        if statement.endswith(":"):
            labels[statement[:-1]] = len(code)
        elif not statement.startswith(".reg"):
            code.append(statement)
    return code, labels


def run(code, labels, index, number):
    registers = {"%ctaid.x": index // 256, "%ntid.x": 256, "%tid.x": index % 256}
    parameters = {"p_in": IN, "p_out": OUT, "p_count": COUNT}
    memory = {IN + 4 * index: number}

    def value(word):
        if word.startswith("0f"):
            return int(word[2:], 16)
        return registers[word] if word.startswith("%") else int(word, 0)

    at = 0
    for _ in range(10000):
        words = code[at]
        at += 1
        if words.startswith("@"):
            predicate, words = words[1:].split(None, 1)
            if not registers[predicate]:
                continue
        name, _, rest = words.partition(" ")
        a = [word.strip() for word in rest.split(",")] if rest else []
        if name == "ret":
            return memory.get(OUT + 4 * index)
        if name == "bra":
            at = labels[a[0]]
        elif name in ("ld.param.u64", "ld.param.u32"):
            registers[a[0]] = parameters[a[1].strip("[]")]
        elif name == "cvta.to.global.u64" or name == "mov.u32":
            registers[a[0]] = value(a[1])
        elif name == "mad.lo.u32":
            registers[a[0]] = (value(a[1]) * value(a[2]) + value(a[3])) & M32
        elif name == "mul.wide.u32":
            registers[a[0]] = value(a[1]) * value(a[2]) & M64
        elif name == "add.u64":
            registers[a[0]] = (value(a[1]) + value(a[2])) & M64
        elif name == "add.u32":
            registers[a[0]] = (value(a[1]) + value(a[2])) & M32
        elif name == "setp.ge.u32":
            registers[a[0]] = value(a[1]) >= value(a[2])
        elif name == "setp.lt.u32":
            registers[a[0]] = value(a[1]) < value(a[2])
        elif name == "and.b32":
            registers[a[0]] = value(a[1]) & value(a[2])
        elif name == "xor.b32":
            registers[a[0]] = value(a[1]) ^ value(a[2])
        elif name == "ld.global.u32":
            registers[a[0]] = memory[value(a[1].strip("[]"))]
        elif name == "st.global.u32":
            memory[value(a[0].strip("[]"))] = value(a[1])
        elif name == "cvt.rn.f32.u32":
            registers[a[0]] = bits(float(value(a[1])))
        elif name == "fma.rn.f32":
            registers[a[0]] = bits(f32(value(a[1])) * f32(value(a[2])) + f32(value(a[3])))
        elif name == "cvt.rzi.u32.f32":
            registers[a[0]] = int(f32(value(a[1]))) & M32
        else:
            sys.exit(f"no such instruction here: {words}")
    sys.exit("it does not end")


def main():
    code, labels = parse(open(sys.argv[1]).read())
    wrong = seen = 0
    for line in open(sys.argv[2]):
        index, number, expected = map(int, line.split())
        found = run(code, labels, index, number)
        seen += 1
        wrong += found != expected
        if found != expected and wrong == 1:
            print(f"number {index}: {found}, not {expected}")
    print(f"{seen} numbers, {wrong} wrong")
    sys.exit(wrong > 0 or seen == 0)


main()
