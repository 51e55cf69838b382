# SPDX-License-Identifier: MIT
"""What `gpuenv manifest update` does with a publisher, a server or a thief who does something else than publish
the next manifest: the cases of TUF's conformance suite (theupdateframework/tuf-conformance) that apply, and more.

Called by tests/program/manifest-update: update_conformance.py TRUSTING FAKE_CLOCK MANIFEST WORK [NAME…]. Each case has a
machine and a site of its own, and a clock that says what the case needs.
"""
import functools
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", part) for part in ("fakes", "faults")]
import update_site as site  # noqa: E402
from matrix_fixture import KEPT, trim  # noqa: E402

NOW = 1_800_000_000  # 2027-01-15T08:00:00Z
DAY = 86400
CASES = []


# The tests of theupdateframework/tuf-conformance (tuf_conformance/test_*.py, as of 2026) and the cases here that are
# about the same; "-" and why: gpuenv has nothing that it could be about.
CONFORMANCE = {
    "basic_refresh_requests": "first nothing_new", "basic_refresh_trusted_data": "first what_is_kept_is_what_came",
    "implicit_refresh": "- an update is always asked for", "invalid_initial_root": "- the first root is built in (tests/unit/install/update/trust_test.c)",
    "unsigned_initial_root": "- as invalid_initial_root", "unsigned_metadata": "unsigned",
    "url_and_metadata_version_mismatch": "roots_in_the_wrong_order a_root_is_missing",
    "timestamp_content_changes": "another_statement_of_that_number", "basic_metadata_hash_support": "first one_file_with_other_bytes",
    "targets_hash_mismatch": "manifest_of_another_update", "snapshot_hash_mismatch": "one_file_with_other_bytes",
    "metadata_bytes_match": "what_is_kept_is_what_came", "custom_fields": "keys_for_later a_key_that_means_something",
    "deprecated_keyid_hash_algorithms": "- keys have no ids", "snapshot_404": "files_that_are_missing",
    "targets_404": "files_that_are_missing", "timestamp_404": "files_that_are_missing",
    "incorrect_metadata_type": "wrong_type_of_statement a_root_in_place_of_the_statement a_statement_in_place_of_a_root",
    "faketime": "expired the_date_of_reproducible_builds_is_not_the_clock", "root_expired": "newest_root_has_expired",
    "timestamp_expired": "expired held_back", "snapshot_expired": "expired", "targets_expired": "expired",
    "expired_local_root": "built_in_root_has_expired", "expired_local_timestamp": "kept_one_has_expired_and_is_updated",
    "client_downloads_expected_file": "first", "client_downloads_expected_file_in_sub_dir": "- there is one manifest, in no directory",
    "repository_substitutes_target_file": "manifest_of_another_update", "multiple_changes_to_target": "next_one said_again_later",
    "download_with_hash_algorithms": "- SHA-256 alone", "download_with_unknown_hash_algorithm": "- SHA-256 alone",
    "artifact_cache": "said_again_later", "snapshot_does_not_meet_threshold": "threshold_is_not_met threshold_is_met",
    "snapshot_has_too_few_keys": "too_few_keys_for_the_threshold", "duplicate_keys": "one_key_is_listed_twice one_key_is_listed_twice_and_needed_once",
    "duplicate_sig_keyids": "one_key_signs_twice", "keytype_and_scheme": "- Ed25519 alone",
    "invalid_sig_in_valid_metadata": "a_wrong_signature_beside_a_right_one", "unusual_role_name": "- the two roles have fixed names",
    "new_timestamp_version_rollback": "statement_goes_back", "snapshot_rollback": "statement_goes_back",
    "targets_role_removal": "a_key_is_withdrawn", "targets_fast_forward_recovery": "fast_forward",
    "new_snapshot_fast_forward_recovery": "fast_forward", "new_timestamp_fast_forward_recovery": "fast_forward",
    "targets_rollback": "manifest_goes_back expired_one_still_counts", "static_repository": "- repositories of TUF's own format",
    "graph_traversal": "- no delegations", "targetfile_search": "- no delegations",
    "cached_role_is_verified_against_current_delegator": "a_key_is_withdrawn kept_with_other_bytes",
    "delegation_not_in_snapshot": "- no delegations",
    "root_rotation": "new_root new_root_signed_by_the_old_key_alone new_root_signed_by_the_new_key_alone root_threshold_grows many_roots_at_once",
    "non_root_rotations": "two_keys_while_one_is_replaced a_key_is_withdrawn"}


def case(function):
    CASES.append(function)
    return function


class Failed(Exception):
    pass


class Tools:
    """What all cases share."""

    def __init__(self, trusting, clock, manifest, work):
        self.program, self.clock, self.work = os.path.join(trusting, "gpuenv"), clock, work
        keys = os.path.join(trusting, "keys")
        self.root, self.manifest = (site.Key(os.path.join(keys, f"{name}.key")) for name in ("root", "manifest"))
        with open(os.path.join(keys, "root.json"), encoding="utf-8") as file:
            self.root_text = file.read().strip()[1:-1]
        os.makedirs(os.path.join(work, "keys"))
        with open(manifest, encoding="utf-8") as file:
            full = json.load(file)
        self.small = {name: full[name] if name in KEPT else trim(full[name]) for name in full}
        self.built_in = full["manifest"]["version"]

    @functools.lru_cache(maxsize=None)
    def key(self, name):
        return site.Key(os.path.join(self.work, "keys", name))

    @functools.lru_cache(maxsize=None)
    def text(self, number):
        self.small["manifest"]["version"], self.small["manifest"]["date"] = number, "2027-01-01"
        return json.dumps(self.small).encode()


class World:
    """A machine, and a site that it may take updates from."""

    def __init__(self, tools, name):
        self.tools, self.top = tools, os.path.join(tools.work, name)
        self.data, self.file = f"{self.top}/data", f"{self.top}/data/manifest.update"
        self.root, self.manifest = tools.root, tools.manifest
        os.makedirs(self.top)
        self.site = site.Site(f"{self.top}/site", tools.root_text, tools.manifest, tools.text, NOW)
        self.checks = 0

    def key(self, name):
        return self.tools.key(name)

    def run(self, *words, now=NOW, **more):
        environment = {"PATH": os.environ["PATH"], "HOME": self.top, "LANG": "C.UTF-8", "GPUENV_DATA_DIR": self.data,
                       "LD_PRELOAD": self.tools.clock, "FAKE_TIME": str(now), **more}
        done = subprocess.run([self.tools.program, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False, cwd=self.top, timeout=120)
        self.out, self.err = done.stdout, done.stderr
        self.said = " ".join((done.stdout + done.stderr).split())
        return done.returncode

    def check(self, true, what):
        self.checks += 1
        if not true:
            raise Failed(f"{what}; last said: {self.said[:300]!r}")

    def ends(self, code, *words, source=None, now=NOW, **more):
        """The update ends so, and says words."""
        found = self.run("manifest", "update", source or self.site.directory, now=now, **more)
        self.check(found == code, f"ends with {found}, not {code}")
        for word in words:
            self.check(word in self.said, f"does not say {word!r}")

    def kept(self):
        """(root version, statement, manifest) of what is kept; None for what is not."""
        try:
            with open(self.file, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return None, None, None
        at, parts = data.index(b"roots "), {}
        while not data[at:].startswith(b"crc32 "):
            end = data.index(b"\n", at)
            name, size = data[at:end].decode().split()
            parts[name] = data[end + 1:end + 1 + int(size)]
            at = end + 2 + int(size)
        statement = parts.get("statement") and json.loads(parts["statement"])["signed"]
        return json.loads(parts["roots"])[-1]["signed"]["version"], statement, parts.get("manifest")

    def bytes(self):
        return open(self.file, "rb").read() if os.path.exists(self.file) else None

    def uses(self, number, origin="updated", now=NOW):
        """gpuenv judges by this manifest."""
        code = self.run("manifest", "--json", now=now)
        found = json.loads(self.out)["manifest"] if code == 0 else {}
        self.check((found.get("version"), found.get("origin")) == (str(number), origin), f"uses {found}, not {number}, {origin}")

    def is_refused(self, *words, code=65, now=NOW, source=None):
        """The update is refused, and nothing has changed."""
        before = self.bytes()
        self.ends(code, *words, now=now, source=source)
        self.check(self.bytes() == before, "what is kept has changed")

    def start(self, number=105):
        """A machine that has taken an update."""
        self.site.publish(number)
        self.ends(0)
        self.uses(number)
        return self


# --- What is usual ---

@case
def first(world):
    world.site.publish(105)
    world.uses(world.tools.built_in, "built-in")
    world.ends(0, "updated to manifest 105 of 2027-01-01; valid until 2027-02-14", world.file)
    world.uses(105)
    root, statement, manifest = world.kept()
    world.check((root, statement["version"], manifest) == (1, 1, world.tools.text(105)), "is kept as it came")
    world.check(os.stat(world.file).st_mode & 0o777 == 0o644 and os.stat(world.data).st_mode & 0o777 == 0o755, "has usual modes")
    world.check(os.listdir(world.data) == ["manifest.update"], "leaves nothing else")


@case
def nothing_new(world):
    world.start()
    before = os.stat(world.file)
    world.ends(0, "nothing to do: manifest 105 of 2027-01-01 is the newest")
    world.check(os.stat(world.file).st_ino == before.st_ino, "writes nothing")


@case
def next_one(world):
    world.start()
    world.site.publish(106)
    world.ends(0, "updated to manifest 106")
    world.uses(106)


@case
def said_again_later(world):
    world.start()
    world.site.publish(105, days=60)
    os.remove(world.site.path("manifest-105.json"))  # is not asked for
    world.ends(0, "manifest 105 of 2027-01-01 is still the newest; it is now valid until 2027-03-16")
    world.check(world.kept()[1]["version"] == 2, "keeps the new statement")


@case
def dry_run(world):
    world.site.publish(105)
    world.check(world.run("manifest", "update", "--dry-run", world.site.directory) == 0, "ends with 0")
    world.check("would be updated to manifest 105" in world.said and not os.path.exists(world.data), "writes nothing")


@case
def as_json(world):
    world.site.publish(105)
    world.run("manifest", "update", "--json", world.site.directory)
    found = json.loads(world.out)
    wanted = {"outcome": "new", "version": "105", "date": "2027-01-01", "statement": 1, "root": 1, "file": world.file}
    world.check(found["changed"] and wanted.items() <= found["update"].items(), "says what it did")


@case
def built_in_is_newer(world):
    world.site.publish(world.tools.built_in)
    world.ends(0, f"the built-in manifest {world.tools.built_in} is as new as manifest {world.tools.built_in} of the source, or newer")
    world.check(world.kept()[0] is None, "keeps nothing")
    world.uses(world.tools.built_in, "built-in")


@case
def one_file(world):
    world.site.publish(105)
    with open(f"{world.top}/carried", "wb") as file:
        file.write(world.site.bundle())
    world.ends(0, "updated to manifest 105", source="carried")
    world.uses(105)
    world.ends(0, "nothing to do")


@case
def what_is_kept_can_be_carried_on(world):
    world.start()
    os.rename(world.file, f"{world.top}/carried")
    world.ends(0, "updated to manifest 105", source=f"file://{world.top}/carried")
    world.uses(105)


@case
def what_is_kept_is_what_came(world):
    said = json.dumps(world.site.statement(105, version=1), indent=7)
    world.site.publish(105)
    world.site.write("update.json", "\n " + site.envelope(said, [world.manifest]) + " \n")
    world.ends(0)
    world.check(site.envelope(said, [world.manifest]).encode() in world.bytes(), "is kept byte for byte")


@case
def keys_for_later(world):
    world.site.publish(105, x_later={"a": [1]})
    world.ends(0, "updated to manifest 105")


@case
def a_key_that_means_something(world):
    world.site.publish(105, channel="beta")
    world.is_refused("signed.channel", "no such key")


# --- Who signed it ---

@case
def unsigned(world):
    world.start()
    world.site.publish(106, keys=[])
    world.is_refused("too few trusted keys have signed this", "0 valid signatures, 1 needed")
    world.uses(105)


@case
def signed_by_a_stranger(world):
    world.site.publish(106, keys=[world.key("stranger")])
    world.is_refused("0 valid signatures, 1 needed")


@case
def signed_by_the_key_of_another_role(world):
    world.site.publish(106, keys=[world.root])
    world.is_refused("0 valid signatures, 1 needed")


@case
def changed_after_signing(world):
    world.site.publish(106)
    world.site.write("update.json", world.site.read("update.json").replace(b'"manifest_version": 106', b'"manifest_version": 107'))
    world.is_refused("0 valid signatures, 1 needed")


@case
def signature_of_another_document(world):
    world.site.publish(106)
    old = json.loads(world.site.read("update.json"))["signatures"]
    world.site.publish(107, keys=[])
    text = world.site.read("update.json").decode()
    world.site.write("update.json", text.replace('"signatures": []', '"signatures": ' + json.dumps(old)))
    world.is_refused("0 valid signatures, 1 needed")


@case
def a_wrong_signature_beside_a_right_one(world):
    world.site.publish(106)
    text = json.loads(world.site.read("update.json"))["signatures"]
    wrong = [{"key": world.key("stranger").public, "signature": "00" * 64}, {**text[0], "signature": "11" * 64}, *text]
    raw = world.site.read("update.json").decode()
    world.site.write("update.json", raw.replace(json.dumps(text), json.dumps(wrong)))
    world.ends(0, "updated to manifest 106")


def two_of_three(world):
    keys = [world.manifest, world.key("second"), world.key("third")]
    world.site.add_root(2, site.role([world.root]), site.role(keys, 2), [world.root])
    return keys


@case
def threshold_is_not_met(world):
    keys = two_of_three(world)
    world.site.publish(106, keys=keys[:1])
    world.ends(65, "1 valid signature, 2 needed")
    world.uses(world.tools.built_in, "built-in")


@case
def threshold_is_met(world):
    keys = two_of_three(world)
    world.site.publish(106, keys=keys[1:])
    world.ends(0, "updated to manifest 106")
    world.check(world.kept()[0] == 2, "keeps the new root")


@case
def one_key_signs_twice(world):
    keys = two_of_three(world)
    world.site.publish(106, keys=[keys[0], keys[0]])
    world.ends(65, "1 valid signature, 2 needed")


@case
def one_key_is_listed_twice(world):
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest, world.manifest], 2), [world.root])
    world.site.publish(106)
    world.is_refused("a number from 1 to that of the different keys")


@case
def one_key_is_listed_twice_and_needed_once(world):
    world.site.add_root(2, site.role([world.root, world.root]), site.role([world.manifest, world.manifest]), [world.root])
    world.site.publish(106)
    world.ends(0, "updated to manifest 106")


@case
def too_few_keys_for_the_threshold(world):
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest], 2), [world.root])
    world.site.publish(106)
    world.is_refused("signed.manifest.threshold")


@case
def threshold_of_none(world):
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest], 0), [world.root])
    world.site.publish(106, keys=[])
    world.is_refused("signed.manifest.threshold")


# --- What it says it is ---

@case
def wrong_type_of_statement(world):
    world.site.publish(106, type="gpuenv-root")
    world.is_refused('signed.type: expected "gpuenv-manifest"')


@case
def a_root_in_place_of_the_statement(world):
    world.site.publish(106)
    world.site.write("update.json", world.site.roots[0])
    world.is_refused('expected "gpuenv-manifest"')


@case
def a_statement_in_place_of_a_root(world):
    world.site.publish(106)
    world.site.roots.append(world.site.read("update.json").decode())
    world.site.publish(107)
    world.is_refused('expected "gpuenv-root"')


@case
def a_newer_kind_of_update(world):
    world.site.publish(106, spec=2)
    world.is_refused("this update is for a newer gpuenv", "install a newer gpuenv")


@case
def a_newer_format_of_the_manifest(world):
    world.site.publish(106, format=2)
    world.is_refused("the manifest has format 2; this gpuenv reads format 1", "install a newer gpuenv")


@case
def an_older_format_of_the_manifest(world):
    world.site.publish(106, format=0)
    world.is_refused("the manifest has format 0; this gpuenv reads format 1", "use the built-in one")


@case
def two_statements_in_one_file(world):
    world.site.publish(106)
    text = world.site.read("update.json").decode()
    world.site.write("update.json", text.replace('{"signed": ', '{"signed": {"type": "gpuenv-manifest"}, "signed": ', 1))
    world.is_refused("duplicate")


@case
def values_that_are_none(world):
    for key, value in (("version", 0), ("version", -1), ("version", 2**31), ("version", 1.0), ("version", "6"), ("version", None),
                       ("expires", "2027-02-30T00:00:00Z"), ("expires", "never"), ("expires", 1900000000), ("length", 0),
                       ("length", 2**40), ("sha256", "00"), ("sha256", "A" * 64), ("manifest_version", 0), ("manifest_version", None)):
        world.site.publish(106)
        world.site.write("update.json", site.envelope(world.site.statement(106, **{key: value}), [world.manifest]))
        world.is_refused(f"signed.{key}")
    world.check(world.kept()[0] is None, "keeps nothing")


@case
def no_json(world):
    for data in (b"", b"\0", b"<html>not found</html>", b"[" * 100000, b'{"signed": {}', b"\xff\xfe{}"):
        world.site.publish(106)
        world.site.write("update.json", data)
        world.is_refused("update.json")
        world.site.publish(106)
        world.site.write("root.json", data)
        world.is_refused("root.json")


# --- New keys ---

@case
def new_root(world):
    world.start()
    new = world.key("new")
    world.site.add_root(2, site.role([new]), site.role([world.manifest]), [world.root, new])
    world.site.publish(106)
    world.ends(0, "updated to manifest 106")
    world.check(world.kept()[0] == 2, "keeps the new root")


@case
def new_root_alone(world):
    world.start()
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest]), [world.root])
    world.ends(0, "nothing to do: manifest 105")
    world.check(world.kept()[0] == 2 and world.kept()[1]["manifest_version"] == 105, "keeps both")
    world.uses(105)


@case
def new_root_signed_by_the_old_key_alone(world):
    world.site.add_root(2, site.role([world.key("new")]), site.role([world.manifest]), [world.root])
    world.site.publish(106)
    world.is_refused("root.json[1]", "0 valid signatures, 1 needed")


@case
def new_root_signed_by_the_new_key_alone(world):
    new = world.key("new")
    world.site.add_root(2, site.role([new]), site.role([new]), [new])
    world.site.publish(106, keys=[new])
    world.is_refused("root.json[1]", "0 valid signatures, 1 needed")


@case
def root_threshold_grows(world):
    new = world.key("new")
    world.site.add_root(2, site.role([world.root, new], 2), site.role([world.manifest]), [world.root, new])
    world.site.add_root(3, site.role([world.root, new], 2), site.role([world.manifest]), [world.root])
    world.site.publish(106)
    world.ends(65, "root.json[2]", "1 valid signature, 2 needed")
    world.check(world.kept()[0] == 2, "keeps the root before it")


@case
def a_root_is_missing(world):
    world.site.add_root(3, site.role([world.root]), site.role([world.manifest]), [world.root])
    world.site.publish(106)
    world.is_refused("root 1 is trusted, and root 3 follows")


@case
def many_roots_at_once(world):
    before = world.root
    for version in range(2, 7):
        after = world.key(f"root{version}")
        world.site.add_root(version, site.role([after]), site.role([world.manifest]), [before, after], days=-100 if version < 6 else 100)
        before = after
    world.site.publish(106)
    world.ends(0, "updated to manifest 106")
    world.check(world.kept()[0] == 6, "keeps the last")
    world.site.roots = world.site.roots[:1]
    world.site.publish(107)
    world.ends(0, "updated to manifest 107")
    world.check(world.kept()[0] == 6, "and does not go back")


@case
def roots_in_the_wrong_order(world):
    for version in (2, 3):
        world.site.add_root(version, site.role([world.root]), site.role([world.manifest]), [world.root])
    world.site.roots[1:] = reversed(world.site.roots[1:])
    world.site.publish(106)
    world.is_refused("root 1 is trusted, and root 3 follows")


@case
def roots_that_go_back(world):
    world.start()
    new = world.key("new")
    world.site.add_root(2, site.role([world.root]), site.role([new]), [world.root])
    world.site.keys = [new]
    world.site.publish(106)
    world.ends(0)
    world.site.roots, world.site.keys = world.site.roots[:1], [world.manifest]
    world.site.publish(107)
    world.is_refused("0 valid signatures, 1 needed")
    world.uses(106)


@case
def two_keys_while_one_is_replaced(world):
    world.start()
    new = world.key("new")
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest, new]), [world.root])
    world.site.publish(106)
    world.ends(0, "updated to manifest 106")
    world.site.keys = [new]
    world.site.publish(107)
    world.ends(0, "updated to manifest 107")
    world.site.add_root(3, site.role([world.root]), site.role([new]), [world.root])
    world.site.publish(108)
    world.ends(0, "updated to manifest 108")
    world.site.publish(109, keys=[world.manifest])
    world.is_refused("0 valid signatures, 1 needed")
    world.uses(108)


@case
def a_key_is_withdrawn(world):
    world.start()
    new = world.key("new")
    world.site.add_root(2, site.role([world.root]), site.role([new]), [world.root])
    world.ends(65, "the manifest that was kept is removed", "0 valid signatures, 1 needed")
    world.check(world.kept() == (2, None, None), "keeps the roots alone")
    world.uses(world.tools.built_in, "built-in")
    world.site.keys = [new]
    world.site.publish(106)
    world.ends(0, "updated to manifest 106")


@case
def keys_of_another_publisher(world):
    """What another build kept is no better than what a stranger sent."""
    stranger = world.key("stranger")
    world.start()
    other = site.envelope({"type": "gpuenv-root", "spec": 1, "version": 2, "expires": site.moment(NOW + DAY),
                           "root": site.role([stranger]), "manifest": site.role([stranger])}, [stranger])
    parts = (f"[{other}]".encode(), site.envelope(world.site.statement(199, version=99), [stranger]).encode(), world.tools.text(199))
    with open(world.file, "wb") as file:
        file.write(site.bundle_of(*parts))
    world.site.publish(106)
    world.ends(0, "what was kept is not used", "updated to manifest 106")
    world.uses(106)


# --- Time ---

@case
def expired(world):
    world.start()
    world.site.publish(106, days=-1)
    world.is_refused("this update has expired", "it was valid until 2027-01-14T08:00:00Z", "check this machine's clock")
    world.uses(105)


@case
def held_back(world):
    """A freeze: the same files for ever."""
    world.start()
    world.ends(0, "nothing to do", now=NOW + 29 * DAY)
    world.is_refused("this update has expired", now=NOW + 30 * DAY)


@case
def kept_one_has_expired(world):
    world.start()
    later = NOW + 1000 * DAY
    world.uses(105, now=later)
    world.check("the updated manifest 105 expired on 2027-02-14: it is still used" in world.said, "says that it has expired")
    world.run("manifest", "-q", now=later)
    world.check("expired" not in world.err, "says nothing with -q")
    world.run("manifest", now=NOW + 29 * DAY)
    world.check("expired" not in world.err, "says nothing before")


@case
def kept_one_has_expired_and_is_updated(world):
    world.start()
    world.site.publish(106, days=60)
    world.ends(0, "updated to manifest 106", now=NOW + 40 * DAY)
    world.uses(106)


@case
def newest_root_has_expired(world):
    world.start()
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest]), [world.root], days=1)
    world.site.publish(106)
    world.ends(65, "the newest root has expired", now=NOW + 2 * DAY)
    world.check(world.kept()[0] == 2 and world.kept()[1]["version"] == 1, "keeps the root, and no statement")
    world.uses(105)


@case
def built_in_root_has_expired(world):
    late = 4_110_000_000  # 2100-03-29; the root of the build ends with 2099
    world.site.now = late
    world.site.publish(106)
    world.is_refused("the newest root has expired", now=late)
    world.site.add_root(2, site.role([world.root]), site.role([world.manifest]), [world.root])
    world.site.publish(106)
    world.ends(0, "updated to manifest 106", now=late)


@case
def the_date_of_reproducible_builds_is_not_the_clock(world):
    world.site.publish(106, days=-1)
    world.ends(65, "has expired", SOURCE_DATE_EPOCH=str(NOW - 100 * DAY))


# --- Back ---

@case
def statement_goes_back(world):
    world.site.publish(105)
    old = world.site.read("update.json")
    world.site.publish(106)
    world.ends(0)
    world.site.write("update.json", old)
    world.is_refused("an older statement than the one that is kept", "statement 1 is older than 2")
    world.uses(106)


@case
def manifest_goes_back(world):
    world.start(106)
    world.site.publish(105)
    world.is_refused("an older manifest than the one that is kept", "manifest 105 is older than 106")


@case
def expired_one_still_counts(world):
    world.start(106)
    world.site.publish(105, days=200)
    world.is_refused("manifest 105 is older than 106", now=NOW + 90 * DAY)


@case
def another_statement_of_that_number(world):
    world.start()
    world.site.publish(106, version=1)
    world.is_refused("another statement 1 than the one that is kept")


@case
def another_manifest_of_that_number(world):
    world.start()
    world.site.publish(105, sha256="00" * 32)
    world.is_refused("another manifest 105 than the one that is kept")


@case
def fast_forward(world):
    """A thief of the key says the greatest numbers; the publisher replaces the key, and goes on with usual ones."""
    world.start()
    most = 2**31 - 1
    world.site.publish(1000000, version=most)
    world.ends(0, "updated to manifest 1000000")
    world.site.publish(106, version=2)
    world.is_refused(f"statement 2 is older than {most}")
    new = world.key("new")
    world.site.add_root(2, site.role([world.root]), site.role([new]), [world.root])
    world.site.publish(106, keys=[new], version=2)
    world.ends(0, "updated to manifest 106")
    world.uses(106)


@case
def removed_by_the_user(world):
    """Whoever removes what is kept begins again with what is built in."""
    world.start()
    os.remove(world.file)
    world.uses(world.tools.built_in, "built-in")
    world.ends(0, "updated to manifest 105")


# --- Other bytes than were signed ---

@case
def manifest_of_another_update(world):
    """Mix and match."""
    world.start()
    world.site.publish(106)
    world.site.write("manifest-106.json", world.tools.text(107))
    world.is_refused("sha256 expected")
    world.site.write("manifest-106.json", world.tools.text(110))
    world.is_refused("manifest-106.json")


@case
def manifest_is_shorter_or_longer(world):
    world.site.publish(106)
    for data in (b"", world.tools.text(106)[:-1], world.tools.text(106) + b" "):
        world.site.write("manifest-106.json", data)
        world.is_refused("bytes")


@case
def one_file_with_other_bytes(world):
    world.site.publish(106)
    parts = [world.site.read(name) for name in ("root.json", "update.json", "manifest-106.json")]
    carried = f"{world.top}/carried"
    for wrong in (parts[:2] + [world.tools.text(107)], parts[:2] + [parts[2] + b" "], parts[:1], [parts[0], parts[2], parts[1]]):
        with open(carried, "wb") as file:
            file.write(site.bundle_of(*wrong))
        world.is_refused(source=carried)
    other = parts[2].replace(b"NVIDIA", b"NVIDIB", 1)  # a manifest of that size, version and date
    world.check(other != parts[2], "there is something to change")
    with open(carried, "wb") as file:
        file.write(site.bundle_of(*parts[:2], other))
    world.is_refused("sha256 expected", source=carried)
    whole = site.bundle_of(*parts)
    for wrong in (whole[:-1], whole[:1000], whole + b"\n", whole.replace(b"crc32 ", b"crc32 0", 1), b"gpuenv-update 2\n" + whole[16:], b""):
        with open(carried, "wb") as file:
            file.write(wrong)
        world.is_refused(source=carried)


@case
def signed_and_not_a_manifest(world):
    for data in (b"{}", b"[]", world.tools.text(106).replace(b'"subjects"', b'"x"').replace(b'"driver_min"', b'"driver_mind"', 1)):
        world.site.manifests = lambda number, data=data: data
        world.site.publish(106)
        world.is_refused("this gpuenv cannot read it: install a newer gpuenv")


@case
def signed_with_another_number_or_date(world):
    world.site.manifests = lambda number: world.tools.text(107)
    world.site.publish(106)
    world.is_refused("signed 106 of 2027-01-01, found 107 of 2027-01-01")
    world.site.manifests = world.tools.text
    world.site.publish(106, manifest_date="2027-01-02")
    world.is_refused("signed 106 of 2027-01-02, found 106 of 2027-01-01")


@case
def too_large(world):
    world.site.publish(106)
    for name, size in (("root.json", 256 << 10), ("update.json", 64 << 10)):
        whole = world.site.read(name)
        world.site.write(name, whole + b" " * (size + 1 - len(whole)))
        world.is_refused(name, "bytes")
        world.site.write(name, whole)
    with open(f"{world.top}/carried", "wb") as file:
        file.truncate(1 << 30)
    world.is_refused(source=f"{world.top}/carried")


# --- What is missing ---

@case
def files_that_are_missing(world):
    world.start()
    for name in ("root.json", "update.json", "manifest-106.json"):
        world.site.publish(106)
        os.remove(world.site.path(name))
        world.is_refused(name, code=69)
        world.uses(105)
    world.site.publish(107)
    world.ends(0, "updated to manifest 107")


@case
def failed_then_tried_again(world):
    world.start()
    world.site.publish(106)
    whole = world.site.read("manifest-106.json")
    world.site.write("manifest-106.json", whole[:500])
    world.is_refused("manifest-106.json")
    world.site.write("manifest-106.json", whole)
    world.ends(0, "updated to manifest 106")


@case
def no_source(world):
    world.is_refused("cannot open the source", code=66, source=f"{world.top}/nowhere")
    world.is_refused("cannot be the source of an update", code=64, source="ftp://127.0.0.1/x")
    world.is_refused("cannot be the source of an update", "credentials", code=64, source="https://a:b@127.0.0.1/x")
    world.check(world.run("manifest", "update") == 64 and "no address for updates" in world.said, "needs an address")
    world.check(world.run("manifest", "update", "") == 64, "refuses an empty one")
    world.check(world.run("manifest", "update", "a", "b") == 64, "refuses two")
    world.check(world.run("manifest", "update", "a", "--manifest", "b") == 64, "refuses --manifest")


# --- What is kept ---

@case
def damaged(world):
    world.start()
    whole = world.bytes()
    for wrong in (whole[:-1], whole[:len(whole) // 2], b"", b"\0" * 4096, whole.replace(b"2027-01-01", b"2027-01-02", 1)):
        with open(world.file, "wb") as file:
            file.write(wrong)
        world.uses(world.tools.built_in, "built-in")
        world.check("note: the updated manifest is not used" in world.said and world.file in world.said, "says which and why")
        world.ends(0, "what was kept is not used", "updated to manifest 105")
        world.uses(105)
        world.check(world.bytes() == whole, "is repaired")


@case
def kept_with_other_bytes(world):
    """Whoever could write the file could write anything; the next update sees it all the same."""
    world.start()
    whole = world.bytes()
    parts = (world.site.read("root.json"), world.site.read("update.json"), world.tools.text(105).replace(b"NVIDIA", b"NVIDIB", 1))
    with open(world.file, "wb") as file:
        file.write(site.bundle_of(*parts))
    world.ends(0, "updated to manifest 105")
    world.check(world.bytes() == whole, "is repaired")


@case
def kept_by_a_newer_gpuenv(world):
    world.start()
    data = json.loads(world.tools.text(109))
    for subject in data.values():
        subject["schema"] = 2
    data = json.dumps(data).encode()
    for kind in (1, 2):
        said = {**world.site.statement(109), "version": 9, "format": kind, "length": len(data)}
        with open(world.file, "wb") as file:
            file.write(site.bundle_of(world.site.read("root.json"), site.envelope(said, [world.manifest]).encode(), data))
        world.uses(world.tools.built_in, "built-in")
        world.check("not used" in world.said and ("newer gpuenv" in world.said or "update gpuenv" in world.said or "manifest update" in world.said),
                    "says what to do")


@case
def checked_once(world):
    """What gpuenv-install has checked, the gpuenv that was built with it does not check again; another one does."""
    world.start()
    whole = world.bytes()
    reader = whole.split(b"\n", 2)[1]
    world.check(len(reader) == 71 and reader.startswith(b"reader "), "names who has checked it")
    world.site.publish(105, days=60)
    world.ends(0, "it is now valid until")
    world.check(world.bytes().split(b"\n", 2)[1] == reader, "still names it")
    whole = world.bytes()
    kept = [world.site.read(name) for name in ("root.json", "update.json")] + [world.tools.text(105)]
    with open(world.file, "wb") as file:
        file.write(site.bundle_of(*kept, reader=b"reader " + b"0" * 64 + b"\n"))
    world.ends(0, "nothing to do")
    world.check(world.bytes() == whole, "is checked again by an update")
    parts = (world.site.read("root.json"), world.site.read("update.json"), world.tools.text(105).replace(b'"driver_min"', b'"driver_mix"', 1))
    for line, origin in ((reader + b"\n", "updated"), (b"reader " + b"0" * 64 + b"\n", "built in"), (b"", "built in")):
        with open(world.file, "wb") as file:
            file.write(site.bundle_of(*parts, reader=line))
        world.run("version")
        world.check(f"({origin})" in world.said, f"is {origin}")
        world.check(("driver_mix" in world.said) == (origin == "built in"), "says what is wrong where it is checked")
    with open(world.file, "wb") as file:
        file.write(site.bundle_of(*parts, reader=reader + b"\n"))
    world.check(world.run("manifest") == 70 and "the updated manifest is damaged" in world.said and world.file in world.said, "never guesses")
    with open(f"{world.top}/carried", "wb") as file:
        file.write(site.bundle_of(*parts, reader=reader + b"\n"))
    os.remove(world.file)
    world.is_refused("sha256 expected", source=f"{world.top}/carried")
    data = world.tools.text(105).replace(b'"driver_min"', b'"driver_mix"', 1)
    world.site.manifests = lambda number: data
    world.site.publish(105)
    parts = (world.site.read("root.json"), world.site.read("update.json"), data)
    with open(f"{world.top}/carried", "wb") as file:
        file.write(site.bundle_of(*parts, reader=reader + b"\n"))
    world.is_refused("this gpuenv cannot read it", "driver_mix", source=f"{world.top}/carried")


@case
def others_may_write(world):
    world.start()
    os.chmod(world.file, 0o666)
    world.uses(world.tools.built_in, "built-in")
    world.check("other users may write to it" in world.said, "says why")
    world.ends(0, "updated to manifest 105")
    world.uses(105)


@case
def a_link_is_not_followed(world):
    world.start()
    os.rename(world.file, f"{world.top}/elsewhere")
    os.symlink(f"{world.top}/elsewhere", world.file)
    world.uses(world.tools.built_in, "built-in")
    world.ends(0, "it is a link", "updated to manifest 105")
    world.check(not os.path.islink(world.file), "is replaced")


@case
def a_file_of_the_user_is_before_it(world):
    world.start()
    with open(f"{world.top}/mine.json", "wb") as file:
        file.write(world.tools.text(103))
    world.run("manifest", "--manifest", "mine.json", "--json")
    found = json.loads(world.out)["manifest"]
    world.check((found["version"], found["origin"], found["file"]) == ("103", "file", "mine.json"), "is used")


@case
def built_in_is_before_an_older_one(world):
    world.start()
    parts = (world.site.read("root.json"), site.envelope(world.site.statement(world.tools.built_in), [world.manifest]).encode(),
             world.tools.text(world.tools.built_in))
    with open(world.file, "wb") as file:
        file.write(site.bundle_of(*parts))
    world.uses(world.tools.built_in, "built-in")
    world.check("note" not in world.said, "which is nothing to be told")


@case
def every_output_says_which(world):
    world.start()
    for words, said in ((["version"], "manifest 105 of 2027-01-01 (updated)"), (["--version"], "manifest 105 of 2027-01-01 (updated)"),
                        (["manifest"], f"manifest 105 of 2027-01-01, updated: {world.file}"),
                        (["resolve", "cuda", "--assume-driver", "580"], "manifest 105 of 2027-01-01 (updated)"),
                        (["doctor", "-v"], "manifest 105 of 2027-01-01 (updated)"), (["list", "--available"], "manifest 105 of 2027-01-01 (updated)"),
                        (["doctor"], "manifest 105, updated]")):
        world.run(*words)
        world.check(said in world.said, f"{words[0]} says {said!r}")
    for words in (["doctor"], ["version"], ["facts"], ["resolve", "cuda", "--assume-driver", "580"], ["list"],
                  ["plan", "cuda@12.8", "--prefix", f"{world.top}/p", "--mirror", world.top]):
        if world.run(*words, "--json") in (0, 1, 3):
            world.check(json.loads(world.out)["manifest"].get("origin") == "updated", f"{words[0]} --json says it")


@case
def an_image_is_judged_by_it_too(world):
    world.start()
    for name in ("etc", "usr", "var/lib/gpuenv"):
        os.makedirs(f"{world.top}/image/{name}")
    with open(f"{world.top}/image/var/lib/gpuenv/manifest.update", "wb") as file:
        file.write(b"of the image")
    world.run("doctor", "--root", f"{world.top}/image", "--assume-driver", "580", "--json")
    world.check(json.loads(world.out)["manifest"]["version"] == "105", "uses the machine's own")


def main():
    trusting, clock, manifest, work, *names = sys.argv[1:]
    tools = Tools(trusting, clock, manifest, work)
    passed = failed = 0
    for function in CASES:
        if names and function.__name__ not in names:
            continue
        world = World(tools, function.__name__)
        try:
            function(world)
        except (Failed, subprocess.SubprocessError, KeyError, ValueError) as error:
            failed += 1
            print(f"FAIL {function.__name__.replace('_', ' ')}: {error!r}")
        passed += world.checks
    known = {function.__name__ for function in CASES}
    for name, about in CONFORMANCE.items():
        for wanted in [] if about.startswith("- ") else about.split():
            if wanted not in known:
                failed += 1
                print(f"FAIL {name}: no case {wanted}")
    apply = sum(not about.startswith("- ") for about in CONFORMANCE.values())
    print(f"{passed} checks in {len(CASES)} cases; {apply} of {len(CONFORMANCE)} tests of tuf-conformance apply")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
