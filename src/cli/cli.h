/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* The whole program: parses argv, runs the command, prints, returns the exit code (base/exit.h). */
int cli_main(int argc, char **argv);

#endif
