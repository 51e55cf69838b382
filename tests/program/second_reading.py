# SPDX-License-Identifier: MIT
"""A second reading of the compatibility facts, from the source CSV rows alone.

Derives every cell toolkit release x driver branch x compute capability, and for each driver that a
row names (and the one just below it) every toolkit without a GPU, by the rules in words:

  GPU and branch     a branch drives a GPU from its first branch to its last, and not below the
                     branch's own minimum. Where the first is not written, a branch that reports
                     a CUDA version which knows the GPU drives it, if the architecture is on the
                     list of those with desktop or server drivers; else it is unknown
  GPU and toolkit    from first_cuda to last_cuda; without first_cuda, as the lists of nvcc say
  driver, toolkit    exact from the toolkit's minimum; without one, from its bundled driver, or when
                     the branch reports that CUDA version and the driver is not below the minimum of
                     an earlier toolkit of that minor. Else minor_version from the floor of the CUDA
                     major. An upper bound in a table is no bound
  a cell             no if one of the three is no; else unknown if one is; else what the last says

Thor is 10.1 in CUDA 12.8 and 12.9 and 11.0 from 13.0: no branch before the first of 11.0 drives it
as 10.1, and whether a later one runs what was made for 10.1 no row says.

It compares fit and class of the reason with what `gpuenv resolve cuda` answers. The driver of a
branch is its latest_seen; without one, the newest of the branch that a toolkit row names. Of a
branch without any driver (620) only the number is known: it is asked for as 620.0, is newer than
every branch below it, and can do what they can.

Called by tests/program/second-reading: second_reading.py FACTS PROGRAM ROOT, where FACTS holds the
CSV files and ROOT is an empty directory, so that nothing of this machine is looked at.
"""
import csv
import json
import multiprocessing.pool
import os
import re
import subprocess
import sys


# Cells that were found to be wrong later, against the sources that the manifest names: (what the facts
# say, what is right). PTX ISA 6.1, which CUDA 9.1 brought, is the first that has sm_72.
CORRECTED = {("compute_capability", "7.2", "first_cuda"): ("9.0", "9.1")}


def corrected(name, row):
    key = next(iter(row.values()))
    for (table, wanted, column), (wrong, right) in CORRECTED.items():
        if (table, wanted) == (name, key) and row[column] == wrong:
            row[column] = right
    return row


def rows(directory, name):
    """The rows of NAME.csv, each with its line and file under ''."""
    with open(os.path.join(directory, name + ".csv"), newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader)
        found = []
        before = reader.line_num
        for cells in reader:
            found.append({**corrected(name, dict(zip(header, cells))), "": f"{name}.csv:{before + 1}"})
            before = reader.line_num
        return found


def number(text):
    """A version as numbers, without trailing zeros; None for a cell that holds none."""
    if not re.fullmatch(r"\d+(\.\d+)*", text or ""):
        return None
    parts = [int(part) for part in text.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def minor(version):
    return tuple((list(number(version)) + [0])[:2])


class Facts:
    def __init__(self, directory):
        self.toolkits = rows(directory, "cuda_driver_min")
        self.branches = rows(directory, "driver_branches")
        self.capabilities = rows(directory, "compute_capability")
        self.floors = {row["cuda_major"]: row for row in rows(directory, "cuda_minor_compat")}
        self.cutoffs = {}
        for row in rows(directory, "arch_driver_cutoff"):
            for capability in row["compute_capabilities"].split():
                self.cutoffs[capability] = row
        self.nvcc = rows(directory, "nvcc_arch_by_toolkit")
        self.named = {}
        for row in self.toolkits:
            for column in ("bundled_linux_driver", "toolkit_driver_min_linux",
                           "minor_compat_min_driver_linux"):
                if row[column]:
                    self.named.setdefault(row[column], row[""])

    def branch_of(self, driver):
        return next((row for row in self.branches if row["branch"] == driver.split(".")[0]), None)

    def minimum_before(self, toolkit):
        """The highest minimum among the older toolkits of its minor; None where none is written."""
        mine = number(toolkit["cuda_version"])
        return max((number(row["toolkit_driver_min_linux"]) for row in self.toolkits
                    if row["toolkit_driver_min_linux"] and number(row["cuda_version"]) < mine
                    and minor(row["cuda_version"]) == minor(toolkit["cuda_version"])), default=None)

    def driver_of(self, branch):
        if branch["latest_seen"]:
            return branch["latest_seen"]
        known = [driver for driver in self.named if driver.split(".")[0] == branch["branch"]]
        return max(known, key=number, default=branch["branch"] + ".0")

    def cuda_of(self, branch):
        """The CUDA version that the branch reports at least, and the row that says it."""
        written = [row for row in self.branches if row["max_cuda_reported"]
                   and int(row["branch"]) <= int(branch["branch"])]
        if not written:
            return None, branch
        row = max(written, key=lambda row: int(row["branch"]))
        return minor(row["max_cuda_reported"]), row

    def nvcc_lists(self, toolkit, capability):
        """Whether a list of nvcc's architectures covers the toolkit and has the capability."""
        for row in self.nvcc:
            ends = row["cuda_versions"].split("-")
            if minor(ends[0]) <= minor(toolkit) <= minor(ends[-1]):
                return capability["sm"].removeprefix("sm_") in row["sm_list_real_architectures"].split(), row
        return None, None


def branch_and_gpu(facts, branch, capability):
    """Answer, class of the reason, rows: does this branch drive this GPU."""
    mine = int(branch["branch"])
    lowest = number(branch["min_compute_capability"])
    used = [branch[""], capability[""]]
    if lowest and minor(branch["min_compute_capability"]) > minor(capability["compute_capability"]):
        return "no", "driver_drops_gpu", used
    cutoff = facts.cutoffs.get(capability["compute_capability"])
    for row in [capability] + ([cutoff] if cutoff else []):
        if row["last_driver_branch"] and mine > int(row["last_driver_branch"]):
            return "no", "driver_drops_gpu", used + [row[""]]
    if capability["first_driver_branch"]:
        if mine < int(capability["first_driver_branch"]):
            return "no", "driver_precedes_gpu", used
        return "yes", "", used
    renamed = re.match(r"renamed to (\d+\.\d+)", capability["notes"])
    if renamed:
        other = next(row for row in facts.capabilities if row["compute_capability"] == renamed[1])
        if mine < int(other["first_driver_branch"]):
            return "no", "driver_precedes_gpu", used + [other[""]]
    if not cutoff:
        return "unknown", "driver_unknown_for_gpu", used
    cuda, row = facts.cuda_of(branch)
    first = minor(capability["first_cuda"]) if capability["first_cuda"] else None
    if not first:
        lists = [row for row in facts.nvcc
                 if capability["sm"].removeprefix("sm_") in row["sm_list_real_architectures"].split()]
        first = minor(lists[0]["cuda_versions"].split("-")[0]) if lists else None
    if not first or not cuda or cuda < first:
        return "unknown", "driver_unknown_for_gpu", used + [row[""]]
    return "yes", "", used + [row[""], cutoff[""]]


def toolkit_and_gpu(facts, toolkit, capability):
    used = [toolkit[""], capability[""]]
    mine = minor(toolkit["cuda_version"])
    if capability["last_cuda"] and mine > minor(capability["last_cuda"]):
        return "no", "toolkit_drops_gpu", used
    if capability["first_cuda"]:
        if mine < minor(capability["first_cuda"]):
            return "no", "toolkit_precedes_gpu", used
        return "yes", "", used
    listed, row = facts.nvcc_lists(toolkit["cuda_version"], capability)
    if listed:
        return "yes", "", used + [row[""]]
    return "unknown", "toolkit_unknown_for_gpu", used


def driver_and_toolkit(facts, driver, branch, toolkit):
    have = number(driver)
    used = [toolkit[""]] + ([branch[""]] if branch else [])
    minimum = number(toolkit["toolkit_driver_min_linux"])
    bundled = number(toolkit["bundled_linux_driver"])
    if minimum:
        if have >= minimum:
            return "exact", "driver_new_enough", used
    elif bundled and have >= bundled:
        return "exact", "driver_new_enough", used
    elif branch:
        cuda, row = facts.cuda_of(branch)
        earlier = facts.minimum_before(toolkit)
        if cuda and cuda >= minor(toolkit["cuda_version"]) and (not earlier or have >= earlier):
            return "exact", "driver_new_enough", used + [row[""]]
        if not branch["max_cuda_reported"] and cuda:
            return "unknown", "driver_cuda_unknown", used
    major = facts.floors.get(toolkit["cuda_version"].split(".")[0])
    floor = toolkit["minor_compat_min_driver_linux"] or (major["min_driver_full"] if major else "")
    used += [major[""]] if major else []
    if floor and have >= number(floor):
        return "minor_version", "minor_version_compatibility", used
    return "no", "driver_too_old", used


def derive(facts, toolkit, driver, branch, capability):
    parts = [driver_and_toolkit(facts, driver, branch, toolkit)]
    if capability:
        parts += [toolkit_and_gpu(facts, toolkit, capability),
                  branch_and_gpu(facts, branch, capability)]
    for answer in ("no", "unknown"):
        found = [part for part in parts if part[0] == answer]
        if found:
            return answer, [part[1] for part in found], sorted({row for part in found for row in part[2]})
    return parts[0][0], [parts[0][1]], sorted({row for part in parts for row in part[2]})


def ask(program, root, driver, capability):
    command = [program, "resolve", "cuda", "--json", "--root", root, "--assume-driver", driver]
    if capability:
        command += ["--assume-gpu", capability["compute_capability"]]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    try:
        answer = json.loads(done.stdout)
        return {row["version"]: row for row in answer["candidates"] if row["product"] == "cuda"}
    except (ValueError, KeyError, TypeError) as error:
        words = done.stderr.decode(errors="replace").strip()[:300]
        return f"{' '.join(command)}: exit {done.returncode}, {error!r}: {words}"


def questions(facts):
    """Every driver and capability to ask for: the cells, then the edges without a GPU."""
    for branch in facts.branches:
        for capability in facts.capabilities:
            yield facts.driver_of(branch), branch, capability
    below = set()
    for driver in facts.named:
        head, _, last = driver.rpartition(".")
        if int(last) > 0:
            below.add(f"{head}.{int(last) - 1:0{len(last)}d}")
    for driver in sorted(set(facts.named) | below, key=number):
        yield driver, facts.branch_of(driver), None


def compare(facts, question, answer):
    driver, _, capability = question
    gpu = capability["compute_capability"] if capability else "none"
    for toolkit in facts.toolkits:
        version = toolkit["cuda_version"]
        fit, classes, used = derive(facts, toolkit, *question)
        row = answer.get(version, {})
        if row.get("fit") != fit or row.get("reason") not in classes:
            yield fit, (f"cuda {version}, driver {driver}, gpu {gpu}: derived {fit} {' '.join(classes)}; "
                        f"gpuenv {row.get('fit', 'has no row')}: {row.get('reason', '')} "
                        f"[{row.get('row', '')}]; {' '.join(used)}")
        else:
            yield fit, None


def main(directory, program, root):
    facts = Facts(directory)
    asked = list(questions(facts))
    counts, differences, failed = {}, 0, 0
    with multiprocessing.pool.ThreadPool(2) as pool:
        answers = pool.imap(lambda q: ask(program, root, q[0], q[2]), asked, chunksize=4)
        for question, answer in zip(asked, answers):
            if isinstance(answer, str):
                failed += 1
                print(answer)
                continue
            for fit, difference in compare(facts, question, answer):
                counts[fit] = counts.get(fit, 0) + 1
                if difference:
                    differences += 1
                    print(difference)
    print(f"{len(facts.toolkits)} toolkits, {len(facts.branches)} branches, "
          f"{len(facts.capabilities)} capabilities; {len(asked)} questions, {failed} without an answer; "
          f"{sum(counts.values())} cells: "
          + ", ".join(f"{counts[fit]} {fit}" for fit in sorted(counts)) + f"; {differences} differ")
    return 1 if differences or failed or not counts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
