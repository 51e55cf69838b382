# SPDX-License-Identifier: MIT
# What is shipped beside the programs, and the packages: gpuenv_VERSION-1_ARCH.deb and
# gpuenv-VERSION-MACHINE.tar.gz with its checksum (scripts/package makes both).

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
install(FILES ${package_dir}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
# In gpuenv's own directory: images of containers leave out what is below doc/.
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/reference/schema/*.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuenv/schema)
install(FILES ${package_dir}/lintian-overrides
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
"gpuenv judges the NVIDIA stack of a machine, a container or an image that is
being built, and prints the commands that put it right. It reads files and asks
the vendor libraries in child processes, so that it also answers where the
driver is broken.
.
gpuenv-install, which gpuenv runs for the commands that need it, sets up a
matching CUDA toolkit and cuDNN from NVIDIA's archives without a question: each
byte is proved, and a directory is there whole or not at all.")
include(CPack)
