/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_MODULE_ROW_H
#define PROBE_KERNEL_MODULE_ROW_H

/* The kernel modules of which the record says whether they are loaded. */
struct module_row {
    const char *module;
    const char *name; /* of the fact */
    const char *sign; /* a file that only this module makes; NULL: none */
};
#define MODULE_ROWS 7
extern const struct module_row module_rows[MODULE_ROWS];

#endif
