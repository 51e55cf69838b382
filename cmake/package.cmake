# SPDX-License-Identifier: MIT
# What is shipped beside the programs, and the packages: gpuenv_VERSION-1_ARCH.deb and
# gpuenv-VERSION-MACHINE.tar.gz with its checksum (scripts/package makes both); of the portable build also
# gpuenv-VERSION-1.MACHINE.rpm, and the tarball is gpuenv-VERSION-linux-MACHINE.tar.gz (scripts/release).
set(GPUENV_HOME "" CACHE STRING "Address of the project's home, for the packages; empty: there is none yet")

find_program(GPUENV_GZIP gzip)
set(package_dir ${PROJECT_SOURCE_DIR}/cmake/package)

# gpuenv_ship_compressed(template name destination [COMPONENT name]): fills in @…@ and ships NAME.gz.
# gzip -n leaves out name and time, so that the same input gives the same bytes.
function(gpuenv_ship_compressed template name destination)
    configure_file(${package_dir}/${template} ${PROJECT_BINARY_DIR}/package/${name} @ONLY)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/package/${name}.gz
        COMMAND ${GPUENV_GZIP} -9nkf ${PROJECT_BINARY_DIR}/package/${name}
        DEPENDS ${PROJECT_BINARY_DIR}/package/${name} VERBATIM)
    add_custom_target(ship_${name} ALL DEPENDS ${PROJECT_BINARY_DIR}/package/${name}.gz)
    install(FILES ${PROJECT_BINARY_DIR}/package/${name}.gz DESTINATION ${destination} ${ARGN})
endfunction()

if(GPUENV_GZIP)
    gpuenv_ship_compressed(gpuenv.1.in gpuenv.1 ${CMAKE_INSTALL_MANDIR}/man1)
    gpuenv_ship_compressed(changelog.in changelog.Debian ${CMAKE_INSTALL_DOCDIR} COMPONENT debian)
endif()
if(GPUENV_PORTABLE)
    set(linked "${package_dir}/linked-portable")
    set(overrides "${package_dir}/lintian-overrides-portable")
    install(FILES ${GPUENV_PORTABLE_DIR}/THIRD-PARTY-LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
    set(linked "${package_dir}/linked")
    set(overrides "${package_dir}/lintian-overrides")
endif()
file(STRINGS ${linked} gpuenv_linked)
list(JOIN gpuenv_linked "\n " gpuenv_linked)
configure_file(${package_dir}/copyright.in ${PROJECT_BINARY_DIR}/package/copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
# In gpuenv's own directory: images of containers leave out what is below doc/.
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/reference/schema/*.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuenv/schema)
install(FILES ${overrides}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME gpuenv COMPONENT debian)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${package_dir}/cpack.cmake)
set(CPACK_PACKAGE_NAME gpuenv)
set(CPACK_PACKAGE_VENDOR "the gpuenv authors")
set(CPACK_PACKAGE_CONTACT "the gpuenv authors <gpuenv@users.noreply.invalid>")
set(CPACK_PACKAGE_FILE_NAME gpuenv-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
# libcurl, libarchive and libcrypto, which gpuenv-install is linked to, with their versions.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# To fetch over https; directories and the cache do without.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${package_dir}/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION 
"gpuenv finds out why an NVIDIA GPU does not work on a machine, in a container
or in an image, and prints the commands that fix it. It reads files and asks
the vendor's libraries in child processes, so it also answers when the driver
is broken.
.
gpuenv-install, which gpuenv runs, installs a matching CUDA toolkit and cuDNN
from NVIDIA's archives. It asks nothing, verifies every file by its checksum,
and leaves either the whole installation or nothing.")
if(GPUENV_PORTABLE)
    list(APPEND CPACK_GENERATOR RPM)
    set(CPACK_PACKAGE_FILE_NAME gpuenv-${PROJECT_VERSION}-linux-${GPUENV_PORTABLE_ARCH})
    # dpkg-shlibdeps knows no glibc of another machine.
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
    set(debian_x86_64 amd64)
    set(debian_aarch64 arm64)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_${GPUENV_PORTABLE_ARCH}})
    set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${GPUENV_HOME}")
endif()
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${GPUENV_PORTABLE_ARCH})
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_PACKAGE_URL "${GPUENV_HOME}")
set(CPACK_RPM_PACKAGE_GROUP "System Environment/Base")
set(CPACK_RPM_PACKAGE_SUMMARY "${PROJECT_DESCRIPTION}")
string(REGEX REPLACE "\n\\.\n" "\n\n" CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_REQUIRES "glibc >= 2.17")
# What is linked in is known; rpm's own look at a program of another machine finds nothing.
set(CPACK_RPM_PACKAGE_AUTOREQ OFF)
set(CPACK_RPM_POST_UNINSTALL_SCRIPT_FILE ${package_dir}/postun)
set(CPACK_RPM_COMPRESSION_TYPE xz)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/libexec /usr/share/man /usr/share/man/man1)
# The same files give the same package, and nothing of the machine that made it stands in it. The programs are
# stripped, and their checksums are to stay.
set(CPACK_RPM_SPEC_MORE_DEFINE
"%define packager the gpuenv authors
%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define __os_install_post %{nil}
%define debug_package %{nil}
%define _build_id_links none")
set(CPACK_PRE_BUILD_SCRIPTS ${package_dir}/settle.cmake)
include(CPack)
