# SPDX-License-Identifier: MIT
"""What small members of a wheel tell of its CUDA. Members of a wheel are packed, so a part of one
can only be read from its start: what is in the large libraries is read by `gpuenv inspect`."""

import json
import os
import re
import struct
import subprocess
import tempfile

from refresh.index import order

START = 8 << 20
BLOCK = 8 << 20  # of a library that is read whole: each block is a request
WHOLE = 64 << 20


def dotted(tag):
    """132 is 13.2, 118 is 11.8."""
    return f"{tag[:-1]}.{tag[-1]}"


def member(wheel, pattern, limit=WHOLE):
    """The first bytes of the first member whose name matches; b"" where there is none."""
    for name in sorted(wheel.members):
        if re.search(pattern, name):
            found = b""
            for piece in wheel.stream(wheel.members[name]):
                found += piece
                if len(found) >= limit:
                    break
            return found
    return b""


def capabilities(words):
    """["sm_75", "compute_90"] is sass 7.5 and 9.0, ptx 9.0: as the build rules make it."""
    sass, ptx = [], []
    for kind, digits, letter in re.findall(r"\b(sm|compute)_(\d+)([a-z]?)\b", " ".join(words)):
        number = dotted(digits) + letter
        sass.append(number)
        if kind == "compute":
            ptx.append(number)
    return {key: value for key, value in (("sass", sass), ("ptx", ptx)) if value}


def local_version(wheel):
    """version.py of torch and of what is built with it."""
    text = member(wheel, r"^(torch|torchvision|torchaudio)/version\.py$").decode("utf-8", "replace")
    match = re.search(r"__version__ = ['\"][^'\"+]+\+cu(\d+)", text) or re.search(r"^cuda[^=\n]*= '([\d.]+)'", text, re.M)
    if not match:
        return {}
    cuda = match[1] if "." in match[1] else dotted(match[1])
    return {"cuda": cuda, "variant": "cu" + cuda.replace(".", "")}


def torch_flags(wheel):
    """What torch.cuda.get_arch_list() says."""
    match = re.search(rb"\0((?:(?:sm|compute)_\d+[a-z]? ?){2,})\0", member(wheel, r"^torch/lib/libtorch_python\.so$"))
    return capabilities(match[1].decode().split()) if match else {}


def onnxruntime_info(wheel):
    match = re.search(rb"^cuda_version = '([\d.]+)'", member(wheel, r"/build_and_package_info\.py$"), re.M)
    return {"cuda": match[1].decode(), "variant": "cuda" + match[1].decode()} if match else {}


def tensorflow_info(wheel):
    text = member(wheel, r"/platform/build_info\.py$").decode("utf-8", "replace")
    match = re.search(r"'cuda_version', '([\d.]+)'", text)
    cells = {"cuda": ".".join(match[1].split(".")[:2])} if match else {}
    match = re.search(r"'cudnn_version', '([\d.]+)'", text)
    cells.update({"cudnn": match[1]} if match else {})
    match = re.search(r"'cuda_compute_capabilities', \[([^\]]*)\]", text)
    cells.update(capabilities([match[1]]) if match else {})
    return cells


def jax_versions(wheel):
    """_versions.so returns the numbers of the CUDA runtime and of cuDNN that it was built with:
    each is one immediate of an x86 instruction "mov register, number"."""
    raw = member(wheel, r"/_versions\.so$")
    major = next((int(found[1]) for found in map(re.compile(r"_cuda(\d+)_plugin/").search, wheel.members) if found), 0)
    numbers = [struct.unpack("<I", found)[0] for found in re.findall(rb"(?=[\xb8-\xbf](....))", raw, re.S)]
    cudas = {n for n in numbers if n // 1000 == major and n % 10 == 0 and n % 1000 < 200}
    cudnns = {n for n in numbers if 89000 <= n < 100000 and n % 10000 < 5000}
    if len(cudas) != 1 or len(cudnns) != 1:
        return {}
    cuda, cudnn = cudas.pop(), cudnns.pop()
    return {
        "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}",
        "cudnn": f"{cudnn // 10000}.{cudnn % 10000 // 100}.{cudnn % 100}",
    }


def runtime_major(wheel):
    """The libcudart that the libraries need: its name is near their start."""
    majors = set()
    for name in sorted(wheel.members):
        match = re.search(r"libcudart[-.\w]*\.so\.(\d+)", name)
        if match:
            majors.add(match[1])
    for name in sorted(name for name in wheel.members if re.search(r"\.so$", name))[:6]:
        majors |= {found.decode() for found in re.findall(rb"libcudart\.so\.(\d+)", member(wheel, f"^{re.escape(name)}$", START))}
        if majors:
            break
    return {"cudas": [f"{major}.x" for major in sorted(majors, key=int)]} if majors else {}


def library_names(wheel):
    """libbitsandbytes_cuda128.so is for CUDA 12.8."""
    tags = {match[1] for match in (re.search(r"_cuda(\d{3})\.so$", name) for name in wheel.members) if match}
    return {"cudas": [dotted(tag) for tag in sorted(tags, key=int)]} if tags else {}


def setup_flags(_, text):
    """What setup.py of a source archive compiles for, and the oldest CUDA that it and its
    description ("- CUDA 12.0 and above") accept."""
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    found = {dotted(number) for number in re.findall(r"arch=compute_(\d+),code=sm_\1\b", text)}
    least = re.findall(r'bare_metal_version < Version\("([\d.]+)"\)', text)
    least += re.findall(r"^- CUDA (\d+\.\d+)(?:\+| and above)", text, re.M) if least else []
    if not found or not least:
        return {}
    return {"cuda_range": ">=" + max(least, key=order), "carries": "system", "capabilities": sorted(found, key=order)}


def ggml_list(_, text):
    """CMakeLists.txt of ggml: the CUDA with which it compiles for the GPU that is there, and the
    lowest capability that it has in a list."""
    native = re.search(r'GGML_NATIVE AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL "([\d.]+)"', text)
    lists = re.findall(r'(?:APPEND |set\()CMAKE_CUDA_ARCHITECTURES "?(\d[^")]*)', text)
    numbers = {dotted(number) for line in lists for number in re.findall(r"\b(\d{2,3})[a-z]?\b", line)}
    if not native or not numbers:
        return {}
    return {"cuda_range": ">=" + native[1], "carries": "system", "capability_min": min(numbers, key=order)}


def gpu_table(_, text):
    """The table "| Turing | SM 7.5 |" of a description, and the CUDA versions that it names."""
    found = set()
    for cell in re.findall(r"^\|[^|\n]*\|\s*SM ([\d., ]+?)\s*\|", text, re.M):
        found |= set(re.findall(r"\d+\.\d", cell))
    cudas = re.search(r"^\*\*Supported CUDA Versions:\*\*(.*)$", text, re.M)
    cudas = re.findall(r"\b\d+\.\d\b", re.sub(r"\([^)]*\)", "", cudas[1])) if cudas else []
    if not found or not cudas:
        return {}
    return {"cudas": sorted(set(cudas), key=order), "capabilities": sorted(found, key=order)}


def ampere_or_later(_, text):
    """"Support … on NVIDIA Ampere GPU architecture generations and later"."""
    return {"capabilities": ["8.0", ">8.0"]} if re.search(r"\bAmpere GPU\s+architecture\s+generations\s+and\s+later", text) else {}


def major_of_release(version, _):
    """Bindings of CUDA 13 have the releases 13.x."""
    return {"cudas": [version.partition(".")[0] + ".x"]}


def inspected(wheel, pattern, gpuenv):
    """What `gpuenv inspect` finds in the libraries, each read whole from the wheel."""
    sass, ptx, cudas = set(), set(), set()
    for name in sorted(name for name in wheel.members if re.search(pattern, name)):
        with tempfile.NamedTemporaryFile(suffix="-" + os.path.basename(name)) as file:
            for piece in wheel.stream(wheel.members[name], BLOCK):
                file.write(piece)
            file.flush()
            done = subprocess.run([gpuenv, "inspect", "--json", file.name], capture_output=True, text=True, check=False)
        told = json.loads(done.stdout)["files"][0] if done.stdout else {}
        sass |= set(told.get("sass") or ())
        ptx |= set(told.get("ptx") or ())
        cudas.add(told.get("cuda"))
    cells = {}
    for key, found in (("sass", sass), ("ptx", ptx)):
        numbers = capabilities([word.replace("compute_", "sm_") for word in found]).get("sass", [])
        if numbers:
            cells[key] = sorted(numbers, key=lambda number: (order(re.sub("[a-z]", "", number)), number))
    if len(cudas) == 1 and None not in cudas:
        cells["cuda"] = cudas.pop()
    return cells
