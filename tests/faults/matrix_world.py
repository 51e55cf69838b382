# SPDX-License-Identifier: MIT
"""What is on the disk, as a value: taken, compared, and put back.

A world is a dictionary of what is below a directory: path -> (kind, mode, content), where the content
of a file is its bytes and of a link its target. Foreign files, below a directory "mine", have their
time as well.
"""
import hashlib
import os
import re
import socket
import stat

FOREIGN = "mine"
FOREIGN_TIME = 1_000_000_000
# The end of a name that is drawn by lot.
DRAWN = re.compile(r"(\.gpuenv-stage-[^/]*-|\.gpuenv-)[0-9a-f]{16}(?=/|$)")


def entry_of(path, is_foreign):
    status = os.lstat(path)
    mode = stat.S_IMODE(status.st_mode)
    time = int(status.st_mtime) if is_foreign else 0
    if stat.S_ISLNK(status.st_mode):
        return ("link", 0, os.readlink(path), time)
    if stat.S_ISDIR(status.st_mode):
        return ("directory", mode, None, 0)
    if stat.S_ISSOCK(status.st_mode):
        return ("socket", mode, None, time)
    if not stat.S_ISREG(status.st_mode):
        return ("other", mode, None, time)
    with open(path, "rb") as file:
        return ("file", mode, file.read(), time)


def take(top, below=""):
    """The world below top; nothing of it where top is not there."""
    world = {}
    directory = os.path.join(top, below)
    if not os.path.isdir(directory):
        return world
    for name in os.listdir(directory):
        path = f"{below}/{name}" if below else name
        entry = entry_of(os.path.join(top, path), FOREIGN in path.split("/"))
        world[path] = entry
        if entry[0] == "directory":
            world.update(take(top, path))
    return world


def clear(top):
    """Removes all below top; os.walk() would not get into directories without a mode."""
    for name in os.listdir(top):
        path = os.path.join(top, name)
        if os.path.isdir(path) and not os.path.islink(path):
            os.chmod(path, 0o700)
            clear(path)
            os.rmdir(path)
        else:
            os.unlink(path)


def put(top, world):
    """Makes what is below top this world."""
    os.makedirs(top, exist_ok=True)
    clear(top)
    for path in sorted(world):
        kind, mode, content, time = world[path]
        full = os.path.join(top, path)
        if kind == "link":
            os.symlink(content, full)
        elif kind == "directory":
            os.mkdir(full)
            os.chmod(full, mode)
        elif kind == "socket":
            make_socket(full)
            os.chmod(full, mode)
        elif kind == "file":
            with open(full, "wb") as file:
                file.write(content)
            os.chmod(full, mode)
        else:
            raise ValueError(f"{full}: {kind}")
        if time:
            os.utime(full, (time, time), follow_symlinks=False)


def make_socket(path):
    end = socket.socket(socket.AF_UNIX)
    directory = os.open(os.path.dirname(path), os.O_PATH)
    end.bind(f"/proc/self/fd/{directory}/{os.path.basename(path)}")  # a long path does not fit
    os.close(directory)
    end.close()


def part(world, top):
    """What a world has below a directory, by the paths there; None where the directory is not."""
    if top not in world:
        return None
    return {path[len(top) + 1:]: entry for path, entry in world.items() if path.startswith(top + "/")}


def key(world):
    """The same for worlds that differ in drawn names alone."""
    digest = hashlib.sha256()
    for line in sorted(repr((DRAWN.sub(r"\1*", path), entry)) for path, entry in world.items()):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def differences(found, wanted, count=4):
    """The first few, in words."""
    words = []
    for path in sorted(found.keys() | wanted.keys()):
        if path not in wanted:
            words.append(f"{path} is too much")
        elif path not in found:
            words.append(f"{path} is missing")
        elif found[path] != wanted[path]:
            words.append(f"{path} is {shown(found[path])}, not {shown(wanted[path])}")
    return ", ".join(words[:count]) + (", …" if len(words) > count else "")


def shown(entry):
    kind, mode, content, _ = entry
    if kind == "file":
        return f"a file {mode:o} {content[:24]!r}"
    return f"a {kind} {mode:o}" + (f" to {content}" if content else "")
