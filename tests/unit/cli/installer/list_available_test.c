/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "cli/installer/list_available.h"
#include "manifest/manifest.h"
#include "resolve/engine/resolution.h"

static enum availability of(const char *kind, const char *platform, bool superseded)
{
    struct manifest_pin pin = {.pin = kind, .sha256 = string_equal(kind, "none") ? NULL : "x"};
    if (platform)
        strlist_add(&pin.platforms, platform);
    if (superseded)
        version_parse("1.2", &pin.superseded);
    enum availability availability = availability_of(&pin, "linux-sbsa");
    strlist_free(&pin.platforms);
    return availability;
}

static void unknown_is_never_yes(void **state)
{
    (void)state;
    assert_int_equal(of("file", "linux-sbsa", false), AVAILABLE_YES);
    assert_int_equal(of("content", "linux-sbsa", false), AVAILABLE_YES);
    assert_int_equal(of("file", NULL, false), AVAILABLE_UNKNOWN);
    assert_int_equal(of("none", "linux-sbsa", false), AVAILABLE_UNPINNED);
    assert_int_equal(of("none", NULL, false), AVAILABLE_UNPINNED);
    assert_int_equal(of("file", "linux-sbsa", true), AVAILABLE_SUPERSEDED);
}

static void another_platform_goes_before_all(void **state)
{
    (void)state;
    assert_int_equal(of("file", "linux-x86_64", false), AVAILABLE_ELSEWHERE);
    assert_int_equal(of("none", "linux-x86_64", false), AVAILABLE_ELSEWHERE);
    assert_int_equal(of("file", "linux-x86_64", true), AVAILABLE_ELSEWHERE);
}

static void names_choose_products(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    AUTO_AVAILABLE struct available available = {.platform = NULL};
    AUTO_STRLIST struct strlist names = {0};
    const struct resolve_machine machine = {.gpus = NULL};
    strlist_add(&names, "cudnn");
    available_fill(manifest, &machine, "linux-x86_64", &names, &available);
    assert_int_equal(available.count, 1);
    assert_string_equal(available.products[0].product, "cudnn");
    assert_true(available.products[0].pin_count > 1);
    assert_non_null(available_choice(&available.products[0]));
    assert_non_null(available.machine);
    manifest_free(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_is_never_yes),
        cmocka_unit_test(another_platform_goes_before_all),
        cmocka_unit_test(names_choose_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
