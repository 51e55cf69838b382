/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/can.h"
#include "host/root/file.h"
#include "host/root/host.h"
#include "host/root/root.h"
#include "host/tree.h"

/* What is looked at lies in ROOT/tree; ROOT itself is what must not be reached from there. */
static char *tree_of(const char *root)
{
    return mem_printf("%s/tree", root);
}

static struct host *host_of(const char *root, bool openat2)
{
    AUTO_FREE char *tree = tree_of(root);
    struct host *host = host_new(tree, NULL);
    assert_non_null(host);
    host->openat2 = openat2;
    return host;
}

static int make_links(void **state)
{
    if (make_tree(state) != 0)
        return -1;
    run_in(*state,
           "echo secret > secret; mkdir -p tree outside; echo secret > outside/file; cd tree;"
           "mkdir -p usr/lib/deep etc secret_dir; echo inside > usr/lib/file; echo in > secret;"
           "echo passwd > etc/passwd; ln -s usr/lib lib; ln -s /usr/lib abs;"
           "ln -s ../../../../../../etc/passwd up; ln -s ../secret escape;"
           "ln -s / usr/lib/root; ln -s .. usr/lib/parent; ln -s . usr/lib/same;"
           "ln -s /abs/root/lib/same/deep/../file chain; ln -s loop2 loop1; ln -s loop1 loop2;"
           "ln -s self/x self; ln -s absent dangling; ln -s ../../outside/file usr/lib/out;"
           "ln -s ../../../outside out_dir; ln -s \"$PWD/../secret\" real_outside;"
           "ln -s /../../secret dots; ln -s usr/lib/file/ slash; ln -s usr/lib/ slash_dir");
    return 0;
}

static const char *const link_paths[] = {
    "/",
    "//",
    "/.",
    "/..",
    "/../../..",
    "/lib/file",
    "/abs/file",
    "//abs///file",
    "/lib/file/",
    "/lib/file/.",
    "/lib/file/..",
    "/lib/",
    "/lib/..",
    "/lib/../file",
    "/abs/../etc/passwd",
    "/up",
    "/escape",
    "/usr/lib/root",
    "/usr/lib/root/..",
    "/usr/lib/root/etc/passwd",
    "/usr/lib/root/usr/lib/root/usr/lib/root/secret",
    "/usr/lib/parent/parent/parent",
    "/usr/lib/parent/lib/parent/lib/file",
    "/usr/lib/same/same/same/file",
    "/chain",
    "/loop1",
    "/loop1/x",
    "/self",
    "/dangling",
    "/dangling/..",
    "/usr/lib/out",
    "/out_dir",
    "/out_dir/file",
    "/real_outside",
    "/dots",
    "/slash",
    "/slash_dir",
    "/slash_dir/file",
    "/../secret",
    "/../../../../secret",
    "/lib/../../secret",
    "/usr/lib/deep/../../../../../secret",
    "/absent/../secret",
    "/etc/passwd/../../secret",
    "/../outside/file",
    "/secret_dir/../../outside/file",
};

static void test_no_link_leaves_the_tree(void **state)
{
    static const struct {
        const char *path;
        enum host_status status;
        const char *content;
    } cases[] = {
        {"/lib/file", HOST_OK, "inside\n"},
        {"/abs/file", HOST_OK, "inside\n"},
        {"/up", HOST_OK, "passwd\n"},
        {"/escape", HOST_OK, "in\n"},
        {"/dots", HOST_OK, "in\n"},
        {"/chain", HOST_OK, "inside\n"},
        {"/../../../../secret", HOST_OK, "in\n"},
        {"/usr/lib/root/usr/lib/root/usr/lib/root/secret", HOST_OK, "in\n"},
        {"/usr/lib/parent/lib/parent/lib/file", HOST_OK, "inside\n"},
        {"/usr/lib/out", HOST_ABSENT, NULL},
        {"/out_dir/file", HOST_ABSENT, NULL},
        {"/real_outside", HOST_ABSENT, NULL},
        {"/dangling", HOST_ABSENT, NULL},
        {"/slash", HOST_ABSENT, NULL},
        {"/loop1", HOST_FAILED, NULL},
        {"/self", HOST_FAILED, NULL},
    };
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(*state, way == 0);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            AUTO_TEXT struct text text = {0};
            AUTO_ERROR struct error error = {0};
            assert_int_equal(host_read(host, cases[i].path, 100, &text, &error), cases[i].status);
            if (cases[i].content)
                assert_string_equal(text.data, cases[i].content);
            else
                assert_string_equal(error.where, cases[i].path);
        }
        host_free(host);
    }
}

static void assert_same(const struct host *a, const struct host *b, const char *path)
{
    struct host_stat stat_a = {0}, stat_b = {0};
    AUTO_ERROR struct error error_a = {0}, error_b = {0};
    AUTO_FREE char *real_a = NULL, *real_b = NULL, *link_a = NULL, *link_b = NULL;
    if (host_stat(a, path, &stat_a, &error_a) != host_stat(b, path, &stat_b, &error_b) ||
        stat_a.inode != stat_b.inode || !string_equal(error_a.why, error_b.why))
        fail_msg("%s differs: %s, %s", path, error_a.why, error_b.why);
    assert_int_equal(host_lstat(a, path, &stat_a, NULL), host_lstat(b, path, &stat_b, NULL));
    assert_int_equal(stat_a.inode, stat_b.inode);
    assert_int_equal(host_real_path(a, path, &real_a, NULL),
                     host_real_path(b, path, &real_b, NULL));
    assert_int_equal(host_read_link(a, path, &link_a, NULL),
                     host_read_link(b, path, &link_b, NULL));
    assert_true(string_equal(link_a, link_b));
    if (real_a == NULL)
        return;
    assert_int_equal(host_lstat(a, real_a, &stat_b, NULL), HOST_OK);
    host_stat(a, path, &stat_a, NULL);
    assert_int_equal(stat_a.inode, stat_b.inode);
}

static void test_both_ways_agree(void **state)
{
    struct host *kernel = host_of(*state, true);
    struct host *hand = host_of(*state, false);
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof(link_paths) / sizeof(link_paths[0]); i++)
        assert_same(kernel, hand, link_paths[i]);
    AUTO_TEXT struct text path = {0};
    while (path.size < PATH_MAX + 100) {
        text_append(&path, "/lib/..");
        if (path.size % 500 == 0 || path.size > PATH_MAX - 20)
            assert_same(kernel, hand, path.data);
    }
    AUTO_FREE char *name = mem_alloc(NAME_MAX + 3);
    memset(name, 'n', NAME_MAX + 2);
    name[0] = '/';
    assert_same(kernel, hand, name);
    name[NAME_MAX + 1] = '\0';
    assert_same(kernel, hand, name);
    assert_int_equal(open_descriptors(), before);
    host_free(kernel);
    host_free(hand);
}

/* Links in a row: as many as the kernel follows, and one more. */
static void test_the_limit_of_links(void **state)
{
    run_in(*state, "cd tree; echo end > l0; for i in $(seq 1 41); do ln -s l$((i - 1)) l$i; done");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(*state, way == 0);
        AUTO_ERROR struct error error = {0};
        struct host_stat stat;
        assert_int_equal(host_stat(host, "/l40", &stat, NULL), HOST_OK);
        assert_int_equal(host_stat(host, "/l41", &stat, &error), HOST_FAILED);
        assert_string_equal(error.why, "Too many levels of symbolic links");
        host_free(host);
    }
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

static void append_random_path(unsigned *seed, bool absolute, struct text *path)
{
    static const char *const parts[] = {"a", "b", "c", "d", "..", "..", ".", "f"};
    if (absolute)
        text_append_char(path, '/');
    for (unsigned i = next_random(seed) % 6 + 1; i > 0; i--)
        text_printf(path, "%s%s", parts[next_random(seed) % 8], i > 1 ? "/" : "");
}

/* A tree of directories and links that lead anywhere, and paths through it. */
static void make_maze(const char *root, unsigned *seed)
{
    static const char *const places[] = {"", "a/", "b/", "a/b/", "b/c/", "a/b/d/"};
    run_in(root, "rm -rf tree; mkdir -p tree/a/b/d tree/b/c; echo f > tree/a/b/f; echo g > f");
    for (int i = 0; i < 40; i++) {
        AUTO_TEXT struct text target = {0};
        append_random_path(seed, next_random(seed) % 2, &target);
        AUTO_FREE char *link = mem_printf("%s/tree/%s%c", root, places[next_random(seed) % 6],
                                          "abcdf"[next_random(seed) % 5]);
        if (symlink(target.data, link) != 0)
            assert_int_equal(errno, EEXIST);
    }
}

static void test_both_ways_agree_in_mazes(void **state)
{
    unsigned seed = 1;
    for (int maze = 0; maze < 12; maze++) {
        make_maze(*state, &seed);
        struct host *kernel = host_of(*state, true);
        struct host *hand = host_of(*state, false);
        for (int i = 0; i < 150; i++) {
            AUTO_TEXT struct text path = {0}, content = {0};
            append_random_path(&seed, true, &path);
            if (next_random(&seed) % 8 == 0)
                text_append_char(&path, '/');
            assert_same(kernel, hand, path.data);
            if (host_read(hand, path.data, 10, &content, NULL) == HOST_OK)
                assert_string_equal(content.data, "f\n");
        }
        host_free(kernel);
        host_free(hand);
    }
}

static void bind_socket(const char *root)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/tree/socket", root);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

static void test_only_regular_files_are_read(void **state)
{
    const char *root = *state;
    run_in(root,
           "mkdir -p tree/directory; mkfifo tree/fifo; ln -s fifo tree/to_fifo; : > tree/empty");
    bind_socket(root);
    static const struct {
        const char *path;
        enum host_status status;
        const char *why;
    } cases[] = {
        {"/fifo", HOST_FAILED, "it is a FIFO, not a file"},
        {"/to_fifo", HOST_FAILED, "it is a FIFO, not a file"},
        {"/directory", HOST_FAILED, "it is a directory, not a file"},
        {"/socket", HOST_FAILED, "it is a socket, not a file"},
        {"/absent", HOST_ABSENT, "No such file or directory"},
        {"/empty/x", HOST_ABSENT, "Not a directory"},
        {"relative", HOST_FAILED, "not an absolute path"},
        {"", HOST_FAILED, "not an absolute path"},
    };
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            AUTO_ERROR struct error error = {0};
            AUTO_TEXT struct text text = {0};
            int fd = -1;
            assert_int_equal(host_read(host, cases[i].path, 10, &text, &error), cases[i].status);
            assert_string_equal(error.why, cases[i].why);
            assert_int_equal(host_open(host, cases[i].path, &fd, NULL), cases[i].status);
            assert_int_equal(fd, -1);
            assert_null(text.data);
        }
        host_free(host);
    }
}

static void test_a_device_node_is_described_and_not_opened(void **state)
{
    const char *root = *state;
    AUTO_FREE char *node = mem_printf("%s/tree/nvidia0", root);
    run_in(root, "mkdir tree");
    struct host *host = host_of(root, true);
    struct host_stat stat;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    if (mknod(node, S_IFCHR | 0666, makedev(195, 7)) != 0) {
        print_message("a device node cannot be made here: %s\n", strerror(errno));
        host_free(host);
        skip();
    }
    assert_int_equal(host_stat(host, "/nvidia0", &stat, NULL), HOST_OK);
    assert_int_equal(stat.type, HOST_CHARACTER);
    assert_int_equal(stat.device_major, 195);
    assert_int_equal(stat.device_minor, 7);
    assert_int_equal(host_read_line(host, "/nvidia0", &line, &error), HOST_FAILED);
    assert_string_equal(error.why,
                        "it is a character device, not a file"); /* not: no such device */
    host_free(host);
}

static void test_size_limits(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree; printf 0123456789 > tree/ten; : > tree/empty;"
                 "truncate -s 1T tree/sparse; head -c 100000 /dev/zero | tr '\\0' x > tree/long");
    struct host *host = host_of(root, true);
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    assert_int_equal(host_read(host, "/ten", 10, &text, NULL), HOST_OK);
    assert_string_equal(text.data, "0123456789");
    assert_int_equal(host_read(host, "/ten", 9, &text, &error), HOST_FAILED);
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.why, "larger than 9 bytes");
    assert_string_equal(text.data, "0123456789");
    assert_int_equal(host_read(host, "/sparse", 4096, &text, NULL), HOST_FAILED);
    assert_int_equal(host_read_head(host, "/sparse", 70000, &text, NULL), HOST_OK);
    assert_int_equal(text.size, 70000);
    assert_int_equal(host_read_head(host, "/ten", 4, &text, NULL), HOST_OK);
    assert_string_equal(text.data, "0123");
    assert_int_equal(host_read_head(host, "/ten", 400, &text, NULL), HOST_OK);
    assert_int_equal(text.size, 10);
    assert_int_equal(host_read(host, "/long", SIZE_MAX, &text, NULL), HOST_OK);
    assert_int_equal(text.size, 100000);
    assert_int_equal(host_read(host, "/empty", 0, &text, NULL), HOST_OK);
    assert_int_equal(text.size, 0);
    AUTO_FREE char *line = NULL;
    assert_int_equal(host_read_line(host, "/long", &line, NULL), HOST_FAILED);
    assert_null(line);
    host_free(host);
}

static void test_a_line_has_no_white_space_around_it(void **state)
{
    const char *root = *state;
    run_in(root,
           "mkdir -p tree; printf ' \\t 0x10de\\r\\n\\n' > tree/vendor; printf '\\n' > tree/nl");
    struct host *host = host_of(root, true);
    AUTO_FREE char *vendor = NULL, *empty = NULL;
    assert_int_equal(host_read_line(host, "/vendor", &vendor, NULL), HOST_OK);
    assert_string_equal(vendor, "0x10de");
    assert_int_equal(host_read_line(host, "/nl", &empty, NULL), HOST_OK);
    assert_string_equal(empty, "");
    host_free(host);
}

static void test_stat(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree/d; chmod 1777 tree/d; printf abc > tree/f; chmod 4751 tree/f;"
                 "ln -s f tree/l; mkfifo tree/p");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        struct host_stat file, link, through, other;
        assert_int_equal(host_stat(host, "/f", &file, NULL), HOST_OK);
        assert_int_equal(file.type, HOST_REGULAR);
        assert_int_equal(file.mode, 04751);
        assert_int_equal(file.size, 3);
        assert_int_equal(file.user, getuid());
        assert_int_equal(host_stat(host, "/l", &through, NULL), HOST_OK);
        assert_memory_equal(&file, &through, sizeof(file));
        assert_int_equal(host_lstat(host, "/l", &link, NULL), HOST_OK);
        assert_int_equal(link.type, HOST_LINK);
        assert_int_not_equal(link.inode, file.inode);
        assert_int_equal(host_stat(host, "/d", &other, NULL), HOST_OK);
        assert_int_equal(other.type, HOST_DIRECTORY);
        assert_int_equal(other.mode, 01777);
        assert_int_equal(host_stat(host, "/p", &other, NULL), HOST_OK);
        assert_int_equal(other.type, HOST_OTHER);
        assert_true(host_exists(host, "/l") && host_is_directory(host, "/d"));
        assert_false(host_exists(host, "/x") || host_is_directory(host, "/f"));
        host_free(host);
    }
}

static bool gather_link(const char *target, void *data)
{
    struct strlist *targets = data;
    strlist_add(targets, target);
    return targets->count < 3;
}

static void test_links_of_a_directory(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree/a tree/b; ln -s ../../../etc/x tree/a/l; ln -s b tree/a/m; : > "
                 "tree/a/f; for i in 1 2 3 4 5; do ln -s same tree/b/$i; done");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        AUTO_STRLIST struct strlist targets = {0}, same = {0}, none = {0};
        assert_int_equal(host_each_link(host, "/a", gather_link, &targets, NULL), HOST_OK);
        strlist_sort(&targets);
        AUTO_FREE char *joined = strlist_join(&targets, ",");
        assert_string_equal(joined, "../../../etc/x,b");
        assert_int_equal(host_each_link(host, "/b", gather_link, &same, NULL), HOST_OK);
        assert_int_equal(same.count, 3);
        assert_int_equal(host_each_link(host, "/c", gather_link, &none, NULL), HOST_ABSENT);
        assert_int_equal(host_each_link(host, "/a/f", gather_link, &none, NULL), HOST_FAILED);
        assert_int_equal(none.count, 0);
        host_free(host);
    }
}

static void test_links_as_they_stand(void **state)
{
    const char *root = *state;
    run_in(root,
           "mkdir -p tree/a/b; ln -s ../../../etc/x tree/a/b/l; : > tree/a/f; ln -s a tree/d");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        AUTO_FREE char *target = NULL, *none = NULL, *real = NULL, *top = NULL;
        AUTO_ERROR struct error error = {0};
        assert_int_equal(host_read_link(host, "/d/b/l", &target, NULL), HOST_OK);
        assert_string_equal(target, "../../../etc/x");
        assert_int_equal(host_read_link(host, "/a/f", &none, &error), HOST_FAILED);
        assert_string_equal(error.why, "not a link");
        assert_int_equal(host_read_link(host, "/a/g", &none, NULL), HOST_ABSENT);
        assert_int_equal(host_real_path(host, "/d/b/../b/./../f", &real, NULL), HOST_OK);
        assert_string_equal(real, "/a/f");
        assert_int_equal(host_real_path(host, "/d/..", &top, NULL), HOST_OK);
        assert_string_equal(top, "/");
        assert_int_equal(host_real_path(host, "/a/b/l", &none, NULL), HOST_ABSENT);
        host_free(host);
    }
}

static int check_denied(const char *root)
{
    apart(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        AUTO_TEXT struct text text = {0};
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist names = {0};
        AUTO_FREE char *path = NULL;
        struct host_stat stat;
        apart(host_read(host, "/secret", 10, &text, &error) == HOST_DENIED);
        apart(string_equal(error.why, "Permission denied"));
        apart(host_stat(host, "/secret", &stat, NULL) == HOST_OK);
        apart(host_read(host, "/closed/file", 10, &text, NULL) == HOST_DENIED);
        apart(host_stat(host, "/closed/file", &stat, NULL) == HOST_DENIED);
        apart(host_list(host, "/closed", &names, NULL) == HOST_DENIED);
        apart(host_real_path(host, "/closed/file", &path, NULL) == HOST_DENIED);
        apart(!host_exists(host, "/closed/file"));
        apart(host_list(host, "/listed", &names, NULL) == HOST_OK && names.count == 1);
        host_glob(host, "/*/file", &names); /* no error: what cannot be read does not match */
        apart(names.count == 1);
        apart(!host_can_write(host, "/readable") && host_can_write(host, "/open"));
        apart(!host_can_execute(host, "/open") && host_can_execute(host, "/program"));
        host_free(host);
    }
    return 0;
}

static void test_what_this_user_may_not_see_is_denied(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree/closed tree/listed; cd tree; echo s > secret; chmod 000 secret;"
                 ": > closed/file; chmod 000 closed; : > listed/file; chmod 744 listed;"
                 ": > readable; chmod 444 readable; : > open; chmod 666 open;"
                 ": > program; chmod 755 program");
    if (geteuid() != 0)
        run_in(root, "chmod 444 tree/listed");
    int result = run_apart(check_denied, root);
    run_in(root, "chmod 755 tree/closed tree/listed");
    assert_int_equal(result, 0);
}

static void test_hostile_names(void **state)
{
    const char *root = *state;
    static const char *const names[] = {
        "\x01\x1b[31mred", "\n",           " ", "%s%n", "-rf", "...", "..x",
        "\xff\xfe",        "\xe2\x80\xae", "*", "[",    "\\",
    };
    const size_t count = sizeof(names) / sizeof(names[0]);
    run_in(root, "mkdir -p tree/d");
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *path = mem_printf("%s/tree/d/%s", root, names[i]);
        int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        close(fd);
    }
    struct host *host = host_of(root, true);
    AUTO_STRLIST struct strlist found = {0}, globbed = {0};
    assert_int_equal(host_list(host, "/d", &found, NULL), HOST_OK);
    assert_int_equal(found.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(strlist_has(&found, names[i]));
    host_glob(host, "/d/*", &globbed);
    assert_int_equal(globbed.count, count - 2); /* not those that begin with a dot */
    for (size_t i = 0; i < globbed.count; i++)
        assert_true(host_exists(host, globbed.items[i]));
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text shown = {0};
    struct host_stat stat;
    assert_int_equal(host_stat(host, "/d/\x1b[2J\n%s", &stat, &error), HOST_ABSENT);
    error_format(&error, &shown);
    assert_string_equal(shown.data, "cannot access: /d/\\x1b[2J\\x0a%s: No such file or directory");
    host_free(host);
}

static void test_a_list_is_sorted_and_added(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree/d/sub tree/none; cd tree/d; : > b; : > B; : > .hidden; ln -s x a");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        AUTO_STRLIST struct strlist names = {0};
        AUTO_ERROR struct error error = {0};
        strlist_add(&names, "z");
        assert_int_equal(host_list(host, "/d", &names, NULL), HOST_OK);
        AUTO_FREE char *joined = strlist_join(&names, " ");
        assert_string_equal(joined, "z .hidden B a b sub");
        assert_int_equal(host_list(host, "/none", &names, NULL), HOST_OK);
        assert_int_equal(host_list(host, "/absent", &names, NULL), HOST_ABSENT);
        assert_int_equal(host_list(host, "/d/b", &names, &error), HOST_FAILED);
        assert_string_equal(error.why, "not a directory");
        assert_int_equal(names.count, 6);
        host_free(host);
    }
}

/* A hundred thousand names are made sooner where nothing is written to a disk. */
static int make_tree_in_memory(void **state)
{
    char *root = mem_string("/dev/shm/gpuenv-host-XXXXXX");
    if (mkdtemp(root) != NULL) {
        *state = root;
        return 0;
    }
    free(root);
    return make_tree(state);
}

static void test_a_list_has_an_end(void **state)
{
    const char *root = *state;
    AUTO_FREE char *tree = tree_of(root);
    run_in(root, "mkdir tree");
    int directory = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[16];
    for (int i = 0; i < HOST_LIST_MAX; i++) {
        snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(symlinkat("x", directory, name), 0);
    }
    struct host *host = host_of(root, true);
    AUTO_STRLIST struct strlist names = {0};
    AUTO_ERROR struct error error = {0};
    assert_int_equal(host_list(host, "/", &names, NULL), HOST_OK);
    assert_int_equal(names.count, HOST_LIST_MAX);
    strlist_free(&names);
    assert_int_equal(symlinkat("x", directory, "more"), 0);
    assert_int_equal(host_list(host, "/", &names, &error), HOST_FAILED);
    assert_string_equal(error.why, "the directory has more than 100000 entries");
    assert_int_equal(names.count, 0);
    close(directory);
    host_free(host);
}

static void test_glob(void **state)
{
    const char *root = *state;
    run_in(root,
           "mkdir -p tree/usr/local tree/usr/lib; cd tree/usr/local;"
           "mkdir cuda-12.4 cuda-13.0 .cuda-1; : > cuda-12.4/v; : > cuda-13.0/v; : > .cuda-1/v;"
           "ln -s cuda-13.0 cuda; ln -s absent cuda-gone; : > cuda-file; : > 'a[b'");
    static const struct {
        const char *pattern;
        const char *paths;
    } cases[] = {
        {"/usr/local/cuda-*/v", "/usr/local/cuda-12.4/v /usr/local/cuda-13.0/v"},
        {"/usr/local/cuda*", "/usr/local/cuda /usr/local/cuda-12.4 /usr/local/cuda-13.0 "
                             "/usr/local/cuda-file /usr/local/cuda-gone"},
        {"/usr/local/cuda-1[0-2].?", "/usr/local/cuda-12.4"},
        {"/*/local/*/v", "/usr/local/cuda-12.4/v /usr/local/cuda-13.0/v /usr/local/cuda/v"},
        {"/usr/local/.c*/v", "/usr/local/.cuda-1/v"},
        {"//usr//local/cuda/v", "/usr/local/cuda/v"},
        {"/usr/local/absent", ""},
        {"/absent/*", ""},
        {"/usr/local/cuda-file/*", ""},
        {"/usr/local/cuda-gone", "/usr/local/cuda-gone"},
        {"/usr/local/cuda-gone/*", ""},
        {"/*", "/usr"},
    };
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            AUTO_STRLIST struct strlist paths = {0};
            host_glob(host, cases[i].pattern, &paths);
            AUTO_FREE char *joined = strlist_join(&paths, " ");
            assert_string_equal(joined, cases[i].paths);
        }
        host_free(host);
    }
}

static void assert_foreign(const struct host *host, const char *path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *string = NULL;
    AUTO_ERROR struct error error = {0};
    struct host_stat stat;
    int fd = -1;
    AUTO_FREE char *all = mem_printf("%s/*", path);
    if (host_stat(host, path, &stat, &error) != HOST_FOREIGN)
        fail_msg("%s is not foreign", path);
    assert_string_equal(error.why, "this file belongs to the running machine, not to the tree");
    assert_int_equal(host_lstat(host, path, &stat, NULL), HOST_FOREIGN);
    assert_int_equal(host_read(host, path, 10, &text, NULL), HOST_FOREIGN);
    assert_int_equal(host_read_head(host, path, 10, &text, NULL), HOST_FOREIGN);
    assert_int_equal(host_read_line(host, path, &string, NULL), HOST_FOREIGN);
    assert_int_equal(host_read_link(host, path, &string, NULL), HOST_FOREIGN);
    assert_int_equal(host_real_path(host, path, &string, NULL), HOST_FOREIGN);
    assert_int_equal(host_open(host, path, &fd, NULL), HOST_FOREIGN);
    assert_int_equal(host_list(host, path, &names, NULL), HOST_FOREIGN);
    host_glob(host, all, &names);
    host_glob(host, path, &names);
    assert_int_equal(names.count, 0);
    assert_false(host_exists(host, path) || host_is_directory(host, path));
    assert_false(host_can_write(host, path) || host_can_execute(host, path));
}

/* "/." is a tree like any other, and this machine's kernel file systems lie below it. */
static void assert_all_foreign(const char *const *paths)
{
    for (int way = 0; way < 2; way++) {
        struct host *host = host_new("/.", NULL);
        host->openat2 = way == 0;
        assert_false(host_is_live(host));
        for (size_t i = 0; paths[i]; i++)
            assert_foreign(host, paths[i]);
        assert_true(host_exists(host, "/usr") && host_exists(host, "/proc/../usr"));
        host_free(host);
    }
}

static void test_the_running_kernel_is_foreign_to_a_tree(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/proc",          "/proc/version",        "/proc/self",
        "/proc/self/exe", "/proc/self/cwd",       "/proc/absent",
        "/proc/absent/x", "/usr/../proc/version", NULL,
    };
    assert_all_foreign(paths);
}

static void test_sysfs_is_foreign_to_a_tree(void **state)
{
    (void)state;
    static const char *const paths[] = {"/sys", "/sys/kernel", NULL};
    if (!can_see_sys()) {
        print_message("/sys is not mounted here\n");
        skip();
    }
    assert_all_foreign(paths);
}

static void test_a_recorded_proc_belongs_to_the_tree(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree/proc/driver/nvidia tree/dev; echo 580 > tree/proc/driver/nvidia/v;"
                 "ln -s driver/nvidia tree/proc/self; : > tree/dev/nvidia0");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        AUTO_FREE char *line = NULL;
        assert_int_equal(host_read_line(host, "/proc/self/v", &line, NULL), HOST_OK);
        assert_string_equal(line, "580");
        assert_true(host_exists(host, "/dev/nvidia0"));
        host_free(host);
    }
}

static bool mount_all(const char *root)
{
    static const struct {
        const char *kind;
        const char *where;
    } mounts[] = {{"proc", "proc"}, {"tmpfs", "dev"}, {"tmpfs", "data"}};
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        AUTO_FREE char *where = mem_printf("%s/tree/%s", root, mounts[i].where);
        if (mount(mounts[i].kind, where, mounts[i].kind, 0, NULL) != 0)
            return false;
    }
    AUTO_FREE char *params = mem_printf("%s/tree/sys/module", root);
    return mount("tmpfs", params, "tmpfs", 0, NULL) == 0;
}

static int check_mounts(const char *root)
{
    if (!mount_all(root))
        return APART_SKIP;
    run_in(root,
           "cd tree; : > dev/nvidia0; mkdir dev/sub; echo data > data/file; : > sys/module/x");
    for (int way = 0; way < 2; way++) {
        struct host *host = host_of(root, way == 0);
        assert_foreign(host, "/proc/version");
        assert_foreign(host, "/dev/nvidia0");
        assert_foreign(host, "/dev/sub");
        assert_foreign(host, "/dev/absent");
        assert_foreign(host, "/to_dev/nvidia0");
        assert_foreign(host, "/sys/module/x");
        apart(host_exists(host, "/data/file")); /* a volume of the tree */
        apart(host_exists(host, "/sys/recorded"));
        host_free(host);
    }
    return 0;
}

static void test_mounts_below_a_tree(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir -p tree/proc tree/dev tree/data tree/sys/module; ln -s /dev tree/to_dev;"
                 ": > tree/sys/recorded");
    int result = run_apart(check_mounts, root);
    if (result == APART_SKIP) {
        print_message("this user may not mount: mounts below a tree are not tested\n");
        skip();
    }
    assert_int_equal(result, 0);
}

/* In a chroot there is no /proc through which a file could be reopened. */
static int check_without_proc(const char *root)
{
    AUTO_FREE char *tree = tree_of(root);
    if (chroot(tree) != 0)
        return APART_SKIP;
    for (int way = 0; way < 3; way++) {
        struct host *host = host_new(way == 0 ? NULL : "/sub", NULL);
        apart(host != NULL);
        host->openat2 = way == 1;
        AUTO_TEXT struct text text = {0};
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist names = {0};
        apart(host_read(host, "/link/file", 10, &text, &error) == HOST_OK);
        apart(string_equal(text.data, way == 0 ? "top\n" : "sub\n"));
        apart(host_read(host, "/to_fifo", 10, &text, &error) == HOST_FAILED);
        apart(host_list(host, "/link", &names, NULL) == HOST_OK && names.count == 1);
        apart(host_can_write(host, "/link/file"));
        host_free(host);
    }
    return 0;
}

static void test_a_machine_without_proc(void **state)
{
    const char *root = *state;
    run_in(root,
           "mkdir -p tree/a tree/sub/a; echo top > tree/a/file; echo sub > tree/sub/a/file;"
           "for d in tree tree/sub; do ln -s /a $d/link; mkfifo $d/f; ln -s f $d/to_fifo; done");
    int result = run_apart(check_without_proc, root);
    if (result == APART_SKIP) {
        print_message("this user may not chroot: a machine without /proc is not tested\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static void test_the_live_machine(void **state)
{
    (void)state;
    struct host *host = host_new(NULL, NULL);
    AUTO_FREE char *target = NULL, *real = NULL, *version = NULL, *exe = NULL;
    AUTO_TEXT struct text text = {0}, head = {0};
    if (can_see_own_file()) {
        assert_int_equal(host_read_link(host, "/proc/self/exe", &target, NULL), HOST_OK);
        assert_int_equal(host_real_path(host, "/proc/self/exe", &exe, NULL), HOST_OK);
        assert_string_equal(target, exe);
        assert_int_equal(host_read_head(host, "/proc/self/exe", 4, &head, NULL), HOST_OK);
        assert_memory_equal(head.data,
                            "\x7f"
                            "ELF",
                            4);
    } else {
        print_message("/proc/self/exe is an emulator's: the link is not tested\n");
    }
    assert_int_equal(host_read(host, "/proc/self/status", 65536, &text, NULL), HOST_OK);
    assert_non_null(strstr(text.data, "\nPid:\t"));
    assert_int_equal(host_read(host, "/proc/self/status", 100, &text, NULL), HOST_FAILED);
    assert_int_equal(host_read_line(host, "/proc/sys/kernel/osrelease", &version, NULL), HOST_OK);
    assert_int_equal(host_real_path(host, "/usr/./bin/../bin", &real, NULL), HOST_OK);
    assert_string_equal(real, "/usr/bin");
    assert_int_equal(host_real_path(host, "/absent", &real, NULL), HOST_ABSENT);
    assert_true(host_can_execute(host, "/bin/sh"));
    struct host_stat stat;
    assert_int_equal(host_stat(host, "/dev/null", &stat, NULL), HOST_OK);
    assert_int_equal(stat.type, HOST_CHARACTER);
    assert_int_equal(stat.device_major, 1);
    assert_int_equal(stat.device_minor, 3);
    host_free(host);
}

static void test_space(void **state)
{
    const char *root = *state;
    AUTO_FREE char *absent = mem_printf("%s/not/yet/there", root);
    AUTO_ERROR struct error error = {0};
    struct host *live = host_new(NULL, NULL);
    struct host *tree = host_new(root, NULL);
    uint64_t total = 0, available = 0;
    struct statvfs expected;
    assert_int_equal(statvfs(root, &expected), 0);
    assert_int_equal(host_space(live, absent, &total, &available, NULL), HOST_OK);
    assert_int_equal(total, (uint64_t)expected.f_blocks * expected.f_frsize);
    assert_true(available <= total);
    assert_int_equal(host_space(live, "/absent", &total, &available, NULL), HOST_OK);
    assert_int_equal(host_space(live, "relative", &total, &available, NULL), HOST_FAILED);
    assert_int_equal(host_space(tree, "/", &total, &available, &error), HOST_FOREIGN);
    host_free(live);
    host_free(tree);
}

#define with_tree(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_link_leaves_the_tree, make_links, remove_tree),
        cmocka_unit_test_setup_teardown(test_both_ways_agree, make_links, remove_tree),
        cmocka_unit_test_setup_teardown(test_the_limit_of_links, make_links, remove_tree),
        with_tree(test_both_ways_agree_in_mazes),
        with_tree(test_only_regular_files_are_read),
        with_tree(test_a_device_node_is_described_and_not_opened),
        with_tree(test_size_limits),
        with_tree(test_a_line_has_no_white_space_around_it),
        with_tree(test_stat),
        with_tree(test_links_of_a_directory),
        with_tree(test_links_as_they_stand),
        with_tree(test_what_this_user_may_not_see_is_denied),
        with_tree(test_hostile_names),
        with_tree(test_a_list_is_sorted_and_added),
        cmocka_unit_test_setup_teardown(test_a_list_has_an_end, make_tree_in_memory, remove_tree),
        with_tree(test_glob),
        with_tree(test_sysfs_is_foreign_to_a_tree),
        with_tree(test_the_running_kernel_is_foreign_to_a_tree),
        with_tree(test_a_recorded_proc_belongs_to_the_tree),
        with_tree(test_mounts_below_a_tree),
        with_tree(test_a_machine_without_proc),
        with_tree(test_the_live_machine),
        with_tree(test_space),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
