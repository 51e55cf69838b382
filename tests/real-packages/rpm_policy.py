# SPDX-License-Identifier: MIT
"""What keeps dnf and zypper from a package that the repository has: module streams, locks, keys and
digests that are refused, and no space. Rows of tests/real-packages/run."""
import shutil

from bench import call, small, write

CUDA = "mirror.example"
STREAM = """---
document: modulemd
version: 2
data:
  name: nvidia-driver
  stream: "{stream}"
  version: 20260101000000
  context: 00000000
  arch: x86_64
  summary: x
  description: x
  license: {{module: [MIT]}}
  profiles: {{default: {{rpms: [nvidia-driver]}}}}
  artifacts:
    rpms: [{artifacts}]
...
"""
PLATFORM = "--setopt=module_platform_id=platform:el9"


def plugins_in(work):
    """dnf's plugins, from Debian's package: installed, it would push zypper out."""
    place = work / "plugins"
    place.mkdir()
    call("apt-get", "download", "dnf-plugins-core", cwd=place)
    call("dpkg-deb", "-x", str(next(place.glob("*.deb"))), str(place))
    return place / "usr/lib/python3/dist-packages/dnf-plugins"


def make_packages(rpm):
    """A driver of two branches, a package that needs one of them, and large and weak packages."""
    for version in ("560.35.03", "570.86.15"):
        rpm.make("nvidia-driver", version)
        rpm.make("kmod-nvidia-open-dkms", version, requires=f"nvidia-driver = {version}")
    rpm.make("cuda-large", "1", size=3 << 20)
    rpm.make("cuda-weak", "1", digest="SHA1")
    rpm.make("cuda-aged", "1", signer="expired", time="2020-01-05")


def add_streams(rpm, *streams):
    """Streams whose packages are those of a branch, in the repository's own metadata."""
    text = "".join(STREAM.format(stream=stream, artifacts=", ".join(
        f"nvidia-driver-0:{version}-1.x86_64, kmod-nvidia-open-dkms-0:{version}-1.x86_64"
        for version in versions)) for stream, versions in streams)
    write(rpm.work / "modules.yaml", text)
    call("modifyrepo_c", "--mdtype=modules", str(rpm.work / "modules.yaml"),
         str(rpm.repository / "repodata"))
    rpm.sign_index()


def enable(root, stream):
    write(root / "etc/dnf/modules.d/nvidia-driver.module",
          f"[nvidia-driver]\nname=nvidia-driver\nstream={stream}\nprofiles=\nstate=enabled\n")


def lock(root, *patterns):
    write(root / "etc/dnf/plugins/versionlock.list", "".join(line + "\n" for line in patterns))


OLD, NEW = ("560-open", ["560.35.03"]), ("570-open", ["570.86.15"])


def dnf_rows(rpm, os_release):
    def run(words, change=None, install=None, stands_for=None, **more):
        def prepare(_):
            root = rpm.root(os_release, "etc/yum.repos.d", **more)
            if install:
                rpm.dnf(root, "install", *install)
            if change:
                change(root)
            done = rpm.dnf(root, PLATFORM, *(words or ("install", "cuda-drivers")))
            if stands_for: # its own words are about a consequence
                done.stands_for = stands_for
            return root, done
        return prepare

    def streams(stream):
        def change(root):
            add_streams(rpm, OLD, NEW)
            if stream:
                enable(root, stream)
        return change

    newer = ("install", "nvidia-driver-570.86.15")
    update = ("update", "nvidia-driver")
    held = ("nvidia-driver-0:560.35.03-1.*",)
    whole = ("install", "kmod-nvidia-open-dkms-570.86.15")
    exclude = "[main]\ngpgcheck=1\nexcludepkgs=nvidia-driver*\n"

    return [
        ("the stream of the older branch is enabled", run(newer, streams("560-open"))),
        ("no stream is enabled", run(newer, streams(None))),
        ("the stream of the branch is enabled (no fault)", run(newer, streams("570-open"))),
        ("another stream is enabled already",
         run(("module", "enable", "nvidia-driver:570-open"), streams("560-open"))),
        ("versionlock of the older branch", run(whole, lambda root: lock(root, *held),
                                                install=("nvidia-driver-560.35.03",))),
        ("versionlock, an update of the package (no fault)",
         run(update, lambda root: lock(root, *held), install=("nvidia-driver-560.35.03",))),
        ("versionlock of another package (no fault)",
         run(whole, lambda root: lock(root, "htop-0:1-1.*"))),
        ("dnf.conf excludes packages", run(("install", "nvidia-driver"), lambda root: write(
            root / "etc/dnf/dnf.conf", exclude))),
        ("dnf.conf excludes what a package needs", run(whole, lambda root: write(
            root / "etc/dnf/dnf.conf", exclude))),
        ("expired key", run(("install", "cuda-aged"), key="expired")),
        ("signature of SHA-1", run(("install", "cuda-weak"))),
        ("index of a mirror names packages that are gone", run((), gone(rpm))),
        ("page for the package", run((), lambda _: rpm.server.page.add(
            f"{CUDA}/cuda/rhel9/x86_64/cuda-drivers"))),
        ("no space for the index", run((), lambda root: small(root / "var/cache/dnf", "4k"),
                                       stands_for="disk_full")),
        ("no space for the files", run(("install", "cuda-large"),
                                       lambda root: small(root / "opt"))),
    ]


def gone(rpm):
    def change(_):
        package = rpm.repository / "cuda-drivers-570.1-1.x86_64.rpm"
        rpm.put_back.append((package, package.read_bytes()))
        package.unlink()
    return change


def zypper_rows(rpm, os_release):
    def run(words, change=None, install=None, stands_for=None, **more):
        def prepare(_):
            root = rpm.root(os_release, "etc/zypp/repos.d", **more)
            trust = ("--gpg-auto-import-keys",)
            rpm.zypper(root, *trust, "refresh")
            if install:
                rpm.zypper(root, *trust, "install", "-y", install)
            if change:
                change(root)
            done = rpm.zypper(root, *trust, *words)
            if stands_for: # its own words are about a consequence
                done.stands_for = stands_for
            return root, done
        return prepare

    whole = ("install", "-y", "kmod-nvidia-open-dkms-570.86.15")

    def locks(name):
        return lambda root: rpm.zypper(root, "addlock", name)

    return [
        ("install (no fault)", run(("install", "-y", "cuda-drivers"))),
        ("lock of what is to be installed", run(("install", "-y", "nvidia-driver"),
                                                locks("nvidia-driver"))),
        ("lock of what a package needs", run(whole, locks("nvidia-driver"),
                                             install="nvidia-driver-560.35.03")),
        ("lock of another package (no fault)", run(whole, locks("htop"))),
        ("dependency not there", run(("install", "-y", "needs-old"))),
        ("unsigned package", run(("install", "-y", "unsigned"))),
        ("index of another size", run(("refresh", "--force"), truncated(rpm))),
        ("index of a mirror names packages that are gone",
         run(("install", "-y", "cuda-drivers"), gone(rpm))),
        ("no space for the index", run(("refresh", "--force"),
                                       lambda root: small(root / "var/cache/zypp", "4k"),
                                       stands_for="disk_full")),
        ("no space for the files", run(("install", "-y", "cuda-large"),
                                       lambda root: small(root / "opt"))),
    ]


def truncated(rpm):
    def change(root):
        rpm.index()
        shutil.rmtree(root / "var/cache/zypp")
        primary = next((rpm.repository / "repodata").glob("*primary.xml*"))
        primary.write_bytes(primary.read_bytes()[:-10])
    return change
