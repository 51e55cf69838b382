# SPDX-License-Identifier: MIT
# For the tests of the finished program: sourced, with GPUENV and MACHINE_MAKE set by ctest.
set -u
: "${GPUENV:?}" "${MACHINE_MAKE:?}"
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0
# This machine's platform in NVIDIA's trees, for which tests/fakes/redist_make packs, and another one.
platform=linux-x86_64 other_platform=linux-sbsa
[ "$(uname -m)" != aarch64 ] || platform=linux-sbsa other_platform=linux-x86_64

skip() { echo "skipped: $*"; exit 77; }

# check WHAT COMMAND…: counts, and says WHAT when the command fails, with what was last printed into
# the files that most tests use: what failed on a busy machine may not fail again.
check() {
    local what=$1 file
    shift
    checks=$((checks + 1))
    "$@" && return
    failures=$((failures + 1))
    echo "FAIL $what"
    for file in err out; do
        [ ! -s "$work/$file" ] || head -n 4 "$work/$file" | cut -c 1-200 | LC_ALL=C tr -c '[:print:]\n' '?' | sed "s/^/    last $file: /"
    done
}

finish() {
    echo "$((checks - failures)) passed, $failures failed"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}

# make_machine NAME: makes it below $work, prints nothing.
make_machine() {
    mkdir -p "$work/$1"
    "$MACHINE_MAKE" -I "$tests/machines" "$tests/machines/$1/tree" "$work/$1" || { echo "cannot make $1"; exit 1; }
}

causes() { jq -r '.findings[] | .code + " " + .severity' "$1"; }
