/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CONFINE_FILTER_H
#define HOST_CHILD_CONFINE_FILTER_H

/* Private to host/confine*.c: writing a seccomp filter (linux/seccomp.h, linux/filter.h). */

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a kernel newer than the headers; the same number on every architecture. */
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

/* Not defined where no filter is written. */
#if defined(__x86_64__)
#define FILTER_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FILTER_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FILTER_MAX 512

struct filter {
    struct sock_filter code[FILTER_MAX];
    unsigned short count;
    unsigned short call; /* where the rules of the present call begin; 0: outside of one */
    bool full;
};

/* Begins with a look at the architecture: another one's calls end the process. Outside of a call's
 * rules the value compared is the call's number. */
void filter_begin(struct filter *filter, uint32_t architecture);

/* Opens the rules of one call: they hold for it alone, and end with filter_return(). */
void filter_call(struct filter *filter, int number);

/* Within a call's rules: from here on the low 32 bits of its argument are compared. */
void filter_argument(struct filter *filter, unsigned number);

void filter_return_if(struct filter *filter, uint32_t value, uint32_t verdict);
void filter_return_if_set(struct filter *filter, uint32_t bit, uint32_t verdict);
void filter_return_from(struct filter *filter, uint32_t value, uint32_t verdict); /* and above */
void filter_return(struct filter *filter, uint32_t verdict);

/* What is left gets the verdict; puts the filter in force, for good. False when the kernel refuses
 * it. */
bool filter_end(struct filter *filter, uint32_t verdict);

#endif
