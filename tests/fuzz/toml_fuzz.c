/* SPDX-License-Identifier: MIT */
/* Any bytes as TOML: refused with words that can be shown, or a document that can be written as
 * JSON. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/toml.h"

#define MAX 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_JSON json_t *document = toml_parse((const char *)data, size, MAX, "fuzz", &error);
    if (document == NULL) {
        error_format(&error, &text);
        if (error.kind != ERROR_DATA || error.where == NULL || error.why == NULL || text.size == 0)
            abort();
        return 0;
    }
    if (!json_is_object(document))
        abort();
    json_append_text(document, &text);
    return 0;
}
