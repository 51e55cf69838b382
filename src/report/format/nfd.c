/* SPDX-License-Identifier: MIT */
#include <ctype.h>

#include "report/engine/words.h"
#include "report/format/format.h"
#include "report/machine/gpu_list.h"

/* A feature file of Node Feature Discovery (docs/reference/output-formats.md#nfd): names and values
 * are labels of Kubernetes. */
#define LABEL_MOST 63u
#define FILE_MOST  60000u /* the discovery ignores a file above 64 KiB */
#define LABEL      "feature.node.kubernetes.io/gpuenv."

/* Letters, digits, and - _ . between them; NULL and what has none of them: "". A new string. */
static char *label_value(const char *string)
{
    AUTO_TEXT struct text value = {0};
    for (const char *at = string ? string : ""; *at && value.size < LABEL_MOST; at++) {
        bool plain = (unsigned char)*at < 0x80 && isalnum((unsigned char)*at);
        if (plain)
            text_append_char(&value, *at);
        else if (value.size > 0) /* it begins with a letter or digit */
            text_append_char(&value, *at == '-' || *at == '.' || *at == '_' ? *at : '-');
    }
    while (value.size > 0 && !isalnum((unsigned char)value.data[value.size - 1]))
        value.data[--value.size] = '\0';
    return text_steal(&value);
}

static void append_label(const char *name, const char *string, struct text *output)
{
    AUTO_FREE char *value = label_value(string);
    if (value[0])
        text_printf(output, LABEL "%s=%s\n", name, value);
}

/* What all GPUs share under key: "mixed" where they differ; NULL: one has none. */
static const char *shared(const json_t *gpus, const char *key)
{
    const char *first = json_string_value(json_object_get(json_array_get(gpus, 0), key));
    for (size_t i = 1; i < json_array_size(gpus); i++) {
        const char *value = json_string_value(json_object_get(json_array_get(gpus, i), key));
        if (value == NULL || first == NULL)
            return NULL;
        if (!string_equal(value, first))
            return "mixed";
    }
    return first;
}

static void append_gpus(const struct report_input *input, struct text *output)
{
    AUTO_JSON json_t *gpus = gpu_list_json(input->facts);
    if (json_array_size(gpus) == 0)
        return;
    text_printf(output, LABEL "gpu-count=%zu\n", json_array_size(gpus));
    append_label("gpu-name", shared(gpus, "name"), output);
    append_label("gpu-capability", shared(gpus, "capability"), output);
}

/* finding-DRV-004=fail, once for each code: the first is the gravest. */
static void append_findings(const struct judgement *judgement, struct text *output)
{
    AUTO_STRLIST struct strlist codes = {0};
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        AUTO_FREE char *code = label_value(finding->code);
        if (finding->severity == SEVERITY_INFO || format_is_consequence(judgement, finding) ||
            !code[0] || output->size > FILE_MOST || !strlist_add_new(&codes, code))
            continue;
        AUTO_FREE char *whole = mem_printf("gpuenv.finding-%s", code);
        AUTO_FREE char *name = label_value(whole);
        append_label(name + sizeof("gpuenv.") - 1, severity_name(finding->severity), output);
    }
}

void report_nfd(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    text_append(output, "# gpuenv doctor --format nfd\n");
    append_label("verdict", report_verdict(judgement), output);
    append_label("profile", purpose_name(judgement->purpose), output);
    append_label("driver-version", facts_string(input->facts, "module", "version"), output);
    append_label("driver-cuda", input->driver_cuda, output);
    append_gpus(input, output);
    append_findings(judgement, output);
}
