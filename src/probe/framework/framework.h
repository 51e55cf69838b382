/* SPDX-License-Identifier: MIT */
#ifndef PROBE_FRAMEWORK_FRAMEWORK_H
#define PROBE_FRAMEWORK_FRAMEWORK_H

#include <stdbool.h>

#include "base/strlist.h"
#include "base/text.h"
#include "facts/facts.h"
#include "host/root/host.h"
#include "host/elf/elf.h"
#include "host/loader/loader.h"
#include "probe/library/library_version.h"
#include "probe/engine/probe.h"
#include "probe/python/python_world.h"

/* Private to framework*.c: frameworks, what their files say of the build, and what they load. */

/* A value and the file that says it. */
struct cited {
    char *value, *source;
};

/* Sets it unless it has a value: who is asked first is right. NULL or "" is no value. */
void cited_set(struct cited *cited, const char *value, const char *source);

/* What is known of a build. */
struct framework_build {
    struct cited accelerator; /* cuda, rocm, xpu, cpu */
    struct cited cuda, rocm, cudnn, nccl, torch;
    bool finds_wheels;  /* it looks for NVIDIA's wheels itself (cuda-pathfinder) */
    struct cited holds; /* the package whose files lie in the folder, by their own word */
    struct strlist cudas;
    struct strlist sass, ptx;
    struct strlist ptx_versions; /* "compute_90: 8.7" */
    char *code_source;           /* of sass and ptx; NULL: not looked at, or nothing found */
    char *code_problem;          /* why the library's code could not be read; NULL: it could */
};

#define FRAMEWORK_PATTERNS  16
#define FRAMEWORK_LIBRARIES 7

/* Whose libraries are looked at: in a process of its own, or after PyTorch's of the same
 * environment, which are there first. */
enum framework_start { FRAMEWORK_NOT_STARTED, FRAMEWORK_ALONE, FRAMEWORK_BESIDE_TORCH };

struct framework;
struct framework_row {
    const char *name;
    enum framework_start start;
    const char *packages[FRAMEWORK_PATTERNS]; /* normalized, patterns of fnmatch(3) */
    const char *folder;                       /* what is imported, below a directory of packages */
    bool one;          /* several packages make up one framework: the first pattern's counts */
    const char *plain; /* the accelerator of a package that nothing else is said of; NULL: not
                          known */
    bool any_cuda;     /* it compiles on the machine, and was built for no release of CUDA */
    bool silent;       /* its wheels say nowhere which CUDA they are built for */
    const char *version_file; /* in the folder: tells that it is there, without metadata */
    /* Patterns of path_match() below the directory of packages; the first that is there is its
     * main library. */
    const char *libraries[FRAMEWORK_LIBRARIES];
    const char *const *opened; /* families of libraries that it opens by name; NULL: none */
    void (*read)(const struct host *host, const struct framework *framework,
                 struct framework_build *build); /* its own files; NULL: it has none */
};

extern const struct framework_row framework_rows[]; /* ends with name NULL */

/* One that was found. */
struct framework {
    const struct framework_row *row;
    const struct python_environment *environment;
    const struct python_package *package; /* NULL: the folder alone is there */
    const struct python_package *conda;   /* conda's, of the same framework; NULL: none */
    char *group;                          /* "framework/0" */
    char *site;    /* directory of packages; NULL: conda's metadata is all there is */
    char *folder;  /* …/torch; NULL: not there */
    char *library; /* its main library; NULL: none */
    char *first;   /* the first of several that could be it; NULL: as library */
    struct strlist beside;
    struct text metadata; /* of METADATA; empty: none */
    struct framework_build build;
};

struct frameworks {
    struct framework *items;
    size_t count, capacity;
};

#define FRAMEWORKS_MAX 512

/* What all parts share. */
struct framework_work {
    const struct host *host;
    const struct loader *loader;
    const struct python_world *world;
    const struct frameworks *frameworks;
    const struct probe_knowledge *knowledge; /* NULL: there is none */
    struct library_memo versions;
    struct facts *facts;
};

/* framework_find.c */
void frameworks_find(const struct host *host, const struct python_world *world,
                     struct frameworks *ret_frameworks);
void frameworks_free(struct frameworks *frameworks);
bool framework_row_has(const struct framework_row *row, const char *name);

/* framework_read.c: the readers of framework_rows. */
void framework_read_torch(const struct host *host, const struct framework *framework,
                          struct framework_build *build);
void framework_read_torchaudio(const struct host *host, const struct framework *framework,
                               struct framework_build *build);
void framework_read_tensorflow(const struct host *host, const struct framework *framework,
                               struct framework_build *build);
void framework_read_onnxruntime(const struct host *host, const struct framework *framework,
                                struct framework_build *build);
void framework_read_cupy(const struct host *host, const struct framework *framework,
                         struct framework_build *build);
void framework_read_paddle(const struct host *host, const struct framework *framework,
                           struct framework_build *build);
void framework_read_xformers(const struct host *host, const struct framework *framework,
                             struct framework_build *build);
void framework_read_flash_attn(const struct host *host, const struct framework *framework,
                               struct framework_build *build);
void framework_read_bitsandbytes(const struct host *host, const struct framework *framework,
                                 struct framework_build *build);

void framework_read_linked(const struct host *host, const struct framework *framework,
                           struct framework_build *build);

/* framework_signs.c: what names say. */
void framework_read_name(const struct framework *framework, struct framework_build *build);
void framework_read_local(const struct framework *framework, struct framework_build *build);
void framework_read_conda(const struct framework *framework, struct framework_build *build);
/* "cu124" and "cuda12.4" are 12.4, "cu12" is 12, "cu118" 11.8; NULL when it is no such tag. */
char *cuda_of_tag(const char *digits, size_t *ret_length);

/* framework_conda.c: what conda's package asks for. */
void framework_read_depends(const struct host *host, const struct framework *framework,
                            struct framework_build *build);

/* framework_pins.c */
struct framework_pins {
    struct strlist wanted, missing, optional;
    struct strlist required;     /* that it cannot start without, and that are not there */
    struct strlist broken_parts; /* files of packages that it is made of and that are gone */
};
void framework_pins_read(const struct host *host, const struct framework *framework,
                         const char *machine, struct framework_build *build,
                         struct framework_pins *ret_pins);
/* Whether a normalized name is that package, for any CUDA: nvidia-cudnn, nvidia-cudnn-cu12. */
bool framework_is_wheel_of(const char *name, const char *family);
void framework_pins_free(struct framework_pins *pins);

/* framework_record.c: what of RECORD is not as it says; a file may lie in any directory that the
 * environment imports from. */
struct record_check {
    bool present;
    size_t libraries;     /* shared libraries that it lists */
    char *directory;      /* of the first of those in a directory lib or bin; NULL: none */
    struct strlist names; /* of the libraries there, at most RECORD_NAMES_MAX */
    struct strlist broken;
};
#define RECORD_BROKEN_MAX 20
#define RECORD_NAMES_MAX  40
void record_check(const struct host *host, const struct python_environment *environment,
                  const struct python_package *package, struct record_check *ret_check);
void record_check_free(struct record_check *check);
#define AUTO_RECORD_CHECK AUTO(record_check_free)
/* Of the packages that share the framework's folder, the first whose libraries lie there as its
 * RECORD says; NULL: it shares with none, or none does. */
const struct python_package *record_holder(const struct host *host,
                                           const struct framework *framework);

/* framework_note.c: all facts of one. */
void framework_note(struct framework_work *work, struct framework *framework);

/* framework_tags.c: packages of an environment that frameworks import and that do not fit. */
void framework_note_misfits(struct framework_work *work,
                            const struct python_environment *environment);

/* framework_wheel.c: the groups "wheel". */
void framework_note_wheels(struct framework_work *work);

/* framework_load.c: the groups "framework_library". */
void framework_note_loads(struct framework_work *work, const struct frameworks *frameworks);

#endif
