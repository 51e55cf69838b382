#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""package_databases.py PACKAGE_LIST WORK COUNT [ROOT…]: databases of packages, made by the rpm and pacman that are
here and by the rpm of each ROOT (chroot), and each package and file in them as package-list reads it and as rpm or
pacman prints it. COUNT databases of each kind. The last lines are "KIND: N databases, N packages, N files", or
"KIND: none". 1: something differs."""
import io
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile

lister, work, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
roots = [""] + sys.argv[4:]
failures = []
totals = {kind: [0, 0, 0] for kind in ("sqlite", "ndb", "bdb", "pacman")}

FILES = {"sqlite": "rpmdb.sqlite", "ndb": "Packages.db", "bdb": "Packages"}
QUIET = ["--justdb", "--nodeps", "--noscripts", "--notriggers", "--ignorearch", "--ignoreos", "--nosignature",
         "--nodigest", "--force"]
# name, version, release, epoch, architecture, vendor, module, number of files
ROWS = [
    ("nvidia-driver-cuda-libs", "570.86.15", "1.el9", 3, "x86_64", "NVIDIA CORPORATION", None, 6),
    ("nvidia-driver-cuda-libs", "575.57.08", "1.el9", 3, "x86_64", "NVIDIA CORPORATION", None, 7),
    ("kmod-nvidia-open-dkms", "570.86.15", "1.el9", 3, "noarch", "NVIDIA CORPORATION",
     "nvidia-driver:open-dkms:20250101:el9", 900),
    ("kmod-nvidia-6.11.4-301.fc41.x86_64", "565.57.01", "1.fc41", 3, "x86_64", "RPM Fusion", None, 5),
    ("cuda-documentation-12-8", "12.8.90", "1", None, "x86_64", "NVIDIA CORPORATION", None, 6000),
    ("cuda-toolkit-12-8", "12.8.1", "1", None, "x86_64", "NVIDIA CORPORATION", None, 0),
] + [("part%02d-lib" % i, "%d.4" % i, "2.el9", i % 3 or None, ("noarch", "x86_64")[i % 2],
      (None, "Example", "Rocky Enterprise Software Foundation")[i % 3], (None, "part:1.0:1:c")[i % 5 == 4],
      (0, 1, 3, 12, 70, 300)[i % 6]) for i in range(18)]


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True, errors="surrogateescape", check=False)
    if check and done.returncode:
        raise SystemExit("%s: %s" % (" ".join(words[:8]), done.stderr[-800:]))
    return done.stdout


def files_of(name, version, number):
    return ["/usr/share/%s-%s/part-%d/file-with-a-name-%05d.html" % (name, version, i % 13, i) for i in range(number)]


def build_rpm(row, out):
    name, version, release, epoch, arch, vendor, module, number = row
    top = os.path.join(work, "build")
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(top + "/tree")
    files = files_of(name, version, number)
    for path in files:
        os.makedirs(os.path.dirname(top + "/tree" + path), exist_ok=True)
        with open(top + "/tree" + path, "w", encoding="ascii") as file:
            file.write(path)
    with open(top + "/files", "w", encoding="ascii") as file:
        file.writelines(path + "\n" for path in files)
    lines = ["Name: " + name, "Version: " + version, "Release: " + release, "Summary: for a test", "License: MIT",
             "AutoReqProv: no"]
    lines += ["Epoch: %d" % epoch] if epoch else []
    lines += ["Vendor: " + vendor] if vendor else []
    lines += ["ModularityLabel: " + module] if module else []
    lines += ["BuildArch: noarch"] if arch == "noarch" else []
    lines += ["%description", "x", "%install", "mkdir -p %{buildroot}", "cp -a " + top + "/tree/. %{buildroot}/",
              "%files" + (" -f " + top + "/files" if files else "")]
    with open(top + "/one.spec", "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    defines = {"_topdir": top + "/top", "_rpmdir": out, "_build_id_links": "none", "debug_package": "%{nil}",
               "_rpmfilename": "%%{NAME}-%%{VERSION}.rpm", "__os_install_post": "%{nil}",
               "_binary_payload": "w1.gzdio"}
    words = [word for key, value in defines.items() for word in ("--define", "%s %s" % (key, value))]
    run("rpmbuild", "-bb", "--quiet", "--target", arch, *words, top + "/one.spec")


def differences(kind, tree, packages, files):
    """What package-list reads below tree against the lines that the system's own program printed."""
    for what, words, expected in (("packages", [], packages), ("files", ["--files"], files)):
        done = subprocess.run([lister, tree, *words], capture_output=True, text=True, errors="surrogateescape",
                              check=False)
        got = sorted(done.stdout.splitlines())
        if done.returncode or got != sorted(expected):
            lost = sorted(set(expected) - set(got))[:3]
            more = sorted(set(got) - set(expected))[:3]
            failures.append("%s: %s: %s differ: lacks %s, has %s %s" % (kind, tree, what, lost, more, done.stderr))
    totals[kind][0] += 1
    totals[kind][1] += len(packages)
    totals[kind][2] += len(files)


class Rpm:
    def __init__(self, root, kind):
        self.root, self.kind = root, kind
        self.place = root + (work if not root else "/tmp/gpuenv-package-databases")
        self.inner = self.place[len(root):]

    def __call__(self, *words, check=True):
        before = ["chroot", self.root] if self.root else []
        return run(*before, "rpm", "--define", "_dbpath %s/db" % self.inner, "--define",
                   "_db_backend " + self.kind, *words, check=check)

    def begin(self):
        """False: this rpm does not write that kind."""
        shutil.rmtree(self.place + "/db", ignore_errors=True)
        os.makedirs(self.place + "/db")
        self("--initdb", check=False)
        return os.path.exists("%s/db/%s" % (self.place, FILES[self.kind]))

    def make(self, seed, tree):
        """Installs, an upgrade, removals, and some again: pages that were used and are free."""
        chance = random.Random(seed)
        old, new = ("nvidia-driver-cuda-libs-%s.rpm" % version for version in ("570.86.15", "575.57.08"))
        names = ["%s-%s.rpm" % row[:2] for row in ROWS if row[1] != "575.57.08"]
        names = [old] + chance.sample(names[1:], chance.randint(8, len(names) - 1))
        paths = ["%s/rpms/%s" % (self.inner, name) for name in names]
        self("-i", *QUIET, *paths)
        reader = None
        if self.kind == "sqlite" and seed % 2: # as long as somebody reads, the log is not copied into the file
            reader = sqlite3.connect("%s/db/rpmdb.sqlite" % self.place, isolation_level=None)
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM Packages").fetchall()
        self("-U", *QUIET, "%s/rpms/%s" % (self.inner, new))
        gone = [name for name in names if name.startswith("part")][:chance.randint(1, 6)]
        if gone:
            self("-e", "--justdb", "--nodeps", "--noscripts", *[name.split("-lib")[0] + "-lib" for name in gone])
            self("-i", *QUIET, "%s/rpms/%s" % (self.inner, gone[0]))
        shutil.copytree(self.place + "/db", tree + "/var/lib/rpm")
        if reader:
            reader.close()
            if not os.path.getsize(tree + "/var/lib/rpm/rpmdb.sqlite-wal"):
                failures.append("sqlite: %s: there is no log" % tree)
        for name in ("etc", "usr"):
            os.makedirs(tree + "/" + name, exist_ok=True)
        packages = self("-qa", "--qf", "%{NAME}|%{VERSION}-%{RELEASE}|%|EPOCH?{%{EPOCH}}:{0}||%{ARCH}|%{VENDOR}|"
                                       "%{MODULARITYLABEL}\n").splitlines()
        files = self("-qa", "--qf", "[%{=NAME}-%{=VERSION}-%{=RELEASE}|%{FILENAMES}\n]").splitlines()
        return packages, [line for line in files if not line.endswith("|(none)")]


def rpm_databases():
    rpms = work + "/rpms"
    os.makedirs(rpms)
    for row in ROWS:
        build_rpm(row, rpms)
    for root in roots:
        for kind in FILES:
            rpm = Rpm(root, kind)
            os.makedirs(rpm.place, exist_ok=True)
            if root and not os.path.exists(rpm.place + "/rpms"):
                shutil.copytree(rpms, rpm.place + "/rpms")
            for seed in range(count if rpm.begin() else 0):
                tree = "%s/tree-%s-%d-%d" % (work, kind, roots.index(root), seed)
                rpm.begin()
                differences(kind, tree, *rpm.make(seed, tree))
        if root:
            shutil.rmtree(root + "/tmp/gpuenv-package-databases")


def build_pacman(name, version, number, out):
    path = "%s/%s-%s-x86_64.pkg.tar.gz" % (out, name, version)
    info = "pkgname = %s\npkgver = %s\npkgdesc = for a test\nbuilddate = 1764100000\nsize = 1\narch = x86_64\n" % (
        name, version)
    names, made = {}, set()
    for file in files_of(name, version, number):
        parts = file.strip("/").split("/")
        for i in range(1, len(parts)):
            names["/".join(parts[:i])] = None
        names["/".join(parts)] = b"x"
    with tarfile.open(path, "w:gz") as tar:
        for inner, data in {".PKGINFO": info.encode(), **names}.items():
            if inner in made:
                continue
            made.add(inner)
            entry = tarfile.TarInfo(inner)
            entry.type, entry.mode = (tarfile.DIRTYPE, 0o755) if data is None else (tarfile.REGTYPE, 0o644)
            entry.size = len(data or b"")
            tar.addfile(entry, io.BytesIO(data or b""))
    return path


def pacman_databases():
    packages = work + "/pacman"
    os.makedirs(packages)
    with open(packages + "/pacman.conf", "w", encoding="ascii") as file:
        file.write("[options]\nArchitecture = auto\nSigLevel = Never\n")
    for seed in range(count):
        chance = random.Random(seed)
        tree = "%s/tree-pacman-%d" % (work, seed)
        for name in ("etc", "usr", "var/lib/pacman", "var/cache"):
            os.makedirs("%s/%s" % (tree, name))

        def pacman(*words, tree=tree):
            return run("pacman", "--root", tree, "--dbpath", tree + "/var/lib/pacman", "--config",
                       packages + "/pacman.conf", "--cachedir", tree + "/var/cache", "--noconfirm", *words)
        rows = [("nvidia-utils", "580.95.05-3", 40), ("nvidia-open-dkms", "580.95.05-3", 900),
                ("cuda", "1:13.0.2-1", chance.randint(1, 4000)), ("lib32-nvidia-utils", "580.95.05-1", 3)]
        rows += [("part%d-with-more" % i, "1.%d.r2.gabc-1" % i, chance.randint(1, 50)) for i in range(6)]
        pacman("-U", "--dbonly", "--nodeps", *[build_pacman(*row, packages) for row in rows])
        pacman("-U", "--dbonly", "--nodeps", build_pacman("nvidia-utils", "580.105.08-1", 41, packages))
        pacman("-R", "--dbonly", "--nodeps", "part%d-with-more" % (seed % 6))
        listed = [line.split(" ") for line in pacman("-Q").splitlines()]
        versions = dict(listed)
        files = [line.split(" ", 1) for line in pacman("-Ql").splitlines()]
        differences("pacman", tree, ["%s|%s|0|x86_64|(none)|(none)" % tuple(row) for row in listed],
                    ["%s-%s|%s" % (name, versions[name], path[len(tree):] if path.startswith(tree) else path)
                     for name, path in files])


if shutil.which("rpmbuild") and shutil.which("rpm"):
    rpm_databases()
if shutil.which("pacman") and os.geteuid() == 0:
    pacman_databases()
for line in failures:
    print(line)
for kind, numbers in totals.items():
    print("%s: %d databases, %d packages, %d files" % (kind, *numbers) if numbers[0] else kind + ": none")
raise SystemExit(1 if failures else 0)
