/* SPDX-License-Identifier: MIT */
#include "facts/record.h"
#include "report/formats.h"

void report_facts_json(const struct report_input *input, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_object_set_new(envelope, "facts", record_to_json(input->facts));
    json_append_text(envelope, output);
}
