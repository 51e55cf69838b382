/* SPDX-License-Identifier: MIT */
#include "manifest/package/package_table.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

#include <string.h>

/* manifests/package.json: driver packages, and NVIDIA's package repository. */
enum { TABLE_PACKAGES, TABLE_REPOSITORIES, TABLE_COMPILERS, TABLE_MACHINES, TABLE_SIGNERS };

static const char *const repositories[] = {"distribution", "nvidia", NULL};
static const char *const flavours[] = {"open", "proprietary", "either", NULL};
static const char *const uses[] = {"desktop", "data-centre", "server", NULL};
static const char *const formats[] = {"deb", "rpm", NULL};

static const struct manifest_key package_keys[] = {
    KEY(manifest_package, system, KEY_STRING, .required = true),
    KEY(manifest_package, same, KEY_STRINGS),
    KEY(manifest_package, release, KEY_VERSION),
    KEY(manifest_package, repository, KEY_CHOICE, .required = true, .choices = repositories),
    KEY(manifest_package, flavour, KEY_CHOICE, .required = true, .choices = flavours),
    KEY(manifest_package, use, KEY_CHOICE, .required = true, .choices = uses),
    KEY(manifest_package, branch_min, KEY_UNSIGNED),
    KEY(manifest_package, branch_max, KEY_UNSIGNED),
    KEY(manifest_package, branches, KEY_STRINGS),
    KEY(manifest_package, packages, KEY_STRINGS, .required = true),
    KEY(manifest_package, commands, KEY_STRINGS, .required = true),
    KEY(manifest_package, change, KEY_STRINGS),
    KEY(manifest_package, needs, KEY_STRING),
    KEY(manifest_package, components, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_package),
    {.name = NULL},
};

static const struct manifest_key repository_keys[] = {
    KEY(manifest_repository, directory, KEY_STRING, .required = true),
    KEY(manifest_repository, systems, KEY_STRINGS, .required = true),
    KEY(manifest_repository, release, KEY_VERSION),
    KEY(manifest_repository, format, KEY_CHOICE, .required = true, .choices = formats),
    KEY(manifest_repository, architectures, KEY_STRINGS, .required = true),
    KEY(manifest_repository, commands, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_repository),
    {.name = NULL},
};

static const struct manifest_key machine_keys[] = {
    KEY(package_machine, machine, KEY_STRING, .required = true),
    KEY(package_machine, architecture, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(package_machine),
    {.name = NULL},
};

struct package_fields {
    const char *base_url;
};
static const struct manifest_key fields[] = {
    KEY(package_fields, base_url, KEY_STRING, .required = true),
    {.name = NULL},
};

/* What tells the rows of one system, repository, flavour and use apart. */
static void append_branches(const struct manifest_package *package, struct text *id)
{
    if (package->branch_min > 0 && package->branch_min == package->branch_max)
        text_printf(id, "-%u", package->branch_min);
    else if (!manifest_package_takes_branch(package))
        text_append(id, "-newest");
}

static char *package_id(const void *row)
{
    const struct manifest_package *package = row;
    AUTO_TEXT struct text id = {0};
    char release[VERSION_TEXT_SIZE];
    text_printf(&id, "package/%s", package->system);
    if (package->release.count > 0)
        text_printf(&id, "-%s", version_text(&package->release, 0, release));
    if (string_equal(package->repository, "nvidia"))
        text_append(&id, "-nvidia");
    text_printf(&id, "-%s", package->flavour);
    if (!string_equal(package->use, "desktop"))
        text_printf(&id, "-%s", package->use);
    append_branches(package, &id);
    return text_steal(&id);
}

static char *repository_id(const void *row)
{
    const struct manifest_repository *repository = row;
    return mem_printf("repository/%s", repository->directory);
}

static char *machine_id(const void *row)
{
    const struct package_machine *machine = row;
    return mem_printf("machine/%s", machine->machine);
}

/* Names of packages, systems and directories: what a shell takes as it is. */
#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._"

static bool names_check(const struct manifest_place *place, const char *key,
                        const struct strlist *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (strspn(names->items[i], NAME_BYTES) != strlen(names->items[i]))
            return place_problem(place, key, names->items[i], "names of letters, digits, + - . _");
    return true;
}

static bool name_check(const struct manifest_place *place, const char *key, const char *name)
{
    if (strspn(name, NAME_BYTES) == strlen(name))
        return true;
    return place_problem(place, key, name, "a name of letters, digits, + - . _");
}

/* They are shown to be copied into a shell: one line each, nothing hidden. */
static bool commands_check(const struct manifest_place *place, const char *key,
                           const struct strlist *commands)
{
    for (size_t i = 0; i < commands->count; i++) {
        const char *command = commands->items[i];
        if (string_starts(command, "sudo "))
            return place_problem(place, key, command, "commands without sudo");
        for (const char *c = command; *c != '\0'; c++)
            if (*c < 0x20 || *c > 0x7e)
                return place_problem(place, key, command, "commands of printable ASCII");
    }
    return true;
}

static bool has_word(const struct strlist *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strstr(list->items[i], word) != NULL)
            return true;
    return false;
}

static bool branch_list_check(const struct manifest_place *place,
                              const struct manifest_package *package)
{
    unsigned before = 0;
    for (size_t i = 0; i < package->branches.count; i++) {
        struct version branch;
        const char *text = package->branches.items[i];
        if (!version_parse(text, &branch) || branch.count != 1 || branch.part[0] <= before)
            return place_problem(place, "branches", text,
                                 "branches such as 580, in ascending order");
        before = branch.part[0];
        if (i == 0 && before != package->branch_min)
            return place_problem(place, "branch_min", "another", "%u, the first entry of branches",
                                 before);
    }
    if (package->branches.count > 0 && before != package->branch_max)
        return place_problem(place, "branch_max", "another", "%u, the last entry of branches",
                             before);
    return true;
}

static bool branches_check(const struct manifest_place *place,
                           const struct manifest_package *package)
{
    bool placed = has_word(&package->commands, "BRANCH");
    if (package->branch_max > 0 && package->branch_min > package->branch_max)
        return place_problem(place, "branch_max", package->id, "no branch below branch_min");
    if (!placed && has_word(&package->packages, "BRANCH"))
        return place_problem(place, "commands", package->commands.items[0],
                             "BRANCH in the commands, since packages contains BRANCH");
    if (!placed && package->branch_max > 0 && package->branch_min != package->branch_max)
        return place_problem(place, "commands", package->commands.items[0],
                             "BRANCH in the commands, or only one branch");
    if (package->change.count > 0 && has_word(&package->change, "BRANCH") != placed)
        return place_problem(place, "change", package->change.items[0],
                             "BRANCH if commands have it");
    return branch_list_check(place, package);
}

static bool package_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_package *package = row;
    const struct manifest_package *before = previous;
    int order = before != NULL ? strcmp(package->system, before->system) : 1;
    if (order < 0 || (order == 0 && version_compare(&package->release, &before->release) < 0))
        return place_problem(place, "system", package->id, "a row that sorts after %s", before->id);
    return name_check(place, "system", package->system) &&
           names_check(place, "same", &package->same) &&
           names_check(place, "packages", &package->packages) &&
           names_check(place, "components", &package->components) &&
           commands_check(place, "commands", &package->commands) &&
           commands_check(place, "change", &package->change) && branches_check(place, package);
}

static bool repository_check(const struct manifest_place *place, const void *row,
                             const void *previous)
{
    const struct manifest_repository *repository = row;
    const struct manifest_repository *before = previous;
    if (before != NULL && strcmp(repository->directory, before->directory) <= 0)
        return place_problem(place, "directory", repository->directory, "a row that sorts after %s",
                             before->id);
    if (!has_word(&repository->commands, "URL"))
        return place_problem(place, "commands", repository->commands.items[0],
                             "URL in the commands");
    return name_check(place, "directory", repository->directory) &&
           names_check(place, "systems", &repository->systems) &&
           names_check(place, "architectures", &repository->architectures) &&
           commands_check(place, "commands", &repository->commands);
}

static bool machine_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct package_machine *machine = row;
    (void)previous;
    return name_check(place, "machine", machine->machine) &&
           name_check(place, "architecture", machine->architecture);
}

const struct manifest_subject manifest_package_subject = {
    .name = "package",
    .fields = fields,
    .fields_size = sizeof(struct package_fields),
    .tables =
        {
            [TABLE_PACKAGES] = {.name = "rows",
                                .about = "driver packages of distributions",
                                .keys = package_keys,
                                .row_size = sizeof(struct manifest_package),
                                .id_offset = offsetof(struct manifest_package, id),
                                .id = package_id,
                                .check = package_check,
                                .agrees = package_agrees},
            [TABLE_REPOSITORIES] = {.name = "repositories",
                                    .about = "NVIDIA's package repositories",
                                    .keys = repository_keys,
                                    .row_size = sizeof(struct manifest_repository),
                                    .id_offset = offsetof(struct manifest_repository, id),
                                    .id = repository_id,
                                    .check = repository_check,
                                    .agrees = repository_agrees},
            [TABLE_COMPILERS] = {.name = "compilers",
                                 .about = "compilers that distributions have packages of",
                                 .keys = host_compiler_keys,
                                 .row_size = sizeof(struct manifest_host_compilers),
                                 .id_offset = offsetof(struct manifest_host_compilers, id),
                                 .id = host_compilers_id,
                                 .check = host_compilers_check},
            [TABLE_MACHINES] = {.name = "machines",
                                .about = "architecture names in NVIDIA's repositories",
                                .keys = machine_keys,
                                .row_size = sizeof(struct package_machine),
                                .id_offset = offsetof(struct package_machine, id),
                                .id = machine_id,
                                .check = machine_check},
            [TABLE_SIGNERS] = {.name = "signers",
                               .later = true,
                               .about = "keys that NVIDIA's package repositories are signed with",
                               .keys = signer_keys,
                               .row_size = sizeof(struct manifest_signer),
                               .id_offset = offsetof(struct manifest_signer, id),
                               .id = signer_id,
                               .check = signer_check},
        },
};

/* Looking for more names than any ID_LIKE has takes longer than reading the table. */
#define SYSTEMS_MAX 16

const struct manifest_package *packages_of_systems(struct manifest *manifest,
                                                   const struct strlist *systems, size_t *ret_count)
{
    if (systems->count > SYSTEMS_MAX)
        return manifest_rows(manifest, &manifest_package_subject, TABLE_PACKAGES, ret_count);
    return manifest_rows_saying(manifest, &manifest_package_subject, TABLE_PACKAGES, systems,
                                ret_count);
}

const struct manifest_repository *manifest_repositories(struct manifest *manifest,
                                                        size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_package_subject, TABLE_REPOSITORIES, ret_count);
}

const struct manifest_host_compilers *package_compilers(struct manifest *manifest,
                                                        size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_package_subject, TABLE_COMPILERS, ret_count);
}

const struct package_machine *package_machines(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_package_subject, TABLE_MACHINES, ret_count);
}

const struct manifest_signer *package_signers(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_package_subject, TABLE_SIGNERS, ret_count);
}

const char *package_base_url(struct manifest *manifest)
{
    const struct package_fields *all = manifest_fields(manifest, &manifest_package_subject);
    return all != NULL ? all->base_url : NULL;
}
