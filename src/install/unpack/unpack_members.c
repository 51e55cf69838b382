/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "install/unpack/runfile.h"
#include "install/unpack/unpack_extraction.h"

/* All members of an archive, and of the runfile inside it; where a layout sends each. */

static bool take_members(struct extraction *run);

/* The first bytes of a runfile inside: its script, and some of what is behind it. */
static bool read_head(struct extraction *run, const struct unpack_header *header, struct text *head)
{
    struct unpack_block block;
    do {
        if (!extraction_block(run, header, head->size, &block))
            return false;
        if (block.size > 0 && block.offset != head->size)
            return extraction_refuse_block(run, header);
        text_append_n(head, block.bytes, block.size);
    } while (block.size > 0 && head->size <= RUNFILE_SCRIPT_MAX + 512);
    return true;
}

/* It is read as it comes, and never lies on the disk. */
static bool take_nested(struct extraction *run, const struct unpack_header *header)
{
    AUTO_TEXT struct text head = {0};
    struct extraction outer = *run;
    struct unpack_job job;
    struct unpack_part part = {.within = run->stream};
    AUTO_FREE char *name = mem_printf("%s: %s", run->job->name, path_base(header->name));
    struct unpack_job named = *run->job;
    named.name = name;
    if (run->nested++ > 0)
        return unpack_refuse(run->error, run->job, header->name,
                             "the archive has more than one runfile of this name", NULL);
    if (!read_head(run, header, &head) || !unpack_payload(&named, text_string(&head), head.size,
                                                          header->size, &job, &part, run->error))
        return false;
    part.head = text_string(&head) + part.from;
    part.head_size = head.size - (size_t)part.from;
    AUTO_UNPACK_STREAM struct unpack_stream *stream = unpack_stream_open(&job, &part, run->error);
    if (stream == NULL)
        return false;
    run->job = &job;
    run->stream = stream;
    run->is_nested = true;
    bool ok = take_members(run);
    run->job = outer.job;
    run->stream = outer.stream;
    run->is_nested = false;
    return ok;
}

static bool take_placed(struct extraction *run, const struct unpack_header *header,
                        const char *path)
{
    const struct unpack_places *places = run->job->places;
    AUTO_FREE char *place = NULL;
    if (places->nested && !run->is_nested) {
        if (header->kind == UNPACK_KIND_FILE && unpack_place_fits(places->nested, path))
            return take_nested(run, header);
        return extraction_count(run, header, header->size);
    }
    if (!unpack_place(places, path, header->kind == UNPACK_KIND_DIRECTORY, &place))
        return extraction_count(run, header, header->size);
    return extraction_take(run, header, place);
}

static bool take_member(struct extraction *run, const struct unpack_header *header)
{
    const char *why;
    AUTO_FREE char *path = unpack_path(header->name, run->job->top, &why);
    if (run->members++ >= run->job->limits.files)
        return extraction_refuse_count(run, header->name);
    if (why)
        return unpack_refuse(run->error, run->job, header->name,
                             "the archive has a name that gpuenv refuses", "%s", why);
    return path && path[0] && run->job->places ? take_placed(run, header, path)
                                               : extraction_take(run, header, path);
}

static bool take_members(struct extraction *run)
{
    struct unpack_header header;
    for (;;) {
        if (!unpack_stream_next(run->stream, &header, run->error))
            return false;
        if (header.name == NULL)
            return true;
        if (!take_member(run, &header))
            return false;
    }
}

/* The archive was read to its end, and is another one than its layout is for. */
static bool refuse_layout(const struct extraction *run, const char *why, const char *what)
{
    unpack_refuse(run->error, run->job, NULL, "the archive is not laid out as gpuenv knows it",
                  "%s%s", why, what);
    return error_next(run->error, "report what differs: gpuenv's table (gpuenv manifest show "
                                  "legacy) was made from public recipes");
}

static bool has_all(const struct extraction *run)
{
    const struct unpack_places *places = run->job->places;
    if (places && places->nested && run->nested == 0)
        return refuse_layout(run, "it has no ", places->nested);
    if (places && run->table->count == 0)
        return refuse_layout(run, "it has no file for any of its places, such as ",
                             places->places->items[0]);
    return run->table->count > 0 ||
           unpack_refuse(run->error, run->job, NULL, "the archive is empty", NULL);
}

bool unpack_extract(const struct unpack_job *job, struct unpack_table *table, struct error *error)
{
    struct unpack_job payload = *job;
    struct unpack_part part = {.within = NULL};
    if (job->format == UNPACK_RUNFILE && !unpack_payload_of_file(job, &payload, &part, error))
        return false;
    AUTO_UNPACK_STREAM struct unpack_stream *stream = unpack_stream_open(&payload, &part, error);
    struct extraction run = {
        .job = &payload,
        .stream = stream,
        .table = table,
        .writer = {.archive = job->name, .root = job->directory_fd, .parent_fd = -1, .fd = -1},
        .error = error,
    };
    bool ok =
        stream && take_members(&run) && unpack_finish(table, &run.writer, error) && has_all(&run);
    unpack_writer_close(&run.writer);
    return ok;
}
