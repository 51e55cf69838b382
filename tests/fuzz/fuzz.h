/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer, or replay.c where there is none, calls with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
