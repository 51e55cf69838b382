/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"

/* The compiler that would build a kernel module here. Nothing is executed. */
#define GCC_BASE "/usr/lib/gcc"

/* "/usr/bin/x86_64-linux-gnu-gcc-12": 12. NULL when the name ends in no number. */
static char *version_in_name(const char *path)
{
    const char *dash = strrchr(path_base(path), '-');
    if (dash == NULL || dash[1] == '\0' || dash[1 + strspn(dash + 1, "0123456789")] != '\0')
        return NULL;
    return mem_string(dash + 1);
}

/* Directories /usr/lib/gcc/x86_64-linux-gnu/12, on Red Hat …/x86_64-redhat-linux/11, on SUSE
 * /usr/lib64/gcc/…: those that hold a compiler and not only its runtime. */
static void find_versions(const struct host *host, struct strlist *versions)
{
    static const char *const bases[] = {"/usr/lib", "/usr/lib64", "/usr/libexec"};
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, bases[i], "gcc/*/*/cc1", &paths);
        for (size_t k = 0; k < paths.count; k++) {
            AUTO_FREE char *directory = path_parent(paths.items[k]);
            strlist_add_new(versions, path_base(directory));
        }
    }
    strlist_sort(versions);
}

void probe_compiler(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    static const char *const names[] = {"/usr/bin/gcc", "/usr/bin/cc"};
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist versions = {0};
    AUTO_FREE char *path = NULL;
    enum host_status status = HOST_ABSENT;
    for (size_t i = 0; i < 2 && status == HOST_ABSENT; i++)
        status = host_real_path(host, names[i], &path, &error);
    find_versions(host, &versions);
    facts_set_list(facts, "compiler", "gcc_versions", &versions, GCC_BASE);
    facts_set_boolean(facts, "compiler", "make", host_exists(host, "/usr/bin/make"),
                      "/usr/bin/make");
    if (status != HOST_OK) {
        note_missing(facts, "compiler", "cc", status, &error, names[0]);
        note_missing(facts, "compiler", "cc_version", status, &error, names[0]);
        return;
    }
    AUTO_FREE char *version = version_in_name(path);
    facts_set_string(facts, "compiler", "cc", path, names[0]);
    if (version || versions.count == 1)
        facts_set_string(facts, "compiler", "cc_version", version ? version : versions.items[0],
                         version ? names[0] : GCC_BASE);
    else
        facts_set_unknown(
            facts, "compiler", "cc_version",
            "the file name does not include the version, and gpuenv does not run this compiler",
            path);
}
