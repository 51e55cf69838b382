/* SPDX-License-Identifier: MIT */
#include "cli/engine/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "host/local/terminal.h"
#include "host/root/bytes.h"

/* The reading end of a pipe nobody writes to: reading gives end of file, writing EBADF. The lowest
 * free number is taken, which is the closed one. */
static void descriptor_reserve(int fd)
{
    int ends[2];
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF || pipe(ends) != 0)
        return;
    close(ends[1]);
}

void output_prepare(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        descriptor_reserve(fd);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* write(2) fails instead */
}

bool output_stdout(const struct text *text, struct error *error)
{
    if (bytes_write(STDOUT_FILENO, text_string(text), text->size))
        return true;
    if (errno == EPIPE) { /* whoever read it has gone on purpose: an exit code, and no words */
        error->kind = ERROR_CANNOT_WRITE;
        return false;
    }
    error_set_errno(error, ERROR_CANNOT_WRITE, errno, "stdout", "cannot write the output");
    return error_next(error, "write to a file instead: -o FILE");
}

void output_stderr(const struct text *text)
{
    bytes_write(STDERR_FILENO, text_string(text), text->size);
}

void output_error(const char *program, const struct error *error)
{
    if (error->what == NULL)
        return;
    AUTO_TEXT struct text text = {0};
    error_print(error, program, isatty(STDERR_FILENO) ? terminal_width(STDERR_FILENO) : 0, &text);
    bytes_write(STDERR_FILENO, text.data, text.size);
}
