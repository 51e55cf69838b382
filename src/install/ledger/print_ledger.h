/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_LEDGER_PRINT_LEDGER_H
#define INSTALL_LEDGER_PRINT_LEDGER_H

#include "base/json.h"
#include "install/ledger/ledger.h"

/* "cuda 12.8.1, profile full; cudnn 9.8.0 for CUDA 12, profile full"; free() it. */
char *print_contents(const struct ledger *ledger);
json_t *print_products_json(const struct ledger *ledger); /* the caller owns it */

#endif
