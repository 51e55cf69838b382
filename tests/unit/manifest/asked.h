/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_MANIFEST_ASKED_H
#define TESTS_UNIT_MANIFEST_ASKED_H

#include "test.h"

#include "base/version.h"
#include "manifest/manifest.h"

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
