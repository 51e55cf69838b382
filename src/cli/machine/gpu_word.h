/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_GPU_WORD_H
#define CLI_MACHINE_GPU_WORD_H

#include "base/error.h"
#include "base/version.h"
#include "cli/engine/session.h"
#include "manifest/gpu/gpu_match.h"

struct manifest_instance;

/* A GPU as it is given on the command line: a PCI id (10de:2330, 2330), a compute capability (9.0,
 * sm_90, sm_90a), a model (H100) or a cloud provider's instance type (p3.2xlarge). */
enum gpu_word_kind { GPU_WORD_DEVICE, GPU_WORD_CAPABILITY, GPU_WORD_MODEL };
struct gpu_word {
    enum gpu_word_kind kind;
    const struct manifest_instance *instance; /* a cloud provider's, whose GPU it is; NULL: none */
    char *device_id;                          /* four small digits; NULL unless it is a PCI id */
    struct version capability;                /* of a model the first one's; count 0: unknown */
    struct gpu_models models; /* all that it means; none for a capability without a model, and for
                               * a PCI id of which its range tells the capability alone */
};
#define AUTO_GPU_WORD AUTO(gpu_word_free)
void gpu_word_free(struct gpu_word *word);

/* Looks the word up in the session's manifest. False: ERROR_USAGE that names near ones, or all that
 * have the name where they do not have one compute capability; prefix
 * stands before it ("--assume-gpu: "). *ret_word must be {0}. */
bool gpu_word_parse(const struct session *session, const char *prefix, const char *text,
                    struct gpu_word *ret_word, struct error *error);

#endif
