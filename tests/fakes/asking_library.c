/* SPDX-License-Identifier: MIT */
/* A vendor library at its worst: asking_test.c compiles this, with what happens on its own (when it
 * is loaded or unloaded) switched on by a macro. It knows nothing of gpuenv. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int answer(void), segv(void), fpe(void), abort_now(void), exit_0(void), exit_3(void);
int quick_exit_4(void), nap(void), spin(void), stop(void), deaf(void), print(void), flood(void);
int flood_everything(void), close_all(void), garbage(void), fork_child(void), escape(void);
int run_program(void), kill_parent(void), stop_parent(void), kill_all(void), queue_parent(void);
int ask_for_parent(void), raise_own(void), own_signal(void), tcp_socket(void), unix_socket(void);
int make_node(void), make_file(void), threads(void), jump(void), own_session(void);
int environment(void), leave_partial(void), raise_core(void), many_descriptors(void);

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void load(void)
{
    raise(CONSTRUCTOR);
    *(volatile int *)8 = 1;
}
#endif
#ifdef ABORT_AT_EXIT
__attribute__((destructor)) static void unload(void)
{
    abort();
}
static void at_exit(void)
{
    abort();
}
__attribute__((constructor)) static void load(void)
{
    atexit(at_exit);
}
#endif

static pid_t parent;

__attribute__((constructor)) static void know_parent(void)
{
    parent = getppid();
}

int answer(void)
{
    return 42;
}

int segv(void)
{
    *(volatile int *)8 = 1;
    return 0;
}

int fpe(void)
{
    raise(SIGFPE);
    return 0;
}

int abort_now(void)
{
    abort();
}

int exit_0(void)
{
    exit(0);
}

int exit_3(void)
{
    exit(3);
}

int quick_exit_4(void)
{
    quick_exit(4);
}

int nap(void)
{
    for (;;)
        pause();
}

int spin(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

int stop(void)
{
    raise(SIGSTOP);
    return 0;
}

int deaf(void)
{
    sigset_t all;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    return nap();
}

int print(void)
{
    for (int i = 0; i < 10 * 1024 * 1024 / 32; i++)
        printf("\033[31m%%n%%s \r\xff\x01 %015d\n", i);
    fprintf(stderr, "done\n");
    return 0;
}

int flood(void)
{
    char block[65536];
    memset(block, 'y', sizeof(block));
    for (;;)
        if (write(1, block, sizeof(block)) < 0)
            return 1;
}

int leave_partial(void)
{
    printf("no end of line");
    exit(5);
}

int close_all(void)
{
    for (int fd = 0; fd < 70000; fd++)
        close(fd);
    return 0;
}

/* To what is open and is no terminal or file: pipes, whose ever they are. */
static void write_everywhere(const char *block, size_t size)
{
    for (int fd = 1; fd < 5000; fd++) {
        ssize_t written = write(fd, block, size);
        (void)written;
    }
}

int garbage(void)
{
    char block[3000];
    for (size_t i = 0; i < sizeof(block); i++)
        block[i] = (char)(i * 7 % 256);
    for (int i = 0; i < 50; i++)
        write_everywhere(block, sizeof(block));
    write_everywhere("\n\036", 2);
    write_everywhere("no newline at the end", 21);
    return 0;
}

int flood_everything(void)
{
    static char block[65536];
    memset(block, 'y', sizeof(block));
    for (;;)
        write_everywhere(block, sizeof(block));
}

/* Each of these returns the errno it met, or -1 when it could do what it should not. */

int fork_child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        nap();
    return pid < 0 ? errno : -1;
}

int escape(void)
{
    pid_t pid = vfork();
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        return -1;
    return setsid() < 0 ? errno : -1;
}

int run_program(void)
{
    char *const argv[] = {(char *)"/bin/true", NULL};
    if (system("exit 0") == 0)
        return -1;
    execv(argv[0], argv);
    return errno;
}

int kill_parent(void)
{
    return kill(parent, SIGKILL);
}

int stop_parent(void)
{
    return kill(parent, SIGSTOP);
}

int kill_all(void)
{
    return kill(-1, SIGKILL);
}

int queue_parent(void)
{
    union sigval value = {.sival_int = 1};
    return sigqueue(parent, SIGTERM, value);
}

int ask_for_parent(void)
{
    return kill(parent, 0) == 0 || errno == EPERM ? 0 : errno;
}

static volatile sig_atomic_t seen;

static void note(int number)
{
    (void)number;
    seen++;
}

int own_signal(void)
{
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    kill(0, SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR1);
    return seen == 4 ? 0 : -1;
}

int raise_own(void)
{
    raise(SIGTERM);
    return 0;
}

int tcp_socket(void)
{
    int families[] = {AF_INET, AF_INET6, AF_PACKET};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (socket(families[i], SOCK_STREAM, 0) >= 0 || errno != EACCES)
            return -1;
    return EACCES;
}

int unix_socket(void)
{
    int pair[2];
    return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 && socket(AF_NETLINK, SOCK_RAW, 0) >= 0 &&
                   socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0
               ? 0
               : -1;
}

int make_node(void)
{
    if (mknod("/dev/gpuenv-test", S_IFCHR | 0600, 1 << 8 | 3) == 0)
        return -1;
    return errno == EACCES ? EPERM : errno; /* by whichever of the two that forbid it */
}

int make_file(void)
{
    return open("/tmp/gpuenv-asking-test", O_WRONLY | O_CREAT, 0600) >= 0 ? -1 : errno;
}

static void *add(void *count)
{
    __atomic_add_fetch((int *)count, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int threads(void)
{
    int count = 0;
    pthread_t ids[20];
    for (int i = 0; i < 20; i++)
        if (pthread_create(&ids[i], NULL, add, &count) != 0)
            return -1;
    for (int i = 0; i < 20; i++)
        pthread_join(ids[i], NULL);
    return count == 20 ? 0 : -1;
}

int jump(void)
{
    jmp_buf here;
    if (setjmp(here) == 0)
        longjmp(here, 1);
    return 0;
}

int own_session(void)
{
    return getsid(0) == getpid() && getpgrp() == getpid() ? 0 : -1;
}

extern char **environ;

int environment(void)
{
    for (char **entry = environ; *entry; entry++)
        puts(*entry);
    return 0;
}

int raise_core(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    return limit.rlim_cur <= 1 && limit.rlim_max <= 1 ? 0 : -1;
}

int many_descriptors(void)
{
    int last = -1;
    for (int fd; (fd = open("/dev/null", O_RDWR)) >= 0;)
        last = fd;
    return errno == EMFILE && last < 4096 ? 0 : -1;
}
