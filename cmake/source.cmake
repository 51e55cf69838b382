# SPDX-License-Identifier: MIT
# Writes OUTPUT, a header with the commit that this tree is of: from cmake/source.txt in a source tarball
# (git archive fills it in), else from git; "" where neither says it. Run with each build:
#   cmake -D TREE=… -D OUTPUT=… -P source.cmake
file(STRINGS ${TREE}/cmake/source.txt commit REGEX "^commit [0-9a-f]+[+]?$")
string(REPLACE "commit " "" commit "${commit}")
find_program(GIT git)
if(commit STREQUAL "" AND GIT AND EXISTS ${TREE}/.git)
    set(git ${GIT} -c safe.directory=${TREE} -C ${TREE})
    execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT commit STREQUAL "")
        execute_process(COMMAND ${git} diff-index --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
    endif()
    if(changed)
        string(APPEND commit "+")
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define GPUENV_COMMIT \"${commit}\"\n")
