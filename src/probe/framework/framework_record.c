/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/python/metadata.h"

#define RECORD_SIZE_MAX  (32u << 20)
#define RECORD_FILES_MAX 4000 /* shared libraries of one package that are looked at */

static bool is_library(const struct record_entry *entry)
{
    const char *end = entry->path + entry->length;
    if (entry->length > 3 && memcmp(end - 3, ".so", 3) == 0)
        return true;
    for (const char *at = entry->path; at + 4 < end; at++)
        if (memcmp(at, ".so.", 4) == 0)
            return true;
    return false;
}

static void note_broken(struct record_check *check, const char *what, const char *path)
{
    if (check->broken.count < RECORD_BROKEN_MAX)
        strlist_take(&check->broken, mem_printf("%s: %s", what, path));
}

/* Another directory that the same Python imports from has it: a .pth file names where a part of the
 * package was moved to. */
static bool lies_elsewhere(const struct host *host, const struct python_environment *environment,
                           const char *relative)
{
    for (size_t i = 0; i < environment->sites.count; i++) {
        AUTO_FREE char *path = path_join(environment->sites.items[i], relative);
        if (host_exists(host, path))
            return true;
    }
    return false;
}

/* Shorter than RECORD says, and no longer a whole ELF file; one without its symbols is whole. */
static bool is_cut_off(const struct host *host, const char *path, uint64_t size,
                       const struct record_entry *entry)
{
    AUTO_ELF struct elf_info elf = {0};
    AUTO_ERROR struct error error = {0};
    return entry->sized && size < (uint64_t)entry->size &&
           elf_read(host, path, &elf, &error) == HOST_FAILED && error.kind == ERROR_DATA;
}

static void check_entry(const struct host *host, const struct python_environment *environment,
                        const char *site, const struct record_entry *entry,
                        struct record_check *check)
{
    AUTO_FREE char *relative = mem_string_n(entry->path, entry->length);
    AUTO_FREE char *path = path_join(site, relative);
    struct host_stat stat;
    enum host_status status = host_stat(host, path, &stat, NULL);
    if (status == HOST_ABSENT && !lies_elsewhere(host, environment, relative))
        note_broken(check, "missing", relative);
    else if (status == HOST_OK && is_cut_off(host, path, (uint64_t)stat.size, entry))
        note_broken(check, "cut off", relative);
    else if (status == HOST_OK && entry->sized && stat.size != entry->size)
        note_broken(check, "of another size than RECORD says", relative);
}

/* The libraries of NVIDIA's packages lie in one directory. */
static void note_name(const char *site, const struct record_entry *entry,
                      struct record_check *check)
{
    AUTO_FREE char *relative = mem_string_n(entry->path, entry->length);
    AUTO_FREE char *path = path_join(site, relative);
    AUTO_FREE char *directory = path_parent(path);
    if (check->directory == NULL && string_equal(path_base(directory), "lib"))
        check->directory = mem_string(directory);
    if (string_equal(check->directory, directory) && check->names.count < RECORD_NAMES_MAX)
        strlist_add_new(&check->names, path_base(path));
}

/* Debian's packages leave it out. */
static bool is_of_distribution(const char *site)
{
    return path_is_below(site, "/usr/lib") && string_ends(site, "/dist-packages");
}

void record_check(const struct host *host, const struct python_environment *environment,
                  const struct python_package *package, struct record_check *ret_check)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(package->info, "RECORD");
    ret_check->present = host_read(host, path, RECORD_SIZE_MAX, &text, NULL) == HOST_OK;
    if (!ret_check->present) {
        if (!is_of_distribution(package->site))
            strlist_add(&ret_check->broken, "no RECORD");
        return;
    }
    const char *at = text_string(&text), *end = at + text.size;
    struct record_entry entry;
    while (record_next(&at, end, &entry)) {
        if (!is_library(&entry) || ret_check->libraries++ >= RECORD_FILES_MAX)
            continue;
        check_entry(host, environment, package->site, &entry, ret_check);
        note_name(package->site, &entry, ret_check);
    }
}

static bool lies_there(const struct host *host, const struct python_environment *environment,
                       const struct python_package *package)
{
    AUTO_RECORD_CHECK struct record_check check = {.present = false};
    record_check(host, environment, package, &check);
    return check.present && check.libraries > 0 && check.broken.count == 0;
}

const struct python_package *record_holder(const struct host *host,
                                           const struct framework *framework)
{
    const struct python_environment *environment = framework->environment;
    if (framework->row->one || framework->beside.count == 0)
        return NULL;
    for (size_t i = 0; i < environment->package_count; i++) {
        const struct python_package *package = &environment->packages[i];
        if (package->build == NULL && framework_row_has(framework->row, package->name) &&
            lies_there(host, environment, package))
            return package;
    }
    return NULL;
}

void record_check_free(struct record_check *check)
{
    free(check->directory);
    strlist_free(&check->names);
    strlist_free(&check->broken);
}
