/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_NVRM_H
#define PROBE_KERNEL_NVRM_H

#include <stddef.h>

/* What /proc/driver/nvidia/version says (kernel-open/nvidia/nv-procfs.c of NVIDIA's open modules):
 *   NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (who)  date
 *   NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.76  date
 *   GCC version:  gcc version 11.4.0 (…)                                                         */
struct nvrm {
    char *line;          /* the first; NULL when it does not begin with "NVRM version:" */
    char *version;       /* NULL when there is none */
    const char *flavour; /* "open" or "proprietary"; NULL when the line does not say */
    char *compiler;      /* what follows "GCC version:"; NULL when nothing does */
    const char *problem; /* NULL, or why there is not a version */
};

/* Takes size bytes of text, whatever they are. Free the result with nvrm_free(). */
void nvrm_parse(const char *bytes, size_t size, struct nvrm *ret_nvrm);
void nvrm_free(struct nvrm *nvrm);

#endif
