/* SPDX-License-Identifier: MIT */
/* Loaded with LD_PRELOAD: time(2) is what FAKE_TIME says, seconds since 1970. Whoever can preload a
 * library into a program can do anything to it already, so that no build of gpuenv needs a clock
 * that can be set. */
#include <stdlib.h>
#include <time.h>

time_t time(time_t *ret_time)
{
    const char *fake = getenv("FAKE_TIME");
    struct timespec now = {.tv_sec = 0};
    if (fake)
        now.tv_sec = (time_t)strtoll(fake, NULL, 10);
    else
        clock_gettime(CLOCK_REALTIME, &now);
    if (ret_time)
        *ret_time = now.tv_sec;
    return now.tv_sec;
}
