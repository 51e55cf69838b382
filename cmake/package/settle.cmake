# SPDX-License-Identifier: MIT
# Run by CPack before each package: everything in it gets the time of SOURCE_DATE_EPOCH. rpm lowers later times to
# it (clamp_mtime_to_source_date_epoch) and keeps earlier ones, so files of an older checkout would make another
# package.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
        COMMAND_ERROR_IS_FATAL ANY)
endif()
