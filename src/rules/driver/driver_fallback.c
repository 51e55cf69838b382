/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/driver/driver_gpu.h"
#include "rules/query/judged.h"

/* Whether modprobe loads the module only when it is named, in the initramfs and in the system:
 * rd.driver.blacklist= holds in the initramfs alone. */
static bool is_kept_away(const struct facts *facts, const char *module)
{
    static const char key[] = "modprobe.blacklist=";
    const struct strlist *options = facts_list(facts, "boot", "options");
    for (size_t i = 0; options && i < options->count; i++) {
        AUTO_STRLIST struct strlist modules = {0};
        if (!string_starts(options->items[i], key))
            continue;
        strlist_split(&modules, options->items[i] + strlen(key), ',');
        if (strlist_has(&modules, module))
            return true;
    }
    return false;
}

const char *driver_fallback(const struct facts *facts)
{
    static const struct {
        const char *fact, *module;
    } drivers[] = {{"nouveau", "nouveau"}, {"nova", "nova_core"}};
    if (facts_true(facts, "module", "nvidia") || driver_is_absent(facts))
        return NULL;
    for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
        if (facts_true(facts, "module", drivers[i].fact) && is_kept_away(facts, drivers[i].module))
            return drivers[i].module;
    return NULL;
}
