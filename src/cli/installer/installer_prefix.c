/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/engine/specs.h"
#include "cli/installer/installer_private.h"
#include "cli/machine/installed.h"
#include "host/elf/elf.h"
#include "host/local/local.h"
#include "manifest/versions/threshold.h"
#include "resolve/engine/resolution.h"

/* Where installations go. */

static char *data_home(const struct session *session)
{
    const char *data = host_environment(session->live, "XDG_DATA_HOME");
    const char *home = host_environment(session->live, "HOME");
    if (data && data[0] == '/')
        return mem_string(data);
    return home && home[0] == '/' ? mem_printf("%s/.local/share", home) : NULL;
}

char *installer_root(const struct arguments *arguments)
{
    const char *root = arguments_get(arguments, "root");
    return root && !string_equal(root, "/") ? local_absolute(root) : NULL;
}

char *installer_image_machine(const struct arguments *arguments)
{
    static const char *const programs[] = {"/bin/sh", "/usr/bin/env", "/sbin/ldconfig",
                                           "/lib64/ld-linux-x86-64.so.2",
                                           "/lib/ld-linux-aarch64.so.1"};
    AUTO_FREE char *root = installer_root(arguments);
    AUTO_HOST struct host *tree = root ? host_new(root, NULL) : NULL;
    for (size_t i = 0; tree && i < sizeof(programs) / sizeof(*programs); i++) {
        AUTO_ELF struct elf_info info = {.bits = 0};
        char buffer[24];
        if (elf_read(tree, programs[i], &info, NULL) == HOST_OK)
            return mem_string(elf_machine_name(info.machine, info.bits, buffer));
    }
    return NULL;
}

/* "# R36 (release), REVISION: 4.3, …": the release of Jetson Linux. */
bool installer_has_jetson_cuda(const struct session *session, const struct arguments *arguments)
{
    static const char before[] = "# R";
    const struct manifest_threshold *servers =
        session->manifest ? manifest_threshold_find(session->manifest, "jetson-server-cuda") : NULL;
    AUTO_FREE char *root = installer_root(arguments);
    AUTO_TEXT struct text text = {0};
    AUTO_HOST struct host *tree = root ? host_new(root, NULL) : NULL;
    struct version release;
    return servers && (root == NULL || tree) &&
           host_read_head(root ? tree : session->live, "/etc/nv_tegra_release", 64, &text, NULL) ==
               HOST_OK &&
           string_starts(text_string(&text), before) &&
           version_parse_prefix(text_string(&text) + strlen(before), &release) &&
           version_compare(&release, &servers->version) < 0;
}

static bool is_image(const struct arguments *arguments)
{
    const char *root = arguments_get(arguments, "root");
    return root && !string_equal(root, "/");
}

char *installer_path(const struct arguments *arguments, const char *path)
{
    return is_image(arguments) && path[0] != '/' ? mem_printf("/%s", path) : local_absolute(path);
}

/* Its last step is a name; ".." would make another directory of what it stands behind. */
static bool names_a_link(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return *name && !string_equal(name, ".") && !string_equal(name, "..") &&
           strstr(path, "/../") == NULL;
}

bool installer_link(const struct session *session, const struct arguments *arguments,
                    char **ret_link, struct error *error)
{
    const char *given = arguments_get(arguments, "link");
    *ret_link =
        given ? installer_path(arguments, given) : installed_link(session, is_image(arguments));
    if (given && !names_a_link(*ret_link)) {
        free(mem_steal(ret_link));
        return usage_error(error, session->program, NULL, NULL, "%s: \"%s\" does not name a link",
                           arguments_origin(arguments, "link"), given);
    }
    if (*ret_link || !arguments_have(arguments, "use"))
        return true;
    return usage_error(error, session->program, NULL, NULL,
                       "no place for the link: neither XDG_DATA_HOME nor HOME is set; name the "
                       "link with gpuenv use --link PATH");
}

/* "cuda-12.8" below the place that is this user's. */
static char *default_prefix(const struct session *session, bool in_image, const char *product,
                            const struct version *version, struct error *error)
{
    char text[VERSION_TEXT_SIZE];
    version_text(version, 2, text);
    if (in_image || host_user_id(session->live) == 0)
        return mem_printf("/usr/local/%s-%s", product, text);
    AUTO_FREE char *home = data_home(session);
    if (home)
        return mem_printf("%s/gpuenv/%s-%s", home, product, text);
    usage_error(
        error, session->program, NULL, NULL,
        "no place for the installation: neither XDG_DATA_HOME nor HOME is set; give --prefix DIR");
    return NULL;
}

/* A build for one minor of CUDA goes where gpuenv has that CUDA; NULL: it has not, or the build is
 * for all of a major. */
static char *prefix_of_cuda(const struct session *session, const struct arguments *arguments,
                            const struct resolve_choice *choice)
{
    struct version cuda, there;
    if (!installer_build_cuda(choice, &cuda) || cuda.count < 2)
        return NULL;
    AUTO_FREE char *prefix = default_prefix(session, is_image(arguments), "cuda", &cuda, NULL);
    if (prefix == NULL || !installer_cuda_there(session, arguments, prefix, &there) ||
        !version_within(&there, &cuda))
        return NULL;
    return mem_steal(&prefix);
}

char *installer_usual_prefix(const struct session *session, const struct arguments *arguments,
                             const struct resolution *resolution, struct error *error)
{
    const struct resolve_choice *first = &resolution->chosen[0];
    struct version version;
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, "cuda"))
            first = &resolution->chosen[i];
    char *joined = prefix_of_cuda(session, arguments, first);
    if (joined)
        return joined;
    if (version_parse(first->version, &version))
        return default_prefix(session, is_image(arguments), first->product, &version, error);
    error_set(error, ERROR_INTERNAL, "version %s is not a list of numbers", first->version);
    return NULL;
}

char *installer_prefix(const struct session *session, const struct arguments *arguments,
                       const struct resolution *resolution, struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    return given ? installer_path(arguments, given)
                 : installer_usual_prefix(session, arguments, resolution, error);
}

/* The prefix of what one SPEC names. */
static char *prefix_of_spec(const struct session *session, const struct arguments *arguments,
                            struct resolve_specs *specs, struct error *error)
{
    if (arguments->words.count != 1) {
        usage_error(error, session->program, NULL, NULL,
                    "give one SPEC such as cuda@12.8, or --prefix DIR");
        return NULL;
    }
    if (!specs_take(session, &arguments->words, specs, error))
        return NULL;
    const struct resolve_spec *spec = &specs->items[0];
    if (spec->version.count >= 2)
        return default_prefix(session, is_image(arguments), spec->product, &spec->version, error);
    usage_error(
        error, session->program, NULL, NULL,
        "\"%s\" does not say which prefix: give two version numbers, as in %s, or --prefix DIR",
        spec->text, string_equal(spec->product, "cudnn") ? "cudnn@9.8" : "cuda@12.8");
    return NULL;
}

bool installer_run_on(const struct session *session, const struct arguments *arguments,
                      const char *action, struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    const char *origin = arguments_origin(arguments, "prefix");
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_FREE char *prefix = NULL;
    AUTO_FREE char *link = NULL;
    if (given && arguments->words.count > 0 && string_starts(origin, "--"))
        return usage_error(error, session->program, NULL, NULL,
                           "give a SPEC or --prefix DIR, not both");
    if (given == NULL || arguments->words.count > 0)
        prefix = prefix_of_spec(session, arguments, &specs, error);
    else if (string_equal(action, "verify"))
        prefix = installer_read_path(session, arguments, given);
    else
        prefix = installer_path(arguments, given);
    if (prefix == NULL || !installer_link(session, arguments, &link, error))
        return false;
    struct installer_request request = {
        .action = action, .prefix = prefix, .link = link, .specs = &specs};
    return installer_run(session, arguments, &request, error);
}

/* cuda is what a prefix is called by: half a version does not say which. */
static bool is_of_linked(const struct resolve_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, "cuda") || specs->items[i].version.count >= 2)
            return false;
    return true;
}

bool installer_uninstall(const struct session *session, const struct arguments *arguments,
                         struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    AUTO_SPECS struct resolve_specs specs = {0};
    if (arguments->words.count == 0)
        return installer_run_on(session, arguments, "uninstall", error);
    if (!specs_take(session, &arguments->words, &specs, error))
        return false;
    if (given == NULL && !is_of_linked(&specs))
        return installer_run_on(session, arguments, "uninstall", error);
    AUTO_FREE char *prefix = given ? installer_path(arguments, given)
                                   : installer_linked_prefix(session, arguments, error);
    if (prefix == NULL)
        return false;
    const struct installer_request request = {
        .action = "uninstall", .prefix = prefix, .specs = &specs, .only = true};
    return installer_run(session, arguments, &request, error);
}
