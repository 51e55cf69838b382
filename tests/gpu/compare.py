#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares every GPU fact with nvidia-smi, field by field: compare.py FACTS.json SMI.xml

FACTS.json is from `gpuenv facts --json`, SMI.xml from `nvidia-smi -q -x` of the same moment. A line for each
field of each GPU:
  ok     both say the same
  moved  a value that changes by itself (clocks, temperature, memory in use) differs
  one    only one of them says it; which
  FAIL   both say it, and not the same
and at last how many. Exits with 1 where one failed, or nothing could be compared."""

import json
import re
import sys
import xml.etree.ElementTree as xml

NOT_THERE = ("N/A", "[N/A]", "", "Not Supported", "Unknown Error", "Requested functionality has been deprecated")
MODES = {"Default": "default", "Exclusive_Process": "exclusive-process", "Exclusive_Thread": "exclusive-thread",
         "Prohibited": "prohibited", "E. Process": "exclusive-process"}
FABRIC = {"Completed": "completed", "In Progress": "in-progress", "Not Started": "not-started", "N/A": "not-supported"}
REASONS = {"gpu_idle": "idle", "applications_clocks_setting": "applications_clocks", "sw_power_cap": "sw_power_cap",
           "hw_slowdown": "hw_slowdown", "hw_thermal_slowdown": "hw_thermal",
           "hw_power_brake_slowdown": "hw_power_brake", "sync_boost": "sync_boost",
           "sw_thermal_slowdown": "sw_thermal", "display_clocks_setting": "display_clocks"}


def number(text):
    match = re.match(r"-?\d+(\.\d+)?", text)
    return float(match[0]) if match else None


def whole(text):
    value = number(text)
    return None if value is None else int(value)


def switch(text):
    return {"Enabled": True, "Yes": True, "Active": True, "Disabled": False, "No": False, "Not Active": False}.get(text)


def mebibytes(text):
    value = number(text)
    return None if value is None else int(value) << 20


def milliwatts(text):
    value = number(text)
    return None if value is None else round(value * 1000)


def bus_id(text):
    return re.sub(r"^0000(?=[0-9a-f]{4}:)", "", text.lower())


# fact of nvml/N, the places in the XML (the first that is there), how the text is read, by how much it may
# differ: None: it may move; a number: that far, because one of the two rounds.
FIELDS = [
    ("name", ["product_name"], str, 0),
    ("uuid", ["uuid"], str, 0),
    ("bus_id", ["pci/pci_bus_id"], bus_id, 0),
    ("memory_total_bytes", ["fb_memory_usage/total"], mebibytes, 1 << 20),
    ("memory_used_bytes", ["fb_memory_usage/used"], mebibytes, None),
    ("memory_free_bytes", ["fb_memory_usage/free"], mebibytes, None),
    ("utilization_percent", ["utilization/gpu_util"], whole, None),
    ("compute_mode", ["compute_mode"], lambda text: MODES.get(text, text), 0),
    ("display_active", ["display_active"], switch, 0),
    ("persistence", ["persistence_mode"], switch, 0),
    ("mig", ["mig_mode/current_mig"], switch, 0),
    ("pcie_generation", ["pci/pci_gpu_link_info/pcie_gen/current_link_gen"], whole, None),
    ("pcie_generation_max", ["pci/pci_gpu_link_info/pcie_gen/max_link_gen"], whole, 0),
    ("pcie_width", ["pci/pci_gpu_link_info/link_widths/current_link_width"], whole, 0),
    ("pcie_width_max", ["pci/pci_gpu_link_info/link_widths/max_link_width"], whole, 0),
    ("clock_sm_mhz", ["clocks/sm_clock"], whole, None),
    ("clock_sm_max_mhz", ["max_clocks/sm_clock"], whole, 0),
    ("clock_memory_mhz", ["clocks/mem_clock"], whole, None),
    ("temperature_c", ["temperature/gpu_temp"], whole, None),
    ("power_mw", ["gpu_power_readings/instant_power_draw", "gpu_power_readings/average_power_draw",
                  "gpu_power_readings/power_draw", "power_readings/power_draw"], milliwatts, None),
    ("power_limit_mw", ["gpu_power_readings/current_power_limit", "power_readings/power_limit",
                        "power_readings/enforced_power_limit"], milliwatts, 10),
    ("power_default_mw", ["gpu_power_readings/default_power_limit", "power_readings/default_power_limit"],
     milliwatts, 10),
    ("ecc", ["ecc_mode/current_ecc"], switch, 0),
    ("remapped_correctable", ["remapped_rows/remapped_row_corr"], whole, 0),
    ("remapped_uncorrectable", ["remapped_rows/remapped_row_unc"], whole, 0),
    ("remap_pending", ["remapped_rows/remapped_row_pending"], switch, 0),
    ("remap_failure", ["remapped_rows/remapped_row_failure"], switch, 0),
    ("retired_pages_single", ["retired_pages/multiple_single_bit_retirement/retired_count"], whole, 0),
    ("retired_pages_double", ["retired_pages/double_bit_retirement/retired_count"], whole, 0),
    ("retired_pages_pending", ["retired_pages/pending_retirement"], switch, 0),
    ("fabric_state", ["fabric/state"], lambda text: FABRIC.get(text, text), 0),
]
# What CUDA says of the same GPU: fact of cuda/N, fact of nvml/N that it has to be.
CUDA_FIELDS = ["name", "uuid", "bus_id", "capability", "compute_mode", "ecc"]


class Count:
    def __init__(self):
        self.by = {"ok": 0, "moved": 0, "one": 0, "FAIL": 0}

    def line(self, word, where, what):
        self.by[word] += 1
        print(f"{word:5} {where}: {what}")

    def compare(self, where, ours, theirs, far):
        if ours is None and theirs is None:
            return
        if ours is None or theirs is None:
            who = "nvidia-smi" if ours is None else "gpuenv"
            self.line("one", where, f"only {who} says {theirs if ours is None else ours}")
        elif ours == theirs or (far and abs(ours - theirs) <= far):
            self.line("ok", where, ours)
        elif far is None:
            self.line("moved", where, f"{ours}, then {theirs}")
        else:
            self.line("FAIL", where, f"gpuenv has {ours}, nvidia-smi {theirs}")


def value(facts, group, name):
    return facts.get(group, {}).get(name, {}).get("value")


def text_at(gpu, places):
    for place in places:
        found = gpu.find(place)
        if found is not None and (found.text or "").strip() not in NOT_THERE:
            return found.text.strip()
    return None


def uncorrected(gpu, kind):
    """Errors of ECC since the driver loaded ("volatile") or ever ("aggregate"), as newer and older releases say it."""
    found = gpu.find(f"ecc_errors/{kind}")
    if found is None:
        return None
    names = [e for e in found.iter() if re.fullmatch(r"(s|d)ram_uncorrectable(_parity|_secded)?", e.tag)]
    if not names:
        names = found.findall("double_bit/total")
    values = [whole(e.text or "") for e in names]
    return None if not values or None in values else sum(values)


def reasons(gpu):
    for group, prefix in (("clocks_event_reasons", "clocks_event_reason_"),
                          ("clocks_throttle_reasons", "clocks_throttle_reason_")):
        found = gpu.find(group)
        if found is not None:
            return sorted(REASONS.get(e.tag[len(prefix):], e.tag) for e in found if (e.text or "").strip() == "Active")
    return None


def processes(gpu):
    found = gpu.findall("processes/process_info/pid")
    return sorted({int(e.text) for e in found}) if gpu.find("processes") is not None else None


def one_gpu(count, facts, group, gpu):
    for name, places, read, far in FIELDS:
        text = text_at(gpu, places)
        count.compare(f"{group} {name}", value(facts, group, name), None if text is None else read(text), far)
    for kind in ("volatile", "aggregate"):
        name = f"ecc_uncorrected_{kind}"
        count.compare(f"{group} {name}", value(facts, group, name), uncorrected(gpu, kind), 0)
    ours = value(facts, group, "clock_event_reasons")
    count.compare(f"{group} clock_event_reasons", ours and sorted(ours) if ours is not None else None, reasons(gpu), None)
    ours = value(facts, group, "processes")
    count.compare(f"{group} processes", sorted({int(p.split()[0]) for p in ours}) if ours is not None else None,
                  processes(gpu), None)


def main():
    facts = json.load(open(sys.argv[1]))["facts"]
    log = xml.parse(sys.argv[2]).getroot()
    count = Count()
    nvml = "answer/libnvidia-ml.so.1"
    count.compare("driver_version", value(facts, nvml, "driver_version"), text_at(log, ["driver_version"]), 0)
    count.compare("cuda_version", value(facts, nvml, "cuda_version"), text_at(log, ["cuda_version"]), 0)
    gpus = {bus_id(gpu.get("id")): gpu for gpu in log.findall("gpu")}
    groups = {value(facts, group, "bus_id"): group for group in facts if group.startswith("nvml/")}
    count.compare("GPUs", sorted(groups), sorted(gpus), 0)
    for address in sorted(set(gpus) & set(groups)):
        one_gpu(count, facts, groups[address], gpus[address])
    for group in [group for group in facts if group.startswith("cuda/")]:
        other = groups.get(value(facts, group, "bus_id"))
        for name in CUDA_FIELDS if other and not value(facts, other, "mig") else []:
            count.compare(f"{group} {name}", value(facts, group, name), value(facts, other, name), 0)
    known = {name for name, _, _, _ in FIELDS} | {"ecc_uncorrected_volatile", "ecc_uncorrected_aggregate",
                                                  "clock_event_reasons", "processes"}
    left = {name for group in groups.values() for name in facts[group]} - known
    print("not in nvidia-smi -q -x, or not compared:", ", ".join(sorted(left)) or "nothing")
    print(", ".join(f"{how_many} {word}" for word, how_many in count.by.items()))
    sys.exit(count.by["FAIL"] > 0 or count.by["ok"] == 0)


main()
