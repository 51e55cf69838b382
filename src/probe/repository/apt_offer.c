/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/apt_lists.h"
#include "probe/repository/apt_policy.h"
#include "probe/repository/deb_relation.h"
#include "probe/repository/pacman_offer.h"
#include "probe/system/dpkg.h"

/* Which versions of the driver's packages apt would take, and whether they go together. */
#define KIND        "apt_offer"
#define INDEX       "_Packages"
#define INDEX_MAX   (32u << 20)
#define ALL_MAX     (96u << 20)
#define RELEASE_MAX (4u << 20)
#define KEPT_MAX    16

enum { INSTALLED_PRIORITY = 100, DOWNGRADE_PRIORITY = 1000 };

/* A version of a package: of an index, or the installed one. */
struct offer {
    char *name, *version, *depends;
    const struct apt_origin *origin; /* NULL: the installed one */
    bool held;
};

struct offers {
    struct offer *items;
    size_t count, capacity;
    struct apt_origin **origins;
    size_t origin_count, origin_capacity;
    struct apt_policy policy;
    size_t left; /* bytes of indexes that may still be read */
};

static void offers_free(struct offers *offers)
{
    for (size_t i = 0; i < offers->count; i++) {
        free(offers->items[i].name);
        free(offers->items[i].version);
        free(offers->items[i].depends);
    }
    for (size_t i = 0; i < offers->origin_count; i++) {
        apt_origin_free(offers->origins[i]);
        free(offers->origins[i]);
    }
    free(offers->items);
    free(offers->origins);
    apt_policy_free(&offers->policy);
}

/* What a driver and its parts are called. */
static bool is_of_driver(const char *name)
{
    static const char *const beginnings[] = {"nvidia-", "libnvidia-", "cuda-drivers", "libcuda1",
                                             "xserver-xorg-video-nvidia"};
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (string_starts(name, beginnings[i]))
            return true;
    return false;
}

static void take_installed(const struct dpkg_package *package, void *data)
{
    struct offers *offers = data;
    if (!is_of_driver(package->name) || !dpkg_is_present(package) || package->version == NULL)
        return;
    struct offer *offer = vec_push(offers->items, offers->count, offers->capacity);
    offer->name = mem_string(package->name);
    offer->version = mem_string(package->version);
    offer->held = dpkg_is_held(package);
}

/* The value of "Field: value" when the line is that. */
static char *field_value(char *line, const char *field)
{
    size_t length = strlen(field);
    if (strncmp(line, field, length) != 0 || line[length] != ':')
        return NULL;
    return string_trim(line + length + 1);
}

static void take_release_line(char *line, struct apt_origin *origin)
{
    static const char *const names[] = {"Origin", "Label", "Suite", "Codename", "Version"};
    char **const fields[] = {&origin->origin, &origin->label, &origin->suite, &origin->codename,
                             &origin->version};
    const char *value = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (*fields[i] == NULL && (value = field_value(line, names[i])) != NULL)
            *fields[i] = mem_string(value);
    if ((value = field_value(line, "NotAutomatic")) != NULL)
        origin->not_automatic = strcmp(value, "yes") == 0;
    if ((value = field_value(line, "ButAutomaticUpgrades")) != NULL)
        origin->but_automatic = strcmp(value, "yes") == 0;
}

/* The signed file that stands for an index: the longest name that the index begins with. */
static const char *release_of(const struct apt_lists *lists, const char *index)
{
    const char *best = NULL;
    for (size_t i = 0; i < lists->whole.count; i++) {
        const char *name = lists->whole.items[i];
        if (!string_ends(name, "_InRelease"))
            continue;
        size_t length = strlen(name) - strlen("InRelease");
        if (strncmp(name, index, length) == 0 && (best == NULL || strlen(name) > strlen(best)))
            best = name;
    }
    return best;
}

static void read_release(const struct host *host, const struct apt_lists *lists, const char *index,
                         struct apt_origin *origin)
{
    AUTO_TEXT struct text text = {0};
    const char *release = release_of(lists, index);
    AUTO_FREE char *path = mem_printf(APT_LISTS "/%s", release ? release : "");
    if (release == NULL || note_read_text(host, path, RELEASE_MAX, &text, NULL) != HOST_OK ||
        text.size == 0)
        return;
    char *cursor = text.data;
    origin->known = true;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        if (strncmp(line, "SHA", 3) == 0 || strncmp(line, "MD5", 3) == 0)
            break; /* the fields that matter stand before the digests */
        take_release_line(line, origin);
    }
}

/* "…_dists_bionic-updates_restricted_binary-amd64_Packages": restricted. free() it. */
static char *component_of(const char *index)
{
    const char *binary = strstr(index, "_binary-");
    const char *start = binary;
    while (start && start > index && start[-1] != '_')
        start--;
    return start ? mem_string_n(start, (size_t)(binary - start)) : NULL;
}

static struct apt_origin *add_origin(struct offers *offers, const char *index)
{
    struct apt_origin *origin = mem_alloc(sizeof(*origin));
    origin->host = mem_string_n(index, strcspn(index, "_"));
    origin->component = component_of(index);
    *vec_push(offers->origins, offers->origin_count, offers->origin_capacity) = origin;
    return origin;
}

/* An index that is being read. */
struct index {
    const struct apt_origin *origin;
    struct offers *offers;
};

static void take_offered(const struct dpkg_package *package, void *data)
{
    const struct index *index = data;
    struct offers *offers = index->offers;
    if (package->version == NULL || !is_of_driver(package->name))
        return;
    struct offer *offer = vec_push(offers->items, offers->count, offers->capacity);
    offer->name = mem_string(package->name);
    offer->version = mem_string(package->version);
    offer->depends = dpkg_all_depends(package);
    offer->origin = index->origin;
}

/* Components of a distribution that hold no driver, and most of its packages. */
static bool is_passed_over(const char *component)
{
    return string_equal(component, "universe");
}

/* The signed file is asked only about an index that offers something. */
static void read_index(const struct host *host, const struct apt_lists *lists, const char *name,
                       struct offers *offers)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = mem_printf(APT_LISTS "/%s", name);
    struct apt_origin *origin = add_origin(offers, name);
    struct index index = {.origin = origin, .offers = offers};
    size_t most = offers->left < INDEX_MAX ? offers->left : INDEX_MAX, before = offers->count;
    if (is_passed_over(origin->component) ||
        note_read_text(host, path, most, &text, NULL) != HOST_OK)
        return;
    offers->left -= text.size;
    dpkg_each_paragraph(text.data, path, take_offered, &index);
    if (offers->count > before)
        read_release(host, lists, name, origin);
}

static int priority_of(const struct offers *offers, const struct offer *offer)
{
    return offer->origin
               ? apt_policy_priority(&offers->policy, offer->name, offer->version, offer->origin)
               : INSTALLED_PRIORITY;
}

static const struct offer *installed_of(const struct offers *offers, const char *name)
{
    for (size_t i = 0; i < offers->count; i++)
        if (offers->items[i].origin == NULL && strcmp(offers->items[i].name, name) == 0)
            return &offers->items[i];
    return NULL;
}

/* The version that apt would install; NULL: it knows none. */
static const struct offer *candidate_of(const struct offers *offers, const char *name)
{
    const struct offer *installed = installed_of(offers, name);
    const struct offer *best = installed;
    int best_priority = best ? INSTALLED_PRIORITY : 0;
    if (installed && installed->held)
        return installed;
    for (size_t i = 0; i < offers->count; i++) {
        const struct offer *offer = &offers->items[i];
        if (offer->origin == NULL || strcmp(offer->name, name) != 0)
            continue;
        int priority = priority_of(offers, offer);
        bool older = installed && deb_version_compare(offer->version, installed->version) < 0;
        if (priority <= 0 || (older && priority < DOWNGRADE_PRIORITY))
            continue;
        if (best &&
            (priority < best_priority || (priority == best_priority &&
                                          deb_version_compare(offer->version, best->version) <= 0)))
            continue;
        best = offer;
        best_priority = priority;
    }
    return best;
}

/* A dependency that is looked at. */
struct look {
    struct facts *facts;
    const struct offers *offers;
    const struct offer *wanting;
    char *needs; /* the one that cannot be had; NULL: all can */
    const struct offer *chosen;
};

/* Whether apt's choice, or what is installed, satisfies it; *ret_other: another version would. */
static bool can_be_had(const struct look *look, const struct deb_relation *relation,
                       bool *ret_known, bool *ret_other, const struct offer **ret_chosen)
{
    const struct offers *offers = look->offers;
    const struct offer *candidate = candidate_of(offers, relation->name);
    const struct offer *installed = installed_of(offers, relation->name);
    if ((candidate && deb_relation_takes(relation, candidate->version)) ||
        (installed && deb_relation_takes(relation, installed->version)))
        return true;
    *ret_known = candidate != NULL;
    *ret_chosen = candidate;
    for (size_t i = 0; i < offers->count; i++)
        if (offers->items[i].origin && strcmp(offers->items[i].name, relation->name) == 0 &&
            deb_relation_takes(relation, offers->items[i].version))
            *ret_other = true;
    return false;
}

static bool take_dependency(const char *alternatives, void *data)
{
    struct look *look = data;
    AUTO_STRLIST struct strlist parts = {0};
    bool other = false;
    const struct offer *chosen = NULL;
    strlist_split(&parts, alternatives, '|');
    for (size_t i = 0; i < parts.count; i++) {
        AUTO_DEB_RELATION struct deb_relation relation = deb_relation_parse(parts.items[i]);
        bool known = false;
        if (can_be_had(look, &relation, &known, &other, &chosen) || !known)
            return true; /* of a package that no index here has nothing is known */
    }
    if (!other)
        return true;
    look->needs = mem_string(alternatives);
    look->chosen = chosen;
    return false;
}

/* Whether preferences decide which of the package's versions apt takes. */
static bool is_pinned(const struct offers *offers, const char *name)
{
    static const struct apt_policy none;
    for (size_t i = 0; i < offers->count; i++) {
        const struct offer *offer = &offers->items[i];
        if (offer->origin && strcmp(offer->name, name) == 0 &&
            priority_of(offers, offer) !=
                apt_policy_priority(&none, name, offer->version, offer->origin))
            return true;
    }
    return false;
}

static bool note_offer(struct look *look)
{
    static const char source[] = APT_LISTS;
    struct facts *facts = look->facts;
    deb_depends_each(look->wanting->depends, take_dependency, look);
    if (look->needs == NULL)
        return false;
    const struct offer *chosen = look->chosen;
    AUTO_FREE char *group = facts_group_name(KIND, look->wanting->name);
    facts_set_string(facts, group, "manager", "apt", source);
    facts_set_string(facts, group, "name", look->wanting->name, source);
    facts_set_string(facts, group, "version", look->wanting->version, source);
    facts_set_string(facts, group, "origin", look->wanting->origin->host, source);
    facts_set_string(facts, group, "needs", look->needs, source);
    facts_set_string(facts, group, "chosen", chosen->version, source);
    facts_set_string(facts, group, "chosen_origin",
                     chosen->origin ? chosen->origin->host : "installed", source);
    facts_set_boolean(facts, group, "held", chosen->held, source);
    facts_set_boolean(facts, group, "pinned", is_pinned(look->offers, chosen->name), source);
    facts_set_string(facts, group, "chosen_name", chosen->name, source);
    free(look->needs);
    return true;
}

/* Without its signed file a repository has no label that a preference could name. */
static bool are_preferences_known(const struct offers *offers)
{
    if (!apt_policy_needs_release(&offers->policy))
        return true;
    for (size_t i = 0; i < offers->count; i++)
        if (offers->items[i].origin && !offers->items[i].origin->known)
            return false;
    return true;
}

/* Every installed package that apt would take a newer version of. */
static void note_offers(struct facts *facts, const struct offers *offers, int64_t count)
{
    bool known = are_preferences_known(offers);
    for (size_t i = 0; known && i < offers->count && count < KEPT_MAX; i++) {
        const struct offer *installed = &offers->items[i];
        if (installed->origin)
            continue;
        const struct offer *candidate = candidate_of(offers, installed->name);
        if (candidate == NULL || candidate->origin == NULL)
            continue;
        struct look look = {.facts = facts, .offers = offers, .wanting = candidate};
        count += note_offer(&look);
    }
    facts_set_integer(facts, KIND, "count", count, APT_LISTS);
}

void probe_apt_offer(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_APT_LISTS struct apt_lists lists = {.whole = {0}};
    AUTO(offers_free) struct offers offers = {.left = ALL_MAX};
    size_t all = 0;
    enum host_status status = apt_lists_read(context->host, &lists, &error);
    if (status == HOST_DENIED || status == HOST_FAILED || status == HOST_FOREIGN) {
        note_missing(facts, KIND, "count", status, &error, APT_LISTS);
        return;
    }
    dpkg_each(context->host, take_installed, &offers, &all, NULL);
    offers.policy = apt_policy_read(context->host);
    for (size_t i = 0; offers.count > 0 && i < lists.whole.count; i++)
        if (string_ends(lists.whole.items[i], INDEX))
            read_index(context->host, &lists, lists.whole.items[i], &offers);
    note_offers(facts, &offers, pacman_note_offers(context->host, facts));
}
