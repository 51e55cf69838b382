/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <string.h>

#include "host/loader/ldcache.h"

/* Every string that a parsed cache hands out must be readable to its end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ldcache cache;
    AUTO_ERROR struct error error = {0};
    if (!ldcache_parse((const char *)data, size, &cache, &error)) {
        if (error.kind != ERROR_DATA || error.why == NULL)
            abort();
        return 0;
    }
    size_t total = 0;
    for (size_t i = 0; i < cache.count; i++) {
        total += strlen(cache.entries[i].soname) + strlen(cache.entries[i].path);
        total += ldcache_entry_fits(&cache.entries[i], 62, 64);
    }
    if (total > cache.count * (255 + 4095 + 1))
        abort();
    ldcache_free(&cache);
    return 0;
}
