/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_ANONYMOUS_FILE_H
#define HOST_LOCAL_ANONYMOUS_FILE_H

/* An empty file without a name, to write and read, closed by execve(2). In memory by
 * memfd_create(2) (Linux 3.17), by its number, since glibc before 2.27 has no function for it;
 * without it, a file in /dev/shm, /tmp or /var/tmp whose name is removed at once. -1: errno tells.
 */
int anonymous_file_new(void);

#endif
