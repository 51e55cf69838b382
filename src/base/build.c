/* SPDX-License-Identifier: MIT */
#include "base/build.h"

#include <stddef.h>

#include "build_source.h"

#define TEXT(word)   #word
#define NUMBER(word) TEXT(word)

const char *build_commit(void)
{
    return GPUENV_COMMIT[0] ? GPUENV_COMMIT : NULL;
}

const char *build_compiler(void)
{
#ifdef __clang__
    return "clang " NUMBER(__clang_major__) "." NUMBER(__clang_minor__) "." NUMBER(
        __clang_patchlevel__);
#else
    return "gcc " NUMBER(__GNUC__) "." NUMBER(__GNUC_MINOR__) "." NUMBER(__GNUC_PATCHLEVEL__);
#endif
}
