/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_RPM_EACH_H
#define TESTS_FUZZ_RPM_EACH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/packages/rpm_database.h"
#include "host/packages/rpm_header.h"

/* What the targets of rpm's databases share: everything that is asked of a header. */

static inline void rpm_each_file(const char *path, void *data)
{
    size_t *files = data;
    if (path == NULL)
        abort();
    ++*files;
}

static inline bool rpm_each_header(const struct byte_source *source, void *data,
                                   struct error *error)
{
    static const enum rpm_tag tags[] = {RPM_NAME, RPM_VERSION, RPM_RELEASE,
                                        RPM_ARCH, RPM_VENDOR,  RPM_MODULARITYLABEL};
    AUTO_RPM_HEADER struct rpm_header header = {.count = 0};
    size_t files = 0, *headers = data;
    uint32_t number;
    bool there;
    if (++*headers > RPM_PACKAGES_MAX)
        abort();
    if (!rpm_header_open(source, &header, error))
        return false;
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        AUTO_FREE char *string = NULL;
        if (!rpm_header_string(&header, tags[i], &string, error))
            return false;
        if (string && strlen(string) >= RPM_STRING_MAX)
            abort();
    }
    return rpm_header_number(&header, RPM_EPOCH, &there, &number, error) &&
           rpm_header_number(&header, RPM_INSTALLTIME, &there, &number, error) &&
           rpm_header_files(&header, rpm_each_file, &files, error);
}

/* What was not read says why. */
static inline void rpm_each_end(bool read, struct error *error)
{
    if (read == error_is_set(error))
        abort();
    error_clear(error);
}

#endif
