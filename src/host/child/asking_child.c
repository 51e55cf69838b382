/* SPDX-License-Identifier: MIT */
#include "host/child/asking_private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "host/child/confine.h"

#define DESCRIPTORS_MAX 4096

struct channel {
    int fd;
};

/* Waits as long as it takes: gpuenv reads on until the deadline. */
static void send_bytes(const struct channel *channel, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(channel->fd, bytes, size);
        if (count < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = channel->fd, .events = POLLOUT};
            poll(&room, 1, -1);
        } else if (count < 0 && errno != EINTR) {
            _exit(ASKING_EXIT_CUT);
        }
        if (count > 0) {
            bytes += count;
            size -= (size_t)count;
        }
    }
}

static void send_line(const struct channel *channel, enum asking_kind kind, const char *text)
{
    AUTO_TEXT struct text line = {0};
    text_append_char(&line, '\n');
    text_append_char(&line, ASKING_MARK);
    text_append_char(&line, (char)kind);
    size_t start = line.size;
    text_append(&line, text);
    for (size_t i = start; i < line.size; i++)
        if (line.data[i] == '\n')
            line.data[i] = ' ';
    text_append_char(&line, '\n');
    send_bytes(channel, line.data, line.size);
}

void channel_step(struct channel *channel, const char *step)
{
    send_line(channel, ASKING_STEP, step);
}

void channel_answer(struct channel *channel, const char *line)
{
    send_line(channel, ASKING_ANSWER, line);
}

/* What gpuenv has not printed yet is not the child's to print. A line is sent as it is printed, so
 * that it is not lost with the process. */
static void take_streams(void)
{
    __fpurge(stdout);
    __fpurge(stderr);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static void bound_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur > DESCRIPTORS_MAX)
        limit.rlim_cur = DESCRIPTORS_MAX;
    if (limit.rlim_max > DESCRIPTORS_MAX)
        limit.rlim_max = DESCRIPTORS_MAX;
    setrlimit(RLIMIT_NOFILE, &limit);
}

#ifdef __GLIBC__
/* A library that calls exit(3) ends here, before what gpuenv has registered for its own exit. */
static void leave(int code, void *unused)
{
    (void)unused;
    fflush(stdout);
    _exit(code);
}
#endif

void asking_child(int answers, const void *context)
{
    const struct asking *asking = context;
    AUTO_ERROR struct error error = {0};
    struct channel channel = {.fd = answers};
    take_streams();
    bound_descriptors();
#ifdef __GLIBC__
    on_exit(leave, NULL);
#endif
    if (!confine(&error)) {
        AUTO_TEXT struct text reason = {0};
        error_format(&error, &reason);
        send_line(&channel, ASKING_REFUSED, text_string(&reason));
        _exit(ASKING_EXIT_CUT);
    }
    asking->ask(&channel, asking->context);
    fflush(stdout);
    send_line(&channel, ASKING_DONE, "");
    _exit(0); /* nothing of the library's runs any more */
}
