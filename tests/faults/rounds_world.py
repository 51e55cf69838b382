# SPDX-License-Identifier: MIT
"""What is in the prefix and beside it, and the files of others in it: for tests/faults/rounds."""
import json
import os
import re
import shutil
import socket
import stat

from rounds_model import State, state_of_ledger
from small import describe, entries

# Files of others: kind and path. Some have the name of a file that a version brings.
FOREIGN = [("file", "mine"), ("file", "include/mine.h"), ("link", "lib/libmine.so"), ("file", "mine.d/deep/file"),
           ("file", "include/gone/mine.h"), ("file", "include/only910.h"), ("file", "share/mine"), ("link", "mine.link"),
           ("file", "include/crt/mine.h")]
OWN_NAMES = re.compile(r"lib64|version\.json|lib/pkgconfig(/cudart-[0-9.]+\.pc)?|share(/licenses(/[a-z_]+(/LICENSE)?)?)?")


class Seen:
    """The prefix as it lies there."""

    def __init__(self, prefix):
        own = os.path.join(prefix, ".gpuenv")
        self.exists = os.path.isdir(prefix)
        self.inside = sorted(os.listdir(own)) if os.path.isdir(own) else []
        self.pending = self._read(os.path.join(own, "pending.json"))
        leaving = self._read(os.path.join(own, "uninstalling.json"))
        ledger = self._read(os.path.join(own, "ledger.json"))
        self.leaving = ledger is None and leaving is not None
        self.ledger = leaving if self.leaving else ledger
        self.state = state_of_ledger(self.ledger, self.leaving) if self.ledger else None

    @staticmethod
    def _read(path):
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def settled(self):
        """What it is once what was begun is ended, as far as there is a way forward."""
        return state_of_ledger(self.pending) if self.pending else self.state

    def __str__(self):
        words = str(self.state) if self.state else "absent" + (", a directory is there" if self.exists else "")
        return words + (f" (pending: {state_of_ledger(self.pending)})" if self.pending else "")


class World:
    def __init__(self, place):
        self.place = place
        self.parent = os.path.join(place.work, "p")
        self.prefix = os.path.join(self.parent, "cuda")
        self.link = os.path.join(place.work, "l/cuda")
        self.foreign = {}  # path → kind and text
        os.mkdir(os.path.dirname(self.link))

    def clear(self):
        shutil.rmtree(self.parent, ignore_errors=True)
        os.mkdir(self.parent)
        self.foreign = {}

    def look(self):
        return Seen(self.prefix)

    def has_mark(self):
        """A change or an uninstall file by file has begun, or the prefix is not there any more or yet."""
        return any(os.path.lexists(os.path.join(self.prefix, ".gpuenv", name)) for name in ("pending.json", "uninstalling.json")) \
            or not os.path.lexists(os.path.join(self.prefix, ".gpuenv"))

    def put_foreign(self, kind, path, text):
        """False: there is no prefix, or something has that name."""
        full = os.path.join(self.prefix, path)
        try:
            if path.startswith("mine.d/") and os.path.isdir(self.prefix):
                os.makedirs(os.path.dirname(full), exist_ok=True)
            if kind == "socket" and os.path.lexists(full):
                return False
            if kind == "socket":
                with socket.socket(socket.AF_UNIX) as end:
                    end.bind(full)
            elif kind == "link":
                os.symlink(text, full)
            else:
                with open(full, "x", encoding="utf-8") as file:
                    file.write(text)
        except (FileNotFoundError, FileExistsError, NotADirectoryError):
            return False
        self.foreign[path] = (kind, text)
        return True

    def save_anew(self, path, text):
        """As editors do: a new file gets the name of the old one."""
        full = os.path.join(self.prefix, path)
        try:
            with open(full + "~", "x", encoding="utf-8") as file:
                file.write(text)
            os.rename(full + "~", full)
        except OSError:  # the tree was exchanged in between
            return False
        self.foreign[path] = ("file", text)
        return True

    def find_kept(self, came):
        """What came when a new version with a file of its name was on the way is kept under another name."""
        for path in came:
            full = os.path.join(self.prefix, path)
            if os.path.lexists(full + ".kept"):
                self.foreign[path + ".kept"] = self.foreign.pop(path)

    def foreign_violations(self):
        for path, (kind, text) in self.foreign.items():
            full = os.path.join(self.prefix, path)
            try:
                status = os.lstat(full)
            except OSError:
                yield f"a file of others is gone: {path}"
                continue
            if kind == "socket":
                if not stat.S_ISSOCK(status.st_mode):
                    yield f"a socket of others is something else now: {path}"
            elif kind == "link":
                if not stat.S_ISLNK(status.st_mode) or os.readlink(full) != text:
                    yield f"a link of others is something else now: {path}: {describe(full)}"
            elif not stat.S_ISREG(status.st_mode) or open(full, encoding="utf-8").read() != text:
                yield f"a file of others has other content: {path}: {describe(full)}"

    def tree_violations(self, state: State):
        """What lies there against what was packed."""
        if not os.path.isdir(self.prefix):
            return
        wanted = state.files() if state else {}
        directories = {d for path in [*wanted, *self.foreign] for d in self._above(path)}
        for path, content in wanted.items():
            full = os.path.join(self.prefix, path)
            found = describe(full) if os.path.lexists(full) else None
            if isinstance(content, list):
                right = found == ("link", None, content[0])
            else:
                right = found and found[0] == "file" and open(full, encoding="utf-8").read() == content
            if not right:
                yield f"not what was packed: {path}: {found}"
        for path in entries(self.prefix):
            own = path in (".gpuenv", ".gpuenv/ledger.json") or OWN_NAMES.fullmatch(path)
            if not (state and own) and path not in wanted and path not in directories and path.rstrip("~") not in self.foreign:
                yield f"it should not be there: {path}"

    @staticmethod
    def _above(path):
        while "/" in path:
            path = path.rsplit("/", 1)[0]
            yield path

    def leftovers(self):
        beside = sorted(set(os.listdir(self.parent)) - {"cuda"}) if os.path.isdir(self.parent) else []
        for name in beside:
            yield f"left beside the prefix: {name}: {entries(os.path.join(self.parent, name))[:6]}"
        for name in sorted(set(os.listdir(os.path.dirname(self.link))) - {"cuda"}):
            yield f"left beside the link: {name}"
        seen = self.look()
        if seen.state and seen.inside != ["ledger.json"]:
            yield f"left in .gpuenv: {' '.join(seen.inside)}"
        if seen.exists and seen.state is None and not self.foreign:
            yield "an empty directory is left where the prefix was"
