#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA and cuDNN for a machine or an image of one, without a question; as root, by Packer's shell
# provisioner or by cloud-init (docs/how-to/recipes.md). A second run finds nothing to do.
#   PACKAGE   gpuenv's Debian package: a file, or a URL with its digest in SHA256
#   SPECS     what to install: "cuda@12.8 cudnn"
#   PROFILE   full, runtime or build
#   DOCTOR    how the machine is judged at the end: "--for run"; nothing: not at all
# gpuenv itself reads its own variables: GPUENV_MIRROR, GPUENV_PREFIX, GPUENV_LOCK_TIMEOUT …
set -eu
: "${PACKAGE:?}" "${SPECS:=cuda cudnn}" "${PROFILE:=full}" "${DOCTOR=--for run}" "${PAUSE:=30}"

fetch() { # fetch FILE
    case $PACKAGE in
        http://* | https://*)
            curl -fsSL --retry 5 -o "$1" "$PACKAGE"
            printf '%s  %s\n' "${SHA256:?}" "$1" | sha256sum -c - >/dev/null ;;
        *) cp "$PACKAGE" "$1" ;;
    esac
}

install_gpuenv() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch "$work/gpuenv.deb"
    chmod 755 "$work" # apt's own user reads it
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update
    apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends \
        ca-certificates "$work/gpuenv.deb"
}

# 69: the network or a mirror; 75: another gpuenv. Anything else comes out the same when tried again.
install_cuda() {
    tries=3
    while :; do
        status=0
        # shellcheck disable=SC2086 # SPECS are several words
        gpuenv install $SPECS --profile "$PROFILE" --use --accept-eula --progress plain || status=$?
        case $status in 69 | 75) ;; *) return "$status" ;; esac
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return "$status"
        sleep "$PAUSE"
    done
}

command -v gpuenv >/dev/null || install_gpuenv
install_cuda
gpuenv env --prefix /usr/local/cuda --format sh >/etc/profile.d/gpuenv.sh
# shellcheck disable=SC2086 # DOCTOR is several words
[ -z "$DOCTOR" ] || gpuenv doctor $DOCTOR
