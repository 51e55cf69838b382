/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"

#include "base/text.h"
#include "manifest/framework/framework.h"
#include "manifest/manifest.h"

/* What is answered from the subject framework. */

static void test_find(void **state)
{
    static const struct {
        const char *name, *framework;
    } cases[] = {
        {"pytorch", "pytorch"},
        {"PyTorch", "pytorch"},
        {"torch", "pytorch"},
        {"tf", "tensorflow"},
        {"tensorflow-gpu", "tensorflow"},
        {"TensorFlow_GPU", "tensorflow"},
        {"tensorflow.serving", "tensorflow-serving"},
        {"jaxlib", "jax"},
        {"onnxruntime-gpu", "onnxruntime"},
        {"ONNX Runtime", "onnxruntime"},
        {"Triton Inference Server", "triton-server"},
        {"triton-lang", "triton-language"},
        {"paddle", "paddlepaddle"},
        {"cupy_cuda12x", "cupy"},
        {"tf-lite", "tflite"},
        {"TRT", "tensorrt"},
        {"cudf", "rapids"},
        {"Caffe2", "caffe2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_framework *framework = manifest_framework_find(*state, cases[i].name);
        if (framework == NULL)
            print_error("%s\n", cases[i].name);
        assert_non_null(framework);
        assert_string_equal(framework->framework, cases[i].framework);
    }
    static const char *const unknown[] = {"",       "-",      "torc",  "pytorch2",
                                          "theano", "tensor", "Triton"};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        assert_null(manifest_framework_find(*state, unknown[i]));
}

/* A name that several share is nobody's: who gives it is asked. */
static void test_shared_names(void **state)
{
    const struct manifest_framework *first = manifest_framework_sharing(*state, "Triton", NULL);
    assert_string_equal(first->framework, "triton-language");
    const struct manifest_framework *second = manifest_framework_sharing(*state, "triton", first);
    assert_string_equal(second->framework, "triton-server");
    assert_null(manifest_framework_sharing(*state, "triton", second));
    assert_null(manifest_framework_sharing(*state, "pytorch", NULL));
    assert_null(manifest_framework_sharing(*state, "triton-server", NULL));
}

/* "Not native" where that is the answer. */
static void test_native(void **state)
{
    static const struct {
        const char *framework, *native, *status;
    } cases[] = {
        {"pytorch", "yes", "active"}, {"mxnet", "yes", "ended"},    {"cntk", "yes", "ended"},
        {"caffe", "yes", "ended"},    {"keras", "rider", "active"}, {"sonnet", "rider", NULL},
        {"caffe2", "rider", "ended"}, {"ngraph", "no", "ended"},    {"tflite", "no", "active"},
        {"openvino", "no", "active"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_framework *framework =
            manifest_framework_find(*state, cases[i].framework);
        assert_non_null(framework);
        assert_string_equal(framework->native, cases[i].native);
        assert_true(string_equal(framework->status, cases[i].status));
        size_t count;
        manifest_builds_of(*state, framework->framework, &count);
        assert_int_equal(count > 0, string_equal(framework->native, "yes"));
        if (count == 0)
            assert_non_null(framework->notes);
    }
    const struct manifest_framework *caffe2 = manifest_framework_find(*state, "caffe2");
    assert_true(strlist_has(&caffe2->backends, "pytorch"));
    assert_string_equal(caffe2->confidence, "low");
}

static void test_builds_of(void **state)
{
    size_t count = 7;
    assert_null(manifest_builds_of(*state, "torch", &count)); /* another name */
    assert_int_equal(count, 0);
    const struct manifest_build *builds = manifest_builds_of(*state, "vllm", &count);
    assert_true(count > 60);
    assert_string_equal(builds[0].release, "0.2.x");
    struct version newest;
    assert_true(version_parse(builds[count - 1].release, &newest));
    assert_true(newest.part[1] >= 33);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(builds[i].framework, "vllm");
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

static const struct {
    const char *id, *cuda, *command;
} known_commands[] = {
    {"framework/pytorch-2.11.0+cu126", NULL,
     "pip install torch==2.11.0 --index-url https://download.pytorch.org/whl/cu126"},
    {"framework/jax-0.11.0+cuda13", NULL, "pip install \"jax[cuda13]==0.11.0\""},
    {"framework/tensorflow-2.17.0", NULL, "pip install \"tensorflow[and-cuda]==2.17.0\""},
    {"framework/tensorflow-2.10.0", NULL, "pip install \"tensorflow==2.10.0\" \"numpy<2\""},
    {"framework/tensorflow-1.15.0", NULL,
     "pip install \"tensorflow-gpu==1.15.0\" \"protobuf<3.21\""},
    {"framework/onnxruntime-1.30+cuda13.0", NULL, "pip install \"onnxruntime-gpu==1.30.*\""},
    {"framework/paddlepaddle-3.0.0b2+cu118", NULL,
     "pip install paddlepaddle-gpu==3.0.0b2 --index-url "
     "https://www.paddlepaddle.org.cn/packages/stable/cu118/"},
    {"framework/paddlepaddle-2.6.2+cu118", NULL, "pip install paddlepaddle-gpu==2.6.2 \"numpy<2\""},
    {"framework/cupy-14.2.0+cuda12x", NULL, "pip install \"cupy-cuda12x[ctk]==14.2.0\""},
    {"framework/cupy-13.6.0", "12.2", "pip install \"cupy-cuda12x==13.6.0\""},
    {"framework/cupy-13.6.0", "13.0.1", "pip install \"cupy-cuda13x==13.6.0\""},
    {"framework/cupy-11.0.0", "11.1", "pip install \"cupy-cuda111==11.0.0\""},
    {"framework/cupy-11.0.0", "11.2", "pip install \"cupy-cuda11x==11.0.0\""},
    {"framework/mxnet-1.9.1+cu112", NULL, "pip install mxnet-cu112==1.9.1 \"numpy<1.24\""},
    {"framework/vllm-0.24.0", NULL, "pip install vllm==0.24.0"},
    {"framework/tensorflow-2.19.1+conda-cuda128", NULL,
     "conda install -c conda-forge \"tensorflow=2.19.1=cuda128*\""},
    {"framework/pytorch-2.15.0+cu132", NULL, "pip install torch==2.15.0"},
    {"framework/tensorflow-2.15.0.post1", NULL,
     "pip install \"tensorflow[and-cuda]==2.15.0.post1\""},
    {"framework/jax-0.4.20+cuda12", NULL, /* never on PyPI */
     "pip install \"jax[cuda12_pip]==0.4.20\" -f "
     "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html \"numpy<2\" "
     "\"nvidia-cudnn-cu12<9\""},
    {"framework/flash-attn-2.8.3", NULL, "pip install flash-attn==2.8.3 --no-build-isolation"},
    {"framework/llama-cpp-0.3.36", NULL,
     "pip install llama-cpp-python==0.3.36 -C cmake.args=-DGGML_CUDA=on"},
    /* Not known, or there is none. */
    {"framework/tensorrt-llm-1.2.1", NULL, NULL}, /* its source archive fetches wheels elsewhere */
    {"framework/cupy-13.6.0", NULL, NULL},        /* for which CUDA? */
    {"framework/cupy-13.6.0", "10.2", NULL},      /* not for that one */
    {"framework/cupy-13.6.0", "12", NULL},        /* one number says too little */
    {"framework/jax-0.9.2+conda-cuda13", NULL, NULL}, /* a recipe of conda's */
    {"framework/pytorch-2.13.0+conda-cuda129", NULL,
     "conda install -c conda-forge \"pytorch=2.13.0=cuda129*\""},
    {"framework/mxnet-1.8.0+cu75", NULL, NULL},          /* a recipe alone */
    {"framework/onnxruntime-1.30+cuda12.8", NULL, NULL}, /* in a feed that is not known */
    {"framework/paddlepaddle-2.6.2+cu117", NULL, NULL},  /* likewise */
    {"framework/paddlepaddle-1.8.5+cu102", NULL, NULL},  /* its suffix is not known */
    {"framework/jax-0.4.32+cuda12", NULL, NULL},         /* withdrawn */
    {"framework/vllm-0.2.x", NULL, NULL},                /* no one release */
    {"framework/tensorflow-2.10.0+windows", NULL, NULL},
    {"framework/tensorrt-11.1.0.106+cuda13.3", NULL, NULL},
    {"framework/dali+cuda120", NULL, NULL},
};

static void test_command(void **state)
{
    for (size_t i = 0; i < sizeof(known_commands) / sizeof(*known_commands); i++) {
        struct version cuda = {.count = 0};
        if (known_commands[i].cuda != NULL)
            assert_true(version_parse(known_commands[i].cuda, &cuda));
        AUTO_FREE char *command =
            manifest_build_command(*state, build_find(*state, known_commands[i].id),
                                   known_commands[i].cuda != NULL ? &cuda : NULL);
        if (!string_equal(command, known_commands[i].command))
            print_error("%s: %s\n", known_commands[i].id, command != NULL ? command : "none");
        assert_true(string_equal(command, known_commands[i].command));
    }
}

/* No command of any build has a word left that stands for something. */
static void test_every_command_is_whole(void **state)
{
    size_t count;
    size_t commands = 0;
    const struct manifest_build *builds = manifest_builds(*state, &count);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *command = manifest_build_command(*state, &builds[i], NULL);
        if (command == NULL)
            continue;
        commands++;
        assert_true(string_starts(command, "pip install ") ||
                    string_starts(command, "conda install -c "));
        assert_null(strstr(command, "VERSION"));
        assert_null(strstr(command, "INDEX"));
        assert_null(strstr(command, "PACKAGE"));
    }
    assert_between(commands, 300, count);
}

/* pins: METADATA of the wheels on the index; jax_nvidia_pins.csv for what JAX checks at import. */
static void test_pins(void **state)
{
    static const struct {
        const char *id, *at, *spec;
    } cases[] = {
        {"framework/tensorflow-2.14.0-2.14.1:nvidia-cudnn-cu11", "install", "==8.7.0.84"},
        {"framework/tensorflow-2.14.0-2.14.1:tensorrt", "install", "==8.5.3.1"},
        {"framework/tensorflow-2.18.0-2.18.1:nvidia-nccl-cu12", "install", "==2.21.5"},
        {"framework/tensorflow-2.19.0-2.19.1:nvidia-nccl-cu12", "install", "==2.23.4"},
        {"framework/tensorflow-2.20.0:nvidia-nccl-cu12", "install", ">=2.25.1,<3.0"},
        {"framework/jax-0.11.0+cuda12:cuda-runtime", "import", ">=12010"},
        {"framework/jax-0.11.0:cudnn", "import", ">=build"},
    };
    size_t count;
    const struct manifest_framework_pin *pins =
        rows_of(*state, &manifest_framework_subject, "pins", &count);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t row = 0;
        while (row < count && !string_equal(pins[row].id, cases[i].id))
            row++;
        assert_between(row, 0, count - 1);
        assert_string_equal(pins[row].at, cases[i].at);
        assert_string_equal(pins[row].spec, cases[i].spec);
    }
}

static void test_riders_indexes_capabilities(void **state)
{
    size_t count;
    const struct version two = {.part = {2, 16, 1}, .count = 3};
    const struct manifest_rider *riders = manifest_riders(*state, &count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (string_equal(riders[i].id, "framework/keras-3.16.0:tensorflow"))
            found += version_compare(&riders[i].version, &two) == 0 ? 1 : 0;
    assert_int_equal(found, 1); /* riders.csv, row 1 */

    /* uv_torch_backend.csv: the floor is that of the CUDA major. */
    const struct manifest_torch_index *indexes =
        rows_of(*state, &manifest_framework_subject, "indexes", &count);
    assert_string_equal(indexes[0].index, "cu132");
    assert_int_equal(indexes[0].driver_min.part[0], 580);
    assert_string_equal(indexes[4].index, "cu126");
    assert_int_equal(indexes[4].driver_min.part[0], 525);
    assert_string_equal(indexes[26].index, "cu80");

    const struct manifest_framework_capability *capabilities =
        manifest_framework_capabilities(*state, &count);
    assert_string_equal(capabilities[5].id, "framework/paddlepaddle:8.6");
    assert_true(strlist_has(&capabilities[5].cudas, "11.2+"));
}

static void test_silent_wheels(void **state)
{
    static const struct {
        const char *framework, *release, *cuda;
    } cases[] = {
        {"ctranslate2", "4.8.5", "12"},  {"ctranslate2", "4", "12"},
        {"ctranslate2", "3.24.0", "11"}, {"ctranslate2", "2.0.0", "11"},
        {"ctranslate2", "1.20", NULL},   {"ctranslate2", "5.0", NULL},
        {"torch", "4.0", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version release;
        char text[VERSION_TEXT_SIZE];
        assert_true(version_parse(cases[i].release, &release));
        const struct manifest_framework_wheel *row =
            manifest_framework_wheel_find(*state, cases[i].framework, &release);
        assert_int_equal(row != NULL, cases[i].cuda != NULL);
        if (row)
            assert_string_equal(version_text(&row->cuda, 0, text), cases[i].cuda);
    }
}

static void test_glibc(void **state)
{
    static const struct {
        const char *framework, *architecture, *release, *glibc;
    } cases[] = {
        {"pytorch", "x86_64", "2.6.0", NULL},         {"pytorch", "x86_64", "2.7", "2.28"},
        {"pytorch", "x86_64", "2.15.0", "2.28"},      {"onnxruntime", "x86_64", "1.18", "2.28"},
        {"onnxruntime", "x86_64", "1.18.1", "2.27"},  {"caffe", "x86_64", "1.0", NULL},
        {"pytorch", "aarch64", "2.6.0", "2.28"},      {"jax", "x86_64", "0.7.1", "2.27"},
        {"jax", "aarch64", "0.7.1", "2.17"},          {"onnxruntime", "x86_64", "1.29.0", "2.28"},
        {"onnxruntime", "aarch64", "1.29.0", "2.34"}, {"onnxruntime", "aarch64", "1.28.0", NULL},
        {"tensorflow", "aarch64", "2.17.0", NULL},    {"pytorch", NULL, "2.15.0", NULL},
        {"pytorch", "ppc64le", "2.15.0", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct version release;
        char text[VERSION_TEXT_SIZE];
        assert_true(version_parse(cases[i].release, &release));
        const struct manifest_framework_glibc *row = manifest_framework_glibc_find(
            *state, cases[i].framework, cases[i].architecture, &release);
        assert_int_equal(row != NULL, cases[i].glibc != NULL);
        if (row)
            assert_string_equal(version_text(&row->glibc, 0, text), cases[i].glibc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_native, setup, teardown),
        cmocka_unit_test_setup_teardown(test_builds_of, setup, teardown),
        cmocka_unit_test_setup_teardown(test_command, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_command_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pins, setup, teardown),
        cmocka_unit_test_setup_teardown(test_glibc, setup, teardown),
        cmocka_unit_test_setup_teardown(test_silent_wheels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_riders_indexes_capabilities, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
