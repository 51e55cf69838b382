/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"

#include "manifest/framework/framework_table.h"
#include "manifest/manifest.h"
#include "manifest/reader/range.h"

/* The facts on frameworks as they were carried over. A spot check names its row by the id, of which
 * the CSV file is the framework's: pytorch.csv for framework/pytorch-…, conda.csv for +conda-…. */

/* Rows that scripts/manifest-refresh wrote. */
static bool is_from_index(const char *source)
{
    return string_starts(source, "the Python index");
}

/* Rows of builds by framework that people entered; those that conda.csv has are counted apart. */
static void test_counts(void **state)
{
    static const struct {
        const char *framework;
        size_t builds;
        size_t conda;
    } lists[] = {
        {"caffe", 1, 0}, /* caffe.csv has 2: Caffe2 is a row of frameworks */
        {"caffe2", 0, 0},       {"cntk", 4, 0},
        {"cupy", 82, 0}, /* cupy.csv has 77: a row for each CUDA from 14 on */
        {"dali", 2, 0},         {"jax", 100, 2},
        {"mxnet", 56, 0},       {"ngc", 31, 0},
        {"onnxruntime", 54, 0}, {"paddlepaddle", 57, 0},
        {"pytorch", 155, 5},    {"rapids", 16, 0},
        {"tensorflow", 67, 1},  {"tensorflow-serving", 66, 0},
        {"tensorrt", 95, 0},    {"triton-server", 57, 0},
        {"tvm", 27, 0},         {"vllm", 8, 0},
    };
    size_t sum = 0;
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        size_t count;
        size_t conda = 0;
        size_t own = 0;
        const struct manifest_build *builds =
            manifest_builds_of(*state, lists[i].framework, &count);
        for (size_t row = 0; row < count; row++)
            own += is_from_index(builds[row].source) ? 0 : 1;
        for (size_t row = 0; row < count; row++)
            conda += string_equal(builds[row].kind, "conda") ? 1 : 0;
        if (own - conda != lists[i].builds || conda != lists[i].conda)
            print_error("%s: %zu and %zu\n", lists[i].framework, own - conda, conda);
        assert_int_equal(own - conda, lists[i].builds);
        assert_int_equal(conda, lists[i].conda);
        sum += own;
    }
    size_t count;
    assert_non_null(manifest_builds(*state, &count));
    assert_true(count > sum); /* the others are of the index */
    assert_int_equal(sum, 886);
}

/* What JAX checks at import in jax_nvidia_pins.csv, riders.csv, uv_torch_backend.csv,
 * paddlepaddle_sm.csv. Pins of an installation are those of the index. */
static void test_counts_of_the_other_tables(void **state)
{
    size_t count;
    size_t at_import = 0;
    size_t own = 0;
    const struct manifest_framework_pin *pins =
        rows_of(*state, &manifest_framework_subject, "pins", &count);
    for (size_t i = 0; i < count; i++)
        at_import += string_equal(pins[i].at, "import") ? 1 : 0;
    assert_int_equal(at_import, 6);
    const struct manifest_rider *riders = manifest_riders(*state, &count);
    for (size_t i = 0; i < count; i++)
        own += is_from_index(riders[i].source) ? 0 : 1;
    assert_int_equal(own, 8);
    rows_of(*state, &manifest_framework_subject, "indexes", &count);
    assert_int_equal(count, 27);
    manifest_framework_capabilities(*state, &count);
    assert_int_equal(count, 7);
    manifest_frameworks(*state, &count);
    assert_int_equal(count, 53);
}

static void append_version(struct text *text, const struct version *version)
{
    char buffer[VERSION_TEXT_SIZE];
    text_append(text, version->count > 0 ? version_text(version, 0, buffer) : "");
}

static void append_range(struct text *text, const struct manifest_range *range)
{
    if (range->from.count > 0)
        text_append(text, ">=");
    append_version(text, &range->from);
    if (range->from.count > 0 && range->below.count > 0)
        text_append(text, ",");
    if (range->below.count > 0)
        text_append(text, "<");
    append_version(text, &range->below);
}

/* The field of a row that the key is read into, as text; "" where it is not known. */
static char *field_text(const struct manifest_key *keys, const void *row, const char *name)
{
    struct text text = {0};
    const struct manifest_key *key = keys;
    while (key->name != NULL && !string_equal(key->name, name))
        key++;
    assert_non_null(key->name);
    const void *field = (const char *)row + key->offset;
    if (key->type == KEY_VERSION) {
        append_version(&text, field);
    } else if (key->type == KEY_RANGE) {
        append_range(&text, field);
    } else if (key->type == KEY_STRINGS) {
        AUTO_FREE char *joined = strlist_join(field, " ");
        text_append(&text, joined);
    } else {
        const char *string;
        memcpy(&string, field, sizeof(string));
        text_append(&text, string != NULL ? string : "");
    }
    return text_steal(&text);
}

static const struct manifest_build *build_find(struct manifest *manifest, const char *id)
{
    size_t count;
    const struct manifest_build *builds = manifest_builds(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(builds[i].id, id))
            return &builds[i];
    print_error("no such build: %s\n", id);
    fail();
    return NULL;
}

struct spot {
    const char *id; /* without "framework/" */
    const char *key;
    const char *value;
};

static void check_spots(struct manifest *manifest, const struct spot *spots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *id = mem_printf("framework/%s", spots[i].id);
        const struct manifest_build *build = build_find(manifest, id);
        AUTO_FREE char *value = field_text(framework_build_keys, build, spots[i].key);
        if (!string_equal(value, spots[i].value))
            print_error("%s: %s\n", id, spots[i].key);
        assert_string_equal(value, spots[i].value);
    }
}
#define SPOTS(state, spots) check_spots(*(state), (spots), sizeof(spots) / sizeof(*(spots)))

static void test_pytorch(void **state)
{
    static const struct spot spots[] = {
        {"pytorch-0.2.0+cu75", "cuda", "7.5"},
        {"pytorch-0.4.0+cu80", "cudnn", "7.1.2"},
        {"pytorch-1.0.1+cu80", "cudnn", ""}, /* not found */
        {"pytorch-1.8.2+cu111", "tier", "lts"},
        {"pytorch-1.12.1+cu113", "cudnn", "8.3.2.44"},
        /* Wheels and conda packages have code for different GPUs. */
        {"pytorch-2.0.1+cu118", "sass", "3.7 5.0 6.0 7.0 7.5 8.0 8.6 9.0"},
        {"pytorch-2.0.1+cu118", "conda_sass", "3.7 5.0 6.0 6.1 7.0 7.5 8.0 8.6 9.0"},
        {"pytorch-2.5.1+cu124", "conda_sass", "5.0 6.0 6.1 7.0 7.5 8.0 8.6 9.0 9.0a"},
        {"pytorch-2.5.1+cu124", "cudnn", "9.1.0.70"},
        {"pytorch-2.5.1+cu124", "date", "2024-10-29"},
        /* The release notes of 2.8 were wrong on Volta; 2.11 has it in cu126 alone. */
        {"pytorch-2.8.0+cu128", "sass", "7.0 7.5 8.0 8.6 9.0 10.0 12.0"},
        {"pytorch-2.11.0+cu126", "sass", "5.0 6.0 7.0 7.5 8.0 8.6 9.0"},
        {"pytorch-2.11.0+cu128", "sass", "7.5 8.0 8.6 9.0 10.0 12.0"},
        {"pytorch-2.11.0+cu130", "sass", "7.5 8.0 8.6 9.0 10.0 12.0"},
        {"pytorch-2.11.0+cu130", "ptx", "12.0"},
        {"pytorch-2.11.0+cu130", "sass_aarch64", "8.0 9.0 10.0 11.0 12.0"},
        {"pytorch-2.11.0+cu129", "tier", "extra"},
        {"pytorch-2.11.0+cu129", "sass", ""}, /* not known */
        {"pytorch-2.14.0+cu130", "ptx", ""},  /* in doubt: see notes */
        {"pytorch-2.14.0+cu130", "cudnn", "9.24.0.43"},
        {"pytorch-2.15.0+cu132", "cudnn", "9.26.0.51"},
        {"pytorch-2.15.0+cu132", "sass", "7.5 8.0 8.6 9.0 10.0 12.0"},
        {"pytorch-2.13.0+conda-cuda130-aarch64", "sass", ""},
        {"pytorch-2.13.0+conda-cuda130-aarch64", "sass_aarch64",
         "7.5 8.0 8.6 8.7 9.0 10.0 11.0 12.0"},
        {"pytorch-<=2.5.1+conda", "channel", "pytorch"},
    };
    SPOTS(state, spots);
    /* Where sources disagree, the row says so. */
    const struct manifest_build *build = build_find(*state, "framework/pytorch-2.13.0+cu132");
    assert_non_null(strstr(build->notes, "9.21.1.3"));
    build = build_find(*state, "framework/pytorch-2.14.0+cu130");
    assert_non_null(strstr(build->notes, "uncertain"));
    assert_string_equal(build->confidence, "high");
}

/* What a plain "pip install torch" gives: the default moved, and drivers with it. */
static void test_pytorch_defaults(void **state)
{
    static const struct {
        const char *release, *variant;
    } defaults[] = {
        {"1.2.0", "cu100"},  {"1.5.0", "cu102"},  {"2.0.0", "cu117"},  {"2.2.1", "cu121"},
        {"2.6.0", "cu124"},  {"2.7.0", "cu126"},  {"2.8.0", "cu128"},  {"2.9.1", "cu128"},
        {"2.10.0", "cu128"}, {"2.11.0", "cu130"}, {"2.13.0", "cu130"}, {"2.14.0", "cu130"},
        {"2.15.0", "cu132"},
    };
    size_t count;
    const struct manifest_build *builds = manifest_builds_of(*state, "pytorch", &count);
    for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
        size_t found = 0;
        for (size_t row = 0; row < count; row++) {
            if (!string_equal(builds[row].release, defaults[i].release) ||
                !string_equal(builds[row].is_default, "yes"))
                continue;
            assert_string_equal(builds[row].variant, defaults[i].variant);
            found++;
        }
        assert_int_equal(found, 1);
    }
    /* Of 2.5.1 it is not known. */
    assert_null(build_find(*state, "framework/pytorch-2.5.1+cu124")->is_default);
}

static void test_tensorflow(void **state)
{
    static const struct spot spots[] = {
        {"tensorflow-2.10.0", "cuda", "11.2"},
        {"tensorflow-2.10.0", "cudnn", "8.1"},
        {"tensorflow-2.10.0", "driver_min", "450.80.02"},
        {"tensorflow-2.10.0", "package", "tensorflow"},
        {"tensorflow-2.10.0", "carries", "system"},
        {"tensorflow-2.10.0", "capabilities", "3.5 5.0 6.0 7.0 7.5 8.0 >8.0"},
        {"tensorflow-2.10.0+windows", "compiler", "MSVC 2019"},
        {"tensorflow-1.1.0+macos", "cudnn", "5.1"},
        {"tensorflow-1.12.0", "cudnn", "7"},
        {"tensorflow-1.12.0+windows", "cudnn", "7.2"},
        {"tensorflow-2.0.0", "package", "tensorflow-gpu"},
        {"tensorflow-2.14.0", "package", "tensorflow[and-cuda]"},
        {"tensorflow-2.14.0", "carries", "cuda"},
        {"tensorflow-2.21.0", "build_tool", "Bazel 7.4.1"},
        /* sm_build, and what the build rules make of ptx_build. */
        {"tensorflow-2.21.0", "sass", "6.0 7.0 8.0 8.9 9.0"},
        {"tensorflow-2.21.0", "ptx", "9.0"},
        {"tensorflow-2.19.1+conda-cuda128", "sass", "6.0 7.0 7.5 8.0 8.6 8.9 9.0 10.0 12.0"},
        /* An image of TensorFlow Serving has a CUDA of its own. */
        {"tensorflow-serving-2.18.0", "cuda", "12.2"},
        {"tensorflow-serving-2.18.0", "cudnn", "8.9.4.25"},
        {"tensorflow-serving-2.20.0", "cuda", "12.5"},
    };
    SPOTS(state, spots);
    assert_non_null(
        strstr(build_find(*state, "framework/tensorflow-serving-2.18.0")->notes, "12.5"));
    assert_true(strlist_has(&build_find(*state, "framework/tensorflow-2.20.0")->ptx_fails, "12.0"));
}

static void test_jax(void **state)
{
    static const struct spot spots[] = {
        {"jax-0.11.0+cuda13", "driver_min", "580"},
        {"jax-0.11.0+cuda13", "capability_min", "7.5"},
        {"jax-0.11.0+cuda13", "cudnn_range", ">=9.12.0.46,<10.0"},
        {"jax-0.11.0+cuda13", "sass", "7.5 8.0 9.0 10.0 11.0 12.0"},
        {"jax-0.11.0+cuda12", "driver_min", "525"},
        {"jax-0.11.0+cuda12", "cuda", "12.9.1"},
        {"jax-0.11.0+cuda12", "cuda_range", ">=12.1,<13"},
        {"jax-0.7.2+cuda13", "driver_min", ""}, /* first in the documentation of 0.8.0 */
        {"jax-0.4.26+cuda12", "cudnn_range", ">=8.9,<9.0"},
        {"jax-0.4.3+cuda11", "cudnns", "8.2+ 8.6+"},
        {"jax-0.3.0+cuda", "cudnns", "8.0.5 8.2"},
        {"jax-0.1.38+cuda", "cudas", "9.2 10.0 10.1 10.2"},
        {"jax-0.1.71+cuda", "cudas", "10.2 11.1+"},
    };
    SPOTS(state, spots);
}

static void test_others(void **state)
{
    static const struct spot spots[] = {
        {"onnxruntime-1.7+cuda11.0-windows", "cudnn", "8.0.2.39"},
        {"onnxruntime-1.17+cuda12.2", "is_default", "no"},
        {"onnxruntime-1.26+cuda12.8", "is_default", "yes"},
        {"onnxruntime-1.27+cuda13.0", "is_default", "yes"},
        {"onnxruntime-1.27+cuda12.8", "is_default", "no"},
        {"onnxruntime-1.24.4+directml", "uses_cuda", "no"},
        {"onnxruntime-1.15+cuda11.8", "cuda_range", ">=11.6,<11.9"},
        {"tensorrt-10.1.0.27+cuda12.4", "capability_min", "7.0"},
        {"tensorrt-10.5.0.18+cuda12.6", "plugin_sass", "7.5 8.0 8.6 8.7"},
        {"tensorrt-11.1.0.106+cuda12.9", "rank", "also"},
        {"tensorrt-5.1.5.0+cuda9.0", "cudnn", "7.3"},
        {"cupy-14.2.0+cuda13x", "package", "cupy-cuda13x[ctk]"},
        {"cupy-9.0.0", "cudnns", "7.6 8.0 8.1"},
        {"paddlepaddle-2.6.2+cu117", "suffix", "post117"},
        {"paddlepaddle-2.6.2+cu118", "is_default", "yes"},
        {"paddlepaddle-3.0.0+cu126", "driver_min", "550.54.14"},
        {"paddlepaddle-3.0.0+cu118", "driver_min_windows", "452.39"},
        {"mxnet-1.9.1+cu112", "cuda", "11.2.67"},
        {"mxnet-1.8.0+cu75", "stage", "recipe"},
        {"triton-server-24.11+trtllm-python-py3", "driver_listed", "555.42.06"},
        {"triton-server-26.07+vllm-python-py3", "cuda", "13.3.0.035"},
        {"ngc-20.01", "driver_alternates", "396 384.111+ 410 418.xx 440.30"},
        {"ngc-19.02", "driver_min", "410"},
        {"rapids-25.12+cu12", "cuda_range", ">=12.2,<12.10"},
        {"vllm-0.24.0", "cuda", "13.0"},
        {"tvm-0.26.0", "image", "nvidia/cuda:12.8.1-cudnn-devel-ubuntu24.04"},
        {"dali+cuda120", "driver_min", "525"},
        {"cntk-2.7", "cuda", "10.0"},
        {"caffe-1.0", "cuda_range", ">=5.0"},
    };
    SPOTS(state, spots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts_of_the_other_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pytorch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pytorch_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tensorflow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_jax, setup, teardown),
        cmocka_unit_test_setup_teardown(test_others, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
