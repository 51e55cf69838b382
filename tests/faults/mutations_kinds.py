# SPDX-License-Identifier: MIT
"""Ways to change what is in a prefix, each with what verify has to say of it: for tests/faults/mutations.

A mutation takes a prefix (a Tree) and dice, changes one thing and returns (what it did, the paths that must be
named as changed or missing, the paths that must be named as added). Skip: it cannot be done here.
"""
import os
import shutil
import socket
import stat


class Skip(Exception):
    pass


class Tree:
    """An installed prefix, and what may be changed in it: paths relative to it."""

    def __init__(self, prefix, elsewhere, ledger):
        self.prefix, self.elsewhere = prefix, elsewhere
        self.rows = {row["path"]: row for row in ledger["files"]}
        self.files = [p for p, row in self.rows.items() if row["type"] == "file"]
        self.links = [p for p, row in self.rows.items() if row["type"] == "link"]
        self.directories = [p for p, row in self.rows.items() if row["type"] == "directory"]

    def full(self, path):
        return os.path.join(self.prefix, path)

    def below(self, directory):
        return [path for path in self.rows if path.startswith(directory + "/")]

    def read(self, path):
        with open(self.full(path), "rb") as file:
            return file.read()

    def write(self, path, data):
        with open(self.full(path), "r+b") as file:
            file.truncate(0)
            file.write(data)

    def free_name(self, dice):
        """A path that is not there, in a directory that is."""
        names = ["added.h", "libcudart.so.11", ".hidden", "ä ö", "new\nline", "ldconfig.conf", "a" * 200]
        directory = dice.choice(["", *self.directories])
        path = os.path.join(directory, dice.choice(names))
        return path if path not in self.rows else path + ".added"

    def outside(self, data=b"of others\n"):
        path = os.path.join(self.elsewhere, "other")
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write(data)
        return path


def flip_byte(tree, dice):
    path = dice.choice([p for p in tree.files if tree.rows[p]["size"]])
    data = bytearray(tree.read(path))
    at = dice.randrange(len(data))
    data[at] ^= 1 << dice.randrange(8)
    tree.write(path, bytes(data))
    return f"a bit of {path} flipped, at {at}", [path], []


def change_quietly(tree, dice):
    """Bytes changed; times and size as they were."""
    path = dice.choice([p for p in tree.files if tree.rows[p]["size"]])
    status = os.lstat(tree.full(path))
    data = bytearray(tree.read(path))
    at = dice.randrange(len(data))
    data[at] ^= dice.randrange(1, 256)
    tree.write(path, bytes(data))
    os.utime(tree.full(path), ns=(status.st_atime_ns, status.st_mtime_ns))
    return f"a byte of {path} changed, with its time kept", [path], []


def truncate(tree, dice):
    path = dice.choice([p for p in tree.files if tree.rows[p]["size"]])
    size = dice.randrange(tree.rows[path]["size"])
    os.truncate(tree.full(path), size)
    return f"{path} cut to {size} bytes", [path], []


def empty(tree, dice):
    path = dice.choice([p for p in tree.files if tree.rows[p]["size"]])
    os.truncate(tree.full(path), 0)
    return f"{path} emptied", [path], []


def grow(tree, dice):
    path = dice.choice(tree.files)
    if dice.random() < 0.5:
        os.truncate(tree.full(path), tree.rows[path]["size"] + dice.choice([1, 4096, 1 << 33]))
        return f"{path} grown by a hole", [path], []
    with open(tree.full(path), "ab") as file:
        file.write(bytes([dice.randrange(256)]))
    return f"{path} grown by a byte", [path], []


def replace(tree, dice):
    """By something else, of the same name: a link, a directory, a FIFO, a socket, a device."""
    path = dice.choice(tree.files)
    full, kind = tree.full(path), dice.choice(["link", "link to a copy", "directory", "FIFO", "socket", "device"])
    copy = tree.outside(tree.read(path))
    os.unlink(full)
    if kind.startswith("link"):
        os.symlink(copy if kind == "link to a copy" else "/etc/hostname", full)
    elif kind == "directory":
        os.mkdir(full)
    elif kind == "FIFO":
        os.mkfifo(full)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as end:
            here = os.open(os.path.dirname(full), os.O_PATH)
            end.bind(f"/proc/self/fd/{here}/{os.path.basename(full)}")
            os.close(here)
    else:
        make_device(full, dice)
    return f"{path} replaced by a {kind}", [path], []


def make_device(full, dice):
    try:
        os.mknod(full, dice.choice([stat.S_IFCHR, stat.S_IFBLK]) | 0o644, os.makedev(1, 3))
    except PermissionError as error:
        raise Skip(f"no device can be made: {error}") from error


def change_mode(tree, dice):
    path = dice.choice(tree.files + tree.directories)
    mode = int(tree.rows[path]["mode"], 8)
    other = mode ^ dice.choice([0o4000, 0o2000, 0o1000, *(1 << bit for bit in range(9)), 0o777])
    os.chmod(tree.full(path), other)
    if stat.S_IMODE(os.lstat(tree.full(path)).st_mode) != other:
        raise Skip("the system does not let that mode be")
    return f"mode of {path} changed to {other:04o}", [path], []


def change_target(tree, dice):
    path = dice.choice(tree.links)
    target = os.readlink(tree.full(path))
    other = dice.choice(["/etc/hostname", target + "/", "./" + target, "nowhere", os.path.abspath(tree.full(target)), target[:-1]])
    os.unlink(tree.full(path))
    os.symlink(other, tree.full(path))
    return f"{path} leads to {other}", [path], []


def replace_link(tree, dice):
    """By what it leads to."""
    path = dice.choice(tree.links)
    full = tree.full(path)
    copy = os.path.realpath(full)
    os.unlink(full)
    if os.path.isdir(copy):
        shutil.copytree(copy, full, symlinks=True)
    else:
        shutil.copy2(copy, full)
    return f"{path} is what it led to", [path], []


def remove(tree, dice):
    path = dice.choice(tree.files + tree.links)
    os.unlink(tree.full(path))
    return f"{path} removed", [path], []


def remove_directory(tree, dice):
    path = dice.choice(tree.directories)
    shutil.rmtree(tree.full(path))
    return f"{path} removed with all below", [path, *tree.below(path)], []


def link_directory(tree, dice):
    """By a link to a copy of itself, inside the prefix or outside."""
    path = dice.choice(tree.directories)
    inside = dice.random() < 0.5
    to = tree.full(path) + ".copy" if inside else os.path.join(tree.elsewhere, "copy")
    os.rename(tree.full(path), to) if inside else shutil.move(tree.full(path), to)
    os.symlink(os.path.basename(to) if inside else to, tree.full(path))
    return f"{path} replaced by a link to a copy", [path, *tree.below(path)], [path + ".copy"] if inside else []


def add(tree, dice):
    path = tree.free_name(dice)
    full, kind = tree.full(path), dice.choice(["file", "empty file", "directory", "directory with a file", "link", "FIFO", "hard link"])
    if kind.startswith("directory"):
        os.mkdir(full)
        if kind != "directory":
            with open(os.path.join(full, "x"), "w", encoding="utf-8"):
                pass
    elif kind == "link":
        os.symlink("/nowhere", full)
    elif kind == "FIFO":
        os.mkfifo(full)
    elif kind == "hard link":
        os.link(tree.full(dice.choice(tree.files)), full)
    else:
        with open(full, "w", encoding="utf-8") as file:
            file.write("" if kind == "empty file" else "x")
    return f"a {kind} added: {path!r}", [], [path]


def rename(tree, dice):
    path = dice.choice(tree.files + tree.links + tree.directories)
    to = path + dice.choice([".old", "~", "2"])
    os.rename(tree.full(path), tree.full(to))
    return f"{path} renamed to {to}", [path, *tree.below(path)], [to]


def swap(tree, dice):
    """Two files with other bytes, or another mode."""
    one = dice.choice(tree.files)
    others = [p for p in tree.files if (tree.rows[p]["sha256"], tree.rows[p]["mode"]) != (tree.rows[one]["sha256"], tree.rows[one]["mode"])]
    other = dice.choice(others)
    between = tree.full(one) + ".between"
    os.rename(tree.full(one), between)
    os.rename(tree.full(other), tree.full(one))
    os.rename(between, tree.full(other))
    return f"{one} and {other} swapped", [one, other], []


def link_elsewhere(tree, dice):
    """The file is a second name of one outside, which somebody may change."""
    path = dice.choice(tree.files)
    other = tree.outside(tree.read(path)[::-1] + b"x")
    os.unlink(tree.full(path))
    os.link(other, tree.full(path))
    return f"{path} is a hard link to a file elsewhere", [path], []


def several(tree, dice):
    """Three files at once: each is named."""
    paths = dice.sample(tree.files, 3)
    for path in paths:
        os.unlink(tree.full(path))
    return f"three files removed: {' '.join(paths)}", paths, []


KINDS = [flip_byte, change_quietly, truncate, empty, grow, replace, change_mode, change_target, replace_link, remove,
         remove_directory, link_directory, add, rename, swap, link_elsewhere, several]
