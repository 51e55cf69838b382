# SPDX-License-Identifier: MIT
"""States of apt and dpkg that stop an installation: no space, holds, pins, scripts that fail, mirrors
that are behind. Rows of tests/real-packages/run."""
from bench import call, index_debs, make_deb, small, write

HOST = "states.example"
LIST = "etc/apt/sources.list.d/mirror.list"
KEYRING = "/usr/share/keyrings/mirror.gpg"


def release(bench, place, old, new):
    """Release with another text in the place of one, and signed again."""
    text = (place / "Release").read_text()
    assert old in text
    write(place / "Release", text.replace(old, new))
    bench.keys.sign("good", place / "Release", place / "InRelease")


def rows(bench):
    place = bench.server.directory / HOST / "r"
    place.mkdir(parents=True)
    bench.places.append(place)
    for version in ("560.35.03-1", "570.86.15-1"):
        make_deb(place, "libnvidia-compute", version)
        make_deb(place, "nvidia-driver-cuda", version, depends=f"libnvidia-compute (= {version})")
    make_deb(place, "cuda-large", "1", files=[("/opt/large.bin", "0123456789abcdef" * 200000)])

    def root_of(system):
        root = bench.root(system)
        index_debs(place, "NVIDIA", "NVIDIA CUDA")
        bench.keys.sign("good", place / "Release", place / "InRelease")
        write(root / LIST, f"deb [signed-by={KEYRING}] http://{HOST}/r /\n")
        return root

    dpkg = bench.installed

    def logged(root, *words):
        """As apt, which writes what dpkg says into its log."""
        done = dpkg(root, *words)
        write(root / "var/log/apt/term.log", f"Log started: 2026-11-26  10:00:00\n{done.stdout}"
              "Log ended: 2026-11-26  10:00:01\n\n")
        return done

    def installed(root, version="560.35.03-1"):
        for name in ("libnvidia-compute", "nvidia-driver-cuda"):
            dpkg(root, "-i", str(place / f"{name}_{version}_amd64.deb"))

    def simulate(change, words=("install", "nvidia-driver-cuda")):
        def run(system):
            root = root_of(system)
            installed(root)
            change(root)
            bench.update(root)
            return root, bench.apt(root, "-s", "-y", *words)
        return run

    def update(change, before=False):
        def run(system):
            root = root_of(system)
            if before:
                bench.update(root)
            change(root)
            return root, bench.update(root)
        return run

    def hold(root):
        call("dpkg", f"--root={root}", "--set-selections", input="libnvidia-compute hold\n")

    def hold_all(root):
        hold(root)
        call("dpkg", f"--root={root}", "--set-selections", input="nvidia-driver-cuda hold\n")

    def pin(package, pinned, priority):
        text = f"Package: {package}\nPin: {pinned}\nPin-Priority: {priority}\n"
        return lambda root: write(root / "etc/apt/preferences.d/own", text)

    def large(directory):
        def run(system):
            root = root_of(system)
            small(root / directory)
            return root, logged(root, "-i", str(place / "cuda-large_1_amd64.deb"))
        return run

    def script(name, text):
        def run(system):
            root = root_of(system)
            old = make_deb(root / "tmp", "nvidia-fails", "1",
                           scripts={name: text} if name == "prerm" else None)
            dpkg(root, "-i", str(old))
            if name == "prerm":
                return root, logged(root, "--remove", "nvidia-fails")
            return root, logged(root, "-i", str(make_deb(root / "tmp", "nvidia-fails", "2",
                                                      scripts={name: text})))
        return run

    def gone(system):
        root = root_of(system)
        bench.update(root)
        package = place / "libnvidia-compute_570.86.15-1_amd64.deb"
        content = package.read_bytes()
        package.unlink()
        done = bench.apt(root, "-d", "-y", "install", "libnvidia-compute")
        package.write_bytes(content)
        return root, done

    def unsigned(root):
        (place / "InRelease").unlink()
        write(root / LIST, f"deb [trusted=yes] http://{HOST}/r /\n")

    fails = ("#!/bin/sh\nonce=$DPKG_ROOT/var/lib/dpkg/once\n[ -e $once ] && exit 0\n: >$once\n"
             "echo 'the module cannot be built' >&2\nexit 10\n")
    both, one = ("bookworm", "trixie"), ("bookworm",)
    table = [
        ("none, two branches", simulate(lambda root: None), both),
        ("apt-mark hold of a part", simulate(hold), both),
        ("apt-mark hold of all parts (no fault)", simulate(hold_all, ("upgrade",)), both),
        ("preferences keep one part at the older version",
         simulate(pin("libnvidia-compute", "version 560*", 1001)), both),
        ("preferences keep all parts at the older version (no fault)",
         simulate(pin("libnvidia-* nvidia-*", "version 560*", 1001)), both),
        ("preferences forbid the packages", simulate(pin("cuda-large", "release *", -1),
                                                     ("install", "cuda-large")), one),
        ("postinst fails", script("postinst", fails), one),
        ("preinst fails", script("preinst", fails), one),
        ("prerm fails", script("prerm", fails), one),
        ("no space for the lists", update(
            lambda root: small(root / "var/lib/apt/lists/partial", "4k")), one),
        ("no space for the files", large("opt"), one),
        ("the signed file's time is over", update(lambda root: release(
            bench, place, "Date:", "Valid-Until: Thu, 01 Jan 2026 00:00:00 UTC\nDate:")), both),
        ("the signed file is of tomorrow", update(lambda root: release(
            bench, place, "Date:", "Date: Thu, 01 Jan 2099 00:00:00 UTC\nX-Date:")), both),
        ("no signed file", update(lambda root: (place / "InRelease").unlink()), both),
        ("no signed file, trusted=yes (no fault)", update(unsigned), one),
        ("the repository has another label", update(lambda root: release(
            bench, place, "Label: NVIDIA CUDA", "Label: other"), before=True), both),
        ("index of a mirror names packages that are gone", gone, one),
    ]
    return [(fault, system, run) for fault, run, systems in table for system in systems]
