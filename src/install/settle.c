/* SPDX-License-Identifier: MIT */
#include "install/settle.h"

#include "install/ledger/print_ledger.h"
#include "install/print/envelope.h"
#include "install/print/print_settled.h"
#include "install/run/run.h"

bool settle_check(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    if ((request->use || request->ldconfig) && !image_look(&run->image, error))
        return false;
    return (!request->use ||
            link_look(&run->prefix, request->link, request->force, &run->link, error)) &&
           (!request->ldconfig || loader_conf_look(&run->prefix, &run->loader_conf, error));
}

bool settle(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    link_change_free(&run->link);
    loader_conf_free(&run->loader_conf);
    if ((!request->ldconfig || loader_conf_add(&run->prefix, &run->loader_conf, error)) &&
        (!request->use || link_set(&run->prefix, request->link, request->force,
                                   request->lock_timeout_s, &run->link, error)))
        return true;
    return error_prefix(error, "the installation is complete, but part of the request failed");
}

bool settle_was_undone(const struct run *run, struct error *error)
{
    const char *link = run->link.has_changed ? run->link.path : NULL;
    const char *conf = run->loader_conf.has_changed ? run->loader_conf.path : NULL;
    if (link == NULL && conf == NULL)
        return false;
    AUTO_FREE char *why = mem_string(error && error->why ? error->why : NULL);
    return error_why(error, "%s%s%s%s%s removed already", why ? why : "", why ? "; " : "",
                     link ? link : conf, link && conf ? " and " : "", link && conf ? conf : "");
}

bool settle_undo(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    if (!image_look(&run->image, error) ||
        (request->link &&
         !link_forget(&run->prefix, request->link, request->lock_timeout_s, &run->link, error)))
        return false;
    return loader_conf_remove(&run->prefix, &run->loader_conf, error) ||
           settle_was_undone(run, error);
}

/* A link that means CUDA must find one there. */
static bool holds_cuda(const struct run *run, struct error *error)
{
    if (ledger_product_find(&run->prefix.ledger, "cuda"))
        return true;
    AUTO_FREE char *contents = print_contents(&run->prefix.ledger);
    error_set(error, ERROR_USAGE, "this installation contains no CUDA");
    error_where(error, "%s", run->prefix.path);
    error_why(error, "the prefix contains %s", contents);
    return error_next(error, "name an installation with CUDA: gpuenv list shows all");
}

static void print_used(const struct run *run, struct text *output)
{
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_object_set_new(json, "products", print_products_json(&run->prefix.ledger));
        print_settled_json(run, json);
        json_object_set_new(json, "changed", json_boolean(settled_has_changed(run)));
        json_append_text(json, output);
        return;
    }
    print_settled(run, false, output);
}

bool settle_use(struct run *run, struct text *output, struct error *error)
{
    if (!holds_cuda(run, error) || !image_look(&run->image, error) ||
        !link_look(&run->prefix, run->request->link, run->request->force, &run->link, error) ||
        !interrupt_hold(&run->interrupt, error)) /* what is begun is ended */
        return false;
    link_change_free(&run->link);
    if (!link_set(&run->prefix, run->request->link, run->request->force,
                  run->request->lock_timeout_s, &run->link, error))
        return false;
    print_used(run, output);
    return true;
}
