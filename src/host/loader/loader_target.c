/* SPDX-License-Identifier: MIT */
#include "host/loader/loader_private.h"

#include <elf.h>
#include <string.h>

#include "base/text.h"

static const struct machine {
    uint16_t number;
    unsigned bits;
    const char *uname;
    const char *triplet;   /* Debian's name of the directory for libraries */
    const char *multiarch; /* $LIB there */
} machines[] = {
    {.number = EM_X86_64,
     .bits = 64,
     .uname = "x86_64",
     .triplet = "x86_64-linux-gnu",
     .multiarch = "lib/x86_64-linux-gnu"},
    {.number = EM_AARCH64,
     .bits = 64,
     .uname = "aarch64",
     .triplet = "aarch64-linux-gnu",
     .multiarch = "lib/aarch64-linux-gnu"},
    {.number = EM_PPC64,
     .bits = 64,
     .uname = "ppc64le",
     .triplet = "powerpc64le-linux-gnu",
     .multiarch = "lib/powerpc64le-linux-gnu"},
    {.number = EM_386,
     .bits = 32,
     .uname = "i686",
     .triplet = "i386-linux-gnu",
     .multiarch = "lib/i386-linux-gnu"},
    {.number = EM_ARM,
     .bits = 32,
     .uname = "armv7l",
     .triplet = "arm-linux-gnueabihf",
     .multiarch = "lib/arm-linux-gnueabihf"},
};

/* Programs first: loaders of other machines may be installed beside the system's own. */
static const char *const programs[] = {
    "/bin/sh",
    "/usr/bin/env",
    "/bin/ls",
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib64/ld64.so.2",
    "/lib/ld-linux-armhf.so.3",
    "/lib/ld-linux.so.2",
};

/* The processor flags (proc_cpuinfo names) behind each x86-64 level, lowest level first: psABI,
 * "Micro-Architecture Levels". A level counts only with those below it. */
static const struct {
    const char *name;
    const char *flags;
} levels[] = {
    {.name = "x86-64-v2", .flags = "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"},
    {.name = "x86-64-v3", .flags = "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"},
    {.name = "x86-64-v4", .flags = "avx512f avx512bw avx512cd avx512dq avx512vl"},
};

/* /proc/cpuinfo repeats the same flags for every processor: the first one is enough. */
#define CPUINFO_SIZE 8192

static bool machine_from_programs(const struct host *host, struct loader_target *target)
{
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        AUTO_TEXT struct text head = {0};
        if (host_read_head(host, programs[i], sizeof(Elf64_Ehdr), &head, NULL) == HOST_OK &&
            loader_head_machine(text_string(&head), head.size, &target->machine, &target->bits))
            return true;
    }
    return false;
}

static void machine_from_uname(const struct host *host, struct loader_target *target)
{
    struct host_kernel kernel;
    if (!host_is_live(host) || !host_kernel(host, &kernel))
        return;
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (string_equal(machines[i].uname, kernel.machine)) {
            target->machine = machines[i].number;
            target->bits = machines[i].bits;
        }
    }
}

static const struct machine *find_machine(const struct loader_target *target)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].number == target->machine && machines[i].bits == target->bits)
            return &machines[i];
    }
    return NULL;
}

/* True when directory holds the C library itself and not a link to a directory of another name
 * (Arch: /lib64 is /usr/lib). */
static bool holds_libc(const struct host *host, const char *directory, const char *name)
{
    AUTO_FREE char *libc = mem_printf("%s/libc.so.6", directory);
    AUTO_FREE char *real_path = NULL;
    AUTO_FREE char *part = mem_printf("/%s/", name);
    return host_real_path(host, libc, &real_path, NULL) == HOST_OK &&
           strstr(real_path, part) != NULL;
}

static bool either_holds_libc(const struct host *host, const char *name, const char *last)
{
    AUTO_FREE char *first = mem_printf("/%s", name);
    AUTO_FREE char *second = mem_printf("/usr/%s", name);
    return holds_libc(host, first, last) || holds_libc(host, second, last);
}

static void add_both(struct strlist *directories, const char *name)
{
    strlist_take(directories, mem_printf("/%s", name));
    strlist_take(directories, mem_printf("/usr/%s", name));
}

/* The default directories are compiled into the loader: where the C library is tells which. Debian
 * and its kin have /lib/TRIPLET, Fedora and SUSE /lib64, others /lib alone. */
static void find_defaults(const struct host *host, struct loader_target *target)
{
    const struct machine *machine = find_machine(target);
    target->platform = machine ? machine->uname : "";
    target->lib = target->bits == 32 ? "lib" : "lib64";
    if (machine && either_holds_libc(host, machine->multiarch, machine->triplet)) {
        target->lib = machine->multiarch;
        add_both(&target->defaults, machine->multiarch);
        add_both(&target->defaults, "lib");
        return;
    }
    bool lib64 = target->bits != 32 && either_holds_libc(host, "lib64", "lib64");
    bool lib = !lib64 && either_holds_libc(host, "lib", "lib");
    if (lib)
        target->lib = "lib";
    if (!lib && target->bits != 32)
        add_both(&target->defaults, "lib64");
    if (!lib64)
        add_both(&target->defaults, "lib");
}

static bool has_word(const char *line, const char *word, size_t length)
{
    for (const char *at = line; (at = strstr(at, " ")) != NULL;) {
        at++;
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool has_all_words(const char *line, const char *words)
{
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (!has_word(line, words, length))
            return false;
        words += length;
        words += strspn(words, " ");
    }
    return true;
}

/* glibc asks the processor; the kernel's list of its flags says the same, and also leaves out
 * what the kernel has switched off. On a tree the processor is not known. */
static void find_levels(const struct host *host, struct loader_target *target)
{
    AUTO_TEXT struct text cpuinfo = {0};
    if (!host_is_live(host) || target->machine != EM_X86_64 || target->bits != 64 ||
        host_read_head(host, "/proc/cpuinfo", CPUINFO_SIZE, &cpuinfo, NULL) != HOST_OK)
        return;
    char *cursor = cpuinfo.data;
    for (char *line; cursor != NULL && (line = string_next_line(&cursor)) != NULL;) {
        if (!string_starts(line, "flags"))
            continue;
        size_t count = 0;
        while (count < sizeof(levels) / sizeof(levels[0]) &&
               has_all_words(line, levels[count].flags))
            count++;
        while (count > 0)
            strlist_add(&target->levels, levels[--count].name);
        return;
    }
}

void loader_target_find(const struct host *host, struct loader_target *ret_target)
{
    struct loader_target target = {0};
    if (!machine_from_programs(host, &target))
        machine_from_uname(host, &target);
    find_defaults(host, &target);
    find_levels(host, &target);
    *ret_target = target;
}

void loader_target_free(struct loader_target *target)
{
    strlist_free(&target->defaults);
    strlist_free(&target->levels);
    *target = (struct loader_target){0};
}
