# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What one row of breakages.tsv is run in: sourced by `enter`, in a private mount namespace, with the folder of the
# packages as working directory. BASE holds everything of the build, ENV is its environment, HOME and OTHER are below
# BASE; what is changed below BASE is gone with the namespace. PROBE: the framework's folder. Paths may be patterns.

lost() {
    echo "break.sh: $*" >&2
    : >"$SCRATCH/lost"
    exit 1
}

each() { # each FUNCTION PATTERN [ARGUMENT]: for all that match; one at least
    local function=$1 pattern=$2 path found=
    shift 2
    for path in $pattern; do
        [ -e "$path" ] || [ -L "$path" ] || continue
        found=1
        "$function" "$path" "$@" || lost "$function $path"
    done
    [ "$found" ] || lost "nothing is called $pattern here"
}

cut_one() {
    local size=$2
    [ "$size" != half ] || size=$(($(stat -Lc %s "$1") / 2))
    truncate -s "$size" "$1"
}
cut() { each cut_one "$1" "$2"; }

zero_one() {
    local size
    size=$(stat -Lc %s "$1")
    truncate -s 0 "$1" && truncate -s "$size" "$1"
}
zero() { each zero_one "$1"; }

remove_one() { rm -rf "$1"; }
gone() { each remove_one "$1"; }
dangle_one() { rm -rf "$1" && ln -s "$1.of-yesterday" "$1"; }
dangle() { each dangle_one "$1"; }
loop_one() { rm -rf "$1" && ln -s "${1##*/}" "$1"; }
loop() { each loop_one "$1"; }
folder_one() { rm -rf "$1" && mkdir "$1"; }
folder() { each folder_one "$1"; }
rpath() { each rpath_one "$1" "$2"; }
rpath_one() { /usr/bin/python3 "$HERE/elf.py" rpath "$1" "$2"; }
machine() { each machine_one "$1"; }
machine_one() { /usr/bin/python3 "$HERE/elf.py" machine "$1" 183; }

pip() { # uv's, quiet; what is installed here is copied, not linked
    "$UV" pip "$@" --quiet --python "$ENV/bin/python" --link-mode copy >&2 || lost "uv pip $*"
}
add() { pip install --no-deps --upgrade "$@"; }
drop() { "$UV" pip uninstall --quiet --python "$ENV/bin/python" "$@" >&2 || lost "uv pip uninstall $*"; }
arm() { pip install --no-deps --reinstall --python-platform aarch64-manylinux_2_28 "$@"; }
musl() { pip install --no-deps --reinstall --python-platform x86_64-unknown-linux-musl "$@"; }

# Packages in a folder of their own, outside of the environment; prints it. Kept for the next row.
put() {
    local folder=$PUT/${*//[^a-zA-Z0-9.]/-} lock
    exec {lock}>"$PUT/lock"
    flock "$lock" # rows run beside each other
    if [ ! -d "$folder" ]; then
        "$UV" pip install --quiet --no-deps --python /usr/bin/python3 --target "$folder.new" "$@" >&2 ||
            lost "uv pip install --target $*"
        mv "$folder.new" "$folder"
    fi
    exec {lock}>&-
    printf '%s' "$folder"
}

say() { printf '%s\n' "$1" >>"$SCRATCH/variables"; } # a variable of both programs
quiet() { : >"$SCRATCH/quiet"; }                     # the environment is not active
environment() { printf '%s' "$1" >"$SCRATCH/environment"; }

move() {
    mkdir -p "${1%/*}"
    mv "$ENV" "$1" || lost "mv $1"
    ENV=$1
    environment "$1"
}
link() {
    ln -s "$ENV" "$1"
    environment "$1"
}

base_of() { sed -n 's/^home = //p' "$ENV/pyvenv.cfg"; }

swap-python() { # swap-python VERSION: the environment is one of another Python, the packages stay
    local old python
    old=$(basename "${PWD%/*}")
    python=$("$UV" python find --system "$1") || lost "no Python $1"
    mv "$ENV/lib/$old" "$ENV/lib/python$1"
    ln -sf "$python" "$ENV/bin/python"
    sed -i "s|^home = .*|home = ${python%/*}|; s|^version_info = .*|version_info = $1|" "$ENV/pyvenv.cfg"
}
swap-active() { # the packages through PYTHONPATH, in an environment of another Python
    say "PYTHONPATH=$PWD"
    "$UV" venv --quiet --python "$("$UV" python find --system "$1")" "$BASE/second" || lost "uv venv"
    environment "$BASE/second"
}
outer() { # the packages are those of the base Python, and the environment sees them
    local site
    site=$(base_of)/../lib/$(basename "${PWD%/*}")/site-packages
    mount --bind "$PWD" "$site" || lost "mount $site"
    "$UV" venv --quiet --system-site-packages --python "$(base_of)/python3" "$BASE/inner" || lost "uv venv"
    environment "$BASE/inner"
}
