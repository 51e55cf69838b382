/* SPDX-License-Identifier: MIT */
#include "probe/service/engine_config.h"

#include <stdarg.h>
#include <string.h>

#include "base/path.h"
#include "base/toml.h"
#include "probe/engine/note.h"
#include "probe/places/path_match.h"

#define CONFIG_MAX (1u << 20)
#define FILES_MAX  64

void engine_config_free(struct engine_config *config)
{
    error_clear(&config->error);
    strlist_free(&config->files);
    strlist_free(&config->runtimes);
    strlist_free(&config->nvidia);
    strlist_free(&config->programs);
    strlist_free(&config->cdi_dirs);
    free(config->default_runtime);
    free(config->problem);
    free(config->newer_part);
}

/* The first one is kept: the engine sees no more. */
__attribute__((format(printf, 2, 3))) static void add_problem(struct engine_config *config,
                                                              const char *format, ...)
{
    va_list arguments;
    if (config->problem)
        return;
    va_start(arguments, format);
    config->problem = mem_vprintf(format, arguments);
    va_end(arguments);
}

/* Limits of this reader, which say nothing of the engine's; and a key given twice in JSON, which
 * the engine's reader takes. */
static bool is_ours_alone(const char *why)
{
    static const char *const words[] = {"duplicate object key", "than gpuenv reads",
                                        "nested too deep", "of too many parts"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(why, words[i]))
            return true;
    return false;
}

json_t *engine_config_document(const char *text, size_t size, size_t max, const char *name,
                               struct error *error)
{
    if (string_is_blank(text))
        return json_object();
    return json_parse(text, size, max, name, error);
}

/* A text that the engine cannot read either. */
static void add_syntax_problem(struct engine_config *config, const struct error *error)
{
    if (error->where && error->why && !is_ours_alone(error->why))
        add_problem(config, "%s: %s", error->where, error->why);
}

/* A value of another type than the engine takes. */
static void check_type(struct engine_config *config, const json_t *document, const char *path,
                       const char *key, json_type type, const char *wanted)
{
    const json_t *value = json_object_get(document, key);
    if (value && !json_is_null(value) && json_typeof(value) != type)
        add_problem(config, "%s: %s is not %s", path, key, wanted);
}

/* True for nvidia-container-runtime and its other modes, and for the wrappers of that name. */
static bool program_is_nvidia(const char *program)
{
    return program && string_starts(path_base(program), "nvidia-container-runtime");
}

static void add_runtime(struct engine_config *config, const char *name, const char *program)
{
    strlist_add_new(&config->runtimes, name);
    if (!program_is_nvidia(program))
        return;
    strlist_add_new(&config->nvidia, name);
    strlist_add_new(&config->programs, program);
}

/* A later file's word replaces an earlier one's. */
static void set_default(struct engine_config *config, const json_t *value)
{
    if (json_string_value(value) == NULL || *json_string_value(value) == '\0')
        return;
    free(config->default_runtime);
    config->default_runtime = mem_string(json_string_value(value));
}

static void set_cdi(struct engine_config *config, const json_t *value)
{
    if (!json_is_boolean(value))
        return;
    config->cdi = json_is_true(value);
    config->cdi_given = true;
}

static void set_dirs(struct engine_config *config, const json_t *value)
{
    if (!json_is_array(value))
        return;
    strlist_free(&config->cdi_dirs);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (json_is_string(json_array_get(value, i)))
            strlist_add(&config->cdi_dirs, json_string_value(json_array_get(value, i)));
}

typedef json_t *document_parser(const char *text, size_t size, size_t max, const char *name,
                                struct error *error);

/* The file as an object; NULL, and config keeps the first reason, when there is none. A file that
 * is not there counts only when nothing was read. */
static json_t *read_file(const struct host *host, const char *path, document_parser *parse,
                         struct engine_config *config)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    struct host_stat stat;
    json_t *document = NULL;
    if (strlist_has(&config->files, path) || config->files.count == FILES_MAX)
        return NULL;
    enum host_status status = note_read_text(host, path, CONFIG_MAX, &text, &error);
    if (status == HOST_OK)
        document = parse(text_string(&text), text.size, CONFIG_MAX, path, &error);
    if (status == HOST_OK && document == NULL)
        add_syntax_problem(config, &error);
    if (json_is_object(document)) {
        strlist_add(&config->files, path);
        if (host_stat(host, path, &stat, NULL) == HOST_OK && stat.modified > config->modified)
            config->modified = stat.modified;
        config->status = config->status == HOST_ABSENT ? HOST_OK : config->status;
        return document;
    }
    json_decref(document);
    if (status == HOST_ABSENT || (config->status != HOST_ABSENT && config->status != HOST_OK))
        return NULL;
    config->status = status == HOST_OK ? HOST_FAILED : status;
    error_clear(&config->error);
    config->error = error;
    error = (struct error){0};
    return NULL;
}

void engine_config_docker(const struct host *host, const char *path, struct engine_config *config)
{
    AUTO_JSON json_t *document = read_file(host, path, engine_config_document, config);
    json_t *runtimes = json_object_get(document, "runtimes");
    check_type(config, document, path, "runtimes", JSON_OBJECT, "an object");
    check_type(config, document, path, "features", JSON_OBJECT, "an object");
    check_type(config, document, path, "default-runtime", JSON_STRING, "a string");
    check_type(config, document, path, "cdi-spec-dirs", JSON_ARRAY, "a list");
    for (void *at = json_object_iter(runtimes); at; at = json_object_iter_next(runtimes, at))
        add_runtime(config, json_object_iter_key(at),
                    json_string_value(json_object_get(json_object_iter_value(at), "path")));
    set_default(config, json_object_get(document, "default-runtime"));
    set_cdi(config, json_object_get(json_object_get(document, "features"), "cdi"));
    set_dirs(config, json_object_get(document, "cdi-spec-dirs"));
}

/* The plugin's table in version 3, 2 and 1 of the configuration. */
static void take_containerd(const json_t *document, struct engine_config *config)
{
    static const char *const names[] = {"io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
                                        "cri"};
    const json_t *plugins = json_object_get(document, "plugins");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const json_t *plugin = json_object_get(plugins, names[i]);
        const json_t *containerd = json_object_get(plugin, "containerd");
        json_t *runtimes = json_object_get(containerd, "runtimes");
        for (void *at = json_object_iter(runtimes); at; at = json_object_iter_next(runtimes, at)) {
            const json_t *options = json_object_get(json_object_iter_value(at), "options");
            const char *program = json_string_value(json_object_get(options, "BinaryName"));
            add_runtime(config, json_object_iter_key(at),
                        program ? program : json_string_value(json_object_get(options, "Runtime")));
        }
        set_default(config, json_object_get(containerd, "default_runtime_name"));
        set_cdi(config, json_object_get(plugin, "enable_cdi"));
        set_dirs(config, json_object_get(plugin, "cdi_spec_dirs"));
    }
}

/* Imports may hold wildcards; a relative one starts where its file is. */
void engine_config_containerd(const struct host *host, const char *path,
                              struct engine_config *config)
{
    AUTO_JSON json_t *document = read_file(host, path, toml_parse, config);
    const json_t *imports = json_object_get(document, "imports");
    AUTO_FREE char *directory = path_parent(path);
    AUTO_STRLIST struct strlist paths = {0};
    take_containerd(document, config);
    config->version = json_integer_value(json_object_get(document, "version"));
    check_type(config, document, path, "imports", JSON_ARRAY, "a list");
    for (size_t i = 0; i < json_array_size(imports); i++) {
        const char *import = json_string_value(json_array_get(imports, i));
        if (import == NULL)
            continue;
        AUTO_FREE char *pattern =
            import[0] == '/' ? mem_string(import) : path_join(directory, import);
        struct host_stat stat;
        host_glob(host, pattern, &paths);
        if (strpbrk(import, "*?[") == NULL && host_stat(host, pattern, &stat, NULL) == HOST_ABSENT)
            add_problem(config, "%s imports %s, which does not exist", path, pattern);
    }
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_JSON json_t *part = read_file(host, paths.items[i], toml_parse, config);
        take_containerd(part, config);
        if (config->newer_part == NULL && config->version > 0 &&
            json_integer_value(json_object_get(part, "version")) > config->version)
            config->newer_part = mem_string(paths.items[i]);
    }
}

static void take_crio(const json_t *document, struct engine_config *config)
{
    const json_t *runtime = json_object_get(json_object_get(document, "crio"), "runtime");
    json_t *runtimes = json_object_get(runtime, "runtimes");
    for (void *at = json_object_iter(runtimes); at; at = json_object_iter_next(runtimes, at))
        add_runtime(config, json_object_iter_key(at),
                    json_string_value(json_object_get(json_object_iter_value(at), "runtime_path")));
    set_default(config, json_object_get(runtime, "default_runtime"));
    set_dirs(config, json_object_get(runtime, "cdi_spec_dirs"));
}

void engine_config_crio(const struct host *host, const char *path, struct engine_config *config)
{
    AUTO_FREE char *drop_ins = mem_printf("%s.d", path);
    AUTO_STRLIST struct strlist paths = {0};
    strlist_add(&paths, path);
    path_match(host, drop_ins, "*", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_JSON json_t *document = read_file(host, paths.items[i], toml_parse, config);
        take_crio(document, config);
    }
}

static void take_podman(const json_t *document, struct engine_config *config)
{
    const json_t *engine = json_object_get(document, "engine");
    json_t *runtimes = json_object_get(engine, "runtimes");
    for (void *at = json_object_iter(runtimes); at; at = json_object_iter_next(runtimes, at))
        add_runtime(config, json_object_iter_key(at),
                    json_string_value(json_array_get(json_object_iter_value(at), 0)));
    set_default(config, json_object_get(engine, "runtime"));
    set_dirs(config, json_object_get(engine, "cdi_spec_dirs"));
}

void engine_config_podman(const struct host *host, const char *path, struct engine_config *config)
{
    const char *const files[] = {"/usr/share/containers/containers.conf",
                                 "/etc/containers/containers.conf", path};
    AUTO_STRLIST struct strlist paths = {0};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        AUTO_FREE char *drop_ins = mem_printf("%s.d", files[i]);
        if (strlist_add_new(&paths, files[i]))
            path_match(host, drop_ins, "*.conf", &paths);
    }
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_JSON json_t *document = read_file(host, paths.items[i], toml_parse, config);
        take_podman(document, config);
    }
}
