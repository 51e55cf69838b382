# SPDX-License-Identifier: MIT
# The unit tests of a room are one program, unit_ROOM, which runs the test that its argument names:
# one program is linked where there would be forty. Each file keeps its own main(), under the name
# test_ROOM_TOPIC_NAME.

# The test of one file: adds its declaration and its row to the lists of gpuenv_unit_program().
macro(gpuenv_unit_test topic path)
    get_filename_component(name ${path} NAME_WE)
    string(REGEX REPLACE "_test$" "" name ${name})
    string(MAKE_C_IDENTIFIER "test_${topic}_${name}" function)
    set_property(SOURCE ${path} APPEND PROPERTY COMPILE_DEFINITIONS main=${function})
    string(APPEND declarations "int ${function}(void);\n")
    string(APPEND rows "    {\"${topic}/${name}\", ${function}},\n")
    list(APPEND tests "${topic}/${name}")
endmacro()

# Tests see all that any part of their room may see.
function(gpuenv_unit_settings library room)
    gpuenv_rooms_within(own ${room})
    set(seen ${own})
    foreach(each IN LISTS own)
        get_property(arrows GLOBAL PROPERTY GPUENV_ARROWS_${each})
        list(APPEND seen ${arrows})
    endforeach()
    list(REMOVE_DUPLICATES seen)
    gpuenv_use_rooms(${library} ${seen})
    target_include_directories(${library} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/unit)
    target_compile_definitions(${library} PRIVATE
        TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TEST_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${library} PRIVATE PkgConfig::CMOCKA)
endfunction()

# 77: what the test needs is not there.
function(gpuenv_unit_add name)
    add_test(NAME unit/${name} COMMAND ${ARGN})
    set_tests_properties(unit/${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# A test that has a symbol of the room's for itself is a program of its own.
function(gpuenv_unit_alone topic name)
    string(REGEX REPLACE "/.*" "" room ${topic})
    string(MAKE_C_IDENTIFIER "unit_${topic}_${name}" program)
    add_executable(${program} unit/${topic}/${name}_test.c)
    gpuenv_unit_settings(${program} ${room})
    gpuenv_unit_add(${topic}/${name} ${program})
endfunction()

function(gpuenv_unit_program room)
    set(program unit_${room})
    gpuenv_rooms_within(own ${room})
    set(objects "")
    foreach(topic IN LISTS own)
        file(GLOB paths CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/unit/${topic}/*_test.c)
        list(FILTER paths EXCLUDE REGEX "/(${GPUENV_UNIT_ALONE})_test\\.c$")
        if(paths)
            gpuenv_room_target(${topic} library)
            set(library unit_${library})
            add_library(${library} OBJECT ${paths})
            gpuenv_unit_settings(${library} ${room})
            target_compile_options(${library} PRIVATE
                -include ${CMAKE_CURRENT_BINARY_DIR}/unit_${room}.h)
            list(APPEND objects $<TARGET_OBJECTS:${library}>)
            foreach(path IN LISTS paths)
                gpuenv_unit_test(${topic} ${path})
            endforeach()
        endif()
    endforeach()
    file(CONFIGURE OUTPUT unit_${room}.h CONTENT "${declarations}" @ONLY)
    configure_file(unit/main.c.in unit_${room}.c @ONLY)
    add_executable(${program} unit_${room}.c ${objects})
    gpuenv_use_rooms(${program} ${own} base)
    target_link_libraries(${program} PRIVATE PkgConfig::CMOCKA)
    foreach(test IN LISTS tests)
        gpuenv_unit_add(${test} ${program} ${test})
    endforeach()
endfunction()

# gpuenv_unit_tests(room...): a program for each of the rooms that are built.
function(gpuenv_unit_tests)
    foreach(room IN LISTS ARGN)
        gpuenv_rooms_within(own ${room})
        if(own)
            gpuenv_unit_program(${room})
        endif()
    endforeach()
endfunction()
