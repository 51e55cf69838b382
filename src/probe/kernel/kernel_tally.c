/* SPDX-License-Identifier: MIT */
#include "probe/kernel/kernel_tally.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_MAX 300
#define WALL_MAX    40

static struct kernel_seen *find(struct kernel_tally *tally, const struct kernel_event *event,
                                enum kernel_boot boot)
{
    for (size_t i = 0; i < tally->count; i++) {
        struct kernel_seen *seen = &tally->seen[i];
        if (seen->boot == boot && strcmp(seen->event.name, event->name) == 0 &&
            seen->event.numbered == event->numbered && seen->event.number == event->number &&
            strcmp(seen->event.bus_id, event->bus_id) == 0)
            return seen;
    }
    return NULL;
}

static struct kernel_seen *find_or_add(struct kernel_tally *tally, const struct kernel_event *event,
                                       enum kernel_boot boot)
{
    struct kernel_seen *seen = find(tally, event, boot);
    if (seen)
        return seen;
    if (tally->count >= KERNEL_TALLY_MAX) {
        tally->full = true;
        return NULL;
    }
    seen = vec_push(tally->seen, tally->count, tally->capacity);
    seen->event = *event;
    seen->boot = boot;
    seen->first_seconds = -1;
    seen->last_seconds = -1;
    return seen;
}

static void set_string(char **target, const char *value, size_t max)
{
    free(*target);
    *target = mem_string_n(value, strnlen(value, max));
}

void kernel_tally_add(struct kernel_tally *tally, const struct kernel_event *event,
                      enum kernel_boot boot, struct kernel_time time, const char *line)
{
    struct kernel_seen *seen = find_or_add(tally, event, boot);
    if (seen == NULL)
        return;
    seen->count++;
    if (time.seconds >= 0) {
        seen->first_seconds = seen->first_seconds < 0 ? time.seconds : seen->first_seconds;
        seen->last_seconds = time.seconds;
    }
    if (time.wall) {
        if (seen->first == NULL)
            set_string(&seen->first, time.wall, WALL_MAX);
        set_string(&seen->last, time.wall, WALL_MAX);
    }
    set_string(&seen->message, line, MESSAGE_MAX);
    if (seen->source == NULL)
        set_string(&seen->source, tally->source, PATH_MAX);
}

static void seen_clear(struct kernel_seen *seen)
{
    free(seen->first);
    free(seen->last);
    free(seen->message);
    free(seen->source);
}

/* Of what earlier boots had before, the newest counts for the times. */
static void age_one(struct kernel_tally *tally, struct kernel_seen *seen)
{
    struct kernel_seen *old = find(tally, &seen->event, BOOT_EARLIER);
    if (old == NULL) {
        seen->boot = BOOT_EARLIER;
        return;
    }
    seen->count += old->count;
    if (old->first) {
        free(seen->first);
        seen->first = mem_steal(&old->first);
    }
    seen_clear(old);
    *old = *seen;
    old->boot = BOOT_EARLIER;
    *seen = tally->seen[--tally->count];
}

void kernel_tally_age(struct kernel_tally *tally)
{
    for (size_t i = tally->count; i-- > 0;)
        if (tally->seen[i].boot == BOOT_CURRENT)
            age_one(tally, &tally->seen[i]);
}

/* The earlier log is the better source of the two: it is asked first. */
static void join(struct kernel_seen *target, const struct kernel_seen *seen)
{
    if (seen->first_seconds >= 0 &&
        (target->first_seconds < 0 || seen->first_seconds < target->first_seconds))
        target->first_seconds = seen->first_seconds;
    if (seen->last_seconds > target->last_seconds)
        target->last_seconds = seen->last_seconds;
    if (seen->first && target->first == NULL)
        set_string(&target->first, seen->first, WALL_MAX);
    if (seen->last && target->last == NULL)
        set_string(&target->last, seen->last, WALL_MAX);
    if (seen->count <= target->count)
        return;
    target->count = seen->count;
    set_string(&target->message, seen->message, MESSAGE_MAX);
    set_string(&target->source, seen->source, PATH_MAX);
}

void kernel_tally_merge(struct kernel_tally *target, const struct kernel_tally *tally)
{
    target->full = target->full || tally->full;
    for (size_t i = 0; i < tally->count; i++) {
        const struct kernel_seen *seen = &tally->seen[i];
        struct kernel_seen *known = find_or_add(target, &seen->event, seen->boot);
        if (known)
            join(known, seen);
    }
}

static void note_time(struct facts *facts, const char *group, const char *name, int64_t seconds,
                      const char *source)
{
    if (seconds >= 0)
        facts_set_integer(facts, group, name, seconds, source);
    else
        facts_set_absent(facts, group, name, source);
}

static char *instance_name(const struct kernel_seen *seen)
{
    static const char *const prefixes[] = {
        [BOOT_CURRENT] = "", [BOOT_EARLIER] = "earlier/", [BOOT_UNKNOWN] = "undated/"};
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s%s", prefixes[seen->boot], seen->event.name);
    if (seen->event.numbered)
        text_printf(&name, "-%" PRId64, seen->event.number);
    if (seen->event.bus_id[0])
        text_printf(&name, "@%s", seen->event.bus_id);
    return text_steal(&name);
}

static void note_one(const struct kernel_seen *seen, struct facts *facts)
{
    static const char *const boots[] = {
        [BOOT_CURRENT] = "current", [BOOT_EARLIER] = "earlier", [BOOT_UNKNOWN] = "unknown"};
    const char *source = seen->source;
    AUTO_FREE char *instance = instance_name(seen);
    AUTO_FREE char *group = facts_group_name("kernel_log", instance);
    facts_set_string(facts, group, "event", seen->event.name, source);
    facts_set_string(facts, group, "boot", boots[seen->boot], source);
    if (seen->event.numbered)
        facts_set_integer(facts, group, "number", seen->event.number, source);
    else
        facts_set_absent(facts, group, "number", source);
    facts_set_string(facts, group, "bus_id", seen->event.bus_id[0] ? seen->event.bus_id : NULL,
                     source);
    facts_set_integer(facts, group, "count", seen->count, source);
    note_time(facts, group, "first_seconds", seen->first_seconds, source);
    note_time(facts, group, "last_seconds", seen->last_seconds, source);
    facts_set_string(facts, group, "first", seen->first, source);
    facts_set_string(facts, group, "last", seen->last, source);
    facts_set_string(facts, group, "message", seen->message, source);
}

void kernel_tally_note(const struct kernel_tally *tally, struct facts *facts)
{
    for (size_t i = 0; i < tally->count; i++)
        note_one(&tally->seen[i], facts);
}

void kernel_tally_free(struct kernel_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        seen_clear(&tally->seen[i]);
    free(tally->seen);
    *tally = (struct kernel_tally){0};
}
