# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The units of `integrate node-exporter`, and Debian's node_exporter, which reads the file.
unit=gpuenv-metrics.service timer=gpuenv-metrics.timer
place=/var/lib/prometheus/node-exporter
show() { inside systemctl show "$unit" -p "$1" --value; }
run_as() { # run_as MODE RESULT
    mode "$1"
    inside systemctl reset-failed "$unit" 2>"$work/null" # systemd takes five starts in ten seconds
    inside systemctl start "$unit" 2>"$work/null"
    [ "$(show Result)" = "$2" ]
}
metric() { inside curl -s localhost:9100/metrics | grep -qF -- "$1"; }
has_run() { [ -s "$root$place/gpuenv.prom" ]; }

inside systemctl start prometheus-node-exporter
inside sh -c "cp /opt/gpuenv/node-exporter/gpuenv-metrics.* /etc/systemd/system/ && systemctl daemon-reload && rm -f $place/gpuenv.prom"
see "systemd-analyze verify" inside systemd-analyze verify --man=no "/etc/systemd/system/$unit" "/etc/systemd/system/$timer"
mode pair
inside systemctl enable --now "$timer" 2>"$work/err"
if [ "$quick" = 0 ]; then
    see "the timer as it is starts the service" await 240 has_run
    echo "       $(inside cut -d ' ' -f 1 /proc/uptime | sed 's/$/ s of uptime of the machine/'); systemd started at $(inside systemctl show -p UserspaceTimestampMonotonic --value | sed 's/.\{6\}$//') s"
else
    run_as pair success
fi
see "node_exporter shows the verdict ok" metric 'gpuenv_verdict{verdict="ok"} 1'
see "node_exporter shows two GPUs" test "$(inside curl -s localhost:9100/metrics | grep -c '^gpuenv_gpu_info')" = 2
see "a fault: the service did its work" run_as nouveau success
see "node_exporter shows the verdict broken" metric 'gpuenv_verdict{verdict="broken"} 1'
see "and the code" metric 'code="DRV-003"'
cp "$root$place/gpuenv.prom" "$work/before"
kept() { cmp -s "$work/before" "$root$place/gpuenv.prom"; }
see "crash: the service fails" run_as crash signal
see "the old file stays" kept
mv "$root/usr/bin/gpuenv" "$root/usr/bin/gpuenv.away"
see "missing: the service fails" run_as pair exit-code
mv "$root/usr/bin/gpuenv.away" "$root/usr/bin/gpuenv"
see "the old file stays" kept
if [ "$quick" = 0 ]; then
    see "hang: systemd kills it" run_as hang timeout
    see "the old file stays" kept
fi
inside sh -c "mount -t tmpfs -o size=64k tmpfs $place && cp /var/lib/prometheus/node-exporter/. $place/ 2>/dev/null; cat /dev/zero >$place/full" 2>"$work/null"
see "full disk: the service fails" run_as pair exit-code
see "with exit code 73" test "$(show ExecMainStatus)" = 73
see "no half file is there" test "$(inside ls -A $place)" = full
inside umount $place
see "then a healthy run" run_as pair success
see "node_exporter shows the verdict ok" metric 'gpuenv_verdict{verdict="ok"} 1'
inside systemctl disable --now "$timer" 2>"$work/err"
