/* SPDX-License-Identifier: MIT */
#ifndef VENDOR_PLAN_H
#define VENDOR_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* What a double of a vendor library does, read from the file double.plan beside the library that
 * was loaded (docs/background/testing.md). Without one it is healthy. */

/* Exported functions have no header of their own: a program finds them by name, as in the real
 * library. */
#define EXPORTED __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define NO_GPU (-1)

/* Begins a call: does what the plan says that function does to its caller, and returns the code
 * that it says it returns, else fallback. */
int plan_call(const char *function, int gpu, int fallback);

/* What a call answers: of `FUNCTION gives VALUE`, else of the property `KEY VALUE`. False when the
 * value is "-": there is none. */
bool plan_number(const char *function, int gpu, const char *key, long long *ret_number);

/* The same as text, ended with NUL unless the plan says that function fills the buffer. */
bool plan_string(const char *function, int gpu, const char *key, char *buffer, size_t size);

/* What stands behind verb in the line of subject that counts, verb NULL: behind subject; NULL:
 * there is no such line. Lines for the GPU come before those for all. */
const char *plan_find(const char *subject, int gpu, const char *verb);

/* act.c: does one action to the caller. False when verb is none. */
bool act(const char *verb, const char *argument);

#endif
