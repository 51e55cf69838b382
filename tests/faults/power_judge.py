# SPDX-License-Identifier: MIT
"""Whether what a power cut left is what gpuenv promises, for tests/faults/power-cut."""
import os
import re

from small import INTERRUPTED

SHOWN = 3  # paths that a violation names


def words_of(entry):
    if entry is None:
        return "missing"
    if entry[0] == "file":
        return f"{entry[2]} bytes of {entry[3][:8]}" if entry[2] else "empty"
    return " ".join(str(part) for part in entry)


def differences(found, wanted):
    """The paths at which they differ, as words; "" where they do not."""
    paths = sorted(path for path in found.keys() | wanted.keys() if found.get(path) != wanted.get(path))
    words = [f"{path or '.'}: {words_of(found.get(path))}, not {words_of(wanted.get(path))}"
             if path in wanted else f"{path}: left over" for path in paths]
    return "; ".join(words[:SHOWN] + ([f"and {len(words) - SHOWN} more"] if len(words) > SHOWN else []))


class Baseline:
    """What an operation makes of the file system undisturbed: the trees before and after it, what verify
    ends with, and what the command ends with that finds it done."""

    def __init__(self, old, new, old_verify, new_verify, settled):
        self.old, self.new = old, new
        self.old_verify, self.new_verify = old_verify, new_verify
        self.settled = settled


class Judge:
    """run(words) runs gpuenv and returns (code, what it printed); tree() is what root, the mounted copy,
    holds."""

    def __init__(self, operation, baseline, run, tree, root):
        self.operation, self.baseline = operation, baseline
        self.run, self.tree, self.root = run, tree, root
        self.prefix = f"{operation.place}/" if operation.kind != "file" else None

    def view(self, tree):
        """What is judged: the place, without what gpuenv keeps for itself in it but for the ledger."""
        below = {}
        for path, entry in tree.items():
            if path == self.operation.place:
                below[""] = entry
            elif self.prefix and path.startswith(self.prefix):
                name = path[len(self.prefix):]
                if not name.startswith((".gpuenv", ".gpuenv-mirror")) or name == ".gpuenv/ledger.json":
                    below[name] = entry
        return below

    def judge(self, tree, said_success):
        """What is there: old, new, pending or neither; and the violations: what, and more of it."""
        wrong = []
        outcome = {"prefix": self._prefix, "file": self._file, "mirror": self._mirror}[
            self.operation.kind](tree, wrong)
        if said_success and outcome != "new":
            wrong.append((f"gpuenv had ended with 0, and the state is {outcome}",
                          differences(self.view(tree), self.view(self.baseline.new))))
        self._again(outcome, wrong)
        return outcome, wrong

    def verify(self):
        if self.operation.kind != "prefix":
            return 0, ""
        return self.run(["verify", "--prefix", f"@disk/{self.operation.place}"])

    def _prefix(self, tree, wrong):
        code, said = self.verify()
        found, old, new = (self.view(t) for t in (tree, self.baseline.old, self.baseline.new))
        if code == 1 and INTERRUPTED in said:
            self._pending(tree, found, old, new, wrong)
            return "pending"
        for outcome, wanted, expected in (("new", new, self.baseline.new_verify),
                                          ("old", old, self.baseline.old_verify)):
            if found == wanted:
                if code != expected:
                    wrong.append((f"it is {outcome}, and verify ends with {code}, not {expected}", said))
                return outcome
        wrong.append((f"neither old nor new, and verify ({code}) does not say that a change was interrupted",
                      f"not old: {differences(found, old)}; not new: {differences(found, new)}"))
        return "neither"

    def _pending(self, tree, found, old, new, wrong):
        """Every file is one of before or of after, whole; and what is to come is whole."""
        for path, entry in found.items():
            if entry not in (old.get(path), new.get(path)):
                wrong.append(("pending, and a file is neither that of before nor that of after",
                              f"{path}: {words_of(entry)}"))
        for path, entry in old.items():
            if path not in found and new.get(path) == entry:
                wrong.append(("pending, and a file that stays is missing", path))
        staged = f"{self.prefix}.gpuenv/stage/new/"
        for path, entry in tree.items():
            if path.startswith(staged) and entry[0] != "directory" and entry != new.get(path[len(staged):]):
                wrong.append(("pending, and a file that is to come is not whole", f"{path}: {words_of(entry)}"))

    def _file(self, tree, wrong):
        place = self.operation.place
        for outcome, wanted in (("new", self.baseline.new), ("old", self.baseline.old)):
            if tree.get(place) == wanted.get(place):
                return outcome
        wrong.append(("the file is neither old nor new",
                      f"{place}: {words_of(tree.get(place))}, not {words_of(self.baseline.old.get(place))}, "
                      f"and not {words_of(self.baseline.new.get(place))}"))
        return "neither"

    def _mirror(self, tree, wrong):
        """A file with its name is whole, and a mirror that has a list has what it names."""
        found, new = self.view(tree), self.view(self.baseline.new)
        files = {path: entry for path, entry in found.items() if entry[0] != "directory"}
        for path, entry in files.items():
            if entry != new.get(path):
                wrong.append(("a file of the mirror is wrong",
                              f"{path}: {words_of(entry)}, not {words_of(new.get(path))}"))
        for path in files:
            if os.path.basename(path).startswith("redistrib_"):
                for named in self._named(path, new):
                    if named not in files:
                        wrong.append(("a list is there, and an archive that it names is not",
                                      f"{path}, {named}"))
        if found == new:
            return "new"
        return "pending" if files else "old"

    def _named(self, path, new):
        """The archives of the list that an undisturbed mirror has."""
        with open(f"{self.root}/{self.operation.place}/{path}", encoding="utf-8") as file:
            names = re.findall(r'"relative_path": "([^"]+)"', file.read())
        directory = os.path.dirname(path)
        return [f"{directory}/{name}" for name in names if f"{directory}/{name}" in new]

    def _again(self, outcome, wrong):
        """The same once more ends it: the new state, and nothing beside it."""
        words = self.operation.settled if outcome == "new" else self.operation.words
        expected = self.baseline.settled if outcome == "new" else 0
        code, said = self.run(words)
        if code != expected:
            wrong.append((f"{outcome}, and the same again ends with {code}, not {expected}", said))
        left = differences(self.tree(), self.baseline.new)
        if left:
            wrong.append((f"{outcome}, and the same again ({code}) does not end in the new state", left))
        code, said = self.verify()
        if code != self.baseline.new_verify:
            wrong.append((f"{outcome}, and after the same again verify ends with {code}", said))
