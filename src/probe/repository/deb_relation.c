/* SPDX-License-Identifier: MIT */
#include "probe/repository/deb_relation.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* '~' before the end, the end before letters, letters before the rest. */
static int weight(unsigned char c)
{
    if (c == '~')
        return -1;
    if (c == '\0' || isdigit(c))
        return 0;
    return isalpha(c) ? c : c + 256;
}

static int compare_words(const char **a, const char **b)
{
    while ((**a && !isdigit((unsigned char)**a)) || (**b && !isdigit((unsigned char)**b))) {
        int order = weight((unsigned char)**a) - weight((unsigned char)**b);
        if (order != 0)
            return order;
        if (**a)
            (*a)++;
        if (**b)
            (*b)++;
    }
    return 0;
}

static int compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t left = strspn(*a, "0123456789");
    size_t right = strspn(*b, "0123456789");
    int order = left != right ? (left < right ? -1 : 1) : strncmp(*a, *b, left);
    *a += left;
    *b += right;
    return order;
}

static int compare_parts(const char *a, const char *b)
{
    while (*a || *b) {
        int order = compare_words(&a, &b);
        if (order == 0)
            order = compare_numbers(&a, &b);
        if (order != 0)
            return order;
    }
    return 0;
}

/* "2:1.0-3": the epoch, what stands before the last '-', and what stands behind it. */
struct parts {
    unsigned long epoch;
    char *upstream;
    const char *revision;
    char *copy;
};

static struct parts split(const char *version)
{
    struct parts parts = {.copy = mem_string(version)};
    char *colon = strchr(parts.copy, ':');
    if (colon)
        parts.epoch = strtoul(parts.copy, NULL, 10);
    parts.upstream = colon ? colon + 1 : parts.copy;
    char *dash = strrchr(parts.upstream, '-');
    parts.revision = dash ? dash + 1 : "";
    if (dash)
        *dash = '\0';
    return parts;
}

int deb_version_compare(const char *a, const char *b)
{
    struct parts left = split(a);
    struct parts right = split(b);
    int order = left.epoch != right.epoch ? (left.epoch < right.epoch ? -1 : 1)
                                          : compare_parts(left.upstream, right.upstream);
    if (order == 0)
        order = compare_parts(left.revision, right.revision);
    free(left.copy);
    free(right.copy);
    return order;
}

void deb_relation_free(struct deb_relation *relation)
{
    free(relation->name);
    free(relation->sign);
    free(relation->version);
}

struct deb_relation deb_relation_parse(const char *text)
{
    struct deb_relation relation = {.name = NULL};
    text += strspn(text, " \t\n");
    size_t length = strcspn(text, " \t\n(:[<");
    relation.name = mem_string_n(text, length);
    const char *open = strchr(text, '(');
    if (open == NULL)
        return relation;
    open += 1 + strspn(open + 1, " ");
    size_t sign = strspn(open, "<>=");
    const char *version = open + sign + strspn(open + sign, " ");
    size_t size = strcspn(version, " )");
    if (sign == 0 || size == 0)
        return relation;
    relation.sign = mem_string_n(open, sign);
    relation.version = mem_string_n(version, size);
    return relation;
}

bool deb_relation_takes(const struct deb_relation *relation, const char *version)
{
    if (relation->sign == NULL)
        return true;
    int order = deb_version_compare(version, relation->version);
    if (strcmp(relation->sign, "=") == 0)
        return order == 0;
    if (strcmp(relation->sign, ">>") == 0)
        return order > 0;
    if (strcmp(relation->sign, "<<") == 0)
        return order < 0;
    return relation->sign[0] == '>' ? order >= 0 : order <= 0;
}

void deb_depends_each(const char *field, bool (*each)(const char *alternatives, void *data),
                      void *data)
{
    while (field && *field) {
        size_t length = strcspn(field, ",");
        AUTO_FREE char *part = mem_string_n(field, length);
        const char *trimmed = string_trim(part);
        if (trimmed[0] && !each(trimmed, data))
            return;
        field += length + (field[length] == ',');
    }
}
