/* SPDX-License-Identifier: MIT */
#ifndef RULES_GPU_TRIAL_H
#define RULES_GPU_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

struct finding;
struct manifest_error;
struct rule_context;

/* Private to rules/gpu/trial*.c: what the rules about --try share. A record of a machine where
 * nothing was tried has no groups trial/… and peer_copy/…. */

/* False, and the check is ended, when nothing of that kind ("trial", "peer_copy") was tried. */
bool rule_require_trial(struct rule_context *context, const char *kind);

/* "right", "wrong", "failed"; NULL, and the check is unknown or skipped, when that is not known.
 * what: "GPU 0 (NVIDIA L4)", "the copy from GPU 0 to GPU 1". */
const char *trial_outcome(struct rule_context *context, const char *group, const char *what);

/* The error of an outcome that is "failed". */
struct trial_error {
    const char *call; /* never NULL */
    int64_t number;
    const char *name;                 /* NULL: not known */
    const struct manifest_error *row; /* NULL: not in the manifest */
};
struct trial_error trial_error(const struct rule_context *context, const char *group);

/* Those facts of the group that have a value. */
void trial_evidence(const struct rule_context *context, struct finding *finding, const char *group);

/* Makes it a consequence of the first of these causes that was found and is as grave: those of the
 * error's row first, then more[], up to NULL. One that is less grave is a setting or a warning
 * until now, and this is the proof: it would hide the fault. *ret_likely is then its code, for the
 * reason.
 */
bool trial_follows_any(const struct rule_context *context, struct finding *finding,
                       const struct manifest_error *row, const char *const more[],
                       const char **ret_likely);

#endif
