/* SPDX-License-Identifier: MIT */
#include "nth_call.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error nth-call knows x86_64 and aarch64
#endif

/* Newer than the oldest headers that gpuenv is built with. */
enum { CALL_OPENAT2 = 437, CALL_FCHMODAT2 = 452 };

/* O_TMPFILE goes with one of them. */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define CALL(called, how, ...)                                                                     \
    {                                                                                              \
        .number = SYS_##called, .name = #called, .shape = SHAPE_##how, __VA_ARGS__                 \
    }
#define DURABLE              .is_durable = true
#define WHERE(argument, has) .condition = (argument), .bits = (has)

static const struct call calls[] = {
    CALL(openat, AT, WHERE(3, WRITES)),
    {.number = CALL_OPENAT2, .name = "openat2", .shape = SHAPE_AT},
    CALL(write, FD),
    CALL(pwrite64, FD),
    CALL(writev, FD),
    CALL(pwritev, FD),
    CALL(pwritev2, FD),
    CALL(sendfile, FD),
    CALL(fallocate, FD),
    CALL(renameat, ATS, DURABLE),
    CALL(renameat2, ATS, DURABLE),
    CALL(linkat, ATS, DURABLE),
    CALL(unlinkat, AT, DURABLE),
    CALL(mkdirat, AT, DURABLE),
    CALL(symlinkat, SYMLINK_AT, DURABLE),
    CALL(mknodat, AT),
    CALL(fsync, FD, DURABLE),
    CALL(fdatasync, FD, DURABLE),
    CALL(syncfs, FD, DURABLE),
    CALL(sync_file_range, FD),
    CALL(ftruncate, FD),
    CALL(truncate, PATH),
    CALL(fchmod, FD),
    CALL(fchmodat, AT),
    {.number = CALL_FCHMODAT2, .name = "fchmodat2", .shape = SHAPE_AT},
    CALL(fchown, FD),
    CALL(fchownat, AT),
    CALL(utimensat, AT),
    CALL(close, FD),
    CALL(flock, FD),
    CALL(copy_file_range, FDS),
    CALL(ioctl, FD, WHERE(2, (uint32_t)FICLONE), .is_exact = true),
    CALL(fsetxattr, FD),
    CALL(memfd_create, NAME),
#ifdef SYS_open
    CALL(open, PATH, WHERE(2, WRITES)),
    CALL(creat, PATH),
    CALL(rename, PATHS, DURABLE),
    CALL(link, PATHS, DURABLE),
    CALL(unlink, PATH, DURABLE),
    CALL(mkdir, PATH, DURABLE),
    CALL(rmdir, PATH, DURABLE),
    CALL(symlink, SYMLINK, DURABLE),
    CALL(chmod, PATH),
    CALL(chown, PATH),
    CALL(lchown, PATH),
#endif
};
enum { CALL_COUNT = sizeof(calls) / sizeof(calls[0]) };

const struct call *call_find(int number)
{
    for (size_t i = 0; i < CALL_COUNT; i++) {
        if (calls[i].number == number)
            return &calls[i];
    }
    return NULL;
}

/* --- The filter --- */

struct program {
    struct sock_filter code[8 * CALL_COUNT + 8];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter instruction)
{
    program->code[program->count++] = instruction;
}

static void load(struct program *program, size_t offset)
{
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void add_call(struct program *program, const struct call *call)
{
    unsigned char rest = call->condition ? 4 : 1;
    uint16_t comparison = call->is_exact ? BPF_JEQ : BPF_JSET;
    add(program,
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, rest));
    if (call->condition) {
        size_t argument = (call->condition - 1) * sizeof(uint64_t);
        load(program, offsetof(struct seccomp_data, args) + argument); /* its low half */
        add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | comparison | BPF_K, call->bits, 1, 0));
        add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
}

/* A filter that the program itself puts in force later can only forbid more: of several verdicts
 * the kernel takes the strictest, and "ask the tracer" is milder than every refusal. */
bool calls_filter(bool only_durable)
{
    struct program program = {.count = 0};
    load(&program, offsetof(struct seccomp_data, arch));
    add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    add(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    load(&program, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALL_COUNT; i++) {
        if (calls[i].is_durable || !only_durable)
            add_call(&program, &calls[i]);
    }
    add(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog filter = {.len = program.count, .filter = program.code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

/* --- The words --- */

/* Copies what a task has at an address; false at the first word that cannot be read. */
static bool peek(pid_t task, uint64_t address, void *ret_bytes, size_t size)
{
    char *bytes = ret_bytes;
    for (size_t done = 0; done < size; done += sizeof(long)) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKDATA, task, address + done, 0);
        if (errno != 0)
            return false;
        memcpy(bytes + done, &word, size - done < sizeof(long) ? size - done : sizeof(long));
    }
    return true;
}

bool call_only_reads(pid_t task, const struct call *call, const uint64_t *arguments)
{
    uint64_t flags;
    return call->number == CALL_OPENAT2 &&
           peek(task, arguments[2] + offsetof(struct open_how, flags), &flags, sizeof(flags)) &&
           (flags & WRITES) == 0;
}

static void print_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (isprint((unsigned char)*text) && *text != '\\')
            fputc(*text, out);
        else
            fprintf(out, "\\x%02x", (unsigned char)*text);
    }
}

static void print_string(FILE *out, pid_t task, uint64_t address)
{
    char text[4096 + sizeof(long)];
    size_t size = 0;
    while (size < 4096 && peek(task, address + size, text + size, sizeof(long))) {
        if (memchr(text + size, 0, sizeof(long))) {
            print_text(out, text);
            return;
        }
        size += sizeof(long);
    }
    fputs("(unreadable)", out);
}

static void print_link(FILE *out, const char *path)
{
    char target[4096];
    ssize_t size = readlink(path, target, sizeof(target) - 1);
    target[size < 0 ? 0 : size] = 0;
    print_text(out, size < 0 ? "(no such descriptor)" : target);
}

static void print_fd(FILE *out, pid_t task, uint64_t fd)
{
    char path[64];
    if ((int)fd == AT_FDCWD)
        snprintf(path, sizeof(path), "/proc/%d/cwd", (int)task);
    else
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)task, (int)fd);
    print_link(out, path);
}

static void print_at(FILE *out, pid_t task, uint64_t directory, uint64_t path)
{
    char first = '/';
    if (path == 0 || (peek(task, path, &first, 1) && first == 0)) {
        print_fd(out, task, directory);
        return;
    }
    if (first != '/') {
        print_fd(out, task, directory);
        fputc('/', out);
    }
    print_string(out, task, path);
}

static void print_shape(FILE *out, pid_t task, const struct call *call, const uint64_t *arguments)
{
    const uint64_t here = (uint64_t)AT_FDCWD;
    bool is_at = call->shape == SHAPE_SYMLINK_AT;
    switch (call->shape) {
    case SHAPE_FD:
    case SHAPE_FDS:
        print_fd(out, task, arguments[0]);
        break;
    case SHAPE_PATH:
    case SHAPE_PATHS:
        print_at(out, task, here, arguments[0]);
        break;
    case SHAPE_AT:
    case SHAPE_ATS:
        print_at(out, task, arguments[0], arguments[1]);
        break;
    case SHAPE_SYMLINK:
    case SHAPE_SYMLINK_AT:
        print_at(out, task, is_at ? arguments[1] : here, arguments[is_at ? 2 : 1]);
        break;
    case SHAPE_NAME:
        break;
    }
    if (call->shape == SHAPE_SYMLINK || is_at || call->shape == SHAPE_NAME) {
        fputs(call->shape == SHAPE_NAME ? "" : " to ", out);
        print_string(out, task, arguments[0]);
        return;
    }
    if (call->shape != SHAPE_FDS && call->shape != SHAPE_PATHS && call->shape != SHAPE_ATS)
        return;
    fputs(" -> ", out);
    if (call->shape == SHAPE_FDS)
        print_fd(out, task, arguments[2]);
    else if (call->shape == SHAPE_PATHS)
        print_at(out, task, here, arguments[1]);
    else
        print_at(out, task, arguments[2], arguments[3]);
}

char *call_describe(pid_t task, const struct call *call, const uint64_t *arguments)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    print_shape(out, task, call, arguments);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
