# SPDX-License-Identifier: MIT
# One static library per room. Each room's headers are reached through a directory of its own
# that holds one link, ROOM -> src/ROOM, so that `#include "host/file.h"` compiles only where
# the room's list names host.

# gpuenv_use_rooms(target room...): lets TARGET include the headers of these rooms, and links them.
function(gpuenv_use_rooms target)
    target_link_libraries(${target} PRIVATE gpuenv_options)
    foreach(room IN LISTS ARGN)
        target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/rooms/${room})
        target_link_libraries(${target} PRIVATE room_${room})
    endforeach()
endfunction()

# gpuenv_room(name [ROOMS room...] [LIBRARIES target...]): the library room_NAME of src/NAME/*.c.
function(gpuenv_room name)
    cmake_parse_arguments(ROOM "" "" "ROOMS;LIBRARIES" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/rooms/${name})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${PROJECT_BINARY_DIR}/rooms/${name}/${name}
        SYMBOLIC)
    add_library(room_${name} STATIC ${sources})
    gpuenv_use_rooms(room_${name} ${ROOM_ROOMS})
    target_include_directories(room_${name} PRIVATE ${PROJECT_BINARY_DIR}/rooms/${name})
    target_link_libraries(room_${name} PRIVATE ${ROOM_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY GPUENV_ROOMS ${name})
    set_property(GLOBAL PROPERTY GPUENV_ARROWS_${name} "${ROOM_ROOMS}")
endfunction()

# rooms.txt: the arrows as a list for scripts/checks/arrows, one line "room: room…" each.
function(gpuenv_write_arrows)
    get_property(rooms GLOBAL PROPERTY GPUENV_ROOMS)
    set(text "")
    foreach(room IN LISTS rooms)
        get_property(arrows GLOBAL PROPERTY GPUENV_ARROWS_${room})
        list(JOIN arrows " " arrows)
        string(APPEND text "${room}: ${arrows}\n")
    endforeach()
    file(WRITE ${PROJECT_BINARY_DIR}/rooms.txt "${text}")
endfunction()
cmake_language(DEFER CALL gpuenv_write_arrows)
