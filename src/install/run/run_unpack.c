/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "install/fetch/fetch.h"
#include "install/io/tree.h"
#include "install/plan/own_catalog.h"
#include "install/prefix/layout.h"
#include "install/prefix/stage.h"
#include "install/run/run.h"
#include "install/run/run_index.h"
#include "install/run/run_unpack.h"
#include "install/unpack/unpack.h"
#include "manifest/toolkit/component.h"
#include "manifest/toolkit/legacy.h"

/* Archives come largest first; each is verified and unpacked as soon as it is there and a core is
 * free, while others still come; what is unpacked is moved into the tree at once. */

enum work_state { WORK_FETCHING, WORK_WAITING, WORK_UNPACKING, WORK_DONE };
struct work {
    struct plan_item *item;
    struct fetch_item *fetch;
    struct work *shares; /* the work before it that is of the same archive; NULL: none */
    enum work_state state;
    char name[32];    /* of its directory in the stage */
    int directory_fd; /* that takes the tree; -1: not made yet */
    struct unpack *unpack;
};

struct pipeline {
    struct run *run;
    struct stage *stage;
    struct layout *layout;
    struct fetch *fetch;
    struct fetch_item *fetch_items;
    struct work *works; /* largest first */
    size_t count, done, unpacking, cores;
};

static bool keeps(const void *context, const char *path, bool is_directory)
{
    return plan_keeps(*(const enum extent *)context, path, is_directory);
}

/* The one directory of an archive: its file name without what follows the last "-archive". */
static char *top_of(const char *path)
{
    const char *name = path_base(path);
    static const char *const endings[] = {".tar.xz", ".tar.gz", ".tgz", ".zip"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        if (string_ends(name, endings[i]))
            return mem_string_n(name, strlen(name) - strlen(endings[i]));
    return mem_string(name);
}

static enum unpack_format format_of(const struct manifest_layout *layout)
{
    return string_equal(layout->format, "runfile")  ? UNPACK_RUNFILE
           : string_equal(layout->format, "zip")    ? UNPACK_ZIP
           : string_equal(layout->format, "tar.xz") ? UNPACK_TAR_XZ
                                                    : UNPACK_TAR_GZ;
}

static size_t cores_of(const struct run *run)
{
    cpu_set_t set;
    if (run->request->jobs > 0)
        return run->request->jobs;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return (size_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* there are more than a set can hold */
    return online > 0 ? (size_t)online : 1;
}

static bool unpack_begin(struct pipeline *pipeline, struct work *work, struct error *error)
{
    const struct run *run = pipeline->run;
    const struct plan_item *item = work->item;
    const struct manifest_layout *layout = item->layout;
    struct stat status;
    AUTO_FREE char *top = layout ? NULL : top_of(item->path);
    AUTO_FREE char *target = plan_item_target(item);
    struct unpack_places places = {.target = target};
    struct unpack_job job = {.archive_fd = work->fetch->fd,
                             .name = path_base(item->path),
                             .size = item->size,
                             .sha256 = item->sha256,
                             .top = top,
                             .limits = unpack_limits_default,
                             .keeps = keeps,
                             .context = &item->extent};
    if (item->size == 0 && fstat(work->fetch->fd, &status) == 0)
        job.size = work->item->size = (uint64_t)status.st_size; /* the ledger has it, too */
    if (layout) {
        places.nested = layout->nested;
        places.left_out = &layout->left_out;
        places.places = &layout->places;
        job.places = &places;
        job.format = format_of(layout);
    } else if (!unpack_format_of(item->path, &job.format)) {
        error_set(error, ERROR_DATA, "gpuenv cannot unpack this archive format");
        error_where(error, "%s", item->path);
        return error_next(error, "report this component: NVIDIA's archives are .tar.xz files");
    }
    if (mkdirat(pipeline->stage->fd, work->name, 0700) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, run->prefix.path,
                               "cannot create a staging directory");
    work->directory_fd =
        openat(pipeline->stage->fd, work->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (work->directory_fd < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, run->prefix.path,
                               "cannot open a staging directory");
    job.directory_fd = work->directory_fd;
    work->unpack = unpack_start(&job, error);
    if (work->unpack == NULL)
        return false;
    progress_step(run->progress, "unpacking", job.name, item->size);
    work->state = WORK_UNPACKING;
    pipeline->unpacking++;
    return true;
}

static bool begin_waiting(struct pipeline *pipeline, struct error *error)
{
    for (size_t i = 0; i < pipeline->count && pipeline->unpacking < pipeline->cores; i++)
        if (pipeline->works[i].state == WORK_WAITING &&
            !unpack_begin(pipeline, &pipeline->works[i], error))
            return false;
    return true;
}

static bool clear_directory(struct pipeline *pipeline, struct work *work, struct error *error)
{
    close(work->directory_fd);
    work->directory_fd = -1;
    return tree_remove(pipeline->stage->fd, work->name, pipeline->run->prefix.path, error);
}

/* The bytes were not the ones wanted: another mirror is asked. */
static bool refuse_bytes(struct pipeline *pipeline, struct work *work, const struct digest *found,
                         struct error *error)
{
    if (!clear_directory(pipeline, work, error))
        return false;
    if (work->shares) { /* the other one asks */
        close(work->fetch->fd);
        work->fetch->fd = -1;
        work->state = WORK_FETCHING;
        return true;
    }
    if (!fetch_refuse(pipeline->fetch, work->fetch, found, error))
        return false;
    work->state = WORK_FETCHING;
    return true;
}

/* The weakest one counts. Said once: what is unpacked was proved before. */
static void note_cage(struct run *run, const struct unpacker_cage *cage)
{
    bool was_whole = !run->cage_valid || (run->cage.files && run->cage.calls);
    run->cage.files = cage->files && (run->cage.files || !run->cage_valid);
    run->cage.calls = cage->calls && (run->cage.calls || !run->cage_valid);
    run->cage_valid = true;
    if (was_whole && !(cage->files && cage->calls))
        progress_note(run->progress,
                      "this kernel cannot confine the process that unpacks an archive: no %s%s%s",
                      cage->files ? "" : "Landlock", cage->files || cage->calls ? "" : ", no ",
                      cage->calls ? "" : "seccomp");
}

static bool finish_one(struct pipeline *pipeline, struct work *work,
                       const struct unpack_result *result, struct error *error)
{
    struct run *run = pipeline->run;
    note_cage(run, &result->cage);
    if (!cache_keep(run->cache, &work->item->sha256, work->fetch->fd, error) ||
        !layout_add(pipeline->layout, work->directory_fd, work->item, result, error) ||
        !clear_directory(pipeline, work, error))
        return false;
    close(work->fetch->fd);
    work->fetch->fd = -1;
    work->state = WORK_DONE;
    pipeline->done++;
    return true;
}

static bool take_unpacked(struct pipeline *pipeline, struct work *work, struct error *error)
{
    struct unpack_result result = {.count = 0};
    bool ok = false;
    if (!unpack_take(work->unpack, &ok, &result, error))
        return true;
    unpack_free(work->unpack);
    work->unpack = NULL;
    pipeline->unpacking--;
    if (ok)
        ok = finish_one(pipeline, work, &result, error);
    else if (result.digest_differs)
        ok = refuse_bytes(pipeline, work, &result.found, error);
    unpack_result_free(&result);
    return ok;
}

/* Components of one archive: it is fetched once, and opened for each. */
static bool share_archive(struct pipeline *pipeline, struct work *work, struct error *error)
{
    const struct fetch_item *from = work->shares->fetch;
    bool is_done = work->shares->state == WORK_DONE;
    if (work->state != WORK_FETCHING || (from->fd < 0 && !is_done))
        return true;
    work->fetch->fd = is_done ? cache_find(pipeline->run->cache, &work->item->sha256)
                              : fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
    if (work->fetch->fd < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, work->item->path,
                               "cannot open the archive a second time");
    work->state = WORK_WAITING;
    return true;
}

/* Waits for a transfer or a child, and takes what has come. */
static bool pipeline_step(struct pipeline *pipeline, int *fds, struct error *error)
{
    size_t fd_count = 0;
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->works[i].state == WORK_UNPACKING)
            fds[fd_count++] = unpack_fd(pipeline->works[i].unpack);
    fds[fd_count++] = pipeline->run->interrupt.fd;
    if (!fetch_step(pipeline->fetch, fds, fd_count, 1000, error) ||
        run_interrupted(pipeline->run, error))
        return false;
    struct fetch_item *come;
    while ((come = fetch_next(pipeline->fetch)) != NULL)
        ((struct work *)come->data)->state = WORK_WAITING;
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->works[i].shares && !share_archive(pipeline, &pipeline->works[i], error))
            return false;
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->works[i].state == WORK_UNPACKING &&
            !take_unpacked(pipeline, &pipeline->works[i], error))
            return false;
    return begin_waiting(pipeline, error);
}

static int compare_sizes(const void *a, const void *b)
{
    uint64_t size_a = ((const struct work *)a)->item->size;
    uint64_t size_b = ((const struct work *)b)->item->size;
    return size_a > size_b ? -1 : size_a < size_b;
}

/* The first one before it that is of the same archive; NULL: none. */
static struct work *work_of_archive(const struct pipeline *pipeline, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (digest_equal(&pipeline->works[i].item->sha256, &pipeline->works[index].item->sha256))
            return &pipeline->works[i];
    return NULL;
}

/* "12.8" of the CUDA that is asked for, else of the one in the prefix; NULL: there is none. */
static char *cuda_beside(const struct run *run)
{
    char text[VERSION_TEXT_SIZE];
    struct version version;
    const struct ledger_product *there = ledger_product_find(&run->prefix.ledger, "cuda");
    for (size_t i = 0; i < run->request->product_count; i++)
        if (string_equal(run->request->products[i].product, "cuda"))
            return mem_string(version_text(&run->request->products[i].version, 2, text));
    return there && version_parse(there->version, &version)
               ? mem_string(version_text(&version, 2, text))
               : NULL;
}

/* What a ledger does not say of an archive. */
static void describe(const struct run *run, struct plan_item *item)
{
    free(item->cuda);
    item->cuda = cuda_beside(run);
    item->row = manifest_component_find(run->manifest, item->product, item->component);
    if (item->layout == NULL)
        item->layout = own_layout(run->manifest, &item->sha256);
}

static bool pipeline_open(struct pipeline *pipeline, struct error *error)
{
    struct run *run = pipeline->run;
    const struct fetch_options options = {.mirrors = run->mirrors,
                                          .mirror_count = run->mirror_count,
                                          .cache = run->cache,
                                          .offline = run->request->offline,
                                          .timeout_s = run->request->timeout_s,
                                          .cacert = run->request->cacert,
                                          .progress = run->progress,
                                          .lock = run->lock_name};
    size_t all = run->plan.item_count;
    pipeline->cores = cores_of(run);
    pipeline->works = mem_alloc((all + 1) * sizeof(*pipeline->works));
    pipeline->fetch_items = mem_alloc((all + 1) * sizeof(*pipeline->fetch_items));
    for (size_t i = 0; i < all; i++)
        describe(run, &run->plan.items[i]);
    for (size_t i = 0; i < all; i++)
        if (!run->plan.items[i].there)
            pipeline->works[pipeline->count++].item = &run->plan.items[i];
    if (pipeline->count > 1)
        qsort(pipeline->works, pipeline->count, sizeof(*pipeline->works), compare_sizes);
    size_t fetched = 0, shared = pipeline->count;
    for (size_t i = 0; i < pipeline->count; i++) {
        struct work *work = &pipeline->works[i];
        work->shares = work_of_archive(pipeline, i);
        work->fetch = &pipeline->fetch_items[work->shares ? --shared : fetched++];
        work->directory_fd = -1;
        snprintf(work->name, sizeof(work->name), "part-%zu", i);
        *work->fetch = (struct fetch_item){.path = work->item->path,
                                           .size = work->item->size,
                                           .max = unpack_limits_default.bytes,
                                           .sha256 = &work->item->sha256,
                                           .pinned = true,
                                           .data = work,
                                           .fd = -1};
    }
    if (!run_find_addresses(run, pipeline->fetch_items, fetched, error))
        return false;
    pipeline->fetch = fetch_new(&options, pipeline->fetch_items, fetched, error);
    return pipeline->fetch != NULL;
}

static void pipeline_close(struct pipeline *pipeline)
{
    for (size_t i = 0; pipeline->works && i < pipeline->count; i++) {
        unpack_free(pipeline->works[i].unpack);
        if (pipeline->works[i].directory_fd >= 0)
            close(pipeline->works[i].directory_fd);
        if (pipeline->fetch_items[i].fd >= 0)
            close(pipeline->fetch_items[i].fd);
        free(pipeline->fetch_items[i].url);
    }
    fetch_free(pipeline->fetch);
    layout_free(pipeline->layout);
    free(pipeline->fetch_items);
    free(pipeline->works);
}

/* The ledger was begun before the archives came. */
static void note_size(const struct plan_item *item, struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->product_count; i++)
        for (size_t k = 0; k < ledger->products[i].component_count; k++) {
            struct ledger_component *component = &ledger->products[i].components[k];
            if (component->size == 0 && digest_equal(&component->sha256, &item->sha256))
                component->size = item->size;
        }
}

static bool pipeline_run(struct pipeline *pipeline, struct ledger *ledger, struct error *error)
{
    if (plan_missing(&pipeline->run->plan) == 0)
        return layout_finish(pipeline->layout, &pipeline->run->plan, ledger, error);
    if (!pipeline_open(pipeline, error))
        return false;
    AUTO_FREE int *fds = mem_alloc((pipeline->count + 1) * sizeof(*fds));
    while (pipeline->done < pipeline->count)
        if (!pipeline_step(pipeline, fds, error))
            return false;
    for (size_t i = 0; i < pipeline->count; i++)
        note_size(pipeline->works[i].item, ledger);
    return layout_finish(pipeline->layout, &pipeline->run->plan, ledger, error);
}

bool run_unpack(struct run *run, struct stage *stage, const char *name, struct ledger *kept,
                struct ledger *ledger, struct error *error)
{
    struct pipeline pipeline = {.run = run, .stage = stage};
    AUTO_CLOSE int tree =
        mkdirat(stage->fd, name, 0700) == 0
            ? openat(stage->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            : -1;
    if (tree < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, run->prefix.path,
                               "cannot create a staging directory");
    pipeline.layout = layout_new(tree, run->prefix.path);
    if (kept)
        layout_keep(pipeline.layout, kept);
    layout_lead(pipeline.layout, &run->plan);
    bool ok = pipeline_run(&pipeline, ledger, error);
    pipeline_close(&pipeline);
    return ok;
}
