#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stand-in for nvidia-smi, for tests/program/test-gpu: it says what the plan of the doubles says.

The plan is the file double.plan in the first directory of LD_LIBRARY_PATH that has one, behind the healthy
machine of tests/fakes/vendor/plan.c (PLAN_C). It loads no library: what gpuenv reads through the double of NVML,
and what this prints, meet in the plan alone. FAKE_SMI_LIE=KEY=VALUE says something else of every GPU.

    nvidia_smi.py -q -x | -L | -i N -c MODE (a line more in the plan) | (anything else: a line, exit code 0)"""

import os
import re
import sys
from xml.sax.saxutils import escape


def plan_file():
    for directory in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        path = os.path.join(directory, "double.plan")
        if directory and os.path.exists(path):
            return path
    return None


def lines():
    healthy = open(os.environ["PLAN_C"]).read().partition("healthy[] =")[2].partition(";")[0]
    text = "\n".join(re.findall(r'"(.*?)\\n"', healthy)) + "\n"
    return (text + (open(plan_file()).read() if plan_file() else "")).splitlines()


def read(number):
    plan, own = {}, {}
    for line in lines():
        words = line.split()
        if words[:1] == ["gpu"] and len(words) > 3:
            if int(words[1]) == number:
                own[words[2]] = " ".join(words[3:])
        elif len(words) > 1:
            plan[words[0]] = " ".join(words[1:])
    plan.update(own)
    key, _, value = os.environ.get("FAKE_SMI_LIE", "").partition("=")
    if key:
        plan[key] = value
    return plan


def enabled(value):
    return "N/A" if value == "-" else "Enabled" if int(value) else "Disabled"


def yes(value):
    return "N/A" if value == "-" else "Yes" if int(value) else "No"


def element(name, content):
    if isinstance(content, dict):
        content = "".join(element(key, value) for key, value in content.items())
    elif isinstance(content, list):
        content = "".join(element(key, value) for key, value in content)
    else:
        content = escape(str(content))
    return f"<{name}>{content}</{name}>"


def watts(value):
    return "N/A" if value == "-" else f"{int(value) / 1000:.2f} W"


def mib(value):
    return f"{int(value) >> 20} MiB"


BITS = ["gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost", "sw_thermal_slowdown",
        "hw_thermal_slowdown", "hw_power_brake_slowdown", "display_clocks_setting"]
MODES = ["Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"]
FABRIC = ["N/A", "Not Started", "In Progress", "Completed"]


def gpu(number):
    plan = read(number)
    bus = f"0000:{0x18 + number:02X}:00.0" if plan["bus_id"] == "$" else plan["bus_id"].upper()
    uuid = f"GPU-{number + 1:08x}-5ad0-4c3f-9f4e-0123456789ab" if plan["uuid"] == "GPU-$" else plan["uuid"]
    free = int(plan["memory_total"]) - int(plan["memory_used"]) - int(plan["memory_reserved"])
    bits = int(plan["clock_event_reasons"], 0)
    errors = {kind: {"sram_uncorrectable_parity": 0, "sram_uncorrectable_secded": 0,
                     "dram_uncorrectable": plan[f"ecc_uncorrected_{kind}"]} for kind in ("volatile", "aggregate")}
    processes = [("process_info", {"pid": plan[f"process_{i + 1}"].split()[0]}) for i in range(int(plan["processes"]))]
    body = {
        "product_name": plan["name"], "display_active": enabled(plan["display_active"]),
        "persistence_mode": enabled(plan["persistence"]), "mig_mode": {"current_mig": enabled(plan["mig"])},
        "uuid": uuid,
        "pci": {"pci_bus_id": "0000" + bus, "pci_gpu_link_info": {
            "pcie_gen": {"max_link_gen": plan["pcie_generation_max"], "current_link_gen": plan["pcie_generation"]},
            "link_widths": {"max_link_width": plan["pcie_width_max"] + "x", "current_link_width": plan["pcie_width"] + "x"}}},
        "clocks_event_reasons": {f"clocks_event_reason_{name}": "Active" if bits >> i & 1 else "Not Active"
                                 for i, name in enumerate(BITS)},
        "fb_memory_usage": {"total": mib(plan["memory_total"]), "reserved": mib(plan["memory_reserved"]),
                            "used": mib(plan["memory_used"]), "free": mib(free)},
        "compute_mode": MODES[int(plan["compute_mode"])], "utilization": {"gpu_util": plan["utilization"] + " %"},
        "ecc_mode": {"current_ecc": enabled(plan["ecc"])}, "ecc_errors": errors,
        "retired_pages": {"pending_retirement": yes(plan["retired_pages_pending"])},
        "remapped_rows": {"remapped_row_corr": plan["remapped_correctable"],
                          "remapped_row_unc": plan["remapped_uncorrectable"],
                          "remapped_row_pending": yes(plan["remap_pending"]),
                          "remapped_row_failure": yes(plan["remap_failure"])},
        "temperature": {"gpu_temp": plan["temperature"] + " C"},
        "gpu_power_readings": {"instant_power_draw": watts(plan["power"]),
                               "current_power_limit": watts(plan["power_limit"]),
                               "default_power_limit": watts(plan["power_default"])},
        "clocks": {"sm_clock": plan["clock_sm"] + " MHz", "mem_clock": plan["clock_memory"] + " MHz"},
        "max_clocks": {"sm_clock": plan["clock_sm_max"] + " MHz"},
        "fabric": {"state": FABRIC[int(plan["fabric_state"])]},
        "processes": processes,
    }
    return element("gpu", body).replace("<gpu>", f'<gpu id="0000{bus}">', 1)


def main():
    plan = read(-1)
    count = int(plan["gpus"])
    if "-L" in sys.argv:
        for number in range(count):
            print(f"GPU {number}: {read(number)['name']} (UUID: GPU-{number + 1:08x}-5ad0-4c3f-9f4e-0123456789ab)")
    elif "-c" in sys.argv:
        mode = ["DEFAULT", "EXCLUSIVE_THREAD", "PROHIBITED", "EXCLUSIVE_PROCESS"].index(sys.argv[-1])
        with open(plan_file(), "a") as plan:
            plan.write(f"gpu {sys.argv[sys.argv.index('-i') + 1]} compute_mode {mode}\n")
    elif "-x" in sys.argv:
        version = int(plan["cuda"])
        print('<?xml version="1.0" ?>\n<nvidia_smi_log>' + element("driver_version", plan["driver"]) +
              element("cuda_version", f"{version // 1000}.{version % 1000 // 10}") + element("attached_gpus", count) +
              "".join(gpu(number) for number in range(count)) + "</nvidia_smi_log>")
    else:
        print("a stand-in for nvidia-smi")


main()
