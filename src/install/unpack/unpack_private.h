/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNPACK_UNPACK_PRIVATE_H
#define INSTALL_UNPACK_UNPACK_PRIVATE_H

#include "base/error.h"
#include "base/text.h"
#include "install/unpack/unpack.h"

/* Private to unpack*.c. */

/* Names (unpack_name.c): pure. */
#define UNPACK_PATH_MAX 1024
#define UNPACK_STEP_MAX 255

/* The path of a member within the tree: raw without "." and empty steps and without top, which must
 * be its first; top NULL: there is none. "" is the tree itself. NULL with *ret_why NULL: it is a
 * directory above top, to be skipped; NULL with a reason: the name is refused. The caller frees it.
 */
char *unpack_path(const char *raw, const char *top, const char **ret_why);
/* Why a link's target is refused; NULL: it stays in the tree whatever other links there are. path
 * is where the link lies. It may climb only at its beginning, from a directory that is no link. */
const char *unpack_target_problem(const char *path, const char *target);
/* Where a member goes, by its path in the archive without a top; false: it is left out. "" is the
 * tree itself. The caller frees *ret_place (unpack_place.c). */
bool unpack_place(const struct unpack_places *places, const char *path, bool is_directory,
                  char **ret_place);
/* Whether a path fits a pattern as a whole. */
bool unpack_place_fits(const char *pattern, const char *path);

/* Where an accepted target leads as written, within the tree; "" is the tree. */
char *unpack_target_path(const char *path, const char *target);

/* What an archive's own bytes say, before libarchive sees them. All of them are untrusted. */
struct unpack_xz {
    uint64_t blocks;
    uint64_t dictionary; /* the largest of all blocks */
    uint64_t unpacked;   /* of all blocks, as the indexes say */
};
/* Walks an xz file, which is size bytes of fd from an offset on, by its indexes, from its end, and
 * looks at each block's header. False and why when it is not one from its first byte to its last.
 * ERROR_NO_INPUT when it cannot be read. */
bool unpack_xz_look(int fd, uint64_t from, uint64_t size, struct unpack_xz *ret_xz,
                    struct error *error);
/* The type flag and mode of the member whose headers these are: extended ones, then its own. False
 * when they are not that. */
bool unpack_tar_look(const char *headers, size_t size, char *ret_flag, unsigned *ret_mode);
/* Whether the file ends with a zip archive's end record. */
bool unpack_zip_ends(int fd, uint64_t size);
/* Fills ret_bytes from offset on. */
bool unpack_read_at(int fd, uint64_t offset, void *ret_bytes, size_t size, struct error *error);

/* The archive's members, one after another (unpack_stream*.c): where libarchive is named. */
enum unpack_kind { UNPACK_KIND_FILE, UNPACK_KIND_DIRECTORY, UNPACK_KIND_LINK, UNPACK_KIND_HARD };
struct unpack_header {
    const char *name; /* as it stands there, until the next one is read */
    enum unpack_kind kind;
    unsigned mode; /* with its special bits */
    uint64_t size;
    const char *target; /* of both kinds of links */
};
struct unpack_stream;
#define AUTO_UNPACK_STREAM AUTO(unpack_stream_free_at)
/* Which bytes are the archive. Its size is the job's, its format too. */
struct unpack_part {
    uint64_t from;                /* in the job's file */
    struct unpack_stream *within; /* it is the member that this stream stands at; NULL: the file */
    const char *head;             /* of that member: bytes of the archive that were read before */
    size_t head_size;
    bool has_md5; /* that its bytes are to have */
    unsigned char md5[DIGEST_MD5_SIZE];
};
/* job and what part has must outlive the stream. */
struct unpack_stream *unpack_stream_open(const struct unpack_job *job,
                                         const struct unpack_part *part, struct error *error);
void unpack_stream_free(struct unpack_stream *stream);
static inline void unpack_stream_free_at(struct unpack_stream **stream)
{
    unpack_stream_free(*stream);
}
/* The next member; name NULL: there is none, and nothing but zeros follows. */
bool unpack_stream_next(struct unpack_stream *stream, struct unpack_header *ret_header,
                        struct error *error);
/* The next bytes of its data, to go to offset, not before the end of the last ones; size 0: there
 * are none. Data that is not asked for is passed over. */
struct unpack_block {
    const char *bytes;
    size_t size;
    uint64_t offset;
};
bool unpack_stream_data(struct unpack_stream *stream, struct unpack_block *ret_block,
                        struct error *error);

/* The members seen so far, by path (unpack_table.c). */
struct unpack_entry {
    struct unpack_member member;
    bool wanted; /* kept by the job's filter */
    bool there;  /* lies in the directory */
};
struct unpack_table {
    void *root; /* tsearch(3) tree */
    size_t count;
    size_t name_bytes;
};
/* What a list of members may hold of names and targets. */
#define UNPACK_NAMES_MAX (16u << 20)
struct unpack_entry *unpack_table_find(const struct unpack_table *table, const char *path);
struct unpack_entry *unpack_table_add(struct unpack_table *table, const char *path,
                                      enum unpack_type type);
void unpack_table_walk(const struct unpack_table *table,
                       void (*visit)(struct unpack_entry *entry, void *context), void *context);
void unpack_table_free(struct unpack_table *table);
/* The directories that path is in lie there; all of them are in the table. */
void unpack_table_parents(const struct unpack_table *table, const char *path);
/* Whether what a link leads to lies in the directory, or is of another archive. */
bool unpack_table_leads(const struct unpack_table *table, const struct unpack_entry *link);

/* Files in the directory (unpack_write.c). Start with {.root = directory_fd, .parent_fd = -1}. */
struct unpack_writer {
    const char *archive; /* for messages */
    int root;
    char *parent; /* the directory that was used last */
    int parent_fd;
    int fd; /* of the present file */
    const char *path;
    uint64_t written, flushed; /* up to these offsets */
    struct digest_stream *digest;
};
bool unpack_write_begin(struct unpack_writer *writer, const char *path, unsigned mode,
                        struct error *error);
bool unpack_write_block(struct unpack_writer *writer, const struct unpack_block *block,
                        struct error *error);
/* What is missing up to size is zeros. */
bool unpack_write_end(struct unpack_writer *writer, uint64_t size, struct digest *ret_digest,
                      struct error *error);
bool unpack_write_directory(struct unpack_writer *writer, const char *path, struct error *error);
bool unpack_write_link(struct unpack_writer *writer, const char *path, const char *target,
                       struct error *error);
/* A hard link to a file that lies there, or a copy where the kernel allows no link. */
bool unpack_write_hard_link(struct unpack_writer *writer, const struct unpack_member *from,
                            const char *path, struct error *error);
void unpack_writer_close(struct unpack_writer *writer);
/* Adds zeros to a digest. */
bool unpack_digest_zeros(struct digest_stream *digest, uint64_t size, struct error *error);

/* Decides which links stay, and makes them and the directories that are still missing
 * (unpack_finish.c). */
bool unpack_finish(struct unpack_table *table, struct unpack_writer *writer, struct error *error);

/* The payload of a runfile is a tar, packed or not: its job and part from head, the first bytes of
 * a file of so many bytes (unpack_runfile.c). job is that of the whole file. */
bool unpack_payload(const struct unpack_job *job, const char *head, size_t head_size, uint64_t size,
                    struct unpack_job *ret_job, struct unpack_part *ret_part, struct error *error);
/* The same of a job's own file. */
bool unpack_payload_of_file(const struct unpack_job *job, struct unpack_job *ret_job,
                            struct unpack_part *ret_part, struct error *error);

/* What a job's ratio allows to unpack to. */
uint64_t unpack_ratio_bytes(const struct unpack_job *job);
/* All members of the archive into the directory (unpack_extract.c). */
bool unpack_extract(const struct unpack_job *job, struct unpack_table *table, struct error *error);

/* ERROR_DATA: what is wrong with a member (NULL: with the archive). why as printf, may be NULL. */
bool unpack_refuse(struct error *error, const struct unpack_job *job, const char *member,
                   const char *what, const char *why, ...) __attribute__((format(printf, 5, 6)));

/* The same for an error that is filled already: what next. */
bool unpack_refuse_next(const struct unpack_job *job, struct error *error);

/* What the child says, and how the parent takes it (unpack_wire.c): records of a type, a length and
 * so many bytes, each bounded. The parent believes none of it. */
enum unpack_record {
    UNPACK_RECORD_CAGE = 'C',   /* the first: what confines the child */
    UNPACK_RECORD_DIGEST = 'D', /* size and digest differ; the last */
    UNPACK_RECORD_MEMBER = 'M', /* one of them, in their order */
    UNPACK_RECORD_ERROR = 'E',  /* the last */
    UNPACK_RECORD_DONE = 'F',   /* with the number of members; the last */
};
#define UNPACK_RECORD_MAX 8192
struct unpack_reader {
    struct unpack_limits limits;
    struct text pending; /* of a record that is not whole yet */
    enum unpack_record last;
    bool begun, ended;
    size_t name_bytes;
    struct unpack_result result;
    struct error error;
};
/* False: this is not what an unpacker says. */
bool unpack_reader_feed(struct unpack_reader *reader, const char *bytes, size_t size);
void unpack_reader_free(struct unpack_reader *reader);

void unpack_wire_cage(struct text *text, const struct unpacker_cage *cage);
void unpack_wire_digest(struct text *text, uint64_t size, const struct digest *found);
void unpack_wire_member(struct text *text, const struct unpack_member *member);
void unpack_wire_error(struct text *text, const struct error *error);
void unpack_wire_done(struct text *text, size_t count);

/* What the child runs (unpack_child.c); context is the struct unpack_job. */
void unpack_child(int answers, const void *context);

#endif
