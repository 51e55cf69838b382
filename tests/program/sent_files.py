#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that somebody would send of a described machine, made from its tree and its facts:

    sent_files.py ROOT FACTS.json OUT
"""
import json
import os
import re
import sys

NVML_WORDS = {
    18: "Failed to initialize NVML: Driver/library version mismatch",
    999: "Failed to initialize NVML: Unknown Error",
    4: "Failed to initialize NVML: Insufficient Permissions",
    9: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    17: "Failed to initialize NVML: GPU access blocked by the operating system",
}
DPKG_LETTERS = {"installed": "ii", "config-files": "rc", "half-configured": "iF", "unpacked": "iU", "half-installed": "iH",
                "triggers-awaited": "iW", "triggers-pending": "it"}
MODES = {"default": "Default", "exclusive-process": "Exclusive_Process", "exclusive-thread": "Exclusive_Thread",
         "prohibited": "Prohibited"}
REASONS = {"idle": "Idle", "applications_clocks": "Applications Clocks Setting", "sw_power_cap": "SW Power Cap",
           "hw_slowdown": "HW Slowdown", "sync_boost": "Sync Boost", "sw_thermal": "SW Thermal Slowdown",
           "display_clocks": "Display Clock Setting"}
THERMAL = {"hw_thermal": "HW Thermal Slowdown", "hw_power_brake": "HW Power Brake Slowdown"}


class Machine:
    def __init__(self, root, facts):
        self.root = root
        self.facts = {}
        if os.path.exists(facts):
            with open(facts, encoding="utf-8") as file:
                document = json.load(file)
            self.facts = document.get("facts", document)

    def value(self, group, name):
        fact = self.facts.get(group, {}).get(name, {})
        return fact.get("value") if isinstance(fact, dict) else None

    def read(self, path):
        try:
            with open(self.root + path, encoding="latin-1") as file:
                return file.read()
        except OSError:
            return ""

    def log(self):
        return next((text for path in ("kern.log", "messages", "dmesg", "syslog") if (text := self.read("/var/log/" + path))), "")

    def modules(self):
        rows = [line.split() for line in self.read("/proc/modules").splitlines() if line.strip()]
        return rows and "Module                  Size  Used by\n" + "".join(
            f"{row[0]:<20} {row[1]:>8}  {row[2]} {'' if len(row) < 4 or row[3] == '-' else row[3].rstrip(',')}\n" for row in rows)

    def packages(self):
        text = self.read("/var/lib/dpkg/status")
        rows = ""
        for paragraph in re.split(r"\n\s*\n", text):
            fields = dict(re.findall(r"^(\w+): (.*)$", paragraph, re.M))
            letters = DPKG_LETTERS.get(fields.get("Status", "install ok installed").split()[-1])
            if letters and "Package" in fields:
                rows += f"{letters}  {fields['Package']} {fields.get('Version', '1')} {fields.get('Architecture', 'all')} text\n"
        return rows and "||/ Name Version Architecture Description\n" + rows

    def function(self, address):
        """A function of the bus as lspci -nnk and -vv show it; "" for one that is gone."""
        base = f"/sys/bus/pci/devices/{address}"
        look = lambda name: self.read(f"{base}/{name}").strip()
        if not look("class") or not look("vendor"):
            return ""
        try:
            with open(f"{self.root}{base}/config", "rb") as file:
                silent = file.read(9) == b"\xff" * 9
        except OSError:
            silent = False
        text = f"{address} Thing [{look('class')[2:6]}]: Name [{look('vendor')[2:]}:{look('device')[2:]}]"
        text += f" (rev {'ff' if silent else look('revision')[2:] or 'a1'})\n"
        for line, when in (("LnkCap", "max"), ("LnkSta", "current")):
            if look(f"{when}_link_width"):
                text += f"\t\t{line}:\tSpeed {look(f'{when}_link_speed').split()[0]}GT/s, Width x{look(f'{when}_link_width')}\n"
        try:
            return text + f"\tKernel driver in use: {os.path.basename(os.readlink(f'{self.root}{base}/driver'))}\n"
        except OSError:
            return text + "\tKernel modules: nvidia\n"

    def bus(self):
        devices = self.root + "/sys/bus/pci/devices"
        addresses = sorted(os.listdir(devices)) if os.path.isdir(devices) else []
        return addresses and "0000:00:00.0 Host bridge [0600]: Intel [8086:a700] (rev 01)\n" + "".join(map(self.function, addresses))

    def gpu(self, index):
        fact = lambda name: self.value(f"nvml/{index}", name)
        said = lambda name: "N/A" if fact(name) is None else fact(name)
        switch = lambda name, yes="Enabled", no="Disabled": "N/A" if fact(name) is None else yes if fact(name) else no
        mib = lambda name: "N/A" if fact(name) is None else f"{fact(name) >> 20} MiB"
        if fact("bus_id") is None:
            return ""
        domain, rest = fact("bus_id").split(":", 1)
        bus = f"{int(domain, 16):08X}:{rest.upper()}"
        text = f"""GPU {bus}
    Product Name : {said('name')}
    Display Active : {switch('display_active')}
    Persistence Mode : {switch('persistence')}
    MIG Mode
        Current : {switch('mig')}
    GPU UUID : {said('uuid')}
    PCI
        Bus Id : {bus}
        GPU Link Info
            PCIe Generation
                Max : {said('pcie_generation_max')}
                Current : {said('pcie_generation')}
            Link Width
                Max : {said('pcie_width_max')}x
                Current : {said('pcie_width')}x
    FB Memory Usage
        Total : {mib('memory_total_bytes')}
        Used : {mib('memory_used_bytes')}
        Free : {mib('memory_free_bytes')}
    Compute Mode : {MODES.get(fact('compute_mode'), 'N/A')}
    Utilization
        Gpu : {said('utilization_percent')} %
    ECC Mode
        Current : {switch('ecc')}
    ECC Errors
        Volatile
            DRAM Uncorrectable : {said('ecc_uncorrected_volatile')}
        Aggregate
            DRAM Uncorrectable : {said('ecc_uncorrected_aggregate')}
    Remapped Rows
        Correctable Error : {said('remapped_correctable')}
        Uncorrectable Error : {said('remapped_uncorrectable')}
        Pending : {switch('remap_pending', 'Yes', 'No')}
        Remapping Failure Occurred : {switch('remap_failure', 'Yes', 'No')}
"""
        active = fact("clock_event_reasons")
        if active is not None:
            text += "    Clocks Event Reasons\n"
            for reason, words in REASONS.items():
                text += f"        {words} : {'Active' if reason in active else 'Not Active'}\n"
                if reason == "hw_slowdown":
                    for below, name in THERMAL.items():
                        text += f"            {name} : {'Active' if below in active else 'Not Active'}\n"
        if fact("clock_sm_mhz") is not None:
            text += f"    Clocks\n        SM : {fact('clock_sm_mhz')} MHz\n    Max Clocks\n        SM : {said('clock_sm_max_mhz')} MHz\n"
        text += "    Processes : None\n" if not fact("processes") else "    Processes\n"
        for process in fact("processes") or []:
            pid, size = process.split()
            text += f"        Process ID : {pid}\n            Used GPU Memory : "
            text += "N/A\n" if size == "?" else f"{int(size) >> 20} MiB\n"
        return text

    def smi(self):
        answer = "answer/libnvidia-ml.so.1"
        count, init = self.value("nvml", "count"), self.value(answer, "init")
        if init != 0:
            return init in NVML_WORDS and NVML_WORDS[init] + "\n"
        if not count:
            return count == 0 and "No devices were found\n"
        return (f"\n==============NVSMI LOG==============\n\nDriver Version : {self.value(answer, 'driver_version')}\n"
                f"CUDA Version : {self.value(answer, 'cuda_version')}\n\nAttached GPUs : {count}\n" + "".join(map(self.gpu, range(count))))

    def answered(self):
        """How many GPUs NVML lists; 0: it lists none, or did not answer."""
        return self.value("nvml", "count") if self.value("answer/libnvidia-ml.so.1", "init") == 0 else 0

    def versions(self):
        return [self.value("answer/libnvidia-ml.so.1", name) for name in ("driver_version", "cuda_version")]

    def element(self, index):
        """A GPU as nvidia-smi -q -x has it."""
        fact = lambda name: self.value(f"nvml/{index}", name)
        switch = lambda name, yes="Enabled", no="Disabled": None if fact(name) is None else yes if fact(name) else no
        mib = lambda name: None if fact(name) is None else f"{fact(name) >> 20} MiB"
        rows = {"product_name": fact("name"), "uuid": fact("uuid"), "display_active": switch("display_active"),
                "persistence_mode": switch("persistence"), "mig_mode/current_mig": switch("mig"),
                "pci/pci_bus_id": fact("bus_id"),
                "fb_memory_usage/total": mib("memory_total_bytes"), "fb_memory_usage/used": mib("memory_used_bytes"),
                "fb_memory_usage/free": mib("memory_free_bytes"), "compute_mode": MODES.get(fact("compute_mode")),
                "ecc_mode/current_ecc": switch("ecc"),
                "ecc_errors/volatile/dram_uncorrectable": fact("ecc_uncorrected_volatile"),
                "ecc_errors/aggregate/dram_uncorrectable": fact("ecc_uncorrected_aggregate"),
                "remapped_rows/remapped_row_unc": fact("remapped_uncorrectable"),
                "remapped_rows/remapped_row_pending": switch("remap_pending", "Yes", "No"),
                "remapped_rows/remapped_row_failure": switch("remap_failure", "Yes", "No")}
        text = f'<gpu id="{fact("bus_id")}">\n'
        for path, value in rows.items():
            *above, name = path.split("/")
            text += "".join(f"<{word}>\n" for word in above)
            text += f"<{name}>{'N/A' if value is None else value}</{name}>\n"
            text += "".join(f"</{word}>\n" for word in reversed(above))
        return text + "</gpu>\n"

    def smi_xml(self):
        driver, cuda = self.versions()
        return self.answered() and (
            f"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>{driver}</driver_version>\n"
            f"<cuda_version>{cuda}</cuda_version>\n<attached_gpus>{self.answered()}</attached_gpus>\n"
            + "".join(map(self.element, range(self.answered()))) + "</nvidia_smi_log>\n")

    def rows(self, index):
        """A GPU in nvidia-smi's table."""
        fact = lambda name: self.value(f"nvml/{index}", name)
        mib = lambda name: "N/A" if fact(name) is None else f"{fact(name) >> 20}MiB"
        ecc = "Off" if fact("ecc") is False else "N/A" if fact("ecc_uncorrected_volatile") is None else fact("ecc_uncorrected_volatile")
        persistence = "N/A" if fact("persistence") is None else "On" if fact("persistence") else "Off"
        cells = lambda *words: "| " + " | ".join(f"{word:<38}" for word in words) + " |\n"
        mig = "N/A" if fact("mig") is None else "Enabled" if fact("mig") else "Disabled"
        return (cells(f"{index}  {fact('name')} {persistence}", f"0000{fact('bus_id')} Off", str(ecc))
                + cells("N/A   30C    P0    50W / 300W", f"{mib('memory_used_bytes')} / {mib('memory_total_bytes')}",
                        f"0%      {MODES.get(fact('compute_mode'), 'N/A')}") + cells("", "", mig))

    def smi_table(self):
        driver, cuda = self.versions()
        return self.answered() and (
            f"| NVIDIA-SMI {driver}  Driver Version: {driver}  CUDA Version: {cuda} |\n"
            + "".join(map(self.rows, range(self.answered()))) + "| Processes: |\n")

    def journal(self):
        """The kernel's log as journalctl -k shows it."""
        lines = [line for line in self.log().splitlines() if line.strip()]
        strip = lambda line: re.sub(r"^\[ *\d+\.\d+\] ", "", re.sub(r"^.*? kernel: ", "", line))
        return "".join(f"Nov 21 13:37:{second % 60:02} host kernel: {strip(line)}\n" for second, line in enumerate(lines))


RULE = "____________________________________________\n\n"


def bug_report(files):
    """nvidia-bug-report.log with those of the files that it has."""
    titles = {"lspci.txt": "/usr/bin/lspci -nnDvvv\n\n", "dmesg.txt": "dmesg:\n\n", "lsmod.txt": "lsmod\n\n",
              "version.txt": "*** /proc/driver/nvidia/./version\n", "smi.txt": "/usr/bin/nvidia-smi --query\n\n"}
    sections = [RULE + title + files[name] for name, title in titles.items() if files[name]]
    return sections and f"{RULE}Start of NVIDIA bug report log file.\n\n" + "\n".join(sections) + "\n" + RULE


def main():
    root, facts, out = sys.argv[1:4]
    machine = Machine(root, facts)
    files = {"dmesg.txt": machine.log(), "version.txt": machine.read("/proc/driver/nvidia/version"), "lsmod.txt": machine.modules(),
             "dpkg.txt": machine.packages(), "os.txt": machine.read("/etc/os-release"), "lspci.txt": machine.bus(),
             "smi.txt": machine.smi()}
    files.update({"smi-x.xml": machine.smi_xml(), "table.txt": machine.smi_table(), "journal.txt": machine.journal(),
                  "bug-report.log": bug_report(files)})
    for name, text in files.items():
        if text:
            with open(os.path.join(out, name), "w", encoding="latin-1", errors="replace") as file:
                file.write(text)


main()
