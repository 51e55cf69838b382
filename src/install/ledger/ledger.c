/* SPDX-License-Identifier: MIT */
#include "install/ledger/ledger.h"

#include <string.h>

static void component_clear(struct ledger_component *component)
{
    free(component->name);
    free(component->version);
    free(component->platform);
    free(component->variant);
    free(component->archive);
    free(component->licence);
}

static void product_clear(struct ledger_product *product)
{
    free(product->product);
    free(product->version);
    free(product->variant);
    free(product->spec);
    free(product->extent);
    strlist_free(&product->wishes);
    free(product->pin);
    free(product->accepted);
    for (size_t i = 0; i < product->component_count; i++)
        component_clear(&product->components[i]);
    free(product->components);
    for (size_t i = 0; i < product->previous_count; i++)
        product_clear(&product->previous[i]);
    free(product->previous);
}

static void file_clear(struct ledger_file *file)
{
    free(file->path);
    free(file->target);
    strlist_free(&file->owners);
}

void ledger_free(struct ledger *ledger)
{
    free(ledger->gpuenv);
    for (size_t i = 0; i < ledger->product_count; i++)
        product_clear(&ledger->products[i]);
    free(ledger->products);
    for (size_t i = 0; i < ledger->file_count; i++)
        file_clear(&ledger->files[i]);
    free(ledger->files);
    strlist_free(&ledger->remove);
    *ledger = (struct ledger){.gpuenv = NULL};
}

static int compare_path(const void *key, const void *element)
{
    return strcmp(key, ((const struct ledger_file *)element)->path);
}

const struct ledger_file *ledger_find(const struct ledger *ledger, const char *path)
{
    if (ledger->file_count == 0)
        return NULL;
    return bsearch(path, ledger->files, ledger->file_count, sizeof(*ledger->files), compare_path);
}

const struct ledger_product *ledger_product_find(const struct ledger *ledger, const char *product)
{
    for (size_t i = 0; i < ledger->product_count; i++)
        if (string_equal(ledger->products[i].product, product))
            return &ledger->products[i];
    return NULL;
}

const char *ledger_type_word(enum ledger_type type)
{
    static const char *const words[] = {
        [LEDGER_FILE] = "file", [LEDGER_DIRECTORY_ENTRY] = "directory", [LEDGER_LINK] = "link"};
    return words[type];
}

static void component_copy(struct ledger_component *to, const struct ledger_component *from)
{
    *to = (struct ledger_component){.name = mem_string(from->name),
                                    .version = mem_string(from->version),
                                    .platform = mem_string(from->platform),
                                    .variant = mem_string(from->variant),
                                    .archive = mem_string(from->archive),
                                    .size = from->size,
                                    .sha256 = from->sha256,
                                    .licence = mem_string(from->licence)};
}

static void product_copy(struct ledger_product *to, const struct ledger_product *from)
{
    *to = (struct ledger_product){.product = mem_string(from->product),
                                  .version = mem_string(from->version),
                                  .variant = mem_string(from->variant),
                                  .spec = mem_string(from->spec),
                                  .extent = mem_string(from->extent),
                                  .pin = mem_string(from->pin),
                                  .catalog = from->catalog,
                                  .accepted = mem_string(from->accepted),
                                  .change = from->change};
    strlist_copy(&to->wishes, &from->wishes);
    for (size_t i = 0; i < from->component_count; i++)
        component_copy(vec_push(to->components, to->component_count, to->component_capacity),
                       &from->components[i]);
}

struct ledger_product *ledger_product_add(struct ledger *ledger,
                                          const struct ledger_product *product)
{
    struct ledger_product *copy =
        vec_push(ledger->products, ledger->product_count, ledger->product_capacity);
    product_copy(copy, product);
    copy->change = 0;
    return copy;
}

bool ledger_is_same_state(const struct ledger_product *a, const struct ledger_product *b)
{
    if (!string_equal(a->version, b->version) || !string_equal(a->variant, b->variant) ||
        !string_equal(a->extent, b->extent) || a->component_count != b->component_count)
        return false;
    for (size_t i = 0; i < a->component_count; i++)
        if (!digest_equal(&a->components[i].sha256, &b->components[i].sha256))
            return false;
    return true;
}

static void remember(struct ledger_product *product, const struct ledger_product *earlier,
                     unsigned change)
{
    if (ledger_is_same_state(product, earlier) || product->previous_count >= LEDGER_PREVIOUS_MAX)
        return;
    struct ledger_product *copy =
        vec_push(product->previous, product->previous_count, product->previous_capacity);
    product_copy(copy, earlier);
    copy->change = change;
}

void ledger_product_replace(struct ledger_product *product, const struct ledger_product *replaced,
                            unsigned change)
{
    remember(product, replaced, change);
    ledger_product_remember(product, replaced);
}

void ledger_product_remember(struct ledger_product *product, const struct ledger_product *there)
{
    for (size_t i = 0; i < there->previous_count; i++)
        remember(product, &there->previous[i], there->previous[i].change);
}

unsigned ledger_last_change(const struct ledger *ledger)
{
    unsigned last = 0;
    for (size_t i = 0; i < ledger->product_count; i++)
        for (size_t k = 0; k < ledger->products[i].previous_count; k++)
            if (ledger->products[i].previous[k].change > last)
                last = ledger->products[i].previous[k].change;
    return last;
}

static int compare_products(const void *a, const void *b)
{
    const char *one = ((const struct ledger_product *)a)->product;
    const char *other = ((const struct ledger_product *)b)->product;
    bool first = string_equal(one, "cuda"), second = string_equal(other, "cuda");
    return first != second ? (int)second - (int)first : strcmp(one, other);
}

void ledger_sort_products(struct ledger *ledger)
{
    if (ledger->product_count > 1)
        qsort(ledger->products, ledger->product_count, sizeof(*ledger->products), compare_products);
}
