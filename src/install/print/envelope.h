/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_ENVELOPE_H
#define INSTALL_PRINT_ENVELOPE_H

#include "base/json.h"
#include "install/run/run.h"

/* The start of every JSON answer; the caller owns it. */
json_t *print_envelope(const struct run *run);
bool print_is_json(const struct run *run);

#endif
