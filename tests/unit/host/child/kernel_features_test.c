/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sys/utsname.h>

#include "base/version.h"
#include "host/child/kernel_features.h"
#include "old_kernel.h"

/* What came to Linux after the release is not there, what it brought is. */
static bool is_as_released(void *data)
{
    struct version release, since;
    bool good = version_parse(data, &release);
    for (size_t i = 0; i < kernel_feature_count; i++)
        good = good && version_parse(kernel_features[i].since, &since) &&
               kernel_features[i].is_there() == (version_compare(&since, &release) <= 0);
    return good;
}

static void test_old_kernels(void **state)
{
    (void)state;
    struct utsname here;
    struct version running, landlock;
    assert_int_equal(uname(&here), 0);
    if (!version_parse_prefix(here.release, &running) || !version_parse("5.13", &landlock) ||
        version_compare(&running, &landlock) < 0)
        skip();
    for (size_t i = 0; i < sizeof(old_kernels) / sizeof(old_kernels[0]); i++) {
        int said =
            old_kernel_try(old_kernels[i].release, is_as_released, (void *)old_kernels[i].release);
        if (said < 0)
            skip();
        assert_int_equal(said, 1);
    }
}

static void test_words(void **state)
{
    (void)state;
    struct version before = {0}, since;
    for (size_t i = 0; i < kernel_feature_count; i++) {
        assert_true(version_parse(kernel_features[i].since, &since));
        assert_true(i == 0 || version_compare(&before, &since) <= 0); /* the oldest first */
        assert_true(kernel_features[i].without[0] != '\0');
        before = since;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_kernels),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
