# SPDX-License-Identifier: MIT
# For tests that go through the machines which the test "cases" has made and judged: sourced after lib.sh.
# EVERY=4, as with the sanitizers: each fourth scenario.
# shellcheck shell=bash
kept=${KEPT_CASES:?the directory that the test cases has filled}
mapfile -t files < <(find "${tests:?}/cases" -name '*.case' | LC_ALL=C sort | awk "NR % ${EVERY:-1} == 0")
check "there are scenarios" test ${#files[@]} -ge $((400 / ${EVERY:-1}))

# flags_of FILE: sets words, flags and judged, the JSON of them.
# shellcheck disable=SC2034
flags_of() {
    local name=${1#"$tests/cases/"}
    words=$(sed -n '/^---$/q; s/^command: *//p' "$1")
    read -r -a words <<<"${words:-doctor --for run}"
    judged=$kept/${name%.case}.json
    mapfile -t flags <"$kept/${name%.case}.flags"
}

every_second() { # every_second FIRST FUNCTION DIRECTORY
    local i
    for ((i = $1; i < ${#files[@]}; i += 2)); do
        "$2" "${files[i]}" "$3/$i" >"$3/$i.wrong" 2>&1
    done
}

# each_case FUNCTION DIRECTORY: FUNCTION FILE DIRECTORY/NUMBER for each, two at a time. What it prints is wrong.
each_case() {
    local i
    every_second 0 "$@" &
    every_second 1 "$@"
    wait
    for ((i = 0; i < ${#files[@]}; i++)); do
        check "${files[i]#"$tests/cases/"}: $(<"$2/$i.wrong")" test ! -s "$2/$i.wrong"
    done
}
