/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cli/installer/installer_private.h"
#include "cli/machine/gather.h"
#include "cli/machine/machine_of.h"
#include "resolve/support/compile.h"

/* What the system that is installed on means for compiling with that CUDA: said before it is
 * fetched. Nothing hangs on it. */

static bool is_wanted(const char *group)
{
    static const char *const groups[] = {"os", "compiler", "pci"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (string_equal(group, groups[i]))
            return true;
    return false;
}

static struct version version_of(const struct facts *facts, const char *group, const char *name)
{
    struct version version;
    const char *text = facts_string(facts, group, name);
    return text && version_parse_prefix(text, &version) ? version : (struct version){.count = 0};
}

/* Without nvcc nothing compiles, and another platform's compilers are not here. */
static bool compiles_here(const struct arguments *arguments)
{
    return !string_equal(arguments_get(arguments, "profile"), "runtime") &&
           !arguments_have(arguments, "platform");
}

void installer_note_compiling(const struct session *session, const struct arguments *arguments,
                              struct resolution *resolution)
{
    struct version cuda;
    const struct resolve_choice *choice = resolve_choice_of(resolution, "cuda");
    if (choice == NULL || !version_parse(choice->version, &cuda) || !compiles_here(arguments))
        return;
    AUTO_ERROR struct error error = {0}; /* of a root that is none: the installation says it */
    AUTO_FACTS struct facts *facts = gather_some(session, arguments, is_wanted, true, &error);
    if (facts == NULL)
        return;
    AUTO_MACHINE struct machine_of machine = machine_of(facts, session->manifest);
    const struct compile_system system = {
        .os = {.id = facts_string(facts, "os", "id"),
               .like = facts_string(facts, "os", "id_like"),
               .release = version_of(facts, "os", "version_id"),
               .machine = facts_string(facts, "os", "architecture")},
        .name = facts_string(facts, "os", "pretty_name"),
        .gcc = version_of(facts, "compiler", "cc_version"),
        .gccs = facts_list(facts, "compiler", "gcc_versions"),
        .glibc = version_of(facts, "os", "glibc_version"),
        .gpus = arguments_have(arguments, "assume-gpu") ? NULL : machine.gpus,
        .gpu_count = arguments_have(arguments, "assume-gpu") ? 0 : machine.gpu_count,
    };
    compile_notes(session->manifest, &cuda, &system, &resolution->notes);
}
