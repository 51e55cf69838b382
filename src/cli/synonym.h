/* SPDX-License-Identifier: MIT */
#ifndef CLI_SYNONYM_H
#define CLI_SYNONYM_H

/* What to do about a first word that other programs know as a command, or that gpuenv does not have
 * yet: "gpuenv uninstall removes an installation". NULL: nothing is known of the word. */
const char *synonym_advice(const char *word);

#endif
