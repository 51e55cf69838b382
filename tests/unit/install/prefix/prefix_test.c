/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "install/io/lock.h"
#include "install/io/tree.h"
#include "install/prefix/stage.h"
#include "install/prefix/uninstall.h"

/* A directory of its own for each test. */
struct place {
    char path[64];
    int fd;
};

/* On this machine, in no image. */
static bool open_here(const char *path, bool create, bool locked, unsigned lock_timeout_s,
                      struct prefix *ret_prefix, struct error *error)
{
    static const struct image here = {.fd = -1};
    return prefix_open(&here, path, create, locked, lock_timeout_s, ret_prefix, error);
}

static bool rows_have(const struct verify_rows *rows, const char *path)
{
    for (size_t i = 0; i < rows->count; i++)
        if (string_equal(rows->items[i].path, path))
            return true;
    return false;
}

static int setup(void **state)
{
    struct place *place = mem_alloc(sizeof(*place));
    strcpy(place->path, "/tmp/prefix_test.XXXXXX");
    assert_non_null(mkdtemp(place->path));
    place->fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(place->fd >= 0);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    AUTO_CLOSE int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(tree_remove(tmp, place->path + strlen("/tmp/"), "/tmp", NULL));
    close(place->fd);
    free(place);
    return 0;
}

static void write_file(const char *directory, const char *name, const char *text, mode_t mode)
{
    AUTO_FREE char *path = mem_printf("%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void make_directory(const char *directory, const char *name, mode_t mode)
{
    AUTO_FREE char *path = mem_printf("%s/%s", directory, name);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static bool there(const char *directory, const char *name)
{
    AUTO_FREE char *path = mem_printf("%s/%s", directory, name);
    struct stat status;
    return lstat(path, &status) == 0;
}

/* "abc" */
#define SHA "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* A prefix with two files, a link and their directories. */
static char *make_prefix(const struct place *place)
{
    char *prefix = mem_printf("%s/cuda-12.8", place->path);
    make_directory(place->path, "cuda-12.8", 0755);
    make_directory(prefix, ".gpuenv", 0755);
    make_directory(prefix, "lib", 0755);
    write_file(prefix, "lib/a.so", "abc", 0755);
    write_file(prefix, "lib/b.h", "abc", 0644);
    AUTO_FREE char *link = mem_printf("%s/lib64", prefix);
    assert_int_equal(symlink("lib", link), 0);
    write_file(prefix, ".gpuenv/ledger.json",
               "{\"schema\": 1, \"gpuenv\": \"0\", \"products\": [], \"files\": ["
               "{\"path\":\"lib\",\"type\":\"directory\",\"mode\":\"0755\",\"owners\":[\"x\"]},"
               "{\"path\":\"lib/a.so\",\"type\":\"file\",\"mode\":\"0755\",\"size\":3,\"sha256\":"
               "\"" SHA "\",\"owners\":[\"x\"]},"
               "{\"path\":\"lib/b.h\",\"type\":\"file\",\"mode\":\"0644\",\"size\":3,\"sha256\":"
               "\"" SHA "\",\"owners\":[\"x\"]},"
               "{\"path\":\"lib64\",\"type\":\"link\",\"target\":\"lib\",\"owners\":[\"x\"]}]}",
               0644);
    return prefix;
}

static void test_states(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    struct prefix prefix;
    AUTO_FREE char *absent = mem_printf("%s/a/b/cuda", place->path);
    assert_true(open_here(absent, false, true, 0, &prefix, &error));
    assert_int_equal(prefix.state, PREFIX_ABSENT);
    assert_false(prefix.is_open);
    assert_false(there(place->path, "a"));
    prefix_close(&prefix);

    assert_true(open_here(absent, true, true, 0, &prefix, &error));
    assert_int_equal(prefix.state, PREFIX_ABSENT);
    assert_true(prefix.is_open && !prefix.is_empty && there(place->path, "a/b"));
    prefix_unmake(&prefix);
    prefix_close(&prefix);
    assert_false(there(place->path, "a"));
    assert_true(open_here(absent, true, true, 0, &prefix, &error));
    make_directory(place->path, "a/other", 0755);
    prefix_unmake(&prefix);
    prefix_close(&prefix);
    assert_true(there(place->path, "a/other") && !there(place->path, "a/b"));

    make_directory(place->path, "empty", 0755);
    AUTO_FREE char *empty = mem_printf("%s//empty/", place->path);
    assert_true(open_here(empty, false, false, 0, &prefix, &error));
    assert_true(prefix.state == PREFIX_ABSENT && prefix.is_empty);
    assert_true(string_ends(prefix.path, "/empty"));
    prefix_close(&prefix);

    write_file(place->path, "empty/x", "", 0644);
    assert_true(open_here(empty, false, false, 0, &prefix, &error));
    assert_int_equal(prefix.state, PREFIX_FOREIGN);
    prefix_close(&prefix);

    AUTO_FREE char *ours = make_prefix(place);
    assert_true(open_here(ours, false, true, 0, &prefix, &error));
    assert_int_equal(prefix.state, PREFIX_OURS);
    assert_int_equal(prefix.ledger.file_count, 4);
    prefix_close(&prefix);
}

static void test_refused(void **state)
{
    const struct place *place = *state;
    struct prefix prefix;
    AUTO_FREE char *file = mem_printf("%s/file", place->path);
    AUTO_FREE char *link = mem_printf("%s/link", place->path);
    AUTO_FREE char *open_to_all = mem_printf("%s/open/cuda", place->path);
    AUTO_FREE char *dots = mem_printf("%s/../x", place->path);
    write_file(place->path, "file", "", 0644);
    assert_int_equal(symlink(place->path, link), 0);
    make_directory(place->path, "open", 0777);
    const char *const paths[] = {"/", "relative", "", file, link, open_to_all, dots};
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        AUTO_ERROR struct error error = {0};
        if (open_here(paths[i], true, true, 0, &prefix, &error))
            fail_msg("taken: %s", paths[i]);
        assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
        assert_non_null(error.next);
    }
}

/* A ledger that others can write could name any file. */
static void test_a_ledger_of_others_is_none(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = make_prefix(place);
    AUTO_FREE char *ledger = mem_printf("%s/.gpuenv/ledger.json", path);
    struct prefix prefix;
    assert_int_equal(chmod(ledger, 0666), 0);
    assert_true(open_here(path, false, false, 0, &prefix, &error));
    assert_int_equal(prefix.state, PREFIX_FOREIGN);
    prefix_close(&prefix);
    write_file(path, ".gpuenv/ledger.json", "{", 0644);
    assert_false(open_here(path, false, false, 0, &prefix, &error));
    assert_int_equal(error.kind, ERROR_DATA);
}

static void test_staging(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/cuda", place->path);
    struct prefix prefix;
    struct stage stage, killed;
    assert_true(open_here(path, true, true, 0, &prefix, &error));
    assert_true(stage_open(&prefix, &killed, &error));
    AUTO_FREE char *left = mem_string(killed.name);
    make_directory(place->path, ".gpuenv-stage-cuda-12-0123456789abcdef", 0700);
    make_directory(place->path, ".gpuenv-stage-cuda-0123456789abcdeg", 0700);
    assert_true(there(place->path, left));

    /* The next run takes away what the killed one left, and nothing else. */
    assert_true(stage_open(&prefix, &stage, &error));
    assert_false(there(place->path, left));
    assert_true(there(place->path, ".gpuenv-stage-cuda-12-0123456789abcdef"));
    assert_true(there(place->path, ".gpuenv-stage-cuda-0123456789abcdeg"));
    assert_string_not_equal(stage.name, left);

    assert_int_equal(mkdirat(stage.fd, "tree", 0700), 0);
    assert_true(stage_commit(&stage, "tree", &error));
    AUTO_FREE char *name = mem_string(stage.name);
    stage_close(&stage);
    assert_true(there(place->path, "cuda"));
    assert_false(there(place->path, name));
    close(killed.fd);
    free(killed.name);
    prefix_close(&prefix);
}

/* What came into being while we worked is not overwritten. */
static void test_commit_over_something(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/cuda", place->path);
    struct prefix prefix;
    struct stage stage;
    assert_true(open_here(path, true, true, 0, &prefix, &error));
    assert_true(stage_open(&prefix, &stage, &error));
    assert_int_equal(mkdirat(stage.fd, "tree", 0700), 0);
    make_directory(place->path, "cuda", 0755);
    write_file(place->path, "cuda/mine", "x", 0644);
    assert_false(stage_commit(&stage, "tree", &error));
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    stage_close(&stage);
    prefix_close(&prefix);
    assert_true(there(place->path, "cuda/mine"));
}

static void test_lock(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(place->path, O_RDONLY | O_DIRECTORY);
        char byte = lock_directory(fd, 0, "x", NULL) ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_false(lock_directory(place->fd, 0, "the place", &error));
    assert_int_equal(error.kind, ERROR_BUSY);
    AUTO_FREE char *pid = mem_printf("process %ld holds", (long)child);
    assert_non_null(error.why);
    assert_non_null(strstr(error.why, pid));
    error_clear(&error);
    assert_false(lock_directory(place->fd, 1, "the place", &error));
    assert_int_equal(error.kind, ERROR_BUSY);

    /* It goes with its holder, killed or not. */
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(lock_directory(place->fd, 0, "the place", &error));
    close(ready[0]);
    close(ready[1]);
}

static void test_verify_names_each_change(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = make_prefix(place);
    AUTO_FREE char *link = mem_printf("%s/lib64", path);
    struct prefix prefix;
    assert_true(open_here(path, false, false, 0, &prefix, &error));
    AUTO_VERIFICATION struct verification sound = {.files = 0};
    assert_true(verify_prefix(&prefix, &sound, &error));
    assert_int_equal(sound.files, 4);
    assert_int_equal(sound.changed.count + sound.missing.count + sound.added.count, 0);

    write_file(path, "lib/a.so", "abd", 0755);
    unlinkat(prefix.parent_fd, "cuda-12.8/lib/b.h", 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("/etc", link), 0);
    write_file(path, "lib/foreign", "x", 0644);
    AUTO_VERIFICATION struct verification found = {.files = 0};
    assert_true(verify_prefix(&prefix, &found, &error));
    assert_int_equal(found.changed.count, 2);
    assert_true(rows_have(&found.changed, "lib/a.so"));
    assert_string_equal(found.changed.items[0].why, "different bytes, same size");
    assert_non_null(strstr(found.changed.items[0].detail, "was " SHA));
    assert_null(found.changed.items[1].detail);
    assert_string_equal(found.changed.items[1].why, "leads to /etc, was lib");
    assert_true(rows_have(&found.missing, "lib/b.h"));
    assert_true(rows_have(&found.added, "lib/foreign"));

    write_file(path, "lib/a.so", "abc", 0700);
    AUTO_VERIFICATION struct verification mode = {.files = 0};
    assert_true(verify_prefix(&prefix, &mode, &error));
    assert_string_equal(mode.changed.items[0].why, "mode 0700, was 0755");
    prefix_close(&prefix);
}

static bool uninstall(const struct prefix *prefix, bool force, struct strlist *kept,
                      struct error *error)
{
    return uninstall_look(prefix, force, kept, error) && uninstall_remove(prefix, kept, error);
}

static void test_uninstall_leaves_nothing_of_ours(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = make_prefix(place);
    AUTO_STRLIST struct strlist kept = {0};
    struct prefix prefix;
    assert_true(open_here(path, false, true, 0, &prefix, &error));
    assert_true(uninstall(&prefix, false, &kept, &error));
    prefix_close(&prefix);
    assert_int_equal(kept.count, 0);
    AUTO_STRLIST struct strlist names = {0};
    assert_true(tree_list(place->fd, place->path, &names, &error));
    assert_int_equal(names.count, 0);
}

static void test_uninstall_keeps_what_is_not_ours(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = make_prefix(place);
    AUTO_STRLIST struct strlist kept = {0};
    struct prefix prefix;
    write_file(path, "lib/foreign", "x", 0644);
    write_file(path, "lib/b.h", "changed", 0644);
    assert_true(open_here(path, false, true, 0, &prefix, &error));
    assert_true(uninstall(&prefix, false, &kept, &error));
    prefix_close(&prefix);
    assert_int_equal(kept.count, 2);
    assert_true(strlist_has(&kept, "lib/foreign") && strlist_has(&kept, "lib/b.h"));
    assert_true(there(path, "lib/foreign") && there(path, "lib/b.h"));
    assert_false(there(path, "lib/a.so") || there(path, "lib64") || there(path, ".gpuenv"));
}

/* One that was killed between the files: it is no installation any more, and is ended by the next.
 */
static void test_uninstall_goes_on(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = make_prefix(place);
    AUTO_FREE char *ledger = mem_printf("%s/.gpuenv/ledger.json", path);
    AUTO_FREE char *aside = mem_printf("%s/.gpuenv/uninstalling.json", path);
    AUTO_FREE char *gone = mem_printf("%s/lib/b.h", path);
    AUTO_STRLIST struct strlist kept = {0};
    struct prefix prefix;
    write_file(path, "lib/foreign", "x", 0644);
    assert_int_equal(rename(ledger, aside), 0);
    assert_int_equal(unlink(gone), 0);
    assert_true(open_here(path, false, true, 0, &prefix, &error));
    assert_int_equal(prefix.state, PREFIX_OURS);
    assert_true(prefix.is_leaving);
    assert_true(uninstall(&prefix, false, &kept, &error));
    prefix_close(&prefix);
    assert_int_equal(kept.count, 1);
    assert_true(there(path, "lib/foreign"));
    assert_false(there(path, "lib/a.so") || there(path, ".gpuenv"));
}

static void test_uninstall_keeps_what_took_a_name(void **state)
{
    const struct place *place = *state;
    for (int force = 0; force < 2; force++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *path = make_prefix(place);
        AUTO_FREE char *file = mem_printf("%s/lib/b.h", path);
        AUTO_STRLIST struct strlist kept = {0};
        struct prefix prefix;
        assert_int_equal(unlink(file), 0);
        make_directory(path, "lib/b.h", 0755);
        write_file(path, "lib/b.h/mine", "x", 0644);
        assert_true(open_here(path, false, true, 0, &prefix, &error));
        assert_true(uninstall(&prefix, force, &kept, &error));
        prefix_close(&prefix);
        assert_int_equal(kept.count, 1);
        assert_true(there(path, "lib/b.h/mine"));
        assert_false(there(path, "lib/a.so") || there(path, ".gpuenv"));
        assert_true(tree_remove(place->fd, "cuda-12.8", place->path, &error));
    }
}

/* Read-only and closed directories of an archive. */
static void test_tree_remove(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    make_directory(place->path, "t", 0755);
    make_directory(place->path, "t/closed", 0755);
    write_file(place->path, "t/closed/x", "", 0444);
    AUTO_FREE char *closed = mem_printf("%s/t/closed", place->path);
    AUTO_FREE char *out = mem_printf("%s/t/out", place->path);
    write_file(place->path, "kept", "", 0644);
    assert_int_equal(symlink("../kept", out), 0);
    assert_int_equal(chmod(closed, 0), 0);
    assert_true(tree_remove(place->fd, "t", place->path, &error));
    assert_true(tree_remove(place->fd, "t", place->path, &error)); /* gone already */
    assert_false(there(place->path, "t"));
    assert_true(there(place->path, "kept"));
}

static void test_tree_open_follows_no_link(void **state)
{
    const struct place *place = *state;
    AUTO_ERROR struct error error = {0};
    const char *name;
    AUTO_FREE char *link = mem_printf("%s/link", place->path);
    assert_int_equal(symlink("/etc", link), 0);
    assert_int_equal(tree_open(place->fd, "link", true, "w", &error), -1);
    assert_int_equal(tree_open_parent(place->fd, "link/x", true, "w", &name, &error), -1);
    AUTO_CLOSE int fd = tree_open_parent(place->fd, "a/b/c", true, "w", &name, &error);
    assert_true(fd >= 0);
    assert_string_equal(name, "c");
    assert_true(there(place->path, "a/b") && !there(place->path, "a/b/c"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_states),
        TEST(test_refused),
        TEST(test_a_ledger_of_others_is_none),
        TEST(test_staging),
        TEST(test_commit_over_something),
        TEST(test_lock),
        TEST(test_verify_names_each_change),
        TEST(test_uninstall_leaves_nothing_of_ours),
        TEST(test_uninstall_keeps_what_is_not_ours),
        TEST(test_uninstall_goes_on),
        TEST(test_uninstall_keeps_what_took_a_name),
        TEST(test_tree_remove),
        TEST(test_tree_open_follows_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
