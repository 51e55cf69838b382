/* SPDX-License-Identifier: MIT */
#include "install/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/exit.h"
#include "install/fd.h"
#include "install/print.h"
#include "install/tree.h"
#include "install/uninstall.h"

static void run_close(struct run *run)
{
    for (size_t i = 0; run->catalogs && i < run->request->product_count; i++)
        catalog_free(&run->catalogs[i]);
    for (size_t i = 0; i < run->source_count; i++)
        source_free(&run->sources[i]);
    free(run->catalogs);
    free(run->catalog_digests);
    free(run->pins);
    free(run->sources);
    plan_free(&run->plan);
    progress_free(run->progress);
    cache_free(run->cache);
    prefix_close(&run->prefix);
    manifest_free(run->manifest);
}

static bool open_manifest(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    run->manifest = request->manifest_text
                        ? manifest_load(request->manifest_text, strlen(request->manifest_text),
                                        request->manifest_path, error)
                        : manifest_new();
    return run->manifest != NULL;
}

static bool open_sources(struct run *run, struct error *error)
{
    const struct strlist *mirrors = &run->request->mirrors;
    size_t count = mirrors->count > 0 ? mirrors->count : 1;
    for (size_t i = 0; i < count; i++) {
        struct source source;
        if (!source_parse(mirrors->count > 0 ? mirrors->items[i] : SOURCE_NVIDIA, &source, error))
            return false;
        *vec_push(run->sources, run->source_count, run->source_capacity) = source;
    }
    return true;
}

/* The prefix has exactly what is asked for: product, version, variant, profile, wishes. */
static bool product_is_there(const struct ledger *ledger, const struct request *request,
                             const struct request_product *product)
{
    char version[VERSION_TEXT_SIZE];
    version_text(&product->version, 0, version);
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *there = &ledger->products[i];
        if (!string_equal(there->product, product->product) ||
            !string_equal(there->version, version) ||
            !string_equal(there->profile, profile_word(request->profile)))
            continue;
        AUTO_FREE char *wished = strlist_join(&there->wishes, " ");
        AUTO_FREE char *wishes = strlist_join(&request->components, " ");
        return string_equal(wished, wishes);
    }
    return false;
}

static bool all_is_there(const struct run *run)
{
    for (size_t i = 0; i < run->request->product_count; i++)
        if (!product_is_there(&run->prefix.ledger, run->request, &run->request->products[i]))
            return false;
    return true;
}

static bool refuse_prefix(const struct run *run, struct error *error)
{
    bool ours = run->prefix.state == PREFIX_OURS;
    error_set(error, ERROR_CANNOT_WRITE, "%s",
              ours ? "the prefix holds another installation"
                   : "the prefix is there, and gpuenv did not make it");
    error_where(error, "%s", run->prefix.path);
    if (ours)
        return error_next(error,
                          "gpuenv list shows what it holds; choose another --prefix, or "
                          "gpuenv uninstall --prefix %s first",
                          run->prefix.path);
    return error_next(error, "choose another --prefix, or move that directory away");
}

static bool is_cached(const void *context, const struct digest *digest)
{
    return cache_has(context, digest);
}

static void look_at_space(struct run *run)
{
    struct statvfs space;
    struct stat status;
    uint64_t cache_system = 0;
    if (run->prefix.is_open && fstatvfs(run->prefix.parent_fd, &space) == 0)
        run->plan.free_prefix = (uint64_t)space.f_bavail * space.f_frsize;
    if (cache_space(run->cache, &run->plan.free_cache, &cache_system) && run->prefix.is_open &&
        fstat(run->prefix.parent_fd, &status) == 0)
        run->plan.one_file_system = (uint64_t)status.st_dev == cache_system;
}

static bool make_plan(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    run->progress = progress_new(request->progress, request->quiet, error);
    run->cache = cache_open(request->no_cache, run->prefix.parent_fd, error);
    if (run->progress == NULL || run->cache == NULL || !open_sources(run, error))
        return false;
    if (cache_note(run->cache))
        progress_note(run->progress, "%s", cache_note(run->cache));
    if (!run_catalogs(run, error))
        return false;
    for (size_t i = 0; i < request->product_count; i++)
        if (!plan_add(&run->plan, &run->catalogs[i], request, &request->products[i], run->manifest,
                      error))
            return false;
    if (!plan_components_known(&run->plan, request, error) || !run_take_archives(run, error))
        return false;
    plan_sum(&run->plan, is_cached, run->cache);
    look_at_space(run);
    return plan_fits(&run->plan, request, error);
}

static bool licences_accepted(const struct run *run, struct error *error)
{
    if (run->request->accept_eula)
        return true;
    AUTO_FREE char *names = strlist_join(&run->plan.licenses, "; ");
    error_set(error, ERROR_PERMISSION, "the licences were not accepted: %s", names);
    error_why(error, "NVIDIA asks for it before anything of its own is downloaded");
    return error_next(error, "read them (gpuenv plan --json names their URLs; "
                             "https://docs.nvidia.com/cuda/eula), then add --accept-eula or set "
                             "GPUENV_ACCEPT_EULA=1");
}

static char *date_of(const struct run *run)
{
    char text[32];
    time_t seconds = (time_t)run->request->date;
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof(text), "%Y-%m-%d", &parts);
    return mem_string(text);
}

static void ledger_add_component(struct ledger_product *product, const struct plan_item *item)
{
    struct ledger_component *component =
        vec_push(product->components, product->component_count, product->component_capacity);
    component->name = mem_string(item->component);
    component->version = mem_string(item->version);
    component->platform = mem_string(item->platform);
    component->variant = mem_string(item->variant);
    component->archive = mem_string(item->path);
    component->size = item->size;
    component->sha256 = item->sha256;
    component->license = mem_string(item->license);
}

static void ledger_begin(const struct run *run, struct ledger *ledger)
{
    char version[VERSION_TEXT_SIZE];
    ledger->gpuenv = mem_string(GPUENV_VERSION);
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *wanted = &run->request->products[i];
        struct ledger_product *product =
            vec_push(ledger->products, ledger->product_count, ledger->product_capacity);
        product->product = mem_string(wanted->product);
        product->version = mem_string(version_text(&wanted->version, 0, version));
        if (wanted->cuda.count)
            product->variant = mem_printf("cuda%s", version_text(&wanted->cuda, 0, version));
        product->spec = mem_string(wanted->spec);
        product->profile = mem_string(profile_word(run->request->profile));
        strlist_copy(&product->wishes, &run->request->components);
        product->pin = mem_string(run->pins[i]);
        product->catalog = run->catalog_digests[i];
        product->accepted = date_of(run);
        for (size_t k = 0; k < run->plan.item_count; k++)
            if (string_equal(run->plan.items[k].product, wanted->product))
                ledger_add_component(product, &run->plan.items[k]);
    }
}

static bool write_ledger(const struct stage *stage, const struct ledger *ledger,
                         struct error *error)
{
    AUTO_TEXT struct text text = {0};
    ledger_append(ledger, &text);
    AUTO_CLOSE int directory = tree_open(stage->fd, "tree/" LEDGER_DIRECTORY, true, "", error);
    AUTO_CLOSE int fd = directory < 0
                            ? -1
                            : openat(directory, LEDGER_NAME,
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || fchmod(fd, 0644) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, LEDGER_NAME,
                               "cannot write the ledger");
    return fd_write_all(fd, text_string(&text), text.size) ||
           error_set_errno(error, ERROR_CANNOT_WRITE, errno, LEDGER_NAME,
                           "cannot write the ledger");
}

static bool install_staged(struct run *run, struct error *error)
{
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    struct stage stage = {.fd = -1};
    if (!stage_open(&run->prefix, &stage, error))
        return false;
    ledger_begin(run, &ledger);
    progress_total(run->progress, run->plan.download, (unsigned)run->plan.item_count);
    bool ok = run_unpack(run, &stage, &ledger, error) && write_ledger(&stage, &ledger, error) &&
              stage_commit(&stage, "tree", error);
    stage_close(&stage);
    return ok;
}

static bool do_install(struct run *run, struct text *output, struct error *error)
{
    if (run->prefix.state == PREFIX_OURS && all_is_there(run)) {
        print_nothing_to_do(run, output);
        return true;
    }
    if (run->prefix.state != PREFIX_ABSENT)
        return refuse_prefix(run, error);
    if (!make_plan(run, error) || !licences_accepted(run, error) || !install_staged(run, error))
        return false;
    print_plan(run, true, output);
    return true;
}

static bool do_plan(struct run *run, struct text *output, struct error *error)
{
    if (run->prefix.state == PREFIX_OURS && all_is_there(run)) {
        print_nothing_to_do(run, output);
        return true;
    }
    if (run->prefix.state != PREFIX_ABSENT)
        return refuse_prefix(run, error);
    if (!make_plan(run, error))
        return false;
    print_plan(run, false, output);
    return true;
}

static bool needs_ours(const struct run *run, struct error *error)
{
    if (run->prefix.state == PREFIX_OURS)
        return true;
    error_set(error, ERROR_NO_INPUT, "gpuenv has installed nothing there");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "gpuenv list shows the prefixes there are");
}

static bool do_verify(struct run *run, struct text *output, int *ret_exit_code, struct error *error)
{
    AUTO_VERIFICATION struct verification found = {.files = 0};
    if (!needs_ours(run, error) || !verify_prefix(&run->prefix, &found, error))
        return false;
    print_verification(run, &found, output);
    if (found.changed.count > 0 || found.missing.count > 0)
        *ret_exit_code = EXIT_FOUND;
    return true;
}

static bool do_uninstall(struct run *run, struct text *output, struct error *error)
{
    AUTO_STRLIST struct strlist kept = {0};
    if (!needs_ours(run, error) ||
        !uninstall_prefix(&run->prefix, run->request->force, &kept, error))
        return false;
    print_uninstalled(run, &kept, output);
    return true;
}

static bool run_action(struct run *run, struct text *output, int *ret_exit_code,
                       struct error *error)
{
    const struct request *request = run->request;
    bool writes = request->action == ACTION_INSTALL || request->action == ACTION_UNINSTALL;
    if (!open_manifest(run, error))
        return false;
    if (request->action == ACTION_LIST)
        return print_list(run, output, error);
    if (!prefix_open(request->prefix, request->action == ACTION_INSTALL, writes,
                     request->lock_timeout_s, &run->prefix, error))
        return false;
    switch (request->action) {
    case ACTION_PLAN:
        return do_plan(run, output, error);
    case ACTION_INSTALL:
        return do_install(run, output, error);
    case ACTION_VERIFY:
        return do_verify(run, output, ret_exit_code, error);
    case ACTION_UNINSTALL:
        return do_uninstall(run, output, error);
    case ACTION_LIST:
        break;
    }
    return true;
}

bool run_request(const struct request *request, struct text *output, int *ret_exit_code,
                 struct error *error)
{
    struct run run = {.request = request, .prefix = {.parent_fd = -1}};
    *ret_exit_code = EXIT_DONE;
    bool ok = run_action(&run, output, ret_exit_code, error);
    run_close(&run);
    return ok;
}
