/* SPDX-License-Identifier: MIT */
/* The user without rights of tests/faults/racer. In a directory of his he exchanges names, as fast
 * as he can, until SIGTERM, and then prints how often he did. "racer swap DIR NAME OTHER" exchanges
 * DIR/NAME and DIR/OTHER; "racer chase DIR TARGET" exchanges whatever appears in DIR for a moment
 * with a link to TARGET. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char own_link[] = "~link";
static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

static bool exchange(int fd, const char *one, const char *other)
{
    return renameat2(fd, one, fd, other, RENAME_EXCHANGE) == 0;
}

static unsigned long swap(int fd, const char *one, const char *other)
{
    unsigned long count = 0;
    while (!ended)
        count += exchange(fd, one, other);
    return count;
}

/* There, and back: what is left under its name at the end is what was there. */
static unsigned long chase(int fd, const char *target)
{
    unsigned long count = 0;
    while (!ended) {
        int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
        const struct dirent *entry;
        if (directory == NULL)
            return count;
        symlinkat(target, fd, own_link);
        while ((entry = readdir(directory)) != NULL)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                strcmp(entry->d_name, own_link) != 0 && exchange(fd, entry->d_name, own_link)) {
                count++;
                exchange(fd, entry->d_name, own_link);
            }
        closedir(directory);
    }
    return count;
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = end};
    bool swaps = argc == 5 && strcmp(argv[1], "swap") == 0;
    if (!swaps && !(argc == 4 && strcmp(argv[1], "chase") == 0)) {
        fputs("usage: racer swap DIR NAME OTHER | racer chase DIR TARGET\n", stderr);
        return 64;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(SIGTERM, &action, NULL);
    int fd = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        perror(argv[2]);
        return 66;
    }
    printf("%lu\n", swaps ? swap(fd, argv[3], argv[4]) : chase(fd, argv[3]));
    return 0;
}
