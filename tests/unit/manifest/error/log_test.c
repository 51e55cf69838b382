/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#include "manifest/error/log.h"
#include "manifest/manifest.h"

static const struct manifest_log *row_of(struct manifest *manifest, const char *by, bool trouble,
                                         const char *line)
{
    const struct manifest_log *row = manifest_log_of(manifest, by, trouble, line);
    assert_non_null(row);
    return row;
}

static void test_rows(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    static const char assertion[] = "NVRM: nvAssertFailedNoLog: Assertion failed: 0 @ osapi.c:1688";
    static const char reset[] = "NVRM: nvAssertOkFailedNoLog: Assertion failed: Reset required "
                                "[NV_ERR_RESET_REQUIRED] (0x00000062) returned from status";
    assert_string_equal(row_of(manifest, "driver", true, assertion)->id, "log/internal-assert");
    assert_string_equal(row_of(manifest, "driver", true, reset)->id, "log/reset-required");
    assert_true(manifest_log_is(
        row_of(manifest, "driver", false, "NVRM: loading NVIDIA UNIX x86_64"), "harmless"));
    assert_string_equal(row_of(manifest, "driver", true, "NVRM: x")->severity, "warn");
    assert_string_equal(row_of(manifest, "driver", false, "NVRM: x")->severity, "info");
    assert_string_equal(row_of(manifest, "service", true, "x")->id, "log/other-service-failure");
    /* A row of the driver is not for a line of the kernel. */
    assert_true(manifest_log_is(row_of(manifest, "kernel", true, assertion), "other"));
    manifest_free(manifest);
}

#define FAULT "log.rows[name=secure-boot-wait]"
#define OTHER "log.rows[name=other-driver-line]"
static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {FAULT ".name", "\"Secure\"", NULL, "secure"},
        {FAULT ".name", "\"a\"", NULL, "a row that sorts after"},
        {FAULT ".kind", "\"bad\"", NULL, "harmless"},
        {FAULT ".parts", "[\"NVRM:\"]", NULL, "at least 8 characters"},
        {FAULT ".parts", NULL, FAULT ".parts", "at least 8 characters"},
        {FAULT ".severity", NULL, FAULT ".severity",
         "a severity if kind is \"fault\" or \"other\", otherwise none"},
        {FAULT ".severity", "\"fail\"", NULL, "warn"},
        {FAULT ".remaining", NULL, FAULT ".remaining", "remaining and command"},
        {FAULT ".of", "[\"xid\"]", FAULT ".of", "events if kind is \"detail\""},
        {OTHER ".parts", "[\"NVRM: abc\"]", OTHER ".parts", "no parts"},
        {OTHER ".by", NULL, OTHER ".by", "who writes"},
        {"log.rows[name=nvrm-loading].findings", "[\"xid\"]",
         "log.rows[name=nvrm-loading].findings", "findings only if kind is \"fault\""},
        {FAULT ".source", NULL, NULL, "list"},
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
