/* SPDX-License-Identifier: MIT */
#include "rules/query/judged_version.h"

#include "base/memory.h"
#include "base/version.h"

/* The answer of the library whose file that is, when it told its version; NULL: none did. */
static const char *answer_of_file(const struct facts *facts, const char *library_group)
{
    const char *file = facts_string(facts, library_group, "path");
    const struct strlist *found_as = facts_list(facts, library_group, "found_as");
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "answer", &i)) != NULL;) {
        const char *path = facts_string(facts, group, "path");
        if (path && facts_string(facts, group, "version") &&
            (string_equal(path, file) || (found_as && strlist_has(found_as, path))))
            return group;
    }
    return NULL;
}

struct judged_version judged_version(const struct facts *facts, const char *library_group)
{
    struct version parts;
    struct judged_version read = {.group = library_group, .name = "version"};
    read.text = facts_string(facts, library_group, "version");
    if (read.text && (!version_parse(read.text, &parts) || parts.count > 1))
        return read;
    const char *answer = answer_of_file(facts, library_group);
    if (answer == NULL)
        return read;
    return (struct judged_version){.text = facts_string(facts, answer, "version"),
                                   .group = answer,
                                   .name = "version",
                                   .called = true};
}

char *judged_version_words(const struct judged_version *version)
{
    if (version->text == NULL)
        return mem_string("of unknown version");
    return mem_printf("%s%s", version->text, version->called ? ", as it reports" : "");
}
