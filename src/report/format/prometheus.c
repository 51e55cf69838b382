/* SPDX-License-Identifier: MIT */
#include "report/engine/words.h"
#include "report/format/format.h"
#include "report/machine/gpu_list.h"

/* Metrics in Prometheus' text format 0.0.4 (docs/reference/output-formats.md#prometheus). A sample
 * must not stand twice, and is never of a message: its values would change without end. */
#define LABEL_MOST 200u

static void append_head(const char *name, const char *help, struct text *output)
{
    text_printf(output, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void append_label(const char *name, const char *string, struct text *labels)
{
    AUTO_FREE char *line = format_line(string, LABEL_MOST);
    text_printf(labels, "%s%s=\"", labels->size > 0 ? "," : "", name);
    for (const char *at = line; *at; at++) {
        if (*at == '\\' || *at == '"')
            text_append_char(labels, '\\');
        text_append_char(labels, *at);
    }
    text_append_char(labels, '"');
}

static void append_sample(const char *name, const struct text *labels, size_t value,
                          struct text *output)
{
    text_printf(output, "%s{%s} %zu\n", name, text_string(labels), value);
}

static void append_info(const struct report_input *input, struct text *output)
{
    AUTO_TEXT struct text labels = {0};
    append_head("gpuenv_info", "The version of gpuenv and of the manifest it judged by.", output);
    append_label("version", input->tool_version, &labels);
    append_label("manifest", input->manifest_version, &labels);
    append_label("manifest_date", input->manifest_date, &labels);
    append_label("profile", purpose_name(input->judgement->purpose), &labels);
    append_sample("gpuenv_info", &labels, 1, output);
}

static void append_verdict(const struct judgement *judgement, struct text *output)
{
    static const char *const words[] = {"ok", "degraded", "unknown", "broken"};
    append_head("gpuenv_verdict", "1 for the verdict of the doctor, 0 for the others.", output);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        text_printf(output, "gpuenv_verdict{verdict=\"%s\"} %d\n", words[i],
                    string_equal(words[i], report_verdict(judgement)));
    append_head("gpuenv_exit_code", "The exit code of the doctor: 0, 1 or 3.", output);
    text_printf(output, "gpuenv_exit_code %d\n", (int)judgement->exit_code);
}

static void append_checks(const struct judgement *judgement, struct text *output)
{
    const unsigned counts[] = {
        [CHECK_PASS] = judgement->pass,       [CHECK_WARN] = judgement->warn,
        [CHECK_FAIL] = judgement->fail,       [CHECK_SKIP] = judgement->skip,
        [CHECK_UNKNOWN] = judgement->unknown,
    };
    append_head("gpuenv_checks", "The number of checks with this status.", output);
    for (enum check_status status = CHECK_PASS; status <= CHECK_UNKNOWN; status++)
        text_printf(output, "gpuenv_checks{status=\"%s\"} %u\n", check_status_name(status),
                    counts[status]);
}

/* Samples with equal labels are one, with their sum. */
struct samples {
    struct strlist labels;
    size_t *values, count, capacity;
};

static void samples_clear(struct samples *samples)
{
    strlist_free(&samples->labels);
    free(samples->values);
}

static void samples_add(struct samples *samples, const struct text *labels)
{
    for (size_t i = 0; i < samples->count; i++)
        if (string_equal(samples->labels.items[i], text_string(labels))) {
            samples->values[i]++;
            return;
        }
    strlist_add(&samples->labels, text_string(labels));
    *vec_push(samples->values, samples->count, samples->capacity) = 1;
}

static void samples_append(const struct samples *samples, const char *name, const char *help,
                           struct text *output)
{
    if (samples->count == 0)
        return;
    append_head(name, help, output);
    for (size_t i = 0; i < samples->count; i++)
        text_printf(output, "%s{%s} %zu\n", name, samples->labels.items[i], samples->values[i]);
}

static void append_findings(const struct judgement *judgement, struct text *output)
{
    AUTO(samples_clear) struct samples samples = {.count = 0};
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        AUTO_TEXT struct text labels = {0};
        append_label("code", finding->code, &labels);
        append_label("cause", finding->cause, &labels);
        append_label("severity", severity_name(finding->severity), &labels);
        append_label("subject", finding->subject, &labels);
        append_label("caused_by", finding->caused_by, &labels);
        samples_add(&samples, &labels);
    }
    samples_append(&samples, "gpuenv_findings",
                   "The number of findings with these labels; caused_by is empty for a cause.",
                   output);
}

static void append_undecided(const struct judgement *judgement, struct text *output)
{
    AUTO(samples_clear) struct samples samples = {.count = 0};
    for (size_t i = 0; i < judgement->check_count; i++) {
        AUTO_TEXT struct text labels = {0};
        if (judgement->checks[i].status != CHECK_UNKNOWN)
            continue;
        append_label("code", judgement->checks[i].code, &labels);
        append_label("cause", judgement->checks[i].cause, &labels);
        samples_add(&samples, &labels);
    }
    samples_append(&samples, "gpuenv_undecided_checks",
                   "The number of checks with these labels that could not be decided.", output);
}

static void append_gpus(const struct report_input *input, struct text *output)
{
    static const char *const keys[] = {"name", "uuid", "bus_id", "capability"};
    AUTO_JSON json_t *gpus = gpu_list_json(input->facts);
    AUTO(samples_clear) struct samples samples = {.count = 0};
    for (size_t i = 0; i < json_array_size(gpus); i++) {
        const json_t *gpu = json_array_get(gpus, i), *index = json_object_get(gpu, "index");
        AUTO_TEXT struct text labels = {0};
        AUTO_FREE char *number = json_is_integer(index)
                                     ? mem_printf("%lld", (long long)json_integer_value(index))
                                     : mem_string("");
        append_label("index", number, &labels);
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
            append_label(keys[k], json_string_value(json_object_get(gpu, keys[k])), &labels);
        samples_add(&samples, &labels);
    }
    samples_append(&samples, "gpuenv_gpu_info", "A GPU that the driver lists.", output);
}

static void append_driver(const struct report_input *input, struct text *output)
{
    const char *version = facts_string(input->facts, "module", "version");
    AUTO_TEXT struct text labels = {0};
    if (version == NULL)
        return;
    append_head("gpuenv_driver_info", "The loaded kernel module, and the CUDA it supports.",
                output);
    append_label("version", version, &labels);
    append_label("cuda", input->driver_cuda, &labels);
    append_sample("gpuenv_driver_info", &labels, 1, output);
}

void report_prometheus(const struct report_input *input, struct text *output)
{
    append_info(input, output);
    append_verdict(input->judgement, output);
    append_checks(input->judgement, output);
    append_findings(input->judgement, output);
    append_undecided(input->judgement, output);
    append_driver(input, output);
    append_gpus(input, output);
}
