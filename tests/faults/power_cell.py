# SPDX-License-Identifier: MIT
"""One operation on one kind of file system, for tests/faults/power-cut: it is run, the power is cut at
many moments of it, and each cut is judged."""
import os
import random
import select
import subprocess
import time

import power_disk
import power_judge
from power_disk import Trouble

DURABLE = ("fsync", "fdatasync", "syncfs", "rename", "link", "unlink", "mkdir", "rmdir", "symlink")


class Programs:
    def __init__(self, gpuenv, nth_call, top):
        self.gpuenv, self.nth_call, self.top = gpuenv, nth_call, top
        self.trusting = os.path.join(os.path.dirname(os.path.dirname(nth_call)), "trusting/gpuenv")


class Cut:
    """The disk as it was at a moment: label says which moment, so that --cut can take it again."""

    def __init__(self, label, where, image, said_success):
        self.label, self.where, self.image, self.said_success = label, where, image, said_success


class Result:
    def __init__(self, kind, operation):
        self.kind, self.operation = kind, operation
        self.cuts = self.judged = self.failed = 0
        self.outcomes = {"old": 0, "new": 0, "pending": 0, "neither": 0}
        self.violations = {}  # what: [more of it, label, where, how many cuts]; the first of its kind
        self.repaired = set()
        self.seconds = 0.0
        self.trouble = None

    def add(self, cut, outcome, violations):
        self.cuts += 1
        self.outcomes[outcome] += 1
        self.failed += 1 if violations else 0
        for what, more in dict(violations).items():
            more = " ".join(more.split())[:300]
            self.violations.setdefault(what, [more, cut.label, cut.where, 0])[3] += 1


class Cell:
    def __init__(self, programs, kind, operation, random_count, seed, only):
        self.programs, self.operation, self.only = programs, operation, only
        self.random_count = random_count
        self.random = random.Random(f"{seed} {kind.name} {operation.name}")
        self.directory = f"{programs.top}/{kind.name}-{operation.name}"
        for name in ("home", "cache"):
            os.makedirs(f"{self.directory}/{name}")
        for name in ("stopped", "go"):
            os.mkfifo(f"{self.directory}/{name}")
        self.disk = power_disk.Disk(kind, self.directory)
        self.result = Result(kind.name, operation.name)
        self.places = {"@disk": self.disk.root, "@outside": f"{self.directory}/outside",
                       "@site105": f"{programs.top}/site105", "@site106": f"{programs.top}/site106",
                       "@mirror": f"{programs.top}/mirror", "@manifest": f"{programs.top}/manifest.json"}
        self.environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": f"{self.directory}/home",
                            "GPUENV_CACHE_DIR": f"{self.directory}/cache",
                            "GPUENV_DATA_DIR": f"{self.disk.root}/data/gpuenv",
                            "SOURCE_DATE_EPOCH": "1760000000", "ASAN_OPTIONS": "detect_leaks=0"}

    def words(self, words):
        out = [self.programs.trusting if words[:2] == ["manifest", "update"] else self.programs.gpuenv]
        for word in words:
            place = word.split("/", 1)[0]
            out.append(word.replace(place, self.places[place], 1) if place in self.places else word)
        return out

    def gpuenv(self, words, before=()):
        done = subprocess.run([*before, *self.words(words)], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)
        return done.returncode, done.stdout

    def must(self, words, before=()):
        code, said = self.gpuenv(words, before)
        if code != 0:
            raise Trouble(f"{' '.join(words)}: {code}: {said[-400:]}")

    def tree(self):
        return power_disk.tree_of(self.disk.root)

    # --- What is cut ---

    def prepare(self):
        """The file system before the operation, all of it on the disk."""
        self.disk.make()
        self.disk.mount()
        for step in self.operation.before:
            if callable(step):
                step(self.disk.root)
            else:
                self.must(step)
        self.disk.unmount()
        self.base = self.disk.read()

    def undisturbed(self):
        """Twice: the second run finds what the first one has put into the cache, as all others do."""
        self.disk.write(self.base)
        self.disk.mount()
        self.must(self.operation.words)
        self.disk.unmount()
        self.disk.write(self.base)
        self.disk.mount()
        old = self.tree()
        judge = power_judge.Judge(self.operation, None, self.gpuenv, self.tree, self.disk.root)
        old_verify, _ = judge.verify()
        listing = f"{self.directory}/list"
        self.must(self.operation.words, [self.programs.nth_call, "--list", listing, "--"])
        new = self.tree()
        new_verify, _ = judge.verify()
        settled, said = self.gpuenv(self.operation.settled)
        if self.tree() != new:
            raise Trouble(f"{' '.join(self.operation.settled)} is not settled: {said[-400:]}")
        self.disk.unmount()
        if old == new:
            raise Trouble(f"{' '.join(self.operation.words)} changes nothing")
        judge.baseline = power_judge.Baseline(old, new, old_verify, new_verify, settled)
        self.judge = judge
        self.calls = read_list(listing)

    def moments(self):
        """(kind of calls, with a commit, their numbers, at its end, too) of each run that is cut."""
        if self.only:
            moment, _, number = self.only.partition(":")
            kind, _, commit = moment.partition("+")
            return [(kind, bool(commit), [int(number)] if number else [], kind == "end")]
        durable = [call for call in self.calls.values() if call.is_durable]
        steps = [number for number, call in enumerate(durable, 1) if call.is_done]
        others = [number for number, call in self.calls.items()
                  if not call.is_durable and self.disk.root in call.words]
        chosen = self.random.sample(others, min(self.random_count, len(others)))
        half = len(chosen) // 2
        return [("durable", False, steps, True), ("durable", True, steps, True),
                ("call", False, chosen[:half], False), ("call", True, chosen[half:], False)]

    def cut_all(self, kind, commit, numbers, at_end):
        """The cuts of one run. One that makes other durable steps than the first one is cut at all its calls."""
        cuts, calls = self.cut_once(kind, commit, numbers, at_end)
        if kind == "durable" and not self.only:
            steps = {number for number, call in calls.items() if call.is_done}
            if steps - set(numbers):
                cuts, calls = self.cut_once(kind, commit, range(1, len(calls) + 100), at_end)
        return cuts

    def cut_once(self, kind, commit, numbers, at_end):
        """One run, stopped at these calls and copied at each; and what its calls were."""
        self.disk.write(self.base)
        self.disk.mount()
        cuts, word = [], "+commit" if commit else ""
        take = lambda label, said: cuts.append(Cut(label, "", self.take(commit), said))
        code = self.run_stopping(kind, numbers, lambda n: take(f"{kind}{word}:{n}", False))
        if at_end:
            take(f"end{word}", code == 0)
        if code != 0:
            raise Trouble(f"gpuenv ended with {code} under nth-call: {self.said()}")
        self.disk.unmount()
        calls = read_list(f"{self.directory}/list")
        for cut in cuts:
            call = calls.get(int(cut.label.partition(":")[2] or 0))
            cut.where = f"after {call.words}".replace(self.disk.root, "") if call else "at its end"
        return cuts, calls

    def take(self, commit):
        if commit:
            self.disk.commit()
        return self.disk.copy()

    def said(self):
        with open(f"{self.directory}/said", encoding="utf-8", errors="replace") as file:
            return file.read()[-400:]

    def run_stopping(self, kind, numbers, take):
        """gpuenv under nth-call; take(n) while it is stopped after its n-th call. Its exit code."""
        stopped, go = (os.open(f"{self.directory}/{name}", os.O_RDWR) for name in ("stopped", "go"))
        words = [self.programs.nth_call, "--list", f"{self.directory}/list"]
        if kind == "durable":
            words.append("--durable")
        if numbers:
            run = f'echo "$NTH_CALL" >"{self.directory}/stopped" && read -r _ <"{self.directory}/go"'
            words += ["--at", ",".join(map(str, sorted(numbers))), "--run", run]
        with open(f"{self.directory}/said", "wb") as said:
            process = subprocess.Popen([*words, "--", *self.words(self.operation.words)], stdout=said,
                                       stderr=said, stdin=subprocess.DEVNULL, env=self.environment)
        ended = os.pidfd_open(process.pid)
        try:
            while ended not in (ready := select.select([stopped, ended], [], [])[0]):
                if stopped in ready:
                    take(int(os.read(stopped, 64)))
                    os.write(go, b"\n")
            return process.wait()
        finally:
            process.kill()
            process.wait()
            for fd in (stopped, go, ended):
                os.close(fd)

    # --- What is left ---

    def judge_all(self, cuts):
        images, trees = {}, {}
        for cut in cuts:
            key = (power_disk.image_key(cut.image), cut.said_success)
            if key not in images:
                images[key] = self.judge_image(cut, trees)
            self.result.add(cut, *images[key])

    def judge_image(self, cut, trees):
        self.disk.write(cut.image)
        try:
            repair = self.disk.mount_cut()
        except Trouble as trouble:
            return "neither", [("it cannot be mounted", str(trouble))]
        if repair:
            self.result.repaired.add(repair)
        try:
            tree = self.tree()
            key = (frozenset(tree.items()), cut.said_success)
            if key not in trees:
                self.result.judged += 1
                trees[key] = self.judge.judge(tree, cut.said_success)
            return trees[key]
        finally:
            self.disk.unmount()

    def run(self):
        start = time.monotonic()
        try:
            self.prepare()
            self.undisturbed()
            for moment in self.moments():
                self.judge_all(self.cut_all(*moment))
        except (Trouble, OSError, subprocess.SubprocessError) as trouble:
            self.result.trouble = str(trouble)
        if self.disk.device:
            subprocess.run(["umount", "-l", self.disk.root], check=False)
        self.result.seconds = time.monotonic() - start
        return self.result


class Call:
    def __init__(self, name, what, result):
        self.words = f"{name} {what}"
        self.is_durable = name.startswith(DURABLE)
        self.is_done = result.isdigit()  # else it is an error


def read_list(path):
    """{number: Call} of a list that nth-call wrote."""
    calls = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            number, _, *words = line.rstrip("\n").split("\t")
            calls[int(number)] = Call(*words)
    return calls
