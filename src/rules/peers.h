/* SPDX-License-Identifier: MIT */
#ifndef RULES_PEERS_H
#define RULES_PEERS_H

#include "rules/judged.h"

/* Several GPUs and the ways between them. */

/* peers_iommu.c */
void judge_p2p_iommu_acs(struct rule_context *context);
/* peers.c */
void judge_peer_access_missing(struct rule_context *context);
void judge_pcie_widths_differ(struct rule_context *context);

#endif
