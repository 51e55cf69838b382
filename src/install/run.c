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
#include "base/shell.h"
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

/* "cuda12", NULL for what has no variants. */
static char *variant_of(const struct request_product *product)
{
    char text[VERSION_TEXT_SIZE];
    return product->cuda.count ? mem_printf("cuda%s", version_text(&product->cuda, 0, text)) : NULL;
}

static bool is_for_platform(const struct ledger_product *product, const char *platform)
{
    for (size_t i = 0; i < product->component_count; i++)
        if (string_equal(product->components[i].platform, platform))
            return true;
    return false;
}

/* The prefix has exactly what is asked for: product, version, variant, platform, profile, wishes.
 */
static bool product_is_there(const struct ledger *ledger, const struct request *request,
                             const struct request_product *product)
{
    char version[VERSION_TEXT_SIZE];
    const struct ledger_product *there = ledger_product_find(ledger, product->product);
    if (there == NULL ||
        !string_equal(there->version, version_text(&product->version, 0, version)) ||
        !string_equal(there->profile, profile_word(request->profile)))
        return false;
    AUTO_FREE char *variant = variant_of(product);
    AUTO_FREE char *wished = strlist_join(&there->wishes, " ");
    AUTO_FREE char *wishes = strlist_join(&request->components, " ");
    return string_equal(there->variant, variant) && string_equal(wished, wishes) &&
           is_for_platform(there, request->platform);
}

static bool all_is_there(const struct run *run)
{
    for (size_t i = 0; i < run->request->product_count; i++)
        if (!product_is_there(&run->prefix.ledger, run->request, &run->request->products[i]))
            return false;
    return true;
}

/* "cuda 12.8.1, profile full; cudnn 9.8.0 for CUDA 12, profile full" */
static char *contents_of(const struct ledger *ledger)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        AUTO_FREE char *name = print_product(product->product, product->version, product->variant);
        strlist_take(&list, mem_printf("%s, profile %s", name, product->profile));
    }
    return strlist_join(&list, "; ");
}

static bool refuse_prefix(const struct run *run, struct error *error)
{
    if (run->prefix.state == PREFIX_OURS) {
        AUTO_FREE char *contents = contents_of(&run->prefix.ledger);
        AUTO_FREE char *quoted = shell_quote(run->prefix.path);
        error_set(error, ERROR_CANNOT_WRITE, "the prefix holds another installation");
        error_where(error, "%s", run->prefix.path);
        error_why(error, "%s", contents);
        return error_next(
            error, "choose another --prefix, or run gpuenv uninstall --prefix %s first", quoted);
    }
    error_set(error, ERROR_CANNOT_WRITE, "the prefix is there, and gpuenv did not make it");
    error_where(error, "%s", run->prefix.path);
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
    if (run->progress == NULL || run->cache == NULL)
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
    run->plan.cache_path = cache_path(run->cache);
    return plan_fits(&run->plan, request, error);
}

static bool licences_accepted(const struct run *run, struct error *error)
{
    if (run->request->accept_eula)
        return true;
    AUTO_FREE char *names = strlist_join(&run->plan.licences, "; ");
    error_set(error, ERROR_PERMISSION, "NVIDIA's licences have to be accepted first");
    if (*names)
        error_where(error, "%s", names);
    return error_next(error, "read them (gpuenv plan -v says where), then add --accept-eula");
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
    component->licence = mem_string(item->licence);
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
        product->variant = variant_of(wanted);
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
    if (!ok && error->kind == ERROR_CANNOT_WRITE && error->next == NULL)
        error_next(error, "nothing was installed, and what was fetched is kept: look at the file "
                          "system that holds the prefix, and run the same again");
    if (ok) {
        plan_measure(&run->plan, &ledger);
        run->prefix.ledger = ledger;
        ledger = (struct ledger){.gpuenv = NULL};
    }
    return ok;
}

/* Opens no socket, and reads nothing but the ledger. */
static bool do_nothing(struct run *run, struct text *output)
{
    size_t count = run->request->product_count;
    run->pins = mem_alloc((count + 1) * sizeof(*run->pins));
    for (size_t i = 0; i < count; i++)
        run->pins[i] =
            ledger_product_find(&run->prefix.ledger, run->request->products[i].product)->pin;
    if (print_is_json(run))
        plan_of_ledger(&run->plan, &run->prefix.ledger, run->request);
    print_plan(run, PRINT_NOTHING_TO_DO, output);
    return true;
}

static bool do_install(struct run *run, bool only_plan, struct text *output, struct error *error)
{
    if (!open_sources(run, error))
        return false;
    if (run->prefix.state == PREFIX_OURS && all_is_there(run))
        return do_nothing(run, output);
    if (run->prefix.state != PREFIX_ABSENT)
        return refuse_prefix(run, error);
    if (!make_plan(run, error))
        return false;
    if (!only_plan && (!licences_accepted(run, error) || !install_staged(run, error)))
        return false;
    print_plan(run, only_plan ? PRINT_PLANNED : PRINT_INSTALLED, output);
    return true;
}

static bool has_product(const struct ledger *ledger, const struct request_product *wanted)
{
    struct version version;
    const struct ledger_product *there = ledger_product_find(ledger, wanted->product);
    return there && version_parse(there->version, &version) &&
           version_within(&version, &wanted->version);
}

/* The SPEC that named the prefix may say more than its name does. */
static bool has_wanted(const struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *wanted = &run->request->products[i];
        if (has_product(&run->prefix.ledger, wanted))
            continue;
        AUTO_FREE char *contents = contents_of(&run->prefix.ledger);
        error_set(error, ERROR_NO_INPUT, "%s is not installed there", wanted->spec);
        error_where(error, "%s", run->prefix.path);
        error_why(error, "it holds %s", contents);
        return error_next(error, "gpuenv list shows what there is; --prefix DIR takes a prefix "
                                 "whatever it holds");
    }
    return true;
}

static bool needs_ours(const struct run *run, struct error *error)
{
    if (run->prefix.state == PREFIX_OURS)
        return has_wanted(run, error);
    error_set(error, ERROR_NO_INPUT, "%s",
              run->prefix.state == PREFIX_ABSENT ? "nothing is installed there"
                                                 : "this is no installation that gpuenv made");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "gpuenv list shows those in the usual places; --prefix DIR names "
                             "another");
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
    case ACTION_INSTALL:
        return do_install(run, request->action == ACTION_PLAN, output, error);
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
