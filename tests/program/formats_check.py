# SPDX-License-Identifier: MIT
"""What reads the formats of `gpuenv doctor`, as their specifications and sources have it
(docs/reference/output-formats.md): each function says what is wrong with a text."""
import re
import sys
import xml.etree.ElementTree as tree


def lines_of(text):
    if not text.endswith("\n") or "\r" in text:
        raise ValueError("not whole lines")
    return text[:-1].split("\n")


def nagios(text):
    if len(text.encode()) > 4096:
        raise ValueError("more than 4096 bytes")
    first, *rest = lines_of(text)
    words, bar, data = first.partition(" | ")
    if not re.match(r"GPUENV (OK|WARNING|CRITICAL|UNKNOWN) - .", words) or "|" in words:
        raise ValueError("first line: " + first)
    if bar and not re.fullmatch(r"([a-z]+=\d+;;;0 ?)+", data):
        raise ValueError("performance data: " + data)
    if any("|" in line for line in rest):
        raise ValueError("more performance data")
    if re.search(r"<[A-Za-z/!?]", text):
        raise ValueError("a tag")


def npd(text):
    if len(lines_of(text)) != 1 or len(text.strip()) > 80 or not text.isascii():
        raise ValueError("not one line of 80 bytes")


def nfd(text):
    """source/local/local.go, and the labels of Kubernetes."""
    seen = set()
    if len(text) > 65536:
        raise ValueError("file size")
    for line in lines_of(text):
        if line.startswith("#"):
            if line.startswith("# +"):
                raise ValueError("a directive: " + line)
            continue
        key, equals, value = line.partition("=")
        space, _, name = key.partition("/")
        if space != "feature.node.kubernetes.io" or not equals or key in seen:
            raise ValueError("label: " + line)
        for part in name, value:
            if len(part) > 63 or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", part):
                raise ValueError("label: " + line)
        seen.add(key)


def prometheus(text):
    """The text format 0.0.4, as far as gpuenv uses it: gauges."""
    family, families, seen = None, set(), set()
    label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
    for line in lines_of(text):
        if line.startswith("# TYPE "):
            family = line.split()[2]
            if not line.endswith(" gauge") or family in families:
                raise ValueError("family: " + line)
            families.add(family)
        elif not line.startswith("# HELP "):
            if not re.fullmatch(rf"{family}(\{{{label}(,{label})*\}})? \d+", line):
                raise ValueError("sample: " + line)
            sample = line.rpartition(" ")[0]
            if sample in seen:
                raise ValueError("twice: " + line)
            seen.add(sample)


def junit(text):
    """Names, attributes and counts of junit-10.xsd."""
    attributes = {"testsuites": "name tests failures errors", "testsuite": "name tests failures errors skipped",
                  "properties": "", "property": "name value", "testcase": "classname name time",
                  "failure": "type message", "error": "type message", "skipped": "message", "system-out": ""}
    root = tree.fromstring(text)
    for element in root.iter():
        if sorted(element.attrib) != sorted(attributes[element.tag].split()):
            raise ValueError(f"<{element.tag} {' '.join(element.attrib)}>")
    suite = root.find("testsuite")
    for name, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"),
                       ("skipped", "testcase/skipped")):
        if int(suite.get(name)) != len(suite.findall(path)):
            raise ValueError("count of " + name)
    if any(not re.fullmatch(r"\d+\.\d{3}", case.get("time")) for case in suite.findall("testcase")):
        raise ValueError("time")


def command_of(line):
    """ActionCommand.TryParseV2 of the runner: (command, properties, data); None: it is text."""
    def unescape(data, marks):
        for mark in marks:
            data = data.replace(f"%{ord(mark):02X}", mark)
        return data
    line = line.lstrip()
    if not line.startswith("::") or "::" not in line[2:]:
        return None
    head, _, data = line[2:].partition("::")
    name, _, properties = head.partition(" ")
    pairs = [pair.split("=", 1) for pair in properties.strip().split(",") if pair]
    return name, {pair[0]: unescape(pair[1], "\r\n:,%") for pair in pairs if len(pair) == 2}, unescape(data, "\r\n%")


def github(text):
    counts = {"error": 0, "warning": 0, "notice": 0}
    *commands, last = lines_of(text)
    if not re.fullmatch(r"gpuenv doctor: [a-z]+: [a-z0-9, ]+", last):
        raise ValueError("last line: " + last)
    for line in commands:
        command = command_of(line)
        if command is None or command[0] not in counts or list(command[1]) != ["title"] or len(command[2]) > 4096:
            raise ValueError("command: " + line)
        counts[command[0]] += 1
    if max(counts.values()) > 10:
        raise ValueError("more than 10 annotations of a kind")


def markdown(text):
    """No mark of a name: what is left are the heading, the table and the fences of gpuenv."""
    fence = None
    for line in lines_of(text):
        if fence:
            fence = None if line == fence else fence
            continue
        ticks = re.match(r"(`{3,})sh$", line)
        if ticks:
            fence = ticks[1]
            continue
        line = line.replace("<!-- -->", " ")
        plain = re.sub(r"\\[\\`*_\[\]|~$!]|&#\d+;|^### |^\*\*(fail|warn|info) [A-Z]+\\?-\d+\*\*", "", line)
        plain = re.sub(r"^- (\*\*(fail|warn|info) [A-Z]+\\?-\d+\*\*)?|^\*\*(Fix|Or)\*\*", "", plain)
        if line.startswith("| "):
            if len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) != 3:
                raise ValueError("cells: " + line)
            plain = plain.replace("| ", "").rstrip("|")
        elif line == "|---|---|":
            continue
        if re.search(r"[`*\[\]<>@#~$]|://", plain):
            raise ValueError("a mark: " + line)
    if fence:
        raise ValueError("a fence that does not end")


def main():
    failed = False
    for path in sys.argv[2:]:
        try:
            with open(path, encoding="utf-8", newline="") as file:
                globals()[sys.argv[1]](file.read())
        except (ValueError, KeyError, tree.ParseError) as error:
            failed = True
            print(f"    {path}: {error}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
