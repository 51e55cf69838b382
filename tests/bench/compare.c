/* SPDX-License-Identifier: MIT */
/*
 * compare ROUNDS COMMAND… -- COMMAND…: runs the two commands by turns, ROUNDS times each, in one
 * run on one machine, so that both meet the same noise, and prints for each the median time and the
 * largest peak memory, and the ratio of the medians. The commands' output goes to /dev/null.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 1000

struct series {
    char **command;
    double milliseconds[ROUNDS_MAX];
    long peak_kib;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void run_child(char **command)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execv(command[0], command);
    _exit(127);
}

static void run_once(struct series *series, int round)
{
    double start = now_ms();
    pid_t pid = fork();
    if (pid == 0)
        run_child(series->command);
    int status;
    struct rusage usage;
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 127) {
        fprintf(stderr, "compare: cannot run %s\n", series->command[0]);
        exit(70);
    }
    series->milliseconds[round] = now_ms() - start;
    if (usage.ru_maxrss > series->peak_kib)
        series->peak_kib = usage.ru_maxrss;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double report(struct series *series, int rounds)
{
    qsort(series->milliseconds, (size_t)rounds, sizeof(double), compare_doubles);
    double median = series->milliseconds[rounds / 2];
    printf("median %7.2f ms  fastest %7.2f ms  peak %6.1f MiB ", median, series->milliseconds[0],
           (double)series->peak_kib / 1024);
    for (char **word = series->command; *word; word++)
        printf(" %s", *word);
    printf("\n");
    return median;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    int split = 2;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (rounds < 1 || rounds > ROUNDS_MAX || split == 2 || split + 1 >= argc) {
        fprintf(stderr, "usage: compare ROUNDS COMMAND... -- COMMAND...\n");
        return 64;
    }
    argv[split] = NULL;
    static struct series first, second;
    first.command = argv + 2;
    second.command = argv + split + 1;
    for (int round = 0; round < rounds; round++) {
        run_once(&first, round);
        run_once(&second, round);
    }
    double a = report(&first, rounds);
    double b = report(&second, rounds);
    printf("ratio  %.2f\n", a / b);
    return 0;
}
