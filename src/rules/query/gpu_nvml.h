/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_GPU_NVML_H
#define RULES_QUERY_GPU_NVML_H

#include "rules/engine/finding.h"
#include "rules/query/judged.h"

struct rule_context;

/* What the rules about single GPUs share: they judge what NVML said of each (groups nvml/…). */

/* False, and the check is ended, when NVML has named no GPU. */
bool rule_require_nvml_gpus(struct rule_context *context);

/* "GPU 0 (NVIDIA H100 80GB HBM3)", the number as nvidia-smi -i takes it. free() it. */
char *nvml_label(const struct facts *facts, const char *group);
/* That number: what stands behind "nvml/". A record may have anything there. */
const char *nvml_index(const char *group);
/* The same as a word of a command, quoted. free() it. */
char *nvml_argument(const char *group);

/* False, and the check is ended as unknown, when the fact of this GPU is unknown. Skipped, absent
 * and not recorded are answers. */
bool rule_require_nvml_fact(struct rule_context *context, const char *group, const char *name);

/* Makes the finding one about this GPU: its subject, and the fact name as evidence. */
void nvml_finding(const struct rule_context *context, struct finding *finding, const char *group,
                  const char *name);

/* The severity of a fault that shuts part of the GPUs out: as for use when it is all of them, else
 * never more than a warning. */
enum severity nvml_severity_of_part(const struct rule_context *context, size_t part);

/* A warning for use; to build nothing is broken. */
enum severity nvml_severity_of_warning(const struct rule_context *context);

/* "sudo nvidia-smi --gpu-reset -i N" and a reboot; in a container a note about the host. */
void nvml_fix_by_reset(const struct rule_context *context, struct finding *finding,
                       const char *group);
/* True, with a note that sends the user to the host in a container, and to Windows in WSL. */
bool nvml_fix_on_host(const struct rule_context *context, struct finding *finding);

/* True when the GPU takes the machine's own memory: on a Jetson, and where NVML has no memory of a
 * GPU to show (GB10). */
bool nvml_memory_is_shared(const struct facts *facts);

/* "2.0 GiB", "512 MiB". free() it. */
char *nvml_bytes(int64_t bytes);

#endif
