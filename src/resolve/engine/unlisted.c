/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/device.h"
#include "manifest/gpu/gpu.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

/* A board that the driver does not list, though a later one does. */
struct unlisted {
    const char *device_id;
    const struct version *first; /* that does */
};

/* Of a model with several ids all must be unlisted: which of them the board has is not known. */
static bool is_unlisted(struct manifest *manifest, const struct strlist *ids,
                        const struct version *driver, struct unlisted *ret_unlisted)
{
    *ret_unlisted = (struct unlisted){.device_id = NULL};
    for (size_t i = 0; i < ids->count; i++) {
        const struct version *first;
        switch (manifest_device_listing(manifest, ids->items[i], driver, NULL, &first)) {
        case LISTING_YES:
            return false;
        case LISTING_NO:
            if (ret_unlisted->first == NULL || version_compare(first, ret_unlisted->first) < 0)
                *ret_unlisted = (struct unlisted){ids->items[i], first};
            break;
        case LISTING_UNKNOWN:
            break;
        }
    }
    return ret_unlisted->first != NULL;
}

static char *unlisted_words(const struct resolve_gpu *gpu, const struct version *driver,
                            const struct unlisted *unlisted)
{
    char have[VERSION_TEXT_SIZE], first[VERSION_TEXT_SIZE];
    return mem_printf("driver %s does not list this board: %s%s10de:%s%s; the first driver that "
                      "does is %s; an unlisted board may still work",
                      version_text(driver, 0, have), gpu->model ? gpu->model->name : "",
                      gpu->model ? " (" : "", unlisted->device_id, gpu->model ? ")" : "",
                      version_text(unlisted->first, 0, first));
}

void words_unlisted(const struct resolve_context *context, const struct version *driver,
                    struct strlist *limits)
{
    const struct resolve_machine *machine = &context->machine;
    bool is_here = !machine->driver_assumed && version_compare(driver, &machine->driver) == 0;
    for (size_t i = 0; driver->count && i < machine->gpu_count; i++) {
        const struct resolve_gpu *gpu = &machine->gpus[i];
        AUTO_STRLIST struct strlist ids = {0};
        struct unlisted unlisted;
        if (gpu->device_id)
            strlist_add(&ids, gpu->device_id);
        else if (gpu->model)
            strlist_copy(&ids, &gpu->model->device_ids);
        if ((gpu->is_driven && is_here) || !is_unlisted(context->manifest, &ids, driver, &unlisted))
            continue;
        AUTO_FREE char *words = unlisted_words(gpu, driver, &unlisted);
        strlist_add_new(limits, words);
    }
}
