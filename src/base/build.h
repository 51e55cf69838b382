/* SPDX-License-Identifier: MIT */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

/* How this program was built. The strings are constants. */

/* The commit as 40 hex digits, "+" behind them where files differed from it; NULL: not known. */
const char *build_commit(void);

/* The compiler with its version: "gcc 12.2.0", "clang 20.1.2". */
const char *build_compiler(void);

#endif
