/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERSION_PARTS     6
#define VERSION_TEXT_SIZE 72

/* A version as numbers: 580.95.05 is {580, 95, 5}. Versions are compared by these, never as text.
 * count 0 means no version. width keeps leading zeros for printing (05). */
struct version {
    uint32_t part[VERSION_PARTS];
    uint8_t width[VERSION_PARTS];
    unsigned count;
};

/* The whole of text as 1 to 6 decimal numbers between dots, each at most 9 digits. Anything else
 * ("12.4rc1", "", "12.", a newline) is false and leaves *ret_version alone. */
bool version_parse(const char *text, struct version *ret_version);

/* The version at the start of text, up to the first character that cannot belong to one
 * ("2.36-9+deb12u14" gives 2.36). False when text does not begin with a digit. */
bool version_parse_prefix(const char *text, struct version *ret_version);

/* Less than, equal to or greater than 0. A missing part counts as 0: 12.8 equals 12.8.0. */
int version_compare(const struct version *a, const struct version *b);

/* True when version begins with all parts of prefix: 12.8.1 is within 12.8 and 12. */
bool version_within(const struct version *version, const struct version *prefix);

/* Writes the version as text, leading zeros as they were read; at most parts parts (0: all). */
const char *version_text(const struct version *version, unsigned parts,
                         char buffer[static VERSION_TEXT_SIZE]);

/* What CUDA's own numbers say: 13000 is 13.0, 12080 is 12.8 (major * 1000 + minor * 10; cuda.h,
 * CUDA_VERSION). False for anything that is not such a number. */
bool version_from_cuda_number(int64_t number, struct version *ret_version);

#endif
