/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_STANDARD_INPUT_H
#define HOST_LOCAL_STANDARD_INPUT_H

#include <stdbool.h>

/* Whether something is given on standard input: a file that is not at its end, or a pipe or socket
 * with a first byte within wait_ms. A script whose standard input is a pipe that nobody writes to
 * is not kept waiting longer. A terminal or another device gives nothing. */
bool standard_input_begins(int wait_ms);

#endif
