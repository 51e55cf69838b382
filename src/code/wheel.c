/* SPDX-License-Identifier: MIT */
#include "code/wheel.h"

#include "code/zip.h"

#define HEAD      4096u /* that tells what a member is (code_file_of()) */
#define TWINS_MAX 3u    /* names to be shown */

static void take_twins(const struct zip *zip, struct wheel *wheel)
{
    wheel->twin_count = zip->twins;
    for (size_t i = 0; i < zip->count && wheel->twins.count < TWINS_MAX; i++) {
        const struct zip_member *member = &zip->members[i];
        AUTO_FREE char *name = mem_string_n(member->name, member->name_size);
        if (member->twin)
            strlist_add_new(&wheel->twins, name);
    }
}

static bool is_directory(const struct zip_member *member)
{
    return member->name[member->name_size - 1] == '/';
}

/* What the member is; reading its head fails where it cannot be unpacked. */
static bool find_kind(const struct zip_bytes *bytes, enum code_file *ret_file, struct error *error)
{
    unsigned char head[HEAD];
    size_t size = bytes->source.size < HEAD ? (size_t)bytes->source.size : HEAD;
    if (!byte_source_read(&bytes->source, 0, head, size, "its beginning", error))
        return false;
    *ret_file = code_file_of(head, size);
    return true;
}

/* What wheel_read() is about. */
struct wheel_reading {
    const struct zip *zip;
    bool whole;
    struct wheel *wheel;
};

/* False with error set: something is wrong with it; without: it is no container of code. */
static bool read_member(const struct wheel_reading *reading, const struct zip_member *member,
                        struct code_listing *listing, struct error *error)
{
    struct wheel *wheel = reading->wheel;
    bool (*const read_code)(const struct byte_source *source, struct code_listing *ret_listing,
                            struct error *error) = reading->whole ? code_read_whole : code_read;
    AUTO_ZIP_BYTES struct zip_bytes bytes = {.stream = NULL};
    enum code_file file = CODE_FILE_OTHER;
    if (wheel->unpacked > WHEEL_UNPACKED_MAX) {
        error_set(error, ERROR_DATA, "not searched");
        return error_why(error, "more than %llu GiB of the archive had already been unpacked",
                         WHEEL_UNPACKED_MAX >> 30);
    }
    if (!zip_member_open(reading->zip, member, &bytes, error) || !find_kind(&bytes, &file, error))
        return false;
    wheel->nested += file == CODE_FILE_ZIP;
    bool read = file != CODE_FILE_OTHER && file != CODE_FILE_ZIP &&
                read_code(&bytes.source, listing, error);
    wheel->unpacked += zip_bytes_work(&bytes);
    return read && (listing->count > 0 || listing->file == CODE_FILE_CUBIN);
}

static bool take_member(const struct wheel_reading *reading, const struct zip_member *member,
                        struct error *error)
{
    struct wheel *wheel = reading->wheel;
    AUTO_CODE_LISTING struct code_listing listing = {.entries = NULL};
    AUTO_ERROR struct error problem = {.kind = ERROR_NONE};
    bool has_code = read_member(reading, member, &listing, &problem);
    if (!has_code && !error_is_set(&problem))
        return true;
    if (has_code && !code_listing_merge(&wheel->sum, &listing, error))
        return false;
    struct wheel_member *slot = vec_push(wheel->members, wheel->count, wheel->capacity);
    slot->name = mem_string_n(member->name, member->name_size);
    slot->listing = listing;
    slot->error = problem;
    listing = (struct code_listing){.entries = NULL};
    problem = (struct error){.kind = ERROR_NONE};
    return true;
}

bool wheel_read(const struct byte_source *source, bool whole, struct wheel *ret_wheel,
                struct error *error)
{
    AUTO_ZIP struct zip zip = {.count = 0};
    const struct wheel_reading reading = {.zip = &zip, .whole = whole, .wheel = ret_wheel};
    ret_wheel->sum.file = CODE_FILE_ZIP;
    if (!zip_open(source, &zip, error))
        return false;
    ret_wheel->ahead = zip.ahead;
    take_twins(&zip, ret_wheel);
    for (size_t i = 0; i < zip.count; i++) {
        if (is_directory(&zip.members[i]))
            continue;
        ret_wheel->all++;
        if (!take_member(&reading, &zip.members[i], error))
            return false;
    }
    return true;
}

void wheel_free(struct wheel *wheel)
{
    for (size_t i = 0; i < wheel->count; i++) {
        free(wheel->members[i].name);
        code_listing_free(&wheel->members[i].listing);
        error_clear(&wheel->members[i].error);
    }
    free(wheel->members);
    strlist_free(&wheel->twins);
    code_listing_free(&wheel->sum);
    *wheel = (struct wheel){.members = NULL};
}
