/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_TERMINAL_H
#define HOST_LOCAL_TERMINAL_H

/* How many columns the terminal behind a descriptor has; 0: it is none, or does not say
 * (ioctl_tty(2), TIOCGWINSZ). */
unsigned terminal_columns(int fd);

/* The width that text for a descriptor is folded to: the terminal's where that is narrower than 80
 * and not too narrow for words (40), else 80. */
unsigned terminal_width(int fd);

#endif
