/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_TOOLKIT_CHOICE_H
#define RULES_TOOLKIT_TOOLKIT_CHOICE_H

#include "rules/engine/context.h"
#include "rules/query/judged.h"

/* The toolkits that a build may get, by how it gets them. */
struct toolkit_choices {
    const struct judged_toolkit *standard; /* /usr/local/cuda */
    const struct judged_toolkit *home;     /* CUDA_HOME, else CUDA_PATH */
    const char *home_name;
    const struct judged_toolkit *cudacxx;    /* CMake's compiler */
    const struct judged_toolkit *cmake_root; /* CUDAToolkit_ROOT: CMake's libraries */
    const struct judged_toolkit *path;       /* nvcc on PATH */
};
struct toolkit_choices toolkit_choices_of(const struct facts *facts,
                                          const struct judged_toolkits *toolkits);
/* The one that most builds use: the first of home, cudacxx, path and standard; NULL: none. */
const struct judged_toolkit *toolkit_chosen(const struct toolkit_choices *choices);
/* What leads to it: "CUDA_HOME", "PATH", "/usr/local/cuda". */
const char *toolkit_chosen_by(const struct toolkit_choices *choices);

/* False, and the check is ended, where nothing is built. */
bool rule_require_build(struct rule_context *context);

/* What a rule about compiling is given. */
struct toolkit_build {
    const struct judged_toolkit *toolkit; /* that most builds use; it has nvcc */
    const struct judged_toolkits *toolkits;
    const struct toolkit_choices *choices;
};
/* Has judge() judge it. The check is ended where nothing is built, or builds find no nvcc. */
void rule_judge_build(struct rule_context *context,
                      void (*judge)(struct rule_context *context,
                                    const struct toolkit_build *build));

/* rule_require_fact() for a fact that records of older releases of gpuenv do not have: then the
 * check is skipped. */
bool rule_require_recorded(struct rule_context *context, const char *group, const char *name);

/* True where major and minor differ, which decide what a build is for. Unknown versions and NULL
 * do not differ. */
bool toolkit_differs(const struct judged_toolkit *a, const struct judged_toolkit *b);
/* Adds the command that has builds take that toolkit. */
void toolkit_fix_use(struct finding *finding, const char *note,
                     const struct judged_toolkit *toolkit);

#endif
