/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_OUTPUT_PRINT_H
#define INSTALL_OUTPUT_PRINT_H

#include <stddef.h>
#include <stdint.h>

/* Sizes, counts and products as text for a person. */

/* "512 B", "1.4 GB": powers of ten, as the mirrors state sizes. */
#define PRINT_SIZE 24
const char *print_size(uint64_t bytes, char buffer[static PRINT_SIZE]);
/* "cuda 12.8.1", "cudnn 9.8.0 for CUDA 12"; cuda: "12", also with "cuda" before it, or NULL. */
char *print_product(const char *product, const char *version, const char *cuda);
/* "1 file", "2 files"; plural NULL: one more s. free() it. */
char *print_count(size_t count, const char *one, const char *plural);

#endif
