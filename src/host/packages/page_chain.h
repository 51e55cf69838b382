/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKAGES_PAGE_CHAIN_H
#define HOST_PACKAGES_PAGE_CHAIN_H

#include "base/byte_source.h"

/* A value that does not fit on one page of a database: perhaps some bytes, then pages that each
 * name the next. It is read as one source of bytes, and only as far as it is asked for. */
struct page_chain {
    /* Where a page is: false for one that the database does not have. */
    bool (*locate)(const void *database, uint32_t number, struct byte_source *ret_page,
                   struct error *error);
    const void *database;
    struct byte_source first; /* the bytes before the first page; size 0: none */
    size_t next_at;           /* where a page names the next */
    size_t head;              /* bytes of a page before its part of the value */
    size_t payload;           /* bytes of the value on a page */
    uint32_t (*number)(const unsigned char *bytes);
    uint64_t *left;  /* pages that may still be looked at, of all values of the database */
    uint32_t *pages; /* those known so far; the first one at the start */
    size_t count, capacity;
};
#define AUTO_PAGE_CHAIN AUTO(page_chain_close)

/* Begins at that page, or has none (0). */
void page_chain_begin(struct page_chain *chain, uint32_t page);
void page_chain_close(struct page_chain *chain);

/* The first size bytes of the value; chain has to outlive the source. */
struct byte_source page_chain_source(struct page_chain *chain, uint64_t size);

#endif
