# SPDX-License-Identifier: MIT
"""What a real library says of each of its errors, as programs print it, is explained by the row of that
number; and the row has the words that the library says.

Called by tests/program/error-words: error_words.py PROGRAM TABLE LIBRARY FUNCTION FORM…, where %s in a
FORM stands for what FUNCTION says.
"""
import ctypes
import json
import subprocess
import sys

UNKNOWN = ("unrecognized error code", "Unknown Error", "unknown result code")


def ask(program, *words):
    done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def main(program, table, library, function, *forms):
    say = getattr(ctypes.CDLL(library), function)
    say.restype = ctypes.c_char_p
    rows = ask(program, "manifest", "show", table, "--json")["tables"][0]["rows"]
    first, failures, asked = {}, 0, 0
    for row in rows:
        if "words" in row:
            first.setdefault(row["words"], row)
    for row in rows:
        said = say(row["code"]).decode()
        if row["code"] == 0 or (said in UNKNOWN and row.get("words") != said):
            continue  # of success, or newer than the library
        asked += 1
        if not said.startswith(row.get("words", "\0")):
            print(f"FAIL {table} {row['code']}: the library says {said!r}, the row {row.get('words')!r}")
            failures += 1
            continue
        wanted = "error/%s-%u" % (table.split("/")[1], first[row["words"]]["code"])
        for form in forms:
            found = ask(program, "explain", "--json", "--", form % said).get("row")
            if found != wanted:
                print(f"FAIL {form % said!r} is {found}, not {wanted}")
                failures += 1
    print(f"{table}: {asked} errors in {len(forms)} forms, {failures} failures")
    return 1 if failures or not asked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
