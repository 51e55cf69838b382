/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/tree.h"
#include "install/outside/alternatives.h"
#include "install/outside/link.h"

/* A tree with /etc, and a prefix of ours in it. */
struct place {
    char directory[64];
    struct image image;
};

static void make(const struct place *place, const char *path, const char *text)
{
    AUTO_FREE char *whole = mem_printf("%s/%s", place->directory, path);
    for (char *slash = strchr(whole + strlen(place->directory) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    AUTO_CLOSE int fd = open(whole, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void make_link(const struct place *place, const char *path, const char *target)
{
    AUTO_FREE char *whole = mem_printf("%s/%s", place->directory, path);
    unlink(whole);
    assert_int_equal(symlink(target, whole), 0);
}

static void add_prefix(const struct place *place, const char *path)
{
    AUTO_FREE char *ledger = mem_printf("%s/.gpuenv/ledger.json", path);
    make(place, ledger, "{\"schema\": 1, \"gpuenv\": \"0.1.0\", \"products\": [], \"files\": []}");
}

static int set_up(void **state)
{
    struct place *place = mem_alloc(sizeof(*place));
    strcpy(place->directory, "/tmp/gpuenv-link-XXXXXX");
    assert_non_null(mkdtemp(place->directory));
    make(place, "etc/os-release", "");
    add_prefix(place, "usr/local/one");
    add_prefix(place, "usr/local/two");
    assert_true(image_open(place->directory, NULL, &place->image, NULL));
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    image_close(&place->image);
    AUTO_CLOSE int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tree_remove(fd, place->directory + strlen("/tmp/"), "/tmp", NULL);
    free(place);
    return 0;
}

static char *link_text(const struct place *place, const char *path)
{
    char text[256];
    AUTO_FREE char *whole = mem_printf("%s/%s", place->directory, path);
    ssize_t size = readlink(whole, text, sizeof(text));
    return size < 0 ? NULL : mem_string_n(text, (size_t)size);
}

static void assert_set(const struct place *place, const char *prefix_path, bool force,
                       enum error_kind expected, const char *text)
{
    struct prefix prefix = {.parent_fd = -1};
    AUTO_LINK_CHANGE struct link_change change = {.path = NULL};
    AUTO_ERROR struct error error = {0};
    assert_true(prefix_open(&place->image, prefix_path, false, true, 0, &prefix, &error));
    bool ok = link_set(&prefix, "/usr/local/cuda", force, 0, &change, &error);
    prefix_close(&prefix);
    assert_int_equal(error.kind, expected);
    assert_int_equal(ok, expected == ERROR_NONE);
    AUTO_FREE char *now = link_text(place, "usr/local/cuda");
    assert_string_equal(now, text);
}

static void goes_from_one_to_the_other(void **state)
{
    const struct place *place = *state;
    assert_set(place, "/usr/local/one", false, ERROR_NONE, "/usr/local/one");
    assert_set(place, "/usr/local/two", false, ERROR_NONE, "/usr/local/two");
    make_link(place, "usr/local/cuda", "one"); /* a relative one leads there as well */
    assert_set(place, "/usr/local/one", false, ERROR_NONE, "one");
}

static void leaves_links_of_others(void **state)
{
    const struct place *place = *state;
    make(place, "opt/other/bin/nvcc", "");
    make_link(place, "usr/local/cuda", "/opt/other");
    assert_set(place, "/usr/local/one", false, ERROR_CANNOT_WRITE, "/opt/other");
    assert_set(place, "/usr/local/one", true, ERROR_NONE, "/usr/local/one");
    make_link(place, "usr/local/cuda", "/nowhere");
    assert_set(place, "/usr/local/one", false, ERROR_NONE, "/usr/local/one");
}

/* A link of the image that climbs out of it stays in it; so does one on the way to the link. */
static void no_link_leads_out(void **state)
{
    const struct place *place = *state;
    AUTO_FREE char *out = mem_printf("%s-out", place->directory);
    AUTO_FREE char *climbing = mem_printf("../../../../../../../../../..%s", out);
    assert_int_equal(mkdir(out, 0755), 0);
    struct prefix prefix = {.parent_fd = -1};
    AUTO_ERROR struct error error = {0};
    AUTO_LINK_CHANGE struct link_change change = {.path = NULL};
    make_link(place, "opt", climbing);
    assert_true(prefix_open(&place->image, "/usr/local/one", false, true, 0, &prefix, &error));
    if (link_set(&prefix, "/opt/cuda", false, 0, &change, &error)) {
        AUTO_FREE char *inside = mem_printf("%s/cuda", out + 1);
        assert_non_null(link_text(place, inside));
    }
    prefix_close(&prefix);
    assert_int_equal(rmdir(out), 0); /* it is empty */
}

static void forgets_what_leads_to_the_prefix_alone(void **state)
{
    const struct place *place = *state;
    struct prefix prefix = {.parent_fd = -1};
    AUTO_LINK_CHANGE struct link_change change = {.path = NULL};
    AUTO_ERROR struct error error = {0};
    make_link(place, "usr/local/cuda", "two");
    assert_true(prefix_open(&place->image, "/usr/local/one", false, true, 0, &prefix, &error));
    assert_true(link_forget(&prefix, "/usr/local/cuda", 0, &change, &error));
    AUTO_FREE char *kept = link_text(place, "usr/local/cuda");
    assert_string_equal(kept, "two");
    assert_null(change.path);
    make_link(place, "usr/local/cuda", "/usr/local/one");
    assert_true(link_forget(&prefix, "/usr/local/cuda", 0, &change, &error));
    assert_null(link_text(place, "usr/local/cuda"));
    assert_true(change.has_changed);
    assert_true(link_forget(&prefix, "/usr/local/cuda", 0, &change, &error));
    prefix_close(&prefix);
}

static void finds_the_group_that_owns_a_link(void **state)
{
    const struct place *place = *state;
    assert_null(alternatives_group(&place->image, "/usr/local/cuda"));
    make(place, "var/lib/dpkg/alternatives/cuda-12",
         "auto\n/usr/local/cuda-12\n\n/usr/local/one\n120\n\n");
    make(place, "var/lib/dpkg/alternatives/damaged", "/usr/local/cuda\n/usr/local/cuda\n");
    make(place, "var/lib/dpkg/alternatives/empty", "");
    assert_null(alternatives_group(&place->image, "/usr/local/cuda"));
    make(place, "var/lib/dpkg/alternatives/nvidia",
         "manual\n/usr/local/cuda\n\n/usr/local/one\n120\n\n");
    AUTO_FREE char *group = alternatives_group(&place->image, "/usr/local/cuda");
    assert_string_equal(group, "nvidia");
    /* Nothing of an image is run: the link stays, and the commands are named. */
    make_link(place, "usr/local/cuda", "one");
    assert_set(place, "/usr/local/two", false, ERROR_CANNOT_WRITE, "one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(goes_from_one_to_the_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_links_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_link_leads_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forgets_what_leads_to_the_prefix_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(finds_the_group_that_owns_a_link, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
