# shellcheck shell=bash
# shellcheck disable=SC2154 # portable comes from scripts/build-portable
# SPDX-License-Identifier: MIT
# The licences of what is linked in, for whoever gets the programs.
notice_of() { # notice_of NAME PACKAGE VERSION SHA256 LICENCE FILE
    local dsc
    dsc=$(compgen -G "$portable/sources/$1/*.dsc")
    printf '%s\n%s %s, licence %s\nbuilt from %s of Debian\n%s\n\n' "$(printf '=%.0s' {1..80})" \
        "$1" "$3" "$5" "$(basename "$dsc")" "$(printf '=%.0s' {1..80})"
    cat "$portable/sources/$1/tree/$6" || die 70 "the licence of $1 is not in its sources: $6"
    printf '\n'
}

write_notices() {
    {
        echo "gpuenv and gpuenv-install have these libraries linked into them; gpuenv-install all of"
        printf 'them, gpuenv jansson, zlib, liblzma and libzstd.\n\n'
        each_library notice_of
    } >"$portable/THIRD-PARTY-LICENSES.new" || exit
    mv "$portable/THIRD-PARTY-LICENSES.new" "$portable/THIRD-PARTY-LICENSES"
}
