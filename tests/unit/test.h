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

#include <cmocka.h>

#endif
