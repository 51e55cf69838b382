/* SPDX-License-Identifier: MIT */
#include "host/tree.h"

#include <string.h>
#include <sched.h>

#include "base/strlist.h"
#include "base/text.h"
#include "host/child/processes.h"

struct seen {
    struct strlist rows; /* "77 name" */
    size_t most;
};

static bool see(const char *pid, const char *name, void *data)
{
    struct seen *seen = data;
    strlist_take(&seen->rows, mem_printf("%s %s", pid, name ? name : "(none)"));
    return seen->rows.count < seen->most;
}

/* What is seen of a root, joined by commas; the caller's. */
static char *names_of(const char *root, size_t most, enum host_status expected)
{
    struct seen seen = {.most = most};
    AUTO_ERROR struct error error = {0};
    struct host *host = host_new(root, &error);
    assert_non_null(host);
    assert_int_equal(host_each_process(host, see, &seen, &error), expected);
    host_free(host);
    char *text = strlist_join(&seen.rows, ",");
    strlist_free(&seen.rows);
    return text;
}

static void test_processes_of_a_tree(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p proc/9 proc/10 proc/11 proc/self proc/12/comm; echo init > proc/9/comm; "
                 "echo 'a b' > proc/11/comm; : > proc/modules; echo no > proc/self/comm");
    AUTO_FREE char *all = names_of(root, 100, HOST_OK);
    assert_string_equal(all, "10 (none),11 a b,12 (none),9 init");
    AUTO_FREE char *two = names_of(root, 2, HOST_OK);
    assert_string_equal(two, "10 (none),11 a b");
    run_in(root, "rm -r proc");
    AUTO_FREE char *none = names_of(root, 100, HOST_ABSENT);
    assert_string_equal(none, "");
}

static void test_a_link_leads_nowhere_else(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p proc/5 etc; echo inside > etc/passwd; ln -s /etc/passwd proc/5/comm");
    AUTO_FREE char *names = names_of(root, 100, HOST_OK);
    assert_string_equal(names, "5 inside");
}

static void test_this_process_is_among_them(void **state)
{
    (void)state;
    char comm[64] = "";
    FILE *file = fopen("/proc/self/comm", "r");
    assert_non_null(file);
    assert_non_null(fgets(comm, sizeof(comm), file));
    fclose(file);
    AUTO_FREE char *names = names_of("/", SIZE_MAX, HOST_OK);
    AUTO_FREE char *own = mem_printf("%d %s", (int)getpid(), string_trim(comm));
    if (strstr(names, own) == NULL)
        fail_msg("%s is not in %s", own, names);
}

/* A live machine whose /proc is not the kernel's: what is there is read with care. */
static int check_made_proc(const char *root)
{
    if (getuid() != 0 || unshare(CLONE_NEWNS) != 0 || chroot(root) != 0 || chdir("/") != 0)
        return APART_SKIP;
    AUTO_FREE char *names = names_of("/", 100, HOST_OK);
    apart(string_equal(names, "6 made,7 (none),8 (none)"));
    return 0;
}

static void test_a_made_proc(void **state)
{
    run_in(*state, "mkdir -p proc/6 proc/7 proc/8; echo made > proc/6/comm; mkfifo proc/7/comm; "
                   "ln -s comm proc/8/comm");
    int result = run_apart(check_made_proc, *state);
    if (result == APART_SKIP) {
        print_message("not root: no root of a file system can be made\n");
        skip();
    }
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_processes_of_a_tree, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(test_a_link_leads_nowhere_else, make_tree, remove_tree),
        cmocka_unit_test(test_this_process_is_among_them),
        cmocka_unit_test_setup_teardown(test_a_made_proc, make_tree, remove_tree),
    };
    return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
