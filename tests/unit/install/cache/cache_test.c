/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/strlist.h"
#include "host/root/bytes.h"
#include "install/cache/cache.h"
#include "install/io/fd.h"
#include "install/io/tree.h"

/* A new directory for each test, and the cache below it by GPUENV_CACHE_DIR. */
struct place {
    char path[40];
    char cache[60];
};

static int place_make(void **state)
{
    struct place *place = mem_alloc(sizeof(*place));
    strcpy(place->path, "/tmp/cache_test.XXXXXX");
    if (mkdtemp(place->path) == NULL)
        return -1;
    snprintf(place->cache, sizeof(place->cache), "%s/a/b", place->path);
    setenv("GPUENV_CACHE_DIR", place->cache, 1);
    unsetenv("XDG_CACHE_HOME");
    *state = place;
    return 0;
}

static int place_remove(void **state)
{
    struct place *place = *state;
    bool ok = tree_remove(AT_FDCWD, place->path, "", NULL);
    free(place);
    return ok ? 0 : -1;
}

static struct cache *open_cache(void)
{
    AUTO_ERROR struct error error = {0};
    struct cache *cache = cache_open(false, -1, &error);
    assert_non_null(cache);
    assert_null(cache_note(cache));
    return cache;
}

static struct digest digest_of(const char *text)
{
    struct digest digest;
    assert_true(digest_of_bytes(text, strlen(text), &digest, NULL));
    return digest;
}

static char *read_fd(int fd)
{
    AUTO_TEXT struct text text = {0};
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_true(fd_read_all(fd, 1000, "", &text, NULL));
    return text_steal(&text);
}

static void put(const struct cache *cache, const char *text)
{
    struct digest digest = digest_of(text);
    AUTO_CLOSE int fd = cache_partial(cache, &digest, NULL);
    assert_true(bytes_write(fd, text, strlen(text)));
    assert_true(cache_keep(cache, &digest, fd, NULL));
}

static mode_t mode_of(const struct place *place, const char *path, const char *name)
{
    struct stat status;
    AUTO_FREE char *whole =
        mem_printf("%s%s%s", path ? path : place->cache, *name ? "/" : "", name);
    assert_int_equal(lstat(whole, &status), 0);
    return status.st_mode & 07777;
}

static size_t count_in(const struct place *place, const char *name)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *path = mem_printf("%s/%s", place->cache, name);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(tree_list(fd, path, &names, NULL));
    return names.count;
}

static void test_kept_and_found(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello");
    char hex[DIGEST_HEX_SIZE];
    mode_t mask = umask(0); /* E04 */
    struct cache *cache = open_cache();
    assert_string_equal(cache_path(cache), place->cache);
    assert_false(cache_has(cache, &digest));
    put(cache, "hello");
    umask(mask);
    cache_free(cache);
    cache = open_cache();
    AUTO_CLOSE int fd = cache_find(cache, &digest);
    AUTO_FREE char *text = read_fd(fd);
    assert_string_equal(text, "hello");
    assert_int_equal(count_in(place, "partial"), 0);
    AUTO_FREE char *name = mem_printf("sha256/%.2s/%s", digest_hex(&digest, hex), hex);
    assert_int_equal(mode_of(place, NULL, name), 0600);
    assert_int_equal(mode_of(place, NULL, "sha256"), 0700);
    assert_int_equal(mode_of(place, NULL, "partial"), 0700);
    assert_int_equal(mode_of(place, NULL, ""), 0700);
    cache_drop(cache, &digest);
    assert_false(cache_has(cache, &digest));
    cache_drop(cache, &digest);
    cache_free(cache);
}

static void test_partial_is_resumed(void **state)
{
    (void)state;
    struct digest digest = digest_of("hello");
    struct cache *cache = open_cache();
    int fd = cache_partial(cache, &digest, NULL);
    assert_true(bytes_write(fd, "he", 2));
    close(fd);
    cache_free(cache);
    cache = open_cache();
    fd = cache_partial(cache, &digest, NULL);
    AUTO_FREE char *text = read_fd(fd);
    assert_string_equal(text, "he");
    close(fd);
    cache_free(cache);
}

/* Two at the same file: the second gets one of its own, and both may keep theirs. */
static void test_two_at_once(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello");
    struct cache *one = open_cache(), *two = open_cache();
    AUTO_CLOSE int first = cache_partial(one, &digest, NULL);
    assert_true(bytes_write(first, "hel", 3));
    AUTO_CLOSE int second = cache_partial(two, &digest, NULL);
    AUTO_FREE char *empty = read_fd(second);
    assert_string_equal(empty, "");
    struct cache *three = open_cache(); /* what is held is not taken for left over */
    assert_int_equal(count_in(place, "partial"), 2);
    assert_true(bytes_write(second, "hello", 5));
    assert_true(cache_keep(two, &digest, second, NULL));
    assert_true(bytes_write(first, "lo", 2));
    assert_true(cache_keep(one, &digest, first, NULL));
    AUTO_CLOSE int fd = cache_find(three, &digest);
    AUTO_FREE char *text = read_fd(fd);
    assert_string_equal(text, "hello");
    assert_int_equal(count_in(place, "partial"), 0);
    cache_free(one);
    cache_free(two);
    cache_free(three);
}

/* A file of one's own whose process was killed goes away; a partial that can be resumed stays. */
static void test_left_over(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello");
    struct cache *cache = open_cache();
    int first = cache_partial(cache, &digest, NULL), second = cache_partial(cache, &digest, NULL);
    assert_int_equal(count_in(place, "partial"), 2);
    assert_true(bytes_write(first, "he", 2));
    close(first);
    close(second);
    cache_free(cache);
    cache = open_cache();
    assert_int_equal(count_in(place, "partial"), 1);
    first = cache_partial(cache, &digest, NULL);
    assert_int_equal(ftruncate(first, 0), 0);
    close(first);
    cache_free(cache);
    cache_free(open_cache());
    assert_int_equal(count_in(place, "partial"), 0); /* nothing to resume */
}

static void test_keep_what_is_not_ours(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello");
    AUTO_FREE char *path = mem_printf("%s/file", place->path);
    struct cache *cache = open_cache();
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(cache_keep(cache, &digest, fd, NULL));
    assert_false(cache_has(cache, &digest));
    assert_int_equal(access(path, F_OK), 0);
    cache_free(cache);
}

static void test_small_files(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0}, loaded = {0};
    struct cache *cache = open_cache();
    text_append(&text, "{}");
    assert_false(cache_load(cache, "catalog-1", 100, &loaded));
    assert_true(cache_store(cache, "catalog-1", &text, NULL));
    assert_true(cache_load(cache, "catalog-1", 100, &loaded));
    assert_string_equal(text_string(&loaded), "{}");
    assert_false(cache_load(cache, "catalog-1", 1, &loaded));
    assert_false(cache_load(cache, "../sha256", 100, &loaded));
    text_append(&text, "2");
    assert_true(cache_store(cache, "catalog-1", &text, NULL));
    assert_true(cache_load(cache, "catalog-1", 100, &loaded));
    assert_string_equal(text_string(&loaded), "{}2");
    cache_free(cache);
}

static void test_no_cache(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello"), other = digest_of("other");
    AUTO_TEXT struct text text = {0};
    AUTO_CLOSE int parent = open(place->path, O_RDONLY | O_DIRECTORY);
    struct cache *cache = cache_open(true, parent, NULL);
    assert_non_null(cache);
    assert_null(cache_note(cache));
    put(cache, "hello");
    AUTO_CLOSE int fd = cache_find(cache, &digest);
    AUTO_FREE char *words = read_fd(fd);
    assert_string_equal(words, "hello");
    AUTO_CLOSE int partial = cache_partial(cache, &other, NULL);
    assert_true(partial >= 0);
    assert_true(cache_store(cache, "catalog-1", &text, NULL));
    assert_false(cache_load(cache, "catalog-1", 100, &text));
    AUTO_STRLIST struct strlist names = {0};
    assert_true(tree_list(parent, "", &names, NULL));
    assert_int_equal(names.count, 0);
    cache_drop(cache, &digest);
    assert_false(cache_has(cache, &digest));
    cache_free(cache);
}

static void check_refused(const char *why)
{
    AUTO_ERROR struct error error = {0};
    struct cache *cache = cache_open(false, -1, &error);
    assert_null(cache);
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_non_null(strstr(error.why, why));
    assert_non_null(error.next);
}

static void test_others_may_write(void **state)
{
    struct place *place = *state;
    cache_free(open_cache());
    assert_int_equal(chmod(place->cache, 0770), 0);
    check_refused("other users may write");
    assert_int_equal(chmod(place->cache, 0755), 0);
    cache_free(open_cache());
    AUTO_FREE char *below = mem_printf("%s/partial", place->cache);
    assert_int_equal(chmod(below, 0702), 0);
    check_refused("other users may write");
}

static void test_a_file_in_the_way(void **state)
{
    struct place *place = *state;
    AUTO_FREE char *path = mem_printf("%s/a", place->path);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    check_refused(strerror(ENOTDIR));
    setenv("GPUENV_CACHE_DIR", "relative", 1);
    AUTO_ERROR struct error error = {0};
    assert_null(cache_open(false, -1, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
}

/* Our own links are followed, also where they lead to "..". */
static void test_links(void **state)
{
    struct place *place = *state;
    AUTO_FREE char *link = mem_printf("%s/a", place->path);
    AUTO_FREE char *target = mem_printf("%s/target", place->path);
    AUTO_FREE char *made = mem_printf("%s/target/b/partial", place->path);
    assert_int_equal(mkdir(target, 0755), 0);
    assert_int_equal(symlink("target/../target", link), 0);
    cache_free(open_cache());
    assert_int_equal(access(made, F_OK), 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("a", link), 0);
    check_refused(strerror(ELOOP));
}

static void test_links_of_others(void **state)
{
    struct place *place = *state;
    AUTO_FREE char *link = mem_printf("%s/a", place->path);
    AUTO_FREE char *directory = mem_printf("%s/d", place->path);
    if (geteuid() != 0)
        skip();
    assert_int_equal(symlink(place->path, link), 0);
    assert_int_equal(lchown(link, 12345, 12345), 0);
    check_refused("root does not follow another user's link");
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(chown(directory, 12345, 12345), 0);
    setenv("GPUENV_CACHE_DIR", directory, 1);
    check_refused("it belongs to another user");
    AUTO_FREE char *below = mem_printf("%s/cache", directory); /* E03 */
    setenv("GPUENV_CACHE_DIR", below, 1);
    check_refused("root creates nothing in another user's directory");
    assert_int_equal(access(below, F_OK), -1);
}

/* What lies where the cache's files are to be: planted links and pipes are neither followed nor
 * waited for. */
static void test_planted(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello");
    char hex[DIGEST_HEX_SIZE];
    cache_free(open_cache());
    AUTO_FREE char *victim = mem_printf("%s/victim", place->path);
    AUTO_FREE char *partial = mem_printf("%s/partial/%s", place->cache, digest_hex(&digest, hex));
    AUTO_FREE char *directory = mem_printf("%s/sha256/%.2s", place->cache, hex);
    AUTO_FREE char *kept = mem_printf("%s/%s", directory, hex);
    close(open(victim, O_WRONLY | O_CREAT, 0600));
    assert_int_equal(symlink(victim, partial), 0);
    assert_int_equal(mkdir(directory, 0700), 0);
    assert_int_equal(mkfifo(kept, 0600), 0);
    struct cache *cache = open_cache();
    assert_false(cache_has(cache, &digest));
    put(cache, "hello");
    assert_true(cache_has(cache, &digest));
    struct stat status;
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_size, 0);
    assert_int_equal(chmod(kept, 0622), 0);
    assert_false(cache_has(cache, &digest));
    cache_free(cache);
}

/* No place to write: nothing is kept, it is said, and what is asked for works. */
static void check_nameless(const char *why)
{
    AUTO_ERROR struct error error = {0};
    struct digest digest = digest_of("hello");
    struct cache *cache = cache_open(false, -1, &error);
    assert_non_null(cache);
    assert_non_null(cache_note(cache));
    assert_non_null(strstr(cache_note(cache), why));
    put(cache, "hello");
    assert_true(cache_has(cache, &digest));
    cache_free(cache);
}

static void test_no_place(void **state)
{
    (void)state;
    setenv("GPUENV_CACHE_DIR", "/proc/gpuenv", 1); /* nobody can make anything there */
    AUTO_ERROR struct error error = {0};
    struct cache *cache = cache_open(false, -1, &error);
    assert_true(cache != NULL || error.kind == ERROR_CANNOT_WRITE);
    cache_free(cache);
    if (geteuid() == 0)
        return;
    setenv("GPUENV_CACHE_DIR", "/gpuenv-cache", 1);
    check_nameless(strerror(EACCES));
    unsetenv("GPUENV_CACHE_DIR");
    setenv("HOME", "nowhere", 1);
    check_nameless("neither HOME nor");
}

static void test_read_only(void **state)
{
    struct place *place = *state;
    struct digest digest = digest_of("hello"), other = digest_of("other");
    struct cache *cache = open_cache();
    put(cache, "hello");
    cache_free(cache);
    if (geteuid() == 0)
        skip(); /* modes do not bind root */
    AUTO_FREE char *partial = mem_printf("%s/partial", place->cache);
    assert_int_equal(chmod(partial, 0500), 0);
    cache = cache_open(false, -1, NULL);
    assert_non_null(cache_note(cache));
    assert_true(cache_has(cache, &digest));
    put(cache, "other");
    assert_true(cache_has(cache, &other));
    cache_free(cache);
    assert_int_equal(chmod(partial, 0700), 0);
}

static void test_space(void **state)
{
    struct place *place = *state;
    struct stat status;
    uint64_t free_bytes = 0, file_system = 0;
    struct cache *cache = open_cache();
    assert_int_equal(stat(place->path, &status), 0);
    assert_true(cache_space(cache, &free_bytes, &file_system));
    assert_int_equal(file_system, status.st_dev);
    cache_free(cache);
    cache = cache_open(true, -1, NULL);
    assert_false(cache_space(cache, &free_bytes, &file_system));
    cache_free(cache);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_kept_and_found),
        TEST(test_partial_is_resumed),
        TEST(test_two_at_once),
        TEST(test_left_over),
        TEST(test_keep_what_is_not_ours),
        TEST(test_small_files),
        TEST(test_no_cache),
        TEST(test_others_may_write),
        TEST(test_a_file_in_the_way),
        TEST(test_links),
        TEST(test_links_of_others),
        TEST(test_planted),
        TEST(test_no_place),
        TEST(test_read_only),
        TEST(test_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
