/* SPDX-License-Identifier: MIT */
#ifndef CODE_PTX_H
#define CODE_PTX_H

/* Private to code/: PTX as text. Its first directives are .version and .target (PTX ISA, "PTX
 * Module Directives"); comments may stand before and between them. */
#include "code/reading.h"

struct error;

/* Whether the first thing that is no comment and no white space is ".version". */
bool ptx_is(const char *head, size_t size);

/* Lists it as the one entry that it is. */
#define PTX_HEAD 65536u /* as far as the directives are looked for */
bool ptx_list(struct reading *reading, const struct byte_source *source, struct error *error);

#endif
