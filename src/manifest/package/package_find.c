/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/package/package_table.h"
#include "manifest/versions/driver.h"

bool manifest_package_takes_branch(const struct manifest_package *package)
{
    for (size_t i = 0; i < package->commands.count; i++)
        if (strstr(package->commands.items[i], "BRANCH") != NULL)
            return true;
    return false;
}

static bool has_branch(const struct manifest_package *package, unsigned branch)
{
    bool takes = manifest_package_takes_branch(package);
    if (branch == 0)
        return !takes;
    if (!takes)
        return package->branch_min == branch && package->branch_max == branch;
    if (branch < package->branch_min || (package->branch_max > 0 && branch > package->branch_max))
        return false;
    AUTO_FREE char *text = mem_printf("%u", branch);
    return package->branches.count == 0 || strlist_has(&package->branches, text);
}

/* Whether release is that of a row, and how closely: the parts of the row's release, plus one. */
static unsigned release_rank(const struct version *release, const struct version *row)
{
    if (row->count == 0)
        return 1;
    return release->count > 0 && version_within(release, row) ? row->count + 1 : 0;
}

static bool is_like(const struct manifest_system *system, const char *id)
{
    if (system->like == NULL)
        return false;
    size_t size = strlen(id);
    for (const char *at = system->like; (at = strstr(at, id)) != NULL; at++)
        if ((at == system->like || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

/* How closely a row is the system's: 0 not at all; 1 of a system it is like; then of its own. */
static unsigned package_rank(const struct manifest_package *package,
                             const struct manifest_system *system)
{
    if (system->id != NULL &&
        (string_equal(package->system, system->id) || strlist_has(&package->same, system->id))) {
        unsigned rank = release_rank(&system->release, &package->release);
        return rank > 0 ? rank + 1 : 0;
    }
    return package->release.count == 0 && is_like(system, package->system) ? 1 : 0;
}

static bool is_wanted(const struct manifest_package *package,
                      const struct manifest_package_query *query)
{
    return (query->repository == NULL || string_equal(package->repository, query->repository)) &&
           (query->flavour == NULL || string_equal(package->flavour, query->flavour)) &&
           string_equal(package->use, query->use != NULL ? query->use : "desktop");
}

static bool branch_is_listed(struct manifest *manifest, unsigned branch)
{
    const struct version driver = {.part = {branch}, .count = 1};
    return branch == 0 || manifest_branch_find(manifest, &driver) != NULL;
}

/* Rows that name another system, and none that it is like, have rank 0. */
static const struct manifest_package *
packages_of(struct manifest *manifest, const struct manifest_system *system, size_t *ret_count)
{
    AUTO_STRLIST struct strlist names = {0};
    if (system->id != NULL)
        strlist_add(&names, system->id);
    if (system->like != NULL)
        strlist_split(&names, system->like, ' ');
    return packages_of_systems(manifest, &names, ret_count);
}

/* Of the rows that are the most closely the system's, the one with the newest branch: a release
 * whose packages are listed has no others. */
const struct manifest_package *manifest_package_find(struct manifest *manifest,
                                                     const struct manifest_package_query *query)
{
    size_t count;
    const struct manifest_package *rows = packages_of(manifest, query->system, &count);
    unsigned closest = 1;
    for (size_t i = 0; i < count; i++) {
        unsigned rank = is_wanted(&rows[i], query) ? package_rank(&rows[i], query->system) : 0;
        closest = rank > closest ? rank : closest;
    }
    const struct manifest_package *found = NULL;
    for (size_t i = 0; i < count && branch_is_listed(manifest, query->branch); i++) {
        if (!is_wanted(&rows[i], query) || package_rank(&rows[i], query->system) != closest ||
            !has_branch(&rows[i], query->branch))
            continue;
        if (found == NULL || rows[i].branch_max > found->branch_max)
            found = &rows[i];
    }
    return found;
}

static const char *architecture_of(struct manifest *manifest, const char *machine)
{
    size_t count;
    const struct package_machine *rows = package_machines(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].machine, machine))
            return rows[i].architecture;
    return NULL;
}

const struct manifest_repository *manifest_repository_find(struct manifest *manifest,
                                                           const struct manifest_system *system)
{
    size_t count;
    const struct manifest_repository *rows = manifest_repositories(manifest, &count);
    const struct manifest_repository *found = NULL;
    const char *architecture = architecture_of(manifest, system->machine);
    unsigned closest = 0;
    for (size_t i = 0; i < count && architecture != NULL && system->id != NULL; i++) {
        if (!strlist_has(&rows[i].systems, system->id) ||
            !strlist_has(&rows[i].architectures, architecture))
            continue;
        unsigned rank = release_rank(&system->release, &rows[i].release);
        if (rank <= closest)
            continue;
        closest = rank;
        found = &rows[i];
    }
    return found;
}

char *manifest_repository_url(struct manifest *manifest,
                              const struct manifest_repository *repository, const char *machine)
{
    const char *architecture = architecture_of(manifest, machine);
    const char *base = package_base_url(manifest);
    return mem_printf("%s/%s/%s", base != NULL ? base : "", repository->directory,
                      architecture != NULL ? architecture : "");
}

static char *replace(const char *string, unsigned branch, const char *url)
{
    AUTO_FREE char *number = branch > 0 ? mem_printf("%u", branch) : NULL;
    AUTO_FREE char *branched = string_fill_all(string, "BRANCH", number);
    return string_fill_all(branched, "URL", url);
}

void manifest_package_names(const struct manifest_package *package, unsigned branch,
                            struct strlist *names)
{
    for (size_t i = 0; i < package->packages.count; i++)
        strlist_take(names, replace(package->packages.items[i], branch, NULL));
}

/* wget puts a file into the directory one is in. */
static bool needs_root(const char *command)
{
    return !string_starts(command, "wget ");
}

char *manifest_command_line(const struct strlist *commands, unsigned branch, const char *url)
{
    AUTO_TEXT struct text line = {0};
    for (size_t i = 0; i < commands->count; i++) {
        AUTO_FREE char *command = replace(commands->items[i], branch, url);
        if (i > 0)
            text_append(&line, string_ends(commands->items[i - 1], ";") ? " " : " && ");
        text_printf(&line, "%s%s", needs_root(command) ? "sudo " : "", command);
    }
    return text_steal(&line);
}
