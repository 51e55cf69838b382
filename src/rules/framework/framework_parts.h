/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_FRAMEWORK_PARTS_H
#define RULES_FRAMEWORK_FRAMEWORK_PARTS_H

#include "rules/framework/framework.h"

/* PyTorch of the same environment; NULL: none. */
const struct framework *framework_torch_of(const struct frameworks *frameworks,
                                           const struct framework *framework);

/* The release of PyTorch that an extension of it is built for, where another minor release is
 * installed; NULL: it fits, or is not known. */
const char *framework_other_torch(const struct facts *facts, const struct frameworks *frameworks,
                                  const struct framework *framework);

#endif
