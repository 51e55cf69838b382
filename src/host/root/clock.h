/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_CLOCK_H
#define HOST_ROOT_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC, which only runs forward: for durations and deadlines. */
uint64_t clock_ns(void);
uint64_t clock_ms(void);

/* Seconds since 1970, as this machine's clock has them (time(2)): for dates that others set. */
int64_t clock_seconds(void);

#endif
