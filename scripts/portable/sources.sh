# shellcheck shell=bash
# shellcheck disable=SC2154 # portable, top and more come from scripts/build-portable
# SPDX-License-Identifier: MIT
# The sources of the libraries in cmake/portable/libraries, below $portable/sources, by apt: from where this
# machine has its packages, with lists of their own, so that nothing of the machine changes.

libraries_table=$top/cmake/portable/libraries

# each_library FUNCTION: FUNCTION NAME PACKAGE VERSION SHA256 LICENCE FILE, for each line.
each_library() {
    local function=$1 line
    while read -r -u 7 -a line; do
        case ${line[0]-} in '' | '#'* | suite) continue ;; esac
        "$function" "${line[@]}" || return
    done 7<"$libraries_table"
}

# The tarball as its authors released it, in the directory of a source package.
orig_tarball() { # orig_tarball DIRECTORY
    compgen -G "$1/*.orig.tar.*z" | head -n 1
}

has_source() { # has_source DIRECTORY SHA256
    local tarball
    tarball=$(orig_tarball "$1") && compgen -G "$1/*.dsc" >/dev/null &&
        sha256sum --status -c <<<"$2  $tarball"
}

# apt with deb-src lines, lists and archives of its own.
source_apt() { # source_apt PROGRAM ARGUMENT…
    APT_CONFIG=$portable/apt/apt.conf LC_ALL=C "$@"
}

prepare_apt() {
    local own=$portable/apt
    [ ! -f "$own/ready" ] || return 0
    root_suite=$(sed -n 's/^suite //p' "$libraries_table")
    # shellcheck disable=SC2034 # for find_suite
    root_mirror=""
    find_suite
    rm -rf "$own"
    mkdir -p "$own/state/lists/partial" "$own/cache/archives/partial"
    sed 's/^deb /deb-src /' <<<"$root_sources" >"$own/sources.list"
    cat >"$own/apt.conf" <<CONF
Dir::Etc::sourcelist "$own/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State "$own/state";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$own/cache";
APT::Sandbox::User "";
CONF
    say "reading the list of sources of $root_suite"
    source_apt apt-get update -q >"$own/log" 2>&1 && ! grep -q '^[EW]: .*Failed' "$own/log" ||
        stop_with_apt update "$own/log"
    touch "$own/ready"
}

# Debian's revisions of an upstream version, the newest first.
revisions_of() { # revisions_of PACKAGE VERSION
    source_apt apt-cache showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p' | sort -Vru |
        awk -v wanted="$2" '{ version = $0; sub(/^[0-9]+:/, "", version); sub(/-[^-]*$/, "", version) }
            version == wanted'
}

# One source package into a directory of its own. An older revision where the newest is not there: mirrors
# keep lists for longer than files.
fetch_source() { # fetch_source NAME PACKAGE VERSION SHA256 …
    local directory=$portable/sources/$1 revision there
    ! has_source "$directory" "$4" || return 0
    prepare_apt
    for revision in $(revisions_of "$2" "$3"); do
        rm -rf "$directory"
        mkdir -p "$directory"
        (cd "$directory" && source_apt apt-get source -q --download-only --only-source "$2=$revision") \
            >"$portable/apt/log" 2>&1 </dev/null || continue
        has_source "$directory" "$4" ||
            die 65 "the tarball of $2 $revision is not the one in cmake/portable/libraries: $(orig_tarball "$directory")"
        say "source: $2 $revision"
        return 0
    done
    rm -rf "$directory"
    there=$(source_apt apt-cache showsrc --only-source "$2" 2>/dev/null | sed -n 's/^Version: //p' | sort -Vu |
        paste -sd ' ')
    grep '^E: ' "$portable/apt/log" >&2
    die 69 "$2 $3 is no longer available; available: ${there:-nothing}. Update cmake/portable/libraries"
}

# Unpacks it, with Debian's patches.
unpack_source() { # unpack_source NAME …
    local directory=$portable/sources/$1 dsc
    dsc=$(compgen -G "$directory/*.dsc")
    [ "$directory/tree/.unpacked" -nt "$dsc" ] && return 0
    rm -rf "$directory/tree"
    dpkg-source --no-check --no-copy -x "$dsc" "$directory/tree" >"$directory/log" 2>&1 ||
        die 70 "dpkg-source failed (all it said: $directory/log)"
    touch "$directory/tree/.unpacked"
}

fetch_sources() {
    each_library fetch_source && each_library unpack_source
}
