# SPDX-License-Identifier: MIT
# Joins manifests/*.json into one document, gpuenv.manifest.json, and embeds each subject by itself,
# so that a run parses only the subjects it asks for.

# gpuenv_embed_manifest(room): adds the embedded subjects to the library of a room.
function(gpuenv_embed_manifest room)
    file(GLOB subjects CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/manifests/*.json)
    list(SORT subjects)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${subjects})

    set(table "")
    set(blobs "")
    set(joined "")
    foreach(path IN LISTS subjects)
        get_filename_component(name ${path} NAME_WE)
        string(APPEND blobs
            "extern const char subject_${name}[], subject_${name}_end[];\n"
            "__asm__(\".section .rodata\\n\"\n"
            "        \".global subject_${name}\\nsubject_${name}:\\n.incbin \\\"${path}\\\"\\n\"\n"
            "        \".global subject_${name}_end\\nsubject_${name}_end:\\n.byte 0\\n.previous\\n\");\n")
        string(APPEND table
            "    {.name = \"${name}\", .text = subject_${name}, .end = subject_${name}_end},\n")
        file(READ ${path} content)
        string(STRIP "${content}" content)
        if(NOT joined STREQUAL "")
            string(APPEND joined ",\n")
        endif()
        string(APPEND joined "\"${name}\": ${content}")
    endforeach()
    set(generated ${PROJECT_BINARY_DIR}/generated/manifest_embedded.c)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/manifest_embedded.c.in ${generated} @ONLY)
    set_property(SOURCE ${generated} PROPERTY OBJECT_DEPENDS "${subjects}")
    gpuenv_room_target(${room} library)
    target_sources(${library} PRIVATE ${generated})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gpuenv.manifest.json CONTENT "{\n@joined@\n}\n" @ONLY)
endfunction()

# gpuenv_know_reader(room): the room's library has manifest_reader().
function(gpuenv_know_reader room)
    set(generated ${PROJECT_BINARY_DIR}/generated/manifest_reader.c)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/* ${PROJECT_SOURCE_DIR}/src/manifest/*)
    add_custom_command(OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -D TREE=${PROJECT_SOURCE_DIR} -D OUTPUT=${generated}
            -P ${PROJECT_SOURCE_DIR}/cmake/reader.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/reader.cmake VERBATIM)
    gpuenv_room_target(${room} library)
    target_sources(${library} PRIVATE ${generated})
endfunction()
