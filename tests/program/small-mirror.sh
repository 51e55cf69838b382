# SPDX-License-Identifier: MIT
# For the tests of install: sourced after lib-install.sh, a mirror of a few files in a directory,
# $work/mirror (tests/fakes/mirror_make), and $work/manifest.json.
# shellcheck shell=bash
: "${work:?}" "${tests:?}" "${joined:?}" "${platform:?}" "${other_platform:?}"
command -v jq >/dev/null || skip "jq is not installed"
for name in "${!GPUENV_@}"; do unset "$name"; done
export GPUENV_CACHE_DIR=$work/cache
make_manifest
"$tests/fakes/mirror_make" "$work/mirror" "$work/manifest.json" || exit 1
for_other() { # for_other PRODUCT VERSION: the redistrib file has the same archives for $other_platform
    python3 - "$work/mirror/compute/$1/redist" "$2" "$platform" "$other_platform" <<'PY'
import json, os, shutil, sys
base, version, platform, other = sys.argv[1:]
path = f"{base}/redistrib_{version}.json"
data = json.load(open(path))
for name, component in data.items():
    if not isinstance(component, dict):
        continue
    def moved(entry):
        new = dict(entry, relative_path=entry["relative_path"].replace(platform, other))
        os.makedirs(os.path.dirname(f"{base}/{new['relative_path']}"), exist_ok=True)
        os.path.exists(f"{base}/{entry['relative_path']}") and shutil.copy(f"{base}/{entry['relative_path']}", f"{base}/{new['relative_path']}")
        return new
    entry = component[platform]
    component[other] = moved(entry) if "size" in entry else {key: moved(value) for key, value in entry.items()}
json.dump(data, open(path, "w"))
PY
}
