/* SPDX-License-Identifier: MIT */
#include "cli/assume.h"
#include "cli/gather.h"

static bool want_system(const char *group)
{
    return string_equal(group, "os");
}

static bool want_files(const char *group)
{
    static const char *const groups[] = {"os", "machine", "pci", "library", "loader", "toolkit"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (string_equal(group, groups[i]))
            return true;
    return false;
}

struct facts *gather_machine(const struct session *session, const struct arguments *arguments,
                             struct error *error)
{
    struct facts *assumed = assume_facts(session, arguments, error);
    if (assumed == NULL)
        return NULL;
    bool driver = arguments_have(arguments, "assume-driver");
    bool gpu = arguments_have(arguments, "assume-gpu");
    bool (*wanted)(const char *) = driver ? want_files : NULL;
    if (driver && gpu && !arguments_have(arguments, "root"))
        wanted = want_system;
    struct facts *facts = gather_some(session, arguments, wanted, error);
    if (facts)
        facts = assume_apply(facts, assumed);
    facts_free(assumed);
    return facts;
}
