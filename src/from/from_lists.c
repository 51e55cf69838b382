/* SPDX-License-Identifier: MIT */
/* Lists: modules, packages; /proc/driver/nvidia/version. */
#include "from/from_private.h"

#include <ctype.h>

#include "probe/kernel/module_row.h"
#include "probe/kernel/nvrm.h"
#include "probe/system/package_wanted.h"

#define PACKAGES_MAX 1024
#define LINE_MAX     4096

size_t from_nvrm(struct from_part *part)
{
    static const char gone[] = "*** /proc/driver/nvidia/./version does not exist";
    size_t start = from_find(part, part->first, "NVRM version:");
    if (part->title && start == part->end) {
        size_t line = from_find(part, part->first, gone);
        if (line == part->end)
            return 0;
        from_absent(part, line, "module", "version");
        from_absent(part, line, "module", "version_line");
        return 1;
    }
    if (start == part->end || !string_starts(part->file->lines[start], "NVRM version:"))
        return 0;
    AUTO_TEXT struct text text = {0};
    AUTO(nvrm_free) struct nvrm nvrm = {0};
    for (size_t i = start; i < part->end && i < start + 2; i++)
        text_printf(&text, "%s\n", part->file->lines[i]);
    nvrm_parse(text_string(&text), text.size, &nvrm);
    if (nvrm.version == NULL)
        return 0;
    from_string(part, start, "module", "version_line", nvrm.line);
    from_string(part, start, "module", "version", nvrm.version);
    if (nvrm.flavour)
        from_string(part, start, "module", "flavour", nvrm.flavour);
    if (nvrm.compiler)
        from_string(part, start + 1, "module", "compiler", nvrm.compiler);
    from_boolean(part, start, "module", "nvidia", true);
    return 2;
}

/* "nvidia_uvm 4628480 2 …" as lsmod and /proc/modules have it; the number of users. */
static bool is_module(const char *line, char **ret_name, unsigned long long *ret_users)
{
    AUTO_STRLIST struct strlist words = {0};
    unsigned long long size;
    if (strlen(line) > LINE_MAX || !islower((unsigned char)line[0]))
        return false;
    strlist_split_words(&words, line);
    if (words.count < 3 || !string_to_decimal(words.items[1], 1ull << 40, &size) ||
        !string_to_decimal(words.items[2], 1 << 20, ret_users) || size < 1024)
        return false;
    *ret_name = mem_string(words.items[0]);
    return true;
}

/* Where the list is whole, a module that is not in it is not loaded. */
size_t from_modules(struct from_part *part)
{
    size_t head = from_find(part, part->first, "Module                  Size  Used by");
    bool raw = part->title && string_equal(part->title, "/proc/modules");
    bool seen[MODULE_ROWS] = {false};
    size_t used = 0, last = part->first;
    for (size_t i = head < part->end ? head + 1 : part->first; i < part->end; i++) {
        AUTO_FREE char *name = NULL;
        unsigned long long users;
        if (!is_module(part->file->lines[i], &name, &users)) {
            if (head < part->end && used > 0)
                break;
            continue;
        }
        if (head == part->end && !raw && !string_starts(name, "nvidia") &&
            !string_equal(name, "nouveau"))
            continue; /* lsmod | grep; anything else that looks like a module is none */
        used++;
        last = i;
        for (size_t k = 0; k < MODULE_ROWS; k++) {
            if (!string_equal(module_rows[k].module, name))
                continue;
            seen[k] = true;
            from_boolean(part, i, "module", module_rows[k].name, true);
        }
        if (string_equal(name, "nvidia"))
            from_integer(part, i, "module", "nvidia_users", (int64_t)users);
        if (string_equal(name, "nvidia_uvm"))
            from_integer(part, i, "module", "uvm_users", (int64_t)users);
    }
    for (size_t k = 0; k < MODULE_ROWS && used > 0 && (head < part->end || raw); k++)
        if (!seen[k])
            from_boolean(part, last, "module", module_rows[k].name, false);
    return used;
}

static void take_package(struct from_part *part, size_t line, const char *name, const char *version,
                         const char *status)
{
    AUTO_FREE char *plain = mem_string_n(name, strcspn(name, ":"));
    if (!package_is_wanted(plain) || part->from->packages >= PACKAGES_MAX)
        return;
    AUTO_FREE char *group = facts_group_name("package", plain);
    if (facts_peek(part->from->facts, group, "name"))
        return;
    part->from->packages++;
    from_string(part, line, group, "name", plain);
    from_string(part, line, group, "version", version);
    from_string(part, line, group, "status", status);
}

/* The second letter of "ii", and what dpkg's database calls it (dpkg-query(1)). */
static const char *status_of(const char *letters)
{
    switch (letters[1]) {
    case 'i':
        return "install ok installed";
    case 'U':
        return "install ok unpacked";
    case 'F':
        return "install ok half-configured";
    case 'H':
        return "install ok half-installed";
    case 'W':
        return "install ok triggers-awaited";
    case 't':
        return "install ok triggers-pending";
    default:
        return NULL; /* removed: only its configuration is there */
    }
}

size_t from_dpkg(struct from_part *part)
{
    bool whole = from_find(part, part->first, "||/ Name") < part->end;
    size_t used = 0, last = part->first;
    for (size_t i = part->first; i < part->end; i++) {
        const char *line = part->file->lines[i];
        if (strlen(line) > LINE_MAX || !line[0] || !strchr("uihrp", line[0]) || !line[1] ||
            !strchr("ncHUFWti", line[1]) || (line[2] != ' ' && line[2] != 'R') || line[3] != ' ')
            continue;
        AUTO_STRLIST struct strlist words = {0};
        strlist_split_words(&words, line);
        if (words.count < 4 || !isdigit((unsigned char)words.items[2][0]))
            continue;
        used++;
        last = i;
        if (status_of(line))
            take_package(part, i, words.items[1], words.items[2], status_of(line));
    }
    if (used > 0 && whole)
        from_integer(part, last, "package", "count", part->from->packages);
    return used;
}

/* "kernel-core-5.14.0-503.el9.x86_64": name, version and release, architecture. */
static bool is_rpm(const char *line, char **ret_name, char **ret_version)
{
    static const char *const ends[] = {".x86_64", ".aarch64", ".noarch", ".i686", ".(none)"};
    size_t size = strlen(line);
    const char *end = NULL;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && end == NULL; i++)
        if (string_ends(line, ends[i]))
            end = line + size - strlen(ends[i]);
    if (end == NULL || size > LINE_MAX || strpbrk(line, " \t/:"))
        return false;
    const char *release = memrchr(line, '-', (size_t)(end - line));
    const char *version = release ? memrchr(line, '-', (size_t)(release - line)) : NULL;
    if (version == NULL || !isdigit((unsigned char)version[1]))
        return false;
    *ret_name = mem_string_n(line, (size_t)(version - line));
    *ret_version = mem_string_n(version + 1, (size_t)(end - version - 1));
    return true;
}

size_t from_rpm(struct from_part *part)
{
    size_t used = 0;
    for (size_t i = part->first; i < part->end; i++) {
        AUTO_FREE char *name = NULL;
        AUTO_FREE char *version = NULL;
        if (!is_rpm(part->file->lines[i], &name, &version))
            continue;
        used++;
        take_package(part, i, name, version, "install ok installed");
    }
    return used;
}
