/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/engine/words.h"

#define CAUSES_SHOWN 5

enum format_state format_state(const struct judgement *judgement)
{
    if (judgement->exit_code == EXIT_FOUND)
        return STATE_FAIL;
    if (judgement->exit_code == EXIT_UNKNOWN)
        return STATE_UNKNOWN;
    return judgement->warn > 0 ? STATE_WARN : STATE_OK;
}

bool format_is_consequence(const struct judgement *judgement, const struct finding *finding)
{
    for (size_t i = 0; finding->caused_by && i < judgement->finding_count; i++)
        if (judgement->findings[i] != finding &&
            string_equal(judgement->findings[i]->code, finding->caused_by))
            return true;
    return false;
}

/* The finding to name where there is room for one; NULL: nothing failed or warned. */
static const struct finding *format_top(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (judgement->findings[i]->severity != SEVERITY_INFO)
            return judgement->findings[i];
    return NULL;
}

static void append_count(struct text *text, unsigned count, const char *word)
{
    text_printf(text, "%s%u %s%s", text->size > 0 ? ", " : "", count, word, count == 1 ? "" : "s");
}

char *format_counts(const struct judgement *judgement)
{
    AUTO_TEXT struct text text = {0};
    if (judgement->fail > 0)
        append_count(&text, judgement->fail, "problem");
    else
        text_append(&text, "no problem found");
    if (judgement->warn > 0)
        append_count(&text, judgement->warn, "warning");
    if (judgement->unknown > 0) {
        append_count(&text, judgement->unknown, "check");
        text_append(&text, " could not be decided");
    }
    return text_steal(&text);
}

static const char *first_undecided(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (judgement->checks[i].status == CHECK_UNKNOWN && judgement->checks[i].reason)
            return judgement->checks[i].reason;
    return NULL;
}

char *format_headline(const struct judgement *judgement)
{
    enum format_state state = format_state(judgement);
    const struct finding *top = format_top(judgement);
    const char *reason = first_undecided(judgement);
    if (state == STATE_UNKNOWN && reason)
        return mem_printf("cannot tell: %s", reason);
    if (top)
        return mem_printf("%s %s", top->code, finding_message(top));
    return mem_string("no problem found");
}

static const char *code_of(const struct judgement *judgement, const char *cause)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (string_equal(judgement->checks[i].cause, cause))
            return judgement->checks[i].code;
    return "";
}

char *format_causes(const struct judgement *judgement, const struct strlist *causes)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; causes && i < causes->count && i < CAUSES_SHOWN; i++)
        text_printf(&text, "%s%s %s", i > 0 ? ", " : "", code_of(judgement, causes->items[i]),
                    causes->items[i]);
    if (causes && causes->count > CAUSES_SHOWN)
        text_printf(&text, " and %zu others", causes->count - CAUSES_SHOWN);
    return text.size > 0 ? text_steal(&text) : NULL;
}

char *format_error(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    text_printf(&text, "gpuenv could not judge: %s", error->what ? error->what : "internal error");
    if (error->where)
        text_printf(&text, ": %s", error->where);
    if (error->why)
        text_printf(&text, ": %s", error->why);
    return text_steal(&text);
}

/* The bytes of the next unit that is never cut: a character, \xHH or two backslashes. */
static size_t unit_size(const char *at)
{
    if (at[0] == '\\')
        return at[1] == 'x' ? 4 : 2;
    size_t size = utf8_sequence(at, strnlen(at, 4));
    return size > 0 ? size : 1;
}

/* What was made safe, cut to most bytes; a new string. */
static char *cut(const char *safe, size_t most)
{
    static const char dots[] = "...";
    if (strlen(safe) <= most)
        return mem_string(safe);
    size_t room = most > strlen(dots) ? most - strlen(dots) : 0, size = 0;
    while (size + unit_size(safe + size) <= room)
        size += unit_size(safe + size);
    return mem_printf("%.*s%s", (int)size, safe, room > 0 ? dots : "");
}

char *format_line(const char *string, size_t most)
{
    AUTO_FREE char *safe = string_safe(string ? string : "");
    return cut(safe, most);
}

char *format_command(const char *command, size_t most)
{
    AUTO_TEXT struct text safe = {0};
    text_append_safe_again(&safe, command ? command : "");
    return cut(text_string(&safe), most);
}
