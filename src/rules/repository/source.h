/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_SOURCE_H
#define RULES_REPOSITORY_SOURCE_H

#include "rules/engine/context.h"

/* What the rules about package sources ask. Strings belong to the record. */

/* True when the record has facts of that kind, with "count". False, and the check is ended, else.
 */
bool source_require(struct rule_context *context, const char *kind);

/* How grave it is that packages cannot be had: a build stops; programs need them only where the
 * driver, or for containers NVIDIA's toolkit, is still to be installed. */
enum severity source_severity(const struct rule_context *context);

/* The next of apt's entries that counts for the purpose: any for a build, where one that fails
 * stops all; else NVIDIA's. Start with *cursor 0; NULL: there is none. */
const char *source_next(const struct rule_context *context, size_t *cursor);

/* NVIDIA's CUDA repository in an address: ".../compute/cuda/repos/ubuntu2204/x86_64/": its
 * directory and the architecture in it. False: the address is none. free() both. */
bool source_is_cuda(const char *uri, char **ret_directory, char **ret_architecture);

/* The entry's file and line: "/etc/apt/sources.list.d/cuda.list:3". free() it. */
char *source_place(const struct facts *facts, const char *group);

/* Whether two entries are of one repository: a slash at the end of an address makes no difference.
 */
bool source_is_same(const struct facts *facts, const char *a, const char *b);
bool source_names_keyring(const struct facts *facts, const char *group);
/* Whether apt takes another entry's keyring for this one, which names none (apt 2.9.8 and newer).
 */
bool source_is_joined(const struct facts *facts, const char *group);

/* Adds how to set up the CUDA repository of this system; false where none is known. */
bool source_fix_cuda(const struct rule_context *context, struct finding *finding, const char *note);

#endif
