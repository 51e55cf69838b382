# SPDX-License-Identifier: MIT
# For live-causes: sourced after lib.sh, in a mount namespace of its own. The machine of a case becomes
# a file system with device nodes, with doubles of the vendor libraries that answer what the case's
# record says, and with gpuenv, which runs there with that system as "/".
# shellcheck shell=bash
: "${DOUBLES:?}" "${GPUENV:?}" "${MACHINE_MAKE:?}" "${work:?}" "${tests:?}"

machine=$work/machine # a file system: its directory root is the machine's
root=$machine/root
record=$machine/facts.json
cgroup=/sys/fs/cgroup/devices/gpuenv-live-$$
declare -A the

# Nothing is removed through what is mounted.
leave() {
    umount -R "$machine" 2>"$work/null"
    [ ! -d "$cgroup" ] || rmdir "$cgroup"
    rm -rf --one-file-system "$work"
}
trap leave EXIT

# recorded GROUP FACT: its value, nothing where it has none.
recorded() { jq -r --arg group "$1" --arg fact "$2" '.[$group][$fact].value | select(. != null)' "$record"; }
# recorded_rows KIND JQ: a line of fields, JQ, for each group KIND/….
recorded_rows() {
    jq -r --arg kind "$1/" "to_entries[] | select(.key | startswith(\$kind)) | .value | map_values(.value) | $2 | @tsv" "$record"
}

# read_head FILE: what the case expects.
read_head() {
    local line
    the=([top]=none [exit]=0 [command]='doctor --for run' [machine]='')
    while IFS= read -r line && [ "$line" != --- ]; do
        case $line in
            top:* | exit:* | command:* | machine:*) the[${line%%:*}]=${line#*: } ;;
        esac
    done <"$1"
}

# make_tree FILE: with the kernel that runs here, since uname(2) tells its release.
make_tree() {
    {
        echo "set kernel $(uname -r)"
        if [ -n "${the[machine]}" ]; then echo "include ${the[machine]}"; else sed '1,/^---$/d' "$1"; fi
    } >"$work/description"
    "$MACHINE_MAKE" -I "$tests/machines" "$work/description" "$machine"
}

# room PATH BYTES MODE
room() { mkdir -p "$root$1" && mount -t tmpfs -o "size=${2:-64m},mode=$3" tmpfs "$root$1"; }

make_node() { # PATH MODE USER GROUP MAJOR:MINOR
    mkdir -p "$root${1%/*}" && mknod "$root$1" c "${5%:*}" "${5#*:}" && chown "$3:$4" "$root$1" && chmod "$2" "$root$1"
}

make_dev() {
    local node
    room /dev '' 755
    make_node /dev/null 666 0 0 1:3
    make_node /dev/zero 666 0 0 1:5
    make_node /dev/urandom 666 0 0 1:9
    while read -r -a node; do
        make_node "${node[@]}"
    done < <(recorded_rows device 'select(.number) | [.path, (.mode // "0666"), (.user // 0), (.group // 0), .number]')
    room /dev/shm "$(recorded disk shm_bytes)" 1777
    room /tmp "$(recorded disk tmp_free_bytes)" 1777
    [ "$(recorded device modprobe_setuid)" != true ] || chmod 4755 "$root/usr/bin/nvidia-modprobe"
}

# run_process PID NAME: it is listed as running. All of /proc is the machine's, but for what the loader
# and the sanitizers must see of the process itself.
run_process() { mkdir -p "$root/proc/$1" && echo "$2" >"$root/proc/$1/comm"; }

make_proc() {
    local name pid nodes
    mkdir -p "$root/.proc" "$root/proc/self"
    mount --rbind /proc "$root/.proc"
    for name in auxv cmdline environ exe fd limits maps stat statm status task; do
        [ -e "$root/proc/self/$name" ] || ln -s "/.proc/self/$name" "$root/proc/self/$name"
    done
    while read -r pid nodes; do
        mkdir -p "$root/proc/$pid/fd" && ln -s "$nodes" "$root/proc/$pid/fd/7"
    done < <(recorded_rows gpu_process 'select(.pid) | [.pid, .nodes[0]]')
}

# needs: the paths of the libraries that ldd lists.
needs() { sed -nE 's/^\t(.* => )?(\/.*) \(0x[0-9a-f]+\)$/\2/p'; }

# The program, and what it and the doubles load: glibc stands where the tree has its own.
place_program() {
    local path there
    install -m 755 "$GPUENV" "$root/gpuenv"
    while read -r path; do
        while read -r there; do
            rm "$there" && install -m 755 "$path" "$there"
        done < <(find "$root" -xdev -name "${path##*/}")
        [ -e "$root$path" ] || install -D -m 755 "$path" "$root$path"
    done < <(ldd "$GPUENV" "$DOUBLES"/* | needs | sort -u)
}

# place_doubles: in place of each library of the tree whose SONAME one has, but for stubs and for those of
# Python environments, which are read alone.
place_doubles() {
    local path soname
    while read -r path; do
        soname=$(readelf -d "$path" 2>"$work/null" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
        [ -n "$soname" ] && [ -e "$DOUBLES/$soname" ] || continue
        install -m 755 "$DOUBLES/$soname" "$path"
        jq -r -f "$tests/fakes/vendor/plan.jq" "$record" >"${path%/*}/double.plan"
    done < <(find "$root" -xdev -type f -name 'lib*.so*' ! -path '*/stubs/*' ! -path '*/site-packages/*' ! -path '*conda*')
}

# stage CASE: makes it, and leaves in $work/record.json what is found of its tree and record.
stage() {
    local words file=$tests/cases/$1.case
    allowed=
    umount -R "$machine" 2>"$work/null"
    mkdir -p "$machine" && mount -t tmpfs -o mode=755 tmpfs "$machine" && read_head "$file" && make_tree "$file" || return 1
    read -r -a words <<<"${the[command]}"
    "$GPUENV" "${words[@]}" --json --root "$root" --facts "$record" >"$work/record.json" 2>"$work/record.err"
    make_dev && make_proc && place_program && place_doubles
}

# in_cgroup RULE…: the kernel lets the machine's programs open what the rules allow, and nothing else.
# A cgroup of version 1, which the machine sees as its top.
in_cgroup() {
    local rule
    mkdir "$cgroup" 2>"$work/null" && [ -w "$cgroup/devices.deny" ] || return 1
    echo a >"$cgroup/devices.deny"
    for rule in 'c 1:* rwm' 'c 5:* rwm' 'c 136:* rwm' "$@"; do
        echo "$rule" >"$cgroup/devices.allow"
    done
    mount --bind "$cgroup" "$root/sys/fs/cgroup/devices"
    allowed=$cgroup
}

# live WORD…: gpuenv there, as the user, with the environment and limits of the record; leaves
# $work/live.json.
live() {
    local user groups memlock environment
    user=$(recorded limits user_id)
    memlock=$(recorded limits memlock_bytes)
    groups=$(jq -r '.limits.groups.value // [] | join(",")' "$record")
    mapfile -t environment < <(jq -r '.environment // {} | to_entries[] | select(.value.value) | "\(.key)=\(.value.value)"' "$record")
    (
        [ -z "$memlock" ] || ulimit -l $((memlock / 1024))
        [ -z "$allowed" ] || echo $BASHPID >"$allowed/cgroup.procs"
        # LeakSanitizer looks for its process in /proc, which has only the machine's.
        exec timeout --signal=KILL 300 env -i ASAN_OPTIONS=detect_leaks=0 "${environment[@]}" \
            "$(command -v chroot)" --userspec="${user:-0}:${user:-0}" --groups="$groups" "$root" /gpuenv "$@" --json
    ) >"$work/live.json" 2>"$work/live.err" </dev/null
}
