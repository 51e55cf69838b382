/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/loader/loader.h"
#include "host/loader/trust.h"
#include "host/root/host.h"
#include "host/tree.h"

/* Whose file it is decides only for root. */
static void skip_unless_root(void)
{
    if (getuid() != 0) {
        print_message("not root\n");
        skip();
    }
}

static struct host *live;

/* Runs a script in the tree, then judges the file; reason NULL: it is trusted. A "%s" in reason
 * stands for the tree. */
struct file_case {
    const char *script;
    const char *path;
    const char *reason;
};

static void check_case(const char *root, const struct file_case *c)
{
    AUTO_FREE char *path = mem_printf("%s/%s", root, c->path);
    AUTO_FREE char *reason = NULL;
    run_in(root, "rm -rf -- * && umask 022 && mkdir -p own/a/b && echo x > own/a/b/file");
    run_in(root, c->script);
    bool trusted = trust_file(live, path, &reason);
    if (trusted != (c->reason == NULL))
        fail_msg("%s; %s: %s", c->script, c->path, reason ? reason : "trusted");
    if (c->reason == NULL)
        return;
    const char *rest = strstr(c->reason, "%s");
    AUTO_FREE char *head = mem_string_n(c->reason, (size_t)(rest - c->reason));
    AUTO_FREE char *expected = mem_printf("%s%s%s", head, root, rest + 2);
    if (!string_starts(reason, expected))
        fail_msg("%s; %s: \"%s\", not \"%s\"", c->script, c->path, reason, expected);
}

static void test_files(void **state)
{
    static const struct file_case cases[] = {
        {":", "own/a/b/file", NULL},
        {":", "own//a/./b/../b/file", NULL},
        {"chmod 0644 own/a/b/file", "own/a/b/file", NULL},
        {"chmod 0000 own/a/b/file", "own/a/b/file", NULL},
        {"chmod 0664 own/a/b/file", "own/a/b/file",
         "users other than root can change %s/own/a/b/file"},
        {"chmod 0646 own/a/b/file", "own/a/b/file",
         "users other than root can change %s/own/a/b/file"},
        {"chmod 1666 own/a/b/file", "own/a/b/file",
         "users other than root can change %s/own/a/b/file"},
        {"chown 12345 own/a/b/file", "own/a/b/file",
         "users other than root can change %s/own/a/b/file"},
        {"chgrp 12345 own/a/b/file", "own/a/b/file", NULL},
        {"chmod 0777 own/a", "own/a/b/file",
         "users other than root can change %s/own/a, on the way to "},
        {"chmod 0775 own", "own/a/b/file",
         "users other than root can change %s/own, on the way to "},
        {"chown 12345 own/a", "own/a/b/file", "users other than root can change %s/own/a, "},
        {"chown 12345 own/a; chmod 1755 own/a", "own/a/b/file",
         "users other than root can change %s/own/a, "},
        {"chmod 1777 own/a", "own/a/b/file", NULL},
        {"chmod 1777 own/a/b; chown 12345 own/a/b/file", "own/a/b/file",
         "users other than root can change %s/own/a/b/file"},
        /* what is left again with ".." was on the way too */
        {"mkdir open; chmod 0777 open", "open/../own/a/b/file",
         "users other than root can change %s/open, "},
        {":", "own/a/b/none", "%s/own/a/b/none does not exist"},
        {"chmod 1777 own/a", "own/a/none", "users other than root can create %s/own/a/none"},
        {"chmod 1777 own/a", "own/a/b/none", "%s/own/a/b/none does not exist"},
        {":", "own/a/b/file/x", "%s/own/a/b/file/x does not exist"},
    };
    skip_unless_root();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_case(*state, &cases[i]);
}

static void test_links(void **state)
{
    static const struct file_case cases[] = {
        {"ln -s own/a link", "link/b/file", NULL},
        {"ln -s \"$PWD/own/a\" link", "link/b/file", NULL},
        {"ln -s /usr/../bin/true link", "link", NULL},
        {"ln -s ../b/./file own/a/b/link", "own/a/b/link", NULL},
        {"ln -s own/a one; ln -s one two; ln -s two/b three", "three/file", NULL},
        /* a link that somebody else owns, or can replace */
        {"ln -s own/a link; chown -h 12345 link", "link/b/file",
         "users other than root can change %s/link, "},
        {"mkdir open; ln -s ../own/a open/link; chmod 0777 open", "open/link/b/file",
         "users other than root can change %s/open, "},
        {"mkdir open; ln -s ../own/a open/link; chmod 1777 open", "open/link/b/file", NULL},
        {"mkdir open; chmod 1777 open; ln -s ../own/a open/link; chown -h 12345 open/link",
         "open/link/b/file", "users other than root can change %s/open/link, "},
        /* a good link to a place that is not */
        {"chmod 0777 own/a/b; ln -s own/a/b/file link", "link",
         "users other than root can change %s/own/a/b, on the way to "},
        {"mkdir open; ln -s ../own open/link; chmod 0777 open; ln -s open/link/a/b/file link",
         "link", "users other than root can change %s/open, "},
        {"ln -s none link", "link", "%s/link does not exist"},
        {"ln -s loop loop", "loop", "too many links: %s/loop"},
        {"ln -s b a; ln -s a b", "a/x", "too many links: %s/"},
    };
    skip_unless_root();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_case(*state, &cases[i]);
}

/* make_tree()'s directory is root's own, and /tmp is sticky. */
static void test_the_way_from_the_real_root(void **state)
{
    (void)state;
    AUTO_FREE char *reason = NULL;
    assert_true(trust_file(live, "/", &reason));
    assert_true(trust_file(live, "/bin/sh", &reason));
    assert_null(reason);
}

/* Runs compile (see setup) in the tree and judges "libtop.so.1" found along the search path, "%s"
 * in which stands for the tree. */
static bool judge(const char *root, const char *script, const char *search_path, char **ret_reason)
{
    AUTO_TEXT struct text value = {0};
    for (const char *c = search_path; *c != '\0'; c++) {
        if (*c == '@')
            text_append(&value, root);
        else
            text_append_char(&value, *c);
    }
    AUTO_FREE char *whole = mem_printf("rm -rf -- *; umask 022; compile() { echo 'int a;' | "
                                       "${CC:-cc} -nostdlib -shared -fPIC -xc - -xnone "
                                       "-Wl,--no-as-needed -o \"$@\"; }; mkdir lib other\n%s",
                                       script);
    run_in(root, whole);
    if (value.size > 0)
        assert_int_equal(setenv("LD_LIBRARY_PATH", value.data, 1), 0);
    else
        unsetenv("LD_LIBRARY_PATH");
    struct loader *loader = loader_new(live);
    bool trusted = trust_library(live, loader, "libtop.so.1", ret_reason);
    loader_free(loader);
    unsetenv("LD_LIBRARY_PATH");
    return trusted;
}

#define BASE  "compile lib/libbase.so.1 -Wl,-soname,libbase.so.1; "
#define TOP   "compile lib/libtop.so.1 -Wl,-soname,libtop.so.1 lib/libbase.so.1 "
#define OTHER "mv lib/libbase.so.1 other; "

static void test_libraries_that_are_safe(void **state)
{
    static const char *const cases[][2] = {
        {BASE TOP, "@/lib"},
        {BASE TOP ";" OTHER, "@/lib:@/other"},
        {BASE TOP ";" OTHER, "@/none:@/lib/none;@/lib:@/other:"},
        {BASE TOP "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/../other';" OTHER, "@/lib"},
        {BASE TOP "-Wl,--disable-new-dtags,-rpath,'$ORIGIN/../other';" OTHER, "@/lib"},
        /* nothing that could be loaded: dlopen() says why not */
        {":", "@/lib"},
        {BASE TOP ";" OTHER, "@/lib"},
        {BASE TOP "; ln -s libtop.so.1 lib/x", ":@/lib:"},
        {BASE TOP, "@/lib:/usr/lib:/lib:relative"},
        /* somebody else's, but not on the way */
        {BASE TOP "; echo x > lib/libtop.so.2; chown 12345 lib/libtop.so.2", "@/lib"},
    };
    skip_unless_root();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *reason = NULL;
        if (!judge(*state, cases[i][0], cases[i][1], &reason))
            fail_msg("%s, %s: %s", cases[i][0], cases[i][1], reason);
        assert_null(reason);
    }
}

static void test_libraries_that_are_not(void **state)
{
    static const struct {
        const char *script;
        const char *search_path;
        const char *part; /* of the reason */
    } cases[] = {
        {BASE TOP "; chown 12345 lib/libtop.so.1", "@/lib", "change @/lib/libtop.so.1 (it would"},
        {BASE TOP "; chmod 0666 lib/libbase.so.1", "@/lib", "change @/lib/libbase.so.1 (it would"},
        {BASE TOP "; chmod 0777 lib", "@/lib",
         "LD_LIBRARY_PATH: users other than root can change @/lib (it would load "
         "@/lib/libtop.so.1)"},
        {BASE TOP ";" OTHER "chmod 0777 other", "@/lib:@/other", "change @/other"},
        {BASE TOP "; mv lib/libbase.so.1 other/real; ln -s ../other/real lib/libbase.so.1; chmod "
                  "0777 other",
         "@/lib", "change @/other, on the way to @/lib/libbase.so.1"},
        {BASE TOP "; ln -s lib link; chown -h 12345 link", "@/link", "change @/link"},
        /* before, beside and behind: what could be put there would be loaded, now or later */
        {BASE TOP "; chmod 0777 other", "@/other:@/lib", "LD_LIBRARY_PATH: users other than root"},
        {BASE TOP "; chmod 0777 other", "@/lib:@/other", "LD_LIBRARY_PATH: users other than root"},
        {BASE TOP "; chmod 1777 other", "@/lib:@/other/none", "can create @/other/none"},
        {BASE TOP, "@/lib:$ORIGIN/x", "depends on the program"},
        {BASE TOP "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/../other'; chmod 0777 other", "@/lib",
         "RUNPATH of @/lib/libtop.so.1: users other than root can change @/other"},
        {BASE TOP "-Wl,--disable-new-dtags,-rpath,'$ORIGIN/../other'; chmod 0777 other", "@/lib",
         "RPATH of @/lib/libtop.so.1: users other than root can change @/other"},
        /* passed over now, but his who owns it can make it fit */
        {BASE TOP "; echo 'INPUT(x)' > other/libbase.so.1; chown 12345 other/libbase.so.1",
         "@/other:@/lib", "change @/other/libbase.so.1"},
    };
    skip_unless_root();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *reason = NULL;
        if (judge(*state, cases[i].script, cases[i].search_path, &reason))
            fail_msg("%s, %s: trusted", cases[i].script, cases[i].search_path);
        AUTO_TEXT struct text part = {0};
        for (const char *c = cases[i].part; *c != '\0'; c++) {
            if (*c == '@')
                text_append(&part, *state);
            else
                text_append_char(&part, *c);
        }
        assert_true(string_starts(reason, "not loaded as root: "));
        if (strstr(reason, text_string(&part)) == NULL)
            fail_msg("%s, %s: %s", cases[i].script, cases[i].search_path, reason);
    }
}

/* The RPATH of who asked counts for what is needed further down. */
static void test_inherited_rpath(void **state)
{
    skip_unless_root();
    AUTO_FREE char *reason = NULL, *bad = NULL;
    const char *script = "compile other/libdeep.so.1 -Wl,-soname,libdeep.so.1\n"
                         "compile lib/libbase.so.1 -Wl,-soname,libbase.so.1 other/libdeep.so.1\n"
                         "compile lib/libtop.so.1 -Wl,-soname,libtop.so.1 lib/libbase.so.1 "
                         "-Wl,--disable-new-dtags,-rpath,'$ORIGIN/../other'\n";
    AUTO_FREE char *writable = mem_printf("%s chmod 0666 other/libdeep.so.1", script);
    assert_true(judge(*state, script, "@/lib", &reason));
    assert_false(judge(*state, writable, "@/lib", &bad));
    assert_non_null(strstr(bad, "/other/libdeep.so.1"));
}

static void test_too_many_files(void **state)
{
    skip_unless_root();
    AUTO_FREE char *reason = NULL;
    const char *script = "compile lib/lib1.so; list=\n"
                         "for i in $(seq 256); do test -f lib/lib$i.so || cp lib/lib1.so "
                         "lib/lib$i.so; list=\"$list -l:lib$i.so\"; done\n"
                         "compile lib/libtop.so.1 -Wl,-soname,libtop.so.1 -Llib $list";
    assert_false(judge(*state, script, "@/lib", &reason));
    if (strstr(reason, "the library needs more than 256 files") == NULL)
        fail_msg("%s", reason);
}

static int check_ordinary_user(const char *root)
{
    AUTO_FREE char *reason = NULL;
    apart(setuid(NOBODY) == 0);
    apart(trust_file(live, root, &reason) && trust_file(live, "/none", &reason));
    apart(trust_library(live, NULL, "libtop.so.1", &reason) && reason == NULL);
    return 0;
}

static void test_an_ordinary_user_may(void **state)
{
    skip_unless_root();
    assert_int_equal(run_apart(check_ordinary_user, *state), 0);
}

static void test_libraries_of_this_machine(void **state)
{
    (void)state;
    AUTO_FREE char *reason = NULL;
    unsetenv("LD_LIBRARY_PATH");
    struct loader *loader = loader_new(live);
    bool trusted = trust_library(live, loader, "libc.so.6", &reason) &&
                   trust_library(live, loader, "libm.so.6", &reason);
    loader_free(loader);
    if (!trusted)
        fail_msg("%s", reason);
}

static int setup(void **state)
{
    live = host_new(NULL, NULL);
    return live == NULL || make_tree(state) != 0;
}

static int teardown(void **state)
{
    host_free(live);
    return remove_tree(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_the_way_from_the_real_root),
        cmocka_unit_test(test_libraries_that_are_safe),
        cmocka_unit_test(test_libraries_that_are_not),
        cmocka_unit_test(test_inherited_rpath),
        cmocka_unit_test(test_too_many_files),
        cmocka_unit_test(test_an_ordinary_user_may),
        cmocka_unit_test(test_libraries_of_this_machine),
    };
    return cmocka_run_group_tests_name("trust", tests, setup, teardown);
}
