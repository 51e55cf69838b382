/* SPDX-License-Identifier: MIT */
#include "manifest/package/package.h"

#include <string.h>

#include "base/shell.h"
#include "base/text.h"

static void list_missing(const struct manifest_package *package, const struct manifest_apt *apt,
                         struct strlist *missing)
{
    for (size_t i = 0; i < package->components.count; i++)
        if (apt->enabled == NULL || !strlist_has(apt->enabled, package->components.items[i]))
            strlist_add(missing, package->components.items[i]);
}

/* sources.list(5): a paragraph names its components in a field, a line after its suite. */
static char *enable_command(const char *file, const struct strlist *missing)
{
    AUTO_FREE char *names = strlist_join(missing, " ");
    AUTO_FREE char *quoted = shell_quote(file);
    if (string_ends(file, ".sources"))
        return mem_printf("sudo sed -i '/^Components:/ s/$/ %s/' %s", names, quoted);
    return mem_printf("sudo sed -i '/^deb / s/ main/& %s/' %s", names, quoted);
}

char *manifest_apt_line(const struct manifest_package *package, const struct manifest_apt *apt,
                        const char *line)
{
    AUTO_STRLIST struct strlist missing = {0};
    if (apt->enabled == NULL || apt->file == NULL)
        return mem_string(line);
    list_missing(package, apt, &missing);
    if (missing.count == 0)
        return mem_string(line);
    AUTO_FREE char *enable = enable_command(apt->file, &missing);
    const char *update = strstr(line, "apt-get update") ? "" : "sudo apt-get update && ";
    return mem_printf("%s && %s%s", enable, update, line);
}

char *manifest_apt_note(const struct manifest_package *package, const struct manifest_apt *apt)
{
    AUTO_STRLIST struct strlist missing = {0};
    AUTO_TEXT struct text note = {0};
    list_missing(package, apt, &missing);
    if (missing.count == 0 || (apt->enabled && apt->file))
        return NULL;
    for (size_t i = 0; i < missing.count; i++)
        text_printf(&note, "%s%s",
                    i == 0                  ? ""
                    : i + 1 < missing.count ? ", "
                                            : " and ",
                    missing.items[i]);
    return mem_printf("needs the component%s %s in apt's sources", missing.count == 1 ? "" : "s",
                      text_string(&note));
}
