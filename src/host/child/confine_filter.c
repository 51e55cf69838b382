/* SPDX-License-Identifier: MIT */
#include "host/child/confine_filter.h"

#include <stddef.h>
#include <sys/prctl.h>

static void add(struct filter *filter, struct sock_filter instruction)
{
    if (filter->count == FILTER_MAX)
        filter->full = true;
    else
        filter->code[filter->count++] = instruction;
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, (struct sock_filter){.code = BPF_LD | BPF_W | BPF_ABS, .k = (uint32_t)offset});
}

static void return_if(struct filter *filter, uint16_t comparison, uint32_t value, uint32_t verdict)
{
    add(filter,
        (struct sock_filter){.code = BPF_JMP | BPF_K | comparison, .k = value, .jt = 0, .jf = 1});
    add(filter, (struct sock_filter){.code = BPF_RET | BPF_K, .k = verdict});
}

void filter_begin(struct filter *filter, uint32_t architecture)
{
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter,
        (struct sock_filter){.code = BPF_JMP | BPF_K | BPF_JEQ, .k = architecture, .jt = 1});
    add(filter, (struct sock_filter){.code = BPF_RET | BPF_K, .k = SECCOMP_RET_KILL_PROCESS});
    load(filter, offsetof(struct seccomp_data, nr));
}

void filter_call(struct filter *filter, int number)
{
    filter->call = filter->count;
    add(filter, (struct sock_filter){.code = BPF_JMP | BPF_K | BPF_JEQ, .k = (uint32_t)number});
}

void filter_argument(struct filter *filter, unsigned number)
{
    load(filter, offsetof(struct seccomp_data, args) + number * sizeof(uint64_t));
}

void filter_return_if(struct filter *filter, uint32_t value, uint32_t verdict)
{
    return_if(filter, BPF_JEQ, value, verdict);
}

void filter_return_if_set(struct filter *filter, uint32_t bit, uint32_t verdict)
{
    return_if(filter, BPF_JSET, bit, verdict);
}

void filter_return_from(struct filter *filter, uint32_t value, uint32_t verdict)
{
    return_if(filter, BPF_JGE, value, verdict);
}

void filter_return(struct filter *filter, uint32_t verdict)
{
    add(filter, (struct sock_filter){.code = BPF_RET | BPF_K, .k = verdict});
    if (filter->call == 0 || filter->full)
        return;
    /* another call's number goes on behind these rules, which all return: it is still loaded */
    filter->code[filter->call].jf = (uint8_t)(filter->count - filter->call - 1);
    filter->call = 0;
}

bool filter_end(struct filter *filter, uint32_t verdict)
{
    filter_return(filter, verdict);
    struct sock_fprog program = {.len = filter->count, .filter = filter->code};
    return !filter->full && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
