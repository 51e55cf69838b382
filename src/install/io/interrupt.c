/* SPDX-License-Identifier: MIT */
#include "install/io/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SIGNAL(name)                                                                               \
    {                                                                                              \
        name, #name                                                                                \
    }
/* With their names: sigabbrev_np(3) is in glibc since 2.32. */
static const struct {
    int number;
    const char *name;
} signals[] = {
    SIGNAL(SIGINT),  SIGNAL(SIGTERM), SIGNAL(SIGHUP),    SIGNAL(SIGQUIT), SIGNAL(SIGUSR1),
    SIGNAL(SIGUSR2), SIGNAL(SIGALRM), SIGNAL(SIGVTALRM), SIGNAL(SIGPROF), SIGNAL(SIGXCPU),
    SIGNAL(SIGIO),   SIGNAL(SIGPWR),  SIGNAL(SIGSTKFLT),
};
#define SIGNALS (sizeof(signals) / sizeof(*signals))

static const char *name_of(int number)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            return signals[i].name;
    return "a signal";
}

static void hold(int number, sigset_t *set)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

static void signals_held(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    for (size_t i = 0; i < SIGNALS; i++)
        hold(signals[i].number, ret_set);
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
    error_set(error, ERROR_INTERRUPTED, "interrupted by %s", name_of(interrupt->number));
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
