/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/shell.h"
#include "install/run/run_single.h"

/* Archives that gpuenv does not fetch by itself: which they are, and what the user types then. */

bool run_is_single_to_get(const struct run *run, size_t item)
{
    const struct plan_item *items = run->plan.items;
    for (size_t i = 0; i < item; i++)
        if (items[i].by_hand && digest_equal(&items[i].sha256, &items[item].sha256))
            return false;
    return items[item].by_hand;
}

char *run_singles_command(const struct run *run)
{
    AUTO_TEXT struct text line = {0};
    size_t count = 0;
    bool mirrors = run->request->action == ACTION_MIRROR;
    AUTO_FREE char *directory = mirrors ? shell_quote(run->request->prefix) : mem_string("");
    text_printf(&line, "gpuenv %s%s%s", mirrors ? "mirror" : "install", mirrors ? " " : "",
                directory);
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *product = &run->request->products[i];
        char version[VERSION_TEXT_SIZE];
        text_printf(&line, " %s@%s", product->product, version_text(&product->version, 0, version));
    }
    for (size_t i = 0; i < run->plan.item_count; i++) {
        if (!run_is_single_to_get(run, i))
            continue;
        AUTO_FREE char *quoted = shell_quote(path_base(run->plan.items[i].path));
        text_printf(&line, " --archive %s", quoted);
        count++;
    }
    return count > 0 ? text_steal(&line) : NULL;
}

/* What of the items that are to be got is said of each, with commas. */
static char *say_of_each(const struct run *run, char *(*say)(const struct plan_item *item))
{
    AUTO_STRLIST struct strlist words = {0};
    for (size_t i = 0; i < run->plan.item_count; i++)
        if (run_is_single_to_get(run, i))
            strlist_take(&words, say(&run->plan.items[i]));
    return strlist_join(&words, ", ");
}

static char *say_release(const struct plan_item *item)
{
    return mem_printf("%s %s", item->product, item->release);
}

static char *say_name(const struct plan_item *item)
{
    return mem_string(path_base(item->path));
}

static char *say_url(const struct plan_item *item)
{
    return mem_string(item->url ? item->url : "(no address is known)");
}

static char *say_digest(const struct plan_item *item)
{
    char hex[DIGEST_HEX_SIZE];
    return mem_string(digest_hex(&item->sha256, hex));
}

bool run_singles_are_here(const struct run *run, struct error *error)
{
    AUTO_FREE char *command = run_singles_command(run);
    if (command == NULL || run->request->action == ACTION_PLAN)
        return true;
    AUTO_FREE char *names = say_of_each(run, say_name);
    AUTO_FREE char *urls = say_of_each(run, say_url);
    AUTO_FREE char *digests = say_of_each(run, say_digest);
    AUTO_FREE char *releases = say_of_each(run, say_release);
    bool several = strchr(digests, ',') != NULL;
    error_set(error, ERROR_UNAVAILABLE, "%s %s, which gpuenv does not fetch by itself: %s",
              releases, several ? "come as single files" : "comes as one file", names);
    error_where(error, "%s", urls);
    error_why(error, "sha256 %s", digests);
    error_next(error,
               "get %s, or name a --mirror that has %s; then:", several ? "the files" : "that file",
               several ? "them" : "it");
    return error_command(error, "%s", command);
}
