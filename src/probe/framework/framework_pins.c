/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/version.h"
#include "probe/places/path_match.h"
#include "probe/python/metadata.h"

#define REQUIREMENTS_MAX 1024
#define PINS_MAX         64
#define METADATA_MAX     (4u << 20)
#define SOURCE_MAX       524288

/* What belongs to CUDA among all that a framework requires. */
static bool is_cuda_package(const char *name)
{
    static const char *const others[] = {"cuda-toolkit", "cuda-bindings", "cuda-python"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (string_equal(name, others[i]))
            return true;
    return (string_starts(name, "nvidia-") && !string_starts(name, "nvidia-ml")) ||
           (string_starts(name, "tensorrt") && strstr(name, "libs"));
}

/* One comparison of a specifier: "==9.1.0.70". One that cannot be read rules nothing out. */
static bool term_allows(const char *term, const struct version *version)
{
    static const char *const operators[] = {"==", ">=", "<=", "!=", "~=", ">", "<"};
    struct version bound;
    size_t i = 0, count = sizeof(operators) / sizeof(*operators);
    while (i < count && !string_starts(term, operators[i]))
        i++;
    if (i == count || strchr(term, '*') || !version_parse(term + strlen(operators[i]), &bound))
        return true;
    int order = version_compare(version, &bound);
    const bool allowed[] = {order == 0, order >= 0, order <= 0, order != 0,
                            order >= 0, order > 0,  order < 0};
    return allowed[i];
}

static bool specifier_allows(const char *specifier, const char *version)
{
    struct version parsed;
    if (specifier == NULL || !version_parse_prefix(version, &parsed))
        return true;
    AUTO_STRLIST struct strlist terms = {0};
    strlist_split(&terms, specifier, ',');
    for (size_t i = 0; i < terms.count; i++)
        if (!term_allows(terms.items[i], &parsed))
            return false;
    return true;
}

/* "9.1.0.70" of "==9.1.0.70"; what is no exact version stays as it is. */
static const char *exact(const char *specifier)
{
    return specifier && string_starts(specifier, "==") ? specifier + 2 : specifier;
}

/* "nvidia-cudnn" and "nvidia-cudnn-cu12"; not "nvidia-cudnn-frontend". */
bool framework_is_wheel_of(const char *name, const char *family)
{
    size_t length = strlen(family);
    if (!string_starts(name, family))
        return false;
    return name[length] == '\0' || (string_starts(name + length, "-cu") &&
                                    name[length + 3] >= '0' && name[length + 3] <= '9');
}

/* What a pin says of the build: the package's name ends with -cu12, the toolkit has its release. */
static void read_pin(const struct requirement_line *line, const char *source,
                     struct framework_build *build)
{
    const char *version = exact(line->version);
    if (framework_is_wheel_of(line->name, "nvidia-cudnn"))
        cited_set(&build->cudnn, version, source);
    if (framework_is_wheel_of(line->name, "nvidia-nccl"))
        cited_set(&build->nccl, version, source);
    struct version parsed;
    char buffer[VERSION_TEXT_SIZE];
    bool toolkit = string_equal(line->name, "cuda-toolkit") ||
                   framework_is_wheel_of(line->name, "nvidia-cuda-runtime");
    if (toolkit && version && version_parse(version, &parsed)) {
        cited_set(&build->cuda, version_text(&parsed, 2, buffer), source);
        cited_set(&build->accelerator, "cuda", source);
    }
}

static void note_pin(const struct framework *framework, const struct requirement_line *line,
                     struct framework_pins *pins)
{
    AUTO_FREE char *pin = mem_printf("%s%s", line->name, line->version ? line->version : "");
    if (line->extra) {
        AUTO_FREE char *optional = mem_printf("%s: %s", line->extra, pin);
        if (pins->optional.count < PINS_MAX)
            strlist_add_new(&pins->optional, optional);
        return;
    }
    if (pins->wanted.count == PINS_MAX || !strlist_add_new(&pins->wanted, pin))
        return;
    const struct python_package *package = python_package_find(framework->environment, line->name);
    if (package == NULL) {
        strlist_add(&pins->missing, pin);
    } else if (!specifier_allows(line->version, package->version)) {
        strlist_take(&pins->missing, mem_printf("%s: %s is", pin, package->version));
    }
}

/* What a framework is a part of, by the package and by what is imported: a folder that no package
 * says it owns serves, too. */
static const struct companion {
    const char *framework, *package, *folder; /* framework NULL: all that require it */
} companions[] = {
    {NULL, "torch", "torch"},
    {NULL, "jaxlib", "jaxlib"},
    {NULL, "jax-cuda*-pjrt", "jax_plugins/xla_cuda*"},
    {NULL, "librmm-cu*", "librmm"},
    {NULL, "libcudf-cu*", "libcudf"},
    {NULL, "pylibcudf-cu*", "pylibcudf"},
    {"numba-cuda", "numba", "numba"},
    {"numba-cuda", "cuda-bindings", "cuda/bindings"},
};

/* What it imports at its start, of all that METADATA requires: the import of the real builds fails
 * without these, and goes on without many others (PyTorch without networkx, vLLM without numba). */
static const struct companion imports[] = {
    {"pytorch", "typing-extensions", "typing_extensions.py"},
    {"tensorflow", "numpy", "numpy"},
    {"onnxruntime", "numpy", "numpy"},
    {"cupy", "numpy", "numpy"},
    {"jax", "numpy", "numpy"},
    {"faiss", "numpy", "numpy"},
    {"faiss", "packaging", "packaging"},
};

static bool is_importable(const struct host *host, const struct python_environment *environment,
                          const char *folder)
{
    for (size_t i = 0; i < environment->sites.count; i++)
        if (path_matches(host, environment->sites.items[i], folder))
            return true;
    return false;
}

/* A module that is compiled for NumPy 1 says so, and does not import beside NumPy 2. */
static void note_numpy(const struct python_environment *environment,
                       const struct requirement_line *line, struct framework_pins *pins)
{
    const struct python_package *numpy = python_package_find(environment, "numpy");
    bool first =
        line->version && (strstr(line->version, "<2.0") || string_ends(line->version, "<2") ||
                          strstr(line->version, "<2,"));
    if (string_equal(line->name, "numpy") && numpy && first &&
        !specifier_allows(line->version, numpy->version) && strtol(numpy->version, NULL, 10) >= 2)
        strlist_take(&pins->required, mem_printf("numpy%s: %s is", line->version, numpy->version));
}

/* numba-cuda imports cuda-bindings from the release on whose extras bring it (0.15.2), unless a
 * variable says otherwise; nothing but an extra requires it. */
static bool is_binding(const struct host *host, const struct framework *framework,
                       const struct requirement_line *line)
{
    const char *uses = host_environment(host, "NUMBA_CUDA_USE_NVIDIA_BINDING");
    return string_equal(framework->row->name, "numba-cuda") &&
           string_equal(line->name, "cuda-bindings") && !string_equal(uses, "0");
}

/* Not where packages of other directories are imported, too, nor of conda's, which have other
 * names. */
static bool is_alone(const struct framework *framework)
{
    const struct python_environment *environment = framework->environment;
    return !environment->system_site && framework->conda == NULL &&
           !string_equal(environment->kind, "user") &&
           !string_equal(environment->kind, "directory") &&
           !string_equal(environment->kind, "conda") && !string_equal(environment->kind, "system");
}

static void require(const struct host *host, const struct python_environment *environment,
                    const char *package, const char *folder, struct framework_pins *pins)
{
    if (python_package_find(environment, package) == NULL &&
        !is_importable(host, environment, folder))
        strlist_add_new(&pins->required, package);
}

/* Libraries of an installed part that are gone: "librmm-cu12==25.6.0: librmm/lib64/librmm.so". Of
 * PyTorch its own facts tell. */
static void note_part(const struct host *host, const struct python_environment *environment,
                      const struct python_package *package, struct framework_pins *pins)
{
    static const char missing[] = "missing: ";
    AUTO_RECORD_CHECK struct record_check check = {.present = false};
    record_check(host, environment, package, &check);
    for (size_t i = 0; i < check.broken.count; i++) {
        AUTO_FREE char *part = mem_printf("%s==%s: %s", package->name, package->version,
                                          check.broken.items[i] + strlen(missing));
        if (string_starts(check.broken.items[i], missing))
            strlist_add_new(&pins->broken_parts, part);
    }
}

static const struct companion *companion_of(const struct framework *framework, const char *name)
{
    for (size_t i = 0; i < sizeof(companions) / sizeof(*companions); i++)
        if (fnmatch(companions[i].package, name, 0) == 0 &&
            (companions[i].framework == NULL ||
             string_equal(companions[i].framework, framework->row->name)))
            return &companions[i];
    return NULL;
}

/* Requires-Dist in the METADATA of a package; none where it cannot be read. */
static void requirements_read(const struct host *host, const struct python_package *package,
                              struct strlist *ret_lines)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(package->info, "METADATA");
    if (host_read(host, path, METADATA_MAX, &text, NULL) == HOST_OK)
        metadata_values(text_string(&text), text.size, "Requires-Dist", REQUIREMENTS_MAX,
                        ret_lines);
}

/* The parts that an installed part requires: librmm-cu12 of libcudf-cu12. */
static void note_parts_of(const struct host *host, const struct framework *framework,
                          const struct python_package *package, struct framework_pins *pins)
{
    AUTO_STRLIST struct strlist lines = {0};
    const struct python_environment *environment = framework->environment;
    requirements_read(host, package, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        AUTO_REQUIREMENT_LINE struct requirement_line line = {.name = NULL};
        if (!requirement_line_parse(lines.items[i], &line) || line.extra)
            continue;
        const struct companion *companion = companion_of(framework, line.name);
        const struct python_package *part = python_package_find(environment, line.name);
        if (companion && part)
            note_part(host, environment, part, pins);
        else if (companion)
            require(host, environment, line.name, companion->folder, pins);
    }
}

static void note_companion(const struct host *host, const struct framework *framework,
                           const struct requirement_line *line, struct framework_pins *pins)
{
    const struct python_environment *environment = framework->environment;
    if ((line->extra && !is_binding(host, framework, line)) || !is_alone(framework))
        return;
    note_numpy(environment, line, pins);
    const struct companion *companion = companion_of(framework, line->name);
    const struct python_package *package = python_package_find(environment, line->name);
    if (companion && package == NULL) {
        require(host, environment, line->name, companion->folder, pins);
    } else if (companion && package->build == NULL && !string_equal(package->name, "torch") &&
               !string_equal(package->name, "numba")) {
        note_part(host, environment, package, pins);
        note_parts_of(host, framework, package, pins);
    }
}

/* numba-cuda imports modules of numba.core that later releases of Numba no longer have, unless it
 * has its own. */
static void note_numba(const struct host *host, const struct framework *framework,
                       struct framework_pins *pins)
{
    static const char module[] = "removerefctpass";
    const struct python_environment *environment = framework->environment;
    const struct python_package *numba = python_package_find(environment, "numba");
    AUTO_TEXT struct text text = {0};
    if (!string_equal(framework->row->name, "numba-cuda") || numba == NULL || numba->build ||
        framework->site == NULL || !is_importable(host, environment, "numba/core/__init__.py"))
        return;
    AUTO_FREE char *user = path_join(framework->site, "numba_cuda/numba/cuda/lowering.py");
    AUTO_FREE char *own =
        mem_printf("%s/numba_cuda/numba/cuda/core/%s.py", framework->site, module);
    AUTO_FREE char *of_numba = mem_printf("numba/core/%s.py", module);
    if (host_read(host, user, SOURCE_MAX, &text, NULL) != HOST_OK ||
        strstr(text_string(&text), module) == NULL || host_exists(host, own) ||
        is_importable(host, environment, of_numba))
        return;
    strlist_take(&pins->required, mem_printf("numba.core.%s: numba %s", module, numba->version));
}

/* Where nothing of what it requires is installed, packages may come from elsewhere, or the
 * description of a machine leaves them out. */
static bool has_any(const struct framework *framework, const struct strlist *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        AUTO_REQUIREMENT_LINE struct requirement_line line = {.name = NULL};
        if (requirement_line_parse(lines->items[i], &line) && line.extra == NULL &&
            !is_cuda_package(line.name) && python_package_find(framework->environment, line.name))
            return true;
    }
    return false;
}

/* lines: Requires-Dist of the package that imports them. */
static void note_imports(const struct host *host, const struct framework *framework,
                         const struct strlist *lines, struct framework_pins *pins)
{
    if (!is_alone(framework) || !has_any(framework, lines))
        return;
    for (size_t i = 0; i < lines->count; i++) {
        AUTO_REQUIREMENT_LINE struct requirement_line line = {.name = NULL};
        if (!requirement_line_parse(lines->items[i], &line) || line.extra)
            continue;
        for (size_t k = 0; k < sizeof(imports) / sizeof(*imports); k++)
            if (string_equal(imports[k].package, line.name) &&
                string_equal(imports[k].framework, framework->row->name))
                require(host, framework->environment, line.name, imports[k].folder, pins);
    }
}

/* jaxlib imports NumPy; the METADATA that is read for JAX is that of its plugin. */
static void note_jaxlib(const struct host *host, const struct framework *framework,
                        struct framework_pins *pins)
{
    AUTO_STRLIST struct strlist lines = {0};
    const struct python_package *jaxlib = python_package_find(framework->environment, "jaxlib");
    if (jaxlib == NULL)
        return;
    requirements_read(host, jaxlib, &lines);
    note_imports(host, framework, &lines, pins);
}

/* JAX's packages are one framework. What drives the GPU (pjrt) is of no use without the plugin that
 * holds JAX's kernels; no package requires that but by an extra. */
static void note_jax(const struct host *host, const struct framework *framework,
                     struct framework_pins *pins)
{
    static const char driver[] = "-pjrt";
    const struct python_environment *environment = framework->environment;
    if (!string_equal(framework->row->name, "jax") || !is_alone(framework))
        return;
    note_jaxlib(host, framework, pins);
    for (size_t i = 0; i < environment->package_count; i++) {
        const char *name = environment->packages[i].name;
        if (!string_starts(name, "jax-cuda") || !string_ends(name, driver))
            continue;
        AUTO_FREE char *stem = mem_string_n(name, strlen(name) - strlen(driver));
        AUTO_FREE char *plugin = mem_printf("%s-plugin", stem);
        AUTO_FREE char *folder = mem_printf("jax_cuda%s_plugin", stem + strlen("jax-cuda"));
        require(host, environment, plugin, folder, pins);
    }
}

static void read_torch_pin(const struct requirement_line *line, const char *source,
                           struct framework_build *build)
{
    if (string_equal(line->name, "torch") && line->extra == NULL && line->version)
        cited_set(&build->torch, exact(line->version), source);
}

void framework_pins_read(const struct host *host, const struct framework *framework,
                         const char *machine, struct framework_build *build,
                         struct framework_pins *ret_pins)
{
    AUTO_STRLIST struct strlist lines = {0};
    note_jax(host, framework, ret_pins);
    note_numba(host, framework, ret_pins);
    if (framework->metadata.size == 0)
        return;
    AUTO_FREE char *source = path_join(framework->package->info, "METADATA");
    metadata_values(text_string(&framework->metadata), framework->metadata.size, "Requires-Dist",
                    REQUIREMENTS_MAX, &lines);
    note_imports(host, framework, &lines, ret_pins);
    for (unsigned extra = 0; extra < 2; extra++) { /* what is always wanted counts first */
        for (size_t i = 0; i < lines.count; i++) {
            AUTO_REQUIREMENT_LINE struct requirement_line line = {.name = NULL};
            if (!requirement_line_parse(lines.items[i], &line) ||
                (line.extra != NULL) != (extra == 1) || !marker_fits(line.marker, machine))
                continue;
            read_torch_pin(&line, source, build);
            note_companion(host, framework, &line, ret_pins);
            build->finds_wheels |= string_equal(line.name, "cuda-pathfinder") && extra == 0;
            if (is_cuda_package(line.name)) {
                read_pin(&line, source, build);
                note_pin(framework, &line, ret_pins);
            }
        }
    }
}

void framework_pins_free(struct framework_pins *pins)
{
    strlist_free(&pins->wanted);
    strlist_free(&pins->missing);
    strlist_free(&pins->optional);
    strlist_free(&pins->required);
    strlist_free(&pins->broken_parts);
}
