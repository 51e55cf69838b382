# SPDX-License-Identifier: MIT
"""The proof that tests/faults/power-cut can lose data: a program renames a file that it did not sync. Where
no cut shows an empty or missing file, the cuts of that file system say nothing."""
import os
import subprocess
import sys

import power_disk

CAREFUL = "fsync"
PROGRAM = r"""
import os, sys
name, careful = sys.argv[1:]
data = (name.encode() + b" new ") * 2000
with open("fresh", "wb") as file:
    file.write(data)
    if careful:
        os.fsync(file.fileno())
os.rename("fresh", name)
if careful:
    os.fsync(os.open(".", os.O_RDONLY))
print("renamed", flush=True)
sys.stdin.read()
"""
WHOLE = {name: (name.encode() + b" new ") * 2000 for name in ("over", "name")}
BEFORE = b"what was there before"


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def word(name, data):
    if data is None:
        return "missing"
    if data == WHOLE[name]:
        return "new"
    return "old" if data == BEFORE else "empty" if not data else f"wrong: {len(data)} bytes"


def lose(disk, base, name, careful=""):
    """What the file of this name is at a cut as soon as it was renamed, and when the journal has been
    written since."""
    disk.write(base)
    disk.mount()
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, name, careful], cwd=disk.root,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    images = [disk.copy()]
    disk.commit()
    images.append(disk.copy())
    process.communicate()
    disk.unmount()
    found = []
    for image in images:
        disk.write(image)
        disk.mount_cut()
        found.append(word(name, read(f"{disk.root}/{name}")))
        disk.unmount()
    return found


def prove_kind(kind, top):
    disk = power_disk.Disk(kind, f"{top}/prove-{kind.name}")
    disk.make()
    disk.mount()
    with open(f"{disk.root}/over", "wb") as file:
        file.write(BEFORE)
    disk.unmount()
    base = disk.read()
    words, lost = [], False
    for name, what in (("over", "over another file"), ("name", "to a new name")):
        found = lose(disk, base, name)
        # Missing is what a file of a new name may be until the journal is written.
        lost = lost or found[1] not in ("old", "new") or found[0] not in ("old", "new", "missing")
        words.append(f"{what}: {found[0]}, then {found[1]}")
    synced = [word for name in WHOLE for word in lose(disk, base, name, CAREFUL)]
    if synced != ["new"] * 4:
        raise power_disk.Trouble(f"{kind.name}: a file that was synced is {', '.join(synced)} after a cut")
    os.unlink(disk.file)
    print(f"proof: {kind.name}: renamed without fsync {'; '.join(words)}"
          f"{'' if lost else ': NOTHING IS LOST, so the cuts on it prove nothing'}", flush=True)
    return lost


def prove(kinds, top):
    """Whether data was lost on any of them."""
    return any([prove_kind(kind, top) for kind in kinds])
