/* SPDX-License-Identifier: MIT */
#include "resolve/lockfile/lockfile.h"

#include <string.h>

#include "test.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ARCHIVE(component, platform)                                                               \
    "{\"component\": \"" component "\", \"path\": \"compute/cuda/redist/" component "/" platform   \
    "/a.tar.xz\", \"platform\": \"" platform "\", \"sha256\": \"" HEX "\", \"size\": 7}"
#define PRODUCT(archives)                                                                          \
    "{\"archives\": [" archives                                                                    \
    "], \"catalog\": {\"path\": \"compute/cuda/redist/redistrib_12.8.1.json\", \"pin\": \"file\"," \
    " \"sha256\": \"" HEX "\"}, \"product\": \"cuda\", \"version\": \"12.8.1\"}"
#define LOCK(products)                                                                             \
    "{\"products\": [" products "], \"request\": {\"platforms\": [\"linux-x86_64\"], "             \
    "\"profile\": \"full\", \"specs\": [\"cuda@12.8\"]}, \"schema\": 1}"

static const char whole[] = LOCK(PRODUCT(
    ARCHIVE("a", "linux-all") ", " ARCHIVE("a", "linux-x86_64") ", " ARCHIVE("b", "linux-x86_64")));

static void test_read_and_written(void **state)
{
    (void)state;
    AUTO_LOCKFILE struct lockfile lock = {.products = NULL}, again = {.products = NULL};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0}, second = {0};
    assert_true(lockfile_parse(whole, strlen(whole), "gpuenv.lock", &lock, &error));
    const struct lockfile_product *cuda = lockfile_product_find(&lock, "cuda");
    assert_non_null(cuda);
    assert_null(lockfile_product_find(&lock, "cudnn"));
    assert_int_equal(cuda->archive_count, 3);
    assert_string_equal(cuda->pin, "file");
    lockfile_append(&lock, &text);
    assert_true(lockfile_parse(text_string(&text), text.size, "again", &again, &error));
    lockfile_append(&again, &second);
    assert_string_equal(text_string(&text), text_string(&second));
}

/* A platform's own archive goes before one for all, which stands for it elsewhere. */
static void test_platforms(void **state)
{
    (void)state;
    AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
    assert_true(lockfile_parse(whole, strlen(whole), "gpuenv.lock", &lock, NULL));
    const struct lockfile_product *cuda = &lock.products[0];
    assert_string_equal(lockfile_archive_find(cuda, "a", "linux-x86_64")->platform, "linux-x86_64");
    assert_string_equal(lockfile_archive_find(cuda, "a", "linux-sbsa")->platform, "linux-all");
    assert_null(lockfile_archive_find(cuda, "b", "linux-sbsa"));
    assert_null(lockfile_archive_find(cuda, "c", "linux-x86_64"));
}

/* Rows in any order give the same bytes, and a row that is there twice stands there once. */
static void test_sorted(void **state)
{
    (void)state;
    AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
    AUTO_TEXT struct text before = {0}, after = {0};
    assert_true(lockfile_parse(whole, strlen(whole), "gpuenv.lock", &lock, NULL));
    lockfile_append(&lock, &before);
    struct lockfile_product *cuda = &lock.products[0];
    struct lockfile_archive first = cuda->archives[0];
    cuda->archives[0] = cuda->archives[2];
    cuda->archives[2] = first;
    struct lockfile_archive *twice =
        vec_push(cuda->archives, cuda->archive_count, cuda->archive_capacity);
    *twice = (struct lockfile_archive){.component = mem_string(first.component),
                                       .platform = mem_string(first.platform),
                                       .path = mem_string(first.path),
                                       .sha256 = mem_string(first.sha256),
                                       .size = first.size};
    lockfile_sort(&lock);
    lockfile_append(&lock, &after);
    assert_string_equal(text_string(&before), text_string(&after));
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where;
    } rows[] = {
        {"{}", "lock: schema"},
        {"[]", "lock: "},
        {"{\"schema\": 2}", "lock: schema"},
        {"{\"schema\": 1, \"x\": 1}", "lock: x"},
        {LOCK(""), "lock: products"},
        {LOCK("1"), "lock: products[0]"},
        {LOCK(PRODUCT("")), "lock: products[0].archives"},
        {LOCK(PRODUCT(ARCHIVE("a", ".."))), "lock: products[0].archives[0].path"},
        {LOCK(PRODUCT(ARCHIVE("a", "x y"))), "lock: products[0].archives[0].path"},
        {LOCK(PRODUCT(ARCHIVE("a", "x\\\\y"))), "lock: products[0].archives[0].path"},
        {LOCK(PRODUCT(ARCHIVE("b", "x") ", " ARCHIVE("a", "x"))),
         "lock: products[0].archives[1].path"},
        {LOCK(PRODUCT(ARCHIVE("a", "x")) ", " PRODUCT(ARCHIVE("a", "x"))),
         "lock: products[1].product"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
        AUTO_ERROR struct error error = {0};
        assert_false(lockfile_parse(rows[i].text, strlen(rows[i].text), "lock", &lock, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.where, rows[i].where);
        assert_non_null(error.next);
    }
}

/* Cut anywhere, it is refused. */
static void test_truncated(void **state)
{
    (void)state;
    for (size_t size = 0; size + 1 < sizeof(whole) - 1; size++) {
        AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
        AUTO_ERROR struct error error = {0};
        assert_false(lockfile_parse(whole, size, "lock", &lock, &error));
        assert_int_equal(error.kind, ERROR_DATA);
    }
}

static void request_for(struct lockfile_request *request, const char *spec, const char *platform)
{
    strlist_add(&request->specs, spec);
    strlist_add(&request->platforms, platform);
    request->extent = mem_string("full");
}

static void test_compared(void **state)
{
    (void)state;
    AUTO(lockfile_request_free) struct lockfile_request locked = {.extent = NULL};
    AUTO(lockfile_request_free) struct lockfile_request same = {.extent = NULL};
    AUTO(lockfile_request_free) struct lockfile_request elsewhere = {.extent = NULL};
    AUTO(lockfile_request_free) struct lockfile_request other = {.extent = NULL};
    AUTO_FREE char *none = NULL;
    AUTO_FREE char *platform = NULL;
    AUTO_FREE char *words = NULL;
    request_for(&locked, "cuda@12.8", "linux-x86_64");
    request_for(&same, "cuda@12.8", "linux-x86_64");
    request_for(&elsewhere, "cuda@12.8", "linux-sbsa");
    request_for(&other, "cuda@12.9", "linux-x86_64");
    other.assume_driver = mem_string("570.86.10");
    assert_int_equal(lockfile_compare(&locked, &same, &none), LOCKFILE_ANSWERS);
    assert_null(none);
    assert_int_equal(lockfile_compare(&locked, &elsewhere, &platform), LOCKFILE_PLATFORM);
    assert_string_equal(platform, "platform: requested for linux-sbsa, locked for linux-x86_64");
    assert_int_equal(lockfile_compare(&locked, &other, &words), LOCKFILE_DIFFERS);
    assert_string_equal(words, "SPECs: requested for cuda@12.9, locked for cuda@12.8; "
                               "--assume-driver: requested for 570.86.10, locked for none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_and_written), cmocka_unit_test(test_platforms),
        cmocka_unit_test(test_sorted),           cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncated),        cmocka_unit_test(test_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
