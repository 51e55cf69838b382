/* SPDX-License-Identifier: MIT */
#include "install/io/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int numbers[] = {SIGINT,    SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,  SIGALRM,
                              SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,   SIGPWR,  SIGSTKFLT};

static void hold(int number, sigset_t *set)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

static void signals_held(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        hold(numbers[i], ret_set);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        hold(number, ret_set);
}

bool interrupt_waits(void)
{
    sigset_t pending, held;
    signals_held(&held);
    return sigpending(&pending) == 0 && sigandset(&held, &held, &pending) == 0 &&
           !sigisemptyset(&held);
}

bool interrupt_hold(struct interrupt *ret_interrupt, struct error *error)
{
    sigset_t set;
    signals_held(&set);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0 || sigprocmask(SIG_BLOCK, &set, NULL) != 0) {
        error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot wait for signals");
        if (fd >= 0)
            close(fd);
        return false;
    }
    *ret_interrupt = (struct interrupt){.fd = fd};
    return true;
}

bool interrupt_came(struct interrupt *interrupt, struct error *error)
{
    struct signalfd_siginfo info;
    sigset_t set;
    if (interrupt->number == 0) {
        if (interrupt->fd < 0 || read(interrupt->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
            return false;
        interrupt->number = (int)info.ssi_signo;
        signals_held(&set);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    const char *name = sigabbrev_np(interrupt->number);
    error_set(error, ERROR_INTERRUPTED, name ? "interrupted by SIG%s" : "interrupted by a signal",
              name);
    return true;
}

void interrupt_end(int number)
{
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}
