# SPDX-License-Identifier: MIT
"""pci.ids: the PCI ids of NVIDIA's GPUs, the chip of each and the names that lspci gives it."""

import re

VENDOR = re.compile(r"^([0-9a-f]{4})  ")
DEVICE = re.compile(r"^\t([0-9a-f]{4})  (.*\S)")
BRACKETS = re.compile(r"\[(.*)\]")
CHIP = re.compile(r"^((?:G[FKMPVAHBR]|TU|AD)\d\d[0-9A-Z]*)\b")
# What a chip has beside its GPU, and what bears its name without one.
NO_GPU = re.compile(r"Audio|USB|UCSI|[Bb]ridge|NVSwitch|PCIe (host|[RC][a-z])", re.ASCII)
# The forms of one chip: for laptops, for workstations, a second layout.
FORM = re.compile(r"(?<=\d)(BGL|GLM|GL|BM|M|B)$")
# One of these has an own name: GB10B and GB20B are parts of processors, no second layout.
WHOLE = {"GB10B", "GB20B"}
# Ids of samples inside NVIDIA.
NO_NAME = re.compile(r"Reserved Dev ID|Initial Dev ?ID|Generic|ESI$|-(ESP?|ESA|INT|CS)\b|\bINT ?(SKU|52)|"
                     r"\bCS1\b|ES-A$|^Graphics Device|^Desktop Device|^Skinny")


def chip_of(text):
    """GA106 of "GA106M [GeForce RTX 3060 Mobile / Max-Q]"; None: no chip of a GPU."""
    match = CHIP.match(text)
    if match is None or NO_GPU.search(text):
        return None
    return match[1] if match[1] in WHOLE else FORM.sub("", match[1])


def parted(text):
    """"GeForce RTX 3060 Mobile / Max-Q" is two names: what a part leaves out is the first's."""
    names = []
    for part in (part.strip() for part in text.split("/")):
        first = names[0] if names else ""
        if re.match(r"GTX? ", part) and first.startswith("GeForce "):
            names.append("GeForce " + part)
        elif not names or re.match(r"(Tesla|Quadro|GeForce|GRID|NVS|TITAN|RTX|DRIVE|[A-Z]{2}\d)", part):
            names.append(part)
        elif re.match(r"(Max-Q|Mobile|Laptop)\b", part):
            names.append(re.sub(r" (Max-Q|Mobile|Laptop)$", "", first) + " " + part)
        elif re.match(r"\d+GB\b", part):
            names.append(re.sub(r" \d+GB$", "", names[-1]) + " " + part)
        elif re.match(r"\d", part):  # RTX 2000 / 2000E Ada Generation
            names.append(re.sub(r"[A-Z]*\d\w*.*$", "", first) + part)
        else:
            names.append(re.match(r"(?:(?:Tesla|Quadro|GeForce|GRID) )?", first)[0] + part)
    tail = " Ada Generation" if names[-1].endswith(" Ada Generation") else ""
    return [name if name.endswith(tail) else name + tail for name in names]


def names_of(text):
    """The products that have the id, as lspci writes them between brackets: each, and then all of
    them as they stand there."""
    match = BRACKETS.search(text)
    if match is None or NO_NAME.search(match[1]):
        return []
    parts = parted(match[1])
    return parts + [match[1]] if len(parts) > 1 else parts


def read(lines):
    """{id: (chip, names)} of each GPU of NVIDIA in the lines of a pci.ids."""
    devices = {}
    ours = False
    for line in lines:
        if VENDOR.match(line) or line.startswith("C "):
            ours = line.startswith("10de ")
        device = DEVICE.match(line) if ours else None
        chip = chip_of(device[2]) if device else None
        if chip is not None:
            devices[device[1]] = (chip, names_of(device[2]))
    return devices


def snapshot(lines):
    """The date that the file gives of itself; None: none."""
    for line in lines:
        match = re.match(r"#\s+(?:Date|Version):\s+(\d{4})[-.](\d\d)[-.](\d\d)", line)
        if match:
            return "-".join(match.groups())
    return None
