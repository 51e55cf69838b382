/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_TERMINAL_H
#define HOST_LOCAL_TERMINAL_H

/* How many columns the terminal behind a descriptor has; 0: it is none, or does not say
 * (ioctl_tty(2), TIOCGWINSZ). */
unsigned terminal_columns(int fd);

/* The width that text for a descriptor is folded to: the terminal's, but at least 40 and at most
 * 120; 80 where it is none. */
unsigned terminal_width(int fd);

#endif
