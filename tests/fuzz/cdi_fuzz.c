/* SPDX-License-Identifier: MIT */
/* Any text as a CDI specification: nothing is wrong with it, or a line of it is named. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "probe/service/cdi_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memchr(data, '\0', size)) /* the probe refuses such a file before */
        return 0;
    AUTO_FREE char *text = mem_string_n((const char *)data, size);
    AUTO_FREE char *problem = cdi_document_problem(text);
    if (problem && strncmp(problem, "line ", 5) != 0)
        abort();
    return 0;
}
