/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/nearest.h"

static void distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"", "", 0},
        {"root", "root", 0},
        {"root", "ROOT", 0},
        {"", "abc", 3},
        {"rot", "root", 1},
        {"roots", "root", 1},
        {"rxot", "root", 1},
        {"orot", "root", 1},
        {"kitten", "sitting", 3},
        {"docter", "doctor", 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(nearest_distance(rows[i].a, rows[i].b), rows[i].distance);
        assert_int_equal(nearest_distance(rows[i].b, rows[i].a), rows[i].distance);
    }
}

static void long_words_are_far(void **state)
{
    (void)state;
    char word[4 * NEAREST_WORD_MAX];
    memset(word, 'a', sizeof(word));
    word[NEAREST_WORD_MAX - 1] = '\0';
    assert_int_equal(nearest_distance(word, word), 0);
    word[NEAREST_WORD_MAX - 1] = 'a';
    word[sizeof(word) - 1] = '\0';
    assert_int_equal(nearest_distance(word, word), NEAREST_WORD_MAX);
}

static void matches(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist names = {0};
    strlist_add(&names, "doctor");
    strlist_add(&names, "facts");
    strlist_add(&names, "driver_library_mismatch");
    assert_string_equal(nearest_match("docter", &names), "doctor");
    assert_string_equal(nearest_match("DOCTOR", &names), "doctor");
    assert_string_equal(nearest_match("fact", &names), "facts");
    assert_string_equal(nearest_match("driver_lib", &names), "driver_library_mismatch");
    assert_string_equal(nearest_match("driver-library-mismatch", &names),
                        "driver_library_mismatch");
    assert_null(nearest_match("zebra", &names));
    assert_null(nearest_match("", &names));
    assert_null(nearest_match("d", &names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(long_words_are_far),
        cmocka_unit_test(matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
