/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_INSTALL_CATALOG_TEXT_H
#define TESTS_UNIT_INSTALL_CATALOG_TEXT_H

#include "test.h"

#include "base/text.h"

#define SHA "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* JSON that can be read in C: ' stands for ", and <PATH SIZE> for an archive's entry of SHA. The
 * caller owns it. */
static inline char *catalog_text(const char *quoted)
{
    AUTO_TEXT struct text text = {0};
    for (const char *c = quoted; *c; c++) {
        if (*c == '\'') {
            text_append_char(&text, '"');
        } else if (*c == '<') {
            const char *blank = strchr(c, ' ');
            const char *end = strchr(c, '>');
            text_append(&text, "{\"relative_path\": \"");
            text_append_n(&text, c + 1, (size_t)(blank - c - 1));
            text_append(&text, "\", \"sha256\": \"" SHA "\", \"md5\": \"x\", \"size\": \"");
            text_append_n(&text, blank + 1, (size_t)(end - blank - 1));
            text_append(&text, "\"}");
            c = end;
        } else {
            text_append_char(&text, *c);
        }
    }
    return text_steal(&text);
}

#endif
