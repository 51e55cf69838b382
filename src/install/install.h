/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_INSTALL_H
#define INSTALL_INSTALL_H

/* The program gpuenv-install: argv as `gpuenv` hands it over. Returns the exit code. */
int install_main(int argc, char **argv);

#endif
