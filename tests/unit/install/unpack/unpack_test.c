/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "install/io/tree.h"
#include "install/unpack/unpack.h"

/* For an unpacker to say something or to end: what does neither fails, and is not waited for. */
#define PATIENCE_MS 120000

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

struct made {
    mode_t type;
    const char *path, *content;
};

static const struct made toolkit[] = {
    {AE_IFDIR, "top/lib", NULL},
    {AE_IFREG, "top/lib/libx.so.12.1", "shared"},
    {AE_IFLNK, "top/lib/libx.so.12", "libx.so.12.1"},
    {AE_IFLNK, "top/lib/libx.so", "libx.so.12"},
    {AE_IFREG, "top/lib/libx_static.a", "archive"},
    {AE_IFLNK, "top/lib/libx.a", "libx_static.a"},
    {AE_IFLNK, "top/lib64", "lib"},
    {AE_IFREG, "top/include/x.h", "header"},
    {AE_IFLNK, "top/lib/gone.so", "../include/x.h"},
    {AE_IFLNK, "top/lib/through.so", "../lib64/libx.so"},
    {AE_IFLNK, "top/lib/elsewhere.so", "../other/thing"},
    {AE_IFDIR, "top/empty", NULL},
    {AE_IFREG, "top/LICENSE", "licence"},
};
#define TOOLKIT (sizeof(toolkit) / sizeof(toolkit[0]))

static la_ssize_t append(struct archive *archive, void *text, const void *bytes, size_t size)
{
    (void)archive;
    text_append_n(text, bytes, size);
    return (la_ssize_t)size;
}

static void pack(const struct made *members, size_t count, struct text *ret_text)
{
    struct archive *archive = archive_write_new();
    archive_write_add_filter_xz(archive);
    archive_write_set_format_pax_restricted(archive);
    archive_write_set_bytes_in_last_block(archive, 1);
    assert_int_equal(archive_write_open(archive, ret_text, NULL, append, NULL), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        const char *content = members[i].content ? members[i].content : "";
        archive_entry_set_pathname(entry, members[i].path);
        if (members[i].type == 0)
            archive_entry_set_hardlink(entry, content);
        else
            archive_entry_set_filetype(entry, members[i].type);
        archive_entry_set_perm(entry, 0444);
        if (members[i].type == AE_IFLNK)
            archive_entry_set_symlink(entry, content);
        if (members[i].type == AE_IFREG)
            archive_entry_set_size(entry, (la_int64_t)strlen(content));
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        if (members[i].type == AE_IFREG)
            archive_write_data(archive, content, strlen(content));
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

/* A job, and the directory it unpacks into. */
struct work {
    struct unpack_job job;
    char *path;
};

static void work_open(struct work *work, const struct made *members, size_t count)
{
    AUTO_TEXT struct text packed = {0};
    pack(members, count, &packed);
    work->path = mem_string("/tmp/gpuenv-unpack-XXXXXX");
    assert_non_null(mkdtemp(work->path));
    work->job = (struct unpack_job){
        .archive_fd = memfd_create("archive", MFD_CLOEXEC),
        .name = "x-archive.tar.xz",
        .format = UNPACK_TAR_XZ,
        .size = packed.size,
        .top = "top",
        .directory_fd = open(work->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .limits = unpack_limits_default,
    };
    assert_int_equal(write(work->job.archive_fd, packed.data, packed.size), packed.size);
    assert_true(digest_of_bytes(packed.data, packed.size, &work->job.sha256, NULL));
}

static void work_close(struct work *work)
{
    AUTO_FREE char *path = work->path;
    close(work->job.archive_fd);
    close(work->job.directory_fd);
    assert_true(tree_remove(AT_FDCWD, path, "", NULL));
}

static bool unpack(const struct unpack_job *job, struct unpack_result *ret_result,
                   struct error *error)
{
    bool ok = true;
    struct unpack *unpack = unpack_start(job, error);
    if (unpack == NULL)
        return false;
    do {
        struct pollfd ready = {.fd = unpack_fd(unpack), .events = POLLIN};
        assert_int_equal(poll(&ready, 1, PATIENCE_MS), 1);
    } while (!unpack_take(unpack, &ok, ret_result, error));
    unpack_free(unpack);
    return ok;
}

static int descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* What a result lists, and what lies there, one word each: "lib/ lib/x lib64>". */
static void list_result(const struct unpack_result *result, struct text *text)
{
    static const char marks[] = {
        [UNPACK_FILE] = ' ', [UNPACK_DIRECTORY] = '/', [UNPACK_LINK] = '>'};
    for (size_t i = 0; i < result->count; i++)
        text_printf(text, "%s%c ", result->members[i].path, marks[result->members[i].type]);
}

static void list_directory(int fd, const char *path, struct text *text)
{
    AUTO_CLOSE int directory = tree_open(fd, path, false, "", NULL);
    AUTO_STRLIST struct strlist names = {0};
    assert_true(directory >= 0 && tree_list(directory, "", &names, NULL));
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        AUTO_FREE char *whole = mem_printf("%s%s%s", path, path[0] ? "/" : "", names.items[i]);
        assert_int_equal(fstatat(directory, names.items[i], &status, AT_SYMLINK_NOFOLLOW), 0);
        bool is_link = S_ISLNK(status.st_mode);
        text_printf(text, "%s%c ", whole, S_ISDIR(status.st_mode) ? '/' : is_link ? '>' : ' ');
        if (S_ISDIR(status.st_mode))
            list_directory(fd, whole, text);
    }
}

static void assert_unpacks(const struct made *members, size_t count,
                           bool (*keeps)(const void *context, const char *path, bool is_directory),
                           const char *expected)
{
    struct work work;
    struct unpack_result result = {.count = 0};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text listed = {0};
    AUTO_TEXT struct text there = {0};
    work_open(&work, members, count);
    work.job.keeps = keeps;
    if (!unpack(&work.job, &result, &error))
        fail_msg("%s: %s: %s", error.what, error.where, error.why);
    list_result(&result, &listed);
    list_directory(work.job.directory_fd, "", &there);
    unpack_result_free(&result);
    work_close(&work);
    assert_string_equal(text_string(&listed), expected);
    assert_string_equal(text_string(&there), expected);
}

static bool is_shared(const void *context, const char *path, bool is_directory)
{
    (void)context;
    return !is_directory && strstr(path, ".so") != NULL;
}

static bool is_in_lib(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)is_directory;
    return string_starts(path, "lib");
}

static bool nothing(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    (void)is_directory;
    return false;
}

/* Sorted by bytes: "lib64" comes after all of "lib/". */
static void test_members(void **state)
{
    (void)state;
    assert_unpacks(toolkit, TOOLKIT, NULL,
                   "LICENSE  empty/ include/ include/x.h  lib/ lib/elsewhere.so> lib/gone.so> "
                   "lib/libx.a> lib/libx.so> lib/libx.so.12> lib/libx.so.12.1  lib/libx_static.a  "
                   "lib/through.so> lib64> ");
}

/* A link goes with what it leads to, whatever links are on the way; what it leads to in another
 * archive may be there. */
static void test_what_is_kept(void **state)
{
    (void)state;
    assert_unpacks(toolkit, TOOLKIT, is_shared,
                   "lib/ lib/elsewhere.so> lib/libx.so> lib/libx.so.12> lib/libx.so.12.1  ");
    assert_unpacks(toolkit, TOOLKIT, is_in_lib,
                   "lib/ lib/elsewhere.so> lib/libx.a> lib/libx.so> lib/libx.so.12> "
                   "lib/libx.so.12.1  lib/libx_static.a  lib/through.so> lib64> ");
    assert_unpacks(toolkit, TOOLKIT, nothing, "");
}

static void test_a_hard_link_to_what_is_left_out(void **state)
{
    (void)state;
    static const struct made members[] = {
        {AE_IFREG, "top/lib/x.a", "bytes"},
        {0, "top/lib/x.so", "top/lib/x.a"},
    };
    struct work work;
    struct unpack_result result = {.count = 0};
    AUTO_ERROR struct error error = {0};
    work_open(&work, members, 2);
    work.job.keeps = is_shared;
    assert_false(unpack(&work.job, &result, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.where, "x-archive.tar.xz: top/lib/x.so");
    assert_non_null(strstr(error.next, "--profile full"));
    work_close(&work);
    assert_unpacks(members, 2, NULL, "lib/ lib/x.a  lib/x.so  ");
}

static void test_what_a_member_tells(void **state)
{
    (void)state;
    struct work work;
    struct unpack_result result = {.count = 0};
    struct digest digest;
    struct stat status;
    int before = descriptors();
    mode_t mask = umask(0);
    work_open(&work, toolkit, TOOLKIT);
    assert_true(unpack(&work.job, &result, NULL));
    umask(mask);
    const struct unpack_member *member = &result.members[0];
    assert_string_equal(member->path, "LICENSE");
    assert_int_equal(member->type, UNPACK_FILE);
    assert_int_equal(member->mode, 0644);
    assert_int_equal(member->size, 7);
    assert_true(digest_of_bytes("licence", 7, &digest, NULL));
    assert_true(digest_equal(&digest, &member->sha256));
    assert_int_equal(fstatat(work.job.directory_fd, "LICENSE", &status, 0), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0644);
    assert_int_equal(status.st_size, 7);
    assert_int_equal(lseek(work.job.archive_fd, 0, SEEK_CUR), work.job.size); /* as it was */
    unpack_result_free(&result);
    work_close(&work);
    assert_int_equal(descriptors(), before);
}

static void test_another_digest(void **state)
{
    (void)state;
    struct work work;
    struct unpack_result result = {.count = 0};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text there = {0};
    work_open(&work, toolkit, TOOLKIT);
    struct digest right = work.job.sha256;
    work.job.sha256.bytes[0] ^= 1;
    assert_false(unpack(&work.job, &result, &error));
    assert_true(result.digest_differs);
    assert_true(digest_equal(&result.found, &right));
    assert_int_equal(result.found_size, work.job.size);
    assert_false(error_is_set(&error));
    list_directory(work.job.directory_fd, "", &there);
    assert_int_equal(there.size, 0);
    unpack_result_free(&result);
    work_close(&work);
}

static void test_not_a_file(void **state)
{
    (void)state;
    struct work work;
    AUTO_ERROR struct error error = {0};
    int ends[2];
    work_open(&work, toolkit, TOOLKIT);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    int archive_fd = work.job.archive_fd;
    work.job.archive_fd = ends[0];
    assert_null(unpack_start(&work.job, &error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    close(ends[0]);
    close(ends[1]);
    work.job.archive_fd = archive_fd;
    work_close(&work);
}

/* What an unpacker may come to when it is taken over: it calls the filter, which does as it likes.
 */

static bool spins(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    for (volatile bool spin = true; spin;)
        continue;
    return is_directory;
}

static bool crashes(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    (void)is_directory;
    raise(SIGTERM); /* a death that no handler of a sanitizer's is told of; by tgkill(2) */
    return true;
}

/* As by the kernel, where a machine or a container has no memory left. */
static bool is_killed(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    (void)is_directory;
    raise(SIGKILL);
    return true;
}

static bool exhausts(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    (void)is_directory;
    mem_exhausted();
}

static bool leaves(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    (void)is_directory;
    _exit(3);
}

/* The way to the parent is the highest of its descriptors; which one depends on their limit. */
#define HIGHEST_FD 1023

static bool closes(const void *context, const char *path, bool is_directory)
{
    for (int fd = HIGHEST_FD; fd > STDERR_FILENO; fd--)
        close(fd);
    return spins(context, path, is_directory);
}

static bool lies(const void *context, const char *path, bool is_directory)
{
    static const char record[] = "M\1\0\0\0x";
    int fd = HIGHEST_FD;
    while (fd > STDERR_FILENO && write(fd, record, sizeof(record) - 1) < 0)
        fd--;
    return spins(context, path, is_directory);
}

static bool grows(const void *context, const char *path, bool is_directory)
{
    (void)context;
    (void)path;
    for (volatile int i = 0; i < 4096; i++)
        mem_alloc(1 << 20);
    return is_directory;
}

static void assert_ends(bool (*keeps)(const void *context, const char *path, bool is_directory),
                        enum error_kind kind, const char *what)
{
    struct work work;
    struct unpack_result result = {.count = 0};
    AUTO_ERROR struct error error = {0};
    int before = descriptors();
    work_open(&work, toolkit, TOOLKIT);
    work.job.keeps = keeps;
    assert_false(unpack(&work.job, &result, &error));
    assert_int_equal(error.kind, kind);
    assert_string_equal(error.where, "x-archive.tar.xz");
    if (strstr(error.what, what) == NULL)
        fail_msg("%s: %s", what, error.what);
    assert_int_equal(result.count, 0);
    work_close(&work);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
    assert_int_equal(descriptors(), before);
}

/* qemu-user says that it set this limit, and does not. */
static bool can_bound_memory(void)
{
    struct rlimit before, set, found;
    if (getrlimit(RLIMIT_AS, &before) != 0)
        return false;
    set = (struct rlimit){.rlim_cur = (rlim_t)1 << 40, .rlim_max = before.rlim_max};
    bool can = setrlimit(RLIMIT_AS, &set) == 0 && getrlimit(RLIMIT_AS, &found) == 0 &&
               found.rlim_cur == set.rlim_cur;
    return setrlimit(RLIMIT_AS, &before) == 0 && can;
}

static void test_a_child_that_goes_wrong(void **state)
{
    (void)state;
    assert_ends(crashes, ERROR_DATA, "the unpacker was killed by signal 15");
    assert_ends(leaves, ERROR_DATA, "the unpacker exited with code 3 without reporting a result");
    assert_ends(closes, ERROR_DATA, "the unpacker was killed by signal 9");
    assert_ends(lies, ERROR_DATA, "the unpacker's report is not valid");
    assert_ends(is_killed, ERROR_INTERNAL, "out of memory while unpacking");
    assert_ends(exhausts, ERROR_INTERNAL, "out of memory while unpacking");
    if (!SANITIZED && can_bound_memory())
        assert_ends(grows, ERROR_INTERNAL, "out of memory while unpacking");
    else
        print_message("memory cannot be bounded here: a child that grows is not tested\n");
}

/* Whoever started gpuenv may have had this signal ignored: children then leave no status. */
static void test_ignored_children(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_unpacks(toolkit, 2, NULL, "lib/ lib/libx.so.12.1  ");
    signal(SIGCHLD, SIG_DFL);
}

static void test_a_child_that_is_not_waited_for(void **state)
{
    (void)state;
    struct work work;
    struct unpack_result result = {.count = 0};
    bool ok = true;
    int before = descriptors();
    work_open(&work, toolkit, TOOLKIT);
    work.job.keeps = spins;
    struct unpack *unpack = unpack_start(&work.job, NULL);
    assert_non_null(unpack);
    struct pollfd ready = {.fd = unpack_fd(unpack), .events = POLLIN};
    assert_int_equal(poll(&ready, 1, -1), 1); /* it has come as far as its confinement */
    assert_false(unpack_take(unpack, &ok, &result, NULL));
    assert_int_equal(poll(&ready, 1, 0), 0);
    assert_false(unpack_take(unpack, &ok, &result, NULL)); /* nothing there: at once */
    unpack_free(unpack);
    unpack_free(NULL);
    work_close(&work);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(descriptors(), before);
}

/* The child of a parent that is killed: it comes to this process, which has asked for orphans. */
static void test_a_parent_that_dies(void **state)
{
    (void)state;
    struct work work;
    int status = 0, ends[2];
    char byte;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        print_message("no orphans come here\n");
        skip();
    }
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    work_open(&work, toolkit, TOOLKIT);
    work.job.keeps = spins;
    pid_t parent = fork();
    if (parent == 0) {
        struct unpack *unpack = unpack_start(&work.job, NULL);
        struct pollfd ready = {.fd = unpack ? unpack_fd(unpack) : -1, .events = POLLIN};
        poll(&ready, 1, -1);
        if (write(ends[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(waitpid(-1, &status, 0) > 0); /* does not return while the child lives */
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    close(ends[0]);
    close(ends[1]);
    work_close(&work);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_a_hard_link_to_what_is_left_out),
        cmocka_unit_test(test_what_a_member_tells),
        cmocka_unit_test(test_another_digest),
        cmocka_unit_test(test_not_a_file),
        cmocka_unit_test(test_a_child_that_goes_wrong),
        cmocka_unit_test(test_ignored_children),
        cmocka_unit_test(test_a_child_that_is_not_waited_for),
        cmocka_unit_test(test_a_parent_that_dies),
    };
    return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}
