# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The programs of `integrate slurm`, called by slurmctld and slurmd with munge: a node is drained and resumed, only gpuenv's
# own drain is taken back, and no fault of gpuenv drains or blocks anything. Checks every 5 seconds instead of 300.
programs=/usr/local/libexec/gpuenv-slurm
node_state() { inside sinfo -h -n node1 -o '%T|%E'; }
is_state() { node_state | grep -qE "^$1\\|"; }
is_reason() { node_state | grep -qE "\\|$1"; }
idle_since() { # idle_since MODE: after four checks that end like this, the node is as it was
    mode "$1"
    : >"$root/opt/gpuenv/calls"
    await 60 checked 4 || return 1
    is_state idle
}
checked() { [ "$(grep -c . "$root/opt/gpuenv/calls")" -ge "$1" ]; }
logged() { inside journalctl -t gpuenv-health-check --no-pager -n 5 | grep -q -- "$1"; }

inside install -d -m 755 "$programs"
inside sh -c "install -m 755 /opt/gpuenv/slurm/gpuenv-* $programs/"
# Each check leaves a line, whatever it then does.
cat >"$root/opt/gpuenv/health-check" <<'CHECK'
#!/bin/sh
echo check >>/opt/gpuenv/calls
exec /usr/local/libexec/gpuenv-slurm/gpuenv-health-check
CHECK
chmod 755 "$root/opt/gpuenv/health-check"
: >"$root/opt/gpuenv/calls"
printf 'GPUENV_LIMIT=3\nGPUENV_STATE=/run/gpuenv\n' >"$root/etc/default/gpuenv-slurm"
inside sh -c 'for n in 0 1; do [ -e /dev/nvidia$n ] || mknod /dev/nvidia$n c 195 $n; done; mkdir -p /etc/slurm'
echo 'NodeName=node1 Name=gpu File=/dev/nvidia[0-1]' >"$root/etc/slurm/gres.conf"
write_conf() { # write_conf HEALTH-CHECK-NODE-STATE
    cat >"$root/etc/slurm/slurm.conf" <<CONF
ClusterName=gpuenv
SlurmctldHost=node1(10.97.0.1)
SlurmUser=slurm
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
GresTypes=gpu
ReturnToService=1
StateSaveLocation=/var/lib/slurm/slurmctld
SlurmdSpoolDir=/var/lib/slurm/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
HealthCheckProgram=/opt/gpuenv/health-check
HealthCheckInterval=5
HealthCheckNodeState=$1
Prolog=$programs/gpuenv-prolog
Epilog=$programs/gpuenv-epilog
TaskProlog=$programs/gpuenv-task-prolog
NodeName=node1 NodeAddr=10.97.0.1 CPUs=1 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=node1 Default=YES State=UP
CONF
}
write_conf ANY
inside rm -rf /run/gpuenv /var/lib/slurm/slurmctld
inside install -d -o slurm -g slurm /var/lib/slurm/slurmctld /var/lib/slurm/slurmd /var/log/slurm
mode pair
inside systemctl restart munge slurmctld slurmd
see "$(inside slurmd -V), munge $(inside munge --version | sed -n '1s/^munge-\([0-9.]*\).*/\1/p'): the node is idle" await 60 is_state idle
drain_and_resume() {
    mode nouveau
    see "a fault: drained$1" await 60 is_state 'drain(ed|ing)'
    echo "       after $took s: $(node_state)"
    see "the reason is gpuenv's" is_reason 'gpuenv: DRV-003 '
    mode pair
    see "the fault is gone: idle$1" await 60 is_state idle
    echo "       after $took s: $(node_state)"
}
drain_and_resume ""
see "unknown, four checks: idle" idle_since unknown
see "the log says so" logged 'unknown (exit code 2), nothing is changed'
see "crash, four checks: idle" idle_since crash
see "the loader cannot start gpuenv, four checks: idle" idle_since loader
see "hang, four checks: idle" idle_since hang
see "the log says so" logged 'exit code 124'
rm -f "$root/opt/gpuenv/hung"
see "a library that hangs, four checks: idle" idle_since library
see "it hung" grep -q 'no answer in .* s in cuInit' "$root/opt/gpuenv/hung"
see "the log says so" logged 'unknown (exit code 2)'
see "nothing is left of it" await 10 eval "! inside pgrep -f '^/opt/gpuenv/program facts'"
mv "$root/usr/bin/gpuenv" "$root/usr/bin/gpuenv.away"
see "missing, four checks: idle" idle_since pair
see "the log says so" logged 'exit code 127'
mv "$root/usr/bin/gpuenv.away" "$root/usr/bin/gpuenv"
see "a single fault: idle" eval 'mode nouveau; : >"$root/opt/gpuenv/calls"; await 30 checked 1; mode pair; await 30 checked 4; is_state idle'
inside sh -c 'mkdir -p /run/gpuenv && mount -t tmpfs -o size=4k tmpfs /run/gpuenv && cat /dev/zero >/run/gpuenv/full' 2>"$work/null"
see "a fault, and the disk of its state is full: idle" idle_since nouveau
inside umount /run/gpuenv
mode pair
inside scontrol update NodeName=node1 State=DRAIN Reason='admin: disk'
: >"$root/opt/gpuenv/calls"
await 60 checked 4
see "drained by an administrator, and no fault: stays drained" is_state drained
see "with the administrator's reason" is_reason 'admin: disk'
inside scontrol update NodeName=node1 State=RESUME
mode nouveau
await 60 is_reason 'gpuenv: '
inside scontrol update NodeName=node1 State=DRAIN Reason='mine now'
mode pair
: >"$root/opt/gpuenv/calls"
await 60 checked 4
see "drained by gpuenv, and the reason changed by an administrator: stays drained" is_reason 'mine now'
inside scontrol update NodeName=node1 State=RESUME
await 30 is_state idle

# Jobs with a GPU. The task prolog reads the verdict of the last health check.
job() { inside timeout 60 srun --chdir=/tmp --gres=gpu:1 sh -c 'echo "verdict $GPUENV_VERDICT"' 2>"$work/job.err" | tee "$work/job.out"; }
see "a job with a GPU: runs, with the verdict ok" grep -q 'verdict ok' <(job)
mode hang
await 60 logged 'exit code 124'
start=$(now)
see "hang: a job with a GPU runs, with the verdict unknown" grep -q 'verdict unknown' <(job)
echo "       after $(echo "$(now) - $start" | bc) s: $(grep -a 'gpuenv:' "$work/job.out")"
see "the epilog blocks nothing: idle" await 30 is_state idle
# The health check is taken away, so that the prolog is the one who finds the fault.
sed -i 's/^HealthCheckInterval=.*/HealthCheckInterval=0/' "$root/etc/slurm/slurm.conf"
inside scontrol reconfigure
mode nouveau
inside sbatch --chdir=/tmp -o /tmp/job --gres=gpu:1 --wrap 'echo it ran' >"$work/null"
see "a fault: the prolog of a job with a GPU fails, and Slurm drains the node" await 60 is_reason '[Pp]rolog error'
see "the job did not run" test ! -e "$root/tmp/job"
see "a job is still queued" grep -q . <(inside squeue -h)
inside scancel -u root
mode pair
inside scontrol update NodeName=node1 State=RESUME
see "resumed by hand" await 60 is_state idle
see "gres check: as many GPUs as Slurm believes" inside "$programs/gpuenv-gres-check"
write_conf ANY,CYCLE
inside scontrol reconfigure
drain_and_resume " (CYCLE)"
inside systemctl stop slurmd slurmctld munge
