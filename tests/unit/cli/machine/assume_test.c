/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "cli/machine/assume.h"
#include "manifest/manifest.h"

struct world {
    struct session session;
};

static int world_new(void **state)
{
    struct world *world = mem_alloc(sizeof(*world));
    world->session = (struct session){.program = "gpuenv doctor", .manifest = manifest_new()};
    *state = world;
    return 0;
}

static int world_free(void **state)
{
    struct world *world = *state;
    manifest_free(world->session.manifest);
    free(world);
    return 0;
}

static const char *no_variable(const void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

/* The facts that "--assume-driver driver --assume-gpu gpu" give; NULL leaves one out. */
static struct facts *assume(const struct world *world, const char *driver, const char *gpu,
                            struct error *error)
{
    static const struct option *const table[] = {&option_assume_driver, &option_assume_gpu, NULL};
    struct option_environment environment = {.get = no_variable};
    AUTO_ARGUMENTS struct arguments arguments = {0};
    char *words[4] = {NULL};
    int count = 0;
    if (driver) {
        words[count++] = mem_string("--assume-driver");
        words[count++] = mem_string(driver);
    }
    if (gpu) {
        words[count++] = mem_string("--assume-gpu");
        words[count++] = mem_string(gpu);
    }
    assert_true(
        options_parse(table, "gpuenv doctor", count, words, NULL, &environment, &arguments, error));
    for (int i = 0; i < count; i++)
        free(words[i]);
    return assume_facts(&world->session, &arguments, error);
}

static void nothing_assumed(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct facts *facts = assume(*state, NULL, NULL, &error);
    assert_non_null(facts);
    assert_int_equal(facts_group_count(facts), 0);
    facts_free(facts);
}

static void a_driver(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct facts *facts = assume(*state, "570.86", NULL, &error);
    assert_non_null(facts);
    assert_string_equal(facts_string(facts, "assumed", "driver_version"), "570.86");
    assert_string_equal(facts_get(facts, "assumed", "driver_version")->source, "--assume-driver");
    facts_free(facts);
    assert_null(assume(*state, "570.86rc1", NULL, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
}

static void a_branch(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct facts *facts = assume(*state, "570", NULL, &error);
    assert_non_null(facts);
    assert_true(string_starts(facts_string(facts, "assumed", "driver_version"), "570."));
    assert_string_equal(facts_get(facts, "assumed", "driver_version")->source,
                        "--assume-driver 570, the newest release that the manifest knows");
    facts_free(facts);
    assert_null(assume(*state, "999", NULL, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
}

/* Each way of writing it gives a GPU of compute capability 9.0. */
static void hopper_in_every_form(void **state)
{
    static const char *const forms[] = {"H100",      "h100", "10de:2330", "2330",
                                        "10DE:2330", "9.0",  "sm_90",     "SM_90a"};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        AUTO_ERROR struct error error = {0};
        struct facts *facts = assume(*state, NULL, forms[i], &error);
        assert_non_null(facts);
        assert_string_equal(facts_string(facts, "assumed/0", "capability"), "9.0");
        assert_non_null(facts_string(facts, "assumed/0", "name"));
        facts_free(facts);
    }
}

static void the_given_device_id_is_kept(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct facts *facts = assume(*state, NULL, "10DE:2330", &error);
    assert_string_equal(facts_string(facts, "assumed/0", "device_id"), "2330");
    facts_free(facts);
    facts = assume(*state, NULL, "sm_90", &error);
    assert_int_equal(facts_get(facts, "assumed/0", "device_id")->state, FACT_ABSENT);
    facts_free(facts);
}

/* A model whose name is four hex digits is not taken for a PCI id. */
static void names_that_look_like_ids(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct facts *facts = assume(*state, NULL, "A100,4090", &error);
    assert_non_null(facts);
    assert_string_equal(facts_string(facts, "assumed/0", "capability"), "8.0");
    assert_string_equal(facts_string(facts, "assumed/1", "capability"), "8.9");
    facts_free(facts);
}

static void unknown_gpus(void **state)
{
    static const char *const unknown[] = {"H10000", "10de:ffff", "3.14", "sm_9", "sm_9999", "sm_"};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        AUTO_ERROR struct error error = {0};
        assert_null(assume(*state, NULL, unknown[i], &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_non_null(strstr(error.next, "gpuenv doctor --help"));
    }
}

static void assumed_gpus_replace_those_of_a_record(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct facts *record = facts_new();
    facts_set_string(record, "os", "id", "debian", "/etc/os-release");
    facts_set_string(record, "assumed", "driver_version", "535.1", "--assume-driver");
    facts_set_string(record, "assumed/0", "name", "old", "--assume-gpu");
    facts_set_string(record, "assumed/1", "name", "old", "--assume-gpu");
    struct facts *assumed = assume(*state, NULL, "9.0", &error);
    record = assume_apply(record, assumed);
    assert_string_equal(facts_string(record, "os", "id"), "debian");
    assert_string_equal(facts_string(record, "assumed", "driver_version"), "535.1");
    assert_string_equal(facts_string(record, "assumed/0", "name"), "9.0");
    assert_null(facts_get(record, "assumed/1", "name"));
    facts_free(assumed);
    facts_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_assumed),
        cmocka_unit_test(a_driver),
        cmocka_unit_test(a_branch),
        cmocka_unit_test(hopper_in_every_form),
        cmocka_unit_test(the_given_device_id_is_kept),
        cmocka_unit_test(names_that_look_like_ids),
        cmocka_unit_test(unknown_gpus),
        cmocka_unit_test(assumed_gpus_replace_those_of_a_record),
    };
    return cmocka_run_group_tests(tests, world_new, world_free);
}
