/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SERVICE_CDI_DOCUMENT_H
#define PROBE_SERVICE_CDI_DOCUMENT_H

/* What makes engines refuse a CDI specification as a document, with its line ("line 3: a tab in the
 * indentation"); NULL: nothing was found. Engines read JSON as YAML too. Not all of YAML is known
 * here: only what is wrong in every reading is named. The caller frees it. */
char *cdi_document_problem(const char *text);

#endif
