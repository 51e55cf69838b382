/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/run/run.h"
#include "install/run/run_lock.h"
#include "install/run/run_lock_plan.h"

/* What the lock file names, held against the list of archives that was proved. */

/* path: below a mirror. */
static const struct catalog_entry *entry_find(const struct catalog_component *component,
                                              const char *product, const char *path)
{
    AUTO_FREE char *start = mem_printf("compute/%s/redist/", product);
    for (size_t i = 0; component && i < component->entry_count; i++)
        if (component->entries[i].layout && string_equal(component->entries[i].path, path))
            return &component->entries[i];
    for (size_t i = 0; component && i < component->entry_count; i++) {
        const struct catalog_entry *entry = &component->entries[i];
        if (entry->problem == NULL && string_starts(path, start) &&
            string_equal(entry->path, path + strlen(start)))
            return entry;
    }
    return NULL;
}

static bool refuse(const struct run *run, const struct lockfile_archive *archive,
                   const struct catalog *catalog, const struct catalog_entry *entry,
                   struct error *error)
{
    char hex[DIGEST_HEX_SIZE];
    error_set(error, ERROR_DATA, "the lock file contradicts the list of archives");
    error_where(error, "%s: %s", run->request->lock_path, archive->path);
    if (entry)
        error_why(error, "%s has sha256 %s, %llu bytes; the lock file %s, %llu bytes",
                  catalog->name, digest_hex(&entry->sha256, hex), (unsigned long long)entry->size,
                  archive->sha256, (unsigned long long)archive->size);
    else
        error_why(error, "%s has no such archive", catalog->name);
    return error_next(error, LOCKFILE_NEXT);
}

static bool check(const struct run *run, const struct catalog *catalog,
                  const struct lockfile_archive *archive, const struct catalog_entry *entry,
                  struct error *error)
{
    struct digest sha256;
    bool same = entry && digest_parse(archive->sha256, &sha256) &&
                digest_equal(&sha256, &entry->sha256) &&
                (entry->size == 0 || archive->size == entry->size) &&
                string_equal(archive->platform, entry->platform);
    return same || refuse(run, archive, catalog, entry, error);
}

/* The components come as the list has them. */
static bool take_components(struct run *run, size_t index, const struct lockfile_product *locked,
                            const char *platform, struct error *error)
{
    const struct request_product *product = &run->request->products[index];
    const struct catalog *catalog = &run->catalogs[index];
    for (size_t i = 0; i < catalog->component_count; i++) {
        const struct catalog_component *component = &catalog->components[i];
        const struct lockfile_archive *archive =
            lockfile_archive_find(locked, component->key, platform);
        if (archive == NULL) {
            plan_leave(&run->plan, product, component, NULL, mem_string("not in the lock file"));
            continue;
        }
        const struct catalog_entry *entry = entry_find(component, product->product, archive->path);
        if (!check(run, catalog, archive, entry, error))
            return false;
        plan_take(&run->plan, product, component, entry);
    }
    return true;
}

bool run_plan_locked(struct run *run, size_t index, const char *platform, struct error *error)
{
    const struct request_product *product = &run->request->products[index];
    const struct catalog *catalog = &run->catalogs[index];
    const struct lockfile_product *locked = run_locked(run, product->product);
    size_t before = run->plan.item_count;
    for (size_t i = 0; i < locked->archive_count; i++)
        if (!catalog_component_find(catalog, locked->archives[i].component))
            return refuse(run, &locked->archives[i], catalog, NULL, error);
    if (!take_components(run, index, locked, platform, error))
        return false;
    if (run->plan.item_count > before)
        return true;
    error_set(error, ERROR_DATA, "the lock file contradicts itself");
    error_where(error, "%s: %s", run->request->lock_path, product->product);
    error_why(error, "the lock file is for %s, but has no archive for this platform", platform);
    return error_next(error, LOCKFILE_NEXT);
}

static bool is_installed(const struct ledger_product *there, const struct lockfile_product *locked,
                         const char *platform)
{
    size_t wanted = 0;
    for (size_t i = 0; i < locked->archive_count; i++) {
        const struct lockfile_archive *archive = &locked->archives[i];
        wanted += lockfile_archive_find(locked, archive->component, platform) == archive;
    }
    for (size_t i = 0; i < there->component_count; i++) {
        const struct ledger_component *component = &there->components[i];
        const struct lockfile_archive *archive =
            lockfile_archive_find(locked, component->name, platform);
        char hex[DIGEST_HEX_SIZE];
        if (archive == NULL || !string_equal(archive->sha256, digest_hex(&component->sha256, hex)))
            return false;
    }
    return wanted == there->component_count;
}

bool run_lock_is_installed(const struct run *run)
{
    if (!run_is_locked(run))
        return true;
    for (size_t i = 0; i < run->request->product_count; i++) {
        const char *product = run->request->products[i].product;
        const struct ledger_product *there = ledger_product_find(&run->prefix.ledger, product);
        if (there == NULL || !is_installed(there, run_locked(run, product), run->request->platform))
            return false;
    }
    return true;
}
