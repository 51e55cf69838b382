# SPDX-License-Identifier: MIT
# For the tests of the finished program: sourced. What they run is named by ctest; a test that is
# started by hand takes what scripts/test has built.
set -u
tests=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ -z "${GPUENV-}" ]; then
    built=${tests%/tests}/build/dev
    [ -x "$built/gpuenv" ] || { echo "$0: $built/gpuenv is not built: scripts/test builds it, or set GPUENV and the like" >&2; exit 1; }
    export GPUENV=$built/gpuenv MACHINE_MAKE=$built/tests/machine-make FACTS_DOC=$built/tests/facts-doc \
        FINDINGS_DOC=$built/tests/findings-doc CODE_LIST=$built/tests/code-list ELF_LIST=$built/tests/elf-list PACKAGE_LIST=$built/tests/package-list DOUBLES=$built/tests/doubles \
        CACHE=$built/cache FETCH_ONE=$built/tests/fetch-one UNPACK_ONE=$built/tests/unpack-one \
        NTH_CALL_TOOL=$built/tests/nth-call OLD_KERNEL=$built/tests/old-kernel EVERY=1
fi
: "${MACHINE_MAKE:?}"

# Whoever starts a test: the modes of what it makes are the usual ones, nothing is set that gpuenv reads
# (where a test is about that, it sets it), every program speaks English, and there is
# nothing to read.
umask 022
for name in "${!GPUENV_@}" "${!CUDA@}" "${!CUDNN_@}" "${!NVIDIA_@}" "${!CONDA_@}" "${!PYTHON@}" "${!PYENV_@}" "${!PIP_@}" "${!XDG_@}" \
    "${!LC_@}" LANG LANGUAGE TZ COLUMNS LINES NO_COLOR SOURCE_DATE_EPOCH LD_LIBRARY_PATH VIRTUAL_ENV XLA_FLAGS \
    TORCH_CUDA_ARCH_LIST KUBERNETES_SERVICE_HOST SUDO_UID CDPATH POSIXLY_CORRECT GREP_OPTIONS GREP_COLORS; do
    case $name in
        GPUENV_TEST_* | GPUENV_SHARED | CUDA_LIBRARIES) ;; # for the tests
        *) unset "$name" ;;
    esac
done
export LANG=C.UTF-8 PIP_CONFIG_FILE=/dev/null # no index of this machine is asked
[[ :$PATH: == *:/usr/sbin:* ]] || PATH=$PATH:/usr/sbin:/sbin # chroot, ldconfig
exec </dev/null
# What is printed of a path has quotes where it needs them, a path is part of regular expressions, and a
# name in an archive or of a socket is short: the tests' own path is plain and short, whatever TMPDIR is.
work=$(mktemp -d)
if [ ${#work} -gt 64 ] || [[ $work == *[!A-Za-z0-9/._-]* ]]; then
    rmdir "$work"
    work=$(mktemp -d /tmp/gpuenv-test.XXXXXXXXXX)
fi
trap 'rm -rf "$work"' EXIT
export HOME=$work/.home # what the caller has installed in his is not looked at
mkdir "$HOME"
failures=0
checks=0
# This machine's platform in NVIDIA's trees, for which tests/fakes/redist_make packs, and another one.
platform=linux-x86_64 other_platform=linux-sbsa
[ "$(uname -m)" != aarch64 ] || platform=linux-sbsa other_platform=linux-x86_64

skip() { echo "skipped: $*"; exit 77; }
command -v jq >/dev/null || skip "jq is not installed"
# jq 1.6 needs 45 ms to start, gojq 3. gojq sorts keys: `command jq` where their order is looked at.
! command -v gojq >/dev/null || jq() { gojq "$@"; }

# strace is there, and may trace: not in qemu-user, nor where the kernel or a container forbids it.
can_trace() { command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; }

# check WHAT COMMAND…: counts, and says WHAT when the command fails, with what was last printed into
# the files that most tests use: what failed on a busy machine may not fail again.
check() {
    local what=$1 file
    shift
    checks=$((checks + 1))
    "$@" && return
    failures=$((failures + 1))
    echo "FAIL $what"
    for file in err out; do
        [ ! -s "$work/$file" ] || head -n 4 "$work/$file" | cut -c 1-200 | LC_ALL=C tr -c '[:print:]\n' '?' | sed "s/^/    last $file: /"
    done
}

finish() {
    echo "$((checks - failures)) passed, $failures failed"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}

# make_machine NAME: makes it below $work, prints nothing.
make_machine() {
    mkdir -p "$work/$1"
    "$MACHINE_MAKE" -I "$tests/machines" "$tests/machines/$1/tree" "$work/$1" || { echo "cannot make $1"; exit 1; }
}

causes() { jq -r '.findings[] | .code + " " + .severity' "$1"; }
