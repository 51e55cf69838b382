# SPDX-License-Identifier: MIT
"""The source "gpus": pci.ids and the open kernel modules, which scripts/refresh/devices.py reads.
Its place is PCI-IDS:GIT-DIRECTORY, either of them may be empty."""

import os
import subprocess
import sys

from refresh.place import Unreachable

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "devices.py")


def refresh(context):
    if not os.path.exists(PROGRAM):
        raise Unreachable("gpus", "scripts/refresh/devices.py is not there")
    pci_ids, _, modules = context.places["gpus"].partition(":")
    command = [sys.executable, PROGRAM, "--check"]
    command += ["--pci-ids", pci_ids] if pci_ids else []
    command += ["--open-modules", modules] if modules else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Unreachable("gpus", done.stderr.strip().rpartition("\n")[2])
    if done.returncode == 1:
        context.behind(f"gpu: {PROGRAM} has something to write")
