# SPDX-License-Identifier: MIT
# For the tests that use the doubles of vendor libraries (docs/background/testing.md): sourced after lib.sh.
# shellcheck shell=bash
: "${DOUBLES:?}" "${work:?}"

# An ordinary user, who may load what he likes.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
command -v setpriv >/dev/null || [ ${#as_user[@]} -eq 0 ] || skip "setpriv is not installed"

# The whole path down to them must be open to him, and is root's alone.
chmod 755 "$work"
cp "$GPUENV" "$work/gpuenv" && chmod 755 "$work/gpuenv" && GPUENV=$work/gpuenv
mkdir "$work/all" && cp "$DOUBLES"/* "$work/all/" && chmod 755 "$work/all" "$work/all"/*

# What the machine has set is not the test's. The sanitizers' own signal handlers would turn a
# crash into an exit.
for name in "${!CUDA_@}" "${!NVIDIA_@}" "${!GPUENV_@}" LD_PRELOAD LD_LIBRARY_PATH; do
    [ "$name" = GPUENV_TEST_LONG ] || unset "$name"
done
# On a busy machine ten seconds may not be enough for them all to answer.
export GPUENV_TIMEOUT=60
export ASAN_OPTIONS=handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:handle_sigbus=0:use_sigaltstack=0

# doubles NAME LINE…: a directory $work/NAME with all doubles and a plan of the lines.
doubles() {
    local directory=$work/$1
    shift
    mkdir "$directory" && ln "$work/all"/* "$directory/" || exit 1
    printf '%s\n' "$@" >"$directory/double.plan"
    chmod 755 "$directory" && chmod 644 "$directory/double.plan"
}

# plan NAME LINE…: another plan.
plan() {
    local directory=$work/$1
    shift
    printf '%s\n' "$@" >"$directory/double.plan"
}

# hide NAME LIBRARY SYMBOL…: takes functions away from one library, by changing their names.
hide() {
    local library=$work/$1/$2 symbol script=()
    shift 2
    for symbol; do
        script+=(-e "s/\x00$symbol\x00/\x00X${symbol#?}\x00/g")
    done
    LC_ALL=C sed -i "${script[@]}" "$library" && chmod 755 "$library"
}

# gpuenv_with NAME ARGUMENT…: as that user, with those doubles.
gpuenv_with() {
    local directory=$work/$1
    shift
    LD_LIBRARY_PATH=$directory timeout --signal=KILL 150 "${as_user[@]}" "$GPUENV" "$@"
}

# value FILE GROUP NAME: the fact's value, "absent", or "unknown: why"; lists as JSON.
value() {
    jq -r --arg group "$2" --arg name "$3" '.facts[$group][$name] |
        if . == null then "no such fact" elif has("value") then .value | (if type == "array" then tojson else tostring end)
        elif .absent then "absent" elif has("unknown") then "unknown: " + .unknown
        else "skipped: " + .skipped end' "$1"
}

# is FILE GROUP NAME VALUE
is() {
    local found
    found=$(value "$1" "$2" "$3")
    [ "$found" = "$4" ] || { echo "    $2 $3 is \"$found\", not \"$4\""; return 1; }
}

# says FILE GROUP NAME PATTERN: the same by a regular expression.
says() {
    local found
    found=$(value "$1" "$2" "$3")
    grep -qE -- "$4" <<<"$found" || { echo "    $2 $3 is \"$found\", not like \"$4\""; return 1; }
}
