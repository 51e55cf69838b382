# SPDX-License-Identifier: MIT
# How every file of gpuenv is compiled.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(gpuenv_options INTERFACE)
target_compile_definitions(gpuenv_options INTERFACE
    _GNU_SOURCE _FILE_OFFSET_BITS=64 GPUENV_VERSION="${PROJECT_VERSION}")
target_compile_options(gpuenv_options INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
    -Wformat=2 -Wundef -Wwrite-strings -Wvla -fstack-protector-strong -fno-common)
# Stripped here: what strips a finished program takes its checksum away (cmake/build.cmake).
target_link_options(gpuenv_options INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed
    $<$<CONFIG:Release>:-s>)

# For those who work on gpuenv: a user's newer compiler may warn of more.
option(GPUENV_WERROR "Treat warnings as errors" OFF)
if(GPUENV_WERROR)
    target_compile_options(gpuenv_options INTERFACE -Werror)
endif()

if(GPUENV_SANITIZE)
    target_compile_options(gpuenv_options INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(gpuenv_options INTERFACE -fsanitize=address,undefined)
else()
    # The feature-test macro needs optimisation, and glibc fortifies nothing under ASan.
    target_compile_options(gpuenv_options INTERFACE
        $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>
        # What is shipped does not depend on where it was built.
        $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endif()
if(GPUENV_PORTABLE)
    target_compile_options(gpuenv_options INTERFACE -ffunction-sections -fdata-sections
        -fno-asynchronous-unwind-tables -fno-unwind-tables)
    target_link_options(gpuenv_options INTERFACE -Wl,--gc-sections -Wl,--build-id=sha1)
endif()
if(GPUENV_FUZZ)
    target_compile_options(gpuenv_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
