/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_MANIFEST_ASKED_H
#define TESTS_UNIT_MANIFEST_ASKED_H

#include "test.h"

#include "base/version.h"
#include "manifest/manifest.h"
#include "manifest/store/store.h"

/* The built-in manifest, and versions as text. */

static inline struct version version_of(const char *text)
{
    struct version version = {.count = 0};
    if (*text != '\0')
        assert_true(version_parse(text, &version));
    return version;
}

static inline void assert_version(const struct version *version, const char *text)
{
    char buffer[VERSION_TEXT_SIZE];
    assert_string_equal(version_text(version, 0, buffer), text);
}

/* All rows of a table, also of one that no lookup hands out whole. */
static inline const void *rows_of(struct manifest *manifest, const struct manifest_subject *subject,
                                  const char *table, size_t *ret_count)
{
    for (unsigned i = 0; i < MANIFEST_TABLES; i++)
        if (string_equal(subject->tables[i].name, table))
            return manifest_rows(manifest, subject, i, ret_count);
    fail_msg("%s has no table %s", subject->name, table);
    return NULL;
}

static inline int setup(void **state)
{
    *state = manifest_new();
    return 0;
}

static inline int teardown(void **state)
{
    assert_null(manifest_problem(*state));
    manifest_free(*state);
    return 0;
}

#endif
