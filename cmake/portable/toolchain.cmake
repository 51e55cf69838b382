# SPDX-License-Identifier: MIT
# For scripts/portable/libraries and the presets portable-x86_64 and portable-aarch64: compiler and libraries
# that scripts/build-portable put in order. GPUENV_PORTABLE_ARCH, GPUENV_PORTABLE_DIR: for what, and where.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPUENV_PORTABLE_ARCH GPUENV_PORTABLE_DIR)
if(NOT GPUENV_PORTABLE_DIR)
    get_filename_component(GPUENV_PORTABLE_DIR ${CMAKE_BINARY_DIR}/../portable ABSOLUTE)
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${GPUENV_PORTABLE_ARCH})
foreach(tool C_COMPILER:cc AR:ar RANLIB:ranlib)
    string(REPLACE ":" ";" tool ${tool})
    list(GET tool 0 variable)
    list(GET tool 1 name)
    set(CMAKE_${variable} ${GPUENV_PORTABLE_DIR}/bin/${GPUENV_PORTABLE_ARCH}-${name})
endforeach()
set(CMAKE_FIND_ROOT_PATH ${GPUENV_PORTABLE_DIR}/${GPUENV_PORTABLE_ARCH}/libraries)
# As /usr/include: the libraries' headers are in those of gpuenv.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_FIND_ROOT_PATH}/include)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_FIND_ROOT_PATH}/lib/pkgconfig)
