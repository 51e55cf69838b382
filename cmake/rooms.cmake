# SPDX-License-Identifier: MIT
# One static library per room or sub-room. Its headers are reached through a directory of its own
# with one link for each of them, so that `#include "host/loader/loader.h"` compiles only where the
# list of whoever includes it names host/loader. A sub-room, ROOM/TOPIC, is the files of
# src/ROOM/TOPIC; ROOM by itself is the files directly in src/ROOM.

# gpuenv_room_target(name ret_target): host/loader -> room_host_loader.
function(gpuenv_room_target name ret_target)
    string(REPLACE "/" "_" target room_${name})
    set(${ret_target} ${target} PARENT_SCOPE)
endfunction()

# gpuenv_use_rooms(target room...): lets TARGET include the headers of these rooms, and links them.
function(gpuenv_use_rooms target)
    target_link_libraries(${target} PRIVATE gpuenv_options)
    foreach(room IN LISTS ARGN)
        gpuenv_room_target(${room} library)
        target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/rooms/${library})
        target_link_libraries(${target} PRIVATE ${library})
    endforeach()
endfunction()

# gpuenv_rooms_within(ret_rooms room...): these rooms with all of their sub-rooms, users before what
# they use; nothing for a room that is not built.
function(gpuenv_rooms_within ret_rooms)
    get_property(rooms GLOBAL PROPERTY GPUENV_ROOMS)
    list(REVERSE rooms)
    list(JOIN ARGN "|" names)
    list(FILTER rooms INCLUDE REGEX "^(${names})(/|$)")
    set(${ret_rooms} ${rooms} PARENT_SCOPE)
endfunction()

# gpuenv_use_whole_rooms(target room...): the rooms with all of their sub-rooms, for programs of the
# tests.
function(gpuenv_use_whole_rooms target)
    gpuenv_rooms_within(rooms ${ARGN})
    gpuenv_use_rooms(${target} ${rooms})
endfunction()

# Makes the directory through which the headers of a room are reached.
function(gpuenv_link_headers name library)
    file(GLOB headers CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/src/${name}/*.h ${PROJECT_SOURCE_DIR}/src/${name}/*.def)
    set(directory ${PROJECT_BINARY_DIR}/rooms/${library})
    file(REMOVE_RECURSE ${directory})
    file(MAKE_DIRECTORY ${directory}/${name})
    foreach(header IN LISTS headers)
        get_filename_component(file ${header} NAME)
        file(CREATE_LINK ${header} ${directory}/${name}/${file} SYMBOLIC)
    endforeach()
endfunction()

# gpuenv_room(name ABOUT text [ROOMS room...] [LIBRARIES target...]): the library of src/NAME/*.c.
function(gpuenv_room name)
    cmake_parse_arguments(PARSE_ARGV 1 ROOM "" "ABOUT" "ROOMS;LIBRARIES")
    gpuenv_room_target(${name} library)
    gpuenv_link_headers(${name} ${library})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    add_library(${library} STATIC ${sources})
    gpuenv_use_rooms(${library} ${ROOM_ROOMS})
    target_include_directories(${library} PRIVATE ${PROJECT_BINARY_DIR}/rooms/${library})
    target_link_libraries(${library} PRIVATE ${ROOM_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY GPUENV_ROOMS ${name})
    set_property(GLOBAL PROPERTY GPUENV_ARROWS_${name} "${ROOM_ROOMS}")
    set_property(GLOBAL APPEND_STRING PROPERTY GPUENV_ABOUT "${name}: ${ROOM_ABOUT}\n")
endfunction()

# rooms.txt: the arrows as a list for scripts/checks/arrows, one line "room: room…" each, and
# rooms-about.txt: what each room does.
function(gpuenv_write_arrows)
    get_property(rooms GLOBAL PROPERTY GPUENV_ROOMS)
    set(text "")
    foreach(room IN LISTS rooms)
        get_property(arrows GLOBAL PROPERTY GPUENV_ARROWS_${room})
        list(JOIN arrows " " arrows)
        string(APPEND text "${room}: ${arrows}\n")
    endforeach()
    file(WRITE ${PROJECT_BINARY_DIR}/rooms.txt "${text}")
    get_property(about GLOBAL PROPERTY GPUENV_ABOUT)
    file(WRITE ${PROJECT_BINARY_DIR}/rooms-about.txt "${about}")
endfunction()
cmake_language(DEFER CALL gpuenv_write_arrows)
