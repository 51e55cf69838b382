/* SPDX-License-Identifier: MIT */
#include "report/machine/framework_list.h"

#include <string.h>

#include "base/wrap.h"

/* What comes with PyTorch and is built for what it is built for: not worth a line. */
static bool is_rider(const char *name)
{
    static const char *const riders[] = {"torchvision", "torchaudio", "triton-language"};
    for (size_t i = 0; i < sizeof(riders) / sizeof(*riders); i++)
        if (string_equal(name, riders[i]))
            return true;
    return name == NULL;
}

/* The groups that are shown, active ones first. */
static void groups_of(const struct facts *facts, struct strlist *groups)
{
    for (unsigned active = 2; active-- > 0;) {
        const char *group;
        for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
            if (!is_rider(facts_string(facts, group, "name")) &&
                facts_true(facts, group, "active") == (active == 1))
                strlist_add(groups, group);
    }
}

/* "onnxruntime-gpu 1.19.2", "PyTorch's package" by the name that its users install. */
static void append_name(const struct facts *facts, const char *group, struct text *line)
{
    const char *name = facts_string(facts, group, "name");
    const char *package = facts_string(facts, group, "package");
    const char *version = facts_string(facts, group, "version");
    bool same = package == NULL || string_equal(package, name);
    if (string_equal(package, "torch")) /* everybody knows it by both */
        same = true;
    text_append(line, name);
    if (!same)
        text_printf(line, " (%s)", package);
    text_printf(line, " %s", version ? version : "of unknown version");
}

static void append_build(const struct facts *facts, const char *group, struct text *line)
{
    const char *accelerator = facts_string(facts, group, "accelerator");
    const char *cuda = facts_string(facts, group, "cuda");
    const char *rocm = facts_string(facts, group, "rocm");
    const char *cudnn = facts_string(facts, group, "cudnn_carried");
    const struct strlist *cudas = facts_list(facts, group, "cudas");
    if (cudas && cudas->count > 0) {
        AUTO_FREE char *list = strlist_join(cudas, ", ");
        text_printf(line, ", built for CUDA %s", list);
    } else if (cuda) {
        text_printf(line, ", built for CUDA %s", cuda);
    } else if (string_equal(accelerator, "rocm")) {
        text_printf(line, ", built for ROCm%s%s", rocm ? " " : "", rocm ? rocm : "");
    } else if (string_equal(accelerator, "xpu")) {
        text_append(line, ", built for Intel GPUs");
    } else if (string_equal(accelerator, "cpu")) {
        text_append(line, ", built only for CPUs");
    }
    if (cuda && cudnn && facts_string(facts, group, "cudnn_wanted"))
        text_printf(line, ", includes cuDNN %s", cudnn);
}

static void append_framework(const struct facts *facts, const char *group, struct text *line)
{
    const char *environment = facts_string(facts, group, "environment");
    append_name(facts, group, line);
    append_build(facts, group, line);
    text_printf(line, ", in %s", environment ? environment : "an unknown place");
    if (facts_true(facts, group, "active"))
        text_append(line, " (active)");
}

void framework_list_summary(const struct report_input *input, struct text *sentence,
                            struct strlist *sources)
{
    const struct facts *facts = input->facts;
    AUTO_STRLIST struct strlist groups = {0};
    int64_t count;
    groups_of(facts, &groups);
    if (groups.count == 1) {
        append_framework(facts, groups.items[0], sentence);
    } else if (groups.count > 1) {
        text_printf(sentence, "%zu found", groups.count);
    } else if (facts_integer(facts, "framework", "count", &count)) {
        text_append(sentence, "none found");
    } else {
        const struct fact *fact = facts_get(facts, "framework", "count");
        if (fact && fact->reason)
            text_printf(sentence, "%s: %s",
                        fact->state == FACT_UNKNOWN ? "unknown" : "not available", fact->reason);
    }
    const struct fact *source = groups.count == 1 ? facts_get(facts, groups.items[0], "accelerator")
                                                  : facts_get(facts, "framework", "count");
    if (source && sentence->size > 0)
        strlist_add_new(sources, source->source);
}

void framework_list_lines(const struct facts *facts, struct strlist *lines)
{
    AUTO_STRLIST struct strlist groups = {0};
    groups_of(facts, &groups);
    for (size_t i = 0; i < groups.count && i < FRAMEWORKS_SHOWN; i++) {
        AUTO_TEXT struct text line = {0};
        append_framework(facts, groups.items[i], &line);
        if (i + 1 == FRAMEWORKS_SHOWN && groups.count > FRAMEWORKS_SHOWN)
            text_printf(&line, "; %zu more: -v lists them", groups.count - FRAMEWORKS_SHOWN);
        strlist_take(lines, text_steal(&line));
    }
}

void framework_list_append(const struct report_input *input, unsigned indent, struct text *output)
{
    AUTO_STRLIST struct strlist groups = {0};
    groups_of(input->facts, &groups);
    for (size_t i = 0; groups.count > 1 && i < groups.count; i++) {
        AUTO_TEXT struct text line = {0};
        append_framework(input->facts, groups.items[i], &line);
        struct wrap wrap;
        text_printf(output, "%*s", (int)indent, "");
        wrap_begin(&wrap, output, input->columns, indent, indent + 3);
        wrap_words(&wrap, text_string(&line));
        wrap_end(&wrap);
    }
}
