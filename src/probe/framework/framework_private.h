/* SPDX-License-Identifier: MIT */
#ifndef PROBE_FRAMEWORK_FRAMEWORK_PRIVATE_H
#define PROBE_FRAMEWORK_FRAMEWORK_PRIVATE_H

#include "base/memory.h"
#include "probe/framework/framework.h"

/* Private to framework_build.c, framework_note*.c and framework_load*.c. */

/* Fills framework->build from all that speaks of it, the best first; elf is of its main library
 * (NULL: none), machine what the loader serves ("x86_64"). */
void framework_build_read(const struct framework_work *work, struct framework *framework,
                          const struct elf_info *elf, const char *machine,
                          struct framework_pins *ret_pins);

/* The version of cudnn or nccl that lies in the framework's folder or its environment. */
void framework_carried(struct framework_work *work, const struct framework *framework,
                       const char *family, struct cited *ret_version);

/* The version of one of CUDA's libraries by its file; stays empty when it cannot be told. */
void framework_file_version(struct framework_work *work, const char *path,
                            struct cited *ret_version);

/* framework_code.c: machine code and PTX of the main library; what its build says counts where the
 * library has none. */
void framework_code_read(const struct host *host, struct framework *framework);

/* Whether a file holds code for GPUs; false too where it cannot be read. */
bool framework_has_code(const struct host *host, const char *path);

/* framework_tags.c: facts about machine, Python and C library, by the wheel's tags and the main
 * library. */
void framework_note_tags(struct framework_work *work, const struct framework *framework,
                         const struct elf_info *elf);

/* The machine that a package's wheel is for, as the fact platform. */
void framework_note_wheel_platform(struct framework_work *work,
                                   const struct python_package *package, const char *group);

/* framework_ptxas.c: compilers. */
void framework_note_compilers(struct framework_work *work, const struct framework *framework);

/* framework_arches.c: torch_arches and torch_arch_names. */
void framework_note_arches(struct framework_work *work, const struct framework *framework);

static inline void cited_release(struct cited *cited)
{
    free(cited->value);
    free(cited->source);
}
#define AUTO_CITED AUTO(cited_release)

#endif
