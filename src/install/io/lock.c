/* SPDX-License-Identifier: MIT */
#include "install/io/interrupt.h"
#include "install/io/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

static void on_alarm(int number)
{
    (void)number; /* flock(2) returns with EINTR, which is all that is wanted */
}

/* The alarm comes again and again: one that came before flock(2) had begun would be lost. A signal
 * that install/io/interrupt.h holds back ends the wait all the same; the alarm is not one of them.
 */
static int wait_for_lock(int fd, unsigned timeout_s)
{
    struct sigaction action = {.sa_handler = on_alarm}, before;
    const struct itimerval period = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
    const struct itimerval none = {.it_interval = {.tv_sec = 0}};
    sigset_t alarm, mask;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigaction(SIGALRM, &action, &before);
    sigprocmask(SIG_UNBLOCK, &alarm, &mask);
    setitimer(ITIMER_REAL, &period, NULL);
    int result = -1;
    errno = EINTR;
    for (unsigned second = 0; second < timeout_s && !interrupt_waits(); second++) {
        result = flock(fd, LOCK_EX);
        if (result == 0 || errno != EINTR)
            break;
    }
    int number = errno;
    setitimer(ITIMER_REAL, &none, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGALRM, &before, NULL);
    errno = result != 0 && number == EINTR ? EWOULDBLOCK : number;
    return result;
}

static void close_file_at(FILE **file)
{
    if (*file)
        fclose(*file);
}

/* "1: FLOCK  ADVISORY  WRITE 708 08:01:1234 0 EOF" (proc(5)); with "->" where one waits. */
static bool line_holds(char *line, const char *file, unsigned long long *ret_pid)
{
    enum { KIND = 1, PID = 4, FILE_ID = 5, COUNT };
    char *fields[COUNT], *rest = line;
    for (size_t i = 0; i < COUNT; i++)
        if ((fields[i] = strtok_r(i ? NULL : line, " \n", &rest)) == NULL)
            return false;
    return string_equal(fields[KIND], "FLOCK") && string_equal(fields[FILE_ID], file) &&
           string_to_unsigned(fields[PID], ret_pid);
}

/* 0: not told. */
static unsigned long long holder_of(int fd)
{
    AUTO(close_file_at) FILE *locks = fopen("/proc/locks", "re");
    struct stat status;
    char line[256], file[64];
    unsigned long long pid;
    if (locks == NULL || fstat(fd, &status) != 0)
        return 0;
    snprintf(file, sizeof(file), "%02x:%02x:%llu", major(status.st_dev), minor(status.st_dev),
             (unsigned long long)status.st_ino);
    while (fgets(line, sizeof(line), locks))
        if (line_holds(line, file, &pid))
            return pid;
    return 0;
}

static bool refuse_lock(const char *where, struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, errno, where, "cannot lock the directory");
    return error_next(error, "the file system, or the container's system call filter, refuses "
                             "flock(2): choose a place on another file system");
}

bool lock_directory(int fd, unsigned timeout_s, const char *where, struct error *error)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (errno == EWOULDBLOCK && timeout_s > 0 && wait_for_lock(fd, timeout_s) == 0)
        return true;
    if (errno != EWOULDBLOCK)
        return refuse_lock(where, error);
    unsigned long long pid = holder_of(fd);
    error_set(error, ERROR_BUSY, "another gpuenv is working there");
    error_where(error, "%s", where);
    if (pid > 0)
        error_why(error, "process %llu holds the lock", pid);
    return error_next(error, "wait for the other process to finish, or use --lock-timeout SEC");
}
