# SPDX-License-Identifier: MIT
"""A publisher of signed manifests who makes mistakes on purpose: what tests of `gpuenv manifest update` fetch.

Every part can be signed by any key, and changed before or after that. The files are those that
scripts/manifest-sign makes (docs/reference/manifest-update.md)."""
import hashlib
import json
import os
import subprocess
import tempfile
import time
import zlib


def openssl(*words, **what):
    return subprocess.run(["openssl", *words], check=True, capture_output=True, **what).stdout


class Key:
    def __init__(self, path):
        self.path = path
        if not os.path.exists(path):
            openssl("genpkey", "-algorithm", "ed25519", "-out", path)
        self.public = openssl("pkey", "-in", path, "-pubout", "-outform", "DER")[-32:].hex()

    def sign(self, data):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            return openssl("pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", file.name).hex()


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def role(keys, threshold=1):
    return {"keys": [key.public for key in keys], "threshold": threshold}


def envelope(said, keys, indent=None):
    """said: a dictionary, or a text that is signed as it is."""
    text = said if isinstance(said, str) else json.dumps(said, indent=indent)
    signatures = [{"key": key.public, "signature": key.sign(text.encode())} for key in keys]
    return f'{{"signed": {text}, "signatures": {json.dumps(signatures)}}}'


def bundle_of(*parts, reader=b""):
    data = b"gpuenv-update 1\n" + reader
    for name, part in zip(("roots", "statement", "manifest"), parts):
        data += b"%s %d\n%s\n" % (name.encode(), len(part), part)
    return data + b"crc32 %08x\n" % zlib.crc32(data)


class Site:
    """What is published, in a directory."""

    def __init__(self, directory, root_text, manifest_key, manifests, now):
        os.makedirs(directory)
        self.directory, self.manifests, self.now = directory, manifests, now
        self.roots = [root_text]  # texts
        self.keys = [manifest_key]  # that sign statements
        self.version = 0

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write_roots(self):
        self.write("root.json", "[" + ",\n".join(self.roots) + "]\n")

    def add_root(self, version, root, manifest, signers, days=100, **more):
        self.roots.append(envelope({"type": "gpuenv-root", "spec": 1, "version": version, "expires": moment(self.now + days * 86400),
                                    "root": root, "manifest": manifest, **more}, signers))
        self.write_roots()

    def statement(self, number, days=30, **more):
        """What is said of manifest `number`."""
        data = self.manifests(number)
        said = {"type": "gpuenv-manifest", "spec": 1, "version": self.version, "expires": moment(self.now + days * 86400),
                "format": 1, "manifest_version": number, "manifest_date": "2027-01-01", "length": len(data),
                "sha256": hashlib.sha256(data).hexdigest()}
        return {key: value for key, value in {**said, **more}.items() if value is not None}

    def publish(self, number, keys=None, days=30, **more):
        """Manifest `number`, by a new statement."""
        self.version = more.get("version", self.version + 1)
        self.write_roots()
        self.write(f"manifest-{number}.json", self.manifests(number))
        self.write("update.json", envelope(self.statement(number, days, **more), self.keys if keys is None else keys))
        return self

    def bundle(self):
        number = json.loads(self.read("update.json"))["signed"]["manifest_version"]
        return bundle_of(self.read("root.json"), self.read("update.json"), self.read(f"manifest-{number}.json"))
