/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_PROCESSES_H
#define HOST_CHILD_PROCESSES_H

#include <stdbool.h>

#include "base/error.h"
#include "host/root/file.h"
#include "host/root/host.h"

/* Tells visit of the processes that /proc shows, by the text of their numbers, with the name of
 * each (proc_pid_comm(5): at most 15 bytes); NULL: it is gone, or its name cannot be read. Ends
 * early when visit returns false. A server shows thousands: on the kernel's own /proc a name costs
 * three calls there and not the eight of host_read_line(), which must first see what it opens. */
enum host_status host_each_process(const struct host *host,
                                   bool (*visit)(const char *pid, const char *name, void *data),
                                   void *data, struct error *error);

#endif
