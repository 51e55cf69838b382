/* SPDX-License-Identifier: MIT */
#include "install/unpack/unpack_private.h"

#include <string.h>

bool unpack_format_of(const char *path, enum unpack_format *ret_format)
{
    static const struct {
        const char *ending;
        enum unpack_format format;
    } formats[] = {
        {".tar.xz", UNPACK_TAR_XZ}, {".tar.gz", UNPACK_TAR_GZ}, {".tgz", UNPACK_TAR_GZ},
        {".zip", UNPACK_ZIP},       {".whl", UNPACK_ZIP},
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (string_ends(path, formats[i].ending)) {
            *ret_format = formats[i].format;
            return true;
        }
    return false;
}

/* UTF-8 that a terminal shows as it is: what is left alone when text is made safe. A backslash is
 * a character like others. */
static bool is_plain(const char *text)
{
    AUTO_TEXT struct text safe = {0};
    for (const char *at = text; *at != '\0';) {
        size_t size = utf8_sequence(at, strlen(at));
        if (size == 0)
            return false;
        text_clear(&safe);
        text_append_safe_n(&safe, at, size);
        if (*at != '\\' && (safe.size != size || memcmp(text_string(&safe), at, size) != 0))
            return false;
        at += size;
    }
    return true;
}

/* Takes the next step of *cursor that is neither empty nor "."; size 0: none is left. */
static const char *next_step(const char **cursor, size_t *ret_size)
{
    for (;;) {
        const char *step = *cursor + strspn(*cursor, "/");
        *ret_size = strcspn(step, "/");
        *cursor = step + *ret_size;
        if (*ret_size != 1 || step[0] != '.')
            return step;
    }
}

static bool is_up(const char *step, size_t size)
{
    return size == 2 && memcmp(step, "..", 2) == 0;
}

static const char *text_problem(const char *text)
{
    if (text[0] == '/')
        return "the path is absolute";
    if (!is_plain(text))
        return "the path is not UTF-8, or has control characters";
    return NULL;
}

static const char long_step[] = "the path has a component of more than 255 bytes";
static const char long_path[] = "the path is longer than 1024 bytes";

static const char *append_step(struct text *path, const char *step, size_t size)
{
    if (is_up(step, size))
        return "the path contains ..";
    if (size > UNPACK_STEP_MAX)
        return long_step;
    if (path->size > 0)
        text_append_char(path, '/');
    text_append_n(path, step, size);
    return path->size > UNPACK_PATH_MAX ? long_path : NULL;
}

char *unpack_path(const char *raw, const char *top, const char **ret_why)
{
    AUTO_TEXT struct text path = {0};
    size_t size;
    *ret_why = text_problem(raw);
    if (*ret_why)
        return NULL;
    const char *step = NULL;
    if (top == NULL) { /* all steps are of the path */
        while (*ret_why == NULL && (step = next_step(&raw, &size), size > 0))
            *ret_why = append_step(&path, step, size);
        return *ret_why ? NULL : text_steal(&path);
    }
    step = next_step(&raw, &size);
    if (size == 0)
        return NULL;
    if (size != strlen(top) || memcmp(step, top, size) != 0) {
        *ret_why = is_up(step, size) ? "the path contains .."
                                     : "the path is not in the archive's directory";
        return NULL;
    }
    while (*ret_why == NULL && (step = next_step(&raw, &size), size > 0))
        *ret_why = append_step(&path, step, size);
    return *ret_why ? NULL : text_steal(&path);
}

static size_t depth_of(const char *path)
{
    size_t depth = 0;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        depth++;
    return depth;
}

const char *unpack_target_problem(const char *path, const char *target)
{
    size_t above = depth_of(path), size;
    bool climbs = true;
    const char *why = text_problem(target);
    if (why || target[0] == '\0')
        return why ? why : "it is empty";
    if (strlen(target) > UNPACK_PATH_MAX)
        return long_path;
    for (const char *step = next_step(&target, &size); size > 0; step = next_step(&target, &size)) {
        if (size > UNPACK_STEP_MAX)
            return long_step;
        if (!is_up(step, size))
            climbs = false;
        else if (!climbs)
            return "the path contains .. after a name";
        else if (above-- == 0)
            return "the path leads out of the archive's directory";
    }
    return NULL;
}

char *unpack_target_path(const char *path, const char *target)
{
    AUTO_TEXT struct text text = {0};
    size_t size;
    const char *slash = strrchr(path, '/');
    text_append_n(&text, path, slash ? (size_t)(slash - path) : 0);
    for (const char *step = next_step(&target, &size); size > 0; step = next_step(&target, &size)) {
        if (!is_up(step, size)) {
            if (text.size > 0)
                text_append_char(&text, '/');
            text_append_n(&text, step, size);
            continue;
        }
        AUTO_FREE char *so_far = text_steal(&text);
        slash = strrchr(so_far, '/');
        text_append_n(&text, so_far, slash ? (size_t)(slash - so_far) : 0);
    }
    return text_steal(&text);
}
