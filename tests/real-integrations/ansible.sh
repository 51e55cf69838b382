# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The role of `integrate ansible`, and ansible_local.
play() { inside timeout 120 ansible-playbook -i node1, -c local "$@" /opt/gpuenv/ansible/gpuenv-check.yml; }
fails() { ! play && grep -q "$1" "$work/out"; }
says() { local words=$1; shift; play "$@" && grep -q "$words" "$work/out"; }
fact() { inside ansible -i node1, -c local all -m setup -a filter=ansible_local | sed 's/.*=> //' | jq -r ".ansible_facts.ansible_local.gpuenv$1"; }
mode pair
see "$(inside ansible --version | sed -n '1s/.*\[\(.*\)\]/\1/p'): the play passes, and leaves the facts" play -e gpuenv_facts=true
see "ansible_local.gpuenv.summary.verdict is ok" test "$(fact .summary.verdict)" = ok
mode nouveau
see "a fault: the play fails, with the code" fails DRV-003
see "ansible_local.gpuenv.summary.verdict is broken" test "$(fact .summary.verdict)" = broken
see "ansible_local has the code" test "$(fact .findings[0].code)" = DRV-003
mode crash
see "crash: the play goes on" says 'unknown: gpuenv did not judge'
see "ansible_local: unknown" test "$(fact .summary.verdict)" = unknown
mode hang
see "hang: the play goes on" says 'did not judge, exit code 124' -e gpuenv_timeout=-17
see "ansible_local: unknown, 124" test "$(fact .summary.exit_code)" = 124
mode pair
mv "$root/usr/bin/gpuenv" "$root/usr/bin/gpuenv.away"
see "missing: the play goes on" says 'did not judge, exit code 127'
see "ansible_local: unknown, 127" test "$(fact .summary.exit_code)" = 127
mv "$root/usr/bin/gpuenv.away" "$root/usr/bin/gpuenv"
inside rm /etc/ansible/facts.d/gpuenv.fact
