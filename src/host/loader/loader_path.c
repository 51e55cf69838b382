/* SPDX-License-Identifier: MIT */
#include "host/loader/loader_private.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Nobody has so many. */
#define ITEMS_MAX 4096

static bool continues_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The length of the token name ("ORIGIN" or "{ORIGIN}") at text, which follows a '$'; 0 when it is
 * another one. glibc elf/dl-load.c, is_dst(). */
static size_t token_length(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (text[0] == '{')
        return strncmp(text + 1, name, length) == 0 && text[length + 1] == '}' ? length + 2 : 0;
    return strncmp(text, name, length) == 0 && !continues_name(text[length]) ? length : 0;
}

char *loader_expand(const struct loader *loader, const char *text, const char *origin)
{
    const struct {
        const char *name;
        const char *value;
    } tokens[] = {
        {.name = "ORIGIN", .value = origin},
        {.name = "PLATFORM", .value = loader->target.platform},
        {.name = "LIB", .value = loader->target.lib},
    };
    AUTO_TEXT struct text result = {0};
    while (*text != '\0') {
        char c = *text++;
        size_t length = 0;
        for (size_t i = 0; c == '$' && length == 0 && i < sizeof(tokens) / sizeof(tokens[0]); i++) {
            length = token_length(text, tokens[i].name);
            if (length > 0 && tokens[i].value == NULL)
                return NULL;
            if (length > 0)
                text_append(&result, tokens[i].value);
        }
        text += length;
        if (length == 0)
            text_append_char(&result, c);
    }
    return text_steal(&result);
}

/* An empty or relative item counts from the directory the program is started in: here the one
 * gpuenv was started in. */
static void add_relative(const struct loader *loader, const char *written,
                         struct loader_items *items)
{
    AUTO_FREE char *current = host_is_live(loader->host) ? getcwd(NULL, 0) : NULL;
    struct loader_item *item = vec_push(items->items, items->count, items->capacity);
    const char *kind = written[0] == '\0' ? "an empty item, which means the current directory"
                                          : "relative to the current directory";
    if (current == NULL || current[0] != '/') {
        item->note = mem_printf("%s; that directory is not known, so it is not searched", kind);
        return;
    }
    item->note = mem_string(kind);
    const char *slash = string_equal(current, "/") || written[0] == '\0' ? "" : "/";
    item->directory = mem_printf("%s%s%s", current, slash, written);
}

static void add_item(const struct loader *loader, const char *written, const char *origin,
                     struct loader_items *items)
{
    AUTO_FREE char *expanded = loader_expand(loader, written, origin);
    if (expanded == NULL) {
        struct loader_item *item = vec_push(items->items, items->count, items->capacity);
        item->note =
            mem_printf("%s: the program's own directory is not known: not searched", written);
        return;
    }
    if (expanded[0] == '\0' && written[0] != '\0')
        return;
    size_t length = strlen(expanded);
    while (length > 1 && expanded[length - 1] == '/')
        expanded[--length] = '\0';
    if (expanded[0] != '/') {
        add_relative(loader, expanded, items);
        return;
    }
    vec_push(items->items, items->count, items->capacity)->directory = mem_steal(&expanded);
}

void loader_items_read(const struct loader *loader, const char *path, const char *separators,
                       const char *origin, struct loader_items *items)
{
    if (path == NULL || path[0] == '\0')
        return;
    AUTO_FREE char *copy = mem_string(path);
    char *rest = copy;
    for (char *item; items->count < ITEMS_MAX && (item = strsep(&rest, separators)) != NULL;)
        add_item(loader, item, origin, items);
    if (rest != NULL)
        vec_push(items->items, items->count, items->capacity)->note =
            mem_printf("more than %d items: the rest is not searched", ITEMS_MAX);
}

static bool item_is_superfluous(const struct loader *loader, const struct loader_items *items,
                                const struct loader_item *item)
{
    struct host_stat stat;
    for (size_t i = 0; i < items->count; i++)
        if (string_equal(items->items[i].directory, item->directory) &&
            string_equal(items->items[i].note, item->note))
            return true;
    return item->directory != NULL &&
           host_stat(loader->host, item->directory, &stat, NULL) == HOST_ABSENT;
}

void loader_items_tidy(const struct loader *loader, struct loader_items *items)
{
    struct loader_items kept = {0};
    for (size_t i = 0; i < items->count; i++) {
        struct loader_item *item = &items->items[i];
        if (item_is_superfluous(loader, &kept, item))
            continue;
        *vec_push(kept.items, kept.count, kept.capacity) = *item;
        *item = (struct loader_item){0};
    }
    loader_items_free(items);
    *items = kept;
}

void loader_items_free(struct loader_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        free(items->items[i].directory);
        free(items->items[i].note);
    }
    free(items->items);
    *items = (struct loader_items){0};
}
