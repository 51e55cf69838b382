/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/nearest.h"
#include "install/plan/plan.h"
#include "install/unpack/unpack.h"
#include "manifest/toolkit/component.h"

/* Which components of a release are wanted. */

struct choosing {
    struct plan *plan;
    const struct catalog *catalog;
    const struct request *request;
    const struct request_product *product;
    struct manifest *manifest;
    bool *named; /* of each --component: met in this catalog */
};

/* What the release calls the component: cuda_cccl is cccl from 13.3 on, and the other way round. */
static const char *name_in_release(const struct choosing *choosing, const char *name)
{
    size_t count;
    const struct manifest_component *rows = manifest_component_all(choosing->manifest, &count);
    if (catalog_component_find(choosing->catalog, name))
        return name;
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].product, choosing->product->product) || !rows[i].renamed_to)
            continue;
        if (string_equal(rows[i].component, name) &&
            catalog_component_find(choosing->catalog, rows[i].renamed_to))
            return rows[i].renamed_to;
        if (string_equal(rows[i].renamed_to, name) &&
            catalog_component_find(choosing->catalog, rows[i].component))
            return rows[i].component;
    }
    return NULL;
}

bool plan_knows(const struct catalog *catalog, const struct request_product *product,
                struct manifest *manifest, const char *word)
{
    const struct choosing choosing = {.catalog = catalog, .product = product, .manifest = manifest};
    return name_in_release(&choosing, word + (word[0] == '-' || word[0] == '+')) != NULL;
}

/* "--component cuda_gdb" or "+cuda_gdb" widens the extent, "-cuda_cupti" narrows it. */
enum wish { WISH_NONE, WISH_IN, WISH_OUT };
static enum wish wish_of(const struct choosing *choosing, const char *key)
{
    enum wish wish = WISH_NONE;
    for (size_t i = 0; i < choosing->request->components.count; i++) {
        const char *word = choosing->request->components.items[i];
        bool out = word[0] == '-';
        const char *name = word + (out || word[0] == '+');
        if (!string_equal(name_in_release(choosing, name), key))
            continue;
        choosing->named[i] = true;
        wish = out ? WISH_OUT : WISH_IN;
    }
    return wish;
}

void plan_leave(struct plan *plan, const struct request_product *product,
                const struct catalog_component *component, const struct catalog_entry *entry,
                char *reason)
{
    struct plan_excluded *excluded =
        vec_push(plan->excluded, plan->excluded_count, plan->excluded_capacity);
    excluded->product = mem_string(product->product);
    excluded->component = mem_string(component->key);
    excluded->reason = reason;
    excluded->size = entry && !entry->layout ? entry->size : 0; /* else it is in another's */
    if (__builtin_add_overflow(plan->saved, excluded->size, &plan->saved))
        plan->saved = UINT64_MAX;
}

static void exclude(struct choosing *choosing, const struct catalog_component *component,
                    const struct catalog_entry *entry, char *reason)
{
    plan_leave(choosing->plan, choosing->product, component, entry, reason);
}

void plan_take(struct plan *plan, const struct request_product *product,
               const struct catalog_component *component, const struct catalog_entry *entry)
{
    struct plan_item *item = vec_push(plan->items, plan->item_count, plan->item_capacity);
    char text[VERSION_TEXT_SIZE];
    item->product = mem_string(product->product);
    item->release = mem_string(version_text(&product->version, 0, text));
    item->component = mem_string(component->key);
    item->version = mem_string(component->version);
    item->platform = mem_string(entry->platform);
    item->variant = mem_string(entry->variant);
    item->layout = entry->layout;
    item->url = mem_string(entry->url);
    item->path = entry->layout ? mem_string(entry->path)
                               : mem_printf("compute/%s/redist/%s", product->product, entry->path);
    item->size = entry->size;
    item->sha256 = entry->sha256;
    item->licence = mem_string(component->license);
    if (component->license_path)
        item->licence_path =
            mem_printf("compute/%s/redist/%s", product->product, component->license_path);
    if (component->license)
        strlist_add_new(&plan->licences, component->license);
}

static char *why_excluded(const struct choosing *choosing, const struct manifest_component *row)
{
    if (row == NULL)
        return mem_string("not known to this gpuenv");
    if (row->extents.count == 0)
        return mem_string(row->kind);
    return mem_printf("not in profile %s", extent_word(choosing->request->extent));
}

static bool refuse_entry(const struct choosing *choosing, const struct catalog_component *component,
                         const struct catalog_entry *entry, const char *why, struct error *error)
{
    error_set(error, ERROR_DATA, "%s cannot be installed", component->key);
    error_where(error, "%s: %s.%s", choosing->catalog->name, component->key, entry->platform);
    error_why(error, "%s", why);
    return error_next(error, "report this file to %s, or leave the component out: --component=-%s",
                      entry->problem ? "NVIDIA" : "gpuenv", component->key);
}

static bool include(struct choosing *choosing, const struct catalog_component *component,
                    const struct catalog_entry *entry, struct error *error)
{
    enum unpack_format format;
    if (entry->problem)
        return refuse_entry(choosing, component, entry, entry->problem, error);
    if (entry->layout == NULL && !unpack_format_of(entry->path, &format)) {
        AUTO_FREE char *why = mem_printf(
            "%s is not a .tar.xz, .tar.gz, .tgz or .zip file; gpuenv unpacks no other formats",
            entry->path);
        return refuse_entry(choosing, component, entry, why, error);
    }
    plan_take(choosing->plan, choosing->product, component, entry);
    return true;
}

/* What is the same for all platforms has an entry of its own, beside none for the platform. */
static const struct catalog_entry *entry_for(const struct catalog_component *component,
                                             const char *platform, const struct version *cuda)
{
    const char *const platforms[] = {platform, "linux-all", "source"};
    const struct catalog_entry *entry = NULL;
    for (size_t i = 0; entry == NULL && i < sizeof(platforms) / sizeof(*platforms); i++)
        entry = catalog_entry_find(component, platforms[i], cuda);
    return entry;
}

static char *why_not_there(const struct catalog_component *component, const char *platform,
                           const struct version *cuda)
{
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < component->entry_count; i++)
        if (cuda->count && component->entries[i].variant &&
            string_equal(component->entries[i].platform, platform))
            return mem_printf("not for CUDA %s", version_text(cuda, 0, text));
    return mem_printf("not for %s", platform);
}

static bool consider(struct choosing *choosing, const struct catalog_component *component,
                     struct error *error)
{
    const struct request *request = choosing->request;
    const char *product = choosing->product->product;
    const struct version *cuda =
        string_equal(product, "cuda") ? &choosing->product->version : &choosing->product->cuda;
    const struct manifest_component *row =
        manifest_component_find(choosing->manifest, product, component->key);
    const struct catalog_entry *entry = entry_for(component, request->platform, cuda);
    enum wish wish = wish_of(choosing, component->key);
    bool in_extent = row && strlist_has(&row->extents, extent_word(request->extent));
    if (wish == WISH_OUT) {
        exclude(choosing, component, entry, mem_string("left out by --component"));
        return true;
    }
    if (!in_extent && wish == WISH_NONE) {
        exclude(choosing, component, entry, why_excluded(choosing, row));
        return true;
    }
    if (entry)
        return include(choosing, component, entry, error);
    if (wish == WISH_IN) {
        error_set(error, ERROR_UNSATISFIABLE, "%s is not available for %s", component->key,
                  request->platform);
        error_where(error, "%s", choosing->catalog->name);
        return error_next(error, "omit --component %s", component->key);
    }
    exclude(choosing, component, NULL, why_not_there(component, request->platform, cuda));
    return true;
}

static bool has_item(const struct choosing *choosing, const char *component)
{
    const struct plan *plan = choosing->plan;
    for (size_t i = 0; i < plan->item_count; i++)
        if (string_equal(plan->items[i].product, choosing->product->product) &&
            string_equal(plan->items[i].component, component))
            return true;
    return false;
}

/* What an extent is of no use without. */
static bool indispensable_are_there(const struct choosing *choosing, struct error *error)
{
    size_t count;
    const struct manifest_component *rows = manifest_component_all(choosing->manifest, &count);
    const char *extent = extent_word(choosing->request->extent);
    if (choosing->catalog->is_single)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].product, choosing->product->product) ||
            !strlist_has(&rows[i].required_for, extent) ||
            wish_of(choosing, rows[i].component) == WISH_OUT ||
            has_item(choosing, rows[i].component))
            continue;
        error_set(error, ERROR_UNSATISFIABLE, "%s has no %s for %s, which profile %s needs",
                  choosing->product->spec, rows[i].component, choosing->request->platform, extent);
        error_where(error, "%s", choosing->catalog->name);
        return error_next(error, "choose another version, or another --platform");
    }
    return true;
}

/* "linux-sbsa cuda12, linux-x86_64 cuda12" */
static char *platforms_of(const struct catalog *catalog)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < catalog->component_count; i++)
        for (size_t k = 0; k < catalog->components[i].entry_count; k++) {
            const struct catalog_entry *entry = &catalog->components[i].entries[k];
            AUTO_FREE char *words = mem_printf("%s%s%s", entry->platform, entry->variant ? " " : "",
                                               entry->variant ? entry->variant : "");
            strlist_add_new(&list, words);
        }
    strlist_sort(&list);
    return strlist_join(&list, ", ");
}

static bool nothing_chosen(const struct choosing *choosing, struct error *error)
{
    const struct request_product *product = choosing->product;
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *variant =
        product->cuda.count ? mem_printf(" and CUDA %s", version_text(&product->cuda, 0, text))
                            : mem_string("");
    error_set(error, ERROR_UNSATISFIABLE, "%s has no files for %s%s in profile %s", product->spec,
              choosing->request->platform, variant, extent_word(choosing->request->extent));
    error_where(error, "%s", choosing->catalog->name);
    AUTO_FREE char *there = platforms_of(choosing->catalog);
    error_why(error, "it has %s", *there ? there : "nothing");
    if (product->cuda.count == 0 && !string_equal(product->product, "cuda"))
        return error_next(error,
                          "if there are builds for several CUDA versions, name a CUDA version too "
                          "(cuda@12.8); or choose another --platform, --profile or version");
    return error_next(error, "choose another --platform, --profile or version");
}

bool plan_add(struct plan *plan, const struct catalog *catalog, const struct request *request,
              const struct request_product *product, struct manifest *manifest, struct error *error)
{
    AUTO_FREE bool *named = mem_alloc(request->components.count + 1);
    struct choosing choosing = {.plan = plan,
                                .catalog = catalog,
                                .request = request,
                                .product = product,
                                .manifest = manifest,
                                .named = named};
    size_t before = plan->item_count;
    for (size_t i = 0; i < catalog->component_count; i++)
        if (!consider(&choosing, &catalog->components[i], error))
            return false;
    for (size_t i = 0; i < request->components.count; i++)
        if (named[i])
            strlist_add_new(&plan->named, request->components.items[i]);
    if (plan->item_count == before)
        return nothing_chosen(&choosing, error);
    return indispensable_are_there(&choosing, error);
}

static bool refuse_component(const struct plan *plan, const char *word, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < plan->item_count; i++)
        strlist_add_new(&names, plan->items[i].component);
    for (size_t i = 0; i < plan->excluded_count; i++)
        strlist_add_new(&names, plan->excluded[i].component);
    const char *near = nearest_match(word + (word[0] == '-' || word[0] == '+'), &names);
    error_set(error, ERROR_USAGE,
              "--component: \"%s\" is not a component of the requested products", word);
    if (near)
        return error_next(error, "did you mean %s? gpuenv plan -v lists all components", near);
    return error_next(error, "gpuenv plan -v lists all components");
}

bool plan_components_known(const struct plan *plan, const struct request *request,
                           struct error *error)
{
    for (size_t i = 0; i < request->components.count; i++) {
        const char *word = request->components.items[i];
        if (strlist_has(&plan->named, word))
            continue;
        return refuse_component(plan, word, error);
    }
    return true;
}
