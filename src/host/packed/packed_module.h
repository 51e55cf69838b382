/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKED_PACKED_MODULE_H
#define HOST_PACKED_PACKED_MODULE_H

#include <stdbool.h>

#include "base/strlist.h"
#include "base/text.h"
#include "host/root/file.h"

struct error;

/* A compressed kernel module (.ko.xz, .ko.zst, .ko.gz), unpacked piece by piece: its sections are
 * not looked for, as their table is at the end, but its fields of .modinfo, "key=value" strings
 * that stand one after the other and hold a vermagic. */

struct packed_module {
    struct strlist fields; /* "license=NVIDIA"; empty: none were found */
    struct text end;       /* the last PACKED_END bytes, with the signature; empty: not wanted */
};

#define PACKED_END 16384
#define PACKED_MAX (256u << 20) /* unpacked; what is larger is not read to its end */

/* Reads path. whole: to its end, else only as far as the fields are. HOST_FAILED with the reason
 * for what is not compressed, cannot be unpacked by this build or is damaged. */
enum host_status packed_module_read(const struct host *host, const char *path, bool whole,
                                    struct packed_module *ret_module, struct error *error);
void packed_module_free(struct packed_module *module);

/* True when this build can unpack a file of this name. */
bool packed_module_can(const char *path);

#endif
