/* SPDX-License-Identifier: MIT */
#include "host/local/terminal.h"

#include <sys/ioctl.h>

unsigned terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned terminal_width(int fd)
{
    enum { LEAST = 40, USUAL = 80 };
    unsigned columns = terminal_columns(fd);
    return columns >= LEAST && columns < USUAL ? columns : USUAL;
}
