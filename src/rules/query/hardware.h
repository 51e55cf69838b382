/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_HARDWARE_H
#define RULES_QUERY_HARDWARE_H

#include "rules/query/judged.h"

struct finding;
struct rule_context;

/* What the rules about the hardware share. Strings belong to the record. */

/* This boot's Xid of one of those numbers (they end with 0) for the GPU at bus_id; NULL: none. */
const char *hardware_xid(const struct facts *facts, const char *bus_id, const int64_t *numbers);
/* This boot's event of that name which names the GPU at bus_id; NULL: none. */
const char *hardware_event(const struct facts *facts, const char *event, const char *bus_id);
/* The group of that kind ("nvml", "cuda") for the GPU at bus_id; NULL: it is not listed. */
const char *hardware_listed(const struct facts *facts, const char *kind, const char *bus_id);
/* The address of a pci group. */
const char *hardware_address(const char *pci);
/* "GPU 0 (NVIDIA L40S) at 0000:18:00.0", as far as it is known. free() it. */
char *hardware_label(const struct facts *facts, const char *bus_id);
/* True when it sleeps or is switched off: its configuration space may read as all ones then. */
bool hardware_sleeps(const struct facts *facts, const char *pci);
/* False, and the check is skipped, without a GPU on the bus, or with one that is off on purpose. */
bool rule_require_gpu_switched_on(struct rule_context *context);
/* Why not, for a check that found nothing: the log could not be read while something is wrong. */
void hardware_end_without_log(struct rule_context *context);
/* Makes it a consequence of a GPU that failed, is off or has no address, when there are at least
 * as many of those as missing. */
bool hardware_follows(const struct rule_context *context, struct finding *finding, size_t missing);

#endif
