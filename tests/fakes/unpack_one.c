/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit.h"
#include "install/unpack/unpack.h"

/* Unpacks one archive as gpuenv-install does, for tests of hostile ones:
 *   unpack-one [OPTION…] ARCHIVE TOP DIRECTORY
 * prints a line for each member (type, mode, size, digest, path, target), and ends as gpuenv would:
 * its exit code, its words on stderr. What is wanted is what ARCHIVE is, but with --size, --sha256.
 */

struct wish {
    struct unpack_job job;
    const char *only;
};

static bool keeps(const void *context, const char *path, bool is_directory)
{
    return !is_directory && fnmatch(context, path, 0) == 0;
}

static uint64_t number_of(const char *text)
{
    unsigned long long number = 0;
    if (!string_to_unsigned(text, &number)) {
        fprintf(stderr, "unpack-one: %s is not a number\n", text);
        exit(EXIT_USAGE);
    }
    return number;
}

static void take_option(int option, const char *value, struct wish *wish)
{
    switch (option) {
    case 'f':
        wish->job.limits.files = number_of(value);
        break;
    case 'b':
        wish->job.limits.bytes = number_of(value);
        break;
    case 'r':
        wish->job.limits.ratio = (unsigned)number_of(value);
        break;
    case 'd':
        wish->job.limits.dictionary = number_of(value);
        break;
    case 's':
        wish->job.size = number_of(value);
        break;
    case 'h':
        if (!digest_parse(value, &wish->job.sha256))
            exit(EXIT_USAGE);
        break;
    case 'o':
        wish->only = value;
        break;
    default:
        exit(EXIT_USAGE);
    }
}

static void print_member(const struct unpack_member *member)
{
    static const char types[] = "FDL";
    char hex[DIGEST_HEX_SIZE];
    printf("%c %04o", types[member->type], member->mode);
    if (member->type == UNPACK_FILE)
        printf(" %" PRIu64 " %s", member->size, digest_hex(&member->sha256, hex));
    printf(" %s", member->path);
    if (member->target)
        printf(" -> %s", member->target);
    putchar('\n');
}

static int refuse(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    error_format(error, &text);
    fprintf(stderr, "%s\n", text_string(&text));
    return (int)exit_code_of(error->kind);
}

static int finish(bool ok, const struct unpack_result *result, const struct error *error)
{
    char hex[DIGEST_HEX_SIZE];
    if (ok) {
        printf("cage files=%d calls=%d\n", result->cage.files, result->cage.calls);
        for (size_t i = 0; i < result->count; i++)
            print_member(&result->members[i]);
        return 0;
    }
    if (!result->digest_differs)
        return refuse(error);
    printf("differs %" PRIu64 " %s\n", result->found_size, digest_hex(&result->found, hex));
    return EXIT_DATA;
}

static int run(const struct unpack_job *job)
{
    AUTO_ERROR struct error error = {0};
    struct unpack_result result = {.count = 0};
    bool ok = false;
    struct unpack *unpack = unpack_start(job, &error);
    if (unpack == NULL)
        return refuse(&error);
    do {
        struct pollfd ready = {.fd = unpack_fd(unpack), .events = POLLIN};
        poll(&ready, 1, -1);
    } while (!unpack_take(unpack, &ok, &result, &error));
    unpack_free(unpack);
    int code = finish(ok, &result, &error);
    unpack_result_free(&result);
    return code;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"files", required_argument, NULL, 'f'}, {"bytes", required_argument, NULL, 'b'},
        {"ratio", required_argument, NULL, 'r'}, {"dictionary", required_argument, NULL, 'd'},
        {"size", required_argument, NULL, 's'},  {"sha256", required_argument, NULL, 'h'},
        {"only", required_argument, NULL, 'o'},  {NULL, 0, NULL, 0},
    };
    AUTO_ERROR struct error error = {0};
    struct wish wish = {.job.limits = unpack_limits_default};
    int words = 1;
    while (words < argc && strncmp(argv[words], "--", 2) == 0)
        words += 2;
    if (argc - words != 3)
        return EXIT_USAGE;
    const char *archive = argv[words], *slash = strrchr(archive, '/');
    AUTO_CLOSE int file = open(archive, O_RDONLY | O_CLOEXEC);
    AUTO_CLOSE int directory = open(argv[words + 2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    wish.job.archive_fd = file;
    wish.job.directory_fd = directory;
    wish.job.name = slash ? slash + 1 : archive;
    wish.job.top = argv[words + 1];
    if (file < 0 || directory < 0 || !unpack_format_of(archive, &wish.job.format)) {
        fprintf(stderr, "unpack-one: cannot open what is named, or no format of that name\n");
        return EXIT_USAGE;
    }
    if (!digest_of_file(file, UINT64_MAX, archive, &wish.job.sha256, &wish.job.size, &error))
        return refuse(&error);
    for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;)
        take_option(option, optarg, &wish);
    if (wish.only) {
        wish.job.keeps = keeps;
        wish.job.context = wish.only;
    }
    return run(&wish.job);
}
