/* SPDX-License-Identifier: MIT */
#include "facts/redact_private.h"

void redaction_know(struct redaction *redaction, enum redacted kind, const char *name)
{
    if (name == NULL)
        return;
    redact_learn(redaction, kind, name, strlen(name));
    if (kind == REDACTED_HOST)
        redact_learn(redaction, kind, name, strcspn(name, "."));
}

static char *redact(struct redaction *redaction, enum fact_privacy privacy, const char *text)
{
    struct text output = {0};
    redact_append(redaction, privacy, text, &output);
    return text_steal(&output);
}

char *redaction_text(struct redaction *redaction, const char *text)
{
    return text ? redact(redaction, PRIVACY_TEXT, text) : NULL;
}

static char *stand_in(struct redaction *redaction, enum redacted kind, const char *original)
{
    return mem_string(redact_stand_in(redaction, kind, original, strlen(original)));
}

static bool has_any(const char *name, const char *const words[], const char **ret_word)
{
    for (size_t i = 0; words[i]; i++)
        if (strstr(name, words[i])) {
            *ret_word = words[i];
            return true;
        }
    return false;
}

/* The name of a key is a maker's, whom everybody knows, or somebody's. Of the latter the words stay
 * that say that it was made on a machine. */
static char *redact_key_words(struct redaction *redaction, const char *name)
{
    static const char *const makers[] = {
        "Microsoft",      "Canonical", "Ubuntu",  "Red Hat",    "Fedora",
        "CentOS",         "Rocky",     "Alma",    "Oracle",     "Debian",
        "SUSE",           "ELRepo",    "NVIDIA",  "Amazon",     "Google",
        "VMware",         "Dell",      "Hewlett", "HP ",        "HPE",
        "Lenovo",         "ASUS",      "Acer",    "MSI",        "Gigabyte",
        "Supermicro",     "Intel",     "AMI",     "Proxmox",    "ublue",
        "Universal Blue", "Windows",   "UEFI",    "kernel key", NULL};
    static const char *const local[] = {"DKMS module signing key", "Module Signature key", "akmods",
                                        "Local", NULL};
    const char *word = NULL;
    if (has_any(name, makers, &word) || (has_any(name, local, &word) && string_equal(name, word)) ||
        string_starts(name, "key-"))
        return redact(redaction, PRIVACY_TEXT, name);
    AUTO_FREE char *key = stand_in(redaction, REDACTED_KEY, name);
    return word ? mem_printf("%s %s", key, word) : mem_steal(&key);
}

/* The name of a key that a machine has made: "node17 Secure Boot Module Signature key" of Ubuntu,
 * "node17-0e5c1d…" of akmods. */
static char *redact_key(struct redaction *redaction, const char *name)
{
    static const char end[] = " Secure Boot Module Signature key";
    size_t size = strlen(name);
    if (string_ends(name, end) && size > sizeof(end) - 1) {
        size_t host = size - (sizeof(end) - 1);
        if (redact_is_common(name, host))
            return mem_string(name);
        redact_learn(redaction, REDACTED_HOST, name, host);
        return mem_printf("%s%s", redact_stand_in(redaction, REDACTED_HOST, name, host), end);
    }
    if (*name == '\0')
        return mem_string(name);
    if (strchr(name, ' '))
        return redact_key_words(redaction, name);
    return stand_in(redaction, REDACTED_KEY, name);
}

/* A variable whose name says that its value opens something. */
static bool is_secret(const char *group, const char *name)
{
    static const char *const words[] = {"TOKEN", "KEY",  "SECRET", "PASSW",
                                        "CRED",  "AUTH", "COOKIE", "PASSPHRASE"};
    if (!string_equal(group, "environment"))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (string_contains_nocase(name, words[i]))
            return true;
    return false;
}

static char *redact_value(struct redaction *redaction, const char *group, const char *name,
                          const char *value)
{
    enum fact_privacy privacy = dictionary_privacy(group, name);
    if (*value == '\0')
        return mem_string(value);
    if (is_secret(group, name))
        return stand_in(redaction, REDACTED_SECRET, value);
    if (privacy == PRIVACY_SERIAL)
        return stand_in(redaction, REDACTED_SERIAL, value);
    if (privacy == PRIVACY_NAME)
        return stand_in(redaction, REDACTED_NAME, value);
    return privacy == PRIVACY_KEY ? redact_key(redaction, value)
                                  : redact(redaction, privacy, value);
}

/* A container's group is named by its id. */
static char *redact_group(struct redaction *redaction, const char *group)
{
    static const char container[] = "docker_container/";
    if (!string_starts(group, container))
        return redact(redaction, PRIVACY_TEXT, group);
    const char *id = group + sizeof(container) - 1;
    return mem_printf("%s%s", container, redact_stand_in(redaction, REDACTED_ID, id, strlen(id)));
}

static void copy_safe(struct redaction *redaction, struct facts *target, const char *to,
                      const char *group, const struct fact *fact)
{
    AUTO_FREE char *source = redaction_text(redaction, fact->source);
    AUTO_FREE char *reason = redaction_text(redaction, fact->reason);
    AUTO_FREE char *string =
        fact->string ? redact_value(redaction, group, fact->name, fact->string) : NULL;
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < fact->list.count; i++)
        strlist_take(&list, redact_value(redaction, group, fact->name, fact->list.items[i]));
    struct fact safe = *fact;
    safe.source = source;
    safe.reason = reason;
    safe.string = string;
    safe.list = list;
    facts_copy_fact(target, to, &safe);
}

static struct facts *redact_facts(struct redaction *redaction, const struct facts *facts)
{
    struct facts *target = facts_new();
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        AUTO_FREE char *to = redact_group(redaction, group);
        for (size_t k = 0; k < facts_count(facts, group); k++)
            copy_safe(redaction, target, to, group, facts_at(facts, group, k));
    }
    return target;
}

/* Twice: a name that is learned from the last fact may stand in the first. */
struct facts *redaction_facts(struct redaction *redaction, const struct facts *facts)
{
    facts_free(redact_facts(redaction, facts));
    return redact_facts(redaction, facts);
}
