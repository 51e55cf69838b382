# SPDX-License-Identifier: MIT
"""Random commands on a prefix, each with its model: for tests/faults/rounds."""
import os
import signal
import subprocess
import time

from rounds_model import Env, Install, Link, Plan, Read, Uninstall, Use, writes

CUDA = [("cuda@12.8.90", "12.8.90"), ("cuda@12.8.91", "12.8.91"), ("cuda@12.8", "12.8.91"), ("cuda@12.9.90", "12.9.90")]
CUDNN = [("cudnn@9.8.0", "9.8.0"), ("cudnn@9.8", "9.8.0"), ("cudnn@9.10.2", "9.10.2")]
WAIT = 60


class Command:
    def __init__(self, kind, words, model, waits=False):
        self.kind, self.words, self.model, self.waits = kind, words, model, waits
        self.writes = model is not None and writes(model)


def _specs(random, cuda, cudnn):
    chosen = ([("cuda", *random.choice(CUDA))] if cuda else []) + ([("cudnn", *random.choice(CUDNN))] if cudnn else [])
    return [word for _, word, _ in chosen], [(name, version, False) for name, _, version in chosen]


def _install(random, world, cuda, cudnn, plan=False):
    words, specs = _specs(random, cuda, cudnn)
    profile = random.choice(["runtime", "full"]) if random.random() < 0.15 else None
    force = random.random() < 0.5
    more = (["--profile", profile] if profile else []) + (["--force"] if force else [])
    more += [random.choice(["--jobs=1", "--no-cache", "--offline", "--json"])] if random.random() < 0.4 else []
    mirror = world.place.loose if random.random() < 0.5 else world.place.mirror
    full = world.place.install_words(world.prefix, [*words, *more], mirror)
    if plan:
        full = ["plan", *full[1:]] if random.random() < 0.5 else [*full, "--dry-run"]
    return full, (Plan if plan else Install)(specs, profile, force)


def _use(random, world):
    at = random.choice([("cuda", *random.choice(CUDA)), ("cudnn", *random.choice(CUDNN)), None, None])
    words = ["use", "--manifest", world.place.manifest, "--progress", "none", "--mirror", world.place.mirror, "--prefix", world.prefix]
    if at is None:
        return [*words, "--previous"], Use()
    # A SPEC with half a version would go back to any that it fits: the whole one says which.
    return [*words, f"{at[0]}@{at[2]}"], Use(at[0], at[2])


def _prune(random):
    return ["cache", "prune", *random.choice([["--all"], ["--max-size", "0"], ["--older-than", "0"], ["--all", "--dry-run"]])]


def choose(random, world):
    """One random command."""
    place = ["--prefix", world.prefix]
    kinds = {"install cuda": 14, "install cudnn": 12, "install both": 12, "use --previous or SPEC": 12, "use --link": 3,
             "uninstall product": 10, "uninstall": 10, "verify": 6, "list": 4, "plan": 6, "env": 3, "cache prune": 5}
    kind = random.choices(list(kinds), list(kinds.values()))[0]
    if kind.startswith("install"):
        words, model = _install(random, world, kind != "install cudnn", kind != "install cuda")
    elif kind == "plan":
        words, model = _install(random, world, random.random() < 0.6, True, plan=True)
    elif kind == "use --previous or SPEC":
        words, model = _use(random, world)
    elif kind == "use --link":
        words, model = ["use", *place, "--link", world.link], Link()
    elif kind == "uninstall product":
        name = random.choice(["cudnn", "cudnn", "cuda"])
        words, model = ["uninstall", *place, name], Uninstall(name)
    elif kind == "uninstall":
        words, model = ["uninstall", *place, *random.choice([[], ["--force"]])], Uninstall()
    elif kind == "cache prune":
        words, model = _prune(random), None
    else:
        words = {"verify": ["verify", *place, "--json"], "list": ["list", *place, "--json"], "env": ["env", *place]}[kind]
        model = Env() if kind == "env" else Read(0, {"verify": 66, "list": 0}[kind])
    command = Command(kind, words, model)
    if command.writes or kind == "cache prune":
        command.waits = random.random() < 0.5
        command.words = [*words, "--lock-timeout", str(WAIT)] if command.waits else words
    return command


class Running:
    """A command at work, in a session of its own so that what it leaves behind can be seen."""

    def __init__(self, world, command, name):
        self.world, self.command, self.killed, self.hung = world, command, False, False
        self.files = [open(os.path.join(world.place.work, f"{end}-{name}"), "w+b") for end in ("out", "err")]
        self.started = time.monotonic()
        self.process = subprocess.Popen([world.place.gpuenv, *command.words], stdin=subprocess.DEVNULL, stdout=self.files[0],
                                        stderr=self.files[1], env=world.place.environment, start_new_session=True)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.killed = True

    def end(self):
        """Waits for it, and for what it started: afterwards code, out, err, took and outlived are set."""
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.hung = True
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.took = time.monotonic() - self.started
        self.code = self.process.returncode
        self.killed = self.killed and self.code == -signal.SIGKILL
        self.outlived = self._outlived()
        self.out, self.err = (self._text(file) for file in self.files)

    def _outlived(self):
        """Children that are still there: the kernel ends them, but not in the same moment."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return False
            time.sleep(0.002)
        os.killpg(self.process.pid, signal.SIGKILL)
        return True

    @staticmethod
    def _text(file):
        file.seek(0)
        text = file.read().decode(errors="replace")
        file.close()
        return text

    def describe(self):
        ended = "killed" if self.killed else str(self.code)
        words = " ".join(self.command.words).replace(self.world.place.work, "WORK")
        said = (self.err or "").strip().replace(self.world.place.work, "WORK").replace("\n", " | ")
        return f"gpuenv {words} → {ended} after {self.took:.3f} s" + (f": {said[:300]}" if said else "")
