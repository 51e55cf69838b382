/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/memory.h"
#include "install/io/entry.h"
#include "old_kernel.h"

static bool same(const struct entry *entry, const struct stat *status)
{
    return entry->mode == status->st_mode && entry->owner == status->st_uid &&
           entry->device == status->st_dev;
}

/* What lstat(2) says of /, of a file and of a link, and neither mount nor attribute for those. */
static bool is_as_stat_says(void *data)
{
    (void)data;
    struct stat status;
    struct entry entry;
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = root >= 0 && fstat(root, &status) == 0 && entry_look(root, "", &entry) &&
                same(&entry, &status) && !entry.is_immutable && !entry.is_append;
    if (proc >= 0)
        good = good && fstatat(proc, "exe", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               entry_look(proc, "exe", &entry) && same(&entry, &status) && S_ISLNK(entry.mode);
    good = good && !entry_look(root, "gpuenv-not-there", &entry) && errno == ENOENT;
    close(root);
    if (proc >= 0)
        close(proc);
    return good;
}

/* In a mount namespace of its own: two directories of one file system, one mounted on the other. */
static bool sees_mount(void *data)
{
    const char *directory = data;
    struct entry entry;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_FREE char *inside = mem_printf("%s/inside", directory);
    int below = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && below >= 0 && entry_look(fd, "inside", &entry) && entry.is_mount &&
           entry_look(below, "", &entry) && entry.is_mount && entry_look(fd, "plain", &entry) &&
           !entry.is_mount;
}

/* 77 where nothing can be mounted here. */
static int in_namespace(const char *release)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        char directory[] = "/tmp/gpuenv-entry-XXXXXX";
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mkdtemp(directory) == NULL || mount("none", directory, "tmpfs", 0, NULL) != 0)
            _exit(77);
        AUTO_FREE char *inside = mem_printf("%s/inside", directory);
        AUTO_FREE char *plain = mem_printf("%s/plain", directory);
        if (mkdir(inside, 0700) != 0 || mkdir(plain, 0700) != 0 ||
            mount(plain, inside, NULL, MS_BIND, NULL) != 0)
            _exit(77);
        int said = release ? old_kernel_try(release, sees_mount, directory) : sees_mount(directory);
        umount2(inside, MNT_DETACH);
        umount2(directory, MNT_DETACH);
        rmdir(directory);
        _exit(said < 0 ? 77 : said ? 0 : 1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

static void test_entry(void **state)
{
    (void)state;
    assert_true(is_as_stat_says(NULL));
}

static void test_old_kernel(void **state)
{
    (void)state;
    int said = old_kernel_try("3.10", is_as_stat_says, NULL);
    if (said < 0)
        skip();
    assert_int_equal(said, 1);
}

static void test_mount(void **state)
{
    (void)state;
    int said = in_namespace(NULL);
    if (said == 77)
        skip();
    assert_int_equal(said, 0);
}

static void test_mount_old_kernel(void **state)
{
    (void)state;
    int said = in_namespace("3.10");
    if (said == 77)
        skip();
    assert_int_equal(said, 0);
}

/* FS_IOC_SETFLAGS and FS_IMMUTABLE_FL of linux/fs.h: what chattr +i does. */
static void test_attribute(void **state)
{
    (void)state;
    struct entry entry = {0};
    char name[] = "/tmp/gpuenv-entry-XXXXXX";
    int fd = mkstemp(name);
    int flags = 0x10;
    assert_true(fd >= 0);
    bool set = ioctl(fd, _IOW('f', 2, long), &flags) == 0;
    bool seen = entry_look(AT_FDCWD, name, &entry);
    flags = 0;
    ioctl(fd, _IOW('f', 2, long), &flags);
    close(fd);
    unlink(name);
    if (!set)
        skip();
    assert_true(seen);
    assert_true(entry.is_immutable);
    assert_false(entry.is_append);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry),     cmocka_unit_test(test_old_kernel),
        cmocka_unit_test(test_mount),     cmocka_unit_test(test_mount_old_kernel),
        cmocka_unit_test(test_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
