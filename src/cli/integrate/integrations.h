/* SPDX-License-Identifier: MIT */
#ifndef CLI_INTEGRATE_INTEGRATIONS_H
#define CLI_INTEGRATE_INTEGRATIONS_H

/* The files below integrations/, embedded: those of one integration follow each other. Its file
 * ABOUT is not written but printed: what it is for on the first line, what to do on the others. */
struct integration_file {
    const char *name; /* "slurm"; NULL ends the table */
    const char *path; /* "prolog.d/gpuenv" */
    const char *text, *end;
};
extern const struct integration_file integration_files[];

#define INTEGRATION_ABOUT "ABOUT"

#endif
