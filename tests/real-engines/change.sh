# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What faults.tsv does to the host; the working directory is the host's root.
spec=etc/cdi/nvidia.yaml

put() { mkdir -p "$(dirname "$1")" && printf '%b' "$2" >"$1"; } # put FILE TEXT
drop() { rm -rf "$@"; }
in_spec() { sed -i "$@" $spec; } # in_spec EXPRESSION: sed

# Libraries in the guest of LXC, of the driver's release or another; no runtime mounts them.
guest_libraries() {
    local name place=usr/lib/x86_64-linux-gnu
    for name in libcuda libnvidia-ml; do
        cp "$place/$name.so.570.86.15" "srv/image/$place/$name.so.${1:-570.86.15}"
    done
    chroot . ldconfig -r /srv/image "/$place"
}
