/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "probe/repository/deb_relation.h"

/* As `dpkg --compare-versions` orders them (dpkg 1.21.22): each is lower than the next. */
static void orders_as_dpkg_does(void **state)
{
    (void)state;
    static const char *const versions[] = {
        "1.0~rc1-1",
        "1.0-1",
        "1.0-1ubuntu1",
        "1.0-2",
        "1.0a-1",
        "1.0+git1-1",
        "1.0.1-1",
        "1.9-1",
        "1.10-1",
        "440.33.01-0ubuntu1",
        "440.100-0ubuntu0.18.04.1",
        "1:0.5-1",
    };
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        for (size_t k = 0; k < sizeof(versions) / sizeof(versions[0]); k++) {
            int order = deb_version_compare(versions[i], versions[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    assert_int_equal(deb_version_compare("0:1.0", "1.0-0"), 0);
}

static bool takes(const char *text, const char *version)
{
    AUTO_DEB_RELATION struct deb_relation relation = deb_relation_parse(text);
    assert_string_equal(relation.name, "a");
    return deb_relation_takes(&relation, version);
}

static void reads_relations(void **state)
{
    (void)state;
    assert_true(takes("a", "1"));
    assert_true(takes(" a:any (>= 1.2)", "1.2"));
    assert_false(takes("a (>= 1.2)", "1.1"));
    assert_true(takes("a (= 1.2-1) [amd64]", "1.2-1"));
    assert_false(takes("a(= 1.2-1)", "1.2-2"));
    assert_false(takes("a (<< 2)", "2"));
    assert_true(takes("a (<= 2)", "2"));
    assert_false(takes("a (>> 2)", "2"));
    assert_true(takes("a (", "2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders_as_dpkg_does),
                                       cmocka_unit_test(reads_relations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
