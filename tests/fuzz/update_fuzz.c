/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of an update, as a list of roots and as a statement: refused with words that
 * can be shown, or read; a file that was read is written again as it was. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/update/bundle.h"
#include "manifest/update/root.h"
#include "manifest/update/statement.h"

static void must_say_why(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    error_format(error, &text);
    if (error->kind != ERROR_DATA || error->where == NULL || text.size == 0)
        abort();
}

static void try_bundle(const char *text, size_t size)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text again = {0};
    struct update_bundle bundle;
    if (!update_bundle_parse(text, size, "fuzz", &bundle, &error)) {
        must_say_why(&error);
        return;
    }
    update_bundle_append(&bundle, &again);
    if (again.size != size || memcmp(again.data, text, size) != 0)
        abort();
}

static void try_roots(const char *text, size_t size)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist documents = {0};
    if (!update_roots_split(text, size, "fuzz", &documents, &error)) {
        must_say_why(&error);
        return;
    }
    for (size_t i = 0; i < documents.count; i++) {
        AUTO_ERROR struct error wrong = {0};
        AUTO_SIGNED struct update_signed document = {.text = NULL};
        struct update_root root;
        const char *one = documents.items[i];
        if (!update_signed_parse(one, strlen(one), "fuzz", "gpuenv-root", &document, &wrong) ||
            !update_root_read(&document, "fuzz", &root, &wrong))
            must_say_why(&wrong);
        else if (root.root.threshold < 1 || root.root.threshold > root.root.key_count)
            abort();
    }
}

static void try_statement(const char *text, size_t size)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STATEMENT struct update_statement statement = {.version = 0};
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    if (!update_statement_parse(text, size, "fuzz", &document, &statement, &error)) {
        must_say_why(&error);
        return;
    }
    if (document.text < text || document.text + document.size > text + size ||
        document.text[0] != '{' || document.text[document.size - 1] != '}')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = mem_string_n((const char *)data, size);
    try_bundle(text, size);
    try_roots(text, size);
    try_statement(text, size);
    return 0;
}
