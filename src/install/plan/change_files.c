/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/plan/change.h"

/* What stays of a tree when it becomes another one. */

/* What plan_keeps() tells apart. */
static bool is_filtered(const char *extent)
{
    return string_equal(extent, extent_word(EXTENT_RUNTIME));
}

bool change_has(const struct ledger *ledger, const struct ledger_product *product,
                const struct ledger_component *component)
{
    const struct ledger_product *there = ledger_product_find(ledger, product->product);
    if (there == NULL || is_filtered(there->extent) != is_filtered(product->extent))
        return false;
    for (size_t i = 0; i < there->component_count; i++)
        if (string_equal(there->components[i].name, component->name) &&
            digest_equal(&there->components[i].sha256, &component->sha256))
            return true;
    return false;
}

/* "cuda/cuda_cudart" is in both, by the same archive. */
static bool owner_stays(const struct ledger *ledger, const struct ledger *next, const char *owner)
{
    const char *slash = strchr(owner, '/');
    AUTO_FREE char *name = slash ? mem_string_n(owner, (size_t)(slash - owner)) : NULL;
    const struct ledger_product *product = name ? ledger_product_find(next, name) : NULL;
    for (size_t i = 0; product && i < product->component_count; i++)
        if (string_equal(product->components[i].name, slash + 1))
            return change_has(ledger, product, &product->components[i]);
    return false;
}

static void add_staying_owners(const struct ledger *ledger, const struct ledger *next,
                               struct strlist *staying)
{
    for (size_t i = 0; i < ledger->product_count; i++)
        for (size_t k = 0; k < ledger->products[i].component_count; k++) {
            const struct ledger_product *product = &ledger->products[i];
            AUTO_FREE char *owner =
                mem_printf("%s/%s", product->product, product->components[k].name);
            if (owner_stays(ledger, next, owner))
                strlist_add(staying, owner);
        }
}

/* What gpuenv adds itself: version.json says what the toolkit consists of, lib64 is only a link. */
static bool own_file_stays(const struct ledger *ledger, const struct ledger *next, const char *path)
{
    const struct ledger_product *cuda = ledger_product_find(ledger, "cuda");
    const struct ledger_product *next_cuda = ledger_product_find(next, "cuda");
    if (string_equal(path, "version.json") || string_equal(path, "version.txt"))
        return cuda && next_cuda && ledger_is_same_state(cuda, next_cuda);
    return true;
}

void change_keep_files(const struct ledger *ledger, const struct ledger *next,
                       struct ledger *ret_kept)
{
    AUTO_STRLIST struct strlist staying = {0};
    add_staying_owners(ledger, next, &staying);
    for (size_t i = 0; i < ledger->file_count; i++) {
        const struct ledger_file *file = &ledger->files[i];
        struct strlist owners = {0};
        for (size_t k = 0; k < file->owners.count; k++)
            if (strlist_has(&staying, file->owners.items[k]) ||
                (string_equal(file->owners.items[k], LEDGER_OWN) &&
                 own_file_stays(ledger, next, file->path)))
                strlist_add(&owners, file->owners.items[k]);
        if (owners.count == 0)
            continue;
        struct ledger_file *kept =
            vec_push(ret_kept->files, ret_kept->file_count, ret_kept->file_capacity);
        *kept = *file;
        kept->path = mem_string(file->path);
        kept->target = mem_string(file->target);
        kept->owners = owners;
        kept->is_there = true;
    }
}
