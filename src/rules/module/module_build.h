/* SPDX-License-Identifier: MIT */
#ifndef RULES_MODULE_MODULE_BUILD_H
#define RULES_MODULE_MODULE_BUILD_H

#include "rules/module/module.h"

struct finding;

/* What the rules about a module that is not built share. */

/* True when the running kernel's headers are not there. */
bool module_lacks_headers(const struct facts *facts, const struct module_state *state);
/* True when the running kernel's own modules are gone: an update removed them with the kernel. */
bool module_kernel_is_gone(const struct facts *facts, const struct module_state *state);
/* The kernel, the modules of others and what DKMS says. */
void module_state_evidence(const struct facts *facts, const struct module_state *state,
                           struct finding *finding);
/* "choose kernel X, which has the module", where there is one. */
void module_add_reboot(const struct facts *facts, const struct module_state *state,
                       struct finding *finding);
/* Headers and a build, as DKMS or akmods does it. */
void module_add_build(const struct facts *facts, const struct module_state *state,
                      struct finding *finding);

#endif
