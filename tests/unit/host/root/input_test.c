/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/text.h"
#include "host/root/bytes.h"
#include "host/root/input.h"
#include "host/tree.h"

static char *path_in(const char *root, const char *name)
{
    return mem_printf("%s/%s", root, name);
}

static void make_kinds(const char *root)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO_FREE char *character = path_in(root, "character"), *block = path_in(root, "block");
    run_in(root, "mkfifo fifo; ln -s fifo to_fifo; mkdir directory; printf text > file;"
                 "ln -s file to_file; : > closed; chmod 000 closed");
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", root);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    /* Where this user may make none, it stands for a name that is missing. */
    if (mknod(character, S_IFCHR | 0666, makedev(1, 5)) != 0 ||
        mknod(block, S_IFBLK | 0666, makedev(7, 0)) != 0)
        print_message("no device nodes can be made here: %s\n", strerror(errno));
}

static const struct {
    const char *name, *why;
    int flags;
} refused[] = {
    {"fifo", "it is a FIFO, not a file", 0},
    {"to_fifo", "it is a FIFO, not a file", 0},
    {"to_fifo", "it is a link, not a file", O_NOFOLLOW},
    {"to_file", "it is a link, not a file", O_NOFOLLOW},
    {"socket", "it is a socket, not a file", 0},
    {"directory", "it is a directory, not a file", 0},
    {"character", "it is a character device, not a file", 0},
    {"block", "it is a block device, not a file", 0},
    {"absent", "No such file or directory", 0},
    {"file/x", "Not a directory", 0},
};

static void test_what_is_no_file_is_refused_by_its_kind(void **state)
{
    const char *root = *state;
    make_kinds(root);
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        AUTO_FREE char *path = path_in(root, refused[i].name);
        AUTO_ERROR struct error error = {0};
        int fd = -7;
        if (access(path, F_OK) != 0 && strstr(refused[i].why, "device"))
            continue;
        assert_false(input_open_at(AT_FDCWD, path, refused[i].flags, "the name", &fd, &error));
        assert_int_equal(error.kind, ERROR_NO_INPUT);
        assert_string_equal(error.what, "cannot open");
        assert_string_equal(error.where, "the name");
        assert_string_equal(error.why, refused[i].why);
        assert_int_equal(fd, -7);
        assert_false(input_open_at(AT_FDCWD, path, refused[i].flags, "", &fd, NULL));
    }
    assert_int_equal(open_descriptors(), before);
}

static bool was_opened(int watch)
{
    char events[4096];
    return read(watch, events, sizeof(events)) > 0;
}

/* Opening alone lets a writer in, rewinds a tape, starts a watchdog. */
static void test_nothing_but_a_file_is_opened(void **state)
{
    const char *root = *state;
    make_kinds(root);
    AUTO_FREE char *path = path_in(root, "fifo");
    AUTO_CLOSE int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
    int fd = -1;
    assert_false(input_open(path, &fd, NULL));
    assert_false(was_opened(watch));
    close(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    assert_true(was_opened(watch));
}

static void assert_opens(int directory, const char *name, int flags)
{
    AUTO_TEXT struct text text = {0};
    AUTO_CLOSE int fd = -1;
    assert_true(input_open_at(directory, name, flags, name, &fd, NULL));
    assert_int_equal(bytes_read(fd, 100, &text), 0);
    assert_string_equal(text_string(&text), "text");
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void test_a_file_is_opened(void **state)
{
    const char *root = *state;
    make_kinds(root);
    AUTO_CLOSE int directory = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_opens(directory, "file", 0);
    assert_opens(directory, "file", O_NOFOLLOW);
    assert_opens(directory, "to_file", 0);
}

static int check_closed(const char *root)
{
    AUTO_FREE char *path = path_in(root, "closed");
    AUTO_ERROR struct error error = {0};
    int fd = -1;
    apart(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
    apart(!input_open(path, &fd, &error) && string_equal(error.why, "Permission denied"));
    return 0;
}

static void test_permissions_are_heeded(void **state)
{
    const char *root = *state;
    make_kinds(root);
    assert_int_equal(run_apart(check_closed, root), 0);
}

/* In a chroot there is no /proc through which a file could be opened again. */
static int check_without_proc(const char *root)
{
    int fd = -1;
    AUTO_ERROR struct error error = {0};
    if (chroot(root) != 0)
        return APART_SKIP;
    apart(input_open("/file", &fd, NULL) && fd >= 0);
    apart(input_open_at(AT_FDCWD, "/file", O_NOFOLLOW, "", &fd, NULL));
    apart(!input_open("/fifo", &fd, &error) && string_equal(error.why, "it is a FIFO, not a file"));
    apart(!input_open("/to_fifo", &fd, NULL) && !input_open("/socket", &fd, NULL));
    return 0;
}

static void test_without_proc(void **state)
{
    const char *root = *state;
    make_kinds(root);
    int result = run_apart(check_without_proc, root);
    if (result == APART_SKIP) {
        print_message("this user may not chroot: a machine without /proc is not tested\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static int lease_fd = -1;

static void give_way(int number)
{
    (void)number;
    fcntl(lease_fd, F_SETLEASE, F_UNLCK);
}

/* Another program, as Samba does, wants to be told before somebody reads: open(2) then waits until
 * it has given way, and with O_NONBLOCK fails. */
static int check_lease(const char *root)
{
    AUTO_FREE char *path = path_in(root, "file");
    struct sigaction action = {.sa_handler = give_way, .sa_flags = SA_RESTART};
    int fd = -1;
    alarm(120);
    lease_fd = open(path, O_RDWR | O_CLOEXEC);
    if (fcntl(lease_fd, F_SETLEASE, F_WRLCK) != 0)
        return APART_SKIP;
    apart(sigaction(SIGIO, &action, NULL) == 0);
    apart(input_open(path, &fd, NULL));
    apart(fcntl(fd, F_GETFL) & O_NONBLOCK);
    return 0;
}

static void test_a_lease_is_waited_for(void **state)
{
    const char *root = *state;
    make_kinds(root);
    int result = run_apart(check_lease, root);
    if (result == APART_SKIP) {
        print_message("this file system has no leases\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static void test_the_names_of_descriptors(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int number;
    } rows[] = {
        {"/dev/stdin", 0},
        {"/dev/stdout", 1},
        {"/dev/stderr", 2},
        {"/dev/fd/0", 0},
        {"/dev/fd/63", 63},
        {"/proc/self/fd/7", 7},
        {"/dev/fd/", -1},
        {"/dev/fd/0x3", -1},
        {"/dev/fd/-1", -1},
        {"/dev/fd/3/x", -1},
        {"/dev/fd/9999999999", -1},
        {"/dev/fd", -1},
        {"/proc/1/fd/3", -1},
        {"dev/fd/3", -1},
        {"/dev/null", -1},
        {"/tmp/dev/fd/3", -1},
        {"-", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(standard_descriptor(rows[i].path), rows[i].number);
}

static void test_what_a_library_may_open(void **state)
{
    const char *root = *state;
    make_kinds(root);
    AUTO_FREE char *fifo = path_in(root, "fifo"), *file = path_in(root, "to_file");
    AUTO_FREE char *absent = path_in(root, "absent");
    AUTO_ERROR struct error error = {0};
    assert_false(input_may_be_opened(fifo, &error));
    assert_string_equal(error.why, "it is a FIFO, not a file");
    assert_false(input_may_be_opened("/dev/zero", NULL));
    assert_false(input_may_be_opened(root, NULL));
    assert_true(input_may_be_opened(file, NULL));
    assert_true(input_may_be_opened(absent, NULL)); /* who opens it says so */
    assert_true(input_may_be_opened("/dev/fd/63", NULL));
}

static void assert_safe(const char *name, const char *before, const char *path, bool safe)
{
    AUTO_FREE char *value = mem_printf("%s%s", before, path);
    AUTO_ERROR struct error error = {0};
    assert_int_equal(setenv(name, value, 1), 0);
    assert_int_equal(input_variable_is_safe(name, &error), safe);
    if (!safe) {
        assert_int_equal(error.kind, ERROR_NO_INPUT);
        assert_true(string_starts(error.what, name));
        assert_string_equal(error.where, path);
        assert_non_null(error.next);
    }
    unsetenv(name);
}

static void test_the_paths_in_variables(void **state)
{
    const char *root = *state;
    make_kinds(root);
    AUTO_FREE char *fifo = path_in(root, "fifo"), *file = path_in(root, "file");
    assert_safe("TZ", "", fifo, false);
    assert_safe("TZ", ":", fifo, false);
    assert_safe("OPENSSL_CONF", "", fifo, false);
    assert_safe("TZ", ":", file, true);
    assert_safe("TZ", "", "Europe/Berlin", true);
    assert_safe("TZ", "", "", true);
    assert_safe("OPENSSL_CONF", "", "/dev/null", true);
    assert_safe("OPENSSL_CONF", "", "/dev/fd/63", true);
    assert_safe("OPENSSL_CONF", "", "/absent", true);
    assert_true(input_variable_is_safe("OPENSSL_CONF", NULL));
    /* A word of TZ is no path from the current directory, one of OPENSSL_CONF is. */
    assert_int_equal(chdir(root), 0);
    assert_safe("TZ", "", "fifo", true);
    assert_safe("OPENSSL_CONF", "", "fifo", false);
    assert_int_equal(chdir("/"), 0);
}

#define with_tree(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_tree(test_what_is_no_file_is_refused_by_its_kind),
        with_tree(test_nothing_but_a_file_is_opened),
        with_tree(test_a_file_is_opened),
        with_tree(test_permissions_are_heeded),
        with_tree(test_without_proc),
        with_tree(test_a_lease_is_waited_for),
        cmocka_unit_test(test_the_names_of_descriptors),
        with_tree(test_what_a_library_may_open),
        with_tree(test_the_paths_in_variables),
    };
    alarm(120); /* what waits for a FIFO ends by that */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
