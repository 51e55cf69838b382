/* SPDX-License-Identifier: MIT */
#include "nth_call.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

bool task_set_call(pid_t id, int number)
{
#if defined(__x86_64__)
    struct user_regs_struct registers;
    struct iovec part = {&registers, sizeof(registers)};
    if (ptrace(PTRACE_GETREGSET, id, NT_PRSTATUS, &part) != 0)
        return false;
    registers.orig_rax = (unsigned long long)number;
    return ptrace(PTRACE_SETREGSET, id, NT_PRSTATUS, &part) == 0;
#else
    struct iovec part = {&number, sizeof(number)};
    return ptrace(PTRACE_SETREGSET, id, NT_ARM_SYSTEM_CALL, &part) == 0;
#endif
}

bool task_set_result(pid_t id, long result)
{
    struct user_regs_struct registers;
    struct iovec part = {&registers, sizeof(registers)};
    if (ptrace(PTRACE_GETREGSET, id, NT_PRSTATUS, &part) != 0)
        return false;
#if defined(__x86_64__)
    registers.rax = (unsigned long long)result;
#else
    registers.regs[0] = (unsigned long long)result;
#endif
    return ptrace(PTRACE_SETREGSET, id, NT_PRSTATUS, &part) == 0;
}
