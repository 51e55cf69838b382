/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_ENVIRONMENT_NAME_H
#define PROBE_SYSTEM_ENVIRONMENT_NAME_H

/* The variables that are always recorded, so that "not set" is a fact too; ends with NULL. */
extern const char *const environment_names[];

#endif
