/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "base/text.h"
#include "host/can.h"
#include "host/child/child_process.h"
#include "host/child/confine_unpacker.h"
#include "host/tree.h"

#define LONG_MS   60000
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* What /proc/self/status says after a name; the file must have been opened before. */
static uint64_t status_field(int status, const char *name)
{
    char text[8192] = "";
    if (pread(status, text, sizeof(text) - 1, 0) <= 0)
        return UINT64_MAX;
    const char *field = strstr(text, name);
    return field ? strtoull(field + strlen(name), NULL, 16) : UINT64_MAX;
}

static int check_privileges(const char *root)
{
    struct unpacker_cage cage;
    AUTO_CLOSE int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    AUTO_CLOSE int directory = open(root, DIRECTORY);
    bool is_root = getuid() == 0;
    bool can_lock = can_landlock() || is_root;
    apart(confine_unpacker(directory, &cage, NULL));
    apart(cage.files == can_lock);
    apart(status_field(status, "NoNewPrivs:") == 1);
    apart(status_field(status, "Seccomp:") == (cage.calls ? 2 : 0));
    apart(status_field(status, "CapInh:") == 0);
    apart(status_field(status, "CapPrm:") == 0);
    apart(status_field(status, "CapEff:") == 0);
    apart(status_field(status, "CapAmb:") == 0);
    apart(!is_root || status_field(status, "CapBnd:") == 0);
    return 0;
}

static int check_privileges_of_others(const char *root)
{
    apart(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    return check_privileges(root);
}

static void test_privileges(void **state)
{
    assert_int_equal(run_apart(check_privileges, *state), 0);
    if (getuid() == 0)
        assert_int_equal(run_apart(check_privileges_of_others, *state), 0);
}

/* All that the unpacker does with its directory. */
static int check_inside(const char *root)
{
    struct unpacker_cage cage;
    char text[8] = "";
    AUTO_FREE char *inside = mem_printf("%s/inside", root);
    AUTO_CLOSE int top = open(inside, DIRECTORY);
    apart(confine_unpacker(top, &cage, NULL));
    apart(mkdirat(top, "a", 0755) == 0 && mkdirat(top, "b", 0755) == 0);
    AUTO_CLOSE int a = openat(top, "a", DIRECTORY | O_NOFOLLOW);
    AUTO_CLOSE int b = openat(top, "b", DIRECTORY | O_NOFOLLOW);
    AUTO_CLOSE int file = openat(a, "file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    apart(file >= 0 && fchmod(file, 0755) == 0 && write(file, "bytes", 5) == 5);
    apart(pwrite(file, "B", 1, 0) == 1 && ftruncate(file, 5) == 0);
    sync_file_range(file, 0, 5, SYNC_FILE_RANGE_WRITE);
    apart(linkat(a, "file", a, "other", 0) == 0);
    apart(linkat(a, "file", b, "file", 0) == 0 || errno == EXDEV); /* Landlock's first version */
    apart(symlinkat("file", a, "link") == 0);
    AUTO_CLOSE int again = openat(a, "file", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    apart(read(again, text, sizeof(text)) == 5 && strcmp(text, "Bytes") == 0);
    void *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    apart(memory != MAP_FAILED && munmap(memory, 1 << 20) == 0);
    return 0;
}

static int check_outside(const char *root)
{
    struct unpacker_cage cage;
    char text[8] = "";
    AUTO_FREE char *inside = mem_printf("%s/inside", root);
    AUTO_CLOSE int top = open(inside, DIRECTORY);
    AUTO_CLOSE int outside = open(root, DIRECTORY);
    AUTO_CLOSE int kept = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    apart(confine_unpacker(top, &cage, NULL));
    apart(openat(outside, "file", O_RDONLY) == -1 && errno == EACCES);
    apart(openat(outside, "file", O_WRONLY) == -1 && errno == EACCES);
    apart(openat(outside, "new", O_WRONLY | O_CREAT, 0600) == -1 && errno == EACCES);
    apart(openat(outside, ".", O_RDONLY | O_DIRECTORY) == -1 && errno == EACCES);
    apart(openat(top, "../file", O_RDONLY) == -1 && errno == EACCES);
    apart(open("/etc/passwd", O_RDONLY) == -1 && errno == EACCES);
    apart(open("/dev/null", O_RDWR) == -1 && errno == EACCES);
    apart(mkdirat(outside, "new", 0700) == -1 && errno == EACCES);
    apart(symlinkat("x", outside, "new") == -1 && errno == EACCES);
    apart(linkat(outside, "file", top, "stolen", 0) == -1 && (errno == EACCES || errno == EXDEV));
    apart(linkat(top, "mine", outside, "given", 0) == -1 && (errno == EACCES || errno == EXDEV));
    apart(unlinkat(top, "mine", 0) == -1);
    apart(read(kept, text, sizeof(text)) > 0);
    return 0;
}

static void test_files(void **state)
{
    run_in(*state, "mkdir inside; echo kept > file; echo mine > inside/mine");
    assert_int_equal(run_apart(check_inside, *state), 0);
    run_in(*state, "rm -r inside/a inside/b");
    if (!can_landlock()) {
        print_message("no Landlock here\n");
        skip();
    }
    assert_int_equal(run_apart(check_outside, *state), 0);
    run_in(*state, "test \"$(cat file)\" = kept; test -e inside/mine; test ! -e new; "
                   "test ! -e given; test ! -e inside/stolen");
}

/* Each is made with arguments with which something else than the filter would fail otherwise. */
static const struct {
    const char *name;
    long number;
} refused[] = {
#ifdef SYS_fork
    {"fork", SYS_fork},
    {"open", SYS_open},
    {"chmod", SYS_chmod},
    {"mknod", SYS_mknod},
#endif
    {"clone", SYS_clone},
    {"clone3", 435},
    {"execve", SYS_execve},
    {"execveat", SYS_execveat},
    {"socket", SYS_socket},
    {"socketpair", SYS_socketpair},
    {"connect", SYS_connect},
    {"ptrace", SYS_ptrace},
    {"process_vm_readv", SYS_process_vm_readv},
    {"kill", SYS_kill},
    {"setsid", SYS_setsid},
    {"unshare", SYS_unshare},
    {"mount", SYS_mount},
    {"chroot", SYS_chroot},
    {"mknodat", SYS_mknodat},
    {"fchmodat", SYS_fchmodat},
    {"fchown", SYS_fchown},
    {"fchownat", SYS_fchownat},
    {"setxattr", SYS_setxattr},
    {"fsetxattr", SYS_fsetxattr},
    {"renameat2", SYS_renameat2},
    {"unlinkat", SYS_unlinkat},
    {"utimensat", SYS_utimensat},
    {"ioctl", SYS_ioctl},
    {"fcntl", SYS_fcntl},
    {"prctl", SYS_prctl},
    {"prlimit64", SYS_prlimit64},
    {"bpf", SYS_bpf},
    {"io_uring_setup", 425},
    {"memfd_create", SYS_memfd_create},
    {"userfaultfd", SYS_userfaultfd},
    {"keyctl", SYS_keyctl},
    {"perf_event_open", SYS_perf_event_open},
    {"no such call", 100000},
};

static int check_calls(const char *root)
{
    struct unpacker_cage cage;
    AUTO_CLOSE int directory = open(root, DIRECTORY);
    pid_t parent = getppid();
    apart(confine_unpacker(directory, &cage, NULL) && cage.calls);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        errno = 0;
        if (syscall(refused[i].number, 0, 0, 0, 0, 0, 0) != -1 || errno != EPERM) {
            print_message("%s: errno %d\n", refused[i].name, errno);
            return 1;
        }
    }
    apart(syscall(SYS_tgkill, parent, parent, 0) == -1 && errno == EPERM);
    apart(syscall(SYS_tgkill, getpid(), getpid(), 0) == 0);
    apart(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
              MAP_FAILED &&
          errno == EPERM);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    apart(mprotect(memory, 4096, PROT_READ | PROT_EXEC) == -1 && errno == EPERM);
    apart(mprotect(memory, 4096, PROT_READ) == 0);
    return 0;
}

static void test_calls(void **state)
{
    if (!can_filter()) {
        print_message("no seccomp(2) here\n");
        skip();
    }
    assert_int_equal(run_apart(check_calls, *state), 0);
}

/* What a child is given: its descriptors, and no others. */
static void tell_descriptors(int answers, const void *context)
{
    (void)context;
    char text[64];
    for (int fd = 0; fd < 64; fd++)
        if (fd != answers && fcntl(fd, F_GETFD) >= 0) {
            off_t size = lseek(fd, 0, SEEK_END);
            int length = snprintf(text, sizeof(text), "%d:%ld ", fd, (long)size);
            if (write(answers, text, (size_t)length) != length)
                _exit(1);
        }
}

static void test_carried_descriptors(void **state)
{
    static char *const environment[] = {NULL};
    AUTO_FREE char *path = mem_printf("%s/carried", (char *)*state);
    AUTO_CLOSE int one = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    AUTO_CLOSE int not_carried = open(path, O_RDONLY); /* NOLINT: open in the child as well */
    assert_int_equal(ftruncate(one, 4711), 0);
    AUTO_CLOSE int low = dup3(one, 5, O_CLOEXEC) == 5 ? 5 : -1; /* where the second is to be */
    const struct child_body body = {
        .run = tell_descriptors, .carried = {low, one}, .carried_count = 2};
    struct child_process child;
    int status = 1;
    assert_true(child_process_fork(&body, environment, &child, NULL));
    assert_true(child_process_reap(&child, LONG_MS, &status));
    assert_int_equal(status, 0);
    char text[256] = "";
    assert_true(read(child.answers, text, sizeof(text) - 1) > 0);
    child_process_close(&child);
    assert_string_equal(text, "0:0 1:-1 2:-1 4:4711 5:4711 ");
    assert_true(not_carried >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_privileges),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_carried_descriptors),
    };
    return cmocka_run_group_tests_name("confine_unpacker", tests, make_tree, remove_tree);
}
