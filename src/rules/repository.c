/* SPDX-License-Identifier: MIT */
#include "rules/repository.h"

#include <string.h>

#include "base/text.h"
#include "rules/judged.h"
#include "rules/remedy.h"

#define REPOSITORIES "https://developer.download.nvidia.com/compute/cuda/repos"
#define KEYRING      "cuda-keyring_1.1-1_all.deb"

/* How the repository's directory is named after a distribution: debian12, ubuntu2204, rhel9. */
static const struct {
    const char *id;
    const char *name;
    unsigned parts; /* of VERSION_ID */
} names[] = {
    {"ubuntu", "ubuntu", 2},
    {"debian", "debian", 1},
    {"rhel", "rhel", 1},
    {"centos", "rhel", 1},
    {"rocky", "rhel", 1},
    {"almalinux", "rhel", 1},
    {"ol", "rhel", 1},
    {"fedora", "fedora", 1},
    {"amzn", "amzn", 1},
    {"sles", "sles", 1},
    {"opensuse-leap", "opensuse", 1},
};

/* "debian12"; NULL when it is not known. */
static char *system_name(const struct facts *facts)
{
    const char *id = facts_string(facts, "os", "id");
    const char *text = facts_string(facts, "os", "version_id");
    struct version version;
    if (judged_place(facts) == PLACE_WSL)
        return mem_string("wsl-ubuntu");
    if (text == NULL || !version_parse(text, &version))
        return NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!string_equal(names[i].id, id) || version.count < names[i].parts)
            continue;
        return names[i].parts == 1
                   ? mem_printf("%s%u", names[i].name, version.part[0])
                   : mem_printf("%s%u%02u", names[i].name, version.part[0], version.part[1]);
    }
    return NULL;
}

static const char *machine_name(const struct facts *facts)
{
    const char *architecture = facts_string(facts, "os", "architecture");
    if (string_equal(architecture, "aarch64"))
        return "sbsa";
    return string_equal(architecture, "x86_64") ? architecture : NULL;
}

/* What dpkg knows; other package databases are not read. */
static bool is_set_up(const struct facts *facts)
{
    static const char *const packages[] = {"cuda-keyring", "cuda-archive-keyring", "cuda-repo-"};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        for (size_t k = 0; name && k < sizeof(packages) / sizeof(packages[0]); k++)
            if (string_starts(name, packages[k]))
                return true;
    }
    return false;
}

char *repository_command(const struct facts *facts, const char *command)
{
    AUTO_FREE char *system = system_name(facts);
    const char *machine = machine_name(facts);
    if (system == NULL || machine == NULL || is_set_up(facts))
        return mem_string(command);
    AUTO_FREE char *place = mem_printf(REPOSITORIES "/%s/%s", system, machine);
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        return mem_printf("wget %s/" KEYRING " && sudo dpkg -i " KEYRING
                          " && sudo apt-get update && %s",
                          place, command);
    case DISTRIBUTION_RHEL:
        if (string_equal(facts_string(facts, "os", "id"), "fedora"))
            return mem_printf("sudo dnf config-manager addrepo --overwrite "
                              "--from-repofile=%s/cuda-%s.repo && %s",
                              place, system, command);
        return mem_printf("sudo dnf config-manager --add-repo %s/cuda-%s.repo && %s", place, system,
                          command);
    case DISTRIBUTION_SUSE:
        return mem_printf("sudo zypper addrepo --check %s/cuda-%s.repo; sudo zypper refresh && %s",
                          place, system, command);
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER:
        break;
    }
    return mem_string(command);
}
