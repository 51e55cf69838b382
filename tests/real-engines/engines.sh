# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Within the host: how each engine is asked for a container that runs /t/look, and ended.
# shellcheck disable=SC2034 # most variables are for faults.tsv
gpu=(--device nvidia.com/gpu=all)
nodes=(--device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm)
volumes=(-v /dev/nvidia0:/dev/nvidia0 -v /dev/nvidiactl:/dev/nvidiactl -v /dev/nvidia-uvm:/dev/nvidia-uvm)
daemons=()
recorder=()

# wait_for SECONDS COMMAND…: until it succeeds; 1 when the last daemon ended before, or the time is over.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        kill -0 "${daemons[-1]}" 2>/dev/null && [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

# What a daemon that ended had to say.
last_words() { grep -E 'failed|unable|error|level=(error|fatal)|^containerd: ' "$1" | tail -n 2; }

podman_() { podman --cgroup-manager=cgroupfs --storage-driver=vfs --events-backend=none --log-level=error "$@"; }

# podman_run WORD…: options of podman run. This machine's version 2 of cgroups may have no controllers: no limits.
podman_run() {
    podman_ import -q /t/image.tar look >/t/out/image || return
    podman_ run --rm --network none --pids-limit 0 -v /t:/t "$@" look /t/look
}

as_user() { runuser -u user -- env HOME=/home/user XDG_RUNTIME_DIR=/run/user/1000 "$@"; }

podman_user_run() {
    recorder=(as_user)
    install -d -m 700 -o user -g user /run/user/1000
    export -f podman_ podman_run
    as_user bash -c 'podman_run "$@"' bash "$@"
}

buildah_run() {
    buildah --storage-driver=vfs from --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --name look scratch >/dev/null && buildah --storage-driver=vfs add -q look /t/image.tar / || return
    buildah --storage-driver=vfs run --isolation oci --network none -v /t:/t "$@" look /t/look
}

docker_start() {
    dockerd --iptables=false --ip6tables=false --bridge=none --storage-driver=vfs >/t/out/dockerd 2>&1 &
    daemons+=($!)
    wait_for 60 docker version || { last_words /t/out/dockerd; return 1; }
}

# docker_run WORD…: options of docker run.
docker_run() {
    docker_start && docker import /t/image.tar look >/t/out/image && docker run --rm --network none -v /t:/t "$@" look /t/look
}

# Its record stays, as that of a container without --rm.
docker_run_kept() {
    docker_start && docker import /t/image.tar look >/t/out/image && docker run --name look --network none -v /t:/t "$@" look /t/look
}

containerd_start() {
    containerd >/t/out/containerd 2>&1 &
    daemons+=($!)
    wait_for 30 ctr version || { last_words /t/out/containerd; return 1; }
}

ctr_run() {
    containerd_start && ctr run --rm --mount type=bind,src=/t,dst=/t,options=rbind:rw "$@" --rootfs /srv/image look /t/look
}

# bundle JQ: a bundle for runc and crun, their own specification changed by a filter.
bundle() {
    mkdir -p /t/bundle
    runc spec -b /t/bundle
    jq '.process.terminal = false | .process.args = ["/t/look"] | .root = {path: "/srv/image"} |
        .mounts += [{destination: "/t", source: "/t", type: "bind", options: ["rbind", "rw"]}] | '"$1" \
        /t/bundle/config.json >/t/bundle/new && mv /t/bundle/new /t/bundle/config.json
}
# shellcheck disable=SC2089 # quotes of jq
libraries='.mounts += [{destination: "/usr/lib/x86_64-linux-gnu/libcuda.so.1", source: "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15", type: "bind", options: ["bind", "ro"]}]'
devices='.linux.devices = [{path: "/dev/nvidia0", type: "c", major: 195, minor: 0, fileMode: 438}, {path: "/dev/nvidiactl", type: "c", major: 195, minor: 255, fileMode: 438}, {path: "/dev/nvidia-uvm", type: "c", major: 510, minor: 0, fileMode: 438}]'
allowed='.linux.resources.devices += [{allow: true, type: "c", major: 195, access: "rwm"}, {allow: true, type: "c", major: 510, access: "rwm"}]'

bundle_run() { # bundle_run PROGRAM JQ
    bundle "$2" && (cd /t/bundle && "$1" run look)
}

# lxc_run LINE…: lines of the guest's configuration.
lxc_run() {
    mkdir -p /var/lib/lxc/look
    printf '%s\n' "lxc.rootfs.path = dir:/srv/image" "lxc.uts.name = look" "lxc.init.cmd = /t/look" "lxc.mount.auto = proc sys" \
        "lxc.mount.entry = /t t none rbind,create=dir" "lxc.net.0.type = empty" "lxc.autodev = 1" "lxc.apparmor.profile = unconfined" \
        "$@" >/var/lib/lxc/look/config
    lxc-start -F -n look -o /t/out/lxc.log -l NOTICE 2>&1 | grep -v delegate_controllers # of version 2, with none free
    local status=${PIPESTATUS[0]}
    grep -hE 'ERROR' /t/out/lxc.log | grep -v delegate_controllers | head -n 2
    [ $status -eq 0 ] || return $status
    grep -q '^cuInit 0' /t/out/see
}

record() { "${recorder[@]}" /t/gpuenv facts --json >/t/out/host.json 2>/t/out/host.err; }

end() {
    local i
    for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
        kill "${daemons[i]}" 2>/dev/null && wait "${daemons[i]}"
    done
} 2>/dev/null
