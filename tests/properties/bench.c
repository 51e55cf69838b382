/* SPDX-License-Identifier: MIT */
#include "properties/bench.h"

#include <string.h>

#include "cli/doctor/frameworks.h"
#include "facts/record.h"
#include "host/local/local.h"
#include "properties/trace.h"
#include "resolve/engine/resolution.h"
#include "rules/requirement/requirement.h"
#include "rules/rules.h"

/* What the words of a command ask for. */
struct wanted {
    struct strlist only;
    struct requirements requirements;
    struct resolve_specs specs;
    struct judge_options options;
};

static void wanted_free(struct wanted *wanted)
{
    strlist_free(&wanted->only);
    requirements_free(&wanted->requirements);
    resolve_specs_free(&wanted->specs);
}
#define AUTO_WANTED AUTO(wanted_free)

/* What cannot be parsed was refused by the command, too: such a machine has no record. */
static void wanted_take(struct wanted *wanted, const char *word, const char *value)
{
    AUTO_STRLIST struct strlist terms = {0};
    AUTO_ERROR struct error error = {0};
    if (string_equal(word, "--for"))
        wanted->options.purpose_given = purpose_from_name(value, &wanted->options.purpose);
    else if (string_equal(word, "--only"))
        strlist_add(&wanted->only, value);
    else if (string_equal(word, "--for-framework"))
        resolve_specs_add(&wanted->specs, value, &error);
    if (string_equal(word, "--require"))
        strlist_split(&terms, value, ',');
    for (size_t i = 0; i < terms.count; i++)
        requirements_add(&wanted->requirements, terms.items[i], &error);
}

static void wanted_read(struct wanted *wanted, const struct strlist *words)
{
    wanted->options.strict = strlist_has(words, "--strict");
    wanted->options.tree = strlist_has(words, "tree");
    wanted->options.only = &wanted->only;
    wanted->options.requirements = &wanted->requirements;
    wanted->options.now_ms = trace_clock;
    for (size_t i = 0; i + 1 < words->count; i++)
        wanted_take(wanted, words->items[i], words->items[i + 1]);
}

void machine_choose(const struct machine *machine, const struct facts *facts,
                    struct framework_choices *ret_choices)
{
    AUTO_WANTED struct wanted wanted = {.options = {.strict = false}};
    *ret_choices = (struct framework_choices){.count = 0};
    wanted_read(&wanted, &machine->words);
    frameworks_choose(machine->manifest, facts, &wanted.specs, ret_choices);
    frameworks_judge_ptx(machine->manifest, facts, ret_choices);
}

struct judgement *machine_judge_with(const struct machine *machine, const struct facts *facts,
                                     const struct framework_choices *choices)
{
    AUTO_WANTED struct wanted wanted = {.options = {.strict = false}};
    wanted_read(&wanted, &machine->words);
    wanted.options.choices = choices;
    return rules_judge(facts, machine->manifest, &wanted.options);
}

struct judgement *machine_judge(const struct machine *machine, const struct facts *facts)
{
    struct framework_choices choices;
    machine_choose(machine, facts, &choices);
    struct judgement *judgement = machine_judge_with(machine, facts, &choices);
    framework_choices_free(&choices);
    return judgement;
}

static bool read_words(const char *path, struct strlist *words, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (!local_read(path, 1 << 16, &text, error))
        return false;
    AUTO_FREE char *line = mem_string(text_string(&text));
    for (char *rest = line, *word; (word = strtok_r(rest, " \n", &rest)) != NULL;)
        strlist_add(words, word);
    return true;
}

bool machine_load(const char *directory, const char *name, struct manifest *manifest,
                  struct machine *ret_machine, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist words = {0};
    AUTO_FREE char *record = mem_printf("%s/%s.facts.json", directory, name);
    AUTO_FREE char *command = mem_printf("%s/%s.words", directory, name);
    if (!local_read(record, RECORD_MAX, &text, error) || !read_words(command, &words, error))
        return false;
    struct facts *facts = record_load(text_string(&text), text.size, record, error);
    if (facts == NULL)
        return false;
    *ret_machine =
        (struct machine){.name = name, .facts = facts, .manifest = manifest, .words = words};
    words = (struct strlist){0};
    return true;
}

void machine_free(struct machine *machine)
{
    facts_free(machine->facts);
    strlist_free(&machine->words);
}

/* splitmix64 */
uint64_t random_below(uint64_t *state, uint64_t limit)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return (mixed ^ (mixed >> 31)) % limit;
}
