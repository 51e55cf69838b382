/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/child/child_process.h"
#include "host/root/bytes.h"
#include "install/unpack/unpack_private.h"

/* Beside the dictionary: buffers, the list of members, libarchive's own. */
#define MEMORY_BYTES    (UINT64_C(96) << 20)
#define DESCRIPTORS_MAX 32
#define SEND_BYTES      65536

#if defined(__SANITIZE_ADDRESS__)
#define HAS_BOUNDED_MEMORY false /* its shadow takes terabytes of addresses */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_BOUNDED_MEMORY false
#endif
#endif
#ifndef HAS_BOUNDED_MEMORY
#define HAS_BOUNDED_MEMORY true
#endif

static void bound(int resource, uint64_t most)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return;
    if (limit.rlim_cur > most)
        limit.rlim_cur = (rlim_t)most;
    if (limit.rlim_max > most)
        limit.rlim_max = (rlim_t)most;
    setrlimit((__rlimit_resource_t)resource, &limit);
}

/* Addresses that are taken already: those of the parent, which this is a copy of. */
static bool size_of_process(uint64_t *ret_bytes)
{
    char text[64] = "";
    AUTO_CLOSE int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        return false;
    *ret_bytes = strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
    return *ret_bytes > 0;
}

static void bound_all(const struct unpack_limits *limits)
{
    uint64_t bytes;
    if (HAS_BOUNDED_MEMORY && size_of_process(&bytes))
        bound(RLIMIT_AS, bytes + limits->dictionary + MEMORY_BYTES);
    bound(RLIMIT_FSIZE, limits->bytes);
    bound(RLIMIT_NOFILE, DESCRIPTORS_MAX);
    signal(SIGXFSZ, SIG_IGN); /* write(2) fails instead */
    signal(SIGPIPE, SIG_IGN);
}

/* What opens files of the system when it is first used. */
static bool warm_up(struct error *error)
{
    struct digest ignored;
    setlocale(LC_CTYPE, "C.UTF-8"); /* the names of pax headers are UTF-8 */
    tzset();                        /* zip has local time */
    digest_stream_free(digest_stream_new_md5());
    return digest_of_bytes("", 0, &ignored, error);
}

struct answer {
    int fd;
    struct text text;
    size_t count;
};

static void send_text(struct answer *answer)
{
    if (!bytes_write(answer->fd, text_string(&answer->text), answer->text.size))
        _exit(1);
    text_clear(&answer->text);
}

static void send_member(struct unpack_entry *entry, void *context)
{
    struct answer *answer = context;
    if (!entry->there)
        return;
    unpack_wire_member(&answer->text, &entry->member);
    answer->count++;
    if (answer->text.size >= SEND_BYTES)
        send_text(answer);
}

static bool is_wanted(const struct unpack_job *job, bool *ret_same, struct answer *answer,
                      struct error *error)
{
    struct stat status;
    struct digest found;
    uint64_t size = 0;
    if (fstat(job->archive_fd, &status) != 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, job->name, "cannot read the archive");
    if (!digest_of_file(job->archive_fd, (uint64_t)status.st_size, job->name, &found, &size, error))
        return false;
    *ret_same = size == job->size && digest_equal(&found, &job->sha256);
    if (!*ret_same)
        unpack_wire_digest(&answer->text, size, &found);
    return true;
}

static bool unpack_all(const struct unpack_job *job, struct answer *answer, struct error *error)
{
    bool same = false;
    struct unpack_table table = {.root = NULL};
    if (!is_wanted(job, &same, answer, error))
        return false;
    if (!same)
        return true;
    if (!unpack_extract(job, &table, error)) {
        unpack_table_free(&table);
        return false;
    }
    unpack_table_walk(&table, send_member, answer);
    unpack_table_free(&table);
    unpack_wire_done(&answer->text, answer->count);
    return true;
}

void unpack_child(int answers, const void *context)
{
    struct unpack_job job = *(const struct unpack_job *)context;
    struct answer answer = {.fd = answers};
    struct unpacker_cage cage = {.files = false};
    AUTO_ERROR struct error error = {0};
    job.archive_fd = CHILD_CARRIED_FD;
    job.directory_fd = CHILD_CARRIED_FD + 1;
    umask(022);
    bound_all(&job.limits);
    bool ok = warm_up(&error) && confine_unpacker(job.directory_fd, &cage, &error);
    if (ok) {
        unpack_wire_cage(&answer.text, &cage);
        send_text(&answer);
        ok = unpack_all(&job, &answer, &error);
    }
    if (!ok)
        unpack_wire_error(&answer.text, &error);
    send_text(&answer);
    text_free(&answer.text);
}
