# SPDX-License-Identifier: MIT
# What a finished program knows of itself: the commit it was built from, and a checksum of its own file.

# gpuenv_know_commit(room): the room's library finds build_source.h.
function(gpuenv_know_commit room)
    set(header ${PROJECT_BINARY_DIR}/generated/build_source.h)
    set(write ${CMAKE_COMMAND} -D TREE=${PROJECT_SOURCE_DIR} -D OUTPUT=${header}
        -P ${PROJECT_SOURCE_DIR}/cmake/source.cmake)
    execute_process(COMMAND ${write})
    add_custom_target(build_source COMMAND ${write} BYPRODUCTS ${header} VERBATIM)
    gpuenv_room_target(${room} library)
    add_dependencies(${library} build_source)
    target_include_directories(${library} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()

# gpuenv_seal(target): appends the checksum that `gpuenv self-check` compares.
function(gpuenv_seal target)
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/seal $<TARGET_FILE:${target}> VERBATIM)
endfunction()
