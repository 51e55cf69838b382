/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_INTERRUPT_H
#define INSTALL_IO_INTERRUPT_H

#include "base/error.h"

/* Signals that end a process, while something is half done: they wait, and are asked for where what
 * was begun can be put away. All but SIGKILL, SIGPIPE and those of a fault (SIGSEGV and the like).
 * Those that whoever started us has ignored (nohup) stay ignored. */
struct interrupt {
    int fd;     /* readable when one has come; -1: none is waited for */
    int number; /* of the one that was taken; 0: none */
};

/* From here on they wait, for the rest of the process. */
bool interrupt_hold(struct interrupt *ret_interrupt, struct error *error);
/* True, and ERROR_INTERRUPTED, when one has come. It is taken, and another one ends the process at
 * once. */
bool interrupt_came(struct interrupt *interrupt, struct error *error);
/* Whether one has come, which is not taken: the end of what can be given up at any time. */
bool interrupt_waits(void);
/* Ends the process by the signal, so that a shell stops its loop. Comes back where that does not
 * end it: to the first process of a container. */
void interrupt_end(int number);

#endif
