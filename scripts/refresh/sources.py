# SPDX-License-Identifier: MIT
"""The sources that scripts/manifest-refresh knows, in the order in which they are read."""

from refresh import cuda_packages, distributions, gpus, images, pip_lines, python_index, redist_lists


class Source:
    """place: where it is if --place does not say; None: nowhere, it must be given. writes: whether it
    has rows of its own, or only tells what is behind. named: it is read only where --only names it,
    as it asks for packages that the manifest does not have."""

    def __init__(self, name, refresh, place, about, writes=True, named=False):
        self.name, self.refresh, self.place, self.about, self.writes = name, refresh, place, about, writes
        self.named = named


SOURCES = (
    Source("cuda-packages", cuda_packages.refresh, "pip's index", "releases of CUDA and cuDNN on the Python index"),
    Source("python-index", python_index.refresh, "pip's index", "releases of frameworks, and what they require"),
    Source("pip-lines", pip_lines.refresh, "pip's index", "the Pythons that pip takes a build for, and builds that it takes no longer; only with --only", named=True),
    Source("redist", redist_lists.refresh, None, "NVIDIA's redistrib files"),
    Source("gpus", gpus.refresh, None, "pci.ids and the README tables of the open kernel modules", writes=False),
    Source("images", images.refresh, None, "tags of the CUDA images", writes=False),
    Source("distributions", distributions.refresh, None, "driver branches of Debian and Ubuntu", writes=False),
)
