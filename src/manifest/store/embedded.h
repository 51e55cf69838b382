/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_STORE_EMBEDDED_H
#define MANIFEST_STORE_EMBEDDED_H

/* The text of one subject as built into the program. The table ends with name NULL. */
struct manifest_subject_text {
    const char *name;
    const char *text;
    const char *end;
};
extern const struct manifest_subject_text manifest_embedded[];

#endif
