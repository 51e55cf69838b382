/* SPDX-License-Identifier: MIT */
/* What a library can do to the program that loads it. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "plan.h"

#define DESCRIPTORS 4096

static void crashes(const char *argument)
{
    (void)argument;
    *(volatile int *)8 = 0;
}

static void aborts(const char *argument)
{
    (void)argument;
    abort();
}

static void divides(const char *argument)
{
    (void)argument;
    raise(SIGFPE);
}

/* So deep that the stack ends first. */
static int deeper(long levels, volatile const char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return levels == 0 ? 0 : deeper(levels - 1, here) + here[0];
}

static void recurses(const char *argument)
{
    exit(deeper(1L << 40, argument));
}

static void hangs(const char *argument)
{
    (void)argument;
    for (;;)
        pause();
}

static void spins(const char *argument)
{
    (void)argument;
    volatile int ended = 0;
    while (!ended)
        continue;
}

static void exits(const char *argument)
{
    exit(atoi(argument));
}

static void ends(const char *argument)
{
    _exit(atoi(argument));
}

static void raises(const char *argument)
{
    raise(atoi(argument));
}

static void write_to(int fd, const char *bytes, size_t size)
{
    ssize_t written = write(fd, bytes, size);
    (void)written;
}

/* So many bytes, with what clears a terminal, on stdout and stderr by turns. */
static void prints(const char *argument)
{
    static const char line[] = "\033[2J\033]0;owned\007{\"facts\": 1}\r\xff\xfe GPU is fine\n";
    long long left = atoll(argument);
    for (int fd = STDOUT_FILENO; left > 0;
         fd = fd == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO) {
        write_to(fd, line, sizeof(line) - 1);
        left -= (long long)sizeof(line) - 1;
    }
}

static void says(const char *argument)
{
    write_to(STDOUT_FILENO, argument, strlen(argument));
    write_to(STDOUT_FILENO, "\n", 1);
}

/* A process named argument that holds every descriptor it was given. */
static void stay(const char *argument)
{
    prctl(PR_SET_NAME, argument);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    hangs(argument);
}

static void forks(const char *argument)
{
    if (fork() == 0)
        stay(argument);
}

/* The same in a session of its own, its parent gone. */
static void daemonizes(const char *argument)
{
    if (fork() != 0)
        return;
    setsid();
    if (fork() == 0)
        stay(argument);
    _exit(0);
}

static void closes(const char *argument)
{
    (void)argument;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        close(fd);
}

/* The text into every descriptor there is. */
static void writes(const char *argument)
{
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            write_to(fd, argument, strlen(argument));
}

static void garbles(const char *argument)
{
    char noise[3000];
    unsigned state = 1;
    (void)argument;
    for (size_t i = 0; i < sizeof(noise); i++) {
        state = state * 1664525u + 1013904223u;
        noise[i] = (char)(state >> 24);
    }
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            write_to(fd, noise, sizeof(noise));
}

static void signals_parent(const char *argument)
{
    kill(getppid(), atoi(argument));
}

static void signals_group(const char *argument)
{
    kill(0, atoi(argument));
}

static void ignores(const char *argument)
{
    signal(atoi(argument), SIG_IGN);
}

/* The rest try what a child must not be able to do; the test looks whether it was done. */

static void creates(const char *argument)
{
    int fd = open(argument, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        write_to(fd, "x", 1);
}

static void removes(const char *argument)
{
    unlink(argument);
}

static void makes_node(const char *argument)
{
    mknod(argument, S_IFCHR | 0666, makedev(1, 3));
}

static void connects(const char *argument)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((unsigned short)atoi(argument)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool connected = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
    says(connected ? "connected" : fd >= 0 ? "got a socket" : "got no socket");
}

static void runs(const char *argument)
{
    if (fork() == 0) {
        execl("/bin/sh", "sh", "-c", argument, NULL);
        _exit(127);
    }
}

static const struct action {
    const char *verb;
    void (*act)(const char *argument);
} actions[] = {
    {"crashes", crashes},
    {"aborts", aborts},
    {"divides", divides},
    {"recurses", recurses},
    {"raises", raises},
    {"hangs", hangs},
    {"spins", spins},
    {"exits", exits},
    {"ends", ends},
    {"prints", prints},
    {"says", says},
    {"forks", forks},
    {"daemonizes", daemonizes},
    {"closes", closes},
    {"writes", writes},
    {"garbles", garbles},
    {"signals-parent", signals_parent},
    {"signals-group", signals_group},
    {"ignores", ignores},
    {"creates", creates},
    {"removes", removes},
    {"makes-node", makes_node},
    {"connects", connects},
    {"runs", runs},
};

bool act(const char *verb, const char *argument)
{
    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
        if (strcmp(actions[i].verb, verb) == 0) {
            actions[i].act(argument);
            return true;
        }
    return false;
}
