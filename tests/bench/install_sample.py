# SPDX-License-Identifier: MIT
"""install_sample.py URL DIR [--once]: the steps of NVIDIA's parse_redist.py (build-system-archive-
import-examples), in its order: each archive is read into memory and written, all are hashed, and one
after another is extracted with tarfile (once for its names, once for its files) and copied into one
tree. With --once: one pass over each, straight into the tree."""
import hashlib
import json
import os
import shutil
import sys
import tarfile
from urllib.request import urlopen

url, directory = sys.argv[1:3]
once = "--once" in sys.argv
os.makedirs(f"{directory}/tree")
os.chdir(directory)
release = json.loads(urlopen(url).read())
entries = [value["linux-x86_64"] for value in release.values()
           if isinstance(value, dict) and "linux-x86_64" in value]
for entry in entries:
    with open(os.path.basename(entry["relative_path"]), "wb") as file:
        file.write(urlopen(f"{os.path.dirname(url)}/{entry['relative_path']}").read())
for entry in entries:
    digest = hashlib.sha256()
    with open(os.path.basename(entry["relative_path"]), "rb") as file:
        while chunk := file.read(65536):
            digest.update(chunk)
    if digest.hexdigest() != entry["sha256"]:
        sys.exit(f"{entry['relative_path']}: wrong digest")
for entry in entries:
    name = os.path.basename(entry["relative_path"])
    with tarfile.open(name) as archive:
        if once:
            for member in archive:
                member.name = member.name.partition("/")[2]
                if member.name and not (member.isdir() and os.path.isdir(f"tree/{member.name}")):
                    if os.path.lexists(f"tree/{member.name}"):
                        os.unlink(f"tree/{member.name}")
                    archive.extract(member, "tree")
            continue
        above = os.path.commonprefix(archive.getnames())
        archive.extractall()
    for name in os.listdir(above):  # LICENSE is in all of them, and read-only
        if os.path.isfile(f"tree/{name}"):
            os.unlink(f"tree/{name}")
    shutil.copytree(above, "tree", symlinks=True, dirs_exist_ok=True, ignore_dangling_symlinks=True)
    shutil.rmtree(above)
