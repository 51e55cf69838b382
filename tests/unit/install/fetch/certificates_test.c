/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/fetch/certificates.h"
#include "install/io/tree.h"

static const char debian[] = "/etc/ssl/certs/ca-certificates.crt";
static const char fedora[] = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem";

struct root {
    char path[40];
};

static void root_make(struct root *root)
{
    strcpy(root->path, "/tmp/certificates_test.XXXXXX");
    assert_non_null(mkdtemp(root->path));
    unsetenv("CURL_CA_BUNDLE");
    unsetenv("SSL_CERT_FILE");
    unsetenv("SSL_CERT_DIR");
}

static void root_add(const struct root *root, const char *path)
{
    AUTO_ERROR struct error error = {0};
    const char *name;
    AUTO_CLOSE int top = open(root->path, O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int parent = tree_open_parent(top, path + 1, true, root->path, &name, &error);
    AUTO_CLOSE int file = openat(parent, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(file >= 0);
}

static void root_remove(const struct root *root)
{
    AUTO_ERROR struct error error = {0};
    assert_true(tree_remove(AT_FDCWD, root->path, root->path, &error));
}

static void test_places(void **state)
{
    (void)state;
    struct root root;
    root_make(&root);
    AUTO_ERROR struct error error = {0};
    struct certificates chosen = certificates_choose(NULL, false, root.path);
    assert_null(chosen.file);
    assert_null(chosen.directory);
    assert_false(certificates_usable(&chosen, false, &error));
    assert_int_equal(error.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(error.why, fedora));
    assert_non_null(strstr(error.next, "--cacert"));

    root_add(&root, "/etc/ssl/certs/README"); /* a directory without certificates */
    chosen = certificates_choose(NULL, false, root.path);
    assert_null(chosen.directory);
    root_add(&root, "/etc/ssl/certs/5ed36f99.0");
    chosen = certificates_choose(NULL, false, root.path);
    assert_string_equal(chosen.directory, "/etc/ssl/certs");
    assert_null(chosen.file);

    root_add(&root, fedora);
    chosen = certificates_choose(NULL, false, root.path);
    assert_string_equal(chosen.file, fedora);
    assert_null(chosen.directory);
    root_add(&root, debian);
    chosen = certificates_choose(NULL, false, root.path);
    assert_string_equal(chosen.file, debian);
    assert_null(chosen.origin);

    chosen = certificates_choose(NULL, true, root.path); /* libcurl knows its distribution */
    assert_null(chosen.file);
    error_clear(&error);
    assert_true(certificates_usable(&chosen, true, &error));
    root_remove(&root);
}

static void test_order(void **state)
{
    (void)state;
    struct root root;
    root_make(&root);
    root_add(&root, debian);
    setenv("SSL_CERT_DIR", "/own", 1);
    struct certificates chosen = certificates_choose(NULL, false, root.path);
    assert_string_equal(chosen.file, debian); /* a directory adds to what the system has */
    assert_string_equal(chosen.directory, "/own");
    setenv("SSL_CERT_FILE", "/own.pem", 1);
    chosen = certificates_choose(NULL, false, root.path);
    assert_string_equal(chosen.file, "/own.pem");
    assert_string_equal(chosen.origin, "SSL_CERT_FILE");
    setenv("CURL_CA_BUNDLE", "/curl.pem", 1);
    chosen = certificates_choose(NULL, false, root.path);
    assert_string_equal(chosen.file, "/curl.pem");
    assert_null(chosen.directory);
    chosen = certificates_choose("given.pem", false, root.path);
    assert_string_equal(chosen.file, "given.pem");
    assert_string_equal(chosen.origin, "--cacert");
    root_remove(&root);
    setenv("CURL_CA_BUNDLE", "", 1); /* set to nothing is not set */
    setenv("SSL_CERT_FILE", "", 1);
    setenv("SSL_CERT_DIR", "", 1);
    chosen = certificates_choose(NULL, true, root.path);
    assert_null(chosen.file);
    assert_null(chosen.directory);
}

static void test_not_a_file(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    struct certificates chosen = certificates_choose("/dev/zero", false, "");
    assert_false(certificates_usable(&chosen, false, &error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    assert_non_null(strstr(error.what, "--cacert"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_not_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
