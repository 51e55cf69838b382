# SPDX-License-Identifier: MIT
# Read by CPack once per package format: what a Debian package has and a tarball has not.
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY OFF)
if(CPACK_GENERATOR STREQUAL "DEB")
    list(APPEND CPACK_COMPONENTS_ALL debian)
elseif(CPACK_GENERATOR STREQUAL "TGZ")
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
