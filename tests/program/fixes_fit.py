# SPDX-License-Identifier: MIT
"""Whether each fix of the kept cases can be done on its machine (tests/program/fixes-fit).

    fixes_fit.py GPUENV KEPT TABLE [CASE…]

KEPT is what tests/run-cases --keep has left. Prints a line for each fix that cannot be done, and last how many fixes,
words and gpuenv commands were looked at.
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WHERE_TO_LOOK = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
# What gpuenv may say after its own name before the sentence goes on.
COMMANDS = "doctor explain install plan resolve gpu inspect env exec list use verify facts mirror uninstall manifest".split()
TAKES_VALUE = {"--for-framework", "--profile", "--prefix", "--component", "--require", "--for", "--platform"}


def read_table(path):
    rows = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                word, systems, places = line.rstrip("\n").split("\t")
                rows[word] = (systems.split(), places.split())
    return rows


def numbers(text):
    return [int(part) for part in re.findall(r"[0-9]+", text or "")]


def is_system(pattern, system, release):
    """Whether "rhel>=8" or "ostree" is this system."""
    match = re.fullmatch(r"([a-z0-9-]+)(?:(>=|<|=)([0-9.]+))?", pattern)
    name, order, bound = match.groups()
    if name not in system:
        return False
    if order is None:
        return True
    if order == "=":
        return numbers(release) == numbers(bound)
    newer = numbers(release) >= numbers(bound)
    return newer if order == ">=" else not newer


def exists_on(systems, system, release):
    if any(is_system(item[1:], system, release) for item in systems if item.startswith("!")):
        return False
    return any(item == "any" or is_system(item, system, release) for item in systems if not item.startswith("!"))


class Machine:
    def __init__(self, kept, name):
        self.name = name
        base = os.path.join(kept, name)
        with open(base + ".json", encoding="utf-8") as file:
            self.judged = json.load(file)
        with open(base + ".flags", encoding="utf-8") as file:
            self.flags = [line.rstrip("\n") for line in file if line.strip()]
        host = self.judged["host"]
        self.release = host.get("os_version")
        self.known = host.get("os_id") is not None
        self.system = {host.get("os_id") or "unknown"}
        if self.has_file("run/ostree-booted"):
            self.system = {"ostree"}
        self.engine = host.get("container")
        self.places = {"container", self.engine} if self.engine else {"machine"}
        if self.engine and self.engine.startswith(("kube", "cri", "containerd")):
            self.places.add("pod")
        if host.get("wsl"):
            self.places = {"wsl", "container", self.engine} if self.engine else {"wsl"}
        if host.get("jetson"):
            self.places = {"jetson", "machine"} if not self.engine else {"container", "jetson"}
        self.guest = (host.get("virtualization") or "none") != "none"

    def root(self):
        return self.flags[self.flags.index("--root") + 1] if "--root" in self.flags else None

    def has_file(self, path):
        return self.root() is not None and os.path.exists(os.path.join(self.root(), path))


def commands_of(line):
    """The commands of a line of a shell, each as words, without sudo and variables before them."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands, words, target = [], [], False
    for token in [*lexer, ";"]:
        if re.fullmatch(r"[;&|()]+", token):
            if words:
                commands.append(words)
            words, target = [], False
        elif re.fullmatch(r"[<>]+", token):
            target = True
        elif target:
            target = False
        elif words or not (token in ("sudo", "env", "do", "then", "-E") or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=.*", token)):
            words.append(token)
    return commands


def program_of(words):
    """Its first word: a path is that of a program of an environment."""
    name = words[0].rsplit("/", 1)[-1] if words[0].startswith("/") else words[0]
    return "python" if re.fullmatch(r"python[0-9.]*", name) and name != "python3" else name


def words_of(fix, rows):
    """(word, whether it is run) of what the table knows in a fix."""
    found = {}
    text = " ".join(part for part in (fix.get("command"), fix.get("note")) if part)
    for words in commands_of(fix["command"]) if fix.get("command") else []:
        found[program_of(words)] = True
    plain = set(WHERE_TO_LOOK.findall(text))
    for word, (_, places) in rows.items():
        is_text = word.startswith(("-", "/")) or "/" in word
        if (word in text if is_text else word in plain and "text" not in places):
            found.setdefault(word, False)
    return found


def judge_words(machine, fix, rows):
    text = " ".join(part for part in (fix.get("command"), fix.get("note")) if part)
    at_host = fix["kind"] == "host"
    words = words_of(fix, rows)
    if (fix.get("command") or "").startswith("talosctl "):  # it is run elsewhere, with what it is piped into
        words = {"talosctl": True}
    if "in a privileged pod on this node" in text:  # whose image is one's own
        words = {}
    for word in words:
        if word not in rows:
            yield f"runs {word}, which has no row"
            continue
        systems, places = rows[word]
        if at_host:  # what the host is nobody knows; its words are words of hosts
            if "host" not in places and not machine.places & set(places):
                yield f"the host's fix names {word}"
            continue
        if machine.known and not exists_on(systems, machine.system, machine.release):
            yield f"{word} does not exist on {'/'.join(machine.system)} {machine.release or ''}"
        elif not machine.places & set(places) and not re.search(r"on the host|the host's|in Windows", text):
            yield f"{word} is not for a {'/'.join(sorted(machine.places))}"
    if at_host and not machine.engine and not machine.guest and "wsl" not in machine.places:
        yield "sends to the host of a machine that is none's guest"
    directory = re.search(r"/repos/([a-z]+)([0-9]+)/", text)
    if directory and machine.known and not at_host:
        yield from judge_repository(machine, *directory.groups())


REPOSITORIES = {"rhel": ("rhel", "centos", "rocky", "almalinux", "ol"), "amzn": ("amzn",), "sles": ("sles",),
                "opensuse": ("opensuse-leap",), "ubuntu": ("ubuntu",), "debian": ("debian", "proxmox"), "fedora": ("fedora",)}


def judge_repository(machine, family, number):
    wanted = REPOSITORIES.get(family, ())
    release = "".join(re.findall(r"[0-9]", machine.release or ""))
    if not machine.system & set(wanted) or not release.startswith(number[:2] if family == "sles" else number):
        yield f"NVIDIA's repository {family}{number} is not for {'/'.join(machine.system)} {machine.release}"


def gpuenv_commands(fix):
    """Each gpuenv command of a fix as words; in a note the words end where the sentence goes on."""
    if fix.get("command"):
        for words in commands_of(fix["command"]):
            if words[0] == "gpuenv":
                yield words[1:]
    for match in re.finditer(r"\bgpuenv ([a-z-]+)((?: [^ ]+)*)", fix.get("note") or ""):
        if match.group(1) not in COMMANDS:
            continue
        words = [match.group(1)]
        for word in match.group(2).split():
            end = word[-1] in ",;:)\"."
            word = word.rstrip(",;:)\".")
            if not (word.startswith("-") or words[-1] in TAKES_VALUE or "@" in word or words[0] in ("resolve", "plan", "install", "gpu") and len(words) >= 1 and word in SPECS):
                break
            words.append(word)
            if end:
                break
        yield words


SPECS = set()
PLACEHOLDER = re.compile(r"\b(VERSION|DIR|FILE|PRODUCT|NAME)\b")


def assumed(gpuenv, machine):
    """What plan is told of the machine: it looks at the live one otherwise."""
    out = subprocess.run([gpuenv, "facts", *machine.flags, "--json"], capture_output=True, text=True, check=False).stdout
    facts = json.loads(out)["facts"]

    def value(group, name):
        return facts.get(group, {}).get(name, {}).get("value")

    flags = ["--platform", "linux-sbsa" if value("os", "architecture") == "aarch64" else "linux-x86_64"]
    driver = value("module", "version")
    if driver:
        flags += ["--assume-driver", driver]
    for group in facts:
        if group.startswith("pci/") and value(group, "device_id"):
            flags += ["--assume-gpu", "10de:" + value(group, "device_id")]
    return flags


def run(command, work):
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": work, "GPUENV_CACHE": work + "/cache"})


def judge_gpuenv(gpuenv, machine, words, work):
    if any(PLACEHOLDER.search(word) for word in words):
        return
    name, rest = words[0], words[1:]
    if name in ("install", "plan"):
        flags = assumed(gpuenv, machine)
        command = [gpuenv, "plan", *[word for word in rest if word != "--accept-eula"], *flags, "--offline", "--prefix", work + "/prefix"]
        wanted = (0, 69)  # 69: everything is chosen, and the lists of archives are not in the cache
    elif name in ("resolve", "doctor", "facts"):
        rest = [word for word in rest if word != "--try"]  # it computes on the machine itself, not on a record
        command, wanted = [gpuenv, name, *rest, *machine.flags], (0,) if name == "resolve" else (0, 1, 3)
        if name == "resolve" and not any(word in SPECS or "@" in word or "for-framework" in word for word in rest):
            return
        if name == "resolve" and ("-v" in rest or "--verbose" in rest):
            wanted = (0, 78)  # it shows why none fits: that is what it is named for
    elif name in ("list", "explain"):
        command, wanted = [gpuenv, name, *rest], (0,)
    else:
        return
    ran = run(command, work)
    if "no GPU" in ran.stderr:  # a model that the manifest does not have says nothing against a version
        at = command.index("--assume-gpu")
        ran = run([*command[:at], *command[command.index("--offline"):]], work)
    if ran.returncode not in wanted:
        said = (ran.stderr.strip().splitlines() or [""])[0]
        yield f"gpuenv {' '.join(words)} ends with {ran.returncode}: {said}"


def judge(gpuenv, kept, name, rows, work):
    machine, wrong, counts = Machine(kept, name), [], [0, 0, 0]
    for finding in machine.judged["findings"]:
        for fix in finding["fix"]:
            counts[0] += 1
            counts[1] += len(words_of(fix, rows))
            said = list(judge_words(machine, fix, rows))
            if fix is finding["fix"][0] and (fix.get("note") or "").startswith("or "):
                said.append("its first fix begins with \"or\": " + fix["note"][:60])
            if fix["kind"] != "host":
                for words in gpuenv_commands(fix):
                    counts[2] += 1
                    said += judge_gpuenv(gpuenv, machine, words, work)
            wrong += [f"{name}: {finding['cause']}: {line}" for line in dict.fromkeys(said)]
    return wrong, counts


def main():
    gpuenv, kept, table = sys.argv[1:4]
    rows = read_table(table)
    shown = subprocess.run([gpuenv, "manifest", "show", "framework", "--json"], capture_output=True, text=True, check=False).stdout
    SPECS.update(re.findall(r'"framework": ?"([a-z0-9-]+)"', shown), ["cuda", "cudnn", "driver"])
    names = sys.argv[4:]
    if not names:
        for base, directories, files in os.walk(kept):
            directories[:] = [directory for directory in directories if not directory.endswith(".machine")]
            names += [os.path.relpath(os.path.join(base, file), kept)[:-5] for file in files if file.endswith(".json")]
    work = os.environ["HOME"]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: judge(gpuenv, kept, name, rows, work), sorted(names)))
    for wrong, _ in results:
        for line in wrong:
            print(line)
    totals = [sum(counts[i] for _, counts in results) for i in range(3)]
    print(f"{len(results)} machines, {totals[0]} fixes, {totals[1]} words, {totals[2]} gpuenv commands")


if __name__ == "__main__":
    main()
