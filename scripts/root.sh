# shellcheck shell=bash
# shellcheck disable=SC2154 # build_root and top come from lib.sh
# SPDX-License-Identifier: MIT
# Minimal system roots to try things in, for test-fresh and test-aarch64, which source lib.sh first.
# A root is the distribution's own smallest one, made by debootstrap from where this machine has
# its packages; the finished base is kept as a tarball in build/fresh.

root_suite=""
root_mirror=""
roots=()

# A mount namespace of its own: whatever ends the script, its mounts end with it.
enter_mount_namespace() { # enter_mount_namespace "$0" "$@"
    [ "$(id -u)" = 0 ] || die 77 "must be root: it makes system roots with debootstrap"
    if [ -z "${GPUENV_SCRIPT_UNSHARED-}" ] && unshare --mount true 2>/dev/null; then
        GPUENV_SCRIPT_UNSHARED=1 exec unshare --mount --propagation private "$@"
    fi
    trap remove_roots EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

remove_roots() {
    local root place
    for root in "${roots[@]}"; do
        for place in aarch64/sys aarch64/proc dev/shm sys proc .; do
            mountpoint -q "$root/$place" && umount -l "$root/$place"
        done
        rm -rf --one-file-system "$root"
    done
}

# Prints "URI SUITE COMPONENT…" for each package source of this machine.
package_sources() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] && sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?//p' "$file"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] && awk -v RS= '
            !/(^|\n)Enabled: *no/ {
                gsub(/\n[ \t]+/, " ")
                types = uris = suites = components = ""
                count = split($0, lines, "\n")
                for (i = 1; i <= count; i++) {
                    key = tolower(lines[i]); sub(/:.*/, "", key)
                    value = lines[i]; sub(/^[^:]*:[ \t]*/, "", value)
                    if (key == "types") types = value
                    if (key == "uris") uris = value
                    if (key == "suites") suites = value
                    if (key == "components") components = value
                }
                if (types !~ /(^| )deb( |$)/) next
                n = split(uris, uri, " "); m = split(suites, suite, " ")
                for (i = 1; i <= n; i++)
                    for (k = 1; k <= m; k++) print uri[i], suite[k], components
            }' "$file"
    done
}

# The sources among them that belong to a code name: its own, -updates and -security.
sources_of() { # sources_of NAME
    package_sources | awk -v name="$1" '
        $2 == name || $2 == name "-updates" || $2 == name "-security" || $2 == name "/updates"'
}

# The same sources for another suite of the same distribution. sid has neither updates nor security.
sources_like() { # sources_like NAME SUITE
    sources_of "$1" | awk -v name="$1" -v suite="$2" '
        suite ~ /^(sid|unstable|experimental)$/ && $2 != name { next }
        { sub("^" name, suite, $2); print }'
}

# Sets root_suite, root_mirror and root_sources, where the command line did not. A suite that this
# machine has no source of is looked for where the machine has its own from.
find_suite() {
    local own sources
    own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    [ -n "$root_suite" ] || root_suite=$own
    [ -n "$root_suite" ] || die 78 "this machine has no code name; give --suite and --mirror"
    if [ -n "$root_mirror" ]; then
        root_sources="deb $root_mirror $root_suite main"
        return
    fi
    sources=$(sources_of "$root_suite")
    [ -n "$sources" ] || [ -z "$own" ] || sources=$(sources_like "$own" "$root_suite")
    root_mirror=$(awk -v name="$root_suite" '$2 == name { print $1; exit }' <<<"$sources")
    [ -n "$root_mirror" ] || die 78 "no package source of this machine has $root_suite; give --mirror"
    root_sources=$(sed 's/^/deb /' <<<"$sources")
}

# Makes the base tarball, where it is not there or NEW is 1.
make_base() { # make_base NEW
    local dir seconds=$SECONDS
    dir=$build_root/fresh
    base=$dir/base-$root_suite-$(dpkg --print-architecture).tar
    mkdir -p "$dir"
    if [ "$1" = 0 ] && [ -f "$base" ]; then
        say "using $base (--new-base makes it again)"
        return
    fi
    roots+=("$dir/base.new")
    rm -rf --one-file-system "$dir/base.new"
    if ! debootstrap --variant=minbase "$root_suite" "$dir/base.new" "$root_mirror" \
        >"$dir/debootstrap.log" 2>&1; then
        tail -n 20 "$dir/debootstrap.log" "$dir/base.new/debootstrap/debootstrap.log" >&2 2>/dev/null
        die 69 "debootstrap $root_suite $root_mirror failed (all it said: $dir/debootstrap.log)"
    fi
    rm -f "$dir"/base.new/var/cache/apt/archives/*.deb
    tar -C "$dir/base.new" --numeric-owner -cf "$base.new" . && mv "$base.new" "$base"
    rm -rf --one-file-system "$dir/base.new"
    say "made $base in $((SECONDS - seconds)) s"
}

# What lets apt reach the mirror from here must let it do so in the root: its Acquire settings
# (proxy, validity) and the certificates this machine trusts. Never its passwords.
copy_network_settings() { # copy_network_settings ROOT
    local file
    printf '%s\n' "$root_sources" >"$1/etc/apt/sources.list"
    for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
        if [ -f "$file" ] && grep -q '^ *Acquire::' "$file" && ! grep -qi 'invoke' "$file"; then
            cp "$file" "$1/etc/apt/apt.conf.d/"
        fi
    done
    cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null
    if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$1/etc/ssl/certs" "$1/usr/local/share/ca-certificates"
        cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
        cp -r /usr/local/share/ca-certificates/. "$1/usr/local/share/ca-certificates/" 2>/dev/null
    fi
}

# Unpacks the base as a root of its own; mounts what can be mounted.
make_root() { # make_root NAME; sets root
    root=$build_root/fresh/root-$1
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    roots+=("$root")
    # In memory, where there is enough: apt waits for the disk with each file.
    [ "$(awk '/^MemAvailable:/ { print int($2 / 1024 / 1024) }' /proc/meminfo)" -lt 12 ] ||
        mount -t tmpfs -o mode=0755 tmpfs "$root" 2>/dev/null
    tar -C "$root" --numeric-owner -xf "$base" || die 73 "cannot unpack $base"
    copy_network_settings "$root"
    mount_in_root
}

mount_in_root() {
    mount -t proc proc "$root/proc" 2>/dev/null || say "/proc cannot be mounted in $root"
    mount -t sysfs -o ro sysfs "$root/sys" 2>/dev/null || say "/sys cannot be mounted in $root"
    mkdir -p "$root/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm" 2>/dev/null
}

# Runs a command in a root, with nothing of this machine's environment but its proxies.
in_root() { # in_root ROOT [--as USER] COMMAND…
    local directory=$1 user=() name kept=()
    shift
    if [ "${1-}" = --as ]; then
        user=(--userspec="$2")
        shift 2
    fi
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [ -z "${!name-}" ] || kept+=("$name=${!name}")
    done
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "${kept[@]}" \
        chroot "${user[@]}" "$directory" "$@" </dev/null
}

# Runs a command in an aarch64 root, as root of a user namespace in which the kernel starts aarch64 programs
# through qemu: such a handler is there for the namespace alone (Linux 6.7 and later). The root has /proc.
in_emulated() { # in_emulated QEMU ROOT COMMAND…
    local go=$2/go status child
    rm -f "$go"
    mkfifo "$go"
    # shellcheck disable=SC2016 # for the shell inside
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        unshare --user --mount sh -c '
        read -r _ <"$2/go"
        mount -t binfmt_misc binfmt_misc "$2/proc/sys/fs/binfmt_misc" &&
            printf "%s" "$3:$1:F" >"$2/proc/sys/fs/binfmt_misc/register" ||
            exit 125
        root=$2
        shift 3
        exec chroot "$root" "$@"' sh "$1" "$2" "$aarch64_magic" "${@:3}" </dev/null &
    child=$!
    while [ "$(readlink "/proc/$child/ns/user")" = "$(readlink /proc/self/ns/user)" ] && kill -0 $child; do
        sleep 0.1
    done
    echo '0 0 65536' >"/proc/$child/uid_map" && echo '0 0 65536' >"/proc/$child/gid_map"
    echo go >"$go"
    wait $child
    status=$?
    rm -f "$go"
    return $status
}
aarch64_magic=':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
aarch64_magic+=':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

# Copies the working tree: what git tracks, and what it does not ignore.
copy_tree() { # copy_tree DIRECTORY
    mkdir -p "$1"
    if git -C "$top" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -C "$top" -c safe.directory="$top" ls-files -z --cached --others --exclude-standard
    else
        (cd "$top" && find . -path ./build -prune -o -type f -print0)
    fi | (cd "$top" && tar --null --no-recursion --ignore-failed-read --owner=0 --group=0 \
        -cf - -T - 2>/dev/null) | tar -C "$1" -xf -
}

# Runs one proof: a line with its name, status and time, and the end of what it said if the
# status is none of the accepted ones. All it said stays in build/fresh/SCRIPT-SUITE-NUMBER.log.
failures=0
proofs=0
proof_log=""
proof() { # proof SENTENCE ACCEPTED COMMAND…: ACCEPTED is "0" or "0 3"
    local sentence=$1 accepted=$2 status start=$SECONDS
    shift 2
    proofs=$((proofs + 1))
    proof_log=$build_root/fresh/${0##*/}-$root_suite-$proofs.log
    "$@" >"$proof_log" 2>&1
    status=$?
    case " $accepted " in
        *" $status "*)
            printf 'ok    %s (exit %d, %d s)\n' "$sentence" "$status" $((SECONDS - start)) ;;
        *)
            printf 'FAIL  %s (exit %d, %d s)\n' "$sentence" "$status" $((SECONDS - start))
            tail -n 30 "$proof_log" | sed 's/^/      /'
            failures=$((failures + 1)) ;;
    esac
}
