/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_SIMPLE_INDEX_H
#define INSTALL_FETCH_SIMPLE_INDEX_H

#include <stddef.h>

/* The page that a Python index has for a package: HTML (PEP 503) or JSON (PEP 691). Nothing in it
 * is trusted: it only says where a file of a known name and digest may be. */
#define SIMPLE_INDEX_MAX (16u << 20)

/* The absolute http or https URL of the file with exactly this name, without a fragment; page_url
 * is what relative ones begin at. NULL: the page has no such file. free() it. */
char *simple_index_find(const char *page, size_t size, const char *page_url, const char *file);
/* "https://HOST/simple/nvidia-nccl-cu12/": where an index has the page of a package; its name is
 * written as PEP 503 wants it. free() it. */
char *simple_index_page(const char *index, const char *package);

#endif
