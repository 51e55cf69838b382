/* SPDX-License-Identifier: MIT */
#include "host/packages/page_chain.h"

void page_chain_begin(struct page_chain *chain, uint32_t page)
{
    if (page != 0)
        *vec_push(chain->pages, chain->count, chain->capacity) = page;
}

void page_chain_close(struct page_chain *chain)
{
    free(chain->pages);
    chain->pages = NULL;
}

static bool look_at(struct page_chain *chain, uint32_t number, struct byte_source *ret_page,
                    struct error *error)
{
    if (*chain->left == 0)
        return byte_source_malformed(error, "database", &chain->first, 0,
                                     "its values take too many pages");
    --*chain->left;
    return chain->locate(chain->database, number, ret_page, error);
}

/* The page that has the part number index of the value. */
static bool page_at(struct page_chain *chain, uint64_t index, struct byte_source *ret_page,
                    struct error *error)
{
    while (chain->count > 0 && chain->count <= index) {
        unsigned char bytes[4];
        struct byte_source last;
        if (!look_at(chain, chain->pages[chain->count - 1], &last, error) ||
            !byte_source_read(&last, chain->next_at, bytes, sizeof(bytes), "next page", error))
            return false;
        uint32_t next = chain->number(bytes);
        if (next == 0)
            return byte_source_malformed(error, "database", &last, 0, "a value ends too early");
        *vec_push(chain->pages, chain->count, chain->capacity) = next;
    }
    if (chain->count == 0)
        return byte_source_malformed(error, "database", &chain->first, 0, "a value has no pages");
    return look_at(chain, chain->pages[index], ret_page, error);
}

static bool read_chain(const struct byte_source *source, uint64_t offset, void *buffer,
                       size_t count, struct error *error)
{
    struct page_chain *chain = (struct page_chain *)source->data;
    char *to = buffer;
    while (count > 0) {
        struct byte_source page = chain->first;
        uint64_t at = offset, left = chain->first.size - offset;
        if (offset >= chain->first.size) {
            uint64_t beyond = offset - chain->first.size;
            if (!page_at(chain, beyond / chain->payload, &page, error))
                return false;
            at = chain->head + beyond % chain->payload;
            left = chain->payload - beyond % chain->payload;
        }
        size_t size = left < count ? (size_t)left : count;
        if (!byte_source_read(&page, at, to, size, "page", error))
            return false;
        to += size;
        offset += size;
        count -= size;
    }
    return true;
}

struct byte_source page_chain_source(struct page_chain *chain, uint64_t size)
{
    return (struct byte_source){.size = size, .read = read_chain, .data = chain, .fd = -1};
}
