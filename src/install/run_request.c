/* SPDX-License-Identifier: MIT */
#include "install/run/run.h"

#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "install/prefix/pending.h"
#include "install/prefix/stage.h"
#include "install/print/print_list.h"
#include "install/print/print_prefix.h"
#include "install/run/run_lock.h"
#include "install/run_cache.h"
#include "install/run_install.h"
#include "install/run_mirror.h"
#include "install/run_ours.h"
#include "install/run_request.h"
#include "install/run_uninstall.h"
#include "install/run_update.h"
#include "install/run_use.h"
#include "install/settle.h"
#include "manifest/manifest.h"

static void run_close(struct run *run)
{
    for (size_t i = 0; run->catalogs && i < run->request->product_count; i++)
        catalog_free(&run->catalogs[i]);
    for (size_t i = 0; run->catalog_texts && i < run->request->product_count; i++)
        text_free(&run->catalog_texts[i]);
    free(run->catalog_texts);
    for (size_t i = 0; i < run->mirror_count; i++)
        mirror_free(&run->mirrors[i]);
    for (size_t i = 0; i < run->address_count; i++) {
        mirror_free(run->addresses[i]);
        free(run->addresses[i]);
    }
    free(run->addresses);
    free(run->catalogs);
    free(run->catalog_digests);
    free(run->pins);
    free(run->mirrors);
    plan_free(&run->plan);
    plan_free(&run->lock_plan);
    change_free(&run->change);
    survey_free(&run->survey);
    free(run->way_why);
    free(run->other_prefix_reason);
    free(run->effective_request.products);
    lockfile_free(&run->lock);
    progress_free(run->progress);
    cache_free(run->cache);
    link_change_free(&run->link);
    loader_conf_free(&run->loader_conf);
    prefix_close(&run->prefix);
    image_close(&run->image);
    manifest_free(run->manifest);
    if (run->interrupt.fd >= 0)
        close(run->interrupt.fd);
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

static bool is_sound(const struct run *run, const struct verification *found)
{
    return found->changed.count == 0 && found->missing.count == 0 &&
           !prefix_is_unfinished(&run->prefix);
}

static bool reopen(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    prefix_close(&run->prefix);
    return prefix_open(&run->image, request->prefix, false, false, 0, &run->prefix, error);
}

#define VERIFY_TRIES 5

/* It takes no lock. What differs because another gpuenv changed the prefix meanwhile is looked at
 * again. */
static bool do_verify(struct run *run, struct text *output, int *ret_exit_code, struct error *error)
{
    for (int tries = 0; tries < VERIFY_TRIES; tries++) {
        AUTO_VERIFICATION struct verification found = {.files = 0};
        if (!run_needs_ours(run, error))
            return false;
        bool looked = verify_prefix(&run->prefix, &found, error);
        if (!(looked && is_sound(run, &found)) && prefix_has_changed(&run->prefix)) {
            if (!reopen(run, error))
                return false;
            continue;
        }
        if (!looked)
            return false;
        print_verification(run, &found, output);
        if (!is_sound(run, &found))
            *ret_exit_code = EXIT_FOUND;
        return true;
    }
    error_set(error, ERROR_BUSY, "another gpuenv process keeps changing this prefix");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "wait for that process, and run the same command again");
}

/* A change that cannot be completed is no reason to keep the installation. */
static bool gives_up(struct run *run, struct error *refused, struct error *error)
{
    const struct request *request = run->request;
    if (request->action == ACTION_UNINSTALL && !request->only && refused->kind == ERROR_DATA)
        return pending_abandon(&run->prefix, error);
    return error_move(refused, error);
}

/* A change that was begun and not ended is ended first, by whoever changes something. */
static bool end_pending(struct run *run, struct error *error)
{
    if (!run->prefix.is_open)
        return true;
    if (run->prefix.is_pending && !run->prefix.is_leaving) {
        AUTO_ERROR struct error refused = {0};
        run->has_ended = pending_complete(&run->prefix, BEGUN_BEFORE, &refused);
        if (!run->has_ended && !gives_up(run, &refused, error))
            return false;
    }
    stage_clear(&run->prefix, NULL); /* also where there is nothing to do */
    prefix_clear_ledger(&run->prefix);
    return true;
}

static bool run_action(struct run *run, struct text *output, int *ret_exit_code,
                       struct error *error)
{
    const struct request *request = run->request;
    bool writes = request->action == ACTION_INSTALL || request->action == ACTION_UNINSTALL ||
                  request->action == ACTION_LINK || request->action == ACTION_USE;
    if (request->action == ACTION_MANIFEST_UPDATE)
        return run_update(run, output, error);
    if (!open_manifest(run, error) || !run_lock_read(run, error) ||
        !image_open(request->root, request->prefix, &run->image, error))
        return false;
    if (request->action == ACTION_LIST)
        return print_list(run, output, error);
    if (request->action == ACTION_CACHE_SHOW || request->action == ACTION_CACHE_PRUNE)
        return run_cache(run, output, error);
    if (request->action == ACTION_MIRROR)
        return run_mirror(run, output, error);
    if (!prefix_open(&run->image, request->prefix, false, writes, request->lock_timeout_s,
                     &run->prefix, error))
        return false;
    if (writes && !end_pending(run, error))
        return false;
    switch (request->action) {
    case ACTION_PLAN:
        return settle_check(run, error) && run_plan(run, output, error);
    case ACTION_INSTALL:
        return settle_check(run, error) && run_install(run, output, error) && settle(run, error);
    case ACTION_LINK:
        return run_needs_ours(run, error) && settle_use(run, output, error);
    case ACTION_VERIFY:
        return do_verify(run, output, ret_exit_code, error);
    case ACTION_UNINSTALL:
        return run_uninstall(run, output, error);
    case ACTION_USE:
        return run_use(run, output, error);
    case ACTION_LIST:
    case ACTION_CACHE_SHOW:
    case ACTION_CACHE_PRUNE:
    case ACTION_MIRROR:
    case ACTION_MANIFEST_UPDATE:
        break;
    }
    return true;
}

bool run_request(const struct request *request, struct text *output, int *ret_exit_code,
                 struct error *error)
{
    struct run run = {.request = request,
                      .image = {.fd = -1},
                      .prefix = {.parent_fd = -1},
                      .interrupt = {.fd = -1}};
    *ret_exit_code = EXIT_DONE;
    bool ok = run_action(&run, output, ret_exit_code, error);
    if (!ok && request->root)
        error_prefix(error, "in the image %s", request->root);
    if (run.interrupt.number)
        *ret_exit_code = 128 + run.interrupt.number;
    run_close(&run);
    return ok;
}
