/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/local/walk.h"

#define NOBODY 65534

/* A directory of this test's, and the process in it. */
struct place {
    char path[40];
};

static int place_make(void **state)
{
    struct place *place = mem_alloc(sizeof(*place));
    strcpy(place->path, "/tmp/walk_test.XXXXXX");
    if (mkdtemp(place->path) == NULL || chmod(place->path, 0755) != 0 || chdir(place->path) != 0)
        return -1;
    *state = place;
    return mkdir("real", 0755) == 0 && mkdir("real/below", 0755) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

static int place_remove(void **state)
{
    struct place *place = *state;
    int result = chdir("/") == 0 ? nftw(place->path, remove_one, 16, FTW_DEPTH | FTW_PHYS) : -1;
    free(place);
    return result;
}

static void needs_root(void)
{
    if (geteuid() != 0)
        skip();
}

/* Whether path leads to wanted. */
static bool leads_to(const char *path, const char *wanted)
{
    static const struct walk_rules rules = {.making = WALK_MAKES_NOTHING};
    struct stat found, there;
    AUTO_CLOSE int fd = walk_open(path, &rules, NULL);
    return fd >= 0 && fstat(fd, &found) == 0 && stat(wanted, &there) == 0 &&
           found.st_dev == there.st_dev && found.st_ino == there.st_ino;
}

static void assert_refused(const char *path, const char *what)
{
    static const struct walk_rules rules = {.making = WALK_MAKES};
    AUTO_ERROR struct error error = {0};
    struct walk_end end;
    assert_false(walk_to(path, &rules, &end, &error));
    assert_true(end.is_refused);
    assert_int_equal(end.fd, -1);
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_non_null(strstr(error.what, what));
    assert_string_equal(error.where, path);
}

static void paths_lead_where_the_kernel_leads(void **state)
{
    const struct place *place = *state;
    AUTO_FREE char *absolute = mem_printf("%s/real/./below//", place->path);
    AUTO_FREE char *target = mem_printf("%s/real", place->path);
    assert_int_equal(symlink("real/below", "relative"), 0);
    assert_int_equal(symlink("../real/../relative", "real/climbs"), 0);
    assert_int_equal(symlink(target, "absolute"), 0);
    assert_true(leads_to(".", "."));
    assert_true(leads_to("/", "/"));
    assert_true(leads_to(absolute, "real/below"));
    assert_true(leads_to("real/below/..", "real"));
    assert_true(leads_to("../..", "/"));
    assert_true(leads_to("relative", "real/below"));
    assert_true(leads_to("relative/..", "real"));
    assert_true(leads_to("real/climbs", "real/below"));
    assert_true(leads_to("absolute/below", "real/below"));
    assert_true(leads_to("/proc/self/cwd/real", "real"));
}

static void what_is_missing_is_made_where_the_rules_say_so(void **state)
{
    (void)state;
    static const struct walk_rules makes = {.making = WALK_MAKES, .mode = 0750};
    static const struct walk_rules looks = {.making = WALK_MAKES_NOTHING};
    struct stat status;
    struct walk_end end;
    assert_int_equal(walk_open("new/deep", &looks, NULL), -1);
    assert_int_equal(errno, ENOENT);
    AUTO_CLOSE int fd = walk_open("new/deep", &makes, NULL);
    assert_true(fd >= 0);
    assert_int_equal(stat("new/deep", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0750);
    AUTO_CLOSE int file = open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_false(walk_to("file/x", &makes, &end, NULL));
    assert_int_equal(end.number, ENOTDIR);
    assert_false(end.is_refused);
}

static void a_loop_of_links_ends(void **state)
{
    (void)state;
    static const struct walk_rules rules = {.making = WALK_MAKES_NOTHING};
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    assert_int_equal(walk_open("a", &rules, NULL), -1);
    assert_int_equal(errno, ELOOP);
}

static void root_follows_no_link_of_others(void **state)
{
    (void)state;
    needs_root();
    assert_int_equal(symlink("real", "theirs"), 0);
    assert_int_equal(lchown("theirs", NOBODY, NOBODY), 0);
    assert_refused("theirs", "another user's link");
    assert_int_equal(symlink("theirs", "ours"), 0);
    assert_false(leads_to("ours", "real"));
}

static void root_follows_no_link_that_others_can_change(void **state)
{
    (void)state;
    needs_root();
    const struct {
        const char *name;
        uid_t owner;
        gid_t group;
        mode_t mode;
        bool followed;
    } rows[] = {
        {"root", 0, 0, 0755, true},
        {"of-group-root", 0, 0, 0775, true},
        {"sticky", 0, 0, 01777, true},
        {"of-a-group", 0, NOBODY, 0775, false},
        {"readable", 0, NOBODY, 0755, true},
        {"for-all", 0, 0, 0777, false},
        {"home", NOBODY, NOBODY, 0755, false},
        {"sticky-home", NOBODY, NOBODY, 01777, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *link = mem_printf("%s/link", rows[i].name);
        assert_int_equal(mkdir(rows[i].name, 0700), 0);
        assert_int_equal(symlink("../real", link), 0);
        assert_int_equal(chown(rows[i].name, rows[i].owner, rows[i].group), 0);
        assert_int_equal(chmod(rows[i].name, rows[i].mode), 0);
        if (rows[i].followed)
            assert_true(leads_to(link, "real"));
        else
            assert_refused(link, "a link that another user can change");
    }
}

static void below_a_directory_of_others_everything_stays(void **state)
{
    (void)state;
    needs_root();
    assert_int_equal(mkdir("home", 0755), 0);
    assert_int_equal(mkdir("home/roots", 0755), 0);
    assert_int_equal(symlink("../../real", "home/roots/link"), 0);
    assert_int_equal(chown("home", NOBODY, NOBODY), 0);
    assert_true(leads_to("home/roots", "home/roots"));
    assert_refused("home/roots/link", "a link that another user can change");
    assert_refused("home/roots/..", "\"..\" below another user's directory");
}

static void root_makes_in_a_home_only_where_the_rules_say_so(void **state)
{
    (void)state;
    needs_root();
    static const struct walk_rules makes = {.making = WALK_MAKES, .mode = 0755};
    static const struct walk_rules own = {.making = WALK_MAKES_OWN_ONLY, .mode = 0755};
    struct walk_end end;
    assert_int_equal(mkdir("home", 0755), 0);
    assert_int_equal(chown("home", NOBODY, NOBODY), 0);
    assert_false(walk_to("home/x", &own, &end, NULL));
    assert_true(end.is_refused);
    AUTO_CLOSE int fd = walk_open("home/x", &makes, NULL);
    assert_true(fd >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define PLACED(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)
        PLACED(paths_lead_where_the_kernel_leads),
        PLACED(what_is_missing_is_made_where_the_rules_say_so),
        PLACED(a_loop_of_links_ends),
        PLACED(root_follows_no_link_of_others),
        PLACED(root_follows_no_link_that_others_can_change),
        PLACED(below_a_directory_of_others_everything_stays),
        PLACED(root_makes_in_a_home_only_where_the_rules_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
