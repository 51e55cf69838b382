/* SPDX-License-Identifier: MIT */
/*
 * machine-make [-I PLACE]… TREE DIR: makes DIR/root, a machine's file tree, and DIR/facts.json,
 * what was live around it, from the description in the file TREE (docs/background/testing.md). In a
 * file
 * *.case the description begins behind the line "---". One directive a line; `\xHH` stands for a
 * byte, `\\` for a backslash, %{WORD} for a word that was set; lines that begin with "| " belong to
 * the line before, one that begins with "|-" has no end of line:
 *
 *   include TREE [W=V]…   all of another description first, with words set for it: relative to this
 *                         one, or without a slash PLACE/TREE/tree or PLACE/parts/TREE
 *   set WORD VALUE        default WORD VALUE: only where it is not set yet; export WORD VALUE: the
 *                         same, and what it is then set to is known where this one is included
 *   drop PATH             takes away what an included one made, with all below it
 *   drop-fact GROUP
 *   dir PATH
 *   link PATH TARGET
 *   file PATH             and its lines
 *   append PATH           and lines more of it
 *   time PATH SECONDS     when it was changed, in seconds since 1970
 *   elf PATH [machine=x86_64|aarch64|i386] [soname=S] [needed=A,B] [runpath=R] [rpath=R]
 *            [sass=sm_80,sm_90a] [ptx=compute_90:8.7] [tool=12.8.93]
 *   module PATH           and its lines KEY=VALUE; signer=NAME signs it, .xz .zst .gz compress it
 *   certificates PATH [efi]  and a name a line: X.509, each for itself; efi: as a variable of UEFI
 *   binary PATH SIZE [fill=HH] [OFFSET=HHHH…]…   numbers but SIZE in hex
 *   rpm NAME VERSION-RELEASE ARCHITECTURE [VENDOR]  and lines, a file each: a package in rpm's
 *                         database
 *   ldcache [aarch64]     and lines "SONAME PATH": /etc/ld.so.cache
 *   ldcache-add [aarch64] and lines more of it
 *   fact GROUP NAME JSON  a value; absent, unknown REASON and skipped REASON also stand for JSON
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/json.h"
#include "machine_make.h"

_Noreturn void fail(const struct maker *maker, const char *what, const char *which)
{
    fprintf(stderr, "machine-make: %s:%u: %s: %s\n", maker->tree, maker->line, what, which);
    exit(65);
}

static int hex(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Undoes \xHH and \\ in place; returns the number of bytes. */
static size_t unescape(const struct maker *maker, char *string)
{
    size_t to = 0;
    for (size_t from = 0; string[from]; from++) {
        char c = string[from];
        if (c == '\\' && string[from + 1] == '\\') {
            from++;
        } else if (c == '\\') {
            int high = string[from + 1] == 'x' ? hex(string[from + 2]) : -1;
            int low = high >= 0 ? hex(string[from + 3]) : -1;
            if (low < 0)
                fail(maker, "a backslash wants \\\\ or \\xHH", string);
            c = (char)(high * 16 + low);
            from += 3;
        }
        string[to++] = c;
    }
    string[to] = '\0';
    return to;
}

/* Where a link below the root leads, its absolute target taken from there too. */
static char *follow(const struct maker *maker, const char *link)
{
    char target[4096];
    ssize_t size = readlink(link, target, sizeof(target) - 1);
    if (size <= 0)
        fail(maker, strerror(errno), link);
    target[size] = '\0';
    if (target[0] == '/')
        return mem_printf("%s%s", maker->root, target);
    return mem_printf("%.*s/%s", (int)(strrchr(link, '/') - link), link, target);
}

/* Without "." and "..", which stay below the root. */
static char *normal(const struct maker *maker, const char *full)
{
    AUTO_STRLIST struct strlist parts = {0};
    AUTO_STRLIST struct strlist kept = {0};
    strlist_split(&parts, full + strlen(maker->root) + 1, '/');
    for (size_t i = 0; i < parts.count; i++) {
        if (string_equal(parts.items[i], "..") && kept.count > 0)
            free(kept.items[--kept.count]);
        else if (parts.items[i][0] && !string_equal(parts.items[i], "."))
            strlist_add(&kept, parts.items[i]);
    }
    AUTO_FREE char *joined = strlist_join(&kept, "/");
    return mem_printf("%s/%s", maker->root, joined);
}

/* Makes the directory; where a link stands in its place, *full becomes the path it leads to, with
 * all that is behind `at`. */
static bool make_parent(const struct maker *maker, char **full, char *at)
{
    struct stat info;
    *at = '\0';
    if (mkdir(*full, 0755) != 0 && errno != EEXIST)
        fail(maker, strerror(errno), *full);
    if (lstat(*full, &info) != 0 || !(S_ISDIR(info.st_mode) || S_ISLNK(info.st_mode)))
        fail(maker, "not below a directory of the tree", *full);
    if (S_ISDIR(info.st_mode)) {
        *at = '/';
        return true;
    }
    AUTO_FREE char *target = follow(maker, *full);
    AUTO_FREE char *longer = mem_printf("%s/%s", target, at + 1);
    free(*full);
    *full = normal(maker, longer);
    return false;
}

char *place(const struct maker *maker, const char *path)
{
    if (path[0] != '/' || strstr(path, "/../"))
        fail(maker, "not an absolute path", path);
    AUTO_FREE char *full = mem_printf("%s%s", maker->root, path);
    unsigned links = 0;
    char *slash = full + strlen(maker->root);
    while ((slash = strchr(slash + 1, '/')) != NULL) {
        if (make_parent(maker, &full, slash))
            continue;
        if (++links > 16)
            fail(maker, "too many links", path);
        slash = full + strlen(maker->root);
    }
    return mem_steal(&full);
}

void write_file(const struct maker *maker, const char *path, const void *bytes, size_t size)
{
    AUTO_FREE char *full = place(maker, path);
    unlink(full);
    FILE *file = fopen(full, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail(maker, strerror(errno), full);
    bool script = size > 1 && memcmp(bytes, "#!", 2) == 0;
    if (chmod(full, script ? 0755 : 0644) != 0)
        fail(maker, strerror(errno), full);
}

char *next_word(char **cursor)
{
    while (**cursor == ' ')
        (*cursor)++;
    if (**cursor == '\0')
        return NULL;
    char *word = *cursor;
    char *end = strchrnul(word, ' ');
    *cursor = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static void make_fact(const struct maker *maker, char *rest)
{
    const char *group = next_word(&rest);
    const char *name = next_word(&rest);
    if (name == NULL || *rest == '\0')
        fail(maker, "wants GROUP NAME VALUE", "fact");
    json_t *fact = json_object();
    if (string_equal(rest, "absent")) {
        json_object_set_new(fact, "absent", json_true());
    } else if (string_starts(rest, "unknown ")) {
        json_object_set_new(fact, "unknown", json_string(rest + strlen("unknown ")));
    } else if (string_starts(rest, "skipped ")) {
        json_object_set_new(fact, "skipped", json_string(rest + strlen("skipped ")));
    } else {
        json_t *value = json_loads(rest, JSON_DECODE_ANY, NULL);
        if (value == NULL)
            fail(maker, "not a JSON value", rest);
        json_object_set_new(fact, "value", value);
    }
    json_object_set_new(fact, "source", json_string("tree description"));
    if (json_object_get(maker->facts, group) == NULL)
        json_object_set_new(maker->facts, group, json_object());
    json_object_set_new(json_object_get(maker->facts, group), name, fact);
}

static void make_link(const struct maker *maker, const char *path, char *target)
{
    unescape(maker, target);
    AUTO_FREE char *full = place(maker, path);
    unlink(full);
    if (symlink(target, full) != 0)
        fail(maker, strerror(errno), full);
}

static void make_directory(const struct maker *maker, const char *path)
{
    AUTO_FREE char *full = place(maker, path);
    if (mkdir(full, 0755) != 0 && errno != EEXIST)
        fail(maker, strerror(errno), full);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void drop(const struct maker *maker, const char *path)
{
    AUTO_FREE char *full = place(maker, path);
    if (nftw(full, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fail(maker, "nothing to drop", path);
}

static const char *word_find(const struct words *words, const char *name, size_t length)
{
    for (size_t i = 0; i < words->count; i++)
        if (strlen(words->items[i].name) == length &&
            memcmp(words->items[i].name, name, length) == 0)
            return words->items[i].value;
    return NULL;
}

/* The newest comes first, so that it is found. */
static void word_set(struct words *words, const char *name, const char *value)
{
    struct word *word = vec_push(words->items, words->count, words->capacity);
    memmove(words->items + 1, words->items, (size_t)(word - words->items) * sizeof(*word));
    words->items[0] = (struct word){.name = mem_string(name), .value = mem_string(value)};
}

static void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->items[i].name);
        free(words->items[i].value);
    }
    free(words->items);
}

static void make_word(struct maker *maker, const char *directive, char *rest)
{
    const char *name = next_word(&rest);
    if (name == NULL)
        fail(maker, "wants WORD VALUE", directive);
    bool out = string_equal(directive, "export");
    const char *value = word_find(&maker->words, name, strlen(name));
    AUTO_FREE char *kept = mem_string(value && !string_equal(directive, "set") ? value : rest);
    if (value == NULL || string_equal(directive, "set"))
        word_set(&maker->words, name, kept);
    for (struct maker *at = out ? maker->includer : NULL; at; at = at->includer)
        if (!word_find(&at->words, name, strlen(name)))
            word_set(&at->words, name, kept);
}

/* Appends line with every %{WORD} replaced. */
static void append_replaced(const struct maker *maker, const char *line, struct text *to)
{
    const char *mark;
    while ((mark = strstr(line, "%{")) != NULL) {
        const char *name = mark + 2;
        size_t length = strcspn(name, "}\n");
        const char *value = name[length] == '}' ? word_find(&maker->words, name, length) : NULL;
        if (value == NULL)
            fail(maker, "nothing is set for", mark);
        text_append_n(to, line, (size_t)(mark - line));
        text_append(to, value);
        line = name + length + 1;
    }
    text_append(to, line);
}

static void make_all(struct maker *maker);

/* Where an included description lies: beside this one, or by its name in the first place that has
 * it. */
static char *find_tree(const struct maker *maker, const char *name)
{
    if (strchr(name, '/')) {
        const char *slash = strrchr(maker->tree, '/');
        int length = slash && name[0] != '/' ? (int)(slash - maker->tree) + 1 : 0;
        return mem_printf("%.*s%s", length, maker->tree, name);
    }
    for (size_t i = 0; i < maker->places->count; i++) {
        for (size_t k = 0; k < 2; k++) {
            AUTO_FREE char *tree = k == 0
                                       ? mem_printf("%s/%s/tree", maker->places->items[i], name)
                                       : mem_printf("%s/parts/%s", maker->places->items[i], name);
            if (access(tree, R_OK) == 0)
                return mem_steal(&tree);
        }
    }
    fail(maker, "no machine and no part of that name", name);
}

static void include(struct maker *maker, char *rest)
{
    const char *name = next_word(&rest);
    if (name == NULL)
        fail(maker, "wants a description", "include");
    AUTO_FREE char *tree = find_tree(maker, name);
    struct maker included = *maker;
    included.tree = tree;
    included.words = (struct words){0};
    included.includer = maker;
    for (size_t i = maker->words.count; i-- > 0;)
        word_set(&included.words, maker->words.items[i].name, maker->words.items[i].value);
    char *word;
    while ((word = next_word(&rest)) != NULL) {
        char *value = strchr(word, '=');
        if (value == NULL)
            fail(maker, "wants WORD=VALUE", word);
        *value++ = '\0';
        word_set(&included.words, word, value);
    }
    make_all(&included);
    words_free(&included.words);
}

static void add_cache(const struct maker *maker, const char *machine, char *lines)
{
    char *line;
    while ((line = string_next_line(&lines)) != NULL)
        strlist_add(maker->cache, line);
    make_ldcache(maker, machine);
}

static void append_file(const struct maker *maker, const char *path, const char *bytes, size_t size)
{
    AUTO_FREE char *full = place(maker, path);
    FILE *file = fopen(full, "ab");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail(maker, strerror(errno), full);
}

static void set_time(const struct maker *maker, const char *path, char *rest)
{
    unsigned long long seconds;
    AUTO_FREE char *full = place(maker, path);
    if (!string_to_unsigned(rest, &seconds))
        fail(maker, "wants PATH SECONDS", "time");
    const struct timespec times[2] = {{.tv_sec = (time_t)seconds}, {.tv_sec = (time_t)seconds}};
    if (utimensat(AT_FDCWD, full, times, AT_SYMLINK_NOFOLLOW) != 0)
        fail(maker, strerror(errno), full);
}

/* The directives that name no path below the root. False when word is none of them. */
static bool make_pathless(struct maker *maker, const char *word, char *rest, char *body)
{
    if (string_equal(word, "fact")) {
        make_fact(maker, rest);
    } else if (string_equal(word, "set") || string_equal(word, "default") ||
               string_equal(word, "export")) {
        make_word(maker, word, rest);
    } else if (string_equal(word, "drop-fact")) {
        json_object_del(maker->facts, rest);
    } else if (string_equal(word, "ldcache") || string_equal(word, "ldcache-add")) {
        if (string_equal(word, "ldcache"))
            strlist_free(maker->cache);
        add_cache(maker, rest, body);
    } else if (string_equal(word, "include")) {
        include(maker, rest);
    } else if (string_equal(word, "rpm")) {
        make_rpm(maker, rest, body);
    } else {
        return false;
    }
    return true;
}

/* The directives whose lines are bytes. False when word is none of them. */
static bool make_bytes(const struct maker *maker, const char *word, const char *path,
                       const char *rest, char *body)
{
    if (string_equal(word, "file"))
        write_file(maker, path, body, unescape(maker, body));
    else if (string_equal(word, "append"))
        append_file(maker, path, body, unescape(maker, body));
    else if (string_equal(word, "module"))
        make_module(maker, path, body);
    else if (string_equal(word, "certificates"))
        make_certificates(maker, path, rest, body);
    else
        return false;
    return true;
}

/* One directive with the lines that belong to it. */
static void make(struct maker *maker, char *directive, char *body)
{
    char *rest = directive;
    const char *word = next_word(&rest);
    if (make_pathless(maker, word, rest, body))
        return;
    char *path = next_word(&rest);
    if (path == NULL)
        fail(maker, "wants a path", word);
    unescape(maker, path);
    if (make_bytes(maker, word, path, rest, body))
        return;
    if (string_equal(word, "drop"))
        drop(maker, path);
    else if (string_equal(word, "dir"))
        make_directory(maker, path);
    else if (string_equal(word, "link"))
        make_link(maker, path, rest);
    else if (string_equal(word, "elf"))
        make_elf(maker, path, rest);
    else if (string_equal(word, "binary"))
        make_binary(maker, path, rest);
    else if (string_equal(word, "time"))
        set_time(maker, path, rest);
    else
        fail(maker, "unknown directive", word);
}

/* A line that belongs to the one before: without its mark, "|-" also without its end. */
static void add_body(const struct maker *maker, char *line, struct text *body)
{
    bool open = line[1] == '-';
    if (open)
        line[strcspn(line, "\n")] = '\0';
    append_replaced(maker, line[1] == ' ' || open ? line + 2 : line + 1, body);
}

/* A case tells what is expected before it describes the machine. */
static void skip_head(struct maker *maker, FILE *tree)
{
    AUTO_FREE char *line = NULL;
    size_t capacity = 0;
    while (string_ends(maker->tree, ".case") && getline(&line, &capacity, tree) > 0) {
        maker->line++;
        if (string_equal(string_trim(line), "---"))
            return;
    }
}

static void make_all(struct maker *maker)
{
    FILE *tree = fopen(maker->tree, "r");
    if (tree == NULL)
        fail(maker, strerror(errno), maker->tree);
    AUTO_FREE char *line = NULL;
    size_t capacity = 0;
    AUTO_TEXT struct text directive = {0};
    AUTO_TEXT struct text body = {0};
    maker->line = 0;
    skip_head(maker, tree);
    unsigned number = maker->line;
    ssize_t length;
    do {
        length = getline(&line, &capacity, tree);
        number++;
        if (length > 0 && line[0] == '|') {
            add_body(maker, line, &body);
            continue;
        }
        if (directive.size > 0) {
            text_append(&body, "");
            make(maker, directive.data, body.data);
        }
        text_clear(&directive);
        text_clear(&body);
        maker->line = number;
        char *trimmed = length > 0 ? string_trim(line) : NULL;
        if (trimmed && trimmed[0] != '\0' && trimmed[0] != '#')
            append_replaced(maker, trimmed, &directive);
    } while (length > 0);
    fclose(tree);
}

int main(int argc, char **argv)
{
    AUTO_STRLIST struct strlist places = {0};
    AUTO_STRLIST struct strlist cache = {0};
    while (argc > 3 && string_equal(argv[1], "-I")) {
        strlist_add(&places, argv[2]);
        argc -= 2;
        argv += 2;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: machine-make [-I PLACE]... TREE DIR\n");
        return 64;
    }
    AUTO_FREE char *root = mem_printf("%s/root", argv[2]);
    struct maker maker = {
        .tree = argv[1], .root = root, .facts = json_object(), .places = &places, .cache = &cache};
    if (mkdir(root, 0755) != 0)
        fail(&maker, strerror(errno), root);
    make_all(&maker);
    words_free(&maker.words);

    AUTO_TEXT struct text text = {0};
    json_append_text(maker.facts, &text);
    AUTO_FREE char *path = mem_printf("%s/facts.json", argv[2]);
    FILE *file = fopen(path, "w");
    if (file == NULL || fwrite(text.data, 1, text.size, file) != text.size || fclose(file) != 0)
        fail(&maker, strerror(errno), path);
    json_decref(maker.facts);
    return 0;
}
