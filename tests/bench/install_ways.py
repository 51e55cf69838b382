# SPDX-License-Identifier: MIT
"""What tests/bench/install measures, and how it is printed."""
import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time

parser = argparse.ArgumentParser()
for name in ("work", "server", "version", "gpuenv", "bench"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--pages", choices=("warm", "cold"), default="warm")
parser.add_argument("--ways", default="gpuenv sample once parallel floor")
parser.add_argument("--base", type=str.split)
options = parser.parse_args()
work, bench = options.work, options.bench
mirror = f"{work}/mirror/compute/cuda/redist"
redist = f"{options.server}/compute/cuda/redist"
cores = len(os.sched_getaffinity(0))
here = f"{work}/run"  # what a run makes; on the file system of the work directory


def archives():
    """(size, path below the mirror, sha256), largest first."""
    release = json.load(open(f"{mirror}/redistrib_{options.version}.json", encoding="utf-8"))
    entries = [value["linux-x86_64"] for value in release.values() if isinstance(value, dict)]
    return sorted(((int(e["size"]), e["relative_path"], e["sha256"]) for e in entries), reverse=True)


def install(program):
    """The manifest is the built-in one, which has no pin of what was packed here."""
    return [program, "install", "--allow-unpinned", "--mirror", options.server, f"cuda@{options.version}",
            "--prefix", f"{here}/tree", "--accept-eula", "--progress", "none"]


listing = f"{work}/archives.txt"
with open(listing, "w", encoding="utf-8") as file:
    for size, path, digest in archives():
        print(size, path, digest, file=file)
sample = [sys.executable, "-I", f"{bench}/install_sample.py", f"{redist}/redistrib_{options.version}.json", here]
decode = f"cut -d ' ' -f 2 {listing} | xargs -P {cores} -I @ sh -c 'xz -dc {mirror}/@ >/dev/null'"
WAYS = {
    "gpuenv": install(options.gpuenv),
    "sample": sample,
    "once": sample + ["--once"],
    "parallel": [f"{bench}/install_parallel", listing, redist, here, str(cores)],
    "floor": ["sh", "-c", decode],
}
BASES = {os.path.basename(os.path.dirname(program)): install(program) for program in options.base}
WAYS |= BASES


def forget(paths):
    """Takes the pages of files out of memory; they are to be clean."""
    for path in paths:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def put_away():
    """The room of what was made, but not its inodes: ext4 passes over those that were just freed, one by one, and
    would let the next way pay for them."""
    os.makedirs(f"{work}/old", exist_ok=True)
    if os.path.isdir(here):
        os.rename(here, f"{work}/old/{len(os.listdir(f'{work}/old'))}")
    for base, _, names in os.walk(f"{work}/old/{len(os.listdir(f'{work}/old')) - 1}"):
        for name in names:
            if not os.path.islink(f"{base}/{name}"):
                os.chmod(f"{base}/{name}", 0o600)
                os.truncate(f"{base}/{name}", 0)


def prepare():
    """The same state for each: nothing made yet, nothing left to write."""
    put_away()
    os.mkdir(here)
    os.sync()
    paths = [f"{mirror}/{path}" for _, path, _ in archives()]
    if options.pages == "cold":
        forget(paths)
    else:
        for path in paths:
            with open(path, "rb") as file:
                while file.read(1 << 20):
                    pass


def environment():
    return os.environ | {"GPUENV_CACHE_DIR": f"{here}/cache"}


def run(command):
    """Wall seconds, and CPU seconds of all its processes."""
    prepare()
    start = time.monotonic()
    child = subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"install: {' '.join(command)} ended with {child.returncode}")
    return wall, usage.ru_utime + usage.ru_stime


def below(pid):
    """pid and all that descend from it."""
    found = [pid]
    for process in found:
        for tasks in glob.glob(f"/proc/{process}/task/*/children"):
            try:
                found += [int(word) for word in open(tasks, encoding="ascii").read().split()]
            except OSError:
                pass
    return found


def memory_of(pid):
    """KiB that are its own, with its share of what it shares (PSS)."""
    try:
        for line in open(f"/proc/{pid}/smaps_rollup", encoding="ascii"):
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def peak_memory(command):
    """The largest sum of PSS that was seen, and its parts; a run of its own, for looking costs time."""
    prepare()
    child = subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    best, ended = [], threading.Event()
    threading.Thread(target=lambda: (child.wait(), ended.set())).start()
    samples = 0
    while not ended.is_set():
        parts = sorted((memory_of(pid) for pid in below(child.pid)), reverse=True)
        samples += 1
        if sum(parts) > sum(best):
            best = parts
        ended.wait(0.005)
    return best, samples


def dictionaries():
    """MiB of xz's dictionaries, of as many archives as are unpacked at once: the largest ones."""
    sizes = []
    for _, path, _ in archives():
        report = subprocess.run(["xz", "--robot", "-lvv", f"{mirror}/{path}"], capture_output=True, text=True,
                                check=True).stdout
        number, unit = re.search(r"dict=(\d+)([KMG])iB", report).groups()
        sizes.append(int(number) * {"K": 1 / 1024, "M": 1, "G": 1024}[unit])
    return sum(sorted(sizes, reverse=True)[:cores])


def nothing_to_do(times=41):
    """Median milliseconds of a second run, and of a program that does nothing, by compare.c."""
    out = subprocess.run([f"{work}/compare", str(times), *WAYS["gpuenv"], "--", "/bin/true"],
                         env=environment(), capture_output=True, text=True, check=True).stdout
    return out.strip().splitlines()


def load():
    return open("/proc/loadavg", encoding="ascii").read().split()[0]


def ratio(what, measured, other, target):
    value = measured / other
    print(f"  {what:48s} {value:5.2f}   target {target}: {'kept' if value <= target else 'MISSED'}")


def largest_alone():
    """Wall seconds of xz -dc of the largest archive: on however many cores, no way is faster than that."""
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(["xz", "-dc", f"{mirror}/{archives()[0][1]}"], stdout=subprocess.DEVNULL, check=True)
        times.append(time.monotonic() - start)
    return statistics.median(times)


def compare(figures):
    medians = {way: statistics.median(wall for wall, _ in runs) for way, runs in figures.items()}
    cpu = {way: statistics.median(used for _, used in runs) for way, runs in figures.items()}
    print(f"{'':14s}{'median':>9s}{'least':>9s}{'CPU':>9s}   seconds")
    for way, runs in figures.items():
        print(f"{way:14s}{medians[way]:9.2f}{min(runs)[0]:9.2f}{cpu[way]:9.2f}   "
              + " ".join(f"{wall:.2f}" for wall, _ in runs))
    if "gpuenv" not in medians:
        return
    ours = medians["gpuenv"]
    for way, target in (*((way, None) for way in BASES), ("sample", 0.45), ("once", None), ("parallel", 1.0)):
        if way in medians and target:
            ratio(f"gpuenv / {way}", ours, medians[way], target)
        elif way in medians:
            print(f"  {'gpuenv / ' + way:48s} {ours / medians[way]:5.2f}")
    if "floor" in medians:
        ratio(f"gpuenv / (CPU seconds of xz -dc / {cores} cores)", ours, cpu["floor"] / cores, 1.35)
        print(f"  {'gpuenv / wall of xz -dc, as loaded as we were':48s} {ours / medians['floor']:5.2f}")
        print(f"  {'CPU seconds of gpuenv / those of xz -dc':48s} {cpu['gpuenv'] / cpu['floor']:5.2f}")
        print(f"  {'gpuenv / xz -dc of the largest archive alone':48s} {ours / largest_alone():5.2f}")


def main():
    sizes = archives()
    print(f"{len(sizes)} archives, {sum(size for size, _, _ in sizes) / 1e6:.0f} MB; {cores} cores; "
          f"pages of the mirror {options.pages}; load {load()}", flush=True)
    ways = [way for way in WAYS if way in options.ways.split() or way in BASES]
    figures = {way: [] for way in ways}
    for round_ in range(options.rounds):
        turn = ways[round_ % len(ways):] + ways[:round_ % len(ways)]
        for way in turn if round_ % 2 == 0 else reversed(turn):
            figures[way].append(run(WAYS[way]))
        print(f"round {round_ + 1}: " + ", ".join(f"{way} {figures[way][-1][0]:.2f} s" for way in ways)
              + f"; load {load()}", flush=True)
    compare(figures)
    if "gpuenv" not in ways:
        return
    run(WAYS["gpuenv"])
    tree = sum(os.lstat(f"{base}/{name}").st_size for base, _, names in os.walk(f"{here}/tree") for name in names)
    print(f"unpacked: {tree / 1e6:.0f} MB")
    print("nothing to do (target: 20 ms), beside /bin/true:")
    print("\n".join(f"  {line}" for line in nothing_to_do()))
    parts, samples = peak_memory(WAYS["gpuenv"])
    xz = dictionaries()
    beside = sum(parts) / 1024 - xz
    print(f"peak memory, sum of PSS of all processes in {samples} samples: {sum(parts) / 1024:.1f} MiB ("
          + " + ".join(f"{part / 1024:.1f}" for part in parts) + f"), dictionaries {xz:.0f} MiB; "
          f"beside them {beside:.1f} MiB   target 64: {'kept' if beside <= 64 else 'MISSED'}")


main()
