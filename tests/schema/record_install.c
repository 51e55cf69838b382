/* SPDX-License-Identifier: MIT */
/* As record.c, for what gpuenv-install writes in other ways: ledgers, and lines of progress. */
#include <string.h>

#include "install/ledger/ledger.h"
#include "schema/record.h"

void __wrap_ledger_append(const struct ledger *ledger, struct text *output);
void __real_ledger_append(const struct ledger *ledger, struct text *output);
char *__wrap_json_dumps(const json_t *value, size_t flags);
char *__real_json_dumps(const json_t *value, size_t flags);

void __wrap_ledger_append(const struct ledger *ledger, struct text *output)
{
    size_t before = output->size;
    __real_ledger_append(ledger, output);
    record_document(text_string(output) + before, output->size - before);
}

char *__wrap_json_dumps(const json_t *value, size_t flags)
{
    char *text = __real_json_dumps(value, flags);
    if (text && json_object_get(value, "event"))
        record_document(text, strlen(text));
    return text;
}
