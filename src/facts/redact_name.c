/* SPDX-License-Identifier: MIT */
/* Names of hosts and people by the words around them: what is learned here is replaced wherever it
 * is a word of its own. */
#include "facts/redact_private.h"

#define NAME_MIN 3

static bool begins_nocase(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

/* A name at text; punctuation at its end is the sentence's. */
static size_t name_size(const char *text)
{
    size_t size = 0;
    while (redact_is_word(text[size]) || text[size] == '.' || text[size] == '-')
        size++;
    while (size > 0 && !redact_is_word(text[size - 1]))
        size--;
    return size;
}

static bool is_one_of(const char *text, size_t size, const char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        if (strlen(words[i]) == size && strncasecmp(text, words[i], size) == 0)
            return true;
    return false;
}

/* Values that are nobody's name. */
static bool is_word_of_settings(const char *text, size_t size)
{
    static const char *const words[] = {"yes",  "no",      "true",    "false", "on",   "off",
                                        "none", "auto",    "any",     "null",  "mode", "space",
                                        "unix", "unknown", "default", "the",   "and",  NULL};
    return is_one_of(text, size, words) || begins_nocase(text, "x86_64") ||
           begins_nocase(text, "aarch64");
}

static bool has_digit(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (redact_is_digit(text[i]))
            return true;
    return false;
}

/* The size of what may be a name there; 0: it is none. */
static size_t private_name(const char *text)
{
    size_t size = name_size(text);
    bool letter = redact_is_alnum(*text) && !redact_is_digit(*text);
    bool hidden =
        size > strlen(".example") && strncmp(text + size - strlen(".example"), ".example", 8) == 0;
    if (size < NAME_MIN || !letter || hidden || redact_is_common(text, size) ||
        redact_is_public(text, size) || is_word_of_settings(text, size))
        return 0;
    return size;
}

/* Writes the before bytes at scan->at, and the stand-in for the name that follows. */
static size_t replace_behind(struct scan *scan, size_t before, enum redacted kind, size_t size)
{
    const char *text = scan->text + scan->at;
    text_append_n(scan->output, text, before);
    redact_append_stand_in(scan, kind, text + before, size);
    if (kind == REDACTED_HOST || kind == REDACTED_USER)
        redact_learn(scan->redaction, kind, text + before, size);
    return before + size;
}

size_t redact_host_at(struct scan *scan, size_t at, const char *begin)
{
    const char *text = scan->text + scan->at + at;
    size_t before = strlen(begin);
    if (!string_starts(text, begin))
        return 0;
    size_t size = private_name(text + before);
    if (size == 0 || text[before + size] == '@')
        return 0;
    text_append(scan->output, begin);
    redact_append_stand_in(scan, REDACTED_HOST, text + before, size);
    if (memchr(text + before, '.', size))
        text_append(scan->output, ".example");
    else
        redact_learn(scan->redaction, REDACTED_HOST, text + before, size);
    return before + size;
}

/* "://proxy01:3128", "gs://bucket/": names that a domain's end does not tell. */
size_t redact_url_host(struct scan *scan)
{
    return redact_host_at(scan, 0, "://");
}

static bool begins_token(const struct scan *scan)
{
    char before = redact_before(scan);
    return before == '\0' || strchr(" \t\n'\"=(,;", before) != NULL;
}

static bool is_name_of_files(const char *text, size_t size)
{
    static const char *const begins[] = {"lib", "gcc", "g++", "python", "cuda", "nvidia", "clang"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (begins_nocase(text, begins[i]))
            return true;
    return memchr(text, '_', size) != NULL;
}

/* "nas07:/export", "registry01:5000/x". */
static size_t host_before_path(const char *text)
{
    size_t size = private_name(text);
    if (size == 0 || text[size] != ':' || !has_digit(text, size) || is_name_of_files(text, size))
        return 0;
    size_t digits = strspn(text + size + 1, "0123456789");
    bool port = digits >= 3 && digits <= 5;
    return text[size + 1 + digits] == '/' && (digits == 0 || port) ? size : 0;
}

/* The same, "//filer02/share", "/net/nas07/x" and "\\\\filer02\\share". */
size_t redact_share(struct scan *scan)
{
    static const char *const begins[] = {"nfsroot=", "//", "/net/", "\\\\"};
    const char *text = scan->text + scan->at;
    if (!begins_token(scan) && redact_before(scan) != ':')
        return 0;
    size_t size = begins_token(scan) ? host_before_path(text) : 0;
    if (size > 0)
        return replace_behind(scan, 0, REDACTED_HOST, size);
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        size_t begin = string_starts(text, begins[i]) ? strlen(begins[i]) : 0;
        size = begin ? private_name(text + begin) : 0;
        bool ends = size && text[begin + size] && strchr("/\\:", text[begin + size]);
        if (ends && (i == 0 || has_digit(text + begin, size)))
            return replace_behind(scan, begin, REDACTED_HOST, size);
    }
    return 0;
}

/* "nvidia0", "renderD128", "node1" of NUMA. */
static bool is_device(const char *text)
{
    static const char *const begins[] = {"nvidia", "card", "renderD", "cpu", "node", "eth"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (string_starts(text, begins[i]) && redact_is_digit(text[strlen(begins[i])]))
            return true;
    return false;
}

/* How many bytes stand between the word and the name behind it; 0: no name follows. "host=…",
 * "user 'X'", "host: X"; "node X" where X has a number. */
static size_t gap_to_name(const char *behind, bool *ret_numbered)
{
    size_t gap = *behind == '=' ? 1 : string_starts(behind, ": ") ? 2 : *behind == ' ';
    bool blank = *behind == ' ';
    size_t quote = gap && behind[gap] && strchr("'\"", behind[gap]) ? 1 : 0;
    *ret_numbered = blank && quote == 0;
    return gap ? gap + quote : 0;
}

/* Behind a name: the port or the address of who is spoken to. */
static bool is_peer(const char *behind)
{
    return behind[0] == ':' && redact_is_digit(behind[1 + (behind[1] == ' ')]);
}

struct naming {
    const char *word;
    enum redacted kind;
    bool peer; /* a name follows it if a port or an address is behind that */
};

/* The size of the name behind that word; 0: none follows. */
static size_t size_of_named(const struct naming *naming, const char *behind, size_t *ret_gap)
{
    bool numbered;
    *ret_gap = gap_to_name(behind, &numbered);
    const char *name = behind + *ret_gap;
    size_t size = *ret_gap ? private_name(name) : 0;
    if (size == 0 || name[size] == '/')
        return 0;
    if (naming->peer)
        return numbered && is_peer(name + size) ? size : 0;
    bool host = naming->kind == REDACTED_HOST && has_digit(name, size) && !is_device(name) &&
                memchr(name, '_', size) == NULL;
    return !numbered || host ? size : 0;
}

/* "user=alice", "Could not resolve host: mirror01", "GridLicenseServer=lic01", "node gpu17",
 * "connected to gpu18:16000". */
size_t redact_named(struct scan *scan)
{
    static const struct naming namings[] = {
        {"hostname", REDACTED_HOST, false}, {"host", REDACTED_HOST, false},
        {"server", REDACTED_HOST, false},   {"node", REDACTED_HOST, false},
        {"username", REDACTED_USER, false}, {"user", REDACTED_USER, false},
        {"acct", REDACTED_USER, false},     {"login", REDACTED_USER, false},
        {"on", REDACTED_HOST, true},        {"to", REDACTED_HOST, true},
        {"from", REDACTED_HOST, true},      {"with", REDACTED_HOST, true}};
    const char *text = scan->text + scan->at;
    for (size_t i = 0; i < sizeof(namings) / sizeof(namings[0]); i++) {
        size_t gap, word = strlen(namings[i].word);
        if (!begins_nocase(text, namings[i].word) ||
            (redact_is_alnum(redact_before(scan)) && text[word] != '='))
            continue;
        size_t size = size_of_named(&namings[i], text + word, &gap);
        if (size > 0)
            return replace_behind(scan, word + gap, namings[i].kind, size);
    }
    return 0;
}

/* The name's end; names with blanks end at one of these. */
static size_t size_to(const char *text, const char *ends)
{
    size_t size = strcspn(text, ends);
    while (size > 0 && text[size - 1] == ' ')
        size--;
    return size;
}

/* "CN=Example CA, O=Example AB" of a certificate; "VM Name: x"; "namespace team-a", "pod train-1".
 */
size_t redact_labelled(struct scan *scan)
{
    static const struct {
        const char *label, *ends;
        bool dashed;
    } labels[] = {{"CN=", ",;]\"'\n", false},        {"OU=", ",;]\"'\n", false},
                  {"O=", ",;]\"'\n", false},         {"VM Name: ", " ,;\"'\n", false},
                  {"namespace ", " ,;:\"'\n", true}, {"pod ", " ,;:\"'\n", true}};
    const char *text = scan->text + scan->at;
    if (redact_is_word(redact_before(scan)))
        return 0;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        size_t begin = string_starts(text, labels[i].label) ? strlen(labels[i].label) : 0;
        size_t size = begin ? size_to(text + begin, labels[i].ends) : 0;
        if (size >= NAME_MIN && (!labels[i].dashed || memchr(text + begin, '-', size)) &&
            !begins_nocase(text + begin, "kube-") && !begins_nocase(text + begin, "gpu-"))
            return replace_behind(scan, begin, REDACTED_NAME, size);
    }
    return 0;
}

/* Projects of everybody's images. */
static bool is_public_project(const char *text, size_t size)
{
    static const char *const names[] = {"google-containers",
                                        "google_containers",
                                        "gke-release",
                                        "deeplearning-platform-release",
                                        "distroless",
                                        "cos-cloud",
                                        "google-samples",
                                        "k8s-staging-nfd",
                                        "kubebuilder",
                                        "cloud-builders",
                                        NULL};
    return is_one_of(text, size, names);
}

/* "gcr.io/PROJECT/image", "…-docker.pkg.dev/PROJECT/x". */
size_t redact_project(struct scan *scan)
{
    static const char *const places[] = {"gcr.io/", "pkg.dev/"};
    const char *text = scan->text + scan->at;
    if (redact_is_alnum(redact_before(scan)))
        return 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        size_t begin = string_starts(text, places[i]) ? strlen(places[i]) : 0;
        size_t size = begin ? name_size(text + begin) : 0;
        if (size >= NAME_MIN && text[begin + size] == '/' && !is_public_project(text + begin, size))
            return replace_behind(scan, begin, REDACTED_ID, size);
    }
    return 0;
}
