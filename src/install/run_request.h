/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_REQUEST_H
#define INSTALL_RUN_REQUEST_H

#include "base/text.h"
#include "install/ledger/request.h"

struct error;

/* Does what the request asks. Results are appended to output, talk goes to stderr.
 * *ret_exit_code: 0, 1 where verify found something, or with ERROR_INTERRUPTED 128 and the number
 * of the signal; otherwise error is filled. */
bool run_request(const struct request *request, struct text *output, int *ret_exit_code,
                 struct error *error);

#endif
