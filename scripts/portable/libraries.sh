# shellcheck shell=bash
# shellcheck disable=SC2154 # portable, top and more come from scripts/build-portable
# SPDX-License-Identifier: MIT
# How each library of cmake/portable/libraries is built: static, and only with what gpuenv uses: http, https;
# tar and zip; xz, gzip, zstd; SHA-256, Ed25519 and TLS.

# C without exceptions needs no tables to unwind by.
library_flags="-O2 -fPIC -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables"

# build_by_cmake NAME SOURCE OPTION…
build_by_cmake() {
    local name=$1 source=$2
    shift 2
    LC_ALL=C cmake -G Ninja -S "$source" -B "$work/$name" \
        -DCMAKE_TOOLCHAIN_FILE="$top/cmake/portable/toolchain.cmake" \
        -DGPUENV_PORTABLE_ARCH="$arch" -DGPUENV_PORTABLE_DIR="$portable" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$library_flags" -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "$@" &&
        cmake --build "$work/$name" -j "$(nproc)" && cmake --install "$work/$name"
}

library_jansson() {
    build_by_cmake jansson "$1" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
}

# Its CMakeLists.txt builds no static library alone.
library_zlib() {
    mkdir -p "$work/zlib" && cp -a "$1/." "$work/zlib/" && cd "$work/zlib" &&
        CC="$arch-cc" AR="$arch-ar" RANLIB="$arch-ranlib" CFLAGS="$library_flags" \
            ./configure --static --prefix="$prefix" && make -j "$(nproc)" libz.a && make install
}

library_liblzma() {
    build_by_cmake liblzma "$1" -DXZ_NLS=OFF -DXZ_TOOL_XZ=OFF -DXZ_TOOL_XZDEC=OFF -DXZ_TOOL_LZMADEC=OFF \
        -DXZ_TOOL_LZMAINFO=OFF -DXZ_TOOL_SCRIPTS=OFF -DXZ_DOC=OFF -DBUILD_TESTING=OFF
}

# It tries flags with a C++ compiler, which it needs for nothing else.
library_libzstd() {
    build_by_cmake libzstd "$1/build/cmake" -DCMAKE_CXX_COMPILER="$portable/bin/$arch-cc" \
        -DCMAKE_CXX_COMPILER_WORKS=ON -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF \
        -DZSTD_BUILD_TESTS=OFF -DZSTD_BUILD_COMPRESSION=OFF -DZSTD_BUILD_DICTBUILDER=OFF -DZSTD_LEGACY_SUPPORT=OFF
}

# It writes its directories and the words that start the compiler into itself: none of this machine.
library_openssl() {
    local without=(shared tests apps docs module engine legacy dso ssl3 tls1 tls1_1 dtls weak-ssl-ciphers comp
        quic srp psk srtp idea camellia seed aria bf cast rc2 rc4 rc5 md4 mdc2 whirlpool sm2 sm3 sm4 gost cms ts
        cmp ct ec2m slh-dsa ml-dsa nextprotoneg ocb siphash siv rfc3779 scrypt argon2 afalgeng padlockeng uplink
        ui-console async ssl-trace dsa des ml-kem ocsp http blake2 rmd160 multiblock)
    mkdir -p "$work/openssl" && cd "$work/openssl" &&
        CC="$arch-cc" AR="$arch-ar" RANLIB="$arch-ranlib" CFLAGS="${library_flags/-O2/-Os}" perl "$1/Configure" \
            "linux-$arch" --prefix="$prefix" --libdir=lib --openssldir=/etc/ssl "${without[@]/#/no-}" &&
        make -j "$(nproc)" MODULESDIR=/usr/lib/ossl-modules ENGINESDIR=/usr/lib/engines-3 build_libs &&
        make install_dev
}

library_libarchive() {
    local without=(OPENSSL LIBB2 LZ4 LZO ZSTD BZip2 LIBXML2 EXPAT PCREPOSIX PCRE2POSIX LIBGCC CNG TAR CPIO CAT
        UNZIP XATTR ACL TEST WERROR)
    without=("${without[@]/#/-DENABLE_}")
    build_by_cmake libarchive "$1" "${without[@]/%/=OFF}" -DENABLE_LZMA=ON -DENABLE_ZLIB=ON -DENABLE_ICONV=ON \
        -DPOSIX_REGEX_LIB=NONE
}

# gpuenv says where the certificates are, so no path is built in.
library_libcurl() {
    local without=(NTLM ALTSVC HSTS COOKIES DOH AWS MIME FORM_API KERBEROS_AUTH NEGOTIATE_AUTH)
    without=("${without[@]/#/-DCURL_DISABLE_}")
    build_by_cmake libcurl "$1" "${without[@]/%/=ON}" -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON \
        -DOPENSSL_USE_STATIC_LIBS=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DENABLE_THREADED_RESOLVER=ON \
        -DBUILD_CURL_EXE=OFF -DBUILD_STATIC_LIBS=ON -DBUILD_TESTING=OFF -DBUILD_LIBCURL_DOCS=OFF \
        -DBUILD_MISC_DOCS=OFF -DENABLE_CURL_MANUAL=OFF -DENABLE_UNIX_SOCKETS=OFF -DCURL_USE_LIBPSL=OFF \
        -DUSE_LIBIDN2=OFF -DUSE_NGHTTP2=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DCURL_ZLIB=OFF -DCURL_USE_LIBSSH2=OFF
}

build_library() { # build_library NAME …; arch, work and prefix are the caller's
    local log=$work/$1.log
    say "building $1 for $arch"
    rm -rf "${work:?}/$1"
    # OpenSSL has its date in it: the same for every commit.
    (PATH=$portable/bin:$PATH SOURCE_DATE_EPOCH=1 "library_$1" "$portable/sources/$1/tree") \
        >"$log" 2>&1 </dev/null && return
    "$top/scripts/build-error" "$log" >&2
    die 70 "$1 cannot be built; all of it: $log"
}

# What the libraries were built from: where it is the same, they are.
libraries_state() {
    cat "$libraries_table" "$top/scripts/portable/libraries.sh" "$top/cmake/portable/compiler.txt" \
        "$portable"/sources/*/*.dsc "$portable/bin/$arch-cc"
}

build_libraries() { # build_libraries ARCH
    local arch=$1 work=$portable/$1/work prefix=$portable/$1/libraries
    ! libraries_state | cmp -s - "$portable/$1/.built" || return 0
    rm -rf "${portable:?}/$1"
    mkdir -p "$work" "$prefix"
    each_library build_library
    libraries_state >"$portable/$1/.built"
    rm -rf "$work"
}
