/* SPDX-License-Identifier: MIT */
#include "resolve/support/compile.h"

#include "manifest/toolkit/legacy.h"
#include "manifest/toolkit/pin.h"
#include "manifest/versions/nvcc.h"
#include "resolve/engine/context.h"
#include "resolve/engine/fit.h"

struct compile {
    struct manifest *manifest;
    const struct version *cuda;
    const struct compile_system *system;
    const struct manifest_compilers *compilers;     /* what nvcc accepts; NULL: not listed */
    const struct manifest_host_compilers *packaged; /* by the distribution; NULL: not listed */
    char text[VERSION_TEXT_SIZE];                   /* "9.0" */
    bool needs_other_system;                        /* nothing that can be installed helps */
    struct strlist *notes;
};

/* "gcc 6 at most", "gcc 6 to 12" */
static char *range_words(const struct manifest_compilers *compilers)
{
    char min[VERSION_TEXT_SIZE], max[VERSION_TEXT_SIZE];
    version_text(&compilers->gcc_max, 0, max);
    if (compilers->gcc_min.count == 0)
        return mem_printf("gcc %s at most", max);
    return mem_printf("gcc %s to %s", version_text(&compilers->gcc_min, 0, min), max);
}

/* "Debian GNU/Linux 12 (bookworm)" */
static const char *system_words(const struct compile_system *system)
{
    return system->name ? system->name : "this system";
}

static bool is_accepted(const struct manifest_compilers *compilers, const struct version *gcc)
{
    AUTO_STRLIST struct strlist one = {0};
    char text[VERSION_TEXT_SIZE];
    strlist_add(&one, version_text(gcc, 0, text));
    return manifest_compiler_within(&one, &compilers->gcc_min, &compilers->gcc_max) != NULL;
}

static bool is_hindered(const struct compile *compile)
{
    size_t count;
    const struct manifest_c_library *rows = manifest_c_libraries(compile->manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].glibc.from.count > 0 &&
            manifest_c_library_hinders(&rows[i], compile->cuda, &compile->system->glibc))
            return true;
    return false;
}

/* A compiler that is installed or packaged; NULL: none is known. */
static char *other_compiler(const struct compile *compile)
{
    const struct version *min = &compile->compilers->gcc_min, *max = &compile->compilers->gcc_max;
    const struct strlist *there = compile->system->gccs;
    const char *gcc = there ? manifest_compiler_within(there, min, max) : NULL;
    if (gcc)
        return mem_printf("gcc %s is installed too: nvcc -ccbin g++-%s", gcc, gcc);
    gcc = compile->packaged ? manifest_compiler_within(&compile->packaged->gcc, min, max) : NULL;
    if (gcc == NULL)
        return NULL;
    AUTO_FREE char *package = manifest_compiler_name(compile->packaged->package, gcc);
    AUTO_FREE char *program = manifest_compiler_name(compile->packaged->program, gcc);
    return mem_printf("install the package %s and name its compiler: nvcc -ccbin %s", package,
                      program);
}

/* What the distribution has packages of, where that is none of those that nvcc accepts. */
static char *packaged_words(const struct compile *compile)
{
    if (compile->packaged == NULL)
        return mem_string(": which compilers there are packages of is not known");
    AUTO_FREE char *gcc = strlist_join(&compile->packaged->gcc, ", ");
    AUTO_FREE char *clang = strlist_join(&compile->packaged->clang, ", ");
    return mem_printf(" and has no package of such a compiler (it has gcc %s%s%s)", gcc,
                      *clang ? ", clang " : "", clang);
}

static void note_compiler(struct compile *compile)
{
    const struct compile_system *system = compile->system;
    char gcc[VERSION_TEXT_SIZE];
    if (compile->compilers == NULL || compile->compilers->gcc_max.count == 0)
        return;
    bool is_known = system->gcc.count > 0;
    if (is_known && is_accepted(compile->compilers, &system->gcc))
        return;
    AUTO_FREE char *other = other_compiler(compile);
    if (!is_known && (other != NULL || compile->packaged == NULL))
        return; /* none is installed yet, and one that is accepted can be */
    AUTO_FREE char *range = range_words(compile->compilers);
    AUTO_FREE char *rest = other ? mem_printf(": %s", other) : packaged_words(compile);
    AUTO_FREE char *own =
        is_known ? mem_printf("has gcc %s as its compiler", version_text(&system->gcc, 0, gcc))
                 : mem_string("has no compiler yet");
    bool helps = other != NULL && !is_hindered(compile);
    compile->needs_other_system = compile->needs_other_system || !helps;
    strlist_take(compile->notes, mem_printf("nvcc of CUDA %s accepts %s, but %s %s%s",
                                            compile->text, range, system_words(system), own, rest));
}

static void note_c_library(struct compile *compile)
{
    size_t count;
    const struct manifest_c_library *rows = manifest_c_libraries(compile->manifest, &count);
    for (size_t i = 0; i < count; i++) {
        char glibc[VERSION_TEXT_SIZE];
        if (!manifest_c_library_hinders(&rows[i], compile->cuda, &compile->system->glibc))
            continue;
        compile->needs_other_system = true;
        strlist_take(compile->notes,
                     mem_printf("CUDA %s does not suit glibc %s: %s", compile->text,
                                version_text(&compile->system->glibc, 0, glibc), rows[i].text));
    }
}

/* A system where both suit. */
static void note_other_system(struct compile *compile)
{
    struct version release;
    char text[VERSION_TEXT_SIZE];
    const char *gcc;
    if (!compile->needs_other_system)
        return;
    if (manifest_cuda_image_ubuntu(compile->manifest, compile->cuda, &release)) {
        strlist_take(compile->notes,
                     mem_printf("compile in a container of Ubuntu %s: NVIDIA's own images for CUDA "
                                "%s are based on it",
                                version_text(&release, 0, text), compile->text));
        return;
    }
    const struct manifest_host_compilers *row =
        compile->compilers ? manifest_host_compilers_with(compile->manifest, "ubuntu",
                                                          &compile->compilers->gcc_min,
                                                          &compile->compilers->gcc_max, &gcc)
                           : NULL;
    if (row)
        strlist_take(compile->notes,
                     mem_printf("compile in a container of Ubuntu %s, which has the package g++-%s",
                                version_text(&row->release, 0, text), gcc));
}

static void note_gpus(const struct compile *compile)
{
    struct resolve_context context = {.manifest = compile->manifest};
    for (size_t i = 0; i < compile->system->gpu_count; i++) {
        struct verdict verdict =
            fit_toolkit_gpu(&context, &compile->system->gpus[i], compile->cuda);
        AUTO_FREE char *note =
            verdict.fit == FIT_NO
                ? mem_printf("%s; programs that were compiled with CUDA %s run there only if they "
                             "contain PTX that the driver still compiles",
                             verdict.why, compile->text)
                : NULL;
        if (note)
            strlist_add_new(compile->notes, note);
        free(verdict.why);
    }
}

/* Only NVIDIA's installers have samples; lists of archives leave them out. */
static void note_samples(const struct compile *compile)
{
    const struct manifest_advice *advice =
        manifest_pin_find(compile->manifest, "cuda", compile->cuda)
            ? NULL
            : manifest_advice_find(compile->manifest, "cuda", "samples", compile->cuda);
    if (advice)
        strlist_add(compile->notes, advice->text);
}

void compile_notes(struct manifest *manifest, const struct version *cuda,
                   const struct compile_system *system, struct strlist *notes)
{
    struct compile compile = {
        .manifest = manifest,
        .cuda = cuda,
        .system = system,
        .compilers = manifest_compilers_find(manifest, cuda),
        .packaged = manifest_host_compilers_find(manifest, &system->os),
        .notes = notes,
    };
    version_text(cuda, 2, compile.text);
    note_compiler(&compile);
    note_c_library(&compile);
    note_other_system(&compile);
    note_gpus(&compile);
    note_samples(&compile);
}
