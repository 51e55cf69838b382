# SPDX-License-Identifier: MIT
# For the tests of install: sourced after lib-install.sh, a mirror of a few files in a directory,
# $work/mirror (tests/fakes/mirror_make), and $work/manifest.json.
# shellcheck shell=bash
: "${work:?}" "${tests:?}" "${joined:?}"
command -v jq >/dev/null || skip "jq is not installed"
for name in "${!GPUENV_@}"; do unset "$name"; done
export GPUENV_CACHE_DIR=$work/cache
cp "$joined" "$work/manifest.json"
"$tests/fakes/mirror_make" "$work/mirror" "$work/manifest.json" || exit 1
