/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* Also one that an uninstall has begun to remove. A link to a prefix is none. */
static bool is_prefix(int fd, const char *name)
{
    static const char *const ledgers[] = {LEDGER_NAME, LEDGER_LEAVING};
    struct stat status;
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode))
        return false;
    for (size_t i = 0; i < sizeof(ledgers) / sizeof(*ledgers); i++) {
        AUTO_FREE char *ledger = mem_printf("%s/" LEDGER_DIRECTORY "/%s", name, ledgers[i]);
        if (faccessat(fd, ledger, F_OK, 0) == 0)
            return true;
    }
    return false;
}

static void add_prefixes(const struct image *image, const char *place, struct strlist *prefixes)
{
    AUTO_ERROR struct error lost = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_CLOSE int fd = image_is_live(image)
                            ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) /* only read */
                            : image_open_directory(image, place, NULL);
    if (fd < 0 || !tree_list(fd, place, &names, &lost))
        return;
    for (size_t i = 0; i < names.count; i++)
        if (names.items[i][0] != '.' && is_prefix(fd, names.items[i]))
            strlist_take(prefixes, mem_printf("%s/%s", place, names.items[i]));
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
static bool append_one(const struct run *run, const char *path, json_t *rows, struct text *output,
                       struct error *error)
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
    else if (listed)
        append_prefix(&prefix, output);
    prefix_close(&prefix);
    return true;
}

bool print_list(struct run *run, struct text *output, struct error *error)
{
    AUTO_STRLIST struct strlist places = {0};
    AUTO_STRLIST struct strlist prefixes = {0};
    AUTO_JSON json_t *rows = json_array();
    run->progress = progress_new("plain", false, error);
    if (run->progress == NULL)
        return false;
    add_places(&run->image, &places);
    if (run->request->prefix)
        strlist_add(&prefixes, run->request->prefix);
    for (size_t i = 0; run->request->prefix == NULL && i < places.count; i++)
        add_prefixes(&run->image, places.items[i], &prefixes);
    for (size_t i = 0; i < prefixes.count; i++)
        if (!append_one(run, prefixes.items[i], rows, output, error))
            return false;
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_object_set(json, "prefixes", rows);
        json_append_text(json, output);
    } else if (output->size == 0) {
        append_nothing(run->request, run->request->prefix ? &prefixes : &places, output);
    }
    return true;
}
