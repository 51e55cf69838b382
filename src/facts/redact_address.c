/* SPDX-License-Identifier: MIT */
#include "facts/redact_private.h"

#include <ctype.h>

/* Writes the stand-in for the size bytes at scan->at. */
static size_t replace(struct scan *scan, enum redacted kind, size_t size)
{
    redact_append_stand_in(scan, kind, scan->text + scan->at, size);
    return size;
}

static size_t hex_run(const char *text)
{
    size_t size = 0;
    while (redact_is_hex(text[size]))
        size++;
    return size;
}

/* One of the four numbers; 0: there is none. */
static size_t octet(const char *text, unsigned *ret_value)
{
    size_t size = 0;
    *ret_value = 0;
    while (size < 4 && redact_is_digit(text[size]))
        *ret_value = *ret_value * 10 + (unsigned)(text[size++] - '0');
    bool padded = size > 1 && text[0] == '0';
    return size > 3 || *ret_value > 255 || padded ? 0 : size;
}

/* "9.1.0.70" is a release of cuDNN; no product has one that begins with more than this. */
#define VERSION_MOST 30

/* Whether four numbers are a version by what stands around them: "-9.1.0.70", "==10.3.2.106",
 * "/opt/TensorRT/10.3.0.26/lib". */
static bool reads_as_version(const struct scan *scan, unsigned first)
{
    char before = redact_before(scan);
    if (first > VERSION_MOST)
        return false;
    if (scan->privacy == PRIVACY_VERSION)
        return true;
    bool url = before == '/' && scan->at > 1 && scan->text[scan->at - 2] == '/';
    bool compared = before == '=' && scan->at > 1 && strchr("=><~!", scan->text[scan->at - 2]);
    return (before == '/' && !url) || compared || before == '>' || before == '<';
}

size_t redact_address4(struct scan *scan)
{
    char before = redact_before(scan);
    const char *text = scan->text + scan->at;
    unsigned first = 0, value;
    size_t size = 0;
    if (!redact_is_digit(*text) || redact_is_word(before) || (before && strchr(".-+~", before)))
        return 0;
    for (unsigned i = 0; i < 4; i++) {
        size_t digits = octet(text + size, &value);
        if (digits == 0 || (i < 3 && text[size + digits] != '.'))
            return 0;
        first = i == 0 ? value : first;
        size += digits + (i < 3);
    }
    bool ends = !redact_is_word(text[size]) && !(text[size] && strchr("-+~", text[size])) &&
                !(text[size] == '.' && redact_is_alnum(text[size + 1]));
    bool local = first == 127 || first == 0 || string_starts(text, "255.");
    if (!ends || local || reads_as_version(scan, first))
        return 0;
    return replace(scan, REDACTED_ADDRESS, size);
}

/* "fe80::1", "2001:…": groups of at most four digits, eight of them or fewer around "::". */
size_t redact_address6(struct scan *scan)
{
    char before = redact_before(scan);
    const char *text = scan->text + scan->at;
    size_t size = 0, groups = 0, gaps = 0;
    if (!redact_is_hex(*text) || redact_is_word(before) || before == ':' || before == '.')
        return 0;
    while (redact_is_hex(text[size])) {
        size_t digits = hex_run(text + size);
        if (digits > 4)
            return 0;
        size += digits;
        groups++;
        if (text[size] != ':')
            break;
        size++;
        if (text[size] != ':')
            continue;
        gaps++;
        size++;
    }
    bool begins = strncasecmp(text, "fe80:", 5) == 0 || strncasecmp(text, "fd", 2) == 0 ||
                  strncasecmp(text, "fc", 2) == 0 || text[0] == '2' || text[0] == '3';
    bool whole = gaps == 1 ? groups < 8 && (groups >= 3 || begins) : gaps == 0 && groups == 8;
    if (!whole || redact_is_word(text[size]) || text[size] == ':')
        return 0;
    return replace(scan, REDACTED_ADDRESS6, size);
}

/* Six bytes, and up to the twenty of InfiniBand. */
size_t redact_mac(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    char before = redact_before(scan), between = '\0';
    size_t size = 0, bytes = 0;
    if (!redact_is_hex(*text) || redact_is_word(before) || before == ':' || before == '-')
        return 0;
    while (redact_is_hex(text[size]) && redact_is_hex(text[size + 1])) {
        size += 2;
        bytes++;
        between = bytes == 1 ? text[size] : between;
        if ((between != ':' && between != '-') || text[size] != between)
            break;
        size++;
    }
    if (bytes < 6 || bytes > 20 || redact_is_word(text[size]) || text[size - 1] == between)
        return 0;
    return replace(scan, REDACTED_MAC, size);
}

/* Names of variables of UEFI, the same on every machine. */
static bool is_public_uuid(const char *uuid)
{
    static const char *const names[] = {"8be4df61-93ca-11d2-aa0d-00e098032b8c",
                                        "605dab50-e046-4300-abb6-3dd810dd8b23",
                                        "d719b2cb-3d3a-4596-a3bc-dad00e67656f"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncasecmp(uuid, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

#define UUID_SIZE 36

/* 8-4-4-4-12 digits, between them - or _ (as in the name of a pod's cgroup). */
static bool is_uuid(const char *text)
{
    static const size_t parts[] = {8, 4, 4, 4, 12};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (hex_run(text) != parts[i])
            return false;
        text += parts[i];
        if (i < 4 && *text != '-' && *text != '_')
            return false;
        text += i < 4;
    }
    return true;
}

/* "GPU-5f2c": so much of a UUID as tells it from the others here. */
static size_t begun_uuid(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    size_t size = 0;
    while (redact_is_hex(text[size]) || text[size] == '-')
        size++;
    while (size > 0 && text[size - 1] == '-')
        size--;
    if (size < 4 || redact_is_word(text[size]))
        return 0;
    const char *stand_in = redact_begun(scan->redaction, REDACTED_UUID, text, size);
    if (stand_in == NULL)
        stand_in = redact_stand_in(scan->redaction, REDACTED_UUID, text, size);
    text_append_n(scan->output, stand_in, strcspn(stand_in, "-"));
    return size;
}

size_t redact_uuid(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    char before = redact_before(scan);
    bool in_pod = scan->at >= 3 && strncmp(text - 3, "pod", 3) == 0;
    bool named =
        scan->at >= 4 && (strncmp(text - 4, "GPU-", 4) == 0 || strncmp(text - 4, "MIG-", 4) == 0);
    if (!redact_is_hex(*text) || (redact_is_word(before) && before != '_' && !in_pod))
        return 0;
    if (!is_uuid(text) || redact_is_word(text[UUID_SIZE]))
        return named ? begun_uuid(scan) : 0;
    if (is_public_uuid(text))
        return 0;
    AUTO_FREE char *uuid = mem_string_n(text, UUID_SIZE);
    for (char *at = uuid; *at; at++)
        *at = *at == '_' ? '-' : *at;
    redact_append_stand_in(scan, REDACTED_UUID, uuid, UUID_SIZE);
    return UUID_SIZE;
}

/* 32 or 64 digits: a machine's, a container's. What follows "sha256:" is of an image that everybody
 * can have. */
size_t redact_hex_id(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    char before = redact_before(scan);
    if (!redact_is_hex(*text) || redact_is_alnum(before) ||
        (scan->at >= 7 && strncmp(text - 7, "sha256:", 7) == 0))
        return 0;
    size_t size = hex_run(text), letters = 0;
    for (size_t i = 0; i < size; i++)
        letters += isalpha((unsigned char)text[i]) != 0;
    if ((size != 32 && size != 64) || redact_is_alnum(text[size]) || letters == 0 ||
        letters == size)
        return 0;
    return replace(scan, REDACTED_ID, size);
}
