# SPDX-License-Identifier: MIT
"""What docs/reference/install.md says that a command makes of a prefix, told without gpuenv: for tests/faults/rounds.

A state is None (there is no installation) or a State: its products in the order of the ledger, each with
what it was before. Every operation says for a state which exit code it has and which state it leaves.
"""
from typing import NamedTuple, Optional, Tuple

from small import contents

MEMORY = 4  # how many steps a product can go back


class Before(NamedTuple):
    version: str
    profile: str
    change: int


class Product(NamedTuple):
    name: str
    version: str
    profile: str
    previous: Tuple[Before, ...] = ()


class State(NamedTuple):
    products: Tuple[Product, ...]
    leaving: bool = False  # an uninstall of all of it was interrupted

    def find(self, name):
        return next((p for p in self.products if p.name == name), None)

    def last_change(self):
        return max((b.change for p in self.products for b in p.previous), default=0)

    def files(self):
        files = {}
        for product in self.products:
            files.update(contents(product.name, product.version, product.profile))
        return files

    def __str__(self):
        words = []
        for p in self.products:
            back = "".join(f" <{b.change} {b.version} {b.profile}" for b in p.previous)
            words.append(f"{p.name} {p.version} {p.profile}{back}")
        return "; ".join(words) + (" (leaving)" if self.leaving else "")


def state_of(products, leaving=False):
    """In the order of the ledger: cuda first."""
    return State(tuple(sorted(products, key=lambda p: (p.name != "cuda", p.name))), leaving)


def state_of_ledger(ledger, leaving=False):
    return State(tuple(Product(p["product"], p["version"], p["profile"],
                               tuple(Before(b["version"], b["profile"], b["change"]) for b in p.get("previous", [])))
                       for p in ledger["products"]), leaving)


def _remembering(product, earlier):
    """product, which remembers what earlier lists, but for what it is itself."""
    kept = [b for b in earlier if (b.version, b.profile) != (product.version, product.profile)]
    return product._replace(previous=tuple(kept[:MEMORY]))


def _replacing(name, version, profile, there, change):
    return _remembering(Product(name, version, profile), (Before(there.version, there.profile, change), *there.previous))


def _above(path):
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def in_the_way(state, foreign):
    """A new file wants the name of what is not gpuenv's, or of a directory that holds such."""
    files = state.files()
    directories = {d for path in files for d in _above(path)}
    return any(path in files or path in directories or any(above in files for above in _above(path)) for path in foreign)


def _changed(state, new, foreign):
    return (73, state) if in_the_way(new, foreign) else (0, new)


class Install:
    """specs: [(product, version, asked exactly)]"""

    def __init__(self, specs, profile: Optional[str] = None, force=False):
        self.specs, self.profile, self.force = specs, profile, force

    def _product(self, state, name, version, change):
        there = state.find(name) if state else None
        first = there or (state.products[0] if state and state.products else None)
        profile = self.profile or (first.profile if first else "full")
        if there and profile != there.profile:
            profile = "full"
        if there is None:
            return Product(name, version, profile)
        if (there.version, there.profile) == (version, profile):
            return there
        if there.version == version:
            return _remembering(Product(name, version, profile), there.previous)
        return _replacing(name, version, profile, there, change)

    def wanted(self, state, foreign):
        """(exit code, state) of install; foreign: the paths of what others put there"""
        if state is None and foreign:
            return 73, None
        if state and state.leaving:
            return 73, state
        cuda = state.find("cuda") if state else None
        change = state.last_change() + 1 if state else 1
        products = {p.name: p for p in (state.products if state else ())}
        for name, version, _ in self.specs:
            if name == "cuda" and cuda and not self.force and cuda.version.split(".")[:2] != version.split(".")[:2]:
                return 73, state
            products[name] = self._product(state, name, version, change)
        new = state_of(_remembering(p, p.previous) for p in products.values())
        return (0, state) if new == state else _changed(state, new, foreign)


class Plan(Install):
    def wanted(self, state, foreign):
        code, new = super().wanted(state, foreign)
        in_the_way = code == 73 and state and not state.leaving and super().wanted(state, ())[0] == 0
        return (0 if in_the_way else code), state


class Use:
    """Going back: to SPEC, or with None to what the last change replaced."""

    def __init__(self, product=None, version=None):
        self.product, self.version = product, version

    def _targets(self, state):
        if self.product is None:
            last = state.last_change()
            return {p.name: b for p in state.products for b in p.previous if last and b.change == last}
        there = state.find(self.product)
        return {self.product: b for b in reversed(there.previous) if b.version == self.version}

    def wanted(self, state, foreign):
        if state is None:
            return 66, None
        if state.leaving:
            return 73, state
        if self.product and state.find(self.product) is None:
            return 66, state
        if self.product and state.find(self.product).version == self.version:
            return 0, state
        targets = self._targets(state)
        if not targets:
            return 78, state
        change = state.last_change() + 1
        new = state_of(_replacing(p.name, targets[p.name].version, targets[p.name].profile, p, change)
                       if p.name in targets else p for p in state.products)
        return _changed(state, new, foreign)


def ends_it(model, killed):
    """use --previous ends one that was killed, and then that is all."""
    return all(isinstance(one, Use) and one.product is None for one in (model, killed))


class Link:
    """use --link"""

    def wanted(self, state, _):
        if state is None or state.leaving:
            return (73 if state else 66), state
        return (0 if state.find("cuda") else 64), state


class Uninstall:
    """Of one product, or of all."""

    def __init__(self, product=None):
        self.product = product

    def wanted(self, state, foreign):
        if state is None:
            return 66, None
        if self.product is None:
            return 0, None
        if state.leaving:
            return 73, state
        if state.find(self.product) is None:
            return 66, state
        rest = [p for p in state.products if p.name != self.product]
        return (0, state_of(rest)) if rest else (0, None)


class Read:
    """verify, list: what they say of an installation and of none."""

    def __init__(self, there, absent):
        self.there, self.absent = there, absent

    def wanted(self, state, _):
        return (self.absent if state is None else self.there), state


class Env(Read):
    """It may name a toolkit that gpuenv did not install, and takes files of others for one."""

    def __init__(self):
        super().__init__(0, 66)

    def wanted(self, state, foreign):
        if state and state.leaving:
            return 66, state
        libraries = state is None and any(path.startswith(("lib/", "include/")) for path in foreign)
        return (0, state) if libraries else super().wanted(state, foreign)


WRITERS = (Use, Link, Uninstall)


def writes(model):
    return isinstance(model, WRITERS) or type(model) is Install
