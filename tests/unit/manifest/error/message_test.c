/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#include "manifest/error/message.h"
#include "manifest/manifest.h"

static void test_rows(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    size_t count;
    const struct manifest_message *rows = manifest_messages(manifest, &count);
    bool like = false;
    for (size_t i = 0; i < count; i++) {
        const struct manifest_message *meant = manifest_message_meant(manifest, &rows[i]);
        assert_non_null(meant);
        assert_true(meant->as == NULL && (meant == &rows[i]) == (rows[i].as == NULL));
        like = like || rows[i].as;
    }
    assert_true(like);
    enum manifest_error_list list;
    assert_string_equal(manifest_error_named(manifest, "xid-79", &list)->id, "error/xid-79");
    assert_int_equal(list, ERRORS_XID);
    assert_null(manifest_error_named(manifest, "xid-0", &list));
    manifest_free(manifest);
}

#define ROW         "message.patterns[name=cli-cgroup-not-found]"
#define LIKE        "message.patterns[name=lspci-nvidia-3d]"
#define NUMBERED    "message.patterns[name=xid-line]"
#define LIBRARY     "message.libraries[name=cublas]"
#define LIKELY      "message.likely[error=cuda-999]"
#define CLUE        "message.clues[name=wsl]"
#define CONSEQUENCE "message.consequences[error=xid-45]"
static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {ROW ".name", "\"Blocked\"", NULL, "blocked"},
        {ROW ".name", "\"a\"", NULL, "a row that sorts after"},
        {ROW ".kind", "\"bad\"", NULL, "wrapper"},
        {ROW ".pattern", NULL, NULL, "a non-empty string"},
        {ROW ".sample", NULL, NULL, "a non-empty string"},
        {ROW ".meaning", NULL, ROW ".meaning", "a value here, in as or in error"},
        {ROW ".command", NULL, ROW ".command", "remaining and command, or neither"},
        {ROW ".as", "\"xid-line\"", ROW ".meaning", "one of error, as and meaning"},
        {ROW ".findings", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]", NULL,
         "at most 8 causes"},
        {LIKE ".as", "\"nothing\"", NULL, "the name of a row with a meaning of its own"},
        {LIKE ".findings", "[\"a\"]", LIKE ".as", "no fix, findings, remaining or command"},
        {NUMBERED ".error", "\"xid-0\"", NULL, "a row such as cuda-802"},
        {LIBRARY ".stem", NULL, NULL, "a non-empty string"},
        {LIBRARY ".name", "\"a\"", NULL, "a row that sorts after"},
        {LIBRARY ".as", "\"nothing\"", NULL, "the name of a pattern with a meaning of its own"},
        {LIKELY ".error", "\"cuda-1\"", NULL, "sorts after"},
        {LIKELY ".findings", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]", NULL,
         "at most 8"},
        {CLUE ".patterns", NULL, NULL, "list"},
        {CLUE ".tells", NULL, NULL, "a non-empty string"},
        {CONSEQUENCE ".error", "\"xid-0\"", NULL, "sorts after"},
        {CONSEQUENCE ".of", "[\"xid-0\"]", NULL, "rows such as xid-79"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
