/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"

/* A board that is newer than the driver's list is a limit that is said, and nothing else. */

static const char *limit_of(const struct asking *asking, const char *product)
{
    const struct resolve_choice *choice = chosen(asking, product);
    const char *found = NULL;
    assert_non_null(choice);
    for (size_t i = 0; i < choice->limits.count; i++)
        if (strstr(choice->limits.items[i], "does not list this board")) {
            assert_null(found);
            found = choice->limits.items[i];
        }
    return found;
}

static void assert_limit(const char *driver, const char *gpus, const char *spec,
                         const char *product, const char *first)
{
    AUTO_ASKING struct asking asking = ask(driver, gpus, spec);
    AUTO_FREE char *words = first ? mem_printf("the first driver that does is %s;", first) : NULL;
    if (first)
        assert_says(limit_of(&asking, product), words);
    else
        assert_null(limit_of(&asking, product));
}

static void test_every_product_says_it(void **state)
{
    (void)state;
    assert_limit("570.86.15", "GeForce RTX 5060", "cuda", "cuda", "570.158.01");
    assert_limit("570.86.15", "GeForce RTX 5060", "cudnn", "cudnn", "570.158.01");
    assert_limit("570.86.15", "GeForce RTX 5060", "pytorch", "pytorch", "570.158.01");
    assert_limit(NULL, "GeForce RTX 5060", "driver@570.86.15", "driver", "570.158.01");
    /* the driver that is chosen counts, and not the one that is there */
    assert_limit("570.86.15", "GeForce RTX 5060", "driver@580", "driver", NULL);
    assert_limit("580.95.05", "GeForce RTX 5060", "driver@570.86.15", "driver", "570.158.01");
}

static void test_which_driver_is_first(void **state)
{
    (void)state;
    assert_limit("570.158.01", "GeForce RTX 5060", "cuda", "cuda", NULL);
    assert_limit("575.51.02", "GeForce RTX 5060", "cuda", "cuda", "575.57.08");
    assert_limit("580.65.06", "GeForce RTX 5060", "cuda", "cuda", NULL);
    assert_limit("535.288.01", "H200 NVL", "cuda", "cuda", "565.57.01");
    assert_limit("575.64.05", "B300", "cuda", "cuda", "580.82.07");
    assert_limit("580.95.05", "GB10 (DGX Spark)", "pytorch", "pytorch", "580.119.02");
    /* before the lists begin, and of architectures that they do not have */
    assert_limit("470.256.02", "GeForce RTX 3090", "cuda", "cuda", NULL);
    assert_limit("535.288.01", "GeForce GTX 1080", "cuda", "cuda", NULL);
    assert_limit(NULL, "GeForce RTX 5060", "cuda", "cuda", NULL);
}

/* It says nothing of whether something runs: the choice is that of a GPU that is listed. */
static void test_it_is_no_proof(void **state)
{
    (void)state;
    AUTO_ASKING struct asking unlisted = ask("580.95.05", "GB10 (DGX Spark)", "pytorch");
    AUTO_ASKING struct asking listed = ask("580.119.02", "GB10 (DGX Spark)", "pytorch");
    assert_string_equal(chosen(&unlisted, "pytorch")->version, chosen(&listed, "pytorch")->version);
    assert_string_equal(chosen(&unlisted, "pytorch")->rule, chosen(&listed, "pytorch")->rule);
    assert_null(limit_of(&listed, "pytorch"));
}

/* A board that this driver drives is proof. */
static void test_a_board_that_is_driven(void **state)
{
    (void)state;
    AUTO_ASKING struct asking driven = asking_of("580.95.05", "GB10 (DGX Spark)");
    driven.gpus[0].is_driven = true;
    ask_for(&driven, "cuda", NULL);
    assert_null(limit_of(&driven, "cuda"));
    AUTO_ASKING struct asking assumed = asking_of("580.95.05", "GB10 (DGX Spark)");
    assumed.gpus[0].is_driven = assumed.machine.driver_assumed = true;
    ask_for(&assumed, "cuda", NULL);
    assert_non_null(limit_of(&assumed, "cuda"));
    AUTO_ASKING struct asking other = asking_of("580.119.02", "GB10 (DGX Spark)");
    other.gpus[0].is_driven = true;
    ask_for(&other, "driver@580.95.05", NULL);
    assert_non_null(limit_of(&other, "driver"));
}

/* One id of a board with several is listed later than another. */
static void test_ids(void **state)
{
    (void)state;
    AUTO_ASKING struct asking by_id = asking_of("580.95.05", "12.1");
    by_id.gpus[0].device_id = "2e12";
    ask_for(&by_id, "cuda", NULL);
    assert_says(limit_of(&by_id, "cuda"), "board: 10de:2e12; the first");
    /* 2882 is listed from 535.86.05 on, 2808 from 550.67 on: by its name it can be either */
    assert_limit("535.54.03", "GeForce RTX 4060", "cuda", "cuda", "535.86.05");
    assert_limit("535.98", "GeForce RTX 4060", "cuda", "cuda", NULL);
    AUTO_ASKING struct asking later = asking_of("535.98", "GeForce RTX 4060");
    later.gpus[0].device_id = "2808";
    ask_for(&later, "cuda", NULL);
    assert_says(limit_of(&later, "cuda"), "GeForce RTX 4060 (10de:2808); the first driver that "
                                          "does is 550.67;");
    AUTO_ASKING struct asking two = ask("570.86.15", "GeForce RTX 5060;GeForce RTX 5060", "cuda");
    assert_non_null(limit_of(&two, "cuda"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_product_says_it),
        cmocka_unit_test(test_which_driver_is_first),
        cmocka_unit_test(test_it_is_no_proof),
        cmocka_unit_test(test_a_board_that_is_driven),
        cmocka_unit_test(test_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
