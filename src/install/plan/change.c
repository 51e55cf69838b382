/* SPDX-License-Identifier: MIT */
#include "install/plan/change.h"

#include <string.h>

#include "base/shell.h"
#include "install/ledger/print_ledger.h"

const char *change_word(enum change_kind kind)
{
    static const char *const words[] = {[CHANGE_NONE] = "unchanged",
                                        [CHANGE_ADD] = "added",
                                        [CHANGE_REPLACE] = "replaced",
                                        [CHANGE_WIDEN] = "widened"};
    return words[kind];
}

const char *way_word(enum way way)
{
    static const char *const words[] = {
        [WAY_RENAME] = "rename", [WAY_EXCHANGE] = "exchange", [WAY_FILES] = "file by file"};
    return words[way];
}

static void change_product_clear(struct change_product *product)
{
    strlist_free(&product->wishes);
    free(product->was);
}

void change_free(struct change *change)
{
    for (size_t i = 0; i < change->count; i++)
        change_product_clear(&change->products[i]);
    free(change->products);
    *change = (struct change){.products = NULL};
}

bool change_is_needed(const struct change *change)
{
    for (size_t i = 0; i < change->count; i++)
        if (change->products[i].kind != CHANGE_NONE)
            return true;
    return false;
}

bool change_extent_of(const char *word, enum extent *ret_extent)
{
    static const enum extent all[] = {EXTENT_FULL, EXTENT_RUNTIME, EXTENT_BUILD};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (string_equal(word, extent_word(all[i]))) {
            *ret_extent = all[i];
            return true;
        }
    return false;
}

bool change_extents(enum extent one, enum extent other, enum extent *ret_both)
{
    if (one != other && one != EXTENT_FULL && other != EXTENT_FULL)
        return false;
    *ret_both = one == other ? one : EXTENT_FULL;
    return true;
}

/* "cuda_gdb" of "+cuda_gdb" and "-cuda_gdb". */
static const char *name_of(const char *word)
{
    return word + (word[0] == '-' || word[0] == '+');
}

static bool has_component(const struct ledger_product *product, const char *name)
{
    for (size_t i = 0; i < product->component_count; i++)
        if (string_equal(product->components[i].name, name))
            return true;
    return false;
}

static bool has_wish(const struct ledger_product *product, const char *word)
{
    for (size_t i = 0; i < product->wishes.count; i++) {
        const char *there = product->wishes.items[i];
        if ((there[0] == '-') == (word[0] == '-') && string_equal(name_of(there), name_of(word)))
            return true;
    }
    return false;
}

/* One of the request's products that are there has been given this word, or has what it wants. */
bool change_component_is_installed(const struct change *change, const char *word)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct ledger_product *there = change->products[i].there;
        if (there &&
            (has_wish(there, word) || (word[0] != '-' && has_component(there, name_of(word)))))
            return true;
    }
    return false;
}

static bool all_settled(const struct change *change, const struct strlist *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (!change_component_is_installed(change, words->items[i]))
            return false;
    return true;
}

static bool names(const struct strlist *words, const char *name)
{
    for (size_t i = 0; i < words->count; i++)
        if (string_equal(name_of(words->items[i]), name))
            return true;
    return false;
}

/* The later word on a component holds. */
static void add_wishes(struct strlist *wishes, const struct ledger_product *there,
                       const struct strlist *words)
{
    for (size_t i = 0; there && i < there->wishes.count; i++)
        if (!names(words, name_of(there->wishes.items[i])))
            strlist_add_new(wishes, there->wishes.items[i]);
    for (size_t i = 0; i < words->count; i++)
        strlist_add_new(wishes, words->items[i]);
}

static bool refuse_leaving_out(const struct ledger_product *there, const char *word,
                               const char *where, struct error *error)
{
    error_set(error, ERROR_USAGE,
              "--component=%s: this component is installed, but install removes nothing", word);
    error_where(error, "%s", where);
    error_why(error, "%s %s has it", there->product, there->version);
    return error_next(error, "omit the option, or install again into another --prefix");
}

static bool may_leave_out(const struct change *change, const struct strlist *words,
                          const char *where, struct error *error)
{
    for (size_t i = 0; i < words->count; i++)
        for (size_t k = 0; words->items[i][0] == '-' && k < change->count; k++) {
            const struct ledger_product *there = change->products[k].there;
            if (there && has_component(there, name_of(words->items[i])))
                return refuse_leaving_out(there, words->items[i], where, error);
        }
    return true;
}

/* Without --profile what is there keeps its own, and what is added gets that of the first. */
static bool find_extent(const struct ledger *ledger, const struct request *request,
                        struct change_product *product, const char *where, struct error *error)
{
    const struct ledger_product *there = product->there              ? product->there
                                         : ledger->product_count > 0 ? &ledger->products[0]
                                                                     : NULL;
    enum extent has = EXTENT_FULL;
    product->extent = request->extent;
    if (there == NULL || !change_extent_of(there->extent, &has))
        return true;
    if (!request->extent_given)
        product->extent = has;
    if (product->there == NULL || change_extents(has, product->extent, &product->extent))
        return true;
    error_set(error, ERROR_USAGE, "profile %s is installed; only profile full has %s too",
              there->extent, extent_word(request->extent));
    error_where(error, "%s", where);
    return error_next(error, "--profile full contains both");
}

/* A version that nobody asked for exactly does not replace a newer one. */
static bool is_kept_newer(const struct request_product *wanted, const struct version *there)
{
    bool exact = wanted->asked.count > 0 && wanted->asked.count >= wanted->version.count;
    return !exact && version_compare(there, &wanted->version) > 0 &&
           (wanted->asked.count == 0 || version_within(there, &wanted->asked));
}

static void find_kind(const struct request_product *wanted, bool settled,
                      struct change_product *product)
{
    struct version there = {.count = 0};
    AUTO_FREE char *variant = request_variant(wanted);
    product->version = wanted->version;
    product->kind = CHANGE_ADD;
    if (product->there == NULL)
        return;
    bool parsed = version_parse(product->there->version, &there);
    bool same = parsed && version_compare(&there, &wanted->version) == 0;
    product->kind = CHANGE_REPLACE;
    if (!string_equal(variant, product->there->variant) ||
        (!same && !(parsed && is_kept_newer(wanted, &there))))
        return;
    product->version = there;
    bool all = settled && string_equal(product->there->extent, extent_word(product->extent));
    product->kind = all ? CHANGE_NONE : CHANGE_WIDEN;
}

/* Of the components' platforms the one that is of a machine; NULL: all are the same everywhere. */
static const char *platform_of(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->product_count; i++)
        for (size_t k = 0; k < ledger->products[i].component_count; k++) {
            const char *platform = ledger->products[i].components[k].platform;
            if (string_starts(platform, "linux-") && !string_equal(platform, "linux-all"))
                return platform;
        }
    return NULL;
}

static bool refuse_other(const struct ledger *ledger, const struct request *request,
                         const char *where, const char *what, struct error *error)
{
    AUTO_FREE char *contents = print_contents(ledger);
    AUTO_FREE char *usual = shell_quote(request->usual_prefix ? request->usual_prefix : "DIR");
    error_set(error, ERROR_CANNOT_WRITE, "%s", what);
    error_where(error, "%s", where);
    error_why(error, "the prefix contains %s", contents);
    return error_next(error, "use a prefix of its own: --prefix %s", usual);
}

/* 12.8.0 and 12.8.1 follow one another in a prefix; 12.9 has another, unless --force says so. */
static bool may_hold(const struct ledger *ledger, const struct request *request, const char *where,
                     struct error *error)
{
    const char *platform = platform_of(ledger);
    const struct ledger_product *cuda = ledger_product_find(ledger, "cuda");
    struct version there;
    if (platform && !string_equal(platform, request->platform)) {
        AUTO_FREE char *what = mem_printf("the prefix is for another platform, %s", platform);
        return refuse_other(ledger, request, where, what, error);
    }
    for (size_t i = 0; cuda && !request->force && i < request->product_count; i++) {
        struct version minor = request->products[i].version;
        if (!string_equal(request->products[i].product, "cuda") ||
            !version_parse(cuda->version, &there))
            continue;
        minor.count = minor.count < 2 ? minor.count : 2;
        if (version_within(&there, &minor))
            continue;
        refuse_other(ledger, request, where, "the prefix holds another CUDA", error);
        AUTO_FREE char *next = mem_string(error ? error->next : "");
        return error_next(error, "%s; --force replaces the installed version", next);
    }
    return true;
}

static bool refuse_unsound(const struct ledger_product *product, const struct ledger_product *cuda,
                           const char *where, struct error *error)
{
    const char *other = product->variant + strlen("cuda");
    error_set(error, ERROR_UNSATISFIABLE, "%s %s for CUDA %s does not match CUDA %s",
              product->product, product->version, other, cuda->version);
    error_where(error, "%s", where);
    error_next(error, "use another --prefix, or name both products so they are chosen together:");
    return error_command(error, "gpuenv install cuda@%s %s", cuda->version, product->product);
}

bool change_is_sound(const struct ledger *ledger, const char *where, struct error *error)
{
    const struct ledger_product *cuda = ledger_product_find(ledger, "cuda");
    struct version version, variant;
    if (cuda == NULL || !version_parse(cuda->version, &version))
        return true;
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        if (product->variant && string_starts(product->variant, "cuda") &&
            version_parse(product->variant + strlen("cuda"), &variant) &&
            !version_within(&version, &variant))
            return refuse_unsound(product, cuda, where, error);
    }
    return true;
}

/* What would be there in the end, as far as fitting together goes. */
static bool outcome_is_sound(const struct ledger *ledger, const struct request *request,
                             const struct change *change, const char *where, struct error *error)
{
    AUTO_LEDGER struct ledger outcome = {.gpuenv = NULL};
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < request->product_count; i++) {
        struct ledger_product *product =
            vec_push(outcome.products, outcome.product_count, outcome.product_capacity);
        product->product = mem_string(request->products[i].product);
        product->version = mem_string(version_text(&change->products[i].version, 0, text));
        product->variant = request_variant(&request->products[i]);
    }
    for (size_t i = 0; i < ledger->product_count; i++)
        if (ledger_product_find(&outcome, ledger->products[i].product) == NULL)
            ledger_product_add(&outcome, &ledger->products[i]);
    return change_is_sound(&outcome, where, error);
}

bool change_of(const struct ledger *ledger, const struct request *request, const char *where,
               struct change *ret_change, struct error *error)
{
    AUTO_CHANGE struct change change = {.count = request->product_count};
    change.products = mem_alloc((change.count + 1) * sizeof(*change.products));
    if (!may_hold(ledger, request, where, error))
        return false;
    for (size_t i = 0; i < change.count; i++)
        change.products[i].there = ledger_product_find(ledger, request->products[i].product);
    bool settled = all_settled(&change, &request->components);
    for (size_t i = 0; i < change.count; i++) {
        struct change_product *product = &change.products[i];
        if (!find_extent(ledger, request, product, where, error))
            return false;
        find_kind(&request->products[i], settled, product);
        product->was = product->there ? mem_string(product->there->version) : NULL;
        add_wishes(&product->wishes, product->there, &request->components);
    }
    if (!may_leave_out(&change, &request->components, where, error) ||
        !outcome_is_sound(ledger, request, &change, where, error))
        return false;
    *ret_change = change;
    change = (struct change){.products = NULL};
    return true;
}
