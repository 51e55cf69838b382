/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_CUDNN_FRAMEWORK_H
#define RULES_TOOLKIT_CUDNN_FRAMEWORK_H

#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"

struct manifest;
struct rule_context;

/* What the rules about cuDNN ask of frameworks. */

/* Who loads the cuDNN at path: nobody that is known, a framework that is not in use, or one that
 * is. */
enum cudnn_user { CUDNN_USER_NONE, CUDNN_USER_IDLE, CUDNN_USER_ACTIVE };
enum cudnn_user cudnn_user_of(const struct facts *facts, struct manifest *manifest,
                              const char *path);

/* The path of the sub-library that the program gets which loads the cuDNN at path, the active
 * framework's first: that one may have loaded it by its path, or cuDNN's own RPATH may come before
 * LD_LIBRARY_PATH. NULL: no framework is known to load that cuDNN. */
const char *cudnn_part_of_user(const struct framework_loads *loads, const char *path,
                               const char *soname);

/* True for a copy inside the folder of a package that is not cuDNN's own: no other program looks
 * there (torch/lib). */
bool cudnn_is_private(const struct facts *facts, const char *group);

/* As serious as it is that this load finds nothing: info where no GPU is here, or where another
 * framework brings it. */
enum severity cudnn_severity_of_load(const struct rule_context *context,
                                     const struct framework_load *load);
/* 8 of "libcudnn.so.8"; 0: it has no number. soname may be NULL. */
unsigned cudnn_major_of(const char *soname);
/* pip's line that installs the cuDNN which the load asks for, where a wheel is for the framework's
 * CUDA. */
void cudnn_fix_wheel(const struct rule_context *context, struct finding *finding,
                     const struct framework_load *load);

/* Two packages of cuDNN whose files lie in one directory. */
void cudnn_find_mixed_wheels(struct rule_context *context);

#endif
