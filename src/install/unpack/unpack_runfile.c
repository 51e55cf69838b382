/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/unpack/runfile.h"
#include "install/unpack/unpack_private.h"

/* What is behind the script of a runfile. */

#define TAR_MAGIC_AT 257
#define BEGIN_SIZE   (TAR_MAGIC_AT + 5)

static bool starts(const char *bytes, size_t size, const char *magic, size_t magic_size)
{
    return size >= magic_size && memcmp(bytes, magic, magic_size) == 0;
}

/* By the first bytes: makeself's script names a program, and NVIDIA's may name its own. */
static bool format_of(const struct unpack_job *job, const char *begin, size_t size,
                      enum unpack_format *ret_format, struct error *error)
{
    static const struct {
        const char *magic;
        size_t size;
        const char *name;
    } others[] = {
        {"BZh", 3, "bzip2"}, {"\x28\xb5\x2f\xfd", 4, "zstd"}, {"\x1f\x9d", 2, "compress"}};
    if (starts(begin, size, "\x1f\x8b\x08", 3)) { /* RFC 1952 */
        *ret_format = UNPACK_TAR_GZ;
        return true;
    }
    /* The file format of xz, section 2.1.1.1. */
    if (starts(begin, size,
               "\xfd"
               "7zXZ",
               6)) {
        *ret_format = UNPACK_TAR_XZ;
        return true;
    }
    if (size >= BEGIN_SIZE && memcmp(begin + TAR_MAGIC_AT, "ustar", 5) == 0) {
        *ret_format = UNPACK_TAR;
        return true;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (starts(begin, size, others[i].magic, others[i].size))
            return unpack_refuse(error, job, NULL, "gpuenv cannot unpack this runfile",
                                 "its payload is packed by %s; gpuenv reads gzip, xz and plain tar",
                                 others[i].name);
    return unpack_refuse(error, job, NULL, "gpuenv cannot unpack this runfile",
                         "its payload is neither a gzip or xz file nor a tar");
}

bool unpack_payload(const struct unpack_job *job, const char *head, size_t head_size, uint64_t size,
                    struct unpack_job *ret_job, struct unpack_part *ret_part, struct error *error)
{
    struct runfile runfile;
    enum unpack_format format;
    if (!runfile_read(head, head_size, size, &runfile, error)) {
        error_where(error, "%s", job->name);
        return unpack_refuse_next(job, error);
    }
    size_t begin = head_size - (size_t)runfile.offset; /* the offset is within head */
    if (!format_of(job, head + runfile.offset, begin, &format, error))
        return false;
    *ret_job = *job;
    ret_job->format = format;
    ret_job->size = runfile.size;
    ret_part->from = runfile.offset;
    ret_part->has_md5 = runfile.has_md5;
    memcpy(ret_part->md5, runfile.md5, sizeof(ret_part->md5));
    return true;
}

bool unpack_payload_of_file(const struct unpack_job *job, struct unpack_job *ret_job,
                            struct unpack_part *ret_part, struct error *error)
{
    size_t size = RUNFILE_SCRIPT_MAX + BEGIN_SIZE;
    if (job->size < size)
        size = (size_t)job->size;
    AUTO_FREE char *head = mem_alloc(size + 1);
    *ret_part = (struct unpack_part){.within = NULL};
    return unpack_read_at(job->archive_fd, 0, head, size, error) &&
           unpack_payload(job, head, size, job->size, ret_job, ret_part, error);
}
