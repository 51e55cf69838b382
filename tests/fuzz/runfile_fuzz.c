/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <string.h>

#include "install/unpack/runfile.h"
#include "install/unpack/unpack_private.h"

/* The first bytes of a runfile, and how many more the file is said to have: the first two bytes of
 * the data. What is taken has its payload within the file and behind whole lines, and to its end.
 */

static void check_runfile(const struct runfile *runfile, const char *head, size_t head_size,
                          uint64_t size)
{
    uint64_t lines = 0;
    if (runfile->offset == 0 || runfile->offset > head_size || runfile->size == 0 ||
        runfile->offset + runfile->size != size || runfile->makeself[0] == '\0' ||
        memchr(runfile->makeself, '\0', sizeof(runfile->makeself)) == NULL)
        abort();
    if (head[runfile->offset - 1] != '\n' || memcmp(head, "#!", 2) != 0)
        abort();
    for (uint64_t i = 0; i < runfile->offset; i++)
        lines += head[i] == '\n';
    if (lines != runfile->lines || memchr(head, '\0', (size_t)runfile->offset))
        abort();
}

/* What is unpacked is within the file. */
static void check_payload(const char *head, size_t head_size, uint64_t size)
{
    AUTO_ERROR struct error error = {0};
    const struct unpack_job job = {.name = "fuzz.run", .limits = unpack_limits_default};
    struct unpack_job payload;
    struct unpack_part part = {.from = 0};
    bool ok = unpack_payload(&job, head, head_size, size, &payload, &part, &error);
    if (ok && (payload.size + part.from != size || part.from > head_size ||
               (payload.format != UNPACK_TAR && payload.format != UNPACK_TAR_GZ &&
                payload.format != UNPACK_TAR_XZ)))
        abort();
    if (!ok && (error.kind != ERROR_DATA || error.why == NULL || error.where == NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ERROR struct error error = {0};
    struct runfile runfile;
    if (size < 2)
        return 0;
    const char *head = (const char *)data + 2;
    size_t head_size = size - 2;
    uint64_t whole = head_size;
    if (data[0] & 1) /* the payload goes on where nothing was read */
        whole += UINT64_C(1) << (data[1] % 63);
    if (runfile_read(head, head_size, whole, &runfile, &error))
        check_runfile(&runfile, head, head_size, whole);
    else if (error.kind != ERROR_DATA || error.why == NULL)
        abort();
    check_payload(head, head_size, whole);
    return 0;
}
