/* SPDX-License-Identifier: MIT */
#include "facts/redact_private.h"

/* Accounts that systems and images come with, and words that stand for something else elsewhere in
 * a record: after /home/ they are replaced, elsewhere they stay. */
static const char *const common[] = {
    "admin",      "anaconda3", "app",        "archlinux-builder",
    "azureuser",  "bin",       "build",      "buildd",
    "builder",    "centos",    "conda",      "core",
    "cuda",       "cudnn",     "data",       "debian",
    "default",    "dev",       "devel",      "docker",
    "ec2-user",   "env",       "fedora",     "git",
    "gpu",        "group",     "home",       "host",
    "jax",        "jetson",    "jovyan",     "lib",
    "lib64",      "linux",     "local",      "localhost",
    "lost+found", "me",        "miniconda3", "mockbuild",
    "model",      "models",    "mnt",        "name",
    "none",       "nvidia",    "nvidia-smi", "ollama",
    "opc",        "opt",       "project",    "python",
    "python3",    "pytorch",   "rocky",      "root",
    "run",        "runner",    "sandbox",    "shared",
    "src",        "sudo",      "system",     "tensorflow",
    "test",       "tmp",       "toolkit",    "torch",
    "ubuntu",     "user",      "users",      "usr",
    "var",        "venv",      "version",    "vscode",
    "wheel",      "work",      "worker",     "workspace",
    "www-data",   "vm",        "node",       "guest",
    "server",
};

bool redact_is_common(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        if (strlen(common[i]) == size && strncasecmp(common[i], name, size) == 0)
            return true;
    return false;
}

bool redact_is_known(const struct strlist *names, const char *name, size_t size)
{
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->items[i]) == size && strncasecmp(names->items[i], name, size) == 0)
            return true;
    return false;
}

void redact_learn(struct redaction *redaction, enum redacted kind, const char *name, size_t size)
{
    struct strlist *names = kind == REDACTED_USER ? &redaction->users : &redaction->hosts;
    if (size < 2 || size > 64 || names->count >= KNOWN_MAX || redact_is_common(name, size) ||
        redact_is_known(names, name, size) || strspn(name, "0123456789.") >= size)
        return;
    strlist_take(names, mem_string_n(name, size));
}

#define OWN_NAME 5 /* a name of as many letters is one within "mps_NAME_1", too */

/* How long the known name is that stands at text as a word of its own; the longest counts. */
static size_t known_at(const struct strlist *names, const char *text, bool within, bool caseless)
{
    size_t longest = 0;
    for (size_t i = 0; i < names->count; i++) {
        size_t size = strlen(names->items[i]);
        bool same = caseless ? strncasecmp(text, names->items[i], size) == 0
                             : strncmp(text, names->items[i], size) == 0;
        if (!same || (within && size < OWN_NAME) || size <= longest)
            continue;
        if (!redact_is_word(text[size]) || (text[size] == '_' && size >= OWN_NAME))
            longest = size;
    }
    return longest;
}

static size_t match_known(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    bool within = redact_before(scan) == '_';
    if (!redact_is_word(*text) || (redact_is_word(redact_before(scan)) && !within))
        return 0;
    size_t host = known_at(&scan->redaction->hosts, text, within, true);
    size_t user = known_at(&scan->redaction->users, text, within, false);
    size_t size = host > user ? host : user;
    if (size > 0)
        redact_append_stand_in(scan, host > user ? REDACTED_HOST : REDACTED_USER, text, size);
    return size;
}

/* A user's name in a path, at its start. Below Windows' Users it may hold blanks. */
static size_t home_size(const char *name, bool blanks)
{
    size_t size = strcspn(name, "/\\:;,'\"()[]{}<>| \t\n\r=&`");
    size_t whole = blanks ? strcspn(name, "/\\:;,'\"()[]{}<>|\t\n\r=&`") : 0;
    if (whole > size && whole <= 64 && (name[whole] == '/' || name[whole] == '\\'))
        return whole;
    while (size > 0 && name[size] == '\0' && name[size - 1] == '.')
        size--;
    return size;
}

/* Directories of /home that are nobody's: GKE's nodes have the driver in the first. */
static bool is_of_nobody(const char *name, size_t size)
{
    static const char *const names[] = {"kubernetes", "linuxbrew", "lost+found"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == size && strncmp(names[i], name, size) == 0)
            return true;
    return false;
}

static size_t match_home(struct scan *scan)
{
    static const struct {
        const char *place;
        bool learns, blanks;
    } places[] = {
        {"/home/", true, false},   {"/homes/", true, false},  {"/users/", true, false},
        {"/Users/", true, true},   {"\\Users\\", true, true}, {"/run/media/", true, false},
        {"/media/", false, false},
    };
    const char *text = scan->text + scan->at;
    if (*text != '/' && *text != '\\')
        return 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        size_t begin = strlen(places[i].place);
        size_t size =
            string_starts(text, places[i].place) ? home_size(text + begin, places[i].blanks) : 0;
        if (size == 0 || strchr("*$<%.-", text[begin]) || is_of_nobody(text + begin, size))
            continue;
        text_append_n(scan->output, text, begin);
        redact_append_stand_in(scan, REDACTED_USER, text + begin, size);
        if (places[i].learns)
            redact_learn(scan->redaction, REDACTED_USER, text + begin, size);
        return begin + size;
    }
    return 0;
}

/* In this order: what holds another thing stands before it. */
static scan_match *const matches[] = {
    redact_url_user, redact_token,    redact_keyword,  redact_mail,   redact_uuid,
    redact_mac,      redact_address6, redact_address4, redact_hex_id, redact_cloud_id,
    redact_project,  redact_serial,   match_home,      redact_domain, redact_url_host,
    redact_share,    redact_labelled, redact_named,    match_known,
};

void redact_append(struct redaction *redaction, enum fact_privacy privacy, const char *text,
                   struct text *output)
{
    struct scan scan = {.redaction = redaction,
                        .text = text,
                        .size = strlen(text),
                        .privacy = privacy,
                        .output = output};
    while (scan.at < scan.size) {
        size_t taken = 0;
        for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]) && taken == 0; i++)
            taken = matches[i](&scan);
        if (taken == 0)
            text_append_char(output, text[scan.at]);
        scan.at += taken ? taken : 1;
    }
}
