# SPDX-License-Identifier: MIT
# For the tests of flags and exit codes: sourced after lib.sh.
# shellcheck shell=bash
: "${work:?}"

# ends CODE ARGUMENT…: leaves $work/out and $work/err.
ends() {
    local wanted=$1 status
    shift
    timeout --signal=KILL 300 "$GPUENV" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ $status -eq "$wanted" ] || { echo "    ends with $status, not $wanted: $(head -n 2 "$work/err" | tr '\n' ' ')"; return 1; }
}

# refuses ARGUMENT…: 64, two lines on stderr, nothing on stdout.
refuses() { ends 64 "$@" && [ "$(wc -l <"$work/err")" = 2 ] && [ ! -s "$work/out" ]; }

# prints PATTERN / lacks PATTERN: what the last one printed, line breaks made spaces.
prints() { tr -s ' \n' ' ' <"$work/out" | grep -qE -- "$1"; }
lacks() { ! prints "$1"; }

# json FILTER: holds of the JSON it printed.
json() { jq -e "$1" "$work/out" >"$work/null" || { jq -c "$2" "$work/out" 2>/dev/null | head -c 300; return 1; }; }
