/* SPDX-License-Identifier: MIT */
#ifndef PROBE_GPU_PCI_SLOT_H
#define PROBE_GPU_PCI_SLOT_H

#include "facts/facts.h"
#include "host/root/host.h"

/* The surroundings of a PCI function, for the PCI probe: bridges above it, IOMMU, error counters,
 * power, virtual functions. power_state is to be recorded before. */
void pci_slot_note(const struct host *host, struct facts *facts, const char *group,
                   const char *address);

/* For the tests: finds the ACS capability in a configuration space as far as it was read. False
 * when it has none there; *ret_more: its chain goes on beyond size. */
bool pci_find_acs(const unsigned char *config, size_t size, unsigned *ret_control, bool *ret_more);

#endif
