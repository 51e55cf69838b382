/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/home.h"
#include "probe/places/path_match.h"

/* Quadlets: containers of podman as units of systemd (podman-systemd.unit(5)), and how they ask for
 * a GPU. */
#define KIND      "quadlet"
#define TEXT_MAX  (1u << 16)
#define FILES_MAX 128

static const char *const places[] = {"/etc/containers/systemd", "/usr/share/containers/systemd",
                                     "/run/containers/systemd"};

struct quadlet {
    struct strlist devices; /* of NVIDIA's: CDI names, nodes, the runtime that adds them */
    char *image, *visible;  /* NULL: not given */
    bool label_off;
};

static void quadlet_free(struct quadlet *quadlet)
{
    strlist_free(&quadlet->devices);
    free(quadlet->image);
    free(quadlet->visible);
}
#define AUTO_QUADLET AUTO(quadlet_free)

static bool names_gpu(const char *device)
{
    return string_starts(device, "nvidia.com/") || string_starts(device, "/dev/nvidia") ||
           string_starts(device, "/dev/dxg");
}

/* "all" of --gpus stands for the device of that name. */
static void take_podman_argument(struct quadlet *quadlet, const char *name, const char *value)
{
    if ((strcmp(name, "--device") == 0 && names_gpu(value)) ||
        (strcmp(name, "--runtime") == 0 && strstr(value, "nvidia"))) {
        strlist_add_new(&quadlet->devices, value);
    } else if (strcmp(name, "--gpus") == 0) {
        AUTO_FREE char *device = mem_printf("nvidia.com/gpu=%s", value);
        strlist_add_new(&quadlet->devices, device);
    } else if (strcmp(name, "--security-opt") == 0 &&
               (string_starts(value, "label=disable") || string_starts(value, "label:disable") ||
                string_starts(value, "label=type:")))
        quadlet->label_off = true;
}

/* PodmanArgs=--gpus all --device=nvidia.com/gpu=0 */
static void take_podman_arguments(struct quadlet *quadlet, const char *text)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split(&words, text, ' ');
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.items[i];
        const char *equals = strchr(word, '=');
        if (strcmp(word, "--privileged") == 0)
            quadlet->label_off = true;
        if (!string_starts(word, "--"))
            continue;
        if (equals) {
            AUTO_FREE char *name = mem_string_n(word, (size_t)(equals - word));
            take_podman_argument(quadlet, name, equals + 1);
        } else if (i + 1 < words.count)
            take_podman_argument(quadlet, word, words.items[i + 1]);
    }
}

/* Environment=A=1 "NVIDIA_VISIBLE_DEVICES=all" */
static void take_environment(struct quadlet *quadlet, const char *text)
{
    static const char *const names[] = {"NVIDIA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES="};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *at = strstr(text, names[i]);
        if (at == NULL || (at > text && strchr(" \t\"'", at[-1]) == NULL))
            continue;
        free(quadlet->visible);
        quadlet->visible = mem_string_n(at, strcspn(at, " \t\"'"));
        return;
    }
}

static bool is_true(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "yes") == 0 || strcmp(value, "1") == 0 ||
           strcmp(value, "on") == 0;
}

static void take_line(struct quadlet *quadlet, const char *key, const char *value)
{
    if (strcmp(key, "Image") == 0) {
        free(quadlet->image);
        quadlet->image = mem_string(value);
    } else if (strcmp(key, "AddDevice") == 0) {
        const char *device = value + (value[0] == '-'); /* "-": none is no fault */
        if (names_gpu(device))
            strlist_add_new(&quadlet->devices, device);
    } else if (strcmp(key, "Environment") == 0) {
        take_environment(quadlet, value);
    } else if (strcmp(key, "PodmanArgs") == 0 || strcmp(key, "GlobalArgs") == 0) {
        take_podman_arguments(quadlet, value);
    } else if (strcmp(key, "SecurityLabelDisable") == 0) {
        quadlet->label_off = is_true(value);
    } else if (strcmp(key, "SecurityLabelType") == 0) {
        quadlet->label_off = true;
    }
}

/* A backslash at the end of a line joins it with the next. */
static void join_lines(char *text)
{
    for (char *at = text; (at = strstr(at, "\\\n")) != NULL;)
        at[0] = at[1] = ' ';
}

static void parse(char *text, struct quadlet *quadlet)
{
    bool inside = false;
    join_lines(text);
    for (char *line; (line = string_next_line(&text));) {
        line = string_trim(line);
        if (line[0] == '[')
            inside = strcmp(line, "[Container]") == 0;
        char *equals = strchr(line, '=');
        if (!inside || equals == NULL || line[0] == '#' || line[0] == ';')
            continue;
        *equals = '\0';
        take_line(quadlet, string_trim(line), string_trim(equals + 1));
    }
}

static void note_quadlet(const struct host *host, struct facts *facts, const char *path)
{
    static const char *const names[] = {"image", "devices", "visible_devices", "label_off"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_QUADLET struct quadlet quadlet = {.image = NULL};
    AUTO_FREE char *group = facts_group_name(KIND, path);
    enum host_status status = note_read_text(host, path, TEXT_MAX, &text, &error);
    facts_set_string(facts, group, "path", path, path);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && status != HOST_OK; i++)
        note_missing(facts, group, names[i], status, &error, path);
    if (status != HOST_OK)
        return;
    AUTO_FREE char *copy = mem_string(text_string(&text));
    parse(copy, &quadlet);
    facts_set_string(facts, group, "image", quadlet.image, path);
    facts_set_list(facts, group, "devices", &quadlet.devices, path);
    facts_set_string(facts, group, "visible_devices", quadlet.visible, path);
    facts_set_boolean(facts, group, "label_off", quadlet.label_off, path);
}

/* Of one directory, and of those in it: "users" and its numbers among them. */
static void find_files(const struct host *host, const char *directory, struct strlist *paths)
{
    static const char *const patterns[] = {"*.container", "*/*.container", "*/*/*.container"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        path_match(host, directory, patterns[i], paths);
}

void probe_quadlet(const struct probe_context *context, struct facts *facts)
{
    AUTO_STRLIST struct strlist homes = {0};
    AUTO_STRLIST struct strlist paths = {0};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        find_files(context->host, places[i], &paths);
    home_directories_with_sudo(context->host, &homes);
    for (size_t i = 0; i < homes.count; i++) {
        AUTO_FREE char *directory = path_join(homes.items[i], ".config/containers/systemd");
        find_files(context->host, directory, &paths);
    }
    for (size_t i = 0; i < paths.count && i < FILES_MAX; i++)
        note_quadlet(context->host, facts, paths.items[i]);
    facts_set_integer(facts, KIND, "count", (int64_t)paths.count, places[0]);
}
