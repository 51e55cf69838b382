/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/root/bytes.h"
#include "install/io/tree.h"
#include "install/prefix/stage.h"
#include "install/run/run.h"
#include "install/run/run_ledger.h"

/* What is written about an installation. */

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

static void ledger_add_product(const struct run *run, size_t index, struct ledger *ledger)
{
    char version[VERSION_TEXT_SIZE];
    const struct request_product *wanted = &run->request->products[index];
    const struct change_product *change = &run->change.products[index];
    struct ledger_product *product =
        vec_push(ledger->products, ledger->product_count, ledger->product_capacity);
    product->product = mem_string(wanted->product);
    product->version = mem_string(version_text(&wanted->version, 0, version));
    product->variant = request_variant(wanted);
    product->spec = mem_string(wanted->spec);
    product->extent = mem_string(extent_word(change->extent));
    strlist_copy(&product->wishes, &change->wishes);
    product->pin = mem_string(run->pins[index]);
    product->catalog = run->catalog_digests[index];
    product->accepted = date_of(run);
    for (size_t k = 0; k < run->plan.item_count; k++)
        if (string_equal(run->plan.items[k].product, wanted->product))
            ledger_add_component(product, &run->plan.items[k]);
    if (change->kind == CHANGE_REPLACE)
        ledger_product_replace(product, change->there, ledger_last_change(&run->prefix.ledger) + 1);
    else if (change->there)
        ledger_product_remember(product, change->there);
}

void run_ledger_begin(const struct run *run, struct ledger *ledger)
{
    const struct ledger *there = &run->prefix.ledger;
    ledger->gpuenv = mem_string(GPUENV_VERSION);
    for (size_t i = 0; i < run->request->product_count; i++)
        if (run->change.products[i].kind != CHANGE_NONE)
            ledger_add_product(run, i, ledger);
    for (size_t i = 0; i < there->product_count; i++)
        if (ledger_product_find(ledger, there->products[i].product) == NULL)
            ledger_product_remember(ledger_product_add(ledger, &there->products[i]),
                                    &there->products[i]);
    ledger_sort_products(ledger);
}

/* What nothing could read again is not written: there are limits to what is read. */
static bool can_be_read(const struct text *text, size_t files, struct error *error)
{
    AUTO_LEDGER struct ledger again = {.gpuenv = NULL};
    AUTO_ERROR struct error wrong = {0};
    if (ledger_parse(text_string(text), text->size, LEDGER_NAME, &again, &wrong))
        return true;
    error_set(error, ERROR_DATA, "the ledger cannot hold this installation: %zu files", files);
    error_why(error, "%s", wrong.what);
    return error_next(error, "install fewer components into this prefix");
}

bool run_ledger_can_be_read(const struct ledger *ledger, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    ledger_append(ledger, &text);
    return can_be_read(&text, ledger->file_count, error);
}

bool run_ledger_write(const struct stage *stage, const char *tree, const struct ledger *ledger,
                      struct error *error)
{
    AUTO_TEXT struct text text = {0};
    const char *where = stage->prefix->path;
    AUTO_FREE char *path = mem_printf("%s/" LEDGER_DIRECTORY, tree);
    ledger_append(ledger, &text);
    if (!can_be_read(&text, ledger->file_count, error))
        return false;
    AUTO_CLOSE int directory = tree_open(stage->fd, path, true, where, error);
    if (directory < 0)
        return false;
    AUTO_CLOSE int fd =
        openat(directory, LEDGER_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return (fd >= 0 && fchmod(fd, 0644) == 0 && bytes_write(fd, text_string(&text), text.size) &&
            close(fd_steal(&fd)) == 0) ||
           error_set_errno(error, ERROR_CANNOT_WRITE, errno, where, "cannot write the ledger");
}
