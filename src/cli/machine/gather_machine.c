/* SPDX-License-Identifier: MIT */
#include "cli/machine/assume.h"
#include "cli/machine/gather.h"

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

/* What GPUs there are, and which driver. */
static bool want_driver(const char *group)
{
    static const char *const groups[] = {"module", "answer", "environment"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (string_equal(group, groups[i]))
            return true;
    return want_files(group);
}

/* all: of a machine of which nothing is assumed. */
static struct facts *gather_for(const struct session *session, const struct arguments *arguments,
                                bool (*all)(const char *group), bool may_be_image,
                                struct error *error)
{
    AUTO_FACTS struct facts *assumed = assume_facts(session, arguments, error);
    if (assumed == NULL)
        return NULL;
    bool driver = arguments_have(arguments, "assume-driver");
    bool gpu = arguments_have(arguments, "assume-gpu");
    bool (*wanted)(const char *) = driver ? want_files : all;
    if (driver && gpu && !arguments_have(arguments, "root"))
        wanted = want_system;
    struct facts *facts = gather_some(session, arguments, wanted, may_be_image, error);
    return facts ? assume_apply(facts, assumed) : NULL;
}

struct facts *gather_assumed(const struct session *session, const struct arguments *arguments,
                             struct error *error)
{
    AUTO_FACTS struct facts *assumed = assume_facts(session, arguments, error);
    if (assumed == NULL)
        return NULL;
    struct facts *facts = gather_facts(session, arguments, error);
    return facts ? assume_apply(facts, assumed) : NULL;
}

struct facts *gather_machine(const struct session *session, const struct arguments *arguments,
                             struct error *error)
{
    return gather_for(session, arguments, NULL, true, error);
}

struct facts *gather_code_machine(const struct session *session, const struct arguments *arguments,
                                  struct error *error)
{
    return gather_for(session, arguments, want_driver, false, error);
}
