#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""explain_log.py GPUENV MANIFESTS WORK [MB [ROUNDS]]: the measurements of tests/bench/explain."""
import json
import os
import statistics
import sys
import time

LETTERS_MIN = 5
ORDINARY = (
    "usb 1-2: new high-speed USB device number %d using xhci_hcd",
    "audit: type=1400 audit(1700000000.%d:77): apparmor=\"STATUS\" operation=\"profile_load\" name=\"snap.x\"",
    "eth0: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX/TX, run %d",
    "EXT4-fs (sda2): mounted filesystem with ordered data mode. Quota mode: none. mount %d",
    "nvidia-uvm: Loaded the UVM driver, major device number %d.",
    "systemd[1]: Started Session %d of User root.",
)
KNOWN_EVERY = 200  # lines of which one is of the driver
KNOWN = (
    "NVRM: Xid (PCI:0000:%02x:00): 79, pid=1234, name=python3, GPU has fallen off the bus.",
    "NVRM: GPU 0000:%02x:00.0: RmInitAdapter failed! (0x26:0x56:1463)",
)


KEYS = {
    "message": ("pattern", "patterns"),
    "error": ("name", "runtime_name", "older_name", "text"),
    "log": ("parts",),
}


def texts_of(manifests):
    """The texts that are looked for: of patterns what stands before the first hole."""
    found = set()

    def walk(value, key, keys):
        if isinstance(value, dict):
            for name, inner in value.items():
                walk(inner, name, keys)
        elif isinstance(value, list):
            for inner in value:
                walk(inner, key, keys)
        elif isinstance(value, str) and key in keys:
            found.add(value.split("{")[0].strip())

    for subject, keys in KEYS.items():
        with open(os.path.join(manifests, subject + ".json"), encoding="utf-8") as file:
            walk(json.load(file), "", keys)
    return sorted(text for text in found if len(text) >= LETTERS_MIN and "\n" not in text)


def write_log(path, size, prefix):
    block, line = [], 0
    for line in range(200000):
        known = line % KNOWN_EVERY == KNOWN_EVERY - 1
        words = KNOWN[line // KNOWN_EVERY % len(KNOWN)] if known else ORDINARY[line % len(ORDINARY)]
        block.append(prefix % (line // 1000, line % 1000) + words % (line % 250) + "\n")
    text = "".join(block).encode()
    with open(path, "wb") as file:
        for at in range(0, size, len(text)):
            file.write(text[: size - at])


def run(arguments, environment, output):
    """Seconds, of the processor and by the clock, and the peak memory in MiB."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)  # for /dev/null, grep stops early
        os.execvpe(arguments[0], arguments, dict(os.environ, **environment))
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{arguments[0]}: exit {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    gpuenv, manifests, work = sys.argv[1:4]
    size = int(sys.argv[4]) * 10**6
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    log, journal, texts = (os.path.join(work, name) for name in ("dmesg.txt", "journal.txt", "texts"))
    write_log(log, size, "[%5d.%06d] ")
    write_log(journal, 50 * 10**6, "Nov 21 13:37:01 host kernel: [%5d.%06d] ")
    known = texts_of(manifests)
    with open(texts, "w", encoding="utf-8") as file:
        file.write("\n".join(known) + "\n")
    ways = {
        "gpuenv explain": ([gpuenv, "explain", "--file", log], {}),
        "grep -cFf, LC_ALL=C": (["grep", "-cFf", texts, log], {"LC_ALL": "C"}),
        "grep -cFf, C.UTF-8": (["grep", "-cFf", texts, log], {"LC_ALL": "C.UTF-8"}),
        "gpuenv doctor --from, 50 MB": ([gpuenv, "doctor", "--from", journal], {}),
    }
    taken = {name: [] for name in ways}
    for _ in range(rounds):  # by turns: what else the machine does is the same for all
        for name, (arguments, environment) in ways.items():
            taken[name].append(run(arguments, environment, os.path.join(work, "output")))
    print(f"{size / 1e6:.0f} MB, {len(known)} texts, medians of {rounds} rounds; load {os.getloadavg()[0]:.1f}")
    medians = {}
    for name, rows in taken.items():
        medians[name] = [statistics.median(column) for column in zip(*rows)]
        cpu, clock, memory = medians[name]
        print(f"{name:28}  {cpu:7.2f} s of processor  {clock:7.2f} s  {memory:6.1f} MiB")
    explain = medians["gpuenv explain"][0]
    for name in ("grep -cFf, LC_ALL=C", "grep -cFf, C.UTF-8"):
        print(f"gpuenv explain / {name}: {explain / medians[name][0]:.2f}")
    print(f"gpuenv explain: {explain * 1e9 / size:.2f} s of processor per GB")


main()
