/* SPDX-License-Identifier: MIT */
#ifndef CLI_DOCTOR_FORMATS_H
#define CLI_DOCTOR_FORMATS_H

#include "cli/engine/session.h"
#include "report/formats.h"

struct judgement;

/* --format or --json; NULL, with a usage error, where there is no such format, or where it has
 * nothing to say of what else is asked for (--list-checks, --fix). */
const struct report_format *format_choose(const struct session *session,
                                          const struct arguments *arguments, struct error *error);

/* The exit code of the doctor in this format. */
int format_exit_code(const struct report_format *format, const struct judgement *judgement);

/* What came between the doctor and its judgement, as --format wants to be told: on stdout, and the
 * error itself on stderr. False, and error as it was, where the format has no words for it. */
bool format_failed(const struct session *session, const struct arguments *arguments,
                   int *ret_exit_code, struct error *error);

#endif
