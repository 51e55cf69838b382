/* SPDX-License-Identifier: MIT */
#include "rules/sudo.h"

#include <string.h>

#include "base/shell.h"
#include "base/text.h"
#include "rules/engine/finding.h"

/* False when nobody looked, as in a record of an older gpuenv. */
static bool lacks_sudo(const struct facts *facts)
{
    const struct fact *fact = facts_get(facts, "os", "sudo");
    return fact && fact->state == FACT_ABSENT;
}

static bool is_container(const struct facts *facts)
{
    return facts_string(facts, "container", "engine") != NULL;
}

bool sudo_is_used(const struct facts *facts)
{
    const struct fact *user = facts_get(facts, "limits", "user_id");
    int64_t id;
    if (facts_integer(facts, "limits", "user_id", &id))
        return id == 0 ? facts_string(facts, "environment", "SUDO_UID") != NULL
                       : !(is_container(facts) && lacks_sudo(facts));
    bool tree_alone = user && user->state == FACT_SKIPPED;
    return !(tree_alone && lacks_sudo(facts));
}

/* Words are no commands: an apostrophe in them quotes nothing. */
static void settle_words(char **words)
{
    if (*words == NULL || strstr(*words, "on the host"))
        return;
    AUTO_TEXT struct text text = {0};
    const char *rest = *words;
    for (const char *at; (at = strstr(rest, "sudo ")) != NULL; rest = at + strlen("sudo ")) {
        bool begins = at == *words || at[-1] == ' ' || at[-1] == '(';
        text_append_n(&text, rest, (size_t)(at - rest) + (begins ? 0 : strlen("sudo ")));
    }
    text_append(&text, rest);
    free(*words);
    *words = text_steal(&text);
}

static void settle_fix(struct finding_fix *fix, bool is_root)
{
    if (fix->kind == FIX_HOST)
        return;
    settle_words(&fix->note);
    if (fix->command == NULL)
        return;
    char *command = shell_without_sudo(fix->command);
    if (!is_root && fix->root) {
        char *note = mem_printf("as root%s%s", fix->note ? "; " : "", fix->note ? fix->note : "");
        free(fix->note);
        fix->note = note;
    }
    free(fix->command);
    fix->command = command;
}

void sudo_settle(const struct facts *facts, struct judgement *judgement)
{
    if (sudo_is_used(facts))
        return;
    int64_t id = -1;
    bool is_root = !facts_integer(facts, "limits", "user_id", &id) || id == 0;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        struct finding *finding = judgement->findings[i];
        settle_words(&finding->why);
        for (size_t k = 0; k < finding->fix_count; k++)
            settle_fix(&finding->fixes[k], is_root);
    }
}
