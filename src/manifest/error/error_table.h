/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_ERROR_ERROR_TABLE_H
#define MANIFEST_ERROR_ERROR_TABLE_H

#include "manifest/error/error.h"

/* The table of what NVIDIA says with an Xid, behind those of the lists of errors. */
#define ERROR_ACTIONS ERROR_LISTS

#endif
