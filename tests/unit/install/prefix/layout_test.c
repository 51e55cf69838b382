/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/io/tree.h"
#include "install/prefix/layout.h"
#include "manifest/toolkit/legacy.h"

/* A directory with what was unpacked ("part") and the tree that it goes into. */
struct place {
    char path[64];
    int fd, part_fd, tree_fd;
    struct layout *layout;
    struct error error;
};

static int setup(void **state)
{
    struct place *place = mem_alloc(sizeof(*place));
    strcpy(place->path, "/tmp/layout_test.XXXXXX");
    assert_non_null(mkdtemp(place->path));
    place->fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    place->part_fd = tree_open(place->fd, "part", true, "test", NULL);
    place->tree_fd = tree_open(place->fd, "tree", true, "test", NULL);
    assert_true(place->part_fd >= 0 && place->tree_fd >= 0);
    place->layout = layout_new(place->tree_fd, "/opt/cuda");
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    AUTO_CLOSE int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    layout_free(place->layout);
    error_clear(&place->error);
    close(place->fd);
    close(place->part_fd);
    close(place->tree_fd);
    assert_true(tree_remove(tmp, place->path + strlen("/tmp/"), "/tmp", NULL));
    free(place);
    return 0;
}

/* Unpacked: lies in part, and is in result. */
static struct unpack_member *add(struct place *place, struct unpack_result *result,
                                 const char *path, const char *text)
{
    const char *name;
    AUTO_CLOSE int parent = tree_open_parent(place->part_fd, path, true, "test", &name, NULL);
    AUTO_CLOSE int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && fchmod(fd, 0644) == 0 && bytes_write(fd, text, strlen(text)));
    struct unpack_member *member = vec_push(result->members, result->count, result->capacity);
    *member = (struct unpack_member){
        .path = mem_string(path), .type = UNPACK_FILE, .mode = 0644, .size = strlen(text)};
    assert_true(digest_of_bytes(text, strlen(text), &member->sha256, NULL));
    return member;
}

static bool layout(struct place *place, const char *component, struct unpack_result *result)
{
    const struct plan_item item = {.product = (char *)(uintptr_t) "cuda",
                                   .release = (char *)(uintptr_t) "13.0.77",
                                   .component = (char *)(uintptr_t)component,
                                   .path = (char *)(uintptr_t) "compute/a.tar.xz"};
    bool ok = layout_add(place->layout, place->part_fd, &item, result, &place->error);
    unpack_result_free(result);
    *result = (struct unpack_result){.count = 0};
    return ok;
}

static bool there(const struct place *place, const char *path)
{
    struct stat status;
    return fstatat(place->tree_fd, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void test_places(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    add(place, &result, "LICENSE", "l");
    add(place, &result, "lib/stubs/libcuda.so", "s");
    add(place, &result, "pkg-config/a.pc", "cudaroot=/usr/local/cuda\nprefix=/x\nName: a\n");
    add(place, &result, "odd\\name", "b");
    assert_true(layout(place, "one", &result));
    assert_true(there(place, "share/licenses/one/LICENSE"));
    assert_true(there(place, "lib/stubs/libcuda.so") && there(place, "odd\\name"));
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    const struct plan plan = {.items = NULL};
    assert_true(layout_finish(place->layout, &plan, &ledger, &place->error));
    assert_true(there(place, "lib64") && there(place, "lib/pkgconfig/a.pc"));
    AUTO_TEXT struct text text = {0};
    AUTO_CLOSE int fd = openat(place->tree_fd, "lib/pkgconfig/a.pc", O_RDONLY | O_CLOEXEC);
    assert_true(fd_read_all(fd, 100, "a.pc", &text, NULL));
    assert_string_equal(text_string(&text), "cudaroot=/opt/cuda\nprefix=/opt/cuda\nName: a\n");
    assert_int_equal(ledger_find(&ledger, "lib/pkgconfig/a.pc")->size, text.size);
    /* What is written can be read again, whatever the names are. */
    AUTO_TEXT struct text written = {0};
    AUTO_LEDGER struct ledger again = {.gpuenv = NULL};
    ledger.gpuenv = mem_string("0");
    ledger_append(&ledger, &written);
    if (!ledger_parse(text_string(&written), written.size, "L", &again, &place->error))
        fail_msg("%s: %s", place->error.where, place->error.why);
    assert_int_equal(again.file_count, ledger.file_count);
}

/* A link that climbs out of pkg-config/ leads to the same from lib/pkgconfig. */
static void test_links_of_pkgconfig(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    add(place, &result, "lib/a.pc", "Name: a\n");
    const char *const targets[] = {"../lib/a.pc", "b.pc"};
    for (size_t i = 0; i < 2; i++) {
        AUTO_FREE char *path = mem_printf("pkg-config/%c.pc", (int)('c' + i));
        const char *name;
        AUTO_CLOSE int parent = tree_open_parent(place->part_fd, path, true, "test", &name, NULL);
        assert_int_equal(symlinkat(targets[i], parent, name), 0);
        *vec_push(result.members, result.count, result.capacity) = (struct unpack_member){
            .path = mem_string(path), .type = UNPACK_LINK, .target = mem_string(targets[i])};
    }
    assert_true(layout(place, "one", &result));
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    const struct plan plan = {.items = NULL};
    assert_true(layout_finish(place->layout, &plan, &ledger, &place->error));
    AUTO_CLOSE int fd = openat(place->tree_fd, "lib/pkgconfig/c.pc", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_string_equal(ledger_find(&ledger, "lib/pkgconfig/c.pc")->target, "../../lib/a.pc");
    assert_string_equal(ledger_find(&ledger, "lib/pkgconfig/d.pc")->target, "b.pc");
}

static void test_one_file_of_two_components(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    add(place, &result, "include/a.h", "a");
    assert_true(layout(place, "one", &result));
    add(place, &result, "include/a.h", "a");
    assert_true(layout(place, "two", &result));
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    const struct plan plan = {.items = NULL};
    assert_true(layout_finish(place->layout, &plan, &ledger, &place->error));
    assert_int_equal(ledger_find(&ledger, "include/a.h")->owners.count, 2);
    assert_int_equal(ledger_find(&ledger, "include")->owners.count, 2);
}

static void test_other_bytes_are_refused(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    add(place, &result, "include/a.h", "a");
    assert_true(layout(place, "one", &result));
    add(place, &result, "include/a.h", "b");
    assert_false(layout(place, "two", &result));
    assert_int_equal(place->error.kind, ERROR_DATA);
    assert_string_equal(place->error.where, "/opt/cuda/include/a.h");
    assert_string_equal(place->error.why, "the file is in cuda/one and in cuda/two");
    assert_string_equal(place->error.next,
                        "leave one of the two components out, for example with --component=-two");
    assert_true(tree_remove(place->part_fd, "include", "part", NULL));
    add(place, &result, "include/a.h/b", "b");
    assert_false(layout(place, "three", &result));
    assert_int_equal(place->error.kind, ERROR_DATA);
}

/* Members that are moved to a place that another member of the archive has. */
static void test_one_archive_with_itself(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    add(place, &result, "LICENSE", "a");
    add(place, &result, "share/licenses/one/LICENSE", "b");
    assert_false(layout(place, "one", &result));
    assert_int_equal(place->error.kind, ERROR_DATA);
    assert_string_equal(place->error.why, "the file is in cuda/one twice");
    assert_string_equal(place->error.next, "leave this component out: --component=-one");
}

static void test_the_ledgers_place_is_reserved(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    add(place, &result, ".gpuenv/ledger.json", "{}");
    assert_false(layout(place, "one", &result));
    assert_int_equal(place->error.kind, ERROR_DATA);
    assert_non_null(strstr(place->error.what, "ledger"));
    assert_false(there(place, ".gpuenv"));
}

static bool refuses_what_is_said(struct place *place, struct unpack_result *result)
{
    bool refused = !layout(place, "one", result) && place->error.kind == ERROR_DATA &&
                   strstr(place->error.what, "differ from the unpacker's report") != NULL;
    error_clear(&place->error);
    return refused;
}

/* An unpacker that was taken over can write into its directory, and say what it likes. */
static void test_an_unpacker_that_lies(void **state)
{
    struct place *place = *state;
    struct unpack_result result = {.count = 0};
    AUTO_FREE char *outside = mem_printf("%s/outside", place->path);
    assert_int_equal(mkdir(outside, 0755), 0);
    AUTO_FREE char *kept = mem_printf("%s/kept", outside);
    AUTO_CLOSE int fd = open(kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && fchmod(fd, 0644) == 0);

    /* the way to a member leads out */
    struct unpack_member *member = add(place, &result, "kept", "");
    free(member->path);
    member->path = mem_string("way/kept");
    assert_int_equal(symlinkat(outside, place->part_fd, "way"), 0);
    assert_true(refuses_what_is_said(place, &result));
    assert_int_equal(access(kept, F_OK), 0);

    add(place, &result, "setuid", "x"); /* with a bit more */
    assert_int_equal(fchmodat(place->part_fd, "setuid", 04644, 0), 0);
    assert_true(refuses_what_is_said(place, &result));

    member = add(place, &result, "size", "x"); /* of another size */
    member->size = 2;
    assert_true(refuses_what_is_said(place, &result));

    add(place, &result, "link", "x"); /* a link and no file */
    assert_int_equal(unlinkat(place->part_fd, "link", 0), 0);
    assert_int_equal(symlinkat(kept, place->part_fd, "link"), 0);
    assert_true(refuses_what_is_said(place, &result));

    member = add(place, &result, "target", "x"); /* a link that leads elsewhere */
    member->type = UNPACK_LINK;
    member->target = mem_string("lib");
    assert_int_equal(unlinkat(place->part_fd, "target", 0), 0);
    assert_int_equal(symlinkat("/etc", place->part_fd, "target"), 0);
    assert_true(refuses_what_is_said(place, &result));

    member = add(place, &result, "none", ""); /* nothing at all */
    assert_int_equal(unlinkat(place->part_fd, "none", 0), 0);
    assert_true(refuses_what_is_said(place, &result));
}

/* Where the files of a cuDNN go, by what is to be installed with it. */
static void add_cudnn(struct place *place, const struct plan *plan)
{
    struct unpack_result result = {.count = 0};
    const struct plan_item item = {.product = (char *)(uintptr_t) "cudnn",
                                   .release = (char *)(uintptr_t) "7.6.5",
                                   .component = (char *)(uintptr_t) "cudnn",
                                   .path = (char *)(uintptr_t) "compute/a.tgz"};
    layout_lead(place->layout, plan);
    add(place, &result, "include/cudnn.h", "h");
    add(place, &result, "lib64/libcudnn.so.7", "l");
    add(place, &result, "lib/pkgconfig/cudnn.pc", "Name: cudnn\n");
    bool ok = layout_add(place->layout, place->part_fd, &item, &result, &place->error);
    unpack_result_free(&result);
    assert_true(ok && there(place, "lib/pkgconfig/cudnn.pc"));
}

static struct plan_item toolkit_item(const struct manifest_layout *row)
{
    return (struct plan_item){.product = (char *)(uintptr_t) "cuda",
                              .platform = (char *)(uintptr_t) "linux-x86_64",
                              .layout = row};
}

static void test_what_joins_nothing(void **state)
{
    struct place *place = *state;
    const struct plan plan = {.items = NULL};
    add_cudnn(place, &plan);
    assert_true(there(place, "lib/libcudnn.so.7") && there(place, "include/cudnn.h"));
    assert_false(there(place, "lib64"));
}

static void test_what_joins_an_old_toolkit(void **state)
{
    struct place *place = *state;
    const struct manifest_layout row = {.product = "cuda"};
    struct plan_item items[] = {toolkit_item(&row)};
    const struct plan plan = {.items = items, .item_count = 1};
    add_cudnn(place, &plan);
    assert_true(there(place, "lib64/libcudnn.so.7") && there(place, "include/cudnn.h"));
}

static void test_what_joins_a_toolkit_of_links(void **state)
{
    struct place *place = *state;
    struct manifest_layout row = {.product = "cuda"};
    strlist_add(&row.links, "lib64 -> targets/{target}/lib");
    strlist_add(&row.links, "include -> targets/{target}/include");
    struct plan_item items[] = {toolkit_item(&row)};
    const struct plan plan = {.items = items, .item_count = 1};
    add_cudnn(place, &plan);
    strlist_free(&row.links);
    assert_true(there(place, "targets/x86_64-linux/lib/libcudnn.so.7"));
    assert_true(there(place, "targets/x86_64-linux/include/cudnn.h"));
    assert_false(there(place, "include") || there(place, "lib64"));
}

/* The toolkit is in the prefix already, and says it by its files. */
static void keep(struct place *place, enum ledger_type type, const char *target)
{
    AUTO_LEDGER struct ledger kept = {.gpuenv = NULL};
    struct ledger_file *file = vec_push(kept.files, kept.file_count, kept.file_capacity);
    *file = (struct ledger_file){.path = mem_string("lib64"), .type = type};
    file->target = target ? mem_string(target) : NULL;
    strlist_add(&file->owners, "cuda/toolkit");
    layout_keep(place->layout, &kept);
}

static void test_what_joins_a_directory_that_is_there(void **state)
{
    struct place *place = *state;
    const struct plan plan = {.items = NULL};
    keep(place, LEDGER_DIRECTORY_ENTRY, NULL);
    add_cudnn(place, &plan);
    assert_true(there(place, "lib64/libcudnn.so.7"));
}

static void test_what_joins_a_link_that_is_there(void **state)
{
    struct place *place = *state;
    const struct plan plan = {.items = NULL};
    keep(place, LEDGER_LINK, "lib");
    add_cudnn(place, &plan);
    assert_true(there(place, "lib/libcudnn.so.7"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_places),
        TEST(test_links_of_pkgconfig),
        TEST(test_one_file_of_two_components),
        TEST(test_other_bytes_are_refused),
        TEST(test_one_archive_with_itself),
        TEST(test_the_ledgers_place_is_reserved),
        TEST(test_an_unpacker_that_lies),
        TEST(test_what_joins_nothing),
        TEST(test_what_joins_an_old_toolkit),
        TEST(test_what_joins_a_toolkit_of_links),
        TEST(test_what_joins_a_directory_that_is_there),
        TEST(test_what_joins_a_link_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
