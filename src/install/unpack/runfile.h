/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNPACK_RUNFILE_H
#define INSTALL_UNPACK_RUNFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* The script before the payload of a makeself archive, such as NVIDIA's runfiles. It is read, and
 * never run. Three ways in which makeself says where its payload is are known (its public history;
 * Gentoo's unpacker.eclass reads them too):
 *
 *     1.5 to 2.0.1      skip=N or tail +N: the payload begins with line N, up to the end
 *
 *     2.1.0 to 2.3.1    offset=`head -n N "$0" | …: it begins after N lines; filesizes="BYTES"
 *
 *     2.4.0 and later   skip="N" and offset=`head -n "$skip" …: likewise
 */

/* No script is longer: those of makeself have 15 to 30 KB. */
#define RUNFILE_SCRIPT_MAX (1u << 20)

#define RUNFILE_MD5_SIZE 16

struct runfile {
    char makeself[16]; /* its version, as the script says: "2.1.4" */
    uint64_t lines;    /* of the script */
    uint64_t offset;   /* of the payload; it is offset + size bytes long, and nothing follows */
    uint64_t size;
    bool has_md5; /* of the payload: what makeself itself would compare */
    unsigned char md5[RUNFILE_MD5_SIZE];
};

/* head: the first bytes of a file of size bytes, RUNFILE_SCRIPT_MAX of them or all. ERROR_DATA and
 * why when it is not such a file, its numbers do not fit the file, or it says one of them twice in
 * two ways. */
bool runfile_read(const char *head, size_t head_size, uint64_t size, struct runfile *ret_runfile,
                  struct error *error);

#endif
