/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "install/unpack/unpack_extraction.h"

/* What is done with each member. Directories and links are left to the end (unpack_finish.c): while
 * files are written, the directory has no link that a path could go through. */

#define SPECIAL_BITS 07000u
#define ANY_EXECUTE  0111u
/* What anything costs on a disk, be it empty. */
#define ENTRY_BYTES 4096

bool unpack_refuse(struct error *error, const struct unpack_job *job, const char *member,
                   const char *what, const char *why, ...)
{
    error_set(error, ERROR_DATA, "%s", what);
    if (member)
        error_where(error, "%s: %s", job->name, member);
    else
        error_where(error, "%s", job->name);
    if (why) {
        AUTO_TEXT struct text text = {0};
        va_list arguments;
        va_start(arguments, why);
        text_vprintf(&text, why, arguments);
        va_end(arguments);
        error_why(error, "%s", text_string(&text));
    }
    return unpack_refuse_next(job, error);
}

bool unpack_refuse_next(const struct unpack_job *job, struct error *error)
{
    if (job->places) /* it is the whole release */
        return error_next(error, "the file is the one that was wanted, so another copy of it does "
                                 "not help: report this file, or choose another version");
    return error_next(error, "the archive's digest is correct, so other mirrors have the same "
                             "file: report this archive, and install without its component");
}

static bool is_wanted(const struct extraction *run, const char *path, bool is_directory)
{
    return run->job->keeps == NULL || run->job->keeps(run->job->context, path, is_directory);
}

bool extraction_refuse_count(const struct extraction *run, const char *name)
{
    return unpack_refuse(run->error, run->job, name, "the archive has too many members",
                         "the limit is %" PRIu64, run->job->limits.files);
}

/* Bytes are counted as a header says them, before the first one is written. */
bool extraction_count(struct extraction *run, const struct unpack_header *header, uint64_t size)
{
    const struct unpack_limits *limits = &run->job->limits;
    uint64_t ratio_bytes = unpack_ratio_bytes(run->job);
    if (__builtin_add_overflow(run->bytes, size, &run->bytes))
        run->bytes = UINT64_MAX;
    if (run->bytes > limits->bytes)
        return unpack_refuse(run->error, run->job, header->name,
                             "the archive unpacks to too much data", "the limit is %" PRIu64 " MiB",
                             limits->bytes >> 20);
    if (run->bytes > ratio_bytes)
        return unpack_refuse(run->error, run->job, header->name,
                             "the archive unpacks to too much data",
                             "the limit is %u bytes for each of its %" PRIu64 " packed bytes",
                             limits->ratio, run->job->size);
    return true;
}

static struct unpack_entry *add(struct extraction *run, const struct unpack_header *header,
                                const char *path, enum unpack_type type)
{
    if (run->table->count >= run->job->limits.files) {
        extraction_refuse_count(run, header->name);
        return NULL;
    }
    if (!extraction_count(run, header, ENTRY_BYTES))
        return NULL;
    struct unpack_entry *entry = unpack_table_add(run->table, path, type);
    if (type == UNPACK_LINK) {
        entry->member.target = mem_string(header->target);
        run->table->name_bytes += strlen(header->target);
    }
    if (run->table->name_bytes > UNPACK_NAMES_MAX) {
        unpack_refuse(run->error, run->job, header->name, "the archive has too many members",
                      "the names of all members are larger than %u MiB", UNPACK_NAMES_MAX >> 20);
        return NULL;
    }
    if (type == UNPACK_DIRECTORY)
        entry->member.mode = 0755;
    entry->wanted = is_wanted(run, path, type == UNPACK_DIRECTORY);
    return entry;
}

/* A path goes through directories alone; those that the archive does not name are implied. */
static bool add_parents(struct extraction *run, const struct unpack_header *header,
                        const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        AUTO_FREE char *parent = mem_string_n(path, (size_t)(slash - path));
        struct unpack_entry *entry = unpack_table_find(run->table, parent);
        if (entry == NULL) {
            entry = add(run, header, parent, UNPACK_DIRECTORY);
            if (entry == NULL)
                return false;
            entry->wanted = false; /* only for what is in it */
        }
        if (entry->member.type != UNPACK_DIRECTORY)
            return unpack_refuse(run->error, run->job, header->name,
                                 "the archive writes through a path that is not a directory",
                                 "in the archive, %s is a %s", parent,
                                 entry->member.type == UNPACK_LINK ? "link" : "file");
    }
    return true;
}

bool extraction_refuse_block(const struct extraction *run, const struct unpack_header *header)
{
    return unpack_refuse(run->error, run->job, header->name, "the archive cannot be unpacked",
                         "the data of a member is in the wrong place");
}

bool extraction_block(struct extraction *run, const struct unpack_header *header, uint64_t from,
                      struct unpack_block *block)
{
    if (!unpack_stream_data(run->stream, block, run->error))
        return error_where(run->error, "%s: %s", run->job->name, header->name);
    return block->size == 0 ||
           (block->offset >= from && block->offset <= header->size &&
            block->size <= header->size - block->offset) ||
           extraction_refuse_block(run, header);
}

/* The digest of data that is not written. */
static bool digest_data(struct extraction *run, const struct unpack_header *header,
                        struct digest_stream *digest, struct digest *ret_digest)
{
    uint64_t at = 0;
    struct unpack_block block;
    do {
        if (!extraction_block(run, header, at, &block))
            return false;
        uint64_t end = block.size > 0 ? block.offset : header->size;
        if (!unpack_digest_zeros(digest, end - at, run->error) ||
            !digest_stream_add(digest, block.bytes, block.size, run->error))
            return false;
        at = end + block.size;
    } while (block.size > 0);
    return digest_stream_finish(digest, ret_digest, run->error);
}

static bool refuse_twice(const struct extraction *run, const struct unpack_header *header)
{
    return unpack_refuse(run->error, run->job, header->name,
                         "the archive has two different members with the same name", NULL);
}

/* A file once more: with the same bytes it is no harm. Of one that is not kept only the size is
 * known. */
static bool take_file_again(struct extraction *run, const struct unpack_header *header,
                            const struct unpack_member *member, bool has_digest)
{
    struct digest digest;
    if (header->size != member->size)
        return refuse_twice(run, header);
    if (!has_digest)
        return true;
    struct digest_stream *stream = digest_stream_new(run->error);
    bool ok = stream && digest_data(run, header, stream, &digest);
    digest_stream_free(stream);
    return ok && (digest_equal(&digest, &member->sha256) || refuse_twice(run, header));
}

static bool write_data(struct extraction *run, const struct unpack_header *header,
                       struct unpack_entry *entry)
{
    struct unpack_member *member = &entry->member;
    struct unpack_block block;
    if (!unpack_write_begin(&run->writer, member->path, member->mode, run->error))
        return false;
    do {
        if (!extraction_block(run, header, run->writer.written, &block) ||
            (block.size > 0 && !unpack_write_block(&run->writer, &block, run->error)))
            return false;
    } while (block.size > 0);
    entry->there = true;
    unpack_table_parents(run->table, member->path);
    return unpack_write_end(&run->writer, member->size, &member->sha256, run->error);
}

static bool take_file(struct extraction *run, const struct unpack_header *header, const char *path)
{
    unsigned mode = header->mode & ANY_EXECUTE ? 0755 : 0644;
    struct unpack_entry *entry = unpack_table_find(run->table, path);
    if (!extraction_count(run, header, header->size))
        return false;
    if (entry && (entry->member.type != UNPACK_FILE || entry->member.mode != mode))
        return refuse_twice(run, header);
    if (entry)
        return take_file_again(run, header, &entry->member, entry->there);
    entry = add(run, header, path, UNPACK_FILE);
    if (entry == NULL)
        return false;
    entry->member.mode = mode;
    entry->member.size = header->size;
    return !entry->wanted || write_data(run, header, entry);
}

static bool take_directory(struct extraction *run, const struct unpack_header *header,
                           const char *path)
{
    struct unpack_entry *entry = unpack_table_find(run->table, path);
    if (entry == NULL)
        return add(run, header, path, UNPACK_DIRECTORY) != NULL;
    if (entry->member.type != UNPACK_DIRECTORY)
        return refuse_twice(run, header);
    entry->wanted = is_wanted(run, path, true); /* it may have been implied */
    return true;
}

static bool take_link(struct extraction *run, const struct unpack_header *header, const char *path)
{
    struct unpack_entry *entry = unpack_table_find(run->table, path);
    const char *why =
        header->target ? unpack_target_problem(path, header->target) : "it has no target";
    if (why)
        return unpack_refuse(run->error, run->job, header->name,
                             "the archive has a link that gpuenv refuses", "%s: %s", why,
                             header->target ? header->target : "");
    if (entry)
        return (entry->member.type == UNPACK_LINK &&
                string_equal(entry->member.target, header->target)) ||
               refuse_twice(run, header);
    return add(run, header, path, UNPACK_LINK) != NULL;
}

static bool refuse_hard_link(const struct extraction *run, const struct unpack_header *header,
                             const char *why)
{
    return unpack_refuse(run->error, run->job, header->name,
                         "the archive has a hard link that gpuenv refuses", "%s: %s", why,
                         header->target ? header->target : "");
}

static bool make_hard_link(struct extraction *run, const struct unpack_header *header,
                           const char *path, const struct unpack_entry *target)
{
    struct unpack_entry *entry = add(run, header, path, UNPACK_FILE);
    if (entry == NULL)
        return false;
    entry->member.mode = target->member.mode;
    entry->member.size = target->member.size;
    entry->member.sha256 = target->member.sha256;
    if (!entry->wanted)
        return true;
    if (!target->there) {
        refuse_hard_link(run, header, "the profile leaves out the link's target");
        return error_next(run->error, "install it with --profile full");
    }
    entry->there = true;
    unpack_table_parents(run->table, path);
    return unpack_write_hard_link(&run->writer, &target->member, path, run->error);
}

static bool take_hard_link(struct extraction *run, const struct unpack_header *header,
                           const char *path)
{
    const char *why = NULL;
    AUTO_FREE char *raw = header->target ? unpack_path(header->target, run->job->top, &why) : NULL;
    AUTO_FREE char *target_path = NULL;
    if (run->job->places == NULL || raw == NULL)
        target_path = mem_steal(&raw);
    else
        unpack_place(run->job->places, raw, false, &target_path);
    const struct unpack_entry *target =
        target_path ? unpack_table_find(run->table, target_path) : NULL;
    const struct unpack_entry *entry = unpack_table_find(run->table, path);
    if (why)
        return refuse_hard_link(run, header, why);
    if (target && target == entry && entry->member.type == UNPACK_LINK)
        return true; /* a link that tar was told of twice: makeself 2.4.0 does so */
    if (target == NULL || target->member.type != UNPACK_FILE)
        return refuse_hard_link(run, header, "the link's target is not an earlier file");
    if (!extraction_count(run, header,
                          target->member.size)) /* where it cannot be a link it is a copy */
        return false;
    if (header->size > 0 && !take_file_again(run, header, &target->member, target->there))
        return false;
    if (entry == NULL)
        return make_hard_link(run, header, path, target);
    return (entry->member.type == UNPACK_FILE && entry->member.size == target->member.size &&
            digest_equal(&entry->member.sha256, &target->member.sha256)) ||
           refuse_twice(run, header);
}

bool extraction_take(struct extraction *run, const struct unpack_header *header, const char *path)
{
    if (header->mode & SPECIAL_BITS && header->kind != UNPACK_KIND_LINK)
        return unpack_refuse(run->error, run->job, header->name,
                             "the archive has a member with special permissions",
                             "its mode is %04o", header->mode);
    if (path == NULL || path[0] == '\0') /* the directory itself, or what it is in */
        return header->kind == UNPACK_KIND_DIRECTORY ||
               unpack_refuse(run->error, run->job, header->name,
                             "the archive has a name that gpuenv refuses",
                             "it must be a directory");
    if (!add_parents(run, header, path))
        return false;
    switch (header->kind) {
    case UNPACK_KIND_FILE:
        return take_file(run, header, path);
    case UNPACK_KIND_DIRECTORY:
        return take_directory(run, header, path);
    case UNPACK_KIND_LINK:
        return take_link(run, header, path);
    case UNPACK_KIND_HARD:
        return take_hard_link(run, header, path);
    }
    return false;
}
