/* SPDX-License-Identifier: MIT */
#ifndef RULES_HARDWARE_H
#define RULES_HARDWARE_H

#include "rules/judged.h"

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
/* False, and the check is skipped, without a GPU on the bus or with one that is off on purpose. */
bool hardware_is_on(struct rule_context *context);
/* What has switched a laptop's NVIDIA GPU off ("supergfxd"), where no module runs; NULL: nothing.
 */
const char *hardware_switched_off(const struct facts *facts);
/* Why not, for a check that found nothing: the log could not be read while something is wrong. */
void hardware_end_without_log(struct rule_context *context);
/* Makes it a consequence of a GPU that failed, is off or has no address, when there are at least
 * as many of those as missing. */
bool hardware_follows(const struct rule_context *context, struct finding *finding, size_t missing);

/* The speed of a link for people: "16.0 GT/s" of sysfs's "16.0 GT/s PCIe". free() it. */
char *hardware_speed(const char *speed);
/* True when the link of the GPU is slower than card and slot can do, and nothing runs on it. A
 * speed or a load that is not known is no rest. */
bool hardware_link_rests(struct rule_context *context, const char *pci, const char **ret_best);
/* True when all NVLinks of the GPU of that nvml group are down, and none ought to be up. */
bool hardware_is_unjoined(const struct facts *facts, const char *nvml);

/* hardware_bus.c */
void judge_dgpu_powered_off(struct rule_context *context);
void judge_gpu_fell_off_bus(struct rule_context *context);
/* hardware_bar.c */
void judge_pci_bar_unassigned(struct rule_context *context);
/* hardware_gsp.c */
void judge_gsp_rpc_timeout(struct rule_context *context);
/* hardware_link.c */
void judge_pcie_link_degraded(struct rule_context *context);
/* hardware_nvlink.c */
void judge_nvlink_inactive(struct rule_context *context);

#endif
