/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/fetch/http.h"
#include "install/fetch/mirror.h"
#include "install/io/tree.h"
#include "install/io/url.h"

static void check_mirror(const char *text, const char *base, bool is_directory, bool is_secure)
{
    AUTO_ERROR struct error error = {0};
    struct mirror mirror;
    assert_true(mirror_parse(text, &mirror, &error));
    assert_string_equal(mirror.base, base);
    assert_int_equal(mirror.is_directory, is_directory);
    assert_int_equal(mirror.is_secure, is_secure);
    mirror_free(&mirror);
}

static void test_sources(void **state)
{
    (void)state;
    check_mirror(MIRROR_NVIDIA, MIRROR_NVIDIA, false, true);
    check_mirror("https://h/x//", "https://h/x", false, true);
    check_mirror("HTTPS://h:8443/x", "HTTPS://h:8443/x", false, true);
    check_mirror("http://mirror.example/x", "http://mirror.example/x", false, false);
    check_mirror("http://localhost:8080", "http://localhost:8080", false, true);
    check_mirror("http://127.1.2.3/", "http://127.1.2.3", false, true);
    check_mirror("http://[::1]:80/x", "http://[::1]:80/x", false, true);
    check_mirror("http://128.0.0.1", "http://128.0.0.1", false, false);
    check_mirror("http://[::2]/", "http://[::2]", false, false);
    check_mirror("http://localhost.example", "http://localhost.example", false, false);
    check_mirror("http://0.0.0.0/", "http://0.0.0.0", false, false);
    check_mirror("/srv/mirror/", "/srv/mirror", true, true);
    check_mirror("./mirror", "./mirror", true, true);
    check_mirror("a directory", "a directory", true, true);
    check_mirror("/", "", true, true);
    check_mirror("file:///srv/my%20mirror%2F", "/srv/my mirror", true, true);
    check_mirror("file://localhost/srv", "/srv", true, true);
}

static void test_what_is_no_source(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "ftp://h/x",
        "gopher://h/",
        "https://",
        "https:h",
        "https:///",
        "https://h/x?y",
        "https://h/x#y",
        "https://h/a b",
        "https://h/\n",
        "https://h/\xc3\xbc",
        "http://user@h/",
        "https://user:password@h/x",
        "file://other/srv",
        "file://srv",
        "file:///srv?x",
        "file:///%zz",
        "file:///a%00b",
        "file:///a%2",
        "file:///a%\x14\x12",
        "javascript:alert(1)",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        AUTO_ERROR struct error error = {0};
        struct mirror mirror = {.base = NULL};
        assert_false(mirror_parse(bad[i], &mirror, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_null(mirror.base);
        assert_null(strstr(error.where, "password"));
    }
}

static void check_url(const char *text, const char *path, const char *expected)
{
    struct mirror mirror;
    assert_true(mirror_parse(text, &mirror, NULL));
    AUTO_FREE char *url = mirror_url(&mirror, path);
    if (expected)
        assert_string_equal(url, expected);
    else
        assert_null(url);
    mirror_free(&mirror);
}

static void test_urls(void **state)
{
    (void)state;
    check_url("https://h/m/", "a/b-1.2_x~.tar.xz", "https://h/m/a/b-1.2_x~.tar.xz");
    check_url("https://h", "a b/c+d?e#f%g/\xc3\xbc:@",
              "https://h/a%20b/c%2Bd%3Fe%23f%25g/"
              "%C3%BC%3A%40");
    check_url("/srv", "a b/c+d?e#f%g", "/srv/a b/c+d?e#f%g");
    check_url("/", "a", "/a");
    check_url("https://h", "../a", NULL);
    check_url("/srv", "a/../../b", NULL);
    check_url("/srv", "/etc/passwd", NULL);
}

static void check_redirect(const char *from, const char *to, bool pinned, const char *expected)
{
    const char *reason = NULL;
    assert_int_equal(url_may_follow(from, to, pinned, &reason), expected == NULL);
    if (expected)
        assert_non_null(strstr(reason, expected));
}

static void test_redirects(void **state)
{
    (void)state;
    check_redirect("https://a/x", "https://b/y", true, NULL);
    check_redirect("https://a/x", "https://b/y", false, "another host");
    check_redirect("https://a/x", "https://A:8443/y", false, NULL);
    check_redirect("https://a/x", "http://a/x", true, "away from https");
    check_redirect("http://a/x", "https://b/x", true, NULL);
    check_redirect("http://a/x", "http://b/x", true, NULL);
    check_redirect("http://a/x", "https://b/x", false, "another host");
    check_redirect("https://a/x", "https://u:p@a/x", true, "credentials");
    static const char *const others[] = {"file:///etc/passwd",
                                         "ftp://a/x",
                                         "gopher://a/x",
                                         "dict://a/",
                                         "data:text/x,y",
                                         "/x",
                                         "",
                                         "https://"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        check_redirect("https://a/x", others[i], true, "not a valid http or https URL");
}

static void check_shown(const char *text, const char *expected)
{
    AUTO_FREE char *shown = url_shown(text);
    assert_string_equal(shown, expected);
}

static void test_credentials_are_not_shown(void **state)
{
    (void)state;
    check_shown("http://u:p@h:1/x@y", "http://h:1/x@y");
    check_shown("u:p@h:1", "h:1");
    check_shown("http://u:p@q@h", "http://h");
    check_shown("http://h/x?y@z", "http://h/x?y@z");
}

static void check_proxy(const char *url, const char *expected)
{
    AUTO_FREE char *shown = http_proxy_shown(url);
    if (expected)
        assert_string_equal(shown, expected);
    else
        assert_null(shown);
}

static void test_proxy_variables(void **state)
{
    (void)state;
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                        "ALL_PROXY",  "no_proxy",    "NO_PROXY",    "HTTP_PROXY"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unsetenv(names[i]);
    check_proxy("https://h/", NULL);
    setenv("HTTP_PROXY", "http://never:1", 1);
    check_proxy("http://h/", NULL);
    setenv("all_proxy", "socks5h://all:1", 1);
    check_proxy("http://h/", "all_proxy=socks5h://all:1");
    setenv("HTTPS_PROXY", "http://u:p@secure:3128", 1);
    check_proxy("https://h/", "HTTPS_PROXY=http://secure:3128");
    setenv("https_proxy", "http://first:3128", 1);
    check_proxy("https://h/", "https_proxy=http://first:3128");
    setenv("no_proxy", "x.example, .example.org,127.0.0.1", 1);
    check_proxy("https://h/", "https_proxy=http://first:3128");
    check_proxy("https://127.0.0.1/", NULL);
    check_proxy("https://a.example.org/", NULL);
    check_proxy("https://X.EXAMPLE/", NULL);
    check_proxy("https://notx.example/", "https_proxy=http://first:3128");
    setenv("no_proxy", "*", 1);
    check_proxy("https://h/", NULL);
}

/* A directory with one file of each kind. */
static void test_directories(void **state)
{
    (void)state;
    char path[] = "/tmp/mirror_test.XXXXXX";
    assert_non_null(mkdtemp(path));
    AUTO_FREE char *plain = mem_printf("%s/plain", path);
    AUTO_FREE char *shared = mem_printf("%s/shared", path);
    AUTO_FREE char *link = mem_printf("%s/link", path);
    AUTO_FREE char *pipe = mem_printf("%s/pipe", path);
    struct mirror mirror = {.base = path, .is_directory = true, .is_secure = true};
    bool in_place = false;
    const mode_t mask = umask(0);
    fclose(fopen(plain, "w"));
    fclose(fopen(shared, "w"));
    umask(mask);
    assert_int_equal(chmod(plain, 0644), 0);
    assert_int_equal(chmod(shared, 0664), 0);
    assert_int_equal(symlink("plain", link), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    static const struct {
        const char *name;
        bool opens, in_place;
    } rows[] = {{"plain", true, true},  {"shared", true, false},  {"link", true, true},
                {"pipe", false, false}, {"absent", false, false}, {"../source", false, false},
                {".", false, false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CLOSE int fd = mirror_open(&mirror, rows[i].name, &in_place, &error);
        assert_int_equal(fd >= 0, rows[i].opens);
        assert_int_equal(error.kind, rows[i].opens ? ERROR_NONE : ERROR_NO_INPUT);
        if (fd >= 0)
            assert_int_equal(in_place, rows[i].in_place);
    }
    assert_true(tree_remove(AT_FDCWD, path, "", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_what_is_no_source),
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_redirects),
        cmocka_unit_test(test_credentials_are_not_shown),
        cmocka_unit_test(test_proxy_variables),
        cmocka_unit_test(test_directories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
