/* SPDX-License-Identifier: MIT */
#include "facts/redact_private.h"

static const struct {
    const char *word;
    const char *begins; /* how a stand-in begins */
    bool caseless;      /* letters of either case are the same */
} kinds[REDACTED_COUNT] = {
    [REDACTED_USER] = {"user name", "user-", false},
    [REDACTED_HOST] = {"host name", "host-", true},
    [REDACTED_ADDRESS] = {"IPv4 address", "192.0.2.", false},
    [REDACTED_ADDRESS6] = {"IPv6 address", "2001:db8::", true},
    [REDACTED_MAC] = {"MAC address", "02:00:00:00:", true},
    [REDACTED_UUID] = {"UUID", "0000", true},
    [REDACTED_SERIAL] = {"serial number", "serial-", false},
    [REDACTED_ID] = {"container or cloud id", "id-", true},
    [REDACTED_MAIL] = {"e-mail address", "mail-", true},
    [REDACTED_SECRET] = {"secret", "secret-", false},
    [REDACTED_KEY] = {"key name", "key-", false},
    [REDACTED_NAME] = {"container name", "name-", false},
};

#define UUID_END "-0000-4000-8000-000000000000"
#define MAIL_END "@example.com"

const char *redaction_word(enum redacted kind)
{
    return kinds[kind].word;
}

/* 254 addresses for documentation (RFC 5737), then others that no host has. */
static char *address4(const char *begins, size_t number)
{
    if (number < 255)
        return mem_printf("%s%zu", begins, number);
    return mem_printf("240.%zu.%zu.%zu", number >> 16 & 255, number >> 8 & 255, number & 255);
}

static char *make(enum redacted kind, size_t number)
{
    const char *begins = kinds[kind].begins;
    switch (kind) {
    case REDACTED_ADDRESS:
        return address4(begins, number);
    case REDACTED_ADDRESS6:
        return mem_printf("%s%zx", begins, number & 0xffff);
    case REDACTED_MAC:
        return mem_printf("%s%02zx:%02zx", begins, number >> 8 & 255, number & 255);
    case REDACTED_UUID:
        return mem_printf("%08zx" UUID_END, number);
    case REDACTED_MAIL:
        return mem_printf("%s%zu" MAIL_END, begins, number);
    default:
        return mem_printf("%s%zu", begins, number);
    }
}

/* What a redaction has made already stays as it is. */
static bool is_stand_in(enum redacted kind, const char *original)
{
    const char *begins = kinds[kind].begins;
    if (kind == REDACTED_ADDRESS && string_starts(original, "240."))
        return true;
    if (!string_starts(original, begins))
        return false;
    if (kind == REDACTED_UUID)
        return string_ends(original, UUID_END) || strlen(original) == strlen("00000001");
    if (kind == REDACTED_MAIL)
        return string_ends(original, MAIL_END);
    if (kind == REDACTED_ADDRESS6 || kind == REDACTED_MAC)
        return true;
    const char *number = original + strlen(begins);
    return *number && number[strspn(number, "0123456789")] == '\0';
}

const char *redact_stand_in(struct redaction *redaction, enum redacted kind, const char *original,
                            size_t size)
{
    struct stand_ins *known = &redaction->kinds[kind];
    AUTO_FREE char *name = mem_string_n(original, size);
    size_t position;
    if (kinds[kind].caseless)
        string_lower(name);
    if (name_index_find(&known->index, name, &position))
        return known->stand_ins.items[position];
    char *stand_in = is_stand_in(kind, name) ? mem_string_n(original, size)
                                             : make(kind, known->originals.count + 1);
    strlist_take(&known->originals, mem_steal(&name));
    strlist_take(&known->stand_ins, stand_in);
    position = known->originals.count - 1;
    name_index_add(&known->index, known->originals.items[position], position);
    return stand_in;
}

void redact_append_stand_in(struct scan *scan, enum redacted kind, const char *original,
                            size_t size)
{
    text_append(scan->output, redact_stand_in(scan->redaction, kind, original, size));
}

const char *redact_begun(const struct redaction *redaction, enum redacted kind, const char *begin,
                         size_t size)
{
    const struct stand_ins *known = &redaction->kinds[kind];
    AUTO_FREE char *name = string_lower(mem_string_n(begin, size));
    for (size_t i = 0; i < known->originals.count && i < KNOWN_MAX; i++)
        if (strlen(known->originals.items[i]) > size &&
            string_starts(known->originals.items[i], name))
            return known->stand_ins.items[i];
    return NULL;
}

/* Those that stayed as they were are not counted. */
size_t redaction_count(const struct redaction *redaction, enum redacted kind)
{
    const struct stand_ins *known = &redaction->kinds[kind];
    size_t count = 0;
    for (size_t i = 0; i < known->originals.count; i++)
        count += !string_equal(known->originals.items[i], known->stand_ins.items[i]);
    return count;
}

struct redaction *redaction_new(void)
{
    return mem_alloc(sizeof(struct redaction));
}

void redaction_free(struct redaction *redaction)
{
    if (redaction == NULL)
        return;
    for (size_t i = 0; i < REDACTED_COUNT; i++) {
        name_index_free(&redaction->kinds[i].index);
        strlist_free(&redaction->kinds[i].originals);
        strlist_free(&redaction->kinds[i].stand_ins);
    }
    strlist_free(&redaction->users);
    strlist_free(&redaction->hosts);
    free(redaction);
}
