/* SPDX-License-Identifier: MIT */
#include "probe/repository/pacman_offer.h"

#include <fnmatch.h>
#include <string.h>

#include "host/packages/pacman.h"
#include "host/packed/packed.h"
#include "probe/engine/note.h"

/* What pacman's databases of repositories offer of the driver, and whether it fits together: the
 * first repository that has a package gives it. */
#define KIND       "apt_offer"
#define CONF       "/etc/pacman.conf"
#define SYNC       "/var/lib/pacman/sync"
#define CONF_MAX   (1u << 20)
#define DATA_MAX   (256u << 20) /* of one database, unpacked */
#define DESC_MAX   (256u << 10)
#define BLOCK      512u
#define OFFERS_MAX 512

struct offer {
    char *name, *version, *repository;
    struct strlist depends;
};

struct offers {
    struct offer *items;
    size_t count, capacity;
};

/* A database that is read from front to back (tar(5)): the entry that is being read. */
struct reading {
    struct offers *offers;
    const char *repository;
    unsigned char block[BLOCK];
    size_t filled;
    uint64_t left; /* bytes of the entry's content, with what fills its last block */
    uint64_t size; /* bytes of it that count */
    struct text desc;
    bool wanted;
};

static void offer_clear(struct offer *offer)
{
    free(offer->name);
    free(offer->version);
    free(offer->repository);
    strlist_free(&offer->depends);
}

static void offers_free(struct offers *offers)
{
    for (size_t i = 0; i < offers->count; i++)
        offer_clear(&offers->items[i]);
    free(offers->items);
}

static bool is_of_driver(const char *name)
{
    return string_starts(name, "nvidia") || string_starts(name, "lib32-nvidia") ||
           string_starts(name, "opencl-nvidia") ||
           (string_starts(name, "linux-") && strstr(name, "-nvidia") != NULL);
}

static void take_field(const char *section, const char *line, void *data)
{
    struct offer *offer = data;
    if (strcmp(section, "%NAME%") == 0 && offer->name == NULL)
        offer->name = mem_string(line);
    else if (strcmp(section, "%VERSION%") == 0 && offer->version == NULL)
        offer->version = mem_string(line);
    else if (strcmp(section, "%DEPENDS%") == 0)
        strlist_add(&offer->depends, line);
}

static void take_desc(struct reading *reading)
{
    struct offers *offers = reading->offers;
    if (offers->count >= OFFERS_MAX)
        return;
    struct offer offer = {.repository = mem_string(reading->repository)};
    pacman_each_line(reading->desc.data, take_field, &offer);
    if (offer.name && offer.version)
        *vec_push(offers->items, offers->count, offers->capacity) = offer;
    else
        offer_clear(&offer);
}

static uint64_t octal(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size && bytes[i] >= '0' && bytes[i] <= '7'; i++)
        value = value << 3 | (uint64_t)(bytes[i] - '0');
    return value;
}

/* The head of an entry: its name, and its size at 124. */
static void take_head(struct reading *reading)
{
    AUTO_FREE char *name = mem_string_n((const char *)reading->block, 100);
    reading->size = octal(reading->block + 124, 12);
    reading->left = (reading->size + BLOCK - 1) / BLOCK * BLOCK;
    reading->wanted = is_of_driver(name) && string_ends(name, "/desc") && reading->size <= DESC_MAX;
    text_clear(&reading->desc);
}

static void take_block(struct reading *reading)
{
    if (reading->left == 0) {
        take_head(reading);
        return;
    }
    uint64_t done = (reading->size + BLOCK - 1) / BLOCK * BLOCK - reading->left;
    uint64_t part = reading->size - done < BLOCK ? reading->size - done : BLOCK;
    reading->left -= BLOCK;
    if (!reading->wanted)
        return;
    text_append_n(&reading->desc, (const char *)reading->block, (size_t)part);
    if (reading->left == 0)
        take_desc(reading);
}

static bool take_bytes(const void *bytes, size_t size, void *data)
{
    struct reading *reading = data;
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t part = BLOCK - reading->filled < size ? BLOCK - reading->filled : size;
        memcpy(reading->block + reading->filled, at, part);
        reading->filled += part;
        at += part;
        size -= part;
        if (reading->filled < BLOCK)
            continue;
        reading->filled = 0;
        take_block(reading);
    }
    return true;
}

static void read_database(const struct host *host, const char *repository, struct offers *offers)
{
    AUTO_FREE char *path = mem_printf(SYNC "/%s.db", repository);
    AUTO_TEXT struct text head = {0};
    AUTO_CLOSE int fd = -1;
    struct reading reading = {.offers = offers, .repository = repository};
    if (host_read_head(host, path, 16, &head, NULL) != HOST_OK ||
        host_open(host, path, &fd, NULL) != HOST_OK)
        return;
    enum packing packing = packing_of(head.data, head.size);
    if (packing_is_known(packing))
        packed_read(fd, packing, DATA_MAX, take_bytes, &reading);
    text_free(&reading.desc);
}

/* The repositories of pacman.conf, in its order. */
static void read_repositories(const struct host *host, struct strlist *names)
{
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, CONF, CONF_MAX, &text, NULL) != HOST_OK || text.size == 0)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        line = string_trim(line);
        char *end = line[0] == '[' ? strchr(line, ']') : NULL;
        if (end == NULL)
            continue;
        *end = '\0';
        if (strcmp(line + 1, "options") != 0 && strchr(line + 1, '/') == NULL)
            strlist_add_new(names, line + 1);
    }
}

/* The first repository's; they were read in that order. */
static const struct offer *first_offer(const struct offers *offers, const char *name)
{
    for (size_t i = 0; i < offers->count; i++)
        if (strcmp(offers->items[i].name, name) == 0)
            return &offers->items[i];
    return NULL;
}

/* "570.124.04" is 570.124.04-3, as a dependency without a release counts for every one. */
static bool is_version(const char *wanted, const char *version)
{
    size_t length = strlen(wanted);
    return strncmp(version, wanted, length) == 0 &&
           (version[length] == '\0' || (version[length] == '-' && strchr(wanted, '-') == NULL));
}

struct collection {
    struct facts *facts;
    const struct offers *offers;
    struct offers *installed; /* those that are ignored */
    int64_t count;
};

/* IgnorePkg: the package stays at its version. */
static bool is_ignored(const struct facts *facts, const char *name)
{
    static const char kind[] = "IgnorePkg: ";
    const struct strlist *holds = facts_list(facts, "package", "holds");
    for (size_t i = 0; holds && i < holds->count; i++)
        if (string_starts(holds->items[i], kind) &&
            fnmatch(holds->items[i] + strlen(kind), name, 0) == 0)
            return true;
    return false;
}

/* In the place of what the repositories offer of an ignored package: what is installed. */
static void take_ignored(const struct pacman_package *package, void *data)
{
    struct collection *collection = data;
    struct offers *offers = collection->installed;
    if (!is_ignored(collection->facts, package->name))
        return;
    *vec_push(offers->items, offers->count, offers->capacity) =
        (struct offer){.name = mem_string(package->name),
                       .version = mem_string(package->version),
                       .repository = mem_string("installed")};
}

/* The first dependency on one version that no choice of pacman's meets; *ret_chosen: its choice,
 * which is what is installed for a package that is ignored. */
static const char *unmet(const struct collection *collection, const struct offer *offer,
                         const struct offer **ret_chosen)
{
    for (size_t i = 0; i < offer->depends.count; i++) {
        const char *depend = offer->depends.items[i];
        size_t length = strcspn(depend, "<>=");
        if (depend[length] != '=')
            continue;
        AUTO_FREE char *name = mem_string_n(depend, length);
        const struct offer *chosen = first_offer(collection->installed, name);
        chosen = chosen ? chosen : first_offer(collection->offers, name);
        if (chosen == NULL || is_version(depend + length + 1, chosen->version))
            continue;
        *ret_chosen = chosen;
        return depend;
    }
    return NULL;
}

static void take_installed(const struct pacman_package *package, void *data)
{
    struct collection *collection = data;
    struct facts *facts = collection->facts;
    bool ignored = first_offer(collection->installed, package->name) != NULL;
    const struct offer *offer = first_offer(collection->offers, package->name);
    const struct offer *chosen = NULL;
    const char *needs = offer && !ignored ? unmet(collection, offer, &chosen) : NULL;
    if (needs == NULL)
        return;
    AUTO_FREE char *group = facts_group_name(KIND, package->name);
    facts_set_string(facts, group, "manager", "pacman", SYNC);
    facts_set_string(facts, group, "name", package->name, SYNC);
    facts_set_string(facts, group, "version", offer->version, SYNC);
    facts_set_string(facts, group, "origin", offer->repository, SYNC);
    facts_set_string(facts, group, "needs", needs, SYNC);
    facts_set_string(facts, group, "chosen", chosen->version, SYNC);
    facts_set_string(facts, group, "chosen_origin", chosen->repository, SYNC);
    facts_set_boolean(facts, group, "pinned", false, SYNC);
    facts_set_string(facts, group, "chosen_name", chosen->name, SYNC);
    facts_set_boolean(facts, group, "held",
                      first_offer(collection->installed, chosen->name) != NULL, SYNC);
    collection->count++;
}

int64_t pacman_note_offers(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO(offers_free) struct offers offers = {.items = NULL};
    AUTO(offers_free) struct offers installed = {.items = NULL};
    struct collection collection = {.facts = facts, .offers = &offers, .installed = &installed};
    size_t all = 0;
    read_repositories(host, &names);
    for (size_t i = 0; i < names.count; i++)
        read_database(host, names.items[i], &offers);
    if (offers.count == 0)
        return 0;
    pacman_each(host, is_of_driver, take_ignored, &collection, &all, NULL);
    pacman_each(host, is_of_driver, take_installed, &collection, &all, NULL);
    return collection.count;
}
