/* SPDX-License-Identifier: MIT */
#ifndef FACTS_REDACT_PRIVATE_H
#define FACTS_REDACT_PRIVATE_H

/* Private to facts/redact*.c. */

#include <stdbool.h>
#include <string.h>

#include "base/strlist.h"
#include "base/text.h"
#include "facts/dictionary.h"
#include "facts/name_index.h"
#include "facts/redact.h"

/* The stand-ins of one kind: the originals in order, and which number each has. */
struct stand_ins {
    struct strlist originals;
    struct strlist stand_ins;
    struct name_index index; /* of a copy of each original; its positions are those of the lists */
};

#define KNOWN_MAX 256 /* names that are looked for everywhere */

struct redaction {
    struct stand_ins kinds[REDACTED_COUNT];
    struct strlist users, hosts; /* that are known */
};

/* A text on its way to the output: what is before at was written. */
struct scan {
    struct redaction *redaction;
    const char *text;
    size_t size, at;
    enum fact_privacy privacy;
    struct text *output;
};

/* What stands at scan->at is such a thing: writes the stand-in, and yields how many bytes of text
 * it is for. 0: it is not, and nothing was written. */
typedef size_t scan_match(struct scan *scan);
scan_match redact_address4, redact_address6, redact_mac, redact_uuid, redact_hex_id;
scan_match redact_url_user, redact_token, redact_keyword, redact_mail, redact_cloud_id,
    redact_serial, redact_domain, redact_url_host, redact_share, redact_named, redact_labelled,
    redact_project;

/* The stand-in for size bytes; it stays as long as the redaction. Letters of originals that differ
 * in case alone are the same where the kind is one of names and numbers of the net. */
const char *redact_stand_in(struct redaction *redaction, enum redacted kind, const char *original,
                            size_t size);
/* Writes the stand-in for size bytes of scan->text. */
void redact_append_stand_in(struct scan *scan, enum redacted kind, const char *original,
                            size_t size);
/* The stand-in that an original which begins so was given before; NULL: none. */
const char *redact_begun(const struct redaction *redaction, enum redacted kind, const char *begin,
                         size_t size);

/* True where a name says nothing about whose machine it is. */
bool redact_is_common(const char *name, size_t size);
/* Writes begin and the stand-in of the host without a domain that stands behind it at scan->at +
 * at; how many bytes of text that is for. 0: there is none, and nothing was written. */
size_t redact_host_at(struct scan *scan, size_t at, const char *begin);

/* A host of a maker of drivers, distributions or images, which everybody knows. */
bool redact_is_public(const char *name, size_t size);
bool redact_is_known(const struct strlist *names, const char *name, size_t size);
void redact_learn(struct redaction *redaction, enum redacted kind, const char *name, size_t size);

void redact_append(struct redaction *redaction, enum fact_privacy privacy, const char *text,
                   struct text *output);

/* A letter, a digit, _ or a byte of UTF-8. */
static inline bool redact_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}
static inline bool redact_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool redact_is_hex(char c)
{
    return redact_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static inline bool redact_is_alnum(char c)
{
    return redact_is_word(c) && c != '_' && (c & 0x80) == 0;
}
/* The byte before, NUL at the start. */
static inline char redact_before(const struct scan *scan)
{
    return scan->at > 0 ? scan->text[scan->at - 1] : '\0';
}

#endif
