# SPDX-License-Identifier: MIT
"""Asks `gpuenv gpu` for every PCI id and name that pci.ids and the open kernel modules have since
Kepler, and compares the compute capability with that of the chip in pci.ids. A name that GPUs of
several compute capabilities have must list all of them.

  gpu_names.py PROGRAM PCI-IDS GIT-DIRECTORY NAMES

NAMES is tests/gpu-names.tsv: other names, with the compute capability that is right. Prints for each
source how many were accepted, and each that was not; exits with 1 where fewer than 99 of 100 ids or
97 of 100 names were (90 of 100 of shops, whose words have no end), or one has another compute
capability."""

import collections
import json
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "scripts"))
from refresh import open_modules, pci_ids  # noqa: E402

# Here once more, not read from manifests/device.json.
CAPABILITIES = {
    "3.0": "GK104 GK106 GK107", "3.5": "GK110 GK180 GK208", "3.7": "GK210", "5.0": "GM107 GM108",
    "5.2": "GM200 GM204 GM206", "6.0": "GP100", "6.1": "GP102 GP104 GP106 GP107 GP108",
    "7.0": "GV100", "7.5": "TU102 TU104 TU106 TU116 TU117", "8.0": "GA100",
    "8.6": "GA102 GA103 GA104 GA106 GA107", "8.9": "AD102 AD103 AD104 AD106 AD107", "9.0": "GH100",
    "10.0": "GB100 GB102", "10.3": "GB110", "11.0": "GB10B", "12.0": "GB202 GB203 GB205 GB206 GB207",
    "12.1": "GB20B"}
OF_CHIP = {chip: capability for capability, chips in CAPABILITIES.items() for chip in chips.split()}
BATCH = 50


def words_of(devices, tables, virtual):
    """{(source, word): the compute capabilities it stands for}"""
    words = collections.defaultdict(set)

    def add(source, word, device):
        words[source, word].add(OF_CHIP.get(devices[device][0]))
    for device, (chip, names) in devices.items():
        if chip.startswith("GF"):
            continue
        add("pci.ids, ids", f"10de:{device}", device)
        for name in names:
            add("pci.ids, names", name, device)
    for _, rows in tables:
        for name, device in rows:
            add("README, ids", f"10de:{device}", device)
            add("README, names", name, device)
            add("README, with NVIDIA", f"NVIDIA {name}", device)
    for device, name in virtual:
        add("virtual GPUs, names", name, device)
    # What Fermi shares with newer GPUs may be either.
    for device, (chip, names) in devices.items():
        for name in names if chip.startswith("GF") else []:
            for source in ("pci.ids, names", "README, names"):
                if (source, name) in words:
                    words[source, name].add("2.0" if chip in ("GF100", "GF110") else "2.1")
    return words


def names_said(path):
    """{(source, name): {the compute capability}} of a file of names; {} for one that must not be known."""
    words = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            source, capability, name = line.rstrip("\n").split("\t")
            words[source, name] = set() if capability == "-" else {capability}
    return words


def least_of(source):
    return 99 if source.endswith("ids") else 90 if source == "cards in shops" else 97


def run(program, words):
    return subprocess.run([program, "gpu", "--json", "--", *words], capture_output=True, text=True,
                          check=False)


def ask(program, words):
    """{word: (what came of it, the compute capabilities)}"""
    done = run(program, words)
    if done.returncode == 0:
        answers = {word: ("accepted", set()) for word in words}
        for gpu in json.loads(done.stdout)["gpus"]:
            answers[gpu["asked"]][1].add(gpu.get("capability"))
        return answers
    if len(words) > 1:
        half = len(words) // 2
        return {**ask(program, words[:half]), **ask(program, words[half:])}
    if "can be one of" not in done.stderr:
        return {words[0]: ("unknown", set())}
    told = re.findall(r"\((\d+\.\d+|not known)[,)]", done.stderr)
    return {words[0]: ("choices", {None if text == "not known" else text for text in told})}


def main():
    program, ids, repository, said = sys.argv[1:]
    with open(ids, encoding="utf-8") as file:
        devices = pci_ids.read(file)
    tables = open_modules.releases(repository)
    header = open_modules.git(repository, "show", f"{tables[-1][0]}:{open_modules.NAMES_FILE}")
    virtual = [(device.lower(), name) for device, name in open_modules.RELEASED.findall(header)
               if open_modules.VIRTUAL.match(name)]
    words = {**words_of(devices, tables, virtual), **names_said(said)}
    asked = sorted({word for _, word in words})
    answers = {}
    for start in range(0, len(asked), BATCH):
        answers.update(ask(program, asked[start:start + BATCH]))
    failed = False
    for source in sorted({source for source, _ in words}):
        told = collections.Counter()
        mine = [(word, right) for (of, word), right in words.items() if of == source]
        for word, right in mine:
            outcome, found = answers[word]
            if not right:  # of no GPU that is known
                outcome, found = {"unknown": ("accepted", right)}.get(outcome, (outcome, found))
            wrong = outcome == "accepted" and found != right or outcome == "choices" and (not right or not found >= right)
            told["wrong" if wrong else outcome] += 1
            if wrong or outcome == "unknown":
                print(f"  {word}: {outcome}, {found}; right is {right}")
        share = 100 * (told["accepted"] + told["choices"]) / len(mine)
        print(f"{source}: {len(mine)}, accepted {share:.1f} % ({told['choices']} list choices), "
              f"wrong {told['wrong']}")
        failed = failed or told["wrong"] > 0 or share < least_of(source)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
