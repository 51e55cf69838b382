/* SPDX-License-Identifier: MIT */
#include "install/outside/alternatives.h"

#include "base/shell.h"
#include "host/child/child.h"
#include "host/loader/trust.h"
#include "host/root/file.h"

#define STATE_MAX  (1u << 20)
#define TIMEOUT_MS 60000

static const char *const places[] = {"/var/lib/dpkg/alternatives", "/var/lib/alternatives"};
static const char *const programs[] = {"/usr/bin/update-alternatives",
                                       "/usr/sbin/update-alternatives", "/usr/sbin/alternatives"};

static bool owns(const struct image *image, const char *path, const char *link)
{
    AUTO_TEXT struct text text = {0};
    if (host_read(image->host, path, STATE_MAX, &text, NULL) != HOST_OK)
        return false;
    char *cursor = text.data;
    const char *mode = cursor ? string_next_line(&cursor) : NULL;
    const char *second = mode ? string_next_line(&cursor) : NULL;
    return (string_equal(mode, "auto") || string_equal(mode, "manual")) &&
           string_equal(second, link);
}

char *alternatives_group(const struct image *image, const char *link)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        AUTO_STRLIST struct strlist names = {0};
        if (host_list(image->host, places[i], &names, NULL) != HOST_OK)
            continue;
        for (size_t k = 0; k < names.count; k++) {
            AUTO_FREE char *path = mem_printf("%s/%s", places[i], names.items[k]);
            if (owns(image, path, link))
                return mem_string(names.items[k]);
        }
    }
    return NULL;
}

/* The command as a person would type it. */
static char *command_of(const char *const argv[])
{
    AUTO_STRLIST struct strlist words = {0};
    for (size_t i = 0; argv[i]; i++)
        strlist_take(&words, shell_quote(argv[i]));
    return strlist_join(&words, " ");
}

static bool refuse_image(const struct image *image, const char *link, const char *first,
                         const char *second, struct error *error)
{
    AUTO_FREE char *root = shell_quote(image->root);
    error_set(error, ERROR_CANNOT_WRITE,
              "update-alternatives owns this link, and gpuenv runs nothing from an image");
    error_where(error, "%s", link);
    error_next(error, "run this yourself:");
    if (second)
        return error_command(error, "chroot %s %s && chroot %s %s", root, first, root, second);
    return error_command(error, "chroot %s %s", root, first);
}

static const char *program_of(const struct image *image)
{
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        AUTO_FREE char *reason = NULL;
        if (host_can_execute(image->host, programs[i]) &&
            trust_file(image->host, programs[i], &reason))
            return programs[i];
    }
    return NULL;
}

static bool run(const struct image *image, const char *argv[], const char *command,
                struct error *error)
{
    AUTO_CHILD_RESULT struct child_result result = {0};
    argv[0] = program_of(image);
    if (argv[0] == NULL) {
        error_set(
            error, ERROR_CANNOT_WRITE,
            "update-alternatives owns the link, but is not installed here, or not safe to run");
        error_next(error, "run this command on a system that has update-alternatives:");
        return error_command(error, "%s", command);
    }
    if (!child_run(image->host, argv, TIMEOUT_MS, &result, error))
        return false;
    AUTO_FREE char *problem = child_result_problem(&result);
    if (problem == NULL)
        return true;
    AUTO_FREE char *said = text_steal(&result.errors);
    const char *words = string_trim(said);
    error_set(error, ERROR_CANNOT_WRITE, "update-alternatives failed");
    error_where(error, "%s", command);
    return error_why(error, "%s%s%s", problem, *words ? ": " : "", words);
}

bool alternatives_choose(const struct image *image, const char *group, const char *link,
                         const char *prefix, unsigned priority, struct error *error)
{
    AUTO_FREE char *number = mem_printf("%u", priority);
    const char *install[] = {"update-alternatives", "--install", link, group, prefix, number, NULL};
    const char *set[] = {"update-alternatives", "--set", group, prefix, NULL};
    AUTO_FREE char *first = command_of(install);
    AUTO_FREE char *second = command_of(set);
    if (!image_is_live(image))
        return refuse_image(image, link, first, second, error);
    return run(image, install, first, error) && run(image, set, second, error);
}

bool alternatives_remove(const struct image *image, const char *group, const char *prefix,
                         struct error *error)
{
    const char *argv[] = {"update-alternatives", "--remove", group, prefix, NULL};
    AUTO_FREE char *command = command_of(argv);
    if (!image_is_live(image))
        return refuse_image(image, prefix, command, NULL, error);
    return run(image, argv, command, error);
}
