/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_FRAMEWORK_FRAMEWORK_H
#define RESOLVE_FRAMEWORK_FRAMEWORK_H

#include <stdbool.h>

#include "base/version.h"
#include "manifest/framework/framework.h"
#include "resolve/engine/request.h"

struct resolve_choice;
struct resolve_candidate;
struct resolve_gpu;
struct resolve_spec;

/* Whether a build has code that the GPU runs, the worst last. */
enum code {
    CODE_MACHINE,          /* machine code: of the same major, and no higher minor */
    CODE_NOT_NEEDED,       /* it has none, and needs none */
    CODE_COMPILED,         /* a CUDA toolkit makes it on the machine */
    CODE_PTX,              /* PTX that the driver compiles */
    CODE_DOCUMENTED,       /* what it has is not listed, and its makers say that it runs */
    CODE_UNKNOWN,          /* what it has is not listed */
    CODE_COMPILER_UNKNOWN, /* PTX, and whether the compiler inside knows the GPU is not known */
    CODE_NONE,
};
/* For every GPU: the worst answer, and in ret_gpu the GPU that gave it. Without a GPU it is
 * CODE_MACHINE. */
enum code framework_code(const struct resolve_context *context, const struct manifest_build *build,
                         const struct version *cuda, const struct resolve_gpu **ret_gpu);
/* What a reader is told of code that the GPU runs; NULL: that is not known, or it has none. */
const char *framework_code_words(enum code code);
/* True for a GPU on which the build's PTX is known to fail. */
bool framework_ptx_fails(const struct manifest_build *build, const struct version *capability);
/* The compiler inside, which must know the GPU itself; NULL: none. */
const char *framework_compiler(const struct resolve_context *context,
                               const struct manifest_build *build);

/* True when what is asked for ("2.10", "25.03") is of the release, which may stand for several:
 * "2.x", "0.3-0.5"; of "<=2.5.1" only the last. release may be NULL: of nothing. */
bool framework_release_has(const char *release, const struct request *request);

/* True when a pin is of the build: of its framework, of its release, and of its variant or of all.
 */
bool framework_pin_is_of(const struct manifest_framework_pin *pin,
                         const struct manifest_build *build);

/* The CUDA that pip brings today for a wheel that accepts several: by the build's pins, else the
 * newest of the manifest in its range. cuda: that it was made with. count 0: it brings one alone.
 * Of a source archive it is the oldest that compiles it for the GPUs of the machine.
 */
struct version framework_cuda_taken(const struct resolve_context *context,
                                    const struct manifest_build *build, const struct version *cuda);

/* How a build stands to the machine. */
struct build_fit {
    struct verdict verdict;
    struct version cuda; /* the one of its CUDAs that it is measured by; count 0: none is known */
    enum code code;
};
struct build_fit framework_fit(const struct resolve_context *context,
                               const struct manifest_build *build);

/* The command that installs the build, with a bound on cuDNN where the newest that it takes no
 * longer runs on a GPU of the machine: ret_bound then says so. Both are the caller's; NULL: none.
 * cuda: the one that it is measured by. */
char *framework_command(const struct resolve_context *context, const struct manifest_build *build,
                        const struct version *cuda, char **ret_bound);

/* The same for uv, the caller's. NULL: the command is not pip's, or the build is for Pythons alone
 * that uv does not install, and a note says so. */
char *framework_uv(struct resolve_context *context, const struct manifest_build *build,
                   const char *command);
/* Whether a wheel of it can be installed by no command that is known, though its framework's wheels
 * are installed so: the package index does not have it. */
bool framework_is_gone(const struct resolve_context *context, const struct manifest_build *build,
                       const struct version *cuda);

/* Whether the Pythons of a wheel are not known, and a newer release has none for the Python of the
 * machine yet; then the candidate is turned down. */
bool framework_precedes_python(const struct resolve_context *context,
                               const struct manifest_build *build,
                               struct resolve_candidate *candidate);
/* Whether a build half works on a GPU of the machine, which its own cuDNN has dropped; then the
 * candidate is turned down. cuda as above. */
bool framework_is_partial(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *cuda, struct resolve_candidate *candidate);

/* Adds the command and that for uv to the choice, with what the build does not do on a GPU that its
 * cuDNN has dropped; a note says why there is none. cuda as above. */
void framework_add_command(struct resolve_context *context, const struct manifest_build *build,
                           const struct version *cuda, struct resolve_choice *choice);

/* Lists every build of the framework for Linux and chooses the newest release that runs. NULL:
 * nothing fits. */
const struct manifest_build *framework_choose(struct resolve_context *context,
                                              const struct request *request,
                                              const struct manifest_framework *framework,
                                              struct build_fit *ret_fit);

/* A SPEC that names a framework. Riders are asked of what they run on. ret_build (may be NULL) gets
 * the build of the framework itself, or of a rider's first backend that has one; NULL: none.
 * False: nothing fits. */
bool framework_resolve(struct resolve_context *context, const struct resolve_spec *spec,
                       const struct manifest_framework *framework,
                       const struct manifest_build **ret_build, struct build_fit *ret_fit);

#endif
