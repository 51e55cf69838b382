/* SPDX-License-Identifier: MIT */
/* In WSL the driver is Windows's: it has no kernel module, no DKMS, no log of its own, and the
 * distribution is not booted by itself. */
#include "properties/place.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "manifest/error/error.h"
#include "properties/take.h"

#define MILLION 1000000

/* What a fix for such a host has, in its command or note. */
static const char *const words_of_hosts[] = {
    "modprobe",
    "rmmod",
    "insmod",
    "depmod",
    "dkms",
    "mokutil",
    "initramfs",
    "dracut",
    "grub",
    "dmesg",
    "kernel log",
    "kernel's log",
    "ubuntu-drivers",
    "linux-headers",
    "kernel-devel",
    "nouveau",
    "nvidia-driver",
    "cuda-drivers",
    "nvidia-open",
    "nvidia-persistenced",
    "Secure Boot",
    "/proc/driver",
    "/sys/bus/pci",
    "lspci",
    "nvidia-smi --gpu-reset",
    "sudo reboot",
    "and reboot",
    "then reboot",
    "BIOS",
    "kernel's command line",
    "nvidia-dkms",
    "uvm",
    "/etc/modules-load.d",
};

/* What they may stand in all the same: the fix removes it, or says that it must not be done. */
static const char *const allowed[] = {
    "apt-get remove",
    "never install a Linux driver",
};

static bool has_any(const char *text, const char *const *words, size_t count, const char **ret_word)
{
    for (size_t i = 0; text && i < count; i++)
        if (strstr(text, words[i])) {
            *ret_word = words[i];
            return true;
        }
    return false;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What makes it one for a host; NULL: nothing does. */
static const char *misfit(const struct finding_fix *fix)
{
    const char *word = NULL;
    if (has_any(fix->command, allowed, COUNT(allowed), &word))
        return NULL;
    if (fix->reboot || fix->kind == FIX_REBOOT)
        return "a reboot";
    if (has_any(fix->command, words_of_hosts, COUNT(words_of_hosts), &word))
        return word;
    if (!has_any(fix->note, allowed, COUNT(allowed), &word) &&
        has_any(fix->note, words_of_hosts, COUNT(words_of_hosts), &word))
        return word;
    return NULL;
}

struct variation {
    struct place_run *run;
    const struct machine *machine;
    const char *what; /* was changed */
};

static void check_finding(const struct variation *variation, const struct finding *finding)
{
    for (size_t i = 0; i < finding->fix_count; i++) {
        const struct finding_fix *fix = &finding->fixes[i];
        const char *word = misfit(fix);
        if (word == NULL)
            continue;
        printf("place\t%s %s\t%s\t%s: %s\t%s\n", finding->code, variation->what,
               variation->machine->name, finding->cause, word,
               fix->command ? fix->command : fix->note);
        variation->run->violations++;
    }
}

static void judge(const struct variation *variation, const struct facts *facts)
{
    static const char *const purposes[] = {"run", "build", "container"};
    for (size_t i = 0; i < COUNT(purposes); i++) {
        AUTO_STRLIST struct strlist words = {0};
        strlist_add(&words, "doctor");
        strlist_add(&words, "--for");
        strlist_add(&words, purposes[i]);
        struct machine machine = *variation->machine;
        machine.words = words;
        struct judgement *judgement = machine_judge(&machine, facts);
        for (size_t k = 0; k < judgement->finding_count; k++)
            check_finding(variation, judgement->findings[k]);
        judgement_free(judgement);
        variation->run->variations++;
    }
}

static bool every_group(const char *group)
{
    (void)group;
    return true;
}

static struct facts *copy_of(const struct place_run *run, const struct facts *facts)
{
    struct facts *copy = facts_new();
    facts_copy(copy, facts, every_group);
    if (run->plant)
        facts_set_absent(copy, "machine", "wsl", TAKEN);
    return copy;
}

/* What only the record's own place decides. */
static bool is_of_place(const char *group)
{
    static const char *const kinds[] = {"machine", "os", "container", "assumed"};
    size_t length = strcspn(group, "/");
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (strlen(kinds[i]) == length && strncmp(kinds[i], group, length) == 0)
            return true;
    return false;
}

/* False: it cannot be turned. */
static bool turn(struct facts *facts, const char *group, const struct fact *fact)
{
    if (fact->state != FACT_VALUE)
        return false;
    AUTO_FREE char *source = mem_string(fact->source);
    if (fact->type == FACT_BOOLEAN)
        facts_set_boolean(facts, group, fact->name, !fact->boolean, source);
    else if (fact->type == FACT_INTEGER)
        facts_set_integer(facts, group, fact->name, fact->integer ? 0 : 1, source);
    else
        return false;
    return true;
}

static void change_one(const struct variation *whole, const char *group, const char *name)
{
    for (int how = 0; how < 3; how++) {
        struct facts *copy = copy_of(whole->run, whole->machine->facts);
        const struct fact *fact = facts_get(copy, group, name);
        AUTO_FREE char *what = mem_printf("%s.%s", group, name);
        struct variation variation = {whole->run, whole->machine, what};
        bool changed = true;
        if (how == 0)
            facts_set_absent(copy, group, name, TAKEN);
        else if (how == 1)
            facts_set_unknown(copy, group, name, TAKEN, TAKEN);
        else
            changed = turn(copy, group, fact);
        if (changed)
            judge(&variation, copy);
        facts_free(copy);
    }
}

static void change_each(const struct variation *whole)
{
    const struct facts *facts = whole->machine->facts;
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        for (size_t k = 0; !is_of_place(group) && k < facts_count(facts, group); k++)
            if (random_below(&whole->run->random, MILLION) < whole->run->share)
                change_one(whole, group, facts_at(facts, group, k)->name);
    }
}

/* Each number that CUDA and NVML may end with. */
static void fail_each(const struct variation *whole)
{
    static const char *const groups[] = {"answer/libcuda.so.1", "answer/libnvidia-ml.so.1"};
    for (size_t i = 0; i < COUNT(groups); i++)
        for (int number = 1; number < 1000; number++) {
            if (manifest_error(whole->machine->manifest, i == 0 ? ERRORS_CUDA : ERRORS_NVML,
                               number) == NULL)
                continue;
            struct facts *copy = copy_of(whole->run, whole->machine->facts);
            AUTO_FREE char *what = mem_printf("%s.init=%d", groups[i], number);
            struct variation variation = {whole->run, whole->machine, what};
            facts_set_integer(copy, groups[i], "init", number, "init");
            facts_set_absent(copy, groups[i], "init_name", "init");
            judge(&variation, copy);
            facts_free(copy);
        }
}

static const char *given; /* the kind that is copied */

static bool is_given(const char *group)
{
    size_t length = strlen(given);
    return strncmp(group, given, length) == 0 && (group[length] == '/' || group[length] == '\0');
}

/* The machine with another one's facts of each kind. */
static void give_each(const struct variation *whole, const struct machine *other)
{
    AUTO_STRLIST struct strlist kinds = {0};
    for (size_t i = 0; i < facts_group_count(other->facts); i++) {
        const char *group = facts_group_at(other->facts, i);
        AUTO_FREE char *kind = mem_string_n(group, strcspn(group, "/"));
        if (!is_of_place(kind))
            strlist_add_new(&kinds, kind);
    }
    for (size_t i = 0; i < kinds.count; i++) {
        if (random_below(&whole->run->random, MILLION) >= whole->run->share)
            continue;
        struct facts *copy = copy_of(whole->run, whole->machine->facts);
        AUTO_FREE char *what = mem_printf("%s of %s", kinds.items[i], other->name);
        struct variation variation = {whole->run, whole->machine, what};
        given = kinds.items[i];
        facts_copy(copy, other->facts, is_given);
        judge(&variation, copy);
        facts_free(copy);
    }
}

static bool is_wsl(const struct machine *machine)
{
    int64_t generation;
    return facts_integer(machine->facts, "machine", "wsl", &generation);
}

void place_check(struct place_run *run, const struct machine *machines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_wsl(&machines[i]))
            continue;
        struct variation whole = {run, &machines[i], "nothing"};
        struct facts *copy = copy_of(run, machines[i].facts);
        judge(&whole, copy);
        facts_free(copy);
        change_each(&whole);
        fail_each(&whole);
        for (size_t k = 0; k < count; k++)
            if (k != i)
                give_each(&whole, &machines[k]);
        run->machines++;
    }
}
