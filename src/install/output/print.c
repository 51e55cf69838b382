/* SPDX-License-Identifier: MIT */
#include "install/output/print.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const char *print_size(uint64_t bytes, char buffer[static PRINT_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, PRINT_SIZE, unit == 0 || value >= 99.5 ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return buffer;
}

char *print_count(size_t count, const char *one, const char *plural)
{
    if (count == 1)
        return mem_printf("1 %s", one);
    return plural ? mem_printf("%zu %s", count, plural) : mem_printf("%zu %ss", count, one);
}

char *print_product(const char *product, const char *version, const char *cuda)
{
    if (cuda == NULL)
        return mem_printf("%s %s", product, version);
    return mem_printf("%s %s for CUDA %s", product, version,
                      string_starts(cuda, "cuda") ? cuda + strlen("cuda") : cuda);
}
