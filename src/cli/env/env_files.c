/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "cli/env/env.h"
#include "host/root/file.h"
#include "report/engine/report.h"

/* Formats that a program reads, each with the quoting of its own reader. */

/* value has a character that the format cannot say. */
static bool refuse(const char *format, const char *value, const char *why, struct error *error)
{
    error_set(error, ERROR_USAGE, "--format %s cannot express this value", format);
    error_where(error, "%s", value);
    error_why(error, "%s", why);
    return error_next(
        error, "use --prefix with a link that points to the prefix, or choose another --format");
}

/* value with a backslash before each of these characters. */
static char *escape(const char *value, const char *escaped)
{
    AUTO_TEXT struct text text = {0};
    for (const char *c = value; *c; c++) {
        if (strchr(escaped, *c))
            text_append_char(&text, '\\');
        text_append_char(&text, *c);
    }
    return text_steal(&text);
}

/* In ENV a variable stands for what the image has so far. An image from scratch has no PATH, where
 * Docker takes its own. */
bool env_append_docker(const struct env *env, const struct env_input *input, struct text *output,
                       struct error *error)
{
    (void)input;
    (void)error;
    for (size_t i = 0; i < env->count; i++) {
        const struct env_row *row = &env->rows[i];
        AUTO_FREE char *value = escape(row->value, "\\\"$");
        text_printf(output, "ENV %s=\"%s", row->name, value);
        if (row->is_list && row->fallback)
            text_printf(output, ":${%s:-%s}", row->name, row->fallback);
        else if (row->is_list)
            text_printf(output, "${%s:+:$%s}", row->name, row->name);
        text_append(output, "\"\n");
    }
    return true;
}

/* "…", or [=[…]=], in which nothing is evaluated. */
static char *quote_cmake(const char *value)
{
    AUTO_TEXT struct text level = {0};
    if (strpbrk(value, "\"\\$@[]") == NULL)
        return mem_printf("\"%s\"", value);
    for (;;) {
        text_append_char(&level, '=');
        AUTO_FREE char *end = mem_printf("]%s]", text_string(&level));
        AUTO_FREE char *rest = mem_printf("%s%s", value, end);
        if (strstr(rest, end) == rest + strlen(value))
            return mem_printf("[%s[%s", text_string(&level), rest);
    }
}

/* A script for cmake -C: FindCUDAToolkit, enable_language(CUDA), find_package and pkg-config. */
bool env_append_cmake(const struct env *env, const struct env_input *input, struct text *output,
                      struct error *error)
{
    AUTO_FREE char *prefix = quote_cmake(env->prefix);
    AUTO_FREE char *nvcc_path = mem_printf("%s/bin/nvcc", env->prefix);
    AUTO_FREE char *nvcc = quote_cmake(nvcc_path);
    if (strchr(env->prefix, ';'))
        return refuse("cmake", env->prefix, "a ';' separates the elements of a CMake list", error);
    if (strchr(env->prefix, '\\'))
        return refuse("cmake", env->prefix, "CMake reads '\\' as a Windows path separator", error);
    text_append(output, "# for: cmake -C FILE\n");
    text_printf(output, "set(CUDAToolkit_ROOT %s CACHE PATH \"\")\n", prefix);
    if (host_exists(input->host, nvcc_path))
        text_printf(output, "set(CMAKE_CUDA_COMPILER %s CACHE FILEPATH \"\")\n", nvcc);
    text_printf(output, "set(CMAKE_PREFIX_PATH %s CACHE STRING \"\")\n", prefix);
    return true;
}

/* Tcl, for Environment Modules and Lmod: both put a path before a list once, and take it away
 * again. */
bool env_append_modulefile(const struct env *env, const struct env_input *input,
                           struct text *output, struct error *error)
{
    static const char special[] = "\\\"$[]{};";
    AUTO_FREE char *prefix = escape(env->prefix, special);
    (void)input;
    (void)error;
    text_append(output, "#%Module1.0\n");
    text_printf(output, "module-whatis \"CUDA in %s\"\n", prefix);
    for (size_t i = 0; i < env->count; i++) {
        AUTO_FREE char *value = escape(env->rows[i].value, special);
        text_printf(output, "%s %s \"%s\"\n", env->rows[i].is_list ? "prepend-path" : "setenv",
                    env->rows[i].name, value);
    }
    return true;
}

/* Its readers agree on no way to name another variable: what is there now is written out. */
bool env_append_dotenv(const struct env *env, const struct env_input *input, struct text *output,
                       struct error *error)
{
    for (size_t i = 0; i < env->count; i++) {
        AUTO_FREE char *value = env_expand(input->host, &env->rows[i]);
        bool plain = strpbrk(value, " \t\"'`$\\#;&|<>()*?[]{}!~") == NULL;
        if (strpbrk(value, "\r\n") || (!plain && strchr(value, '\'')))
            return refuse("dotenv", value,
                          "programs that read this format disagree on quotes and line ends", error);
        text_printf(output, plain ? "%s=%s\n" : "%s='%s'\n", env->rows[i].name, value);
    }
    return true;
}

bool env_append_json(const struct env *env, const struct env_input *input, struct text *output,
                     struct error *error)
{
    AUTO_JSON json_t *envelope = report_envelope(input->report);
    json_t *variables = json_array();
    (void)error;
    for (size_t i = 0; i < env->count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(env->rows[i].name));
        json_object_set_new(row, "value", json_from_string(env->rows[i].value));
        json_object_set_new(row, "how", json_string(env->rows[i].is_list ? "prepend" : "set"));
        json_array_append_new(variables, row);
    }
    json_object_set_new(envelope, "prefix", json_from_string(env->prefix));
    json_object_set_new(envelope, "variables", variables);
    json_append_text(envelope, output);
    return true;
}
