/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"
#include "manifest/cudnn.h"
#include "manifest/pin.h"

/* With --allow-unpinned a whole version is chosen that the manifest does not list. What pairs with
 * it is found by a release that stands for it: one of its minor, else of its major. */
struct unlisted {
    size_t index; /* of its SPEC */
    struct version version;
};
struct unlisted_list {
    struct unlisted *items;
    size_t count, capacity;
};

static void unlisted_free(struct unlisted_list *list)
{
    free(list->items);
}

static bool is_unlisted(struct manifest *manifest, const struct resolve_spec *spec)
{
    const struct version *version = &spec->version;
    return version->count >= 3 && manifest_pin_product(manifest, spec->product) &&
           manifest_pin_find(manifest, spec->product, version) == NULL &&
           !(string_equal(spec->product, "cuda") && manifest_cuda_find(manifest, version)) &&
           !(string_equal(spec->product, "cudnn") && manifest_cudnn_find(manifest, version));
}

static void find_unlisted(struct manifest *manifest, const struct resolve_specs *specs,
                          struct unlisted_list *list)
{
    for (size_t i = 0; i < specs->count; i++)
        if (is_unlisted(manifest, &specs->items[i]))
            *vec_push(list->items, list->count, list->capacity) =
                (struct unlisted){.index = i, .version = specs->items[i].version};
}

static void restore(const struct resolve_spec *spec, const struct version *version,
                    struct resolve_choice *choice)
{
    char text[VERSION_TEXT_SIZE];
    free(choice->version);
    free(choice->why);
    free(mem_steal(&choice->exact));
    strlist_free(&choice->limits);
    choice->version = mem_string(version_text(version, 0, text));
    choice->rule = "asked";
    choice->fit = FIT_UNKNOWN;
    choice->pin = "none";
    choice->row = choice->source = choice->confidence = choice->notes = NULL;
    choice->why =
        mem_printf("this manifest does not list %s: it does not tell what runs it", spec->text);
}

static void restore_all(const struct unlisted_list *list, const struct resolve_specs *specs,
                        struct resolution *resolution)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < resolution->chosen_count; k++)
            if (string_equal(resolution->chosen[k].product,
                             specs->items[list->items[i].index].product))
                restore(&specs->items[list->items[i].index], &list->items[i].version,
                        &resolution->chosen[k]);
}

bool installer_choose(const struct session *session, const struct arguments *arguments,
                      const struct resolve_machine *machine, struct resolve_specs *specs,
                      const struct resolve_spec *framework, struct resolution *ret_resolution,
                      struct error *error)
{
    AUTO(unlisted_free) struct unlisted_list list = {.items = NULL};
    bool ok = false;
    if (arguments_have(arguments, "allow-unpinned"))
        find_unlisted(session->manifest, specs, &list);
    for (unsigned parts = list.count > 0 ? 2 : 1; !ok && parts > 0; parts--) {
        for (size_t i = 0; i < list.count; i++)
            specs->items[list.items[i].index].version.count = parts;
        resolution_free(ret_resolution);
        ok = resolve(session->manifest, machine, specs, framework, ret_resolution, error);
    }
    if (ok)
        restore_all(&list, specs, ret_resolution);
    return ok;
}
