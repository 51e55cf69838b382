/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_GATHER_H
#define CLI_MACHINE_GATHER_H

#include "cli/engine/session.h"
#include "facts/facts.h"

struct error;

/* The facts that --root, --facts, --timeout and --deep ask for: probed on the live machine or below
 * a root, taken from a record, or, with both, each group from its owner (facts/dictionary.h). NULL:
 * ERROR_NO_INPUT, ERROR_DATA or ERROR_USAGE. */
struct facts *gather_facts(const struct session *session, const struct arguments *arguments,
                           struct error *error);

/* The same, and what --assume-… says beside it. Its words are judged before the machine is looked
 * at. */
struct facts *gather_assumed(const struct session *session, const struct arguments *arguments,
                             struct error *error);

/* The same as gather_facts() for those groups alone that wanted() accepts, where they are probed; a
 * record is taken whole. NULL: all. may_be_image: a root may be empty, or have no more than an opt:
 * it is to become a system. */
struct facts *gather_some(const struct session *session, const struct arguments *arguments,
                          bool (*wanted)(const char *group), bool may_be_image,
                          struct error *error);

/* The same as gather_facts(), and a root may hold anything: whoever installs looks at it. */
struct facts *gather_image(const struct session *session, const struct arguments *arguments,
                           struct error *error);

/* What versions are resolved for: this machine, or with --assume-… another; an image that is being
 * made may be empty.
 * With driver and GPU assumed the answer is about another machine: of this one only the system
 * counts, unless --root or --facts name it. With the driver assumed no library need be asked. */
struct facts *gather_machine(const struct session *session, const struct arguments *arguments,
                             struct error *error);

/* The same with no more probed than what GPUs there are, and which driver. */
struct facts *gather_code_machine(const struct session *session, const struct arguments *arguments,
                                  struct error *error);

/* True when the facts are those of a tree and not of a running machine, nor of one together with
 * the record of a running one. */
bool gather_is_tree(const struct facts *facts, const struct arguments *arguments);

#endif
