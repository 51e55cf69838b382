# SPDX-License-Identifier: MIT
"""Small file systems in backing files, for tests/faults/power-cut: made, loop-mounted, copied while they
are in use, and what a copy holds.

A copy is what the disk would hold if the power failed now: the backing file is read as it is, and nothing
is frozen, synced or unmounted before. commit() is what the file system does by itself every few seconds:
it writes its journal, and not the data of files.
"""
import errno
import fcntl
import hashlib
import os
import shutil
import stat
import subprocess

CHUNK = 4096
ZERO = bytes(CHUNK)
READ = 1 << 20
NEIGHBOUR = ".neighbour"  # a file of nobody's, which commit() changes
QUIET_TRIES = 500
MIB = 1 << 20

BTRFS_IOC_START_SYNC = 0x80089418
BTRFS_IOC_WAIT_SYNC = 0x40089416


class Kind:
    def __init__(self, name, kernel, size, mkfs, options, repair):
        self.name, self.kernel, self.size = name, kernel, size
        self.mkfs, self.options, self.repair = mkfs, options, repair

    def why_not(self):
        """Words where this machine cannot have one, else None."""
        with open("/proc/filesystems", encoding="ascii") as file:
            if self.kernel not in file.read().split():
                subprocess.run(["modprobe", "-q", self.kernel], check=False, stderr=subprocess.DEVNULL)
        with open("/proc/filesystems", encoding="ascii") as file:
            if self.kernel not in file.read().split():
                return f"the kernel has no {self.kernel}"
        return None if shutil.which(self.mkfs[0]) else f"{self.mkfs[0]} is not installed"


# Their own timers write nothing for five minutes: when a journal is written is the test's to say.
EXT4 = ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
EXT4_REPAIR = [["e2fsck", "-fy"]]
KINDS = {kind.name: kind for kind in (
    Kind("ext4", "ext4", 64 * MIB, EXT4, "commit=300", EXT4_REPAIR),
    Kind("ext4-noauto_da_alloc", "ext4", 64 * MIB, EXT4, "noauto_da_alloc,commit=300", EXT4_REPAIR),
    Kind("xfs", "xfs", 320 * MIB, ["mkfs.xfs", "-q"], "nouuid", [["xfs_repair"], ["xfs_repair", "-L"]]),
    Kind("btrfs", "btrfs", 128 * MIB, ["mkfs.btrfs", "-q"], "commit=300", []),
)}


class Trouble(Exception):
    """What the test needs of the machine and did not get."""


def command(*words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(words)}: {done.returncode}: {done.stdout.strip()[-400:]}")


class Disk:
    """One file system of a kind: its backing file, and where it is mounted. An image is the bytes of a
    backing file: {offset: chunk}, without the chunks of zeros. Equal chunks are one object."""

    def __init__(self, kind, directory):
        self.kind = kind
        self.file, self.root = f"{directory}/image", f"{directory}/disk"
        os.makedirs(self.root, exist_ok=True)
        self.chunks, self.last, self.device = {}, {}, None

    def make(self):
        with open(self.file, "wb") as file:
            file.truncate(self.kind.size)
        command(*self.kind.mkfs, self.file)
        self.write(self.read())  # sparse again
        self.mount()
        with open(f"{self.root}/{NEIGHBOUR}", "w", encoding="ascii"):
            pass
        self.unmount()

    def mount(self):
        command("mount", "-t", self.kind.kernel, "-o", f"loop,{self.kind.options}", self.file, self.root)
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            rows = [line.split() for line in file]
        self.device = next(row[row.index("-") + 2] for row in rows if row[4] == self.root)

    def unmount(self):
        command("umount", self.root)
        self.device = None

    def mount_cut(self):
        """Mounts what a power cut left. Returns what had to be repaired by hand, or None."""
        try:
            self.mount()
            return None
        except Trouble as trouble:
            refusal = str(trouble)
        for words in self.kind.repair:
            subprocess.run([*words, self.file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False)
            try:
                self.mount()
                return " ".join(words)
            except Trouble:
                pass
        raise Trouble(refusal)

    def commit(self):
        """The journal is written, with all names there are by now; the data of files is not."""
        if self.kind.kernel == "btrfs":
            fd = os.open(self.root, os.O_RDONLY)
            transaction = fcntl.ioctl(fd, BTRFS_IOC_START_SYNC, bytes(8))
            fcntl.ioctl(fd, BTRFS_IOC_WAIT_SYNC, transaction)
        else:
            fd = os.open(f"{self.root}/{NEIGHBOUR}", os.O_RDONLY)
            os.fchmod(fd, os.fstat(fd).st_mode ^ stat.S_IWGRP)
            os.fsync(fd)
        os.close(fd)

    def read(self):
        image, last = {}, self.last
        fd = os.open(self.file, os.O_RDONLY)
        try:
            at = 0
            while True:
                try:
                    at = os.lseek(fd, at, os.SEEK_DATA) // CHUNK * CHUNK
                except OSError as error:
                    if error.errno != errno.ENXIO:
                        raise
                    break
                end = os.lseek(fd, at, os.SEEK_HOLE)
                while at < end:
                    block = os.pread(fd, min(READ, end - at), at)
                    for start in range(0, len(block), CHUNK):
                        chunk = block[start:start + CHUNK]
                        if chunk == last.get(at + start):
                            image[at + start] = last[at + start]
                        elif chunk != ZERO:
                            image[at + start] = self.chunks.setdefault(chunk, chunk)
                    at += len(block)
        finally:
            os.close(fd)
        self.last = image
        return image

    def _requests(self):
        """Of the loop device: how many were written, discarded and flushed; how many are under way."""
        with open(f"/sys/block/{self.device.rpartition('/')[2]}/stat", encoding="ascii") as file:
            numbers = [int(word) for word in file.read().split()]
        return (numbers[4], *numbers[11:12], *numbers[15:16]), numbers[8]

    def copy(self):
        """The image as a power cut would leave it now. It takes a moment to read: when the file system
        wrote meanwhile, it is read once more."""
        for _ in range(QUIET_TRIES):
            before, _ = self._requests()
            image = self.read()
            after, under_way = self._requests()
            if before == after and under_way == 0:
                return image
        raise Trouble(f"{self.device} never comes to rest")

    def write(self, image):
        fd = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.ftruncate(fd, self.kind.size)
            run, start = [], 0
            for at in sorted(image):
                if run and at != start + len(run) * CHUNK:
                    os.pwrite(fd, b"".join(run), start)
                    run = []
                if not run:
                    start = at
                run.append(image[at])
            if run:
                os.pwrite(fd, b"".join(run), start)
        finally:
            os.close(fd)


def image_key(image):
    """The same for images of the same bytes. Chunks are objects of one Disk, which keeps them."""
    return hash(tuple((at, id(image[at])) for at in sorted(image)))


def entry_of(path, status):
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISDIR(status.st_mode):
        return ("directory", mode)
    if stat.S_ISLNK(status.st_mode):
        return ("link", os.readlink(path))
    if not stat.S_ISREG(status.st_mode):
        return ("other", stat.S_IFMT(status.st_mode))
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return ("unreadable", error.strerror)
    return ("file", mode, len(data), hashlib.sha256(data).hexdigest())


def tree_of(top):
    """{path: what is there} of all below top, without what the test and mkfs put there."""
    tree, waiting = {}, [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(f"{top}/{below}") as names:
            for name in names:
                path = f"{below}/{name.name}" if below else name.name
                if path in ("lost+found", NEIGHBOUR):
                    continue
                tree[path] = entry_of(name.path, name.stat(follow_symlinks=False))
                if name.is_dir(follow_symlinks=False):
                    waiting.append(path)
    return tree
