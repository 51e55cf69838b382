/* SPDX-License-Identifier: MIT */
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

const void *manifest_rows_saying(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, const struct strlist *words, size_t *ret_count)
{
    AUTO_STRLIST struct strlist strings = {0};
    for (size_t i = 0; i < words->count; i++)
        strlist_take(&strings, mem_printf("\"%s\"", words->items[i]));
    return manifest_rows_selected(manifest, subject, table, &strings, ret_count);
}

const void *manifest_rows_with(struct manifest *manifest, const struct manifest_subject *subject,
                               unsigned table, uint64_t number, size_t *ret_count)
{
    AUTO_STRLIST struct strlist digits = {0};
    strlist_take(&digits, mem_printf("%llu", (unsigned long long)number));
    return manifest_rows_selected(manifest, subject, table, &digits, ret_count);
}
