/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#include "base/path.h"
#include "host/elf/elf.h"
#include "probe/library/library_needed.h"
#include "probe/library/library_scan.h"
#include "probe/library/library_version.h"

/* What the libraries of one machine share while they are noted. */
struct library_work {
    const struct host *host;
    const struct loader *loader;
    const struct library_scan *scan;
    struct library_memo versions;
    struct needed_memo needed;
    struct facts *facts;
};

static void note_version(struct library_work *work, const struct library_copy *copy,
                         const char *soname, const char *group)
{
    struct version version;
    AUTO_FREE char *source = NULL;
    if (!library_version(work->host, copy, soname, &work->versions, &version, &source)) {
        facts_set_absent(work->facts, group, "version", copy->path);
        return;
    }
    char buffer[VERSION_TEXT_SIZE];
    facts_set_string(work->facts, group, "version", version_text(&version, 0, buffer), source);
}

static void note_unresolved(struct library_work *work, const struct library_copy *copy,
                            const struct elf_info *elf, const char *group)
{
    if (elf->machine != loader_machine(work->loader) || elf->bits != loader_bits(work->loader)) {
        facts_set_skipped(work->facts, group, "unresolved",
                          "not for the architecture of this system's programs", copy->path);
        return;
    }
    AUTO_STRLIST struct strlist unresolved = {0};
    if (!library_unresolved(work->loader, copy->path, elf, &work->needed, &unresolved))
        facts_set_unknown(work->facts, group, "unresolved",
                          "the libraries here need more library names than gpuenv searches for",
                          copy->path);
    else
        facts_set_list(work->facts, group, "unresolved", &unresolved, copy->path);
}

static void note_elf(struct library_work *work, const struct library_copy *copy,
                     const struct elf_info *elf, const char *group)
{
    char buffer[24];
    facts_set_string(work->facts, group, "soname", elf->soname, copy->path);
    note_version(work, copy, elf->soname, group);
    facts_set_string(work->facts, group, "architecture",
                     elf_machine_name(elf->machine, elf->bits, buffer), copy->path);
    facts_set_string(work->facts, group, "build_id", elf->build_id, copy->path);
    facts_set_string(work->facts, group, "glibc_needed", elf->glibc_needed, copy->path);
    note_unresolved(work, copy, elf, group);
}

/* The file is there by name and no library: what says so is the reason of all that it lacks. */
static void note_broken(struct library_work *work, const struct library_copy *copy,
                        const char *reason, const char *group)
{
    static const char *const names[] = {"soname", "architecture", "build_id", "glibc_needed",
                                        "unresolved"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        facts_set_unknown(work->facts, group, names[i], reason, copy->path);
    facts_set_unknown(work->facts, group, "version", reason, copy->path);
}

static void note_file(struct library_work *work, const struct library_copy *copy, const char *group)
{
    AUTO_ERROR struct error error = {0};
    AUTO_ELF struct elf_info elf = {0};
    if (copy->broken) {
        note_broken(work, copy, copy->broken, group);
    } else if (elf_read(work->host, copy->path, &elf, &error) != HOST_OK) {
        AUTO_FREE char *reason = mem_printf("%s%s%s", error.what ? error.what : "cannot be read",
                                            error.why ? ": " : "", error.why ? error.why : "");
        note_broken(work, copy, reason, group);
    } else {
        note_elf(work, copy, &elf, group);
    }
}

static void note_copy(struct library_work *work, const struct library_copy *copy)
{
    AUTO_FREE char *group = facts_group_name("library", copy->path);
    struct facts *facts = work->facts;
    facts_set_string(facts, group, "family", copy->family->name, copy->path);
    facts_set_string(facts, group, "name", copy->name, copy->path);
    facts_set_string(facts, group, "path", copy->path, copy->path);
    facts_set_list(facts, group, "found_as", &copy->found_as, copy->path);
    note_file(work, copy, group);
    facts_set_boolean(facts, group, "stub", path_has_component(copy->path, "stubs"), copy->path);
    facts_set_string(facts, group, "origin", library_origin(work->scan, copy), copy->path);
}

void probe_library(const struct probe_context *context, struct facts *facts)
{
    static const char source[] = "the loader's directories, toolkits, Python and conda packages";
    AUTO_SCAN struct library_scan scan = {0};
    library_scan_find(context, &scan);
    struct library_work work = {
        .host = context->host, .loader = context->loader, .scan = &scan, .facts = facts};
    if (scan.truncated)
        facts_set_unknown(facts, "library", "count",
                          "more files and directories than gpuenv looks at", source);
    else if (scan.problem)
        facts_set_unknown(facts, "library", "count", scan.problem, source);
    else
        facts_set_integer(facts, "library", "count", (int64_t)scan.count, source);
    for (size_t i = 0; i < scan.count && !host_is_late(context->host); i++)
        note_copy(&work, &scan.copies[i]);
    library_memo_free(&work.versions);
    needed_memo_free(&work.needed);
}
