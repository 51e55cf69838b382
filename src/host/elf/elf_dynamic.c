/* SPDX-License-Identifier: MIT */
#include "host/elf/elf_image.h"

#include <string.h>

#include "base/text.h"
#include "base/version.h"

/* Bounds on what one file may make us read. Real libraries need a few hundred names at most, which
 * are those of files; the RUNPATH of a build tree can be several kilobytes. */
#define DYNAMIC_MAX   (1024 * 1024)
#define NEEDED_MAX    256
#define VERSIONS_MAX  2048
#define VERSIONS_SIZE (64 * 1024)
#define NAME_SIZE     256
#define PATHS_SIZE    (64 * 1024)

/* The entries of the dynamic section that are read, besides DT_NEEDED. */
enum entry { STRTAB, STRSZ, SONAME, RPATH, RUNPATH, VERNEED, VERDEF, ENTRY_COUNT };

static const int64_t entry_tags[ENTRY_COUNT] = {
    [STRTAB] = DT_STRTAB,   [STRSZ] = DT_STRSZ,     [SONAME] = DT_SONAME, [RPATH] = DT_RPATH,
    [RUNPATH] = DT_RUNPATH, [VERNEED] = DT_VERNEED, [VERDEF] = DT_VERDEF,
};

struct dynamic {
    const struct elf_image *image;
    bool present[ENTRY_COUNT];
    uint64_t value[ENTRY_COUNT];
    uint64_t *needed; /* offsets into the strings */
    size_t needed_count, needed_capacity;
    uint64_t strings, strings_size; /* in the file */
};

static bool keep_entry(struct dynamic *dynamic, const GElf_Dyn *entry, struct error *error)
{
    if (entry->d_tag == DT_NEEDED) {
        if (dynamic->needed_count == NEEDED_MAX)
            return elf_malformed(error, "needs more than %d libraries", NEEDED_MAX);
        *vec_push(dynamic->needed, dynamic->needed_count, dynamic->needed_capacity) =
            entry->d_un.d_val;
    }
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (entry_tags[i] != entry->d_tag)
            continue;
        dynamic->present[i] = true;
        dynamic->value[i] = entry->d_un.d_val;
    }
    return true;
}

static bool read_entries(struct dynamic *dynamic, const GElf_Phdr *segment, struct error *error)
{
    if (segment->p_filesz > DYNAMIC_MAX)
        return elf_malformed(error, "a dynamic section of %llu bytes",
                             (unsigned long long)segment->p_filesz);
    Elf_Data *data = elf_image_chunk(dynamic->image, segment->p_offset, segment->p_filesz,
                                     ELF_T_DYN, "dynamic section", error);
    if (data == NULL)
        return false;
    GElf_Dyn entry;
    for (int i = 0; gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL; i++) {
        if (!keep_entry(dynamic, &entry, error))
            return false;
    }
    return true;
}

static bool find_strings(struct dynamic *dynamic, struct error *error)
{
    uint64_t left;
    if (!dynamic->present[STRTAB])
        return true; /* any name it has is then outside the strings of size 0 */
    if (!elf_image_locate(dynamic->image, dynamic->value[STRTAB], &dynamic->strings, &left))
        return elf_malformed(error, "string table at address 0x%llx is in no segment",
                             (unsigned long long)dynamic->value[STRTAB]);
    dynamic->strings_size = dynamic->value[STRSZ];
    if (dynamic->strings_size > left)
        return elf_malformed(error, "string table at %llu has %llu bytes, its segment %llu",
                             (unsigned long long)dynamic->strings,
                             (unsigned long long)dynamic->strings_size, (unsigned long long)left);
    return true;
}

/* The string at offset of the string table, shorter than max; NULL and a filled error when it
 * leaves the table or is longer. libelf keeps what it reads for as long as the file is open. */
static char *read_string(const struct dynamic *dynamic, uint64_t offset, size_t max,
                         const char *what, struct error *error)
{
    if (offset >= dynamic->strings_size) {
        elf_malformed(error, "%s at %llu of a string table of %llu bytes", what,
                      (unsigned long long)offset, (unsigned long long)dynamic->strings_size);
        return NULL;
    }
    uint64_t left = dynamic->strings_size - offset;
    for (uint64_t limit = NAME_SIZE; limit <= max; limit *= PATHS_SIZE / NAME_SIZE) {
        uint64_t size = left < limit ? left : limit;
        Elf_Data *data = elf_image_chunk(dynamic->image, dynamic->strings + offset, size,
                                         ELF_T_BYTE, what, error);
        if (data == NULL)
            return NULL;
        if (memchr(data->d_buf, '\0', size) != NULL)
            return mem_string(data->d_buf);
    }
    elf_malformed(error, "%s at %llu of the string table does not end", what,
                  (unsigned long long)offset);
    return NULL;
}

static bool read_named(const struct dynamic *dynamic, enum entry entry, size_t max,
                       const char *what, char **ret_string, struct error *error)
{
    if (!dynamic->present[entry])
        return true;
    char *string = read_string(dynamic, dynamic->value[entry], max, what, error);
    if (string == NULL)
        return false;
    free(*ret_string);
    *ret_string = string;
    return true;
}

static bool read_needed(const struct dynamic *dynamic, struct strlist *needed, struct error *error)
{
    for (size_t i = 0; i < dynamic->needed_count; i++) {
        char *name = read_string(dynamic, dynamic->needed[i], NAME_SIZE, "DT_NEEDED", error);
        if (name == NULL)
            return false;
        strlist_take(needed, name);
    }
    return true;
}

/* Keeps the higher of *highest and name, when name is a version of the C library. GLIBC_PRIVATE
 * and GLIBC_ABI_… are not numbers. */
static void keep_highest(char **highest, const char *name)
{
    struct version seen, best;
    if (!string_starts(name, "GLIBC_") || !version_parse(name + strlen("GLIBC_"), &seen))
        return;
    if (*highest != NULL && version_parse(*highest, &best) && version_compare(&seen, &best) <= 0)
        return;
    free(*highest);
    *highest = mem_string(name + strlen("GLIBC_"));
}

/* A walk through one of the version tables, whose records point to each other by distances. */
struct walk {
    const struct dynamic *dynamic;
    Elf_Data *data;
    const char *what;
    size_t seen; /* names, over the whole table: records may point to the same ones */
    char **highest;
};

static Elf_Data *find_records(const struct dynamic *dynamic, enum entry entry, Elf_Type type,
                              const char *what, struct error *error)
{
    uint64_t offset, left;
    if (!elf_image_locate(dynamic->image, dynamic->value[entry], &offset, &left)) {
        elf_malformed(error, "%s at address 0x%llx are in no segment", what,
                      (unsigned long long)dynamic->value[entry]);
        return NULL;
    }
    uint64_t size = left < VERSIONS_SIZE ? left : VERSIONS_SIZE;
    return elf_image_chunk(dynamic->image, offset, size, type, what, error);
}

/* libelf reads the records in place and takes their place as an int. */
static bool walk_can_read(const struct walk *walk, size_t at, struct error *error)
{
    if (at < walk->data->d_size && at % sizeof(uint32_t) == 0)
        return true;
    return elf_malformed(error, "%s: a record at %zu of %zu bytes", walk->what, at,
                         walk->data->d_size);
}

static bool walk_name(struct walk *walk, uint64_t offset, struct error *error)
{
    if (++walk->seen > VERSIONS_MAX)
        return elf_malformed(error, "%s: more than %d names", walk->what, VERSIONS_MAX);
    AUTO_FREE char *name = read_string(walk->dynamic, offset, NAME_SIZE, walk->what, error);
    if (name == NULL)
        return false;
    keep_highest(walk->highest, name);
    return true;
}

static bool walk_needs_of(struct walk *walk, size_t at, unsigned count, struct error *error)
{
    GElf_Vernaux aux;
    for (unsigned i = 0; i < count; i++) {
        if (!walk_can_read(walk, at, error))
            return false;
        if (gelf_getvernaux(walk->data, (int)at, &aux) == NULL)
            return elf_malformed(error, "%s: %s", walk->what, elf_errmsg(-1));
        if (!walk_name(walk, aux.vna_name, error))
            return false;
        if (aux.vna_next == 0)
            break;
        at += aux.vna_next;
    }
    return true;
}

static bool walk_needs(struct walk *walk, struct error *error)
{
    GElf_Verneed need;
    for (size_t at = 0;; at += need.vn_next) {
        if (!walk_can_read(walk, at, error))
            return false;
        if (gelf_getverneed(walk->data, (int)at, &need) == NULL)
            return elf_malformed(error, "%s: %s", walk->what, elf_errmsg(-1));
        if (!walk_needs_of(walk, at + need.vn_aux, need.vn_cnt, error))
            return false;
        if (need.vn_next == 0)
            return true;
    }
}

static bool walk_definitions(struct walk *walk, struct error *error)
{
    GElf_Verdef definition;
    GElf_Verdaux aux;
    for (size_t at = 0;; at += definition.vd_next) {
        if (!walk_can_read(walk, at, error))
            return false;
        if (gelf_getverdef(walk->data, (int)at, &definition) == NULL)
            return elf_malformed(error, "%s: %s", walk->what, elf_errmsg(-1));
        size_t aux_at = at + definition.vd_aux;
        if (definition.vd_cnt > 0) {
            if (!walk_can_read(walk, aux_at, error))
                return false;
            if (gelf_getverdaux(walk->data, (int)aux_at, &aux) == NULL)
                return elf_malformed(error, "%s: %s", walk->what, elf_errmsg(-1));
            if (!walk_name(walk, aux.vda_name, error))
                return false;
        }
        if (definition.vd_next == 0)
            return true;
    }
}

static bool read_needs(const struct dynamic *dynamic, char **highest, struct error *error)
{
    struct walk walk = {.dynamic = dynamic, .what = "version needs", .highest = highest};
    if (!dynamic->present[VERNEED])
        return true;
    walk.data = find_records(dynamic, VERNEED, ELF_T_VNEED, walk.what, error);
    return walk.data != NULL && walk_needs(&walk, error);
}

static bool read_definitions(const struct dynamic *dynamic, char **highest, struct error *error)
{
    struct walk walk = {.dynamic = dynamic, .what = "version definitions", .highest = highest};
    if (!dynamic->present[VERDEF])
        return true;
    walk.data = find_records(dynamic, VERDEF, ELF_T_VDEF, walk.what, error);
    return walk.data != NULL && walk_definitions(&walk, error);
}

static bool read_all(struct dynamic *dynamic, const GElf_Phdr *segment, struct elf_info *info,
                     struct error *error)
{
    return read_entries(dynamic, segment, error) && find_strings(dynamic, error) &&
           read_named(dynamic, SONAME, NAME_SIZE, "DT_SONAME", &info->soname, error) &&
           read_named(dynamic, RPATH, PATHS_SIZE, "DT_RPATH", &info->rpath, error) &&
           read_named(dynamic, RUNPATH, PATHS_SIZE, "DT_RUNPATH", &info->runpath, error) &&
           read_needed(dynamic, &info->needed, error) &&
           read_needs(dynamic, &info->glibc_needed, error) &&
           read_definitions(dynamic, &info->glibc_defined, error);
}

bool elf_dynamic_read(const struct elf_image *image, struct elf_info *info, struct error *error)
{
    GElf_Phdr segment;
    for (size_t i = 0; elf_image_segment(image, i, &segment); i++) {
        if (segment.p_type != PT_DYNAMIC || segment.p_filesz == 0)
            continue; /* separate debug information has an empty one */
        struct dynamic dynamic = {.image = image};
        bool ok = read_all(&dynamic, &segment, info, error);
        free(dynamic.needed);
        return ok;
    }
    return true;
}
