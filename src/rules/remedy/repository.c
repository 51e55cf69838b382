/* SPDX-License-Identifier: MIT */
#include "rules/remedy/repository.h"

#include <string.h>

#include "base/text.h"
#include "rules/query/judged.h"
#include "rules/query/packages.h"
#include "rules/remedy/remedy.h"

struct manifest_system distribution_system(const struct facts *facts)
{
    struct manifest_system system = {.id = facts_string(facts, "os", "id"),
                                     .like = facts_string(facts, "os", "id_like"),
                                     .machine = facts_string(facts, "os", "architecture")};
    const char *release = facts_string(facts, "os", "version_id");
    if (release != NULL && !version_parse(release, &system.release))
        system.release.count = 0;
    return system;
}

struct manifest_system repository_system(const struct facts *facts)
{
    struct manifest_system system = distribution_system(facts);
    if (judged_place(facts) == PLACE_WSL)
        system.id = "wsl";
    return system;
}

static bool is_set_up(const struct facts *facts)
{
    static const char *const keyrings[] = {"cuda-keyring", "cuda-archive-keyring", "cuda-repo-",
                                           NULL};
    return packages_beginning(facts, keyrings) != NULL;
}

bool repository_has_the_driver(const struct facts *facts)
{
    static const char *const theirs[] = {"cuda-drivers", "nvidia-driver-pinning",
                                         "nvidia-driver-cuda", "nvidia-kernel-open-dkms", NULL};
    if (remedy_distribution(facts) == DISTRIBUTION_DEBIAN && is_set_up(facts))
        return true;
    return packages_beginning(facts, theirs) != NULL;
}

/* What the repository has must be what the system's package manager takes. */
static bool fits(const struct facts *facts, const struct manifest_repository *repository)
{
    enum distribution distribution = remedy_distribution(facts);
    bool deb = distribution == DISTRIBUTION_UBUNTU || distribution == DISTRIBUTION_DEBIAN;
    return deb == string_equal(repository->format, "deb");
}

char *repository_setup(const struct facts *facts, struct manifest *manifest)
{
    struct manifest_system system = repository_system(facts);
    const struct manifest_repository *repository = manifest_repository_find(manifest, &system);
    if (repository == NULL || !fits(facts, repository))
        return NULL;
    AUTO_FREE char *url = manifest_repository_url(manifest, repository, system.machine);
    return manifest_command_line(&repository->commands, 0, url);
}

char *repository_command(const struct facts *facts, struct manifest *manifest, const char *command)
{
    AUTO_FREE char *line = is_set_up(facts) ? NULL : repository_setup(facts, manifest);
    return line ? mem_printf("%s && %s", line, command) : mem_string(command);
}
