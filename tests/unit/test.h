/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

/* cmocka, with the headers it wants before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* cmocka 2 deprecates the one that cmocka 1 has. */
#ifdef assert_int_in_range
#define assert_between assert_int_in_range
#else
#define assert_between assert_in_range
#endif

/* Whoever runs the tests: what they make has the modes that they expect. */
__attribute__((constructor)) static void take_plain_umask(void)
{
    umask(022);
}

#endif
