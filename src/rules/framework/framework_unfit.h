/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_FRAMEWORK_UNFIT_H
#define RULES_FRAMEWORK_FRAMEWORK_UNFIT_H

#include "rules/framework/framework.h"

/* Why none of a framework's compiled files can be loaded here, whatever they are built for: another
 * Python, processor or C library. NULL: they can, or it is not known. free() it. */
char *framework_unfit(const struct facts *facts, const struct framework *framework);

#endif
