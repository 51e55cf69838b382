# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Shared by the scripts next to it, which source it: packages, builds, and messages on stderr.
#
# After `. lib.sh`: top is the working tree, build_root the directory that builds go below, and
# install_allowed is 1 until the script sets it to 0 (--no-install).
set -u

top=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
install_allowed=1

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() { # die STATUS MESSAGE
    say "$2"
    exit "$1"
}

# --- Where builds go ---------------------------------------------------------------------------

# The tree itself, unless it belongs to someone else or cannot be written.
find_build_root() {
    local cache
    if [ -O "$top" ] && [ -w "$top" ] && { [ ! -e "$top/build" ] || [ -w "$top/build" ]; }; then
        printf '%s\n' "$top/build"
        return
    fi
    cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
    # Two working trees of one user must not share a build.
    printf '%s/gpuenv/build/%s\n' "$cache" "$(printf '%s' "$top" | cksum | cut -d ' ' -f 1)"
}
build_root=$(find_build_root)

make_build_root() {
    mkdir -p "$build_root" 2>/dev/null && return
    die 73 "cannot create $build_root to build in: set XDG_CACHE_HOME to a directory you can write to"
}

# --- Packages ----------------------------------------------------------------------------------

is_there() { # is_there TEST, as in scripts/deps
    local name
    case $1 in
        cmd:*)
            for name in $(printf '%s' "${1#cmd:}" | tr '|' ' '); do
                command -v "$name" >/dev/null && return
            done
            return 1 ;;
        pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
        file:*) compgen -G "${1#file:}" >/dev/null ;;
        want:*)
            command -v "${1#want:}" >/dev/null || [ "$install_allowed" = 0 ] || ! root_prefix >/dev/null ||
                ! apt-cache show "${1#want:}" >/dev/null 2>&1 ;;
        package) return 1 ;;
    esac
}

describe_test() { # describe_test TEST, as in scripts/deps
    case $1 in
        cmd:*) printf '%s' "${1#cmd:}" | sed 's/|/ or /g' ;;
        pc:*) printf 'the library known to pkg-config as %s' "${1#pc:}" ;;
        *) printf '%s' "${1#*:}" ;;
    esac
}

# Prints "PACKAGE TEST" for each line of these purposes in scripts/deps whose test fails.
missing_dependencies() { # missing_dependencies PURPOSE…
    local purpose package test
    while read -r purpose package test; do
        case " $* " in
            *" $purpose "*) is_there "$test" || printf '%s %s\n' "$package" "$test" ;;
        esac
    done <"$top/scripts/deps"
}

have_package_lists() {
    compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null
}

# The first of A|B|… that apt knows; the first one where there are no lists to look in.
known_package() {
    local name
    for name in ${1//|/ }; do
        apt-cache show "$name" >/dev/null 2>&1 && break
        name=${1%%|*}
    done
    printf '%s\n' "$name"
}

# Prints how to become root without being asked a question; fails if there is no way.
root_prefix() {
    [ "$(id -u)" = 0 ] && return
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && echo sudo
}

# Prints the size in apt's own words, such as "45.2 MB to download, 160 MB on disk". Not with --assume-no:
# apt-get asks nothing, and installs, when a package needs no other one.
describe_size() {
    LC_ALL=C apt-get install --print-uris --no-install-recommends -o Debug::NoLocking=1 "$@" \
        2>/dev/null </dev/null | sed -n \
        -e 's/^Need to get \(.*\) of archives\./\1 to download/p' \
        -e 's/^After this operation, \(.*\) of additional disk space.*/\1 on disk/p' |
        paste -sd , | sed 's/,/, /'
}

# Runs apt-get as root, without questions, with all its output in $1; shows the end of it on failure.
apt_get() { # apt_get LOG ARGUMENT…
    local log=$1 prefix
    shift
    prefix=$(root_prefix) || return 77
    # The system's configuration files stay unchanged, and nothing waits for an answer.
    $prefix env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -y -q \
        -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout=120 "$@" \
        >>"$log" 2>&1 </dev/null
}

# apt's own errors, and where the rest is.
stop_with_apt() { # stop_with_apt ACTION LOG
    grep '^E: ' "$2" | tail -n 8 >&2 || tail -n 8 "$2" >&2
    die 69 "apt-get $1 failed; full output: $2"
}

stop_without() { # stop_without PACKAGE…
    local update="" size
    have_package_lists || update="apt-get update && "
    size=$(describe_size "$@")
    say "missing packages: $*${size:+ ($size)}"
    say "install them with: sudo sh -c '${update}apt-get install -y --no-install-recommends $*'"
    exit 77
}

update_lists() {
    local log
    log=$(mktemp)
    say "reading the package lists (apt-get update)"
    apt_get "$log" update || stop_with_apt update "$log"
    rm -f "$log"
}

install_packages() { # install_packages PACKAGE…
    local log size
    log=$(mktemp)
    size=$(describe_size "$@")
    say "installing $*${size:+ ($size)}"
    if ! apt_get "$log" install --no-install-recommends "$@"; then
        # Outdated lists name files that the mirror no longer has.
        update_lists
        apt_get "$log" install --no-install-recommends "$@" || stop_with_apt install "$log"
    fi
    rm -f "$log"
}

# Makes sure that everything scripts/deps lists for these purposes is installed, or ends the script.
need() { # need PURPOSE…
    local missing packages=() package test
    missing=$(missing_dependencies "$@" | sort -u)
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        say "missing, and there is no apt-get to install it:"
        while read -r package test; do
            say "  $(describe_test "$test") (Debian package: ${package%%|*})"
        done <<<"$missing"
        exit 77
    fi
    root_prefix >/dev/null || install_allowed=0
    [ "$install_allowed" = 0 ] || have_package_lists || update_lists
    while read -r package test; do
        packages+=("$(known_package "$package")")
    done <<<"$missing"
    [ "$install_allowed" = 1 ] || stop_without "${packages[@]}"
    install_packages "${packages[@]}"
    missing=$(missing_dependencies "$@")
    [ -z "$missing" ] || die 77 "installed, but still missing: $(tr '\n' ';' <<<"$missing")"
}

# --- Builds ------------------------------------------------------------------------------------

# What a build directory was configured with: tools, archives and libraries, each with its version or
# its time. A missing archive counts too.
build_state() { # build_state DIR
    local name place
    while IFS='=' read -r name place; do
        case $place in
            *-NOTFOUND) compgen -G "/usr/lib/*/lib${name#GPUENV_ARCHIVE_}.a" || echo "no $name" ;;
            *) stat -L -c '%n %s %Y' "$(command -v "$place" || echo "$place")" 2>&1 ;;
        esac
    done < <(sed -nE 's/^(CMAKE_C_COMPILER|CMAKE_COMMAND|CMAKE_MAKE_PROGRAM|PKG_CONFIG_EXECUTABLE|GPUENV_ARCHIVE_[^:]*):[^=]*=/\1=/p' \
        "$1/CMakeCache.txt" | sort)
    while read -r name; do
        printf '%s %s\n' "$name" "$(pkg-config --modversion "$name" 2>/dev/null)"
    done < <(sed -n 's/^[A-Z]*_MODULE_NAME:INTERNAL=//p' "$1/CMakeCache.txt")
}

# Configures the build directory of PRESET if it never was, if the presets or what it was configured with
# have changed since, or if the directory was made for another tree.
configure() { # configure PRESET LOG
    local dir=$build_root/$1 generator=() same=0
    [ ! -s "$dir/.configured" ] || { build_state "$dir" | cmp -s - "$dir/.configured" && same=1; }
    if [ $same = 1 ] && [ ! "$top/CMakePresets.json" -nt "$dir/.configured" ] &&
        grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$top" "$dir/CMakeCache.txt"; then
        return
    fi
    # Times are no help: a package's files are older than what was built with the version before it.
    [ $same = 1 ] || find "$dir" -path "$dir/cache" -prune -o -name '*.o' -exec rm -f {} +
    rm -rf "$dir/CMakeCache.txt" "$dir/CMakeFiles" "$dir/.configured"
    command -v ninja >/dev/null || generator=(-G "Unix Makefiles")
    say "building ($dir); this takes a while the first time"
    (cd "$top" && LC_ALL=C cmake --preset "$1" -B "$dir" "${generator[@]}") >>"$2" 2>&1 </dev/null || return
    build_state "$dir" >"$dir/.configured"
}

# Brings the build directory of PRESET up to date. Prints nothing, or on failure the first error.
build() { # build PRESET [TARGET…]
    local preset=$1 dir=$build_root/$1 log=$build_root/$1/build.log lock targets=() status
    shift
    [ $# -eq 0 ] || targets=(--target "$@")
    make_build_root
    mkdir -p "$dir"
    exec {lock}<"$dir"
    flock "$lock"
    : >"$log"
    # In English, for build-error.
    configure "$preset" "$log" &&
        LC_ALL=C cmake --build "$dir" -j "$(nproc)" "${targets[@]}" >>"$log" 2>&1 </dev/null
    status=$?
    exec {lock}<&-
    [ $status -ne 0 ] || return 0
    [ $status -lt 128 ] || die $status "the build was stopped; run the same command again to continue"
    "$top/scripts/build-error" "$log" >&2
    die 70 "the build failed; full output: $log"
}

# The time stamped into packages: SOURCE_DATE_EPOCH, or the commit's (also in a source tarball), or the
# changelog's.
package_time() {
    [ -z "${SOURCE_DATE_EPOCH-}" ] || { echo "$SOURCE_DATE_EPOCH"; return; }
    git -C "$top" log -1 --format=%ct 2>/dev/null || sed -n 's/^time \([0-9]*\)$/\1/p' "$top/cmake/source.txt" | grep . ||
        date -d "$(sed -n 's/^ -- .*>  //p' "$top/cmake/package/changelog.in")" +%s
}

# CPack includes the size of directories on this file system in Installed-Size. Here it is counted as by
# dpkg-gencontrol(1): files in KiB, rounded up, and 1 KiB for anything else.
settle_deb() { # settle_deb FILE
    local dir size threads=()
    dir=$(mktemp -d)
    dpkg-deb -R "$1" "$dir/root" || return
    size=$(cd "$dir/root" && find . -path ./DEBIAN -prune -o -printf '%y %s\n' |
        awk '{ size += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print size }')
    sed -i "s/^Installed-Size: .*/Installed-Size: $size/" "$dir/root/DEBIAN/control"
    ! dpkg-deb --help | grep -q -e --threads-max || threads=(--threads-max=1)
    find "$dir/root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group "${threads[@]}" -Zxz -b "$dir/root" "$1" >/dev/null || return
    rm -rf "$dir"
}

# --- Tests -------------------------------------------------------------------------------------

# in_memory DIRECTORY COMMAND [argument…]: if root can have a mount namespace and there is enough memory,
# /tmp and the directory (if not "") are in memory for the command, which may be a function in this file.
# Creating and removing 200,000 files takes seconds there, but minutes on a disk.
in_memory() {
    local free
    free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
    case $top:$build_root in /tmp/* | *:/tmp/*) free=0 ;; esac
    if [ "${free:-0}" -lt 4096 ] || ! unshare --mount mount -t tmpfs tmpfs /tmp 2>/dev/null; then
        shift
        "$@"
        return
    fi
    # shellcheck disable=SC2016
    unshare --mount --propagation private bash -c '. "$1/scripts/lib.sh"
        mount -t tmpfs -o mode=1777 tmpfs /tmp &&
            { [ -z "$2" ] || mount -t tmpfs -o mode=0755 tmpfs "$2"; } && shift 2 && "$@"' "$0" "$top" "$@"
}

# run_tests BUILD [ctest argument…]
run_tests() {
    mkdir -p "$1/kept"
    in_memory "$1/kept" run_tests_here "$@"
}

# Runs all tests at once, then each failed test again, alone. A test that passes then is flaky: it is
# reported as such, and the run still fails.
run_tests_here() {
    local build=$1 failed=$1/Testing/Temporary/LastTestsFailed.log names
    local -x PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH # what scripts/deps names, before pyenv's python3
    shift
    rm -f "$failed"
    [ $# -gt 0 ] || local -x WHOLE_SUITE=1 # for tests/schema/start
    # One more than processors: some tests wait for timeouts.
    ctest --test-dir "$build" --output-on-failure -j $(($(nproc) + 1)) "$@" && return
    [ -s "$failed" ] || return 1
    names=$(cut -d : -f 2 "$failed" | paste -sd ' ')
    say "failed when run with others; running again alone: $names"
    # schema/all-outputs judges the documents of both runs: schema/start does not remove those of the first.
    ctest --test-dir "$build" --output-on-failure --rerun-failed -FA json-outputs || return
    say "flaky: failed when run with others, passed alone: $names"
    return 1
}
