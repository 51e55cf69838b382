/* SPDX-License-Identifier: MIT */
#include "host/packages/rpm.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

#include "host/packages/rpm_database.h"
#include "host/packages/sqlite_log.h"

/* The databases of the fuzz targets: small ones, and real ones that rpm has made. */
#define CORPUS TEST_SOURCE_DIR "/tests/fuzz/corpus/"

struct bytes {
    unsigned char data[65536];
    size_t size;
};

static void read_sample(const char *path, struct bytes *bytes)
{
    AUTO_FREE char *full = mem_printf(CORPUS "%s", path);
    FILE *file = fopen(full, "r");
    assert_non_null(file);
    bytes->size = fread(bytes->data, 1, sizeof(bytes->data), file);
    assert_true(bytes->size > 0 && bytes->size < sizeof(bytes->data));
    fclose(file);
}

/* "NAME-VERSION-RELEASE", sorted; and the files of all. */
struct found {
    struct strlist packages;
    struct strlist files;
};

static void take_file(const char *path, void *data)
{
    strlist_add(data, path);
}

static bool take_header(const struct byte_source *source, void *data, struct error *error)
{
    struct found *found = data;
    AUTO_RPM_HEADER struct rpm_header header = {.count = 0};
    AUTO_FREE char *name = NULL;
    AUTO_FREE char *version = NULL;
    AUTO_FREE char *release = NULL;
    if (!rpm_header_open(source, &header, error) ||
        !rpm_header_string(&header, RPM_NAME, &name, error) ||
        !rpm_header_string(&header, RPM_VERSION, &version, error) ||
        !rpm_header_string(&header, RPM_RELEASE, &release, error) ||
        !rpm_header_files(&header, take_file, &found->files, error))
        return false;
    strlist_take(&found->packages, mem_printf("%s-%s-%s", name, version, release));
    return true;
}

typedef bool each_of(const struct byte_source *file, rpm_visit *each, void *data,
                     struct error *error);

static size_t log_at; /* where the log begins in the sample; 0: there is none */

static bool each_of_sqlite(const struct byte_source *file, rpm_visit *each, void *data,
                           struct error *error)
{
    struct byte_source base = byte_source_part(file, 0, log_at ? log_at : file->size);
    struct byte_source log = byte_source_part(file, base.size, file->size - base.size);
    return rpm_sqlite_each(&base, &log, each, data, error);
}

static void assert_packages(each_of *each, const struct bytes *bytes, const char *packages,
                            size_t files)
{
    struct found found = {.files = {0}};
    AUTO_ERROR struct error error = {0};
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    if (!each(&source, take_header, &found, &error))
        fail_msg("%s: %s", error.what, error.why);
    strlist_sort(&found.packages);
    AUTO_FREE char *joined = strlist_join(&found.packages, " ");
    assert_string_equal(joined, packages);
    assert_int_equal(found.files.count, files);
    strlist_free(&found.packages);
    strlist_free(&found.files);
}

static void assert_refused(each_of *each, const struct bytes *bytes, const char *why)
{
    struct found found = {.files = {0}};
    AUTO_ERROR struct error error = {0};
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    assert_false(each(&source, take_header, &found, &error));
    if (strstr(error.why, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.why, why);
    strlist_free(&found.packages);
    strlist_free(&found.files);
}

#define SMALL                                                                                      \
    "bash-5.1.8-9.el9 gpg-pubkey-fd431d51-4ae0493b kmod-nvidia-open-dkms-570.86.15-1.el9 "         \
    "nvidia-driver-cuda-libs-570.86.15-1.el9"
#define REAL                                                                                       \
    "akmod-nvidia-565.57.01-1.fc41 cuda-keyring-none-1.0-1 "                                       \
    "nvidia-driver-cuda-libs-575.57.08-1.el9"

static void the_same_packages_in_every_format(void **state)
{
    static const struct {
        each_of *each;
        const char *path, *packages;
        size_t files;
    } rows[] = {
        {each_of_sqlite, "rpm_sqlite/small", SMALL, 92},
        {rpm_ndb_each, "rpm_ndb/small", SMALL, 92},
        {rpm_bdb_each, "rpm_bdb/little", SMALL, 92},
        {rpm_bdb_each, "rpm_bdb/big", SMALL, 92},
        {each_of_sqlite, "rpm_sqlite/real-4.18", REAL, 4},
        {rpm_ndb_each, "rpm_ndb/real-4.20", REAL, 4},
        {rpm_bdb_each, "rpm_bdb/real-4.16", REAL, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bytes bytes;
        read_sample(rows[i].path, &bytes);
        assert_packages(rows[i].each, &bytes, rows[i].packages, rows[i].files);
    }
}

/* The log has two packages more, and one of the file's is removed in it. */
static void the_log_of_sqlite_counts(void **state)
{
    struct bytes bytes;
    (void)state;
    read_sample("rpm_sqlite/log", &bytes);
    log_at = (size_t)(bytes.data[30] << 8 | bytes.data[31]) * 512;
    assert_packages(each_of_sqlite, &bytes, SMALL, 92);
    size_t size = bytes.size;
    bytes.size = log_at;
    assert_packages(each_of_sqlite, &bytes,
                    "kmod-nvidia-open-dkms-570.86.15-1.el9 kmod-nvidia-open-dkms-570.86.15-1.el9 "
                    "nvidia-driver-cuda-libs-570.86.15-1.el9",
                    182);
    bytes.size = size - 512; /* the last commit is not whole: the removal */
    assert_packages(each_of_sqlite, &bytes,
                    "bash-5.1.8-9.el9 gpg-pubkey-fd431d51-4ae0493b "
                    "kmod-nvidia-open-dkms-570.86.15-1.el9 kmod-nvidia-open-dkms-570.86.15-1.el9 "
                    "nvidia-driver-cuda-libs-570.86.15-1.el9",
                    182);
    bytes.size = size;
    bytes.data[log_at + 24] ^= 1; /* no sum is right: a log that was not begun */
    assert_packages(each_of_sqlite, &bytes,
                    "kmod-nvidia-open-dkms-570.86.15-1.el9 kmod-nvidia-open-dkms-570.86.15-1.el9 "
                    "nvidia-driver-cuda-libs-570.86.15-1.el9",
                    182);
    log_at = 0;
}

static void set32(struct bytes *bytes, size_t at, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes->data[at + i] = (unsigned char)(number >> (8 * i));
}

static void damaged_ndb_is_refused(void **state)
{
    struct bytes bytes;
    (void)state;
    read_sample("rpm_ndb/small", &bytes);
    set32(&bytes, 12, 0x01000001); /* times the slots of a page, it is 256 in 32 bits */
    assert_refused(rpm_ndb_each, &bytes, "its slots do not fit");
    read_sample("rpm_ndb/small", &bytes);
    set32(&bytes, 4, 1);
    assert_refused(rpm_ndb_each, &bytes, "a newer format");
    read_sample("rpm_ndb/small", &bytes);
    set32(&bytes, 32 + 4, 3);
    assert_refused(rpm_ndb_each, &bytes, "not the header of its slot");
    read_sample("rpm_ndb/small", &bytes);
    set32(&bytes, 32 + 12, 2);
    assert_refused(rpm_ndb_each, &bytes, "a header does not fit its blocks");
    read_sample("rpm_ndb/small", &bytes);
    set32(&bytes, 32 + 12, 0xffffffff);
    assert_refused(rpm_ndb_each, &bytes, "a header ends behind the file");
    set32(&bytes, 32 + 8, 0xffffffff);
    assert_refused(rpm_ndb_each, &bytes, "the file ends");
    set32(&bytes, 32, 0);
    assert_refused(rpm_ndb_each, &bytes, "not a slot");
    bytes.size = 16;
    assert_refused(rpm_ndb_each, &bytes, "the file ends");
}

static void damaged_hashes_are_refused(void **state)
{
    struct bytes bytes;
    (void)state;
    read_sample("rpm_bdb/little", &bytes);
    set32(&bytes, 20, 1000);
    assert_refused(rpm_bdb_each, &bytes, "its pages have a wrong size");
    read_sample("rpm_bdb/little", &bytes);
    set32(&bytes, 72, 100000);
    assert_refused(rpm_bdb_each, &bytes, "its buckets do not fit");
    read_sample("rpm_bdb/little", &bytes);
    bytes.data[24] = 1;
    assert_refused(rpm_bdb_each, &bytes, "it is encrypted");
    read_sample("rpm_bdb/little", &bytes);
    set32(&bytes, 512 + 16, 1); /* the first page of a bucket leads back to itself */
    assert_refused(rpm_bdb_each, &bytes, "its values take too many pages");
    set32(&bytes, 512 + 16, 4000);
    assert_refused(rpm_bdb_each, &bytes, "there is no such page");
    bytes.data[512 + 25] = 5;
    assert_refused(rpm_bdb_each, &bytes, "not a page of a bucket");
    set32(&bytes, 12, 0x053162); /* a B-tree */
    assert_refused(rpm_bdb_each, &bytes, "its head is wrong");
}

static void damaged_sqlite_is_refused(void **state)
{
    struct bytes bytes;
    (void)state;
    read_sample("rpm_sqlite/small", &bytes);
    bytes.data[19] = 3;
    assert_refused(each_of_sqlite, &bytes, "a newer format");
    read_sample("rpm_sqlite/small", &bytes);
    bytes.data[16] = 3;
    assert_refused(each_of_sqlite, &bytes, "its head is wrong");
    read_sample("rpm_sqlite/small", &bytes);
    bytes.data[100] = 2;
    assert_refused(each_of_sqlite, &bytes, "not a page of a table");
    read_sample("rpm_sqlite/small", &bytes);
    bytes.data[103] = 2;
    assert_refused(each_of_sqlite, &bytes, "not a page of a table");
    read_sample("rpm_sqlite/small", &bytes);
    unsigned char *name = memmem(bytes.data, 512, "PackagesPackages", 16);
    assert_non_null(name);
    memcpy(name, "packages", 8);
    assert_refused(each_of_sqlite, &bytes, "it has no table Packages");
    bytes.size = 700;
    assert_refused(each_of_sqlite, &bytes, "it has no table Packages");
}

static void an_empty_file_has_no_packages(void **state)
{
    struct bytes bytes = {.size = 0};
    (void)state;
    assert_packages(each_of_sqlite, &bytes, "", 0);
    assert_packages(rpm_ndb_each, &bytes, "", 0);
    assert_packages(rpm_bdb_each, &bytes, "", 0);
}

static void assert_header_refused(const unsigned char *data, size_t size, const char *why)
{
    struct bytes bytes = {.size = size};
    AUTO_ERROR struct error error = {0};
    struct found found = {.files = {0}};
    memcpy(bytes.data, data, size);
    struct byte_source source = byte_source_memory(bytes.data, size);
    assert_false(take_header(&source, &found, &error));
    if (strstr(error.why, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.why, why);
    strlist_free(&found.files);
}

static void damaged_headers_are_refused(void **state)
{
    struct bytes bytes;
    (void)state;
    read_sample("rpm_header/driver", &bytes);
    assert_header_refused(bytes.data, 4, "the file ends");
    assert_header_refused(bytes.data, bytes.size - 1, "the data does not fit");
    unsigned char *count = &bytes.data[1];
    *count = 1; /* 65546 tags */
    assert_header_refused(bytes.data, bytes.size, "number of tags out of range");
    *count = 0;
    bytes.data[8 + 7] = 4; /* the kind of the first tag, the name */
    assert_header_refused(bytes.data, bytes.size, "a tag is not a string");
    bytes.data[8 + 7] = 6;
    bytes.data[8 + 8] = 0x7f; /* its offset */
    assert_header_refused(bytes.data, bytes.size, "a string does not end");
    bytes.data[8 + 8] = 0;
    bytes.data[bytes.size - 1] = 'x'; /* the last directory */
    assert_header_refused(bytes.data, bytes.size, "a string does not end");
    bytes.data[bytes.size - 1] = '\0';
    unsigned char *indexes = memmem(bytes.data, bytes.size, "\0\0\4\x5c\0\0\0\4", 8);
    assert_non_null(indexes);
    indexes[15] = 1; /* how many */
    assert_header_refused(bytes.data, bytes.size, "do not match");
    indexes[12] = 0xff;
    assert_header_refused(bytes.data, bytes.size, "numbers do not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_packages_in_every_format),
        cmocka_unit_test(the_log_of_sqlite_counts),
        cmocka_unit_test(damaged_ndb_is_refused),
        cmocka_unit_test(damaged_hashes_are_refused),
        cmocka_unit_test(damaged_sqlite_is_refused),
        cmocka_unit_test(an_empty_file_has_no_packages),
        cmocka_unit_test(damaged_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
