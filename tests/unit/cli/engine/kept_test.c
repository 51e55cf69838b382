/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "base/error.h"
#include "cli/engine/kept.h"
#include "host/local/local.h"
#include "host/root/host.h"
#include "manifest/manifest.h"
#include "manifest/update/bundle.h"
#include "manifest/versions/driver.h"

struct machine {
    char directory[64];
    char *path;
    struct host *live;
    struct manifest *built_in;
};

static int make_machine(void **state)
{
    static struct machine machine;
    strcpy(machine.directory, "/tmp/kept_test.XXXXXX");
    if (mkdtemp(machine.directory) == NULL)
        return -1;
    machine.path = mem_printf("%s/" KEPT_NAME, machine.directory);
    machine.live = host_new(NULL, NULL);
    machine.built_in = manifest_new();
    setenv("GPUENV_DATA_DIR", machine.directory, 1);
    *state = &machine;
    return 0;
}

static int end_machine(void **state)
{
    struct machine *machine = *state;
    unsetenv("GPUENV_DATA_DIR");
    unlink(machine->path);
    rmdir(machine->directory);
    free(machine->path);
    host_free(machine->live);
    manifest_free(machine->built_in);
    return 0;
}

/* The manifest of this build, with another version. */
static void read_joined(unsigned version, struct text *text)
{
    AUTO_TEXT struct text joined = {0};
    static const char before[] = "\"version\": ";
    assert_true(local_read(TEST_BINARY_DIR "/gpuenv.manifest.json", MANIFEST_MAX, &joined, NULL));
    const char *about = strstr(text_string(&joined), "\"manifest\": {");
    assert_non_null(about);
    const char *number = strstr(about, before);
    assert_non_null(number);
    number += strlen(before);
    text_append_n(text, text_string(&joined), (size_t)(number - text_string(&joined)));
    text_printf(text, "%u%s", version, number + strspn(number, "0123456789"));
}

/* Nothing here is signed: gpuenv-install looked at that before it was written. */
static void keep_text(const struct machine *machine, const struct text *manifest,
                      const char *reader, unsigned said, const char *expires)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *statement = mem_printf(
        "{\"signed\": {\"type\": \"gpuenv-manifest\", \"spec\": 1, \"version\": 1, \"expires\": "
        "\"%s\", \"format\": 1, \"manifest_version\": %u, \"manifest_date\": \"2027-01-01\", "
        "\"length\": %zu, \"sha256\": "
        "\"0000000000000000000000000000000000000000000000000000000000000000\"}, "
        "\"signatures\": []}",
        expires, said, manifest->size);
    const struct update_bundle bundle = {.reader = {reader, reader ? UPDATE_READER_SIZE : 0},
                                         .roots = {"[]", 2},
                                         .statement = {statement, strlen(statement)},
                                         .manifest = {manifest->data, manifest->size}};
    update_bundle_append(&bundle, &text);
    assert_true(local_write(machine->path, text.data, text.size, NULL));
}

static void keep(const struct machine *machine, unsigned version, unsigned said,
                 const char *expires)
{
    AUTO_TEXT struct text manifest = {0};
    read_joined(version, &manifest);
    keep_text(machine, &manifest, NULL, said, expires);
}

static void assert_kept(const struct machine *machine, const char *version, const char *note)
{
    AUTO_KEPT struct kept kept = {.manifest = NULL};
    AUTO_TEXT struct text notes = {0};
    kept_read(machine->live, machine->built_in, &kept, &notes);
    if (version) {
        assert_non_null(kept.manifest);
        assert_string_equal(manifest_version(kept.manifest), version);
        assert_string_equal(kept.path, machine->path);
        assert_true(kept.text.size > 1000 && kept.text.data[0] == '{');
    } else {
        assert_null(kept.manifest);
    }
    if (note)
        assert_non_null(strstr(text_string(&notes), note));
    else
        assert_string_equal(text_string(&notes), "");
}

static void test_none_is_kept(void **state)
{
    assert_kept(*state, NULL, NULL);
}

static void test_a_newer_one_is_used(void **state)
{
    keep(*state, 777, 777, "2999-01-01T00:00:00Z");
    assert_kept(*state, "777", NULL);
}

static void test_an_older_one_is_not(void **state)
{
    keep(*state, 1, 1, "2999-01-01T00:00:00Z");
    assert_kept(*state, NULL, NULL);
}

static void test_one_that_has_expired_is_used_and_said(void **state)
{
    keep(*state, 777, 777, "2020-01-02T00:00:00Z");
    assert_kept(*state, "777", "the updated manifest 777 expired on 2020-01-02: it is still used");
}

static void test_one_of_another_version_than_was_signed(void **state)
{
    keep(*state, 776, 777, "2999-01-01T00:00:00Z");
    assert_kept(*state, NULL, "does not have the version that was signed");
}

static void test_a_damaged_one(void **state)
{
    const struct machine *machine = *state;
    keep(machine, 777, 777, "2999-01-01T00:00:00Z");
    assert_int_equal(truncate(machine->path, 5000), 0);
    assert_kept(machine, NULL, machine->path);
}

/* One row of the driver branches. */
static void damage(struct text *manifest)
{
    char *subject = strstr(manifest->data, "\"driver\": {");
    assert_non_null(subject);
    memcpy(strstr(subject, "\"branch\""), "\"brunch\"", strlen("\"brunch\""));
}

/* A row that is not valid is found by whoever reads all. */
static void test_one_that_was_checked_is_not_checked_again(void **state)
{
    const struct machine *machine = *state;
    static const char another[] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    AUTO_TEXT struct text manifest = {0};
    read_joined(777, &manifest);
    damage(&manifest);
    keep_text(machine, &manifest, manifest_reader(), 777, "2999-01-01T00:00:00Z");
    assert_kept(machine, "777", NULL);
    keep_text(machine, &manifest, another, 777, "2999-01-01T00:00:00Z");
    assert_kept(machine, NULL, "driver.rows[0]");
    keep_text(machine, &manifest, NULL, 777, "2999-01-01T00:00:00Z");
    assert_kept(machine, NULL, "driver.rows[0]");
}

/* What was checked and is not valid all the same is said to be damaged by whoever asks for it. */
static void test_a_subject_that_cannot_be_read(void **state)
{
    const struct machine *machine = *state;
    AUTO_KEPT struct kept kept = {.manifest = NULL};
    AUTO_TEXT struct text notes = {0};
    AUTO_TEXT struct text manifest = {0};
    const struct version branch = {.part = {580}, .count = 1};
    read_joined(777, &manifest);
    damage(&manifest);
    keep_text(machine, &manifest, manifest_reader(), 777, "2999-01-01T00:00:00Z");
    kept_read(machine->live, machine->built_in, &kept, &notes);
    assert_null(manifest_problem(kept.manifest));
    assert_null(manifest_branch_find(kept.manifest, &branch));
    const struct error *problem = manifest_problem(kept.manifest);
    assert_non_null(problem);
    assert_true(string_starts(problem->where, machine->path));
    assert_string_equal(problem->what, "the manifest is not valid");
}

static void test_roots_alone(void **state)
{
    const struct machine *machine = *state;
    AUTO_TEXT struct text text = {0};
    const struct update_bundle bundle = {.roots = {"[]", 2}};
    update_bundle_append(&bundle, &text);
    assert_true(local_write(machine->path, text.data, text.size, NULL));
    assert_kept(machine, NULL, NULL);
}

static void test_places(void **state)
{
    const struct machine *machine = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *given = kept_directory(machine->live, &error);
    assert_string_equal(given, machine->directory);
    setenv("GPUENV_DATA_DIR", "data", 1);
    assert_null(kept_directory(machine->live, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    setenv("GPUENV_DATA_DIR", "", 1);
    AUTO_FREE char *usual = kept_directory(machine->live, &error);
    assert_non_null(usual);
    if (geteuid() == 0)
        assert_string_equal(usual, "/var/lib/gpuenv");
    setenv("GPUENV_DATA_DIR", machine->directory, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, end_machine)
    const struct CMUnitTest tests[] = {
        TEST(test_none_is_kept),
        TEST(test_a_newer_one_is_used),
        TEST(test_an_older_one_is_not),
        TEST(test_one_that_has_expired_is_used_and_said),
        TEST(test_one_of_another_version_than_was_signed),
        TEST(test_a_damaged_one),
        TEST(test_one_that_was_checked_is_not_checked_again),
        TEST(test_a_subject_that_cannot_be_read),
        TEST(test_roots_alone),
        TEST(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
