/* SPDX-License-Identifier: MIT */
#include "cli/inspect/inspect.h"

/* The names of a kind, each once. */
static json_t *names_json(const struct code_listing *listing, enum code_kind kind)
{
    AUTO_STRLIST struct strlist names = {0};
    char name[CODE_NAME_SIZE];
    for (size_t i = 0; i < listing->count; i++) {
        code_architecture_name(&listing->entries[i], name);
        if (listing->entries[i].kind == kind)
            strlist_add_new(&names, name);
    }
    return json_from_list(&names);
}

static json_t *ptx_version_json(const struct code_entry *entry)
{
    if (entry->ptx_major == 0 && entry->ptx_minor == 0)
        return json_null();
    AUTO_FREE char *text = mem_printf("%u.%u", entry->ptx_major, entry->ptx_minor);
    return json_string(text);
}

/* Each once, in the order of the listing. */
static json_t *ptx_versions_json(const struct code_listing *listing)
{
    AUTO_STRLIST struct strlist versions = {0};
    for (size_t i = 0; i < listing->count; i++) {
        AUTO_JSON json_t *version = ptx_version_json(&listing->entries[i]);
        if (json_is_string(version))
            strlist_add_new(&versions, json_string_value(version));
    }
    return json_from_list(&versions);
}

static json_t *entries_json(const struct code_listing *listing)
{
    json_t *array = json_array();
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        char name[CODE_NAME_SIZE];
        code_architecture_name(entry, name);
        json_t *object = json_object();
        json_object_set_new(object, "kind", json_string(code_kind_name(entry->kind)));
        json_object_set_new(object, "name", json_string(name));
        json_object_set_new(object, "ptx_version", ptx_version_json(entry));
        json_object_set_new(object, "packing", json_string(code_packing_name(entry->packing)));
        json_object_set_new(object, "relocatable", json_boolean(entry->relocatable));
        json_object_set_new(object, "embedded", json_boolean(entry->embedded));
        json_object_set_new(object, "count", json_integer((json_int_t)entry->count));
        json_object_set_new(object, "bytes", json_integer((json_int_t)entry->bytes));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *error_json(const struct error *error)
{
    if (!error_is_set(error))
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "what", json_from_string(error->what));
    json_object_set_new(object, "why", json_from_string(error->why));
    return object;
}

static json_t *verdict_json(const struct inspected_gpu *gpu, const struct binary_verdict *verdict)
{
    AUTO_FREE char *name = inspected_gpu_name(gpu);
    AUTO_FREE char *code = verdict->code ? binary_code_name(verdict->code) : NULL;
    json_t *object = json_object();
    json_object_set_new(object, "gpu", json_from_string(name));
    json_object_set_new(object, "count", json_integer((json_int_t)gpu->count));
    json_object_set_new(object, "compute_capability", json_from_version(&gpu->gpu.capability));
    json_object_set_new(object, "verdict", json_string(binary_outcome_name(verdict->outcome)));
    json_object_set_new(object, "reason", json_from_string(verdict->reason));
    json_object_set_new(object, "why", json_from_string(verdict->why));
    json_object_set_new(object, "code", json_from_string(code));
    json_object_set_new(object, "driver_min", json_from_version(&verdict->driver_min));
    json_object_set_new(object, "row", json_from_string(verdict->row));
    json_object_set_new(object, "source", json_from_string(verdict->source));
    json_object_set_new(object, "confidence", json_from_string(verdict->confidence));
    return object;
}

static json_t *verdicts_json(const struct inspection *inspection, const struct inspected_code *code)
{
    json_t *array = json_array();
    for (size_t i = 0; i < code->verdict_count; i++)
        json_array_append_new(array, verdict_json(&inspection->gpus[i], &code->verdicts[i]));
    return array;
}

/* What is in a zip archive, member by member. */
static json_t *members_json(const struct inspection *inspection, const struct inspected *item)
{
    json_t *array = json_array();
    for (size_t i = 0; i < item->wheel.count; i++) {
        const struct wheel_member *member = &item->wheel.members[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_from_string(member->name));
        json_object_set_new(object, "kind", json_string(code_file_name(member->listing.file)));
        json_object_set_new(object, "sass", names_json(&member->listing, CODE_SASS));
        json_object_set_new(object, "ptx", names_json(&member->listing, CODE_PTX));
        json_object_set_new(object, "ptx_versions", ptx_versions_json(&member->listing));
        json_object_set_new(object, "verdicts", verdicts_json(inspection, &item->members[i]));
        json_object_set_new(object, "error", error_json(&member->error));
        json_array_append_new(array, object);
    }
    return array;
}

static void set_wheel(const struct inspection *inspection, const struct inspected *item,
                      json_t *object)
{
    const struct wheel *wheel = &item->wheel;
    json_object_set_new(object, "members", members_json(inspection, item));
    json_object_set_new(object, "members_all", json_integer((json_int_t)wheel->all));
    json_object_set_new(object, "members_nested", json_integer((json_int_t)wheel->nested));
    json_object_set_new(object, "members_twice", json_integer((json_int_t)wheel->twin_count));
    json_object_set_new(object, "unpacked", json_integer((json_int_t)wheel->unpacked));
}

static json_t *item_json(const struct inspection *inspection, const struct inspected *item)
{
    const struct code_listing *listing = &item->listing;
    json_t *object = json_object();
    json_object_set_new(object, "path", json_from_string(item->path));
    json_object_set_new(object, "kind",
                        error_is_set(&item->error) ? json_null()
                                                   : json_string(code_file_name(listing->file)));
    json_object_set_new(object, "size", json_integer((json_int_t)item->size));
    json_object_set_new(object, "sass", names_json(listing, CODE_SASS));
    json_object_set_new(object, "ptx", names_json(listing, CODE_PTX));
    json_object_set_new(object, "ptx_versions", ptx_versions_json(listing));
    json_object_set_new(object, "lto", names_json(listing, CODE_LTO_IR));
    json_object_set_new(object, "entries", entries_json(listing));
    json_object_set_new(object, "cuda", json_from_version(&item->code.binary.cuda));
    json_object_set_new(object, "cuda_min", json_from_version(&item->code.cuda));
    json_object_set_new(
        object, "cuda_newest",
        json_from_version(item->cuda_newest.count ? &item->cuda_newest : &item->code.binary.cuda));
    json_object_set_new(object, "toolkit", json_from_string(listing->toolkit));
    json_object_set_new(object, "driver_min", json_from_version(&item->code.needs.driver));
    json_object_set_new(object, "compute_capability_min",
                        json_from_version(&item->code.needs.capability));
    json_object_set_new(object, "members_elsewhere",
                        json_integer((json_int_t)listing->members_elsewhere));
    json_object_set_new(object, "unsearched", json_integer((json_int_t)listing->unsearched));
    if (item->is_wheel)
        set_wheel(inspection, item, object);
    json_object_set_new(object, "verdicts", verdicts_json(inspection, &item->code));
    json_object_set_new(object, "error", error_json(&item->error));
    return object;
}

void inspection_append_json(const struct report_input *input, const struct inspection *inspection,
                            struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *files = json_array(), *summary = json_object();
    for (size_t i = 0; i < inspection->count; i++)
        json_array_append_new(files, item_json(inspection, &inspection->items[i]));
    json_object_set_new(summary, "with_code", json_integer((json_int_t)inspection->with_code));
    json_object_set_new(summary, "without_code", json_integer((json_int_t)inspection->without));
    json_object_set_new(summary, "skipped", json_integer((json_int_t)inspection->skipped));
    json_object_set_new(summary, "again", json_integer((json_int_t)inspection->again));
    json_object_set_new(envelope, "files", files);
    json_object_set_new(envelope, "summary", summary);
    json_append_text(envelope, output);
}
