/* SPDX-License-Identifier: MIT */
#include "facts/redact_private.h"

#include <ctype.h>

static size_t run_of(const char *text, const char *also)
{
    size_t size = 0;
    while (text[size] && (redact_is_alnum(text[size]) || strchr(also, text[size])))
        size++;
    return size;
}

/* "://user:password@". */
size_t redact_url_user(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    if (strncmp(text, "://", 3) != 0)
        return 0;
    size_t size = strcspn(text + 3, "@/ \t\n\"'<>");
    if (size == 0 || text[3 + size] != '@')
        return 0;
    text_append(scan->output, "://");
    redact_append_stand_in(scan, REDACTED_SECRET, text + 3, size);
    return 3 + size + redact_host_at(scan, 3 + size, "@");
}

/* How keys of well-known services begin. */
size_t redact_token(struct scan *scan)
{
    static const char *const begins[] = {
        "hf_",    "nvapi-", "sk-",   "ghp_",   "gho_",   "ghs_",  "ghu_",     "github_pat_",
        "glpat-", "xoxb-",  "xoxp-", "AKIA",   "ASIA",   "AIza",  "eyJ",      "ya29.",
        "npm_",   "pypi-",  "dckr_", "dop_v1", "shpat_", "tvly-", "wandb_v1", "r8_",
    };
    const char *text = scan->text + scan->at;
    if (redact_is_word(redact_before(scan)))
        return 0;
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        size_t size = string_starts(text, begins[i]) ? run_of(text, "_-.") : 0;
        if (size < strlen(begins[i]) + 12)
            continue;
        redact_append_stand_in(scan, REDACTED_SECRET, text, size);
        return size;
    }
    return 0;
}

/* "password=…", "api_key: …", "Bearer …". */
size_t redact_keyword(struct scan *scan)
{
    static const char *const words[] = {"token",      "password",    "passwd",     "secret",
                                        "api_key",    "apikey",      "api-key",    "access_key",
                                        "accesskey",  "private_key", "credential", "bearer",
                                        "access-key", "passphrase"};
    const char *text = scan->text + scan->at;
    size_t word = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && word == 0; i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0)
            word = strlen(words[i]);
    if (word == 0)
        return 0;
    size_t start = word + strspn(text + word, "\"'");
    bool bearer = strncasecmp(text, "bearer ", 7) == 0;
    if (!bearer && text[start] != '=' && text[start] != ':')
        return 0;
    start += bearer ? 0 : 1;
    start += strspn(text + start, " \"'");
    size_t size = strcspn(text + start, " \t\n\"'&;,)}]");
    if (size < 4)
        return 0;
    text_append_n(scan->output, text, start);
    redact_append_stand_in(scan, REDACTED_SECRET, text + start, size);
    return start + size;
}

/* "nvidia-persistenced@0.service" is no address. */
static bool is_unit(const char *domain, size_t size)
{
    static const char *const ends[] = {".service", ".socket", ".timer", ".target",
                                       ".slice",   ".scope",  ".mount", ".device"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t length = strlen(ends[i]);
        if (size >= length && strncmp(domain + size - length, ends[i], length) == 0)
            return true;
    }
    return false;
}

/* "user@host": the host is learned, and the user unless everybody has that one. */
static void append_user_at_host(struct scan *scan, const char *user, size_t user_size,
                                const char *host, size_t host_size)
{
    if (redact_is_common(user, user_size)) {
        text_append_n(scan->output, user, user_size);
    } else {
        redact_append_stand_in(scan, REDACTED_USER, user, user_size);
        redact_learn(scan->redaction, REDACTED_USER, user, user_size);
    }
    text_append_char(scan->output, '@');
    if (redact_is_common(host, host_size)) {
        text_append_n(scan->output, host, host_size);
        return;
    }
    redact_append_stand_in(scan, REDACTED_HOST, host, host_size);
    redact_learn(scan->redaction, REDACTED_HOST, host, host_size);
}

/* "name@domain.org", or a user at a host, as in the builder of a kernel module: "(root@node17)". */
size_t redact_mail(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    char before = redact_before(scan);
    size_t user = run_of(text, "._%+-");
    if (redact_is_word(before) || (before && strchr(".%+-@", before)) || user == 0 ||
        text[user] != '@')
        return 0;
    const char *domain = text + user + 1;
    size_t size = run_of(domain, ".-");
    while (size > 0 && !redact_is_alnum(domain[size - 1]))
        size--;
    if (size == 0 || is_unit(domain, size) || redact_is_word(domain[size]) || domain[size] == '@')
        return 0;
    size_t label = strcspn(domain, ".");
    bool digits = strspn(domain, "0123456789.") >= size;
    if (digits && strspn(domain, "0123456789.") > size + 1)
        return 0;
    if (redact_is_digit(*domain) && (!digits || memchr(domain, '.', size) == NULL || size < 7))
        return 0; /* "xid-79@0000:01:00.0", "cuda@12.8" */
    if (!digits && label < size && isalpha((unsigned char)domain[size - 1])) {
        redact_append_stand_in(scan, REDACTED_MAIL, text, user + 1 + size);
        return user + 1 + size;
    }
    append_user_at_host(scan, text, user, domain, size);
    return user + 1 + size;
}

/* "ip-10-20-30-40", "gke-CLUSTER-POOL-1a2b3c4d-x9yz", "aks-POOL-12345678-vmss000000". */
static size_t node_name(const char *text)
{
    static const char *const begins[] = {"ip-", "gke-", "aks-"};
    size_t size = 0, dashes = 0;
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (string_starts(text, begins[i]))
            size = run_of(text, "-");
    while (size > 0 && !redact_is_alnum(text[size - 1]))
        size--;
    for (size_t i = 0; i < size; i++)
        dashes += text[i] == '-';
    bool digits = strcspn(text, "0123456789") < size;
    return dashes >= 3 && digits ? size : 0;
}

/* Numbers that a cloud gives: "i-0abc…", "vol-…", "projects/NAME". */
size_t redact_cloud_id(struct scan *scan)
{
    static const char *const begins[] = {"i-",   "vol-", "ami-",  "eni-", "subnet-",
                                         "vpc-", "sg-",  "snap-", "lt-",  "eipalloc-"};
    static const char *const places[] = {"projects/", "resourceGroups/", "ocid1."};
    const char *text = scan->text + scan->at;
    char before = redact_before(scan);
    if (redact_is_word(before) || before == '-')
        return 0;
    size_t node = node_name(text);
    if (node > 0) {
        redact_append_stand_in(scan, REDACTED_HOST, text, node);
        return node;
    }
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        size_t begin = string_starts(text, begins[i]) ? strlen(begins[i]) : 0;
        size_t size = begin;
        while (begin && redact_is_hex(text[size]))
            size++;
        if ((size - begin != 8 && size - begin != 17) || redact_is_word(text[size]))
            continue;
        redact_append_stand_in(scan, REDACTED_ID, text, size);
        return size;
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        size_t begin = string_starts(text, places[i]) ? strlen(places[i]) : 0;
        size_t size = begin ? run_of(text + begin, "-._") : 0;
        if (size < 4)
            continue;
        text_append_n(scan->output, text, begin);
        redact_append_stand_in(scan, REDACTED_ID, text + begin, size);
        return begin + size;
    }
    return 0;
}

/* "serial number: 0323…", "S/N 1320…", "Service Tag 7XYZ…". */
size_t redact_serial(struct scan *scan)
{
    static const char *const words[] = {"serial", "s/n", "sn ", "sn:", "service tag", "asset tag"};
    const char *text = scan->text + scan->at;
    size_t start = 0, digits = 0;
    if (redact_is_word(redact_before(scan)))
        return 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && start == 0; i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0)
            start = strlen(words[i]);
    if (start == 0)
        return 0;
    start += strspn(text + start, " _-");
    if (strncasecmp(text + start, "number", 6) == 0 || strncasecmp(text + start, "no", 2) == 0)
        start += strncasecmp(text + start, "number", 6) == 0 ? 6 : 2;
    start += strspn(text + start, " .:=#\"'");
    size_t size = run_of(text + start, "-");
    for (size_t i = 0; i < size; i++)
        digits += redact_is_digit(text[start + i]);
    if (size < 6 || digits < 3)
        return 0;
    text_append_n(scan->output, text, start);
    redact_append_stand_in(scan, REDACTED_SERIAL, text + start, size);
    return start + size;
}
