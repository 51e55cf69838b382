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
    enum { LEAST = 40, USUAL = 80, MOST = 120 };
    unsigned columns = terminal_columns(fd);
    if (columns < LEAST)
        return columns == 0 ? USUAL : LEAST;
    return columns < MOST ? columns : MOST;
}
