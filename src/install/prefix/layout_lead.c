/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/prefix/layout_private.h"
#include "manifest/toolkit/legacy.h"

/* Where a toolkit has its libraries and headers: what joins it goes there, whatever directories its
 * own archive has. NVIDIA's installers make lib64 a directory up to CUDA 10.0, and a link into
 * targets/ from 10.1 on; its lists of archives have lib, to which gpuenv makes lib64 lead. */

static bool is_cuda_by_layout(const struct plan_item *item)
{
    return item->layout && string_equal(item->product, "cuda");
}

/* The place that a row of legacy.layouts names, for the platform of the item. */
static char *place_named(const struct plan_item *item, const char *place)
{
    AUTO_FREE char *target = plan_item_target(item);
    return string_fill(place, MANIFEST_LAYOUT_TARGET, target);
}

/* What a link of the toolkit will lead to: "targets/x86_64-linux/lib"; NULL: it is no link. */
static char *lead_of(struct layout *layout, const struct plan *plan, const char *name)
{
    const struct ledger_file *there = layout_file(layout, name);
    size_t size = strlen(name);
    if (there)
        return there->type == LEDGER_LINK ? mem_string(there->target) : NULL;
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct plan_item *item = &plan->items[i];
        for (size_t k = 0; is_cuda_by_layout(item) && k < item->layout->links.count; k++) {
            const char *row = item->layout->links.items[k];
            if (strncmp(row, name, size) == 0 && string_starts(row + size, MANIFEST_LAYOUT_ARROW))
                return place_named(item, row + size + strlen(MANIFEST_LAYOUT_ARROW));
        }
    }
    return NULL;
}

/* Whether lib64 is a directory of its own, now or with what is to be installed. */
static bool has_own_lib64(struct layout *layout, const struct plan *plan)
{
    const struct ledger_file *there = layout_file(layout, "lib64");
    if (there)
        return there->type == LEDGER_DIRECTORY_ENTRY;
    for (size_t i = 0; i < plan->item_count; i++)
        if (is_cuda_by_layout(&plan->items[i]) && plan->items[i].layout->links.count == 0)
            return true;
    return false;
}

void layout_lead(struct layout *layout, const struct plan *plan)
{
    char *include = lead_of(layout, plan, "include");
    char *lib = lead_of(layout, plan, "lib64");
    if (lib == NULL)
        lib = mem_string(has_own_lib64(layout, plan) ? "lib64" : "lib");
    free(layout->lib);
    layout->lib = lib;
    if (include == NULL)
        return;
    free(layout->include);
    layout->include = include;
}

/* path with directory in the place of its first step name; NULL: it begins otherwise. */
static char *led(const char *path, const char *name, const char *directory)
{
    size_t size = strlen(name);
    if (strncmp(path, name, size) != 0 || (path[size] != '\0' && path[size] != '/'))
        return NULL;
    return mem_printf("%s%s", directory, path + size);
}

char *layout_led(const struct layout *layout, const struct plan_item *item, const char *path)
{
    if (string_equal(item->product, "cuda") || string_equal(path, "lib/pkgconfig") ||
        string_starts(path, "lib/pkgconfig/"))
        return mem_string(path);
    char *place = led(path, "include", layout->include);
    if (place == NULL)
        place = led(path, "lib64", layout->lib);
    if (place == NULL)
        place = led(path, "lib", layout->lib);
    return place ? place : mem_string(path);
}
