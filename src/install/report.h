/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_REPORT_H
#define INSTALL_REPORT_H

#include "base/text.h"
#include "install/ledger/request.h"

struct error;

/* What a run says at its end, to -o FILE or to stdout. */

/* Before anything is changed: false, ERROR_CANNOT_WRITE, where FILE plainly cannot be written. */
bool report_check(const struct request *request, struct error *error);

/* False, ERROR_CANNOT_WRITE: what was done is done all the same, and error says so. Without words
 * where nothing was done and the reader of a pipe has gone. */
bool report_write(const struct request *request, const struct text *report, struct error *error);

#endif
