# SPDX-License-Identifier: MIT
"""dnf, zypper and pacman, as rows of tests/real-packages/run."""
import os
import shutil
import subprocess
from pathlib import Path

import rpm_policy
from bench import PAGE, call, make_root, repeatable, small, write

MIRROR = "mirror.example/cuda/rhel9/x86_64"
SAID_DNF = (
    (r"failed loading '", "apt_list_is_html"),
    (r"No space left on device|Curl error \(23\)|more space needed on", "disk_full"),
    (r"is not signed$", "apt_repo_key_rotated"),
    (r"switch enabled streams", "packages_filtered"),
    (r"\.rpm: Status code: 404|Inconsistent server data", "cuda_repo_index_inconsistent"),
    (r"filtered out by (exclude|modular) filtering", "packages_filtered"),
    (r"Couldn't read a file://|GPG check FAILED|is not installed. Failing package",
     "apt_repo_key_rotated"),
    (r"repomd.xml parser error", "tls_or_proxy_download_failure"),
    (r"Curl error \((60|77|35)\)", "tls_or_proxy_download_failure"),
    (r"checksum doesn't match|Mirror.*checksum", "cuda_repo_index_inconsistent"),
    (r"Status code: 404", "wrong_arch_repo_or_wheel"),
    (r"nothing provides|conflicting requests|cannot install", "?"),
)
SAID_ZYPPER = (
    (r"more space on the", "disk_full"),
    (r"remove lock to allow", "packages_filtered"),
    (r"has wrong checksum|rpm' not found on medium", "cuda_repo_index_inconsistent"),
    (r"contains garbage", "apt_list_is_html"),
    (r"Signature verification failed", "apt_repo_key_rotated"),
    (r"doesn't contain public key data", "tls_or_proxy_download_failure"),
    (r"type can't be determined", "wrong_arch_repo_or_wheel"),
    (r"nothing provides", "?"),
)
SAID_PACMAN = (
    (r"not enough free disk space|too full|Failure writing|[Ff]ailed writing|Write failed|No space left",
     "disk_full"),
    (r"invalid or corrupted package|\.pkg\.tar\.zst' from .* 404", "cuda_repo_index_inconsistent"),
    (r"must belong to a section", "apt_list_is_html"),
    (r"invalid or corrupted database|Unrecognized archive", "tls_or_proxy_download_failure"),
    (r"required key missing|unknown trust|not writable", "apt_repo_key_rotated"),
    (r"returned error: 404", "wrong_arch_repo_or_wheel"),
    (r"breaks dependency", "apt_held_or_mixed_repo_packages"),
    (r"unable to satisfy dependency|conflicting files", "?"),
)
RHEL = 'ID=rhel\nVERSION_ID="9.4"\nID_LIKE="fedora"\nPRETTY_NAME="Red Hat Enterprise Linux 9.4"\n'
LEAP = 'ID=opensuse-leap\nVERSION_ID="15.6"\nPRETTY_NAME="openSUSE Leap 15.6"\n'


class Rpm:
    """A repository of rpm packages, signed, and roots of dnf and zypper that name it."""

    def __init__(self, work, keys, server):
        self.work, self.keys, self.server = work / "rpm", keys, server
        self.work.mkdir()
        self.repository = server.directory / MIRROR
        self.repository.mkdir(parents=True)
        self.make("cuda-drivers", "570.1")
        self.make("needs-old", "1", requires="libtinfo.so.5()(64bit)")
        self.make("unsigned", "1", signer=None)
        rpm_policy.make_packages(self)
        self.put_back = []
        self.plugins = rpm_policy.plugins_in(self.work)
        self.count = 0

    def make(self, name, version, requires=None, signer="good", size=0, digest="SHA256",
             time=None):
        spec = self.work / f"{name}.spec"
        need = f"Requires: {requires}\n" if requires else ""
        large = f"/opt/{name}.bin" if size else ""
        install = f"%install\nmkdir -p %{{buildroot}}/opt\nhead -c {size} /dev/urandom >%{{buildroot}}{large}\n"
        write(spec, f"Name: {name}\nVersion: {version}\nRelease: 1\nSummary: x\nLicense: x\n{need}"
              f"%description\nx\n{install if size else ''}%files\n{large}\n")
        call("rpmbuild", "-bb", "--target", "x86_64", "--define", f"_rpmdir {self.repository}",
             "--define", "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm",
             "--define", f"_topdir {self.work}/top", str(spec))
        if signer:
            clock = ["faketime", time] if time else []
            call(*clock, "rpmsign", "--define", "__gpg /usr/bin/gpg", "--define",
                 f"_gpg_name {signer}@keys.example", "--define",
                 f"_gpg_digest_algo {digest}", "--addsign",
                 str(self.repository / f"{name}-{version}-1.x86_64.rpm"), env=self.keys.env)

    def index(self, signer="good"):
        shutil.rmtree(self.repository / "repodata", ignore_errors=True)
        for path, content in self.put_back:
            path.write_bytes(content)
        self.put_back = []
        call("createrepo_c", str(self.repository))
        self.sign_index(signer)

    def heal(self):
        self.server.page = set()
        self.index()

    def sign_index(self, signer="good"):
        repomd = self.repository / "repodata/repomd.xml"
        call("gpg", "--batch", "--yes", "-u", f"{signer}@keys.example", "--armor", "--detach-sign",
             "-o", f"{repomd}.asc", str(repomd), env=self.keys.env)
        write(Path(f"{repomd}.key"), self.keys.export(signer, armor=True))

    def root(self, os_release, directory, extra="", address="http://" + MIRROR, key="good",
             signer="good"):
        self.count += 1
        self.server.page = set()
        self.index(signer)
        root = self.work / f"root-{self.count}"
        make_root(root, os_release)
        for name in (directory, "etc/dnf", "etc/pki/rpm-gpg", "var/cache/dnf", "var/lib/rpm",
                     "var/log/zypp", "usr/lib/sysimage/rpm"):
            (root / name).mkdir(parents=True, exist_ok=True)
        shutil.rmtree(root / "var/lib/dpkg")
        shutil.rmtree(root / "etc/apt")
        write(root / "etc/dnf/dnf.conf", "[main]\ngpgcheck=1\n")
        write(root / "etc/dnf/plugins/versionlock.conf", "[main]\nenabled = 1\n"
              f"locklist = {root}/etc/dnf/plugins/versionlock.list\n")
        write(root / "etc/dnf/plugins/versionlock.list", "")
        if key:
            write(root / "etc/pki/rpm-gpg/KEY", self.keys.export(key, armor=True))
        write(root / directory / "cuda.repo",
              f"[cuda-rhel9]\nname=cuda\nbaseurl={address}\nenabled=1\nautorefresh=1\ngpgcheck=1\n"
              f"gpgkey=file://{root}/etc/pki/rpm-gpg/KEY\n{extra}")
        loader = "lib64/ld-linux-x86-64.so.2"
        (root / "lib64").mkdir()
        shutil.copy(Path("/") / loader, root / loader)
        return root

    def dnf(self, root, *words):
        return repeatable(call, "dnf", "-y", "--installroot", str(root), "--releasever=9",
                    "--disableplugin=*", "--enableplugin=versionlock",
                    f"--setopt=pluginpath={self.plugins}",
                    f"--setopt=pluginconfpath={root}/etc/dnf/plugins",
                    f"--setopt=proxy=http://127.0.0.1:{self.server.port}",
                    f"--setopt=cachedir={root}/var/cache/dnf", "--setopt=retries=1",
                    "--setopt=skip_if_unavailable=false", "--forcearch=x86_64",
                    *(words or ("install", "cuda-drivers")), check=False,
                    env={"PYTHONPATH": str(self.plugins.parent)})

    def zypper(self, root, *words):
        env = {"http_proxy": f"http://127.0.0.1:{self.server.port}", "HOME": str(root),
               "ZYPP_LOGFILE": f"{root}/var/log/zypper.log"}
        return repeatable(call, "timeout", "60", "zypper", "--non-interactive", "--root", str(root),
                    *(words or ("refresh",)), check=False, env=env)


def dnf_rows(rpm):
    def run(words=(), change=None, **more):
        def prepare(_):
            root = rpm.root(RHEL, "etc/yum.repos.d", **more)
            if change:
                change(root)
            return root, rpm.dnf(root, *words)
        return prepare

    def truncated(_):
        primary = next((rpm.repository / "repodata").glob("*primary.xml*"))
        primary.write_bytes(primary.read_bytes()[:-10])

    def module(root):
        write(root / "etc/dnf/modules.d/x.module", "")

    nvidia = "http://developer.download.nvidia.com/compute/cuda/repos/rhel9/aarch64"
    return [
        ("none", run()),
        (".repo is a page", run(change=lambda root: write(root / "etc/yum.repos.d/x.repo", PAGE))),
        ("no key file", run(key=None)),
        ("another key", run(key="other")),
        ("unsigned package", run(words=("install", "unsigned"))),
        ("packages are excluded", run(extra="excludepkgs=cuda-drivers*\n")),
        ("other packages are excluded (no fault)", run(extra="excludepkgs=other*\n")),
        ("index of another size", run(change=truncated)),
        ("page for the index", run(change=lambda _: rpm.server.page.add("mirror.example"))),
        ("directory of another machine", run(address=nvidia)),
        ("dependency not there", run(words=("install", "needs-old"))),
    ]


def zypper_rows(rpm):
    def run(change=None, words=(), **more):
        def prepare(_):
            root = rpm.root(LEAP, "etc/zypp/repos.d", **more)
            if change:
                change(root)
            return root, rpm.zypper(root, *words)
        return prepare

    nvidia = "http://developer.download.nvidia.com/compute/cuda/repos/opensuse15/aarch64"
    return [
        ("none", run(words=("--gpg-auto-import-keys", "refresh"))),
        (".repo is a page", run(change=lambda root: write(root / "etc/zypp/repos.d/x.repo", PAGE),
                                words=("--gpg-auto-import-keys", "refresh"))),
        ("unknown key", run()),
        ("page for the index", run(change=lambda _: rpm.server.page.add("mirror.example"))),
        ("directory of another machine", run(address=nvidia)),
    ]


class Pacman:
    """A repository made with repo-add, and roots of pacman."""

    def __init__(self, work, keys, server):
        self.work, self.keys, self.server = work / "pacman", keys, server
        self.work.mkdir()
        self.repository = server.directory / "mirror.example/arch/x86_64"
        self.repository.mkdir(parents=True)
        self.second = server.directory / "mirror.example/own/x86_64"
        self.second.mkdir(parents=True)
        for name, depends in (("nvidia-utils", ()), ("needs-old", ("libold",)),
                              ("nvidia-open", ("nvidia-utils=570",))):
            self.make(self.repository, name, "570-1", depends)
        self.make(self.second, "nvidia-utils", "571-1", ())
        self.later = server.directory / "mirror.example/later/x86_64"
        self.later.mkdir(parents=True)
        self.make(self.later, "nvidia-utils", "575-1", ())
        self.make(self.later, "nvidia-open", "575-1", ("nvidia-utils=575",))
        self.make(self.later, "nvidia-large", "1-1", (), size=3 << 20)
        self.make(self.later, "nvidia-strange", "1-1", (), signer="other")
        self.make(self.later, "nvidia-aged", "1-1", (), signer="expired", time="2020-01-05")
        self.count = 0

    def make(self, repository, name, version, depends, size=0, signer="good", time=None):
        tree = self.work / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        write(tree / ".PKGINFO", f"pkgname = {name}\npkgver = {version}\npkgdesc = x\nurl = x\n"
              "builddate = 1\npackager = x\nsize = 1\narch = x86_64\n" +
              "".join(f"depend = {depend}\n" for depend in depends))
        package = repository / f"{name}-{version}-x86_64.pkg.tar.zst"
        if size:
            write(tree / "opt/large.bin", os.urandom(size))
        call("bsdtar", "--zstd", "-cf", str(package), *sorted(os.listdir(tree)), cwd=tree)
        clock = ["faketime", time] if time else []
        call(*clock, "gpg", "--batch", "--yes", "-u", f"{signer}@keys.example", "--detach-sign", "-o",
             f"{package}.sig", str(package), env=self.keys.env)
        database = "own" if repository == self.second else "cuda"
        call("repo-add", str(repository / f"{database}.db.tar.gz"), str(package))

    def root(self, keyring=True, address="http://mirror.example/arch/$arch", options="",
             keys=("good",)):
        self.count += 1
        self.server.page = set()
        root = self.work / f"root-{self.count}"
        make_root(root, "ID=arch\n")
        shutil.rmtree(root / "var/lib/dpkg")
        shutil.rmtree(root / "etc/apt")
        for name in ("var/lib/pacman/local", "var/lib/pacman/sync", "var/cache/pacman/pkg"):
            (root / name).mkdir(parents=True)
        write(root / "etc/pacman.conf", "[options]\nArchitecture = x86_64\n"
              f"SigLevel = Required DatabaseOptional\n{options}\n[cuda]\nServer = {address}\n")
        home = root / "etc/pacman.d/gnupg"
        home.mkdir(parents=True, mode=0o700)
        if keyring:
            gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet"]
            subprocess.run([*gpg, "--import"], input=self.keys.export(*keys), check=True)
            listed = call(*gpg, "--list-keys", "--with-colons").stdout
            fingerprint = next(line.split(":")[9] for line in listed.splitlines()
                               if line.startswith("fpr"))
            subprocess.run([*gpg, "--import-ownertrust"], input=f"{fingerprint}:6:\n".encode(),
                           stderr=subprocess.DEVNULL, check=True)
        return root

    def heal(self):
        self.server.page = set()

    def pacman(self, root, *package):
        return repeatable(call, "pacman", "--root", str(root), "--config", str(root / "etc/pacman.conf"),
                    "--dbpath", str(root / "var/lib/pacman"), "--cachedir",
                    str(root / "var/cache/pacman/pkg"), "--gpgdir",
                    str(root / "etc/pacman.d/gnupg"), "--logfile",
                    str(root / "var/log/pacman.log"), "--noconfirm", *package, check=False,
                    env={"http_proxy": f"http://127.0.0.1:{self.server.port}"})


def pacman_rows(pacman):
    def run(change=None, package="nvidia-utils", stands_for=None, **more):
        def prepare(_):
            root = pacman.root(**more)
            if change:
                change(root)
            done = pacman.pacman(root, "-Sy", package)
            if stands_for:
                done.stands_for = stands_for
            return root, done
        return prepare

    def second(before):
        """The driver of one repository, then an update with another one beside it."""
        def prepare(_):
            root = pacman.root()
            pacman.pacman(root, "-Sy", "nvidia-open")
            conf = (root / "etc/pacman.conf").read_text()
            own = "[own]\nServer = http://mirror.example/own/$arch\n\n"
            write(root / "etc/pacman.conf",
                  conf.replace("[cuda]", own + "[cuda]") if before else conf + "\n" + own)
            return root, pacman.pacman(root, "-Syu")
        return prepare

    def later(ignored, change=None, words=("-Syu",)):
        """Packages of one branch, then the repository has the next one."""
        def prepare(_):
            root = pacman.root()
            pacman.pacman(root, "-Sy", "nvidia-open")
            conf = (root / "etc/pacman.conf").read_text().replace("/arch/$arch", "/later/$arch")
            write(root / "etc/pacman.conf",
                  conf.replace("[options]", f"[options]\nIgnorePkg = {ignored}"))
            if change:
                change(root)
            return root, pacman.pacman(root, *words)
        return prepare

    def gone(root):
        package = pacman.repository / "nvidia-utils-570-1-x86_64.pkg.tar.zst"
        content = package.read_bytes()
        package.unlink()
        done = pacman.pacman(root, "-Sy", "nvidia-utils")
        package.write_bytes(content)
        return root, done

    def damaged(root):
        package = pacman.repository / "nvidia-utils-570-1-x86_64.pkg.tar.zst"
        content = package.read_bytes()
        package.write_bytes(content[:-20] + bytes(20))
        done = pacman.pacman(root, "-Sy", "nvidia-utils")
        package.write_bytes(content)
        return root, done

    address = "http://mirror.example/later/$arch"
    return [
        ("IgnorePkg of the libraries alone", later("nvidia-utils")),
        ("IgnorePkg of library and module (no fault)", later("nvidia-utils nvidia-open")),
        ("IgnorePkg of another package (no fault)", later("htop")),
        ("package of an unknown key", run(package="nvidia-strange", address=address)),
        ("package of an expired key", run(package="nvidia-aged", address=address,
                                          keys=("good", "expired"))),
        ("database names packages that are gone", lambda _: gone(pacman.root())),
        ("package of other bytes", lambda _: damaged(pacman.root())),
        ("no space for the database", run(
            lambda root: small(root / "var/lib/pacman/sync", "4k", full=True), stands_for="disk_full")),
        ("no space for the package", run(lambda root: small(root / "var/cache/pacman/pkg"),
                                         package="nvidia-large", address=address)),
        ("no space for the files", run(lambda root: small(root / "opt"),
                                       package="nvidia-large", address=address)),
        ("none", run()),
        ("no keyring", run(keyring=False)),
        ("pacman.conf is a page", run(change=lambda root: write(root / "etc/pacman.conf", PAGE))),
        ("page for the database", run(change=lambda _: pacman.server.page.add("mirror.example"))),
        ("ignored package (no fault)", run(options="IgnorePkg = nvidia-utils")),
        ("dependency not there", run(package="needs-old")),
        ("a part from another repository", second(True)),
        ("another repository behind the first (no fault)", second(False)),
    ]


def rows(work, keys, server):
    if shutil.which("dnf") and shutil.which("createrepo_c"):
        rpm = Rpm(work, keys, server)
        for fault, run in dnf_rows(rpm) + rpm_policy.dnf_rows(rpm, RHEL):
            yield "dnf", fault, run, SAID_DNF, rpm
        if shutil.which("zypper"):
            for fault, run in zypper_rows(rpm) + rpm_policy.zypper_rows(rpm, LEAP):
                yield "zypper", fault, run, SAID_ZYPPER, rpm
    if shutil.which("pacman") and shutil.which("bsdtar"):
        pacman = Pacman(work, keys, server)
        for fault, run in pacman_rows(pacman):
            yield "pacman", fault, run, SAID_PACMAN, pacman
