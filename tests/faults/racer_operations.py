# SPDX-License-Identifier: MIT
"""What root runs while somebody swaps a directory on the way: for tests/faults/racer.

An operation has a directory of the user's, D, in which D/x and D/x.other are exchanged all the time: one is
real, the other leads to the canary. prepare() makes the real one ready before a round, words() are what
gpuenv is told, done() says whether the real one has what a round that ended with 0 must have left there.
"""
import os
import shutil


class Operation:
    share = 0.0      # of all rounds
    chased = False      # whatever appears in D/x is swapped, and not D/x
    is_file = False     # D/x is a file, and D/x.other leads to one in the canary
    has_prefix = False  # the canary has an installation of root's, p
    is_fresh = False    # what root does may end the race: each round has a directory of its own

    def __init__(self, race):
        self.race = race

    def words(self):
        raise NotImplementedError

    def prepare(self):
        pass

    def done(self):
        return True

    def real(self, *names):
        return os.path.join(self.race.real, *names)


class Output(Operation):
    """facts -o D/x/f: f is there in the canary, g is not."""
    name, share = "facts -o D/x/f", 0.34

    def words(self):
        self.file = self.race.dice.choice("fg")
        return ["facts", "--facts", self.race.record, "--json", "-o", os.path.join(self.race.d, "x", self.file)]

    def prepare(self):
        for name in os.listdir(self.race.real):
            os.unlink(self.real(name))

    def done(self):
        return os.path.exists(self.real(self.file))


class OutputName(Operation):
    """x itself is the file."""
    name, share, is_file, is_fresh = "facts -o D/x", 0.20, True, True

    def words(self):
        return ["facts", "--facts", self.race.record, "--json", "-o", os.path.join(self.race.d, "x")]


class Doctor(Output):
    name, share = "doctor -o D/x/f", 0.14

    def words(self):
        self.file = self.race.dice.choice("fg")
        return ["doctor", "--facts", self.race.record, "-o", os.path.join(self.race.d, "x", self.file)]


class Env(Output):
    name, share = "env -o D/x/f", 0.17

    def words(self):
        self.file = self.race.dice.choice("fg")
        return ["env", "--prefix", self.race.installed, "-o", os.path.join(self.race.d, "x", self.file)]


class Lock(Output):
    name, share = "plan --lock D/x/f", 0.025

    def words(self):
        self.file = self.race.dice.choice("fg")
        words = self.race.place.install_words(self.race.place.work + "/absent/cuda", ["cuda@12.9.90"])
        return ["plan", *words[1:], "--lock", os.path.join(self.race.d, "x", self.file)]


class LockName(Operation):
    name, share, is_file, is_fresh = "plan --lock D/x", 0.01, True, True

    def words(self):
        words = self.race.place.install_words(self.race.place.work + "/absent/cuda", ["cuda@12.9.90"])
        return ["plan", *words[1:], "--lock", os.path.join(self.race.d, "x")]


class Cache(Operation):
    """GPUENV_CACHE_DIR below D/x."""
    name, share = "plan, cache D/x/c", 0.01

    def words(self):
        self.race.environment["GPUENV_CACHE_DIR"] = os.path.join(self.race.d, "x/c")
        words = self.race.place.install_words(self.race.place.work + "/absent/cuda", ["cuda@12.9.90"])
        return ["plan", *words[1:]]


class Link(Operation):
    """The link that leads to the installation in use."""
    name, share = "use --link D/x/cuda", 0.06

    def words(self):
        return ["use", "--prefix", self.race.installed, "--link", os.path.join(self.race.d, "x/cuda")]

    def prepare(self):
        for name in os.listdir(self.race.real):
            os.unlink(self.real(name))

    def done(self):
        return os.path.islink(self.real("cuda"))


class Install(Operation):
    name, share = "install --prefix D/x/p", 0.015

    def words(self):
        return self.race.place.install_words(os.path.join(self.race.d, "x/p"), ["cuda@12.9.90"])

    def prepare(self):
        self.race.empty(self.race.real)

    def done(self):
        return os.path.isfile(self.real("p/.gpuenv/ledger.json"))


class InstallBelow(Install):
    """Directories on the way have to be made."""
    name, share = "install --prefix D/x/y/z/p", 0.005

    def words(self):
        return self.race.place.install_words(os.path.join(self.race.d, "x/y/z/p"), ["cuda@12.9.90"])

    def done(self):
        return os.path.isfile(self.real("y/z/p/.gpuenv/ledger.json"))


class InstallName(Install):
    """x itself is the prefix: an empty directory."""
    name, share, is_fresh = "install --prefix D/x", 0.005, True

    def words(self):
        return self.race.place.install_words(os.path.join(self.race.d, "x"), ["cuda@12.9.90"])

    def done(self):
        return any(os.path.isfile(os.path.join(self.race.d, name, ".gpuenv/ledger.json")) for name in ("x", "x.other"))


class InstallChased(Install):
    """D/x stays; all that root makes in it is swapped with a link."""
    name, share, chased, is_fresh = "install, all in D/x swapped", 0.01, True, True

    def done(self):
        return True  # what he took away is his


class Change(Operation):
    name, share, has_prefix = "install cudnn --prefix D/x/p", 0.01, True

    def words(self):
        return self.race.place.install_words(os.path.join(self.race.d, "x/p"), ["cudnn@9.8.0"])

    def prepare(self):
        self.race.empty(self.race.real)
        shutil.copytree(self.race.installed, self.real("p"), symlinks=True)

    def done(self):
        return os.path.isfile(self.real("p/include/cudnn.h"))


class Uninstall(Change):
    name, share = "uninstall --prefix D/x/p", 0.01

    def words(self):
        return ["uninstall", "--prefix", os.path.join(self.race.d, "x/p")]

    def done(self):
        return not os.path.lexists(self.real("p"))


class Mirror(Operation):
    name, share = "mirror D/x", 0.005

    def words(self):
        return ["mirror", os.path.join(self.race.d, "x"), "--manifest", self.race.place.manifest, "--mirror", self.race.place.mirror,
                "--accept-eula", "--progress", "none", "cudnn@9.8.0"]

    def prepare(self):
        self.race.empty(self.race.real)

    def done(self):
        return os.path.isfile(self.real("compute/cudnn/redist/redistrib_9.8.0.json"))


class MirrorBelow(Mirror):
    name, share = "mirror D/x/m", 0.0025

    def words(self):
        words = super().words()
        return [words[0], os.path.join(self.race.d, "x/m"), *words[2:]]

    def done(self):
        return os.path.isfile(self.real("m/compute/cudnn/redist/redistrib_9.8.0.json"))


class Image(Operation):
    """The image itself is swapped with another directory of root's."""
    name, share = "install --root D/x", 0.0025

    def words(self):
        return [*self.race.place.install_words("/opt/p", ["cuda@12.9.90"]), "--root", os.path.join(self.race.d, "x")]

    def prepare(self):
        self.race.empty(self.race.real)
        os.mkdir(self.real("usr"))

    def done(self):
        return os.path.isfile(self.real("opt/p/.gpuenv/ledger.json"))


class InsideImage(Operation):
    """A directory in the image is swapped with a link out of it."""
    name, share = "install --root D --prefix /x/p", 0.005

    def words(self):
        return [*self.race.place.install_words("/x/p", ["cuda@12.9.90"]), "--root", self.race.d]

    def prepare(self):
        self.race.empty(self.race.real)

    def done(self):
        return os.path.isfile(self.real("p/.gpuenv/ledger.json"))


OPERATIONS = [Output, OutputName, Doctor, Env, Lock, LockName, Cache, Link, Install, InstallBelow, InstallName, InstallChased, Change,
              Uninstall, Mirror, MirrorBelow, Image, InsideImage]
