# SPDX-License-Identifier: MIT
"""What the matrix does, and how what is on the disk afterwards is called.

Paths in a world are below the directory of a run: o/cuda is the prefix, o what is beside it, cache,
site a mirror that is made, lock a directory with a lock file, data what an update keeps.
"""
import os

from matrix_world import part
from small import INTERRUPTED

PREFIX = "o/cuda"
LEDGER = ".gpuenv/ledger.json"
PENDING = ".gpuenv/pending.json"
CUDA, CUDNN = "cuda@12.8.90", "cudnn@9.8.0"
NEWER = ["cuda@12.8.91", "cudnn@9.10.2"]


def without(tree, top):
    return {path: entry for path, entry in tree.items() if path != top and not path.startswith(top + "/")}


def plain(tree):
    """A prefix without what of .gpuenv is not its ledger."""
    ledger = tree.get(LEDGER)
    rest = without(tree, ".gpuenv")
    return rest | ({LEDGER: ledger} if ledger else {})


class Operation:
    """One that changes the prefix. old and new are the worlds before and after."""
    has_verify = True
    is_file_by_file = False
    needs_keys = False  # a gpuenv that trusts the keys of the tests
    foreign = ()
    again = None  # the words for a world that is new already, where others are needed
    again_codes = (0,)

    def __init__(self, name, before, words, **what):
        self.name, self.before, self.words = name, before, words
        for key, value in what.items():
            setattr(self, key, value)

    def build(self, fixture):
        """Makes the old world in the directory of the run."""
        for words in self.before:
            fixture.must(words)
        for path in self.foreign:
            fixture.make_foreign(path)
        if self.is_file_by_file:
            fixture.make_socket()
        for words in getattr(self, "then", ()):
            fixture.must(words)

    def state(self, world, old, new, said):
        """old, new, pending or half; said is the code and the words of verify."""
        tree = part(world, PREFIX)
        for name, wanted in (("old", part(old, PREFIX)), ("new", part(new, PREFIX))):
            if tree is None and wanted is None:
                return name, ""
            if tree is not None and wanted is not None and plain(tree) == plain(wanted) and PENDING not in tree:
                if said[0] != 1:
                    return name, ""
        code, text = said
        if code == 1 and INTERRUPTED in text and (PENDING in (tree or {}) or self.is_uninstall):
            return "pending", ""
        return "half", f"the tree is neither old nor new, and verify ends with {code}: {text.strip()[:200]!r}"

    is_uninstall = False


class Mirror(Operation):
    """Archives have their names when they are whole, a list when all that it names is there."""
    has_verify = False

    def state(self, world, old, new, said):
        site, wanted = part(world, "site") or {}, part(new, "site")
        files = {path: entry for path, entry in without(site, ".gpuenv-mirror").items() if entry[0] != "directory"}
        for path, entry in files.items():
            if wanted.get(path) != entry:
                return "half", f"site/{path} is not what it is to be"
            if "redistrib_" in path:
                top = os.path.dirname(path)
                lacking = [name for name in wanted if name.startswith(top) and name.endswith(".tar.xz") and name not in files]
                if lacking:
                    return "half", f"site/{path} is there, and {lacking[0]} is not"
        if site == wanted:
            return "new", ""
        return ("pending" if files or ".gpuenv-mirror" in site else "old"), ""


class Prune(Operation):
    has_verify = False

    def build(self, fixture):
        super().build(fixture)
        fixture.remove("o")

    def state(self, world, old, new, said):
        cache = {path: entry for path, entry in (part(world, "cache") or {}).items() if entry[0] != "directory"}
        full = {path: entry for path, entry in part(old, "cache").items() if entry[0] != "directory"}
        for path, entry in cache.items():
            if full.get(path) != entry:
                return "half", f"cache/{path} is not what it was"
        return ("new" if not cache else "old" if cache == full else "pending"), ""


class OnePath(Operation):
    """A file or a link that is replaced: path."""
    has_verify = False

    def state(self, world, old, new, said):
        for name, other in (("old", old), ("new", new)):
            if world.get(self.path) == other.get(self.path):
                return name, ""
        return "half", f"{self.path} is neither the old nor the new one"


def install(*specs):
    return ["install", "@", "--accept-eula", "--prefix", PREFIX, *specs]


def uninstall(*specs):
    return ["uninstall", "--prefix", PREFIX, *specs]


def lock(*specs):
    return ["plan", "@", "--prefix", PREFIX, "--lock", "lock/gpuenv.lock", *specs]


def output(*words):
    return [*words, "--json", "-o", "lock/out"]


def update(number):
    """A manifest of that number comes, as a publisher signed it ("^" stands for its directory)."""
    return ["manifest", "update", f"^{number}"]


def link():
    return ["use", "--prefix", PREFIX, "--link", "lock/link"]


def both_ways(name, before, words, **what):
    foreign = what.pop("foreign", (f"{PREFIX}/mine/a",))
    return [Operation(f"{name}-exchange", before, words, foreign=foreign, **what),
            Operation(f"{name}-files", before, words, foreign=foreign, is_file_by_file=True, **what)]


# "@" stands for the manifest, the mirror and the like; "@shared" for them with a mirror that others
# may write, whose files are copied into the cache.
OPERATIONS = [
    Operation("install", [], ["install", "@shared", "--accept-eula", "--prefix", PREFIX, CUDA]),
    *both_ways("add", [install(CUDA)], install(CUDNN)),
    *both_ways("upgrade", [install(CUDA, CUDNN)], install(*NEWER)),
    *both_ways("use", [install(CUDA, CUDNN)], ["use", "@", "--prefix", PREFIX, "--previous"],
               then=[install(*NEWER)], again=["use", "@", "--prefix", PREFIX, CUDA, CUDNN]),
    *both_ways("remove", [install(CUDA, CUDNN)], uninstall("cudnn"), again_codes=(0, 66)),
    Operation("uninstall", [install(CUDA, CUDNN)], uninstall(), again_codes=(0, 66), is_uninstall=True),
    Operation("uninstall-foreign", [install(CUDA, CUDNN)], uninstall(), again_codes=(0, 66), is_uninstall=True,
              foreign=(f"{PREFIX}/mine/a", f"{PREFIX}/lib/mine/b")),
    Operation("uninstall-files", [install(CUDA, CUDNN)], uninstall(), again_codes=(0, 66), is_uninstall=True,
              foreign=(f"{PREFIX}/mine/a",), is_file_by_file=True),
    Mirror("mirror", [], ["mirror", "site", "@", "--accept-eula", CUDA, CUDNN]),
    Prune("prune", [["install", "@shared", "--accept-eula", "--prefix", PREFIX, CUDA, CUDNN]], ["cache", "prune", "--all"]),
    OnePath("lock-new", [], lock(CUDA, CUDNN), path="lock/gpuenv.lock"),
    OnePath("lock-replace", [lock(CUDA)], lock(*NEWER), path="lock/gpuenv.lock"),
    OnePath("output", [install(CUDA), output("list", "--prefix", PREFIX)], output("cache"), path="lock/out"),
    OnePath("link-new", [install(CUDA)], link(), path="lock/link"),
    OnePath("update-new", [], update(105), path="data/manifest.update", needs_keys=True),
    OnePath("update-replace", [update(105)], update(106), path="data/manifest.update", needs_keys=True),
    OnePath("link-replace", [install(CUDA), ["install", "@", "--accept-eula", "--prefix", "o/other", NEWER[0]],
                             ["use", "--prefix", "o/other", "--link", "lock/link"]], link(), path="lock/link"),
]
