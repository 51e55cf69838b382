/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/text.h"
#include "host/can.h"
#include "host/child/confine.h"
#include "host/tree.h"

#define DROPPED (UINT64_C(1) << CAP_SYS_MODULE | UINT64_C(1) << CAP_MKNOD)

static uint64_t status_field(const char *name, int base)
{
    char text[8192] = "";
    AUTO_CLOSE int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        return UINT64_MAX;
    const char *field = strstr(text, name);
    return field ? strtoull(field + strlen(name), NULL, base) : UINT64_MAX;
}

static int check_privileges(const char *root)
{
    (void)root;
    uint64_t before = status_field("CapEff:", 16);
    bool filters = can_filter();
    apart(confine(NULL));
    apart(status_field("NoNewPrivs:", 10) == 1);
    apart(!filters || status_field("Seccomp:", 10) == 2);
    apart((status_field("CapEff:", 16) & DROPPED) == 0);
    apart((status_field("CapPrm:", 16) & DROPPED) == 0);
    apart((status_field("CapInh:", 16) & DROPPED) == 0);
    apart((status_field("CapAmb:", 16) & DROPPED) == 0);
    apart(getuid() != 0 || (status_field("CapBnd:", 16) & DROPPED) == 0);
    apart(status_field("CapEff:", 16) == (before & ~DROPPED)); /* and nothing else */
    return 0;
}

static void test_privileges(void **state)
{
    assert_int_equal(run_apart(check_privileges, *state), 0);
}

/* Raises both in the inheritable and the ambient set, from where an exec would take them. */
static bool raise_ambient(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    sets[0].inheritable |= (uint32_t)DROPPED;
    return syscall(SYS_capset, &header, sets) == 0 &&
           prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_MKNOD, 0, 0) == 0 &&
           prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_MODULE, 0, 0) == 0;
}

static int check_ambient(const char *root)
{
    if (!raise_ambient())
        return APART_SKIP;
    apart((status_field("CapAmb:", 16) & DROPPED) == DROPPED);
    return check_privileges(root);
}

/* Root that may not drop from the bounding set, as in some containers. */
static int check_no_setpcap(const char *root)
{
    (void)root;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0)
        return APART_SKIP;
    sets[0].permitted &= ~CAP_TO_MASK(CAP_SETPCAP);
    sets[0].effective &= ~CAP_TO_MASK(CAP_SETPCAP);
    if (syscall(SYS_capset, &header, sets) != 0)
        return APART_SKIP;
    apart(confine(NULL));
    apart((status_field("CapBnd:", 16) & DROPPED) == DROPPED);
    apart((status_field("CapPrm:", 16) & DROPPED) == 0);
    apart((status_field("CapEff:", 16) & DROPPED) == 0);
    return 0;
}

static int check_ordinary_user(const char *root)
{
    apart(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    apart(status_field("CapEff:", 16) == 0);
    return check_privileges(root);
}

static void test_privileges_of_root(void **state)
{
    if (getuid() != 0) {
        print_message("not root\n");
        skip();
    }
    assert_int_equal(run_apart(check_ambient, *state), 0);
    assert_int_equal(run_apart(check_no_setpcap, *state), 0);
    assert_int_equal(run_apart(check_ordinary_user, *state), 0);
}

/* What a call that is refused would have done is never done: each is made with arguments that
 * another refusal than the filter's would meet with another number. */
static const struct {
    const char *name;
    long number;
    int expected;
} refused[] = {
#ifdef SYS_fork
    {"fork", SYS_fork, EPERM},
    {"vfork", SYS_vfork, EPERM},
    {"mknod", SYS_mknod, EPERM},
    {"chmod", SYS_chmod, EPERM},
    {"chown", SYS_chown, EPERM},
#endif
    {"clone", SYS_clone, EPERM},
    {"clone3", 435, ENOSYS},
    {"execve", SYS_execve, EPERM},
    {"execveat", SYS_execveat, EPERM},
    {"setsid", SYS_setsid, EPERM},
    {"setpgid", SYS_setpgid, EPERM},
    {"unshare", SYS_unshare, EPERM},
    {"setns", SYS_setns, EPERM},
    {"ptrace", SYS_ptrace, EPERM},
    {"process_vm_writev", SYS_process_vm_writev, EPERM},
    {"bpf", SYS_bpf, EPERM},
    {"io_uring_setup", 425, EPERM},
    {"mknodat", SYS_mknodat, EPERM},
    {"fchmod", SYS_fchmod, EPERM},
    {"fchmodat", SYS_fchmodat, EPERM},
    {"fchmodat2", 452, EPERM},
    {"fchown", SYS_fchown, EPERM},
    {"fchownat", SYS_fchownat, EPERM},
    {"setxattr", SYS_setxattr, EPERM},
    {"truncate", SYS_truncate, EPERM},
    {"init_module", SYS_init_module, EPERM},
    {"finit_module", SYS_finit_module, EPERM},
    {"delete_module", SYS_delete_module, EPERM},
    {"kexec_load", SYS_kexec_load, EPERM},
    {"kexec_file_load", SYS_kexec_file_load, EPERM},
    {"reboot", SYS_reboot, EPERM},
    {"mount", SYS_mount, EPERM},
    {"umount2", SYS_umount2, EPERM},
    {"pivot_root", SYS_pivot_root, EPERM},
    {"chroot", SYS_chroot, EPERM},
    {"fsopen", 430, EPERM},
    {"swapon", SYS_swapon, EPERM},
    {"sethostname", SYS_sethostname, EPERM},
    {"settimeofday", SYS_settimeofday, EPERM},
    {"clock_settime", SYS_clock_settime, EPERM},
};

static int check_refused_calls(const char *root)
{
    (void)root;
    apart(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_calls());
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        errno = 0;
        long result = syscall(refused[i].number, 0, 0, 0, 0, 0, 0);
        if (result != -1 || errno != refused[i].expected) {
            print_message("%s: %ld, errno %d\n", refused[i].name, result, errno);
            return 1;
        }
    }
    return 0;
}

static int check_arguments(const char *root)
{
    (void)root;
    struct rlimit limit;
    pid_t parent = getppid();
    int pair[2];
    struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = parent};
    int pid = parent;
    apart(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_calls());
    static const int families[] = {AF_INET, AF_INET6, AF_PACKET, AF_VSOCK, AF_ALG, AF_UNSPEC, 4711};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        apart(socket(families[i], SOCK_STREAM, 0) == -1 && errno == EACCES);
        apart(socketpair(families[i], SOCK_STREAM, 0, pair) == -1 && errno == EACCES);
    }
    apart(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    apart(fcntl(pair[0], F_SETOWN, parent) == -1 && errno == EPERM);
    apart(fcntl(pair[0], F_SETOWN_EX, &owner) == -1 && errno == EPERM);
    apart(ioctl(pair[0], FIOSETOWN, &pid) == -1 && errno == EPERM);
    apart(fcntl(pair[0], F_GETOWN) == 0 && fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
    apart(ioctl(pair[0], FIONREAD, &pid) == 0);
    apart(prlimit(parent, RLIMIT_CORE, NULL, &limit) == -1 && errno == EPERM);
    apart(prlimit(0, RLIMIT_CORE, NULL, &limit) == 0);
    apart(prlimit(getpid(), RLIMIT_CORE, NULL, &limit) == 0);
    apart(getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
    apart(kill(parent, 0) == 0 && kill(getpid(), 0) == 0);
    return 0;
}

static int check_no_program(const char *root)
{
    pid_t pid;
    char *const argv[] = {(char *)"/bin/true", NULL};
    apart(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_calls());
    apart(fork() == -1 && errno == EPERM);
    apart(posix_spawn(&pid, argv[0], NULL, NULL, argv, argv + 1) == EPERM);
    apart(system("true") != 0);
    apart(popen("true", "r") == NULL);
    apart(execv(argv[0], argv) == -1 && errno == EPERM);
    (void)root;
    return 0;
}

static void *find_path(void *unused)
{
    (void)unused;
    return getenv("PATH");
}

/* What a library does all day. */
static int check_what_must_work(const char *root)
{
    (void)root;
    pthread_t thread;
    void *result = NULL;
    apart(confine(NULL));
    apart(pthread_create(&thread, NULL, find_path, NULL) == 0);
    apart(pthread_join(thread, &result) == 0 && result == getenv("PATH"));
    AUTO_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    apart(null >= 0 && write(null, "x", 1) == 1);
    AUTO_CLOSE int status = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    apart(status >= 0);
    AUTO_CLOSE int memory = (int)syscall(SYS_memfd_create, "x", 0);
    apart(memory >= 0 && ftruncate(memory, 4096) == 0);
    AUTO_CLOSE int route = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
    apart(route >= 0);
    AUTO_CLOSE int local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/gpuenv-none"};
    apart(connect(local, (struct sockaddr *)&address, sizeof(address)) == -1 && errno == ENOENT);
    cpu_set_t processors;
    apart(sched_getaffinity(0, sizeof(processors), &processors) == 0 &&
          sched_setaffinity(0, sizeof(processors), &processors) == 0);
    apart(signal(SIGUSR1, SIG_IGN) != SIG_ERR && raise(SIGUSR1) == 0 &&
          kill(getpid(), SIGUSR1) == 0);
    return 0;
}

static void test_calls(void **state)
{
    if (!can_filter()) {
        print_message("no seccomp(2) here\n");
        skip();
    }
    assert_int_equal(run_apart(check_refused_calls, *state), 0);
    assert_int_equal(run_apart(check_arguments, *state), 0);
    assert_int_equal(run_apart(check_no_program, *state), 0);
}

static void test_what_must_work(void **state)
{
    assert_int_equal(run_apart(check_what_must_work, *state), 0);
}

/* How a process ends that confines itself and then makes one call. */
static int end_of_call(long number, long a, long b, long c, long d)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit no_core = {1, 1};
        setrlimit(RLIMIT_CORE, &no_core);
        if (!confine(NULL))
            _exit(1);
        syscall(number, a, b, c, d);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void assert_ends(int status)
{
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
}

static void test_signals_to_others_end_the_process(void **state)
{
    (void)state;
    if (!can_filter()) {
        print_message("no seccomp(2) here\n");
        skip();
    }
    siginfo_t info = {.si_code = SI_QUEUE};
    long parent = getpid();
    long self = (long)syscall(434, getpid(), 0); /* pidfd_open */
    assert_ends(end_of_call(SYS_kill, parent, SIGKILL, 0, 0));
    assert_ends(end_of_call(SYS_kill, parent, SIGSTOP, 0, 0));
    assert_ends(end_of_call(SYS_kill, parent, SIGCONT, 0, 0));
    assert_ends(end_of_call(SYS_kill, -1, SIGCONT, 0, 0));
    assert_ends(end_of_call(SYS_kill, -parent, SIGCONT, 0, 0));
    assert_ends(end_of_call(SYS_kill, 1, SIGCONT, 0, 0));
    /* the kernel looks at 32 bits, and so does the filter */
    assert_ends(end_of_call(SYS_kill, parent | 1L << 32, SIGCONT, 0, 0));
    assert_ends(end_of_call(SYS_kill, 1L << 32 | 1, SIGCONT | 1L << 32, 0, 0));
    assert_ends(end_of_call(SYS_tkill, parent, SIGCONT, 0, 0));
    assert_ends(end_of_call(SYS_tgkill, parent, parent, SIGCONT, 0));
    assert_ends(end_of_call(SYS_rt_sigqueueinfo, parent, SIGCONT, (long)&info, 0));
    assert_ends(end_of_call(SYS_rt_tgsigqueueinfo, parent, parent, SIGCONT, (long)&info));
    assert_ends(end_of_call(424, self, SIGCONT, 0, 0)); /* pidfd_send_signal */
    assert_int_equal(end_of_call(SYS_kill, parent, 0, 0, 0), 0);
    assert_int_equal(end_of_call(SYS_kill, 0, 0, 0, 0), 0);
    if (self >= 0)
        close((int)self);
}

#ifdef __x86_64__
/* The other doors into the same kernel. */
static void test_other_architectures_end_the_process(void **state)
{
    (void)state;
    if (!can_filter()) {
        print_message("no seccomp(2) here\n");
        skip();
    }
    assert_ends(end_of_call(0x40000000L | SYS_getpid, 0, 0, 0, 0)); /* x32 */
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (!confine(NULL))
            _exit(1);
        long result = 20; /* getpid of i386 */
        __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    /* a kernel without i386 calls has no such door: a fault */
    assert_true(WIFSIGNALED(status));
    assert_true(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV);
}
#endif

static void *wait_to_be_named(void *pipe)
{
    char byte;
    ssize_t count = read(*(int *)pipe, &byte, 1);
    return count == 1 ? pipe : NULL;
}

/* As libcuda does it: the thread that makes another one names it, through /proc/self/task. */
static int check_thread_is_named(void)
{
    int pipe[2];
    char name[16] = "";
    pthread_t thread;
    apart(pipe2(pipe, O_CLOEXEC) == 0 &&
          pthread_create(&thread, NULL, wait_to_be_named, &pipe[0]) == 0);
    apart(pthread_setname_np(thread, "gpuenv-named") == 0);
    apart(pthread_getname_np(thread, name, sizeof(name)) == 0 && strcmp(name, "gpuenv-named") == 0);
    apart(write(pipe[1], "x", 1) == 1 && pthread_join(thread, NULL) == 0);
    return 0;
}

static int check_files(const char *root)
{
    AUTO_FREE char *file = mem_printf("%s/file", root);
    AUTO_FREE char *other = mem_printf("%s/other", root);
    AUTO_FREE char *directory = mem_printf("%s/directory", root);
    apart(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_files());
    apart(open(file, O_WRONLY) == -1 && errno == EACCES);
    apart(open(file, O_RDWR) == -1 && errno == EACCES);
    apart(open(file, O_WRONLY | O_TRUNC) == -1 && errno == EACCES);
    AUTO_CLOSE int kept = open(file, O_RDONLY | O_CLOEXEC);
    apart(kept >= 0 && ftruncate(kept, 0) == -1);
    apart(open(other, O_RDONLY | O_CREAT, 0600) == -1 && errno == EACCES);
    apart(mkdir(other, 0700) == -1 && errno == EACCES);
    apart(mkfifo(other, 0700) == -1 && errno == EACCES);
    apart(symlink("x", other) == -1 && errno == EACCES);
    apart(link(file, other) == -1 && (errno == EACCES || errno == EXDEV));
    apart(rename(file, other) == -1 && (errno == EACCES || errno == EXDEV));
    apart(unlink(file) == -1 && errno == EACCES);
    apart(rmdir(directory) == -1 && errno == EACCES);
    apart(open("/dev/gpuenv-confine-test", O_WRONLY | O_CREAT, 0600) == -1 && errno == EACCES);
    apart(open(root, O_WRONLY | O_TMPFILE, 0600) == -1 && errno == EACCES);
    char text[8] = "";
    AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC);
    apart(read(fd, text, sizeof(text)) == 5 && strcmp(text, "kept\n") == 0);
    AUTO_CLOSE int device = open("/dev/null", O_RDWR | O_CLOEXEC);
    apart(write(device, "x", 1) == 1);
    AUTO_CLOSE int again = open("/dev/zero", O_RDWR | O_CLOEXEC | O_TRUNC);
    apart(again >= 0);
    apart(check_thread_is_named() == 0);
    AUTO_FREE char *others = mem_printf("/proc/%ld/comm", (long)getppid());
    apart(open(others, O_WRONLY) == -1 && errno == EACCES);
    apart(open("/proc/self/oom_score_adj", O_WRONLY) == -1 && errno == EACCES);
    return 0;
}

static void test_files(void **state)
{
    if (!can_landlock()) {
        print_message("no Landlock here\n");
        skip();
    }
    run_in(*state, "echo kept > file; mkdir directory");
    assert_int_equal(run_apart(check_files, *state), 0);
    run_in(*state, "test \"$(cat file)\" = kept; test -d directory; test ! -e other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_privileges),
        cmocka_unit_test(test_privileges_of_root),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_what_must_work),
        cmocka_unit_test(test_signals_to_others_end_the_process),
#ifdef __x86_64__
        cmocka_unit_test(test_other_architectures_end_the_process),
#endif
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests_name("confine", tests, make_tree, remove_tree);
}
