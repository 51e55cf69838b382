/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/wrap.h"
#include "host/local/terminal.h"
#include "install/io/tree.h"
#include "install/ledger/print_ledger.h"
#include "install/output/print.h"
#include "install/prefix/stage.h"
#include "install/print/envelope.h"
#include "install/print/print_list.h"
#include "install/print/print_prefix.h"
#include "install/run/run.h"

/* Where prefixes are put when nobody says otherwise, and where administrators put them. */
static void add_places(const struct image *image, struct strlist *places)
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    strlist_add(places, "/usr/local");
    strlist_add(places, "/opt");
    if (!image_is_live(image))
        return;
    if (data && data[0] == '/')
        strlist_take(places, mem_printf("%s/gpuenv", data));
    else if (home && home[0] == '/')
        strlist_take(places, mem_printf("%s/.local/share/gpuenv", home));
}

/* What was found in the places. */
struct listing {
    const struct image *image;
    struct strlist prefixes;
    struct strlist links;   /* paths of links that lead to a prefix, */
    struct strlist targets; /* and which */
    struct strlist stages;  /* of installs that were killed */
};

static int open_directory(const struct image *image, const char *path)
{
    return image_is_live(image) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) /* only read */
                                : image_open_directory(image, path, NULL);
}

/* Also one that an uninstall has begun to remove. */
static bool is_prefix(const struct image *image, const char *path)
{
    static const char *const ledgers[] = {LEDGER_NAME, LEDGER_LEAVING};
    AUTO_CLOSE int fd = open_directory(image, path);
    for (size_t i = 0; fd >= 0 && i < sizeof(ledgers) / sizeof(*ledgers); i++) {
        AUTO_FREE char *ledger = mem_printf(LEDGER_DIRECTORY "/%s", ledgers[i]);
        if (faccessat(fd, ledger, F_OK, 0) == 0)
            return true;
    }
    return false;
}

/* gpuenv use lets a link lead to a prefix that may be anywhere. */
static void add_linked(struct listing *listing, int fd, const char *place, const char *name)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(fd, name, target, sizeof(target) - 1);
    if (size <= 0 || (size_t)size >= sizeof(target) - 1)
        return;
    target[size] = '\0';
    AUTO_FREE char *path =
        target[0] == '/' ? mem_string(target) : mem_printf("%s/%s", place, target);
    if (!is_prefix(listing->image, path))
        return;
    strlist_add_new(&listing->prefixes, path);
    strlist_take(&listing->links, mem_printf("%s/%s", place, name));
    strlist_add(&listing->targets, path);
}

static void add_entry(struct listing *listing, int fd, const char *place, const char *name)
{
    struct stat status;
    AUTO_FREE char *path = mem_printf("%s/%s", place, name);
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISLNK(status.st_mode))
        add_linked(listing, fd, place, name);
    else if (!S_ISDIR(status.st_mode))
        return;
    else if (string_starts(name, STAGE_PREFIX) && status.st_uid == geteuid())
        strlist_add(&listing->stages, path);
    else if (name[0] != '.' && is_prefix(listing->image, path))
        strlist_add_new(&listing->prefixes, path);
}

static void add_prefixes(struct listing *listing, const char *place)
{
    AUTO_ERROR struct error lost = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_CLOSE int fd = open_directory(listing->image, place);
    if (fd < 0 || !tree_list(fd, place, &names, &lost))
        return;
    for (size_t i = 0; i < names.count; i++)
        add_entry(listing, fd, place, names.items[i]);
}

static json_t *prefix_json(const struct prefix *prefix)
{
    json_t *json = json_object();
    uint64_t size = 0;
    for (size_t i = 0; i < prefix->ledger.file_count; i++)
        size += prefix->ledger.files[i].size;
    json_object_set_new(json, "prefix", json_from_string(prefix->path));
    json_object_set_new(json, "products", print_products_json(&prefix->ledger));
    json_object_set_new(json, "files", json_integer((json_int_t)prefix->ledger.file_count));
    json_object_set_new(json, "size", json_integer((json_int_t)size));
    json_object_set_new(json, "pending", json_boolean(prefix->is_pending));
    json_object_set_new(json, "uninstalling", json_boolean(prefix->is_leaving));
    return json;
}

/* What gpuenv use goes back to. */
static void append_previous(const struct ledger_product *product, struct text *output)
{
    for (size_t i = 0; i < product->previous_count; i++) {
        const struct ledger_product *earlier = &product->previous[i];
        AUTO_FREE char *name = print_product(earlier->product, earlier->version, earlier->variant);
        text_append(output, "    before: ");
        text_append_safe(output, name);
        text_append_char(output, '\n');
    }
}

static void append_links(const struct listing *listing, const char *prefix, struct text *output)
{
    for (size_t i = 0; i < listing->links.count; i++) {
        if (!string_equal(listing->targets.items[i], prefix))
            continue;
        text_append(output, "  in use: ");
        text_append_safe(output, listing->links.items[i]);
        text_append(output, " leads here\n");
    }
}

static void append_prefix(const struct prefix *prefix, struct text *output)
{
    uint64_t size = 0;
    char words[PRINT_SIZE];
    for (size_t i = 0; i < prefix->ledger.file_count; i++)
        size += prefix->ledger.files[i].size;
    text_append_safe(output, prefix->path);
    text_printf(output, "  %s\n", print_size(size, words));
    for (size_t i = 0; i < prefix->ledger.product_count; i++) {
        const struct ledger_product *product = &prefix->ledger.products[i];
        AUTO_FREE char *name = print_product(product->product, product->version, product->variant);
        AUTO_FREE char *line = mem_printf("  %s, profile %s%s", name, product->extent,
                                          string_equal(product->pin, "none") ? ", not pinned" : "");
        text_append_safe(output, line);
        text_append_char(output, '\n');
        append_previous(product, output);
    }
    print_unfinished(prefix, output);
}

static bool holds(const struct ledger *ledger, const struct request_product *wanted)
{
    const struct ledger_product *product = ledger_product_find(ledger, wanted->product);
    struct version version;
    return product && version_parse(product->version, &version) &&
           version_within(&version, &wanted->version);
}

/* One of what is asked for, or nothing is. */
static bool is_asked(const struct request *request, const struct ledger *ledger)
{
    for (size_t i = 0; i < request->product_count; i++)
        if (holds(ledger, &request->products[i]))
            return true;
    return request->product_count == 0;
}

static void append_nothing(const struct request *request, const struct strlist *looked,
                           struct text *output)
{
    AUTO_STRLIST struct strlist specs = {0};
    for (size_t i = 0; i < request->product_count; i++)
        strlist_add(&specs, request->products[i].spec);
    AUTO_FREE char *asked = strlist_join(&specs, " and no ");
    AUTO_FREE char *places = strlist_join(looked, ", ");
    AUTO_FREE char *words = mem_printf("gpuenv has installed %s%s in %s",
                                       specs.count > 0 ? "no " : "nothing", asked, places);
    wrap_paragraph(output, terminal_width(STDOUT_FILENO), 0, words);
}

/* A ledger that cannot be read is said, and the others are listed; the one that was asked for is an
 * error. */
static bool append_one(const struct run *run, const struct listing *listing, const char *path,
                       json_t *rows, struct text *output, struct error *error)
{
    AUTO_ERROR struct error lost = {0};
    struct prefix prefix = {.parent_fd = -1};
    if (run->request->prefix && !prefix_open(&run->image, path, false, false, 0, &prefix, error))
        return false;
    if (run->request->prefix == NULL &&
        !prefix_open(&run->image, path, false, false, 0, &prefix, &lost)) {
        AUTO_TEXT struct text words = {0};
        error_format(&lost, &words);
        progress_note(run->progress, "%s", text_string(&words));
        return true;
    }
    bool listed = prefix.state == PREFIX_OURS && is_asked(run->request, &prefix.ledger);
    if (listed && print_is_json(run))
        json_array_append_new(rows, prefix_json(&prefix));
    else if (listed) {
        append_prefix(&prefix, output);
        append_links(listing, path, output);
    }
    prefix_close(&prefix);
    return true;
}

static void listing_free(struct listing *listing)
{
    strlist_free(&listing->prefixes);
    strlist_free(&listing->links);
    strlist_free(&listing->targets);
    strlist_free(&listing->stages);
}
#define AUTO_LISTING AUTO(listing_free)

static bool append_all(const struct run *run, const struct listing *listing,
                       const struct strlist *places, struct text *output, struct error *error)
{
    AUTO_JSON json_t *rows = json_array();
    for (size_t i = 0; i < listing->prefixes.count; i++)
        if (!append_one(run, listing, listing->prefixes.items[i], rows, output, error))
            return false;
    for (size_t i = 0; i < listing->stages.count; i++)
        progress_note(run->progress,
                      "%s belongs to an install that is running or was interrupted; the next "
                      "install into that prefix removes it",
                      listing->stages.items[i]);
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_object_set(json, "prefixes", rows);
        json_append_text(json, output);
    } else if (output->size == 0) {
        append_nothing(run->request, run->request->prefix ? &listing->prefixes : places, output);
    }
    return true;
}

bool print_list(struct run *run, struct text *output, struct error *error)
{
    AUTO_STRLIST struct strlist places = {0};
    AUTO_LISTING struct listing listing = {.image = &run->image};
    run->progress = progress_new("plain", false, error);
    if (run->progress == NULL)
        return false;
    add_places(&run->image, &places);
    if (run->request->prefix)
        strlist_add(&listing.prefixes, run->request->prefix);
    for (size_t i = 0; run->request->prefix == NULL && i < places.count; i++)
        add_prefixes(&listing, places.items[i]);
    return append_all(run, &listing, &places, output, error);
}
