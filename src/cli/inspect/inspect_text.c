/* SPDX-License-Identifier: MIT */
#include "cli/inspect/inspect.h"

#include <string.h>

#include "base/wrap.h"

#define LABEL_COLUMNS 12 /* where the values begin */
#define SHOWN         3  /* members that cannot run */

static void append_words(const struct report_input *input, const char *label, const char *words,
                         struct text *output)
{
    struct wrap wrap;
    text_printf(output, "  %-*s", LABEL_COLUMNS - 2, label);
    wrap_begin(&wrap, output, input->columns, LABEL_COLUMNS, LABEL_COLUMNS);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

/* "160 MB", as files are measured: by thousands. */
static char *size_words(uint64_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)size;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000;
        unit++;
    }
    return mem_printf(unit && value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static size_t count_of(const struct code_listing *listing, enum code_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < listing->count; i++)
        if (listing->entries[i].kind == kind)
            count += listing->entries[i].count;
    return count;
}

/* "sm_75, sm_80": each name once, in the order of the listing; of PTX with its versions. */
static char *list_words(const struct code_listing *listing, enum code_kind kind)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        char name[CODE_NAME_SIZE];
        if (entry->kind != kind)
            continue;
        code_architecture_name(entry, name);
        AUTO_FREE char *full =
            kind != CODE_PTX ? mem_string(entry->architecture ? name : "architecture not named")
            : entry->ptx_major || entry->ptx_minor
                ? mem_printf("%s (PTX %u.%u)", name, entry->ptx_major, entry->ptx_minor)
                : mem_printf("%s (version not stated)", name);
        strlist_add_new(&names, full);
    }
    return strlist_join(&names, ", ");
}

static void append_list(const struct report_input *input, const struct code_listing *listing,
                        enum code_kind kind, struct text *output)
{
    AUTO_FREE char *words = list_words(listing, kind);
    bool always = kind == CODE_SASS || kind == CODE_PTX;
    if (words[0] || always)
        append_words(input, code_kind_name(kind), words[0] ? words : "none", output);
}

/* "compressed (zstd)", "some compressed (lz4, zstd)", "not compressed" */
static char *packing_words(const struct code_listing *listing)
{
    AUTO_STRLIST struct strlist names = {0};
    bool plain = false;
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->entries[i].packing == CODE_PLAIN)
            plain = true;
        else
            strlist_add_new(&names, code_packing_name(listing->entries[i].packing));
    }
    AUTO_FREE char *joined = strlist_join(&names, ", ");
    if (names.count == 0)
        return mem_string("not compressed");
    return mem_printf("%scompressed (%s)", plain ? "some " : "", joined);
}

static void append_count(struct text *text, size_t count, const char *words)
{
    if (count)
        text_printf(text, "%s%zu %s", text->size ? ", " : "", count, words);
}

static void append_entries(const struct report_input *input, const struct code_listing *listing,
                           struct text *output)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *packing = packing_words(listing);
    size_t unlinked = 0, embedded = 0;
    for (size_t i = 0; i < listing->count; i++) {
        unlinked += listing->entries[i].relocatable ? listing->entries[i].count : 0;
        embedded += listing->entries[i].embedded ? listing->entries[i].count : 0;
    }
    append_count(&text, count_of(listing, CODE_SASS), "of SASS");
    append_count(&text, count_of(listing, CODE_PTX), "of PTX");
    append_count(&text, count_of(listing, CODE_LTO_IR), "of LTO-IR");
    append_count(&text, count_of(listing, CODE_OTHER), "of an unknown kind");
    text_printf(&text, "; %s", packing);
    if (unlinked)
        text_printf(&text, "; %zu must be linked first (relocatable)", unlinked);
    if (embedded)
        text_printf(&text, "; %zu in data that the library loads by itself", embedded);
    append_words(input, "entries", text_string(&text), output);
}

/* One line for each kind of entry. */
static void append_each(const struct report_input *input, const struct code_listing *listing,
                        struct text *output)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        char name[CODE_NAME_SIZE];
        AUTO_FREE char *size = size_words(entry->bytes);
        code_architecture_name(entry, name);
        AUTO_FREE char *words =
            mem_printf("%s: %zu, %s, packed: %s%s%s", name, entry->count, size,
                       code_packing_name(entry->packing), entry->relocatable ? ", relocatable" : "",
                       entry->embedded ? ", in data" : "");
        append_words(input, "", words, output);
    }
}

static void append_built(const struct report_input *input, const struct inspected *item,
                         struct text *output)
{
    char cuda[VERSION_TEXT_SIZE], newest[VERSION_TEXT_SIZE];
    const char *toolkit = item->listing.toolkit;
    AUTO_FREE char *words = NULL;
    version_text(&item->code.cuda, 0, cuda);
    if (item->code.cuda.count == 0)
        words = mem_string("the file does not say which CUDA version built it");
    else if (item->cuda_newest.count)
        words = mem_printf("members by CUDA %s to %s", cuda,
                           version_text(&item->cuda_newest, 0, newest));
    else if (item->code.cuda_least)
        words = mem_printf("by CUDA %s or later, judging by the code", cuda);
    else
        words = mem_printf("by CUDA %s%s%s%s", cuda, input->verbose && toolkit ? " (" : "",
                           input->verbose && toolkit ? toolkit : "",
                           input->verbose && toolkit ? ")" : "");
    append_words(input, "built", words, output);
}

static void append_needs(const struct report_input *input, const struct inspected *item,
                         struct text *output)
{
    char capability[VERSION_TEXT_SIZE], driver[VERSION_TEXT_SIZE];
    const struct binary_needs *needs = &item->code.needs;
    version_text(&needs->capability, 0, capability);
    version_text(&needs->driver, 0, driver);
    if (needs->capability.count == 0)
        return;
    AUTO_FREE char *words =
        needs->driver.count
            ? mem_printf("at least compute capability %s and driver %s%s", capability,
                         needs->driver.count == 1 ? "R" : "", driver)
            : mem_printf("at least compute capability %s; the minimum driver is not known",
                         capability);
    append_words(input, "needs", words, output);
}

static const char *outcome_words(enum binary_outcome outcome)
{
    static const char *const words[] = {
        [BINARY_RUNS] = "runs",
        [BINARY_JIT] = "runs by PTX JIT",
        [BINARY_UNKNOWN] = "unknown",
        [BINARY_DRIVER_DROPS] = "cannot run",
        [BINARY_DRIVER_TOO_OLD] = "cannot run",
        [BINARY_NO_IMAGE] = "cannot run",
    };
    return words[outcome];
}

/* "  2 x H100 SXM5 80GB (9.0): runs: machine code sm_90" */
static void append_verdict(const struct report_input *input, const struct inspected_gpu *gpu,
                           const struct binary_verdict *verdict, struct text *output)
{
    struct wrap wrap;
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *name = inspected_gpu_name(gpu);
    text_append(output, "  ");
    wrap_begin(&wrap, output, input->columns, 2, 4);
    if (gpu->count > 1)
        wrap_printf(&wrap, "%zu x", gpu->count);
    if (gpu->gpu.capability.count && !string_starts(name, "compute capability"))
        wrap_printf(&wrap, "%s (%s):", name, version_text(&gpu->gpu.capability, 0, text));
    else
        wrap_printf(&wrap, "%s:", name);
    bool needs = verdict->outcome != BINARY_RUNS && verdict->driver_min.count;
    wrap_printf(&wrap, "%s: %s%s", outcome_words(verdict->outcome), verdict->why, needs ? ";" : "");
    if (needs)
        wrap_printf(&wrap, "needs driver %s%s or later", verdict->driver_min.count == 1 ? "R" : "",
                    version_text(&verdict->driver_min, 0, text));
    if (input->verbose && verdict->row)
        wrap_printf(&wrap, "[%s, %s: %s]", verdict->row, verdict->confidence, verdict->source);
    wrap_end(&wrap);
}

static void append_error(const struct report_input *input, const char *label,
                         const struct error *error, struct text *output)
{
    AUTO_FREE char *words =
        mem_printf("%s%s%s", error->what, error->why ? ": " : "", error->why ? error->why : "");
    append_words(input, label, words, output);
}

/* What is not sound in a wheel, and of members with -v all. */
static void append_members(const struct report_input *input, const struct wheel *wheel,
                           struct text *output)
{
    for (size_t i = 0; i < wheel->count; i++) {
        const struct wheel_member *member = &wheel->members[i];
        bool broken = error_is_set(&member->error);
        if (!broken && !input->verbose)
            continue;
        append_words(input, "member", member->name, output);
        if (broken) {
            append_error(input, "", &member->error, output);
            continue;
        }
        AUTO_FREE char *sass = list_words(&member->listing, CODE_SASS);
        AUTO_FREE char *ptx = list_words(&member->listing, CODE_PTX);
        AUTO_FREE char *words = mem_printf("%s%s%s", sass, sass[0] && ptx[0] ? ", " : "", ptx);
        append_words(input, "", words, output);
    }
}

static void append_wheel(const struct report_input *input, const struct wheel *wheel,
                         struct text *output)
{
    AUTO_TEXT struct text text = {0};
    size_t with_code = 0;
    for (size_t i = 0; i < wheel->count; i++)
        with_code += wheel->members[i].listing.count > 0;
    text_printf(&text, "%zu of %zu members have GPU code", with_code, wheel->all);
    if (wheel->nested)
        text_printf(&text, "; %zu archives inside are not searched", wheel->nested);
    append_words(input, "members", text_string(&text), output);
    if (wheel->twin_count) {
        AUTO_FREE char *names = strlist_join(&wheel->twins, ", ");
        AUTO_FREE char *words =
            mem_printf("%zu %s the same name as an earlier member: %s", wheel->twin_count,
                       wheel->twin_count == 1 ? "has" : "have", names);
        append_words(input, "", words, output);
    }
    append_members(input, wheel, output);
}

static void append_contents(const struct report_input *input, const struct inspected *item,
                            struct text *output)
{
    const struct code_listing *listing = &item->listing;
    if (item->is_wheel)
        append_wheel(input, &item->wheel, output);
    if (listing->members_elsewhere) {
        AUTO_FREE char *words =
            mem_printf("%zu members of this thin archive are separate files, not searched",
                       listing->members_elsewhere);
        append_words(input, "members", words, output);
    }
    if (listing->count == 0)
        return;
    append_list(input, listing, CODE_SASS, output);
    append_list(input, listing, CODE_PTX, output);
    append_list(input, listing, CODE_LTO_IR, output);
    append_list(input, listing, CODE_OTHER, output);
    append_entries(input, listing, output);
    if (input->verbose)
        append_each(input, listing, output);
    append_built(input, item, output);
    append_needs(input, item, output);
}

/* The parts of an archive that cannot run where the whole can. */
static void append_failing(const struct report_input *input, const struct inspected *item,
                           size_t gpu, struct text *output)
{
    size_t count = 0;
    for (size_t i = 0; i < item->wheel.count; i++) {
        if (!inspected_member_fails(item, i, gpu) || (count++ >= SHOWN && !input->verbose))
            continue;
        struct wrap wrap;
        text_append(output, "    ");
        wrap_begin(&wrap, output, input->columns, 4, 6);
        wrap_printf(&wrap, "but not %s: %s", item->wheel.members[i].name,
                    item->members[i].verdicts[gpu].why);
        wrap_end(&wrap);
    }
    if (count > SHOWN && !input->verbose)
        text_printf(output, "    and %zu other members cannot run either (-v names them)\n",
                    count - SHOWN);
}

/* "; 52 MB of its data were not searched (--whole does)", or nothing. */
static char *unsearched_words(const struct code_listing *listing)
{
    AUTO_FREE char *size = size_words(listing->unsearched);
    if (listing->unsearched == 0)
        return mem_string("");
    return mem_printf("; %s of data were not searched (--whole searches everything)", size);
}

static void append_item(const struct report_input *input, const struct inspection *inspection,
                        const struct inspected *item, struct text *output)
{
    struct wrap wrap;
    AUTO_FREE char *size = size_words(item->size);
    wrap_begin(&wrap, output, UINT32_MAX, 0, 0);
    wrap_whole(&wrap, item->path);
    wrap_end(&wrap);
    if (error_is_set(&item->error)) {
        append_error(input, "not valid", &item->error, output);
        return;
    }
    AUTO_FREE char *left = unsearched_words(&item->listing);
    bool told = item->listing.count || inspected_is_broken(item);
    AUTO_FREE char *kind =
        mem_printf("%s, %s%s%s", code_file_name(item->listing.file), size,
                   told ? "" : ", without GPU code", told && !input->verbose ? "" : left);
    if (!input->quiet || item->listing.count == 0)
        append_words(input, "file", kind, output);
    if (!input->quiet)
        append_contents(input, item, output);
    else if (item->is_wheel)
        append_members(input, &item->wheel, output);
    for (size_t i = 0; i < item->code.verdict_count; i++) {
        append_verdict(input, &inspection->gpus[i], &item->code.verdicts[i], output);
        append_failing(input, item, i, output);
    }
}

/* What was left out, where more than one file was looked at. */
static void append_summary(const struct report_input *input, const struct inspection *inspection,
                           struct text *output)
{
    AUTO_TEXT struct text text = {0};
    text_printf(&text, "%zu %s GPU code", inspection->with_code,
                inspection->with_code == 1 ? "file has" : "files have");
    if (inspection->any_directory)
        text_printf(&text, ", %zu %s none", inspection->without,
                    inspection->without == 1 ? "has" : "have");
    if (inspection->again)
        text_printf(&text, "; %zu other names of files shown above are left out",
                    inspection->again);
    if (inspection->skipped)
        text_printf(&text, "; %zu links and special files are not followed", inspection->skipped);
    wrap_paragraph(output, input->columns, 0, text_string(&text));
}

void inspection_append_text(const struct report_input *input, const struct inspection *inspection,
                            struct text *output)
{
    size_t shown = 0;
    for (size_t i = 0; i < inspection->count; i++) {
        if (inspection->items[i].error.kind == ERROR_NO_INPUT)
            continue;
        text_append(output, shown++ && !input->quiet ? "\n" : "");
        append_item(input, inspection, &inspection->items[i], output);
    }
    bool many = inspection->any_directory || inspection->count > 1;
    bool unjudged = inspection->with_code > 0 && inspection->gpu_count == 0;
    text_append(output, shown && (many || unjudged) && !input->quiet ? "\n" : "");
    if (many && !input->quiet)
        append_summary(input, inspection, output);
    if (unjudged)
        wrap_paragraph(output, input->columns, 0,
                       "There is no GPU to check against. Name a GPU, for example with "
                       "--assume-gpu H100 --assume-driver 580.");
}
