/* SPDX-License-Identifier: MIT */
#include "install/ledger.h"

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
    free(product->profile);
    strlist_free(&product->wishes);
    free(product->pin);
    free(product->accepted);
    for (size_t i = 0; i < product->component_count; i++)
        component_clear(&product->components[i]);
    free(product->components);
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
