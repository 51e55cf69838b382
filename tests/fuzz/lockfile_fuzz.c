/* SPDX-License-Identifier: MIT */
/* Any bytes as a lock file: refused with words that can be shown, or read; and what was read gives
 * bytes that read as the same again. */
#include "fuzz.h"

#include <stdlib.h>

#include "resolve/lockfile/lockfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
    AUTO_LOCKFILE struct lockfile again = {.products = NULL};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text first = {0};
    AUTO_TEXT struct text second = {0};
    if (!lockfile_parse((const char *)data, size, "fuzz", &lock, &error)) {
        error_format(&error, &first);
        if (error.kind != ERROR_DATA || error.where == NULL || error.next == NULL ||
            first.size == 0)
            abort();
        return 0;
    }
    lockfile_append(&lock, &first);
    if (!lockfile_parse(text_string(&first), first.size, "again", &again, NULL))
        abort();
    lockfile_append(&again, &second);
    if (!string_equal(text_string(&first), text_string(&second)))
        abort();
    for (size_t i = 0; i < lock.product_count; i++)
        lockfile_archive_find(&lock.products[i], "cuda_nvcc", "linux-x86_64");
    AUTO_FREE char *words = NULL;
    if (lockfile_compare(&lock.request, &again.request, &words) != LOCKFILE_ANSWERS)
        abort();
    return 0;
}
