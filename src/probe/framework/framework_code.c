/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include <string.h>

#include "base/path.h"
#include "code/code.h"
#include "host/root/byte_file.h"
#include "host/root/file.h"

/* Beside the main library, where a release has its code in several: PyTorch 1.8 to 1.13. */
static const char *const more_libraries[] = {"libtorch_cuda_cu.so", "libtorch_cuda_cpp.so"};

/* An architecture that less than this part of the code is for came along with one kernel or with a
 * library that was linked in: the build as a whole does not run there. */
#define PART_OF_MOST 4

/* How many entries there are for each architecture and version of PTX, in the order they were met.
 */
struct tally {
    struct tally_row {
        char name[CODE_NAME_SIZE];
        enum code_kind kind;
        unsigned ptx_major, ptx_minor; /* 0.0: not said, or machine code */
        size_t count;
    } * rows;
    size_t count, capacity;
};

static bool is_of(const struct tally_row *row, const char *name, const struct code_entry *entry)
{
    return string_equal(row->name, name) && row->ptx_major == entry->ptx_major &&
           row->ptx_minor == entry->ptx_minor;
}

static void add_entries(const struct code_listing *listing, struct tally *tally)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        char name[CODE_NAME_SIZE];
        if (entry->architecture == 0 || entry->embedded ||
            (entry->kind != CODE_SASS && entry->kind != CODE_PTX))
            continue;
        code_architecture_name(entry, name);
        size_t k = 0;
        while (k < tally->count && !is_of(&tally->rows[k], name, entry))
            k++;
        if (k == tally->count) {
            struct tally_row *row = vec_push(tally->rows, tally->count, tally->capacity);
            memcpy(row->name, name, sizeof(name));
            row->kind = entry->kind;
            row->ptx_major = entry->ptx_major;
            row->ptx_minor = entry->ptx_minor;
        }
        tally->rows[k].count += entry->count;
    }
}

/* Entries of that architecture, whatever their version. */
static size_t count_of(const struct tally *tally, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < tally->count; i++)
        count += string_equal(tally->rows[i].name, name) ? tally->rows[i].count : 0;
    return count;
}

static void take_row(const struct tally_row *row, size_t all, struct framework_build *build)
{
    strlist_add_new(row->kind == CODE_SASS ? &build->sass : &build->ptx, row->name);
    if (row->ptx_major && row->count * PART_OF_MOST >= all)
        strlist_take(&build->ptx_versions,
                     mem_printf("%s: %u.%u", row->name, row->ptx_major, row->ptx_minor));
}

static void take_tally(const struct tally *tally, struct framework_build *build)
{
    size_t most = 0;
    for (size_t i = 0; i < tally->count; i++) {
        size_t count = count_of(tally, tally->rows[i].name);
        most = count > most ? count : most;
    }
    for (size_t i = 0; i < tally->count; i++) {
        size_t count = count_of(tally, tally->rows[i].name);
        if (count * PART_OF_MOST >= most)
            take_row(&tally->rows[i], count, build);
    }
}

static void read_library(const struct host *host, const char *path, struct tally *tally,
                         struct framework_build *build)
{
    AUTO_ERROR struct error error = {0};
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    AUTO_CODE_LISTING struct code_listing listing = {0};
    if (byte_file_open(host, path, &source, &error) != HOST_OK ||
        !code_read(&source, &listing, &error)) {
        if (build->code_problem == NULL)
            build->code_problem = mem_printf("%s: %s", error.what ? error.what : "cannot be read",
                                             error.why ? error.why : path);
        return;
    }
    if (listing.count == 0)
        return;
    if (build->code_source == NULL)
        build->code_source = mem_string(path);
    add_entries(&listing, tally);
}

bool framework_has_code(const struct host *host, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    AUTO_CODE_LISTING struct code_listing listing = {0};
    return byte_file_open(host, path, &source, &error) == HOST_OK &&
           code_read(&source, &listing, &error) && listing.count > 0;
}

/* bitsandbytes to 0.42 has a second library of each CUDA, for GPUs before 7.5: …_nocublaslt.so.
 * NULL: not one of those. */
static char *second_library(const char *library)
{
    size_t length = strlen(library) - strlen(".so");
    if (strstr(library, "/libbitsandbytes_cuda") == NULL || !string_ends(library, ".so") ||
        string_ends(library, "_nocublaslt.so"))
        return NULL;
    return mem_printf("%.*s_nocublaslt.so", (int)length, library);
}

void framework_code_read(const struct host *host, struct framework *framework)
{
    struct framework_build *build = &framework->build;
    if (framework->library == NULL || string_equal(build->accelerator.value, "cpu"))
        return;
    struct framework_build found = {.code_source = NULL};
    struct tally tally = {.rows = NULL};
    AUTO_FREE char *directory = path_parent(framework->library);
    read_library(host, framework->library, &tally, &found);
    AUTO_FREE char *second = second_library(framework->library);
    if (second && host_exists(host, second))
        read_library(host, second, &tally, &found);
    for (size_t i = 0; i < sizeof(more_libraries) / sizeof(*more_libraries); i++) {
        AUTO_FREE char *path = path_join(directory, more_libraries[i]);
        if (host_exists(host, path))
            read_library(host, path, &tally, &found);
    }
    if (found.code_problem == NULL) /* a part of the code tells nothing of the whole */
        take_tally(&tally, &found);
    free(tally.rows);
    build->code_problem = found.code_problem;
    if (found.code_source == NULL || found.code_problem) {
        free(found.code_source);
        return;
    }
    strlist_free(&build->sass); /* what the library holds counts before what its build says */
    strlist_free(&build->ptx);
    free(build->code_source);
    build->sass = found.sass;
    build->ptx = found.ptx;
    build->ptx_versions = found.ptx_versions;
    build->code_source = found.code_source;
}
