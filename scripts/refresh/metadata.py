# SPDX-License-Identifier: MIT
"""What METADATA of a wheel requires on Linux."""

import re

from refresh.index import order

TERM = re.compile(r"""\(|\)|\band\b|\bor\b|[\w.]+|'[^']*'|"[^"]*"|===|==|!=|<=|>=|~=|<|>""")
PYTHON = "3.12"  # where requirements differ by Python, those of this one are told
LINUX = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}
COMPARISONS = {
    "==": lambda one, other: one == other,
    "===": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "~=": lambda one, other: one >= other,
}


class Requirement:
    def __init__(self, name, extras, spec):
        self.name, self.extras, self.spec = name, extras, spec

    def text(self):
        return self.name + (f"[{self.extras}]" if self.extras else "") + self.spec


def compared(python, sign, wanted):
    """python_version "3.10" with a sign; of "3.7.1" the first two numbers count."""
    if sign in ("in", "not in"):
        return (python in wanted.replace(",", " ").split()) == (sign == "in")
    if wanted.endswith(".*"):
        return (python + ".").startswith(wanted[:-1]) == (sign == "==")
    return sign in COMPARISONS and COMPARISONS[sign](order(python), order(wanted))


def comparison(words, environment):
    """Whether one comparison holds."""
    left, sign, right = words
    if left in ("python_version", "python_full_version"):
        return compared(environment["python_version"], sign, right.strip("'\""))
    values = [environment.get(word, word.strip("'\"")) for word in (left, right)]
    if "extra" in (left, right):
        values = [value.replace("_", "-") for value in values]
    return sign in COMPARISONS and COMPARISONS[sign](*values)


def marker_holds(text, extras, python=PYTHON, machine="x86_64"):
    """Whether a marker holds on Linux with one of the extras, or with none."""
    words, shape = TERM.findall(text), []
    for extra in [*extras, ""]:
        environment = {**LINUX, "python_version": python, "platform_machine": machine, "extra": extra}
        shape, at = [], 0
        while at < len(words):
            if words[at] in ("(", ")", "and", "or"):
                shape.append(words[at])
                at += 1
            else:
                shape.append(str(comparison(words[at : at + 3], environment)))
                at += 3
        if holds(shape):
            return True
    return False


def holds(shape):
    """The value of True, False, and, or, ( and ): "and" before "or"."""
    text = " ".join(shape)
    while " " in text or "(" in text:
        before = text
        text = re.sub(r"\( (True|False) \)", r"\1", text)
        text = re.sub(r"(True|False) and (True|False)", lambda m: str(m[1] == m[2] == "True"), text, count=1)
        if text == before:
            text = re.sub(r"(?<!and )(True|False) or (True|False)(?! and)", or_value, text, count=1)
        if text == before:
            return True  # a marker of a form that is not known: the requirement is told
    return text == "True"


def or_value(match):
    return str("True" in match.groups())


def ordered(spec):
    """A specifier with its lower end first: "<4.0,>=3.10" is ">=3.10,<4.0"."""
    parts = [re.sub(r"\s", "", part) for part in spec.split(",") if part.strip()]
    rank = {"=": 0, "~": 0, ">": 1, "<": 2, "!": 3}
    return ",".join(sorted(parts, key=lambda part: (rank.get(part[0], 4), part)))


def plain(spec):
    """A specifier of >=, <, == alone: "~=13.0" is ">=13.0,<14", "==13.*" is ">=13,<14"."""
    parts = []
    for part in ordered(spec).split(","):
        match = re.fullmatch(r"(~=|==)(\d+(?:\.\d+)*)(\.\*)?", part)
        if not match or (match[1] == "==" and not match[3]):
            parts.append(part)
            continue
        numbers = match[2].split(".")
        fixed = numbers if match[3] else numbers[:-1]
        parts += [f">={match[2]}", "<" + ".".join([*fixed[:-1], str(int(fixed[-1]) + 1)])]
    return ",".join(part for part in parts if part)


def allows(spec, version):
    """Whether a plain specifier takes a version."""
    for part in filter(None, spec.split(",")):
        match = re.fullmatch(r"(>=|<=|==|!=|<|>)([^=].*)", part)
        if not match:
            continue  # of a form that is not known
        sign, wanted = match.groups()
        if wanted.endswith(".*"):
            same = (version + ".").startswith(wanted[:-1])
            if same != (sign == "=="):
                return False
        elif not COMPARISONS[sign](order(version)[1:3], order(wanted)[1:3]):
            return False
    return True


def requirements(text, extras=(), python=PYTHON, machine="x86_64"):
    """The requirements that hold on Linux: those of a plain install, and of the extras."""
    found = []
    for line in re.findall(r"^Requires-Dist:\s*(.+)$", text, re.M):
        body, _, marker = line.partition(";")
        match = re.fullmatch(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?\s*\(?([^()]*)\)?\s*", body)
        if match and (not marker.strip() or marker_holds(marker, extras, python, machine)):
            name = re.sub(r"[-_.]+", "-", match[1]).lower()
            wanted = Requirement(name, (match[2] or "").replace(" ", ""), ordered(match[3]))
            if all(wanted.text() != other.text() for other in found):
                found.append(wanted)
    return found
