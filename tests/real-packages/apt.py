# SPDX-License-Identifier: MIT
"""Faults of apt's repositories and packages, as rows of tests/real-packages/run."""
import shutil
from pathlib import Path

from bench import (BOUND, PAGE, call, call_inside, index_debs, make_deb, make_root, release_of,
                   repeatable,
                   write)

MIRROR = "mirror.example/cuda/ubuntu2204/x86_64"
KEYRING = "/usr/share/keyrings/mirror.gpg"
BOUND_POLICY = BOUND + ("etc/crypto-policies",)
LIST = "etc/apt/sources.list.d/mirror.list"
OS = {
    "bookworm": 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "trixie": 'ID=debian\nVERSION_ID="13"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n',
    "bullseye": 'ID=debian\nVERSION_ID="11"\nPRETTY_NAME="Debian GNU/Linux 11 (bullseye)"\n',
    "sid": 'ID=debian\nPRETTY_NAME="Debian GNU/Linux forky/sid"\n',
}
# Fails once, as a script whose service was not running.
ONCE = ("#!/bin/sh\nonce=$DPKG_ROOT/var/lib/dpkg/once\n[ -e $once ] && exit 0\n: >$once\nexit 1\n")
# What apt and dpkg say, and the cause that it stands for. The first that is found counts.
SAID = (
    (r"No space left on device", "disk_full"),
    (r"is expired \(invalid since|is not valid yet \(|changed its '\w+' value",
     "cuda_repo_index_inconsistent"),
    (r"Type '[^']*' is not known|Malformed (entry|stanza|line)|parse package file /etc/apt",
     "apt_list_is_html"),
    (r"Conflicting values set for option Signed-By", "apt_signed_by_conflict"),
    (r"Clearsigned file isn't valid|got 'NOSPLIT'", "tls_or_proxy_download_failure"),
    (r"ertificate verif|certificate is NOT trusted|CERT_|SSL connection failed",
     "tls_or_proxy_download_failure"),
    (r"SHA1 is not considered secure|rejected by weak|Weak key|signatures were invalid: [0-9A-F]{40}",
     "apt_key_sha1_rejected"),
    (r"NO_PUBKEY|EXPKEYSIG|Missing key|Failed to parse keyring|unsupported filetype|is expired|[Kk]ey expired|Expired on",
     "apt_repo_key_rotated"),
    (r"File has unexpected size|Hash Sum mismatch|no Package: header|Unable to parse package file",
     "cuda_repo_index_inconsistent"),
    (r"\.deb +404 +Not Found", "cuda_repo_index_inconsistent"),
    (r"404 +Not Found", "wrong_arch_repo_or_wheel"),
    (r"Release' is not signed", "apt_repo_key_rotated"),
    (r"script subprocess returned error", "package_left_unconfigured"),
    (r"no installation candidate", "packages_filtered"),
    (r"trying to overwrite", "runfile_over_packages"),
    (r"held broken packages|Unsatisfied dependencies|unmet dependencies|dependency problems", "?"),
)


class Apt:
    """The repository, and a root for each row."""

    def __init__(self, work, keys, server, systems):
        self.work, self.keys, self.server, self.systems = work, keys, server, systems
        self.repository = server.directory / MIRROR
        self.repository.mkdir(parents=True)
        make_deb(self.repository, "cuda-drivers", "570.1-1")
        self.places = [self.repository]
        self.count = 0

    def root(self, system, signer="good", keyring=("good",), address="http://" + MIRROR,
             options=(), time=None):
        """A root whose list names the mirror; the mirror signed again."""
        self.count += 1
        self.system = system
        self.server.page = set()
        root = self.work / f"root-{self.count}"
        make_root(root, OS[system])
        index_debs(self.repository, "NVIDIA", "NVIDIA CUDA")
        self.sign(signer, options, time)
        write(root / KEYRING.lstrip("/"), self.keys.export(*keyring))
        write(root / LIST, f"deb [signed-by={KEYRING}] {address} /\n")
        self.copy_verifier(root, system)
        loader = "lib64/ld-linux-x86-64.so.2"
        (root / "lib64").mkdir()
        shutil.copy(Path("/") / loader, root / loader)
        return root

    def sign(self, signer="good", options=(), time=None):
        self.keys.sign(signer, self.repository / "Release", self.repository / "InRelease", *options,
                       time=time)

    def heal(self):
        """The server is right again, whatever was wrong with it."""
        self.server.page = set()
        for place in self.places:
            index_debs(place, "NVIDIA", "NVIDIA CUDA")
            self.keys.sign("good", place / "Release", place / "InRelease")

    def copy_verifier(self, root, system):
        """What the doctor looks at to know how this apt checks signatures."""
        place = Path(self.systems[system])
        for name in ("usr/bin/sqv", "usr/lib/apt/methods/sqv",
                     "usr/share/apt/default-sequoia.config"):
            if (place / name).exists() and (place / "usr/lib/apt/methods/sqv").exists():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(place / name, root / name)
        (root / "etc/crypto-policies/back-ends").mkdir(parents=True)

    def installed(self, root, *words, **more):
        """dpkg's answer; done again: whether apt finds nothing broken."""
        done = call("dpkg", f"--root={root}", f"--log={root}/var/log/dpkg.log", "--force-not-root",
                    "--force-script-chrootless", *words, check=False, **more)
        done.again = lambda: self.apt(root, "check")
        return done

    def apt(self, root, *words):
        options = ("-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=0", "-o",
                   f"Acquire::http::Proxy=http://127.0.0.1:{self.server.port}", "-o",
                   "Acquire::https::Proxy=DIRECT", "-o", "Debug::NoLocking=1", "-o",
                   "Acquire::https::Verify-Host=false")
        bound = BOUND_POLICY if (root / "etc/crypto-policies").exists() else BOUND
        (Path(self.systems[self.system]) / "etc/crypto-policies").mkdir(exist_ok=True)
        return repeatable(call_inside, root, self.systems[self.system], "apt-get", *options, *words,
                          bound=bound)

    def update(self, root):
        return self.apt(root, "update")


def damage(path, start):
    """The same size, and other bytes."""
    data = bytearray(path.read_bytes())
    data[start] ^= 1
    path.write_bytes(bytes(data))


def rows(bench):
    """(fault, system, function): the function prepares a root and returns it with apt's answer."""
    both = ("bookworm", "trixie")

    def update_of(root):
        return root, bench.update(root)

    def simple(**more):
        return lambda system: update_of(bench.root(system, **more))

    def changed(change, **more):
        def run(system):
            root = bench.root(system, **more)
            change(root)
            return update_of(root)
        return run

    table = []

    def add(fault, run, systems=both):
        table.extend((fault, system, run) for system in systems)

    add("none", simple(), ("bullseye", "bookworm", "trixie", "sid"))
    add("unknown key", simple(signer="other"), ("bullseye", "bookworm", "trixie", "sid"))
    add("expired key", simple(signer="expired", keyring=("expired",), time="2020-01-05"))
    add("no keyring", changed(lambda root: (root / KEYRING.lstrip("/")).unlink()))

    def wrong_signed_by(root):
        write(root / "etc/apt/trusted.gpg.d/right.gpg", bench.keys.export("good"))
    add("wrong Signed-By, the right key in trusted.gpg.d",
        changed(wrong_signed_by, keyring=("other",)))

    def trusted_d(root):
        wrong_signed_by(root)
        write(root / LIST, f"deb http://{MIRROR} /\n")
    add("no Signed-By, the right key in trusted.gpg.d (no fault)",
        changed(trusted_d, keyring=("other",)))
    add("two keys, one of them right (no fault)", simple(keyring=("other", "good")))

    def armored(root):
        write(root / "usr/share/keyrings/mirror.asc", bench.keys.export("good", armor=True))
        write(root / LIST, f"deb [signed-by=/usr/share/keyrings/mirror.asc] http://{MIRROR} /\n")
    add("armored keyring (no fault)", changed(armored))

    def inline(root):
        (root / LIST).unlink()
        key = bench.keys.export("good", armor=True).decode().rstrip("\n").split("\n")
        lines = "".join(f" {line or '.'}\n" for line in key)
        write(root / "etc/apt/sources.list.d/mirror.sources",
              f"Types: deb\nURIs: http://{MIRROR}\nSuites: /\nSigned-By:\n{lines}")
    add("deb822 with the key inside (no fault)", changed(inline), ("bookworm", "trixie"))

    def inline_wrong(root):
        inline(root)
    add("deb822 with another key inside", changed(inline_wrong, signer="other"), ("bookworm",))
    add("trusted=yes, unknown key (no fault)", changed(
        lambda root: write(root / LIST, f"deb [trusted=yes] http://{MIRROR} /\n"),
        signer="other"), ("bookworm",))
    add("self-signature of SHA-1", simple(signer="sha1", keyring=("sha1",)),
        ("bullseye", "bookworm", "trixie", "sid"))

    def policy(root):
        write(root / "etc/crypto-policies/back-ends/apt-sequoia.config",
              "[hash_algorithms]\nsha1.second_preimage_resistance = 2030-01-01\n")
    def with_policy(system):
        root = bench.root(system, signer="sha1", keyring=("sha1",))
        policy(root)
        place = Path(bench.systems[system]) / "etc/crypto-policies"
        place.mkdir(parents=True, exist_ok=True)
        return root, call_inside(root, bench.systems[system], "apt-get", "-o",
                                 "APT::Sandbox::User=root", "-o",
                                 f"Acquire::http::Proxy=http://127.0.0.1:{bench.server.port}",
                                 "update", bound=BOUND_POLICY)
    add("self-signature of SHA-1, a policy that allows it (no fault)", with_policy, ("trixie",))
    add("signature of SHA-1", simple(options=("--digest-algo", "SHA1")))

    def stale(_):
        write(bench.repository / "Packages", "Package: x\nVersion: 1\n")
        call("gzip", "-kf", "Packages", cwd=bench.repository)
    add("index of another size", changed(stale))

    def hash_differs(_):
        for name in ("Packages", "Packages.gz"):
            damage(bench.repository / name, 20)
    add("index of the same size, other bytes", changed(hash_differs))

    def malformed(_):
        text = (bench.repository / "Packages").read_text()
        write(bench.repository / "Packages", text + "\nVersion: 1\nArchitecture: amd64\n\n")
        call("gzip", "-kf", "Packages", cwd=bench.repository)
        write(bench.repository / "Release", release_of(bench.repository, "NVIDIA", "NVIDIA CUDA"))
        bench.sign()
    add("index with a section without Package", changed(malformed))
    add("page for the signed file", changed(lambda _: bench.server.page.add("mirror.example")))
    add("page for the index", changed(
        lambda _: bench.server.page.add(f"{MIRROR}/Packages")))
    add("list is a page", changed(lambda root: write(root / LIST, PAGE)))
    add("list is an answer 404", changed(lambda root: write(root / LIST, "404: Not Found\n")),
        ("bookworm",))
    add("list is a comment (no fault)", changed(
        lambda root: write(root / "etc/apt/sources.list.d/x.list", "# Unsupported distribution!\n")),
        ("bookworm",))
    add(".sources is a page", changed(
        lambda root: write(root / "etc/apt/sources.list.d/x.sources", PAGE)), ("bookworm", "trixie"))

    def conflict(root):
        write(root / "etc/apt/sources.list.d/older.list", f"deb http://{MIRROR}/ /\n")
    add("Signed-By in one of two entries", changed(conflict))

    def two_keyrings(root):
        write(root / "usr/share/keyrings/second.gpg", bench.keys.export("good"))
        write(root / "etc/apt/sources.list.d/older.list",
              f"deb [signed-by=/usr/share/keyrings/second.gpg] http://{MIRROR}/ /\n")
    add("two values of Signed-By", changed(two_keyrings))

    def twice(root):
        write(root / "etc/apt/sources.list.d/older.list",
              f"deb [signed-by={KEYRING}] http://{MIRROR}/ /\n")
    add("the same entry twice (no fault)", changed(twice), ("bookworm",))

    def other_machine(root):
        write(root / LIST, f"deb [signed-by={KEYRING}] http://developer.download.nvidia.com/"
              "compute/cuda/repos/debian12/aarch64 /\n")
    add("directory of another machine", changed(other_machine))
    return table






def tls_rows(bench, secure, authority):
    """The same repository behind TLS, with a certificate that this machine's own CA signed."""
    address = f"https://localhost:{secure.port}/{MIRROR}"

    def root_of(system):
        root = bench.root(system, address=address)
        write(root / "etc/apt/apt.conf.d/90proxy",
              f'Acquire::http::Proxy "http://127.0.0.1:{bench.server.port}";\n')
        return root

    def untrusted(system):
        root = root_of(system)
        public = Path("/etc/ssl/certs/ca-certificates.crt").read_bytes()
        write(root / "etc/ssl/certs/ca-certificates.crt", public)
        write(root / "usr/local/share/ca-certificates/proxy.crt", authority.read_bytes())
        return root, bench.update(root)

    def trusted(system):
        root = root_of(system)
        public = Path("/etc/ssl/certs/ca-certificates.crt").read_bytes()
        write(root / "etc/ssl/certs/ca-certificates.crt", public + authority.read_bytes())
        write(root / "usr/local/share/ca-certificates/proxy.crt", authority.read_bytes())
        return root, bench.update(root)

    def nothing(system):
        make_deb(bench.repository, "ca-certificates", "20230311", files=[
            ("/etc/ssl/certs/ca-certificates.crt", authority.read_text())])
        root = root_of(system)
        write(root / "var/lib/dpkg/status",
              "Package: apt\nStatus: install ok installed\nVersion: 2.6.1\nArchitecture: amd64\n"
              "Maintainer: x\nDescription: x\n\n")
        return root, bench.update(root)

    return [("intercepted TLS, the CA added and not trusted", "bookworm", untrusted),
            ("intercepted TLS, the CA trusted (no fault)", "bookworm", trusted),
            ("https without ca-certificates", "bookworm", nothing)]


def package_rows(bench):
    """Packages that do not fit together: apt's simulation and dpkg on the root alone."""
    vendor = bench.server.directory / "vendor.example/r"
    distribution = bench.server.directory / "distribution.example/r"
    for place in (vendor, distribution):
        place.mkdir(parents=True)
    for version in ("418.87-1", "440.33-1"):
        make_deb(vendor, "cuda-drivers", version,
                 depends=f"nvidia-driver-440 (= {version})" if version[0:3] == "440" else None)
    make_deb(vendor, "nvidia-driver-440", "440.33-1")
    make_deb(distribution, "nvidia-driver-440", "440.100-0ubuntu1")
    index_debs(vendor, "NVIDIA", "NVIDIA CUDA")
    index_debs(distribution, "Distribution", "Distribution")
    for place in (vendor, distribution):
        bench.keys.sign("good", place / "Release", place / "InRelease")

    def installed(*packages):
        return "".join(f"Package: {name}\nStatus: {status}\nVersion: {version}\n"
                       "Architecture: amd64\nMaintainer: x\nDescription: x\n\n"
                       for name, version, status in packages)

    def two(system, preferences=None, held=False):
        root = bench.root(system)
        write(root / LIST, "".join(f"deb [signed-by={KEYRING}] http://{host}.example/r /\n"
                                   for host in ("vendor", "distribution")))
        packages = [("cuda-drivers", "418.87-1", "install ok installed")]
        if held:
            packages.append(("nvidia-driver-440", "440.20-1", "hold ok installed"))
            write(root / LIST, f"deb [signed-by={KEYRING}] http://vendor.example/r /\n")
        write(root / "var/lib/dpkg/status", installed(*packages))
        if preferences:
            write(root / "etc/apt/preferences.d/cuda-repository-pin-600", preferences)
        bench.update(root)
        return root, bench.apt(root, "-s", "-y", "install", "cuda-drivers")

    pin = "Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 600\n"
    origin = "Package: nvidia-* cuda-drivers\nPin: origin vendor.example\nPin-Priority: 700\n"

    dpkg = bench.installed

    def half_configured(system):
        root = bench.root(system)
        deb = make_deb(root / "tmp", "nvidia-half", "1",
                       scripts={"postinst": ONCE})
        return root, dpkg(root, "-i", str(deb))

    def waits(system, version):
        root = bench.root(system)
        common = make_deb(root / "tmp", "nvidia-kernel-common-530", "530.30.02-1")
        dkms = make_deb(root / "tmp", "nvidia-dkms-530", "530.41.03-1",
                        depends=f"nvidia-kernel-common-530 (>= {version})")
        dpkg(root, "-i", str(common))
        return root, dpkg(root, "-i", str(dkms))

    def missing(system):
        root = bench.root(system)
        deb = make_deb(root / "tmp", "nsight-systems", "1", depends="libtinfo5")
        return root, dpkg(root, "-i", str(deb))

    def overwrites(system):
        root = bench.root(system)
        rule = ("/lib/udev/rules.d/71-nvidia.rules", "x\n")
        first = make_deb(root / "tmp", "nvidia-kernel-common-418", "418", files=[rule])
        second = make_deb(root / "tmp", "nvidia-340", "340", files=[rule])
        dpkg(root, "-i", str(first))
        done = dpkg(root, "-i", str(second))
        write(root / "var/log/apt/term.log", done.stdout)
        return root, done

    return [
        ("two vendors' packages of one name", "bookworm", two),
        ("two vendors' packages of one name", "trixie", two),
        ("two vendors, preferences by label (no fault)", "bookworm", lambda s: two(s, pin)),
        ("two vendors, preferences by label (no fault)", "trixie", lambda s: two(s, pin)),
        ("two vendors, preferences by host (no fault)", "bookworm", lambda s: two(s, origin)),
        ("a held package in the way", "bookworm", lambda s: two(s, held=True)),
        ("half-configured", "bookworm", half_configured),
        ("waits for another version", "bookworm", lambda s: waits(s, "530.41.03")),
        ("its dependency is met (no fault)", "bookworm", lambda s: waits(s, "530.30")),
        ("dependency not there", "bookworm", missing),
        ("a file of another package", "bookworm", overwrites),
    ]
