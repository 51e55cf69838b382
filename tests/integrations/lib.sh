# SPDX-License-Identifier: MIT
# For the tests that run the files of `gpuenv integrate` in the programs that they are for: sourced.
# scripts/test-integrations starts them, in a root and in namespaces that are thrown away.
# shellcheck shell=bash
[ -e /.private-root ] || { echo "skipped: this is not a private root: scripts/test-integrations makes one"; exit 77; }
# shellcheck source=tests/program/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../program/lib.sh"
cd "$work" || exit 1
chmod 755 "$work"

# seen WORDS: what the real program did, for who reads the log.
seen() { echo "seen: $*"; }

# wait_for SECONDS COMMAND…: until the command succeeds.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# A gpuenv that does what the first word of $work/mode says; as a file of its own, because others start it too.
cat >gpuenv-double <<SH
#!/bin/sh
read -r mode <$work/mode
case \$mode in
    hang) exec sleep 1000 ;;
    crash) kill -SEGV \$\$ ;;
    kill) kill -KILL \$\$ ;;
    real) exec $GPUENV "\$@" ;;
    record) shift; exec $GPUENV doctor --root $work/machine/root --facts $work/machine/facts.json --timeout 60 "\$@" ;;
    loader) exec $work/gpuenv-newer "\$@" ;;
    *) [ "\$1" = version ] || echo "DRV-003 a fault"; [ "\$1" = version ] || exit "\$mode" ;;
esac
SH
chmod 755 gpuenv-double
# One that was built for a newer glibc: the loader does not start it, and exits with 1.
sed 's/GLIBC_2\.34/GLIBC_9.99/g' "$GPUENV" >gpuenv-newer && chmod 755 gpuenv-newer
double() { echo "$1" >"$work/mode.new" && mv "$work/mode.new" "$work/mode"; }

# machine NAME: what the mode "record" judges, from now on.
machine() {
    [ -d "$work/$1" ] || make_machine "$1"
    chmod -R a+rX "$work/$1"
    ln -sfn "$work/$1" "$work/machine"
    double record
}

# written NAME: the files of an integration, with the double's path where gpuenv's would be.
written() {
    "$GPUENV" integrate "$1" --out "$work/gpuenv-$1" >"$work/null" &&
        grep -rlF "$GPUENV" "$work/gpuenv-$1" | xargs -r sed -i "s#$GPUENV\\b#$work/gpuenv-double#"
}

# hanging_library / no_hanging_library: the loader finds a libcuda.so.1 that hangs when it is loaded.
hanging_library() {
    mkdir /usr/local/lib/gpuenv-double && cp "$DOUBLES/libcuda.so.1" /usr/local/lib/gpuenv-double/ &&
        echo 'libcuda.so.1:load hangs' >/usr/local/lib/gpuenv-double/double.plan &&
        echo /usr/local/lib/gpuenv-double >/etc/ld.so.conf.d/gpuenv-double.conf && ldconfig
}
no_hanging_library() { rm -r /usr/local/lib/gpuenv-double /etc/ld.so.conf.d/gpuenv-double.conf && ldconfig; }

# nagios_config FILE…: nagios.cfg with these files of objects; seconds are its unit. Its state is below nagios/.
nagios_config() {
    mkdir nagios && chown nagios nagios
    {
        printf "cfg_file=$work/%s\n" "$@"
        cat <<CFG
log_file=$work/nagios/log
object_cache_file=$work/nagios/objects
status_file=$work/nagios/status
temp_file=$work/nagios/temp
temp_path=$work/nagios
check_result_path=$work/nagios
state_retention_file=$work/nagios/retention
query_socket=$work/nagios/query
lock_file=$work/nagios/lock
nagios_user=nagios
nagios_group=nagios
interval_length=1
status_update_interval=1
max_service_check_spread=1
illegal_macro_output_chars=\`~\$&|'"<>
CFG
    } >nagios.cfg
}
# Objects that every site has: a time, and a command for hosts that are up.
nagios_basics() {
    printf 'define timeperiod {\n  timeperiod_name 24x7\n  alias always\n'
    printf '  %s 00:00-24:00\n' monday tuesday wednesday thursday friday saturday sunday
    printf '}\ndefine command {\n  command_name up\n  command_line /bin/true\n}\n'
}
