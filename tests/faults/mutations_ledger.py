# SPDX-License-Identifier: MIT
"""Ways to change PREFIX/.gpuenv/ledger.json, for tests/faults/mutations. Each returns what it did."""
import json
import os
import re
import shutil

# What verify holds against nothing: it says how an installation came about, and not what lies there.
# docs/reference/ledger.md says so.
LEFT_IN_LEDGER = [
    "gpuenv", "files[].owners[]", "products[].product", "products[].version", "products[].variant", "products[].spec",
    "products[].profile", "products[].wishes[]", "products[].pin", "products[].catalog", "products[].accepted",
    *(f"products[].{where}components[].{name}" for where in ("", "previous[].") for name in
      ("name", "version", "platform", "variant", "archive", "size", "sha256", "licence")),
    *(f"products[].previous[].{name}" for name in
      ("product", "version", "variant", "spec", "profile", "wishes[]", "pin", "catalog", "accepted", "change")),
]


def _flatten(value, path, found):
    if isinstance(value, dict):
        for key, below in value.items():
            _flatten(below, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list):
        found[path + "[]#"] = len(value)
        for number, below in enumerate(value):
            _flatten(below, f"{path}[{number}]", found)
    else:
        found[path] = value.lower() if path.endswith(("sha256", "catalog")) and isinstance(value, str) else value
    return found


def difference(before, path):
    """The fields, without numbers of rows, that differ from what was written; None: it is no JSON."""
    try:
        with open(path, encoding="utf-8") as file:
            after = _flatten(json.load(file), "", {})
    except ValueError:
        return None
    first = _flatten(before, "", {})
    return {re.sub(r"\[\d+\]", "[]", key) for key in first.keys() | after.keys() if first.get(key) != after.get(key)}


def _path(tree):
    return tree.full(".gpuenv/ledger.json")


def _bytes(tree):
    with open(_path(tree), "rb") as file:
        return file.read()


def _write(tree, data):
    with open(_path(tree), "wb") as file:
        file.write(data)


def byte_changed(tree, dice):
    data = bytearray(_bytes(tree))
    at, old = dice.randrange(len(data)), None
    old = data[at]
    data[at] = dice.choice([old ^ (1 << dice.randrange(8)), dice.randrange(256), ord(dice.choice("0123456789abcdef\" ,"))])
    if data[at] == old:
        data[at] ^= 1
    _write(tree, bytes(data))
    return f"byte {at} of the ledger changed from {old} to {data[at]}"


def byte_removed(tree, dice):
    data = _bytes(tree)
    at = dice.randrange(len(data))
    _write(tree, data[:at] + data[at + 1:])
    return f"byte {at} of the ledger removed, {data[at]}"


def byte_doubled(tree, dice):
    data = _bytes(tree)
    at = dice.randrange(len(data))
    _write(tree, data[:at] + data[at:at + 1] + data[at:])
    return f"byte {at} of the ledger doubled, {data[at]}"


def cut(tree, dice):
    data = _bytes(tree)
    size = dice.choice([0, 1, dice.randrange(len(data)), len(data) - 2, len(data) - 3])
    _write(tree, data[:size])
    return f"the ledger cut to {size} bytes"


def grown(tree, dice):
    more = dice.choice([b"x", b"{}", b"\0", b"\0" * 4096, b"]", _bytes(tree)])
    _write(tree, _bytes(tree) + more)
    return f"the ledger grown by {len(more)} bytes"


def row_removed(tree, dice):
    ledger = json.loads(_bytes(tree))
    row = ledger["files"].pop(dice.randrange(len(ledger["files"])))
    _write(tree, json.dumps(ledger).encode())
    return f"the row of {row['path']} removed"


def rows_swapped(tree, dice):
    ledger = json.loads(_bytes(tree))
    at = dice.randrange(len(ledger["files"]) - 1)
    ledger["files"][at], ledger["files"][at + 1] = ledger["files"][at + 1], ledger["files"][at]
    _write(tree, json.dumps(ledger).encode())
    return f"rows {at} and {at + 1} swapped"


def row_invented(tree, dice):
    ledger = json.loads(_bytes(tree))
    ledger["files"].insert(0, dict(dice.choice([r for r in ledger["files"] if r["type"] == "file"]),
                                   path=dice.choice([".a", "../a", "/etc/passwd", ".gpuenv/ledger.json", "-"])))
    _write(tree, json.dumps(ledger).encode())
    return f"a row invented: {ledger['files'][0]['path']}"


def value_changed(tree, dice):
    """A value of a row of files to another that could be one."""
    ledger = json.loads(_bytes(tree))
    row = dice.choice(ledger["files"])
    key = dice.choice([key for key in row if key != "owners"])
    other = {"path": row["path"] + "x", "type": dice.choice(["file", "directory", "link", "fifo"]), "mode": dice.choice(["0700", "4755", "0000", "755"]),
             "size": dice.choice([0, -1, 1 << 40, 1 << 70, 2.5, "7"]), "sha256": dice.choice(["0" * 64, "A" * 64, ""]), "target": dice.choice(["/etc", "x", ""])}[key]
    before, row[key] = row[key], other
    if before == other:
        row[key] = 5
    _write(tree, json.dumps(ledger).encode())
    return f"{key} of {row['path']} is {row[key]!r}, was {before!r}"


def replaced(tree, dice):
    path, kind = _path(tree), dice.choice(["link to it", "directory", "FIFO", "nothing", "empty directory of its name"])
    moved = os.path.join(tree.elsewhere, "ledger.json")
    shutil.move(path, moved)
    if kind == "link to it":
        os.symlink(moved, path)
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind != "nothing":
        os.mkdir(path)
    return f"the ledger replaced by: {kind}"


def holder_replaced(tree, dice):
    """The directory that holds it."""
    path, kind = tree.full(".gpuenv"), dice.choice(["link to it", "file", "nothing"])
    moved = os.path.join(tree.elsewhere, "holder")
    shutil.move(path, moved)
    if kind == "link to it":
        os.symlink(moved, path)
    elif kind == "file":
        shutil.copy(os.path.join(moved, "ledger.json"), path)
    return f".gpuenv replaced by: {kind}"


def others_may_write(tree, dice):
    mode = dice.choice([0o666, 0o664, 0o622])
    os.chmod(_path(tree), mode)
    return f"the mode of the ledger is {mode:04o}"


LEDGER_KINDS = [byte_changed, byte_changed, byte_changed, byte_removed, byte_removed, byte_doubled, cut, grown, row_removed, rows_swapped,
                row_invented, value_changed, value_changed, replaced, holder_replaced, others_may_write]
