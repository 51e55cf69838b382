# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The units of `integrate systemd`: the timer fires by itself, a fault fails the service, and after any fault of gpuenv
# the next run works.
unit=gpuenv-doctor.service timer=gpuenv-doctor.timer
show() { inside systemctl show "$unit" -p "$1" --value; }
is() { [ "$(show "$1")" = "$2" ]; }
ended() { is ActiveState inactive || is ActiveState failed; }
run_as() { # run_as MODE SECONDS RESULT
    mode "$1"
    inside systemctl reset-failed "$unit" 2>"$work/null" # systemd takes five starts in ten seconds
    inside systemctl start "$unit" 2>"$work/null"
    await "$2" ended && is Result "$3"
}
next() { inside systemctl show "$timer" -p NextElapseUSecMonotonic --value; }

inside sh -c 'cp /opt/gpuenv/systemd/gpuenv-doctor.* /etc/systemd/system/ && systemctl daemon-reload'
see "systemd-analyze verify" inside systemd-analyze verify --man=no "/etc/systemd/system/$unit" "/etc/systemd/system/$timer"
exposure=$(inside systemd-analyze security --no-pager "$unit" | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p')
see "systemd-analyze security: exposure $exposure" test -n "$exposure"
inside systemctl enable --now "$timer" 2>"$work/err"
change_timer() { # change_timer SETTINGS
    inside mkdir -p "/run/systemd/system/$timer.d"
    printf '[Timer]\nOnBootSec=\nOnUnitActiveSec=\n%b' "$1" | inside tee "/run/systemd/system/$timer.d/changed.conf" >"$work/null"
    inside systemctl daemon-reload
}
change_timer 'OnActiveSec=1h\n'
# systemd takes five starts in ten seconds.
again() { inside systemctl reset-failed "$timer" 2>"$work/null"; inside systemctl restart "$timer"; }
delays=$(for _ in 1 2 3 4 5 6 7 8; do again; next; done)
see "8 starts have $(sort -u <<<"$delays" | wc -l) delays: $(sort <<<"$delays" | sed -n '1p;$p' | paste -sd ' ' | sed 's/ \(15h\)/ to \1/')" \
    test "$(sort -u <<<"$delays" | wc -l)" -ge 7
# The delay of up to 5 minutes is taken away, and the interval is 5 seconds: what is left is systemd.
change_timer 'OnActiveSec=1s\nOnUnitActiveSec=5s\nRandomizedDelaySec=0\nAccuracySec=100ms\n'
mode pair
first=$(show InvocationID)
another() { [ -n "$(show InvocationID)" ] && [ "$(show InvocationID)" != "$first" ] && ended; }
again
see "the timer starts the service" await 20 another
first=$(show InvocationID)
see "and again, after the interval" await 20 another
see "a healthy machine: success" is Result success
mode nouveau
first=$(show InvocationID)
await 20 another
see "a broken machine: the service fails" is Result exit-code
see "systemctl --failed has it" grep -q "$unit" <(inside systemctl --failed --no-pager)
see "the journal has the code" grep -q DRV-003 <(inside journalctl -u "$unit" --no-pager)
mode pair
first=$(show InvocationID)
await 20 another
see "healthy again: the timer started the failed service again, success" is Result success
mode unknown
first=$(show InvocationID)
await 20 another
see "unknown: success" is Result success
inside systemctl stop "$timer"
see "crash: the service fails" run_as crash 20 signal
see "then a healthy run" run_as pair 20 success
mv "$root/usr/bin/gpuenv" "$root/usr/bin/gpuenv.away"
see "missing: the service fails" run_as pair 20 exit-code
see "missing: exit code 203" is ExecMainStatus 203
mv "$root/usr/bin/gpuenv.away" "$root/usr/bin/gpuenv"
see "then a healthy run" run_as pair 20 success
if [ "$quick" = 0 ]; then
    start=$(now)
    see "hangs: systemd ends it by TimeoutStartSec" run_as hang 90 timeout
    see "after $(echo "$(now) - $start" | bc) seconds" is ActiveState failed
    start=$(now)
    see "hangs and ignores SIGTERM: killed, too" run_as stubborn 90 timeout
    see "after $(echo "$(now) - $start" | bc) seconds" is ActiveState failed
    see "no process of it is left" test -z "$(inside pgrep -x sleep)"
    see "then a healthy run" run_as pair 20 success
fi
inside rm -r "/run/systemd/system/$timer.d"
inside systemctl daemon-reload
