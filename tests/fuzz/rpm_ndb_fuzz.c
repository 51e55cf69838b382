/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "rpm_each.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct byte_source source = byte_source_memory(data, size);
    struct error error = {.kind = ERROR_NONE};
    size_t headers = 0;
    rpm_each_end(rpm_ndb_each(&source, rpm_each_header, &headers, &error), &error);
    return 0;
}
