# SPDX-License-Identifier: MIT
# The libraries gpuenv uses, with the oldest version it supports: what Ubuntu 22.04 has.

find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)

if(GPUENV_INSTALLER)
    pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl>=7.81)
    pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive>=3.6.0)
    pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto>=3.0.2)
endif()
if(GPUENV_TESTS)
    pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1.5)
endif()

# gpuenv must run on a machine that has only libc: jansson is linked as an archive where the
# distribution has one.
function(gpuenv_prefer_archives prefix)
    set(libraries "")
    foreach(name IN LISTS ${prefix}_STATIC_LIBRARIES)
        find_library(GPUENV_ARCHIVE_${name} NAMES lib${name}.a HINTS ${${prefix}_STATIC_LIBRARY_DIRS})
        if(GPUENV_ARCHIVE_${name} AND NOT name MATCHES "^(c|pthread|dl|m|rt)$")
            list(APPEND libraries ${GPUENV_ARCHIVE_${name}})
        else()
            message(STATUS "no archive of lib${name}: linked shared")
            list(APPEND libraries ${name})
        endif()
    endforeach()
    set_property(TARGET PkgConfig::${prefix} PROPERTY INTERFACE_LINK_LIBRARIES ${libraries})
endfunction()
# Compressed kernel modules are read with these, where the distribution has them as archives; without,
# what such a file holds is a fact that is skipped.
add_library(gpuenv_unpackers INTERFACE)
function(gpuenv_unpacker definition module name)
    pkg_check_modules(${definition} QUIET ${module})
    find_library(GPUENV_ARCHIVE_${name} NAMES lib${name}.a HINTS ${${definition}_LIBRARY_DIRS})
    if(${definition}_FOUND AND GPUENV_ARCHIVE_${name})
        target_compile_definitions(gpuenv_unpackers INTERFACE GPUENV_HAVE_${definition})
        target_include_directories(gpuenv_unpackers SYSTEM INTERFACE ${${definition}_INCLUDE_DIRS})
        target_link_libraries(gpuenv_unpackers INTERFACE ${GPUENV_ARCHIVE_${name}})
    else()
        message(STATUS "no archive of lib${name}: modules that it compressed are not read")
    endif()
endfunction()
gpuenv_unpacker(ZLIB zlib z)
gpuenv_unpacker(LZMA liblzma lzma)
gpuenv_unpacker(ZSTD libzstd zstd)

gpuenv_prefer_archives(JANSSON)
