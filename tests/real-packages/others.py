# SPDX-License-Identifier: MIT
"""dnf, zypper and pacman, as rows of tests/real-packages/run."""


def rows(work, keys, server):
    yield from ()
