/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "host/child/child_process.h"
#include "host/root/clock.h"
#include "install/unpack/unpack_private.h"

/* What is taken at once, so that other work of the caller's gets its turn. */
#define TAKE_BYTES (UINT64_C(1) << 20)
/* Of what the child prints, which is nothing but the words of a crash. */
#define OUTPUT_MAX 4096
/* A killed process goes as soon as the kernel is done with what it was doing. */
#define GO_AWAY_MS 10000
/* One that has closed its pipe by ending is about to be gone. */
#define ENDING_MS 3000

/* Multiples of what real archives have: about 10,000 members and 3 GB; the highest preset of xz
 * uses a dictionary of 64 MiB; the headers of CUDA 13.0 pack to a fourteenth, its libraries to more
 * than a half, zeros to a seven-thousandth. */
const struct unpack_limits unpack_limits_default = {
    .files = 100000,
    .bytes = UINT64_C(16) << 30,
    .ratio = 200,
    .dictionary = UINT64_C(128) << 20,
};

struct unpack {
    struct child_process child;
    struct unpack_reader reader;
    struct text output;
    char *name;
    bool reaped;
};

static bool is_regular(const struct unpack_job *job, struct error *error)
{
    struct stat status;
    if (fstat(job->archive_fd, &status) != 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, job->name, "cannot read the archive");
    if (S_ISREG(status.st_mode))
        return true;
    error_set(error, ERROR_NO_INPUT, "the archive is not a regular file");
    return error_where(error, "%s", job->name);
}

struct unpack *unpack_start(const struct unpack_job *job, struct error *error)
{
    static char utc[] = "TZ=UTC0"; /* libarchive asks for local time, and libc for its file then */
    static char *const environment[] = {utc, NULL};
    const struct child_body body = {.run = unpack_child,
                                    .context = job,
                                    .carried = {job->archive_fd, job->directory_fd},
                                    .carried_count = 2};
    struct child_process child;
    if (!is_regular(job, error) || !child_process_fork(&body, environment, &child, error))
        return NULL;
    struct unpack *unpack = mem_alloc(sizeof(*unpack));
    unpack->child = child;
    unpack->reader.limits = job->limits;
    unpack->name = mem_string(job->name);
    return unpack;
}

int unpack_fd(const struct unpack *unpack)
{
    return unpack->child.answers;
}

static void take_output(struct unpack *unpack)
{
    char buffer[4096];
    size_t size;
    while ((size = child_read(&unpack->child.output, buffer, sizeof(buffer))) > 0) {
        size_t room = OUTPUT_MAX - unpack->output.size;
        text_append_n(&unpack->output, buffer, size < room ? size : room);
    }
}

/* False when the answers are no answers. */
static bool take_answers(struct unpack *unpack)
{
    AUTO_FREE char *buffer = mem_alloc(65536);
    size_t size, total = 0;
    while (total < TAKE_BYTES && (size = child_read(&unpack->child.answers, buffer, 65536)) > 0) {
        total += size;
        if (!unpack_reader_feed(&unpack->reader, buffer, size))
            return false;
    }
    return true;
}

static bool refuse_exhausted(const struct unpack *unpack, const char *why, struct error *error)
{
    error_set(error, ERROR_INTERNAL, "out of memory while unpacking");
    error_where(error, "%s", unpack->name);
    if (why)
        error_why(error, "%s", why);
    return error_next(
        error,
        "free some memory, or raise the limit (ulimit -v or the container's), and try again");
}

/* How it ended where it did not say so itself. by_itself: nobody here killed it. */
static bool describe_end(struct unpack *unpack, int status, bool by_itself, struct error *error)
{
    int failure = child_process_failure(&unpack->child);
    if (failure != 0)
        return error_set_errno(error, ERROR_INTERNAL, failure, unpack->name,
                               "cannot set up the unpacker process");
    if (child_exhausted(status, text_string(&unpack->output)))
        return refuse_exhausted(unpack, NULL, error);
    if (by_itself && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return refuse_exhausted(unpack, "the unpacker was killed", error);
    if (WIFSIGNALED(status)) {
        AUTO_FREE char *signal_name = child_signal_name(WTERMSIG(status));
        error_set(error, ERROR_DATA, "the unpacker was killed by %s", signal_name);
    } else {
        error_set(error, ERROR_DATA, "the unpacker exited with code %d without reporting a result",
                  WEXITSTATUS(status));
    }
    error_where(error, "%s", unpack->name);
    if (unpack->output.size > 0)
        error_why(error, "%.*s", (int)strcspn(text_string(&unpack->output), "\n"),
                  text_string(&unpack->output));
    return error_next(error, "try again; if this happens again, report this archive");
}

static bool ends_by_itself(const struct child_process *child)
{
    uint64_t deadline = clock_ms() + ENDING_MS;
    struct pollfd end = {.fd = child->pidfd, .events = POLLIN};
    while (!child_process_ended(child)) {
        if (clock_ms() >= deadline)
            return false;
        poll(&end, 1, child_process_wait_ms(child, deadline));
    }
    return true;
}

static bool end(struct unpack *unpack, struct unpack_result *ret_result, struct error *error)
{
    int status = 0;
    struct unpack_reader *reader = &unpack->reader;
    bool by_itself = ends_by_itself(&unpack->child);
    child_process_kill(&unpack->child);
    unpack->reaped = child_process_reap(&unpack->child, GO_AWAY_MS, &status);
    take_output(unpack);
    if (!unpack->reaped) {
        error_set(error, ERROR_INTERNAL, "the unpacker cannot be stopped");
        return error_where(error, "%s", unpack->name);
    }
    if (!reader->ended)
        return describe_end(unpack, status, by_itself, error);
    if (reader->last == UNPACK_RECORD_ERROR) {
        error_clear(error);
        *error = reader->error;
        reader->error = (struct error){0};
        return false;
    }
    *ret_result = reader->result;
    reader->result = (struct unpack_result){.members = NULL};
    return reader->last == UNPACK_RECORD_DONE;
}

bool unpack_take(struct unpack *unpack, bool *ret_ok, struct unpack_result *ret_result,
                 struct error *error)
{
    *ret_ok = false;
    take_output(unpack);
    if (!take_answers(unpack)) {
        child_process_kill(&unpack->child);
        error_set(error, ERROR_DATA, "the unpacker's report is not valid");
        error_where(error, "%s", unpack->name);
        error_next(error, "report this archive: it may be an attack on the unpacker");
        return true;
    }
    if (unpack->child.answers >= 0)
        return false;
    *ret_ok = end(unpack, ret_result, error);
    return true;
}

void unpack_free(struct unpack *unpack)
{
    int status;
    if (unpack == NULL)
        return;
    if (!unpack->reaped) {
        child_process_kill(&unpack->child);
        child_process_reap(&unpack->child, GO_AWAY_MS, &status);
    }
    child_process_close(&unpack->child);
    unpack_reader_free(&unpack->reader);
    text_free(&unpack->output);
    free(unpack->name);
    free(unpack);
}
