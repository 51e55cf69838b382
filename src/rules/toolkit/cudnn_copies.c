/* SPDX-License-Identifier: MIT */
#include "rules/toolkit/cudnn_copies.h"

#include <string.h>

#include "base/path.h"

void cudnn_copies_free(struct cudnn_copies *copies)
{
    free(copies->items);
    free(copies->picks);
}

bool cudnn_same_directory(const char *a, const char *b)
{
    size_t length = (size_t)(path_base(a) - a);
    return length == (size_t)(path_base(b) - b) && strncmp(a, b, length) == 0;
}

/* Three numbers: a wheel's version has a fourth, a header's has not. */
static void read_release(struct cudnn_copy *copy)
{
    struct version release;
    if (copy->version.text == NULL || !version_parse(copy->version.text, &release) ||
        release.count < 2)
        return;
    copy->release = release;
    copy->release.count = release.count > 3 ? 3 : release.count;
}

static void add_copy(struct cudnn_copies *copies, const struct facts *facts, const char *group)
{
    const char *path = facts_string(facts, group, "path");
    if (path == NULL || !string_equal(facts_string(facts, group, "family"), "cudnn") ||
        judged_library_is_stub(facts, group) || !judged_library_fits(facts, group))
        return;
    struct cudnn_copy *copy = vec_push(copies->items, copies->count, copies->capacity);
    copy->group = group;
    copy->path = path;
    copy->soname = facts_string(facts, group, "soname");
    copy->version = judged_version(facts, group);
    copy->found_as = facts_list(facts, group, "found_as");
    copy->main = string_equal(facts_string(facts, group, "name"), "libcudnn");
    read_release(copy);
}

static const struct cudnn_copy *copy_at(const struct cudnn_copies *copies, const char *path)
{
    for (size_t i = 0; i < copies->count; i++) {
        const struct cudnn_copy *copy = &copies->items[i];
        if (string_equal(copy->path, path) || (copy->found_as && strlist_has(copy->found_as, path)))
            return copy;
    }
    return NULL;
}

static void add_pick(struct cudnn_copies *copies, const struct facts *facts, const char *group)
{
    const char *soname = facts_string(facts, group, "name");
    const char *real_path = facts_string(facts, group, "real_path");
    const char *path = real_path ? real_path : facts_string(facts, group, "path");
    if (soname == NULL || path == NULL || !string_starts(soname, "libcudnn"))
        return;
    const struct cudnn_copy *copy = copy_at(copies, path);
    if (copy == NULL)
        return;
    struct cudnn_pick *pick = vec_push(copies->picks, copies->pick_count, copies->pick_capacity);
    pick->soname = soname;
    pick->why = facts_string(facts, group, "why");
    pick->copy = copy;
}

struct cudnn_copies cudnn_copies(const struct facts *facts)
{
    struct cudnn_copies copies = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        add_copy(&copies, facts, group);
    for (size_t i = 0; (group = facts_next(facts, "loader", &i)) != NULL;)
        add_pick(&copies, facts, group);
    return copies;
}

const struct cudnn_pick *cudnn_pick(const struct cudnn_copies *copies, const char *soname)
{
    for (size_t i = 0; i < copies->pick_count; i++)
        if (string_equal(copies->picks[i].soname, soname))
            return &copies->picks[i];
    return NULL;
}

bool cudnn_pick_is_forced(const struct cudnn_pick *pick)
{
    return pick && pick->why && string_starts(pick->why, "LD_LIBRARY_PATH");
}

/* The next path that leads to copy by that name; NULL at the end. */
static const char *next_path(const struct cudnn_copy *copy, const char *soname, size_t *cursor)
{
    size_t count = copy->found_as ? copy->found_as->count : 0;
    while (*cursor <= count) {
        size_t i = (*cursor)++;
        const char *path = i < count ? copy->found_as->items[i] : copy->path;
        if (string_equal(path_base(path), soname))
            return path;
    }
    return NULL;
}

bool cudnn_copy_serves(const struct cudnn_copy *copy, const char *soname)
{
    size_t cursor = 0;
    return next_path(copy, soname, &cursor) != NULL;
}

bool cudnn_copy_is_beside(const struct cudnn_copy *copy, const char *soname,
                          const struct cudnn_copy *other)
{
    const char *path, *other_path;
    for (size_t i = 0; (path = next_path(copy, soname, &i)) != NULL;)
        for (size_t k = 0; (other_path = next_path(other, other->soname, &k)) != NULL;)
            if (cudnn_same_directory(path, other_path))
                return true;
    return false;
}

const char *cudnn_on_loader_path(const struct facts *facts, const char **ret_unknown)
{
    const char *group;
    *ret_unknown = NULL;
    for (size_t i = 0; (group = facts_next(facts, "loader", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (name == NULL || !string_starts(name, "libcudnn.so"))
            continue;
        if (facts_string(facts, group, "path"))
            return group;
        const struct fact *path = facts_get(facts, group, "path");
        if (path && path->state == FACT_UNKNOWN)
            *ret_unknown = group;
    }
    return NULL;
}
