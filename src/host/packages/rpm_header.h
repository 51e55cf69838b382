/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKAGES_RPM_HEADER_H
#define HOST_PACKAGES_RPM_HEADER_H

#include "base/byte_source.h"
#include "base/strlist.h"

/* What rpm keeps of one installed package, in every kind of database: a list of tags and their
 * data ("Package format, version 4", rpm.org; lib/header.c). Only what is asked for is read. */

enum rpm_tag {
    RPM_NAME = 1000,
    RPM_VERSION = 1001,
    RPM_RELEASE = 1002,
    RPM_EPOCH = 1003,
    RPM_INSTALLTIME = 1008,
    RPM_VENDOR = 1011,
    RPM_ARCH = 1022,
    RPM_DIRINDEXES = 1116,
    RPM_BASENAMES = 1117,
    RPM_DIRNAMES = 1118,
    RPM_MODULARITYLABEL = 5096,
};

/* Start with {0}. */
struct rpm_header {
    const struct byte_source *source;
    unsigned char *entries; /* as they are in the source */
    uint32_t count;
    uint64_t data; /* where the data begins in the source */
    uint32_t data_size;
};
#define AUTO_RPM_HEADER AUTO(rpm_header_close)

/* Larger ones are refused: a real header has about a hundred tags. */
#define RPM_TAGS_MAX    4096u
#define RPM_STRING_MAX  4096u
#define RPM_STRINGS_MAX (32u << 20) /* bytes of one list */

/* Reads the list of tags; source has to outlive ret_header, which must be {0}. ERROR_DATA for what
 * is not a header. */
bool rpm_header_open(const struct byte_source *source, struct rpm_header *ret_header,
                     struct error *error);
void rpm_header_close(struct rpm_header *header);

/* The string of a tag; NULL when the header does not have it. free() it. */
bool rpm_header_string(const struct rpm_header *header, enum rpm_tag tag, char **ret_string,
                       struct error *error);

/* The first number of a tag; *ret_there is false when the header does not have it. */
bool rpm_header_number(const struct rpm_header *header, enum rpm_tag tag, bool *ret_there,
                       uint32_t *ret_number, struct error *error);

/* Calls each() with the path of every file of the package. */
bool rpm_header_files(const struct rpm_header *header, void (*each)(const char *path, void *data),
                      void *data, struct error *error);

#endif
