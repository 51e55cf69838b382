/* SPDX-License-Identifier: MIT */
#ifndef CODE_ARCHIVE_H
#define CODE_ARCHIVE_H

/* Private to code/: static archives, as ar(5) makes them: names of System V and GNU ("name/",
 * "/123",
 * "//"), of BSD ("#1/20"), symbol tables ("/", "/SYM64/", "__.SYMDEF"), and thin archives, whose
 * members are files beside them. */
#include "code/reading.h"

struct error;

bool archive_is(const unsigned char *head, size_t size); /* 8 bytes are enough */

/* Lists the GPU code of all members together. Members that are no ELF, cubin, fat binary or PTX
 * count as nothing; archives in archives are not looked into. */
bool archive_list(struct reading *reading, const struct byte_source *source, struct error *error);

#endif
