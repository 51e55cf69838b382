/* SPDX-License-Identifier: MIT */
#ifndef HOST_TERMINAL_H
#define HOST_TERMINAL_H

/* How many columns the terminal behind a descriptor has; 0: it is none, or does not say
 * (ioctl_tty(2), TIOCGWINSZ). */
unsigned terminal_columns(int fd);

#endif
