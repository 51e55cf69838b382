/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_INPUT_H
#define HOST_ROOT_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* What is opened to be read, wherever its name is from: a regular file. A FIFO would be waited for,
 * a device has no end or does something when it is opened. None of them is opened: what a name
 * stands for is looked at first (O_PATH), and what was looked at is what is then read. */

/* What the errors say instead of the errno: "it is a FIFO, not a file". */
#define INPUT_KIND_WORDS "it is %s, not a file"

/* "a FIFO", "a socket", "a character device" …; NULL for a regular file. */
const char *input_kind(mode_t mode);

/* Opens for reading what an O_PATH descriptor found, which must be a regular file. -1: errno tells
 * why; ENOENT where there is no /proc. */
int input_reopen(int object);

/* openat(2) for reading, with O_CLOEXEC and O_NONBLOCK; flags: 0 or O_NOFOLLOW. -1: errno tells
 * why. INPUT_NO_FILE: it is not a regular file, but of the mode *ret_mode. */
#define INPUT_NO_FILE (-2)
int input_openat(int directory, const char *name, int flags, mode_t *ret_mode);

/* The same for callers that say what is wrong: "cannot open", where, what it is. ERROR_NO_INPUT. */
bool input_open_at(int directory, const char *name, int flags, const char *where, int *ret_fd,
                   struct error *error);

/* The same for a path that a user gave, from the current directory of the process. */
bool input_open(const char *path, int *ret_fd, struct error *error);

/* The number that /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N names, -1 for
 * any other path. Such a descriptor was given to this process on purpose, by `|`, `<` or a shell's
 * <(COMMAND), and may be of any kind. It is used as it is: to open its name again would begin at
 * the start of a file, and fails for a socket. */
int standard_descriptor(const char *path);

/* Whether a library may open path for reading by itself: false, with the error of input_open(),
 * where it is there and no file. */
bool input_may_be_opened(const char *path, struct error *error);

/* The same of the path that a variable holds, for what libraries open at a moment of their own and
 * only a FIFO keeps waiting: OPENSSL_CONF, where /dev/null is a usual value, and TZ, where a path
 * begins with a slash or with a colon and a slash. */
bool input_variable_is_safe(const char *name, struct error *error);

#endif
