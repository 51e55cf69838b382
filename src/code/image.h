/* SPDX-License-Identifier: MIT */
#ifndef CODE_IMAGE_H
#define CODE_IMAGE_H

/* Private to code/: one file that is no archive, or one member of an archive. */
#include "code/reading.h"

struct error;

/* Lists it; *ret_file, which is always set: what it is. CODE_FILE_OTHER for archives too. */
bool image_list(struct reading *reading, const struct byte_source *source, enum code_file *ret_file,
                struct error *error);

#endif
