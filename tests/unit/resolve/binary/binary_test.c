/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"

#include "resolve/binary/binary.h"
#include "resolve/engine/resolution.h"

#define CODES 12

/* A binary in a few words: "sm_80 sm_90a compute_90:8.7 lto_75 other", each with '*' behind it
 * where it is in data and '+' where it has to be linked; xN: so many entries. */
struct sample {
    struct binary_code codes[CODES];
    struct binary binary;
};

static void take_number(const char *text, struct binary_code *code)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text)
        return;
    code->capability =
        (struct version){.part = {(uint32_t)(number / 10), (uint32_t)(number % 10)}, .count = 2};
    if (*end == 'a' || *end == 'f')
        code->suffix = *end++;
    if (*end == ':')
        assert_true(version_parse_prefix(end + 1, &code->ptx));
}

static void take_code(const char *word, struct binary_code *code)
{
    static const char *const prefixes[] = {[BINARY_SASS] = "sm_",
                                           [BINARY_PTX] = "compute_",
                                           [BINARY_LTO] = "lto_",
                                           [BINARY_OTHER] = "other"};
    const char *times = strchr(word, 'x');
    *code = (struct binary_code){.entries = times ? strtoul(times + 1, NULL, 10) : 1,
                                 .in_data = strchr(word, '*') != NULL,
                                 .unlinked = strchr(word, '+') != NULL};
    for (int kind = BINARY_SASS; kind <= BINARY_OTHER; kind++)
        if (string_starts(word, prefixes[kind])) {
            code->kind = (enum binary_kind)kind;
            take_number(word + strlen(prefixes[kind]), code);
            return;
        }
    fail_msg("no such code: %s", word);
}

static void make_sample(const char *codes, const char *cuda, struct sample *sample)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split(&words, codes, ' ');
    assert_true(words.count <= CODES);
    for (size_t i = 0; i < words.count; i++)
        take_code(words.items[i], &sample->codes[i]);
    sample->binary =
        (struct binary){.codes = sample->codes, .count = words.count, .cuda = version_of(cuda)};
}

static struct binary_verdict judge(const char *driver, const char *gpu, const char *codes,
                                   const char *cuda, struct sample *sample)
{
    struct asking asking = asking_of(driver, gpu);
    asking.machine.gpus = asking.gpus;
    make_sample(codes, cuda, sample);
    return binary_judge(asking.manifest, &asking.machine, &asking.gpus[0], &sample->binary);
}

struct row {
    const char *driver, *gpu, *codes, *cuda;
    enum binary_outcome outcome;
    const char *reason, *code;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        struct sample sample;
        struct binary_verdict verdict =
            judge(row->driver, row->gpu, row->codes, row->cuda, &sample);
        AUTO_FREE char *why = verdict.why;
        AUTO_FREE char *code = verdict.code ? binary_code_name(verdict.code) : NULL;
        if (verdict.outcome != row->outcome || !string_equal(verdict.reason, row->reason) ||
            !string_equal(code, row->code))
            fail_msg("row %zu (%s on %s): %s, %s, %s: %s", i, row->codes, row->gpu,
                     binary_outcome_name(verdict.outcome), verdict.reason, code ? code : "-", why);
        assert_true(why && why[0]);
    }
}
#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

#define NO_IMAGE BINARY_NO_IMAGE, "no_kernel_image", NULL

static void test_machine_code(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"580.178.04", "8.6", "sm_86", "12.8", BINARY_RUNS, "machine_code", "sm_86"},
        {"580.178.04", "8.9", "sm_75 sm_80 sm_86", "12.8", BINARY_RUNS, "machine_code", "sm_86"},
        {"580.178.04", "8.0", "sm_86", "12.8", NO_IMAGE},
        {"580.178.04", "9.0", "sm_80 sm_89", "12.8", NO_IMAGE},
        {"580.178.04", "7.0", "sm_75 compute_75:8.7", "12.8", NO_IMAGE},
        {"580.178.04", "12.1", "sm_120", "13.0", BINARY_RUNS, "machine_code", "sm_120"},
        /* what is for one architecture alone */
        {"580.178.04", "9.0", "sm_90a", "12.8", BINARY_RUNS, "machine_code", "sm_90a"},
        {"580.178.04", "10.3", "sm_100a", "13.0", NO_IMAGE},
        {"580.178.04", "12.1", "sm_120a", "13.0", NO_IMAGE},
        /* what is for a family */
        {"580.178.04", "10.3", "sm_100f", "13.0", BINARY_RUNS, "machine_code", "sm_100f"},
        {"580.178.04", "10.0", "sm_103f", "13.0", NO_IMAGE},
        {"580.178.04", "12.1", "sm_120f", "13.0", BINARY_RUNS, "machine_code", "sm_120f"},
        {"580.178.04", "12.0", "sm_100f", "13.0", NO_IMAGE},
        {"580.178.04", "10.1", "sm_100f", "13.0", NO_IMAGE},
        {"580.178.04", "9.0", "sm_90f", "13.0", BINARY_RUNS, "machine_code", "sm_90f"},
        {"580.178.04", "9.0", "sm_80f", "13.0", NO_IMAGE},
        {"580.178.04", "8.6", "sm_80f", "13.0", BINARY_UNKNOWN, "code_unsure", NULL},
        /* which architecture is not said */
        {"580.178.04", "9.0", "sm_", "13.0", BINARY_UNKNOWN, "code_unsure", NULL},
    };
    CHECK(rows);
}

/* NVIDIA's guide: "Binary compatibility" is for desktop GPUs alone. */
static void test_integrated(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"580.178.04", "8.7", "sm_80 sm_86", "13.0", BINARY_UNKNOWN, "integrated_gpu", NULL},
        {"580.178.04", "8.9", "sm_87", "13.0", BINARY_UNKNOWN, "integrated_gpu", NULL},
        {"580.178.04", "8.0", "sm_87", "13.0", NO_IMAGE},
        {"580.178.04", "7.5", "sm_72", "12.0", BINARY_UNKNOWN, "integrated_gpu", NULL},
        {"580.178.04", "7.2", "sm_75", "12.0", NO_IMAGE},
        {"580.178.04", "11.0", "sm_101", "12.9", BINARY_UNKNOWN, "integrated_gpu", NULL},
        {"580.178.04", "11.0", "sm_110", "13.0", BINARY_RUNS, "machine_code", "sm_110"},
        /* the driver is that of its system: nobody knows by number whether it drives it */
        {"580.178.04", "8.7", "sm_87", "12.6", BINARY_UNKNOWN, "driver_unknown_for_gpu", "sm_87"},
    };
    CHECK(rows);
}

static void test_ptx(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"580.178.04", "12.0", "sm_80 compute_80:8.7", "12.8", BINARY_JIT, "ptx", "compute_80"},
        {"580.178.04", "12.0", "compute_75:8.7 compute_90:8.7", "12.8", BINARY_JIT, "ptx",
         "compute_90"},
        {"570.211.01", "9.0", "compute_80:8.7", "12.8", BINARY_JIT, "ptx", "compute_80"},
        /* one minor less: minor-version compatibility does not cover PTX */
        {"570.211.01", "9.0", "compute_80:8.8", "12.9", BINARY_DRIVER_TOO_OLD,
         "driver_too_old_for_ptx", "compute_80"},
        {"535.104.05", "9.0", "compute_80:8.5", "12.6", BINARY_DRIVER_TOO_OLD,
         "driver_too_old_for_ptx", "compute_80"},
        {"535.104.05", "9.0", "sm_90 compute_80:8.5", "12.6", BINARY_RUNS, "machine_code", "sm_90"},
        {"565.57.01", "9.0", "compute_80:8.6", "12.6", BINARY_JIT, "ptx", "compute_80"},
        {"560.35.03", "9.0", "compute_80:8.6", "12.6", BINARY_DRIVER_TOO_OLD,
         "driver_too_old_for_ptx", "compute_80"},
        {"580.178.04", "7.5", "compute_80:8.7", "12.8", NO_IMAGE},
        /* PTX of one architecture, of a family */
        {"580.178.04", "10.0", "compute_90a:8.0", "12.8", NO_IMAGE},
        {"580.178.04", "9.0", "compute_90a:8.0", "12.8", BINARY_JIT, "ptx", "compute_90a"},
        {"580.178.04", "10.3", "compute_100f:8.8", "13.0", BINARY_JIT, "ptx", "compute_100f"},
        {"580.178.04", "12.0", "compute_100f:8.8", "13.0", NO_IMAGE},
        {"580.178.04", "12.0", "compute_20:4.3", NULL, BINARY_JIT, "ptx", "compute_20"},
        /* versions that nobody knows */
        {"580.178.04", "9.0", "compute_80", "12.8", BINARY_UNKNOWN, "ptx_version_not_said",
         "compute_80"},
        {"580.178.04", "9.0", "compute_80:9.9", "12.8", BINARY_UNKNOWN, "ptx_version_unlisted",
         "compute_80"},
        /* between integrated GPUs and others PTX is what is left */
        {"580.178.04", "8.9", "sm_87 compute_87:8.7", "12.8", BINARY_JIT, "ptx", "compute_87"},
        {"570.211.01", "8.9", "sm_87 compute_87:8.8", "12.8", BINARY_UNKNOWN, "integrated_gpu",
         NULL},
    };
    CHECK(rows);
}

static void test_driver(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {NULL, "9.0", "sm_90", "12.8", BINARY_UNKNOWN, "no_driver", "sm_90"},
        {NULL, "9.0", "compute_80:8.7", "12.8", BINARY_UNKNOWN, "no_driver", "compute_80"},
        {NULL, "7.0", "sm_90", "12.8", NO_IMAGE},
        {"535.104.05", "9.0", "sm_90", "12.8", BINARY_RUNS, "machine_code", "sm_90"},
        {"535.104.05", "9.0", "sm_90", "13.0", BINARY_DRIVER_TOO_OLD, "driver_too_old", "sm_90"},
        {"470.256.02", "8.6", "sm_86", "12.0", BINARY_DRIVER_TOO_OLD, "driver_too_old", "sm_86"},
        {"470.256.02", "8.6", "sm_86", "11.8", BINARY_RUNS, "machine_code", "sm_86"},
        {"535.104.05", "12.0", "sm_120", "12.8", BINARY_DRIVER_TOO_OLD, "driver_precedes_gpu",
         "sm_120"},
        {"595.91.07", "7.0", "sm_70", "12.8", BINARY_DRIVER_DROPS, "driver_drops_gpu", "sm_70"},
        /* the least CUDA, where it is not said: of its PTX, of its GPUs */
        {"535.104.05", "8.0", "sm_80 compute_90:9.0", NULL, BINARY_DRIVER_TOO_OLD, "driver_too_old",
         "sm_80"},
        {"470.256.02", "8.0", "sm_80 sm_120", NULL, BINARY_DRIVER_TOO_OLD, "driver_too_old",
         "sm_80"},
        {"470.256.02", "8.0", "sm_80", NULL, BINARY_RUNS, "machine_code", "sm_80"},
        {"999.1", "9.0", "sm_90", "12.8", BINARY_UNKNOWN, "driver_unknown_for_gpu", "sm_90"},
    };
    CHECK(rows);
}

/* What only a part of the file is. */
static void test_aside(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"580.178.04", "7.0", "sm_75x100 sm_80x100 sm_70*x30", "13.0", BINARY_UNKNOWN, "code_aside",
         NULL},
        {"580.178.04", "8.0", "sm_75x100 sm_80x100 sm_70*x30", "13.0", BINARY_RUNS, "machine_code",
         "sm_80"},
        {"580.178.04", "9.0", "sm_75 sm_75*x300 sm_90*x300", "13.0", BINARY_RUNS, "machine_code",
         "sm_90"},
        {"580.178.04", "9.0", "sm_80 sm_90+x800", "13.0", BINARY_UNKNOWN, "code_aside", NULL},
        {"580.178.04", "9.0", "sm_90+x800", "13.0", BINARY_RUNS, "machine_code", "sm_90"},
        {"580.178.04", "9.0", "lto_80", "13.0", BINARY_UNKNOWN, "lto_ir", NULL},
        {"580.178.04", "7.5", "lto_80", "13.0", NO_IMAGE},
        {"580.178.04", "9.0", "sm_75 lto_80", "13.0", BINARY_UNKNOWN, "lto_ir", NULL},
        {"580.178.04", "9.0", "sm_75 other", "13.0", BINARY_UNKNOWN, "code_unknown", NULL},
        {"580.178.04", "9.0", "sm_90 other", "13.0", BINARY_RUNS, "machine_code", "sm_90"},
    };
    CHECK(rows);
}

static void test_gpu_unknown(void **state)
{
    (void)state;
    struct resolve_machine machine = {.driver = version_of("580.178.04")};
    const struct resolve_gpu gpu = {.name = "something new"};
    struct sample sample;
    make_sample("sm_90 compute_90:8.7", "13.0", &sample);
    struct binary_verdict verdict = binary_judge(built_in(), &machine, &gpu, &sample.binary);
    assert_int_equal(verdict.outcome, BINARY_UNKNOWN);
    assert_string_equal(verdict.reason, "gpu_unknown");
    free(verdict.why);
}

static void test_may_be_empty(void **state)
{
    (void)state;
    struct asking asking = asking_of("580.178.04", "9.0");
    struct sample sample;
    asking.machine.gpus = asking.gpus;
    make_sample("sm_75", "13.0", &sample);
    sample.binary.may_be_empty = true;
    struct binary_verdict verdict =
        binary_judge(asking.manifest, &asking.machine, &asking.gpus[0], &sample.binary);
    assert_int_equal(verdict.outcome, BINARY_UNKNOWN);
    assert_string_equal(verdict.reason, "perhaps_empty");
    free(verdict.why);
}

/* cuda-compat of the PTX's CUDA brings its compiler. */
static void test_compat(void **state)
{
    (void)state;
    struct asking asking = asking_of("535.104.05", "H100");
    struct sample sample;
    asking.machine.gpus = asking.gpus;
    asking.compat[0] = version_of("12.8");
    asking.machine.compat = asking.compat;
    asking.machine.compat_count = 1;
    make_sample("compute_80:8.7", "12.8", &sample);
    struct binary_verdict verdict =
        binary_judge(asking.manifest, &asking.machine, &asking.gpus[0], &sample.binary);
    assert_string_equal(verdict.reason, "cuda_compat");
    assert_int_equal(verdict.outcome, BINARY_JIT);
    free(verdict.why);
}

static void test_driver_min(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *codes, *cuda, *driver;
    } rows[] = {
        {"9.0", "sm_90", "12.8", "525.60.13"},
        {"12.0", "sm_120", "12.8", "570"},
        {"9.0", "compute_80:8.7", "12.8", "570.26"},
        {"9.0", "compute_80:8.6", "12.0", "565"},
        {"9.0", "sm_90", "11.8", "520"},
        {"8.0", "sm_80", "13.0", "580.65.06"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sample sample;
        char text[VERSION_TEXT_SIZE];
        struct binary_verdict verdict =
            judge(NULL, rows[i].gpu, rows[i].codes, rows[i].cuda, &sample);
        assert_string_equal(version_text(&verdict.driver_min, 0, text), rows[i].driver);
        free(verdict.why);
    }
}

static void test_needs(void **state)
{
    (void)state;
    static const struct {
        const char *codes, *cuda, *capability, *driver;
    } rows[] = {
        {"sm_75 sm_90 compute_120:9.0", "13.0", "7.5", "580.65.06"},
        {"sm_80 sm_120 compute_120:8.7", "12.8", "8.0", "525.60.13"},
        {"compute_52:7.8", "11.8", "5.2", "520.61.05"},
        {"compute_52", "11.8", "5.2", ""},
        {"lto_80", "12.8", "", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sample sample;
        char text[VERSION_TEXT_SIZE];
        make_sample(rows[i].codes, rows[i].cuda, &sample);
        struct binary_needs needs = binary_needs(built_in(), &sample.binary);
        assert_string_equal(version_text(&needs.capability, 0, text), rows[i].capability);
        assert_string_equal(version_text(&needs.driver, 0, text), rows[i].driver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_code), cmocka_unit_test(test_integrated),
        cmocka_unit_test(test_ptx),          cmocka_unit_test(test_driver),
        cmocka_unit_test(test_aside),        cmocka_unit_test(test_gpu_unknown),
        cmocka_unit_test(test_compat),       cmocka_unit_test(test_driver_min),
        cmocka_unit_test(test_needs),        cmocka_unit_test(test_may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
