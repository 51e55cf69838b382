/* SPDX-License-Identifier: MIT */
#ifndef FROM_FROM_SMI_ROWS_H
#define FROM_FROM_SMI_ROWS_H

#include "from/from_private.h"

/* Private to from/from_smi*.c: what nvidia-smi says of a GPU, as text (-q) and as XML (-q -x). */

/* The value that stands under a path of headings, "PCI/GPU Link Info/Link Width/Max", or of XML
 * tags, "pci/pci_gpu_link_info/link_widths/max_link_width". ordinal: of the GPU, from 0. False:
 * nothing here is made of it. */
bool smi_take(const struct from_part *part, size_t line, size_t ordinal, const char *path,
              const char *value, bool xml);

#endif
