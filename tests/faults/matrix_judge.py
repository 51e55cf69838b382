# SPDX-License-Identifier: MIT
"""Whether what a run left and said is right."""
import hashlib
import re

import matrix_world as world
from matrix_operations import PENDING, PREFIX

# What is said when all is done, and an error came after it.
UNCONFIRMED = [
    r", but the disk did not confirm the (change|write)",
    r"cannot write the output",
    r"it is installed, but",
    r"the uninstall is done, but",
    r"the mirror is complete, but",
    r"everything requested is done; only the report",
]
NOTHING_DONE = r"nothing was (installed|changed|removed|uninstalled|done)|what is there is as it was"


class Verdict:
    def __init__(self, operation, number, mode):
        self.operation, self.number, self.mode = operation, number, mode
        self.state = ""
        self.is_unconfirmed = False
        self.call = ""
        self.violations = []
        self.details = []

    def point(self):
        return f"{self.operation}:{self.number}:{self.mode}"


def one_line(text):
    return " ".join(text.split())


class Judge:
    def __init__(self, fixture):
        self.fixture = fixture
        self.known = {}  # by operation and world: what depends on files alone is looked at once

    def point(self, operation, number, mode):
        """Runs the operation with a fault at its n-th call."""
        old, _, _ = self.fixture.worlds_of(operation)
        self.fixture.put(old)
        result = self.fixture.call_at(operation.words, number, mode)
        verdict = Verdict(operation.name, number, mode)
        if number <= len(result.calls):
            _, process, name, what, _ = result.calls[number - 1]
            verdict.call = f"{name} {what.replace(self.fixture.run_top, '…')} (process {process})"
        else:
            verdict.call = "(never came)"
        after = self.fixture.take()
        verdict.state, told, files = self.look(operation, after)
        verdict.violations = list(files)
        self.judge_words(operation, verdict, result)
        verdict.details = [f"the call: {verdict.call}", f"exit code: {result.code}", f"stdout: {result.out.strip()}",
                           f"stderr: {result.err.strip()}", f"state: {verdict.state}", *told]
        return verdict

    def undisturbed(self, operation):
        """Point 0: no fault at all. Only what is in its place is there then."""
        old, new, result = self.fixture.worlds_of(operation)
        verdict = Verdict(operation.name, 0, "none")
        verdict.call = "(no fault)"
        verdict.state, verdict.details, files = self.look(operation, new)
        verdict.violations = list(files)
        self.judge_words(operation, verdict, result)
        for path in new:
            if path not in old and (PENDING in path or "/stage" in path or ".gpuenv-" in path) or "/partial/" in path:
                verdict.violations.append(f"e: {path} is left over")
        return verdict

    # --- What it said ---

    def judge_words(self, operation, verdict, result):
        err = one_line(result.err)
        add = verdict.violations.append
        if result.code is None:
            add(err)
            return
        if re.search(NOTHING_DONE, err) and verdict.state not in ("old", "half"):
            add(f"b: says {re.search(NOTHING_DONE, err).group()!r}, and it is {verdict.state}")
        if verdict.mode == "kill" and result.code == 137:
            return
        if result.code >= 128 or result.code < 0:
            add(f"b: crashes, {result.code}")
        elif result.code == 0 and verdict.state != "new":
            add(f"b: exit code 0, and it is {verdict.state}")
        elif result.code != 0 and verdict.state == "new":
            verdict.is_unconfirmed = any(re.search(words, err) for words in UNCONFIRMED)
            if not verdict.is_unconfirmed:
                add(f"b: exit code {result.code}, and it is new: {err[:160]!r}")
        if result.code == 0 and verdict.mode not in ("kill", "EINTR"):
            self.judge_unheard(verdict, result.calls)
        if result.code != 0 and not err and not verdict.call.startswith(("write pipe", "writev pipe")):
            add(f"b: exit code {result.code}, and no word")

    def judge_unheard(self, verdict, calls):
        """An error that says that bytes may not be on the disk may not end in success."""
        if verdict.number > len(calls):
            return
        _, process, name, what, _ = calls[verdict.number - 1]
        if not what.startswith(self.fixture.run_top) or "/cache/" in what:
            return
        if name in ("fsync", "fdatasync", "syncfs"):
            verdict.violations.append("b: exit code 0, and it was not brought to the disk")
        elif name == "close" and self.was_written(process, what, calls[:verdict.number - 1]):
            verdict.violations.append("b: exit code 0, and closing a file that was written failed")

    @staticmethod
    def was_written(process, path, calls):
        """Written, and neither synced nor closed since."""
        dirty = False
        for _, of, name, what, _ in calls:
            if of == process and what == path and name in ("write", "pwrite64", "writev", "ftruncate"):
                dirty = True
            elif of == process and what == path and name in ("fsync", "fdatasync", "close"):
                dirty = False
        return dirty

    # --- What it left ---

    def look(self, operation, after):
        """The state, what was seen, and what is wrong: now, and after the same command once more."""
        key = (operation.name, world.key(after))
        if key not in self.known:
            self.known[key] = self.look_closely(operation, after)
        return self.known[key]

    def verify_codes(self, operation):
        """What verify says of the old and of the new world, undisturbed."""
        key = (operation.name, "verify")
        if key not in self.known:
            old, new, _ = self.fixture.worlds_of(operation)
            codes = {}
            for name, there in (("old", old), ("new", new)):
                self.fixture.put(there)
                codes[name] = self.fixture.verify()[0]
            self.known[key] = codes
        return self.known[key]

    def look_closely(self, operation, after):
        old, new, _ = self.fixture.worlds_of(operation)
        codes = self.verify_codes(operation) if operation.has_verify else {}
        self.fixture.put(after)
        said = self.fixture.verify() if operation.has_verify else (None, "")
        state, why = operation.state(after, old, new, said)
        wrong, told = [], [f"verify: {said[0]}: {one_line(said[1])}"] if operation.has_verify else []
        if state == "half":
            wrong.append(f"a: {why}")
            if operation.has_verify:
                told.append(f"from new: {world.differences(world.part(after, PREFIX) or {}, world.part(new, PREFIX) or {})}")
        if operation.has_verify and said[0] != codes.get(state, 1):
            wrong.append(f"d: verify ends with {said[0]}, and it is {state}")
        wrong += self.judge_cache(after)
        words = operation.again if operation.again and state == "new" else operation.words
        again = self.fixture.call(words)
        told.append(f"once more: {again.code}: {one_line(again.out)} {one_line(again.err)}")
        wrong += self.judge_again(operation, state, again, self.fixture.take(), codes)
        return state, told, wrong

    def judge_again(self, operation, state, again, after, codes):
        _, new, _ = self.fixture.worlds_of(operation)
        wrong = []
        if again.code not in operation.again_codes or (again.code == 66 and state == "old"):
            wrong.append(f"c: the next run ends with {again.code}: {one_line(again.err)[:160]!r}")
        for name in ("o", "site", "lock", "data"):
            found, wanted = world.part(after, name) or {}, world.part(new, name) or {}
            if found != wanted:
                wrong.append(f"{'e' if not self.is_lacking(found, wanted) else 'c'}: after the next run: "
                             f"{name}: {world.differences(found, wanted)}")
        if operation.has_verify:
            code, text = self.fixture.verify()
            if code != codes["new"]:
                wrong.append(f"d: after the next run verify ends with {code}: {one_line(text)[:120]!r}")
        cache, wanted = world.part(after, "cache") or {}, world.part(new, "cache") or {}
        for path, entry in cache.items():
            if entry[0] != "directory" and wanted.get(path) != entry:
                wrong.append(f"e: after the next run: cache/{path} is left over")
        return wrong + self.judge_cache(after)

    @staticmethod
    def is_lacking(found, wanted):
        return any(found.get(path) != entry for path, entry in wanted.items())

    @staticmethod
    def judge_cache(after):
        wrong = []
        for path, entry in (world.part(after, "cache/sha256") or {}).items():
            if entry[0] == "file" and hashlib.sha256(entry[2]).hexdigest() != path.rsplit("/", 1)[-1]:
                wrong.append(f"a: cache/sha256/{path} is not what its name says")
        return wrong
