/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "explain/explanation.h"
#include "manifest/manifest.h"

static int open_manifest(void **state)
{
    *state = manifest_new();
    return 0;
}

static int close_manifest(void **state)
{
    manifest_free(*state);
    return 0;
}

static void explain(struct manifest *manifest, const char *text, struct explanation *explanation)
{
    struct explainer *explainer = explainer_new(manifest);
    explainer_feed(explainer, text, strlen(text));
    explainer_end(explainer, explanation);
    explainer_free(explainer);
}

static const char *id_of(const struct explained *item)
{
    return item->error ? item->error->id : item->meant ? item->meant->id : item->log->id;
}

/* What the text tells first, and the cause that is named first. */
static void assert_first(struct manifest *manifest, const char *text, const char *id,
                         const char *cause)
{
    AUTO_EXPLANATION struct explanation explanation;
    explain(manifest, text, &explanation);
    if (explanation.count == 0)
        fail_msg("nothing is recognised in: %s", text);
    assert_string_equal(id_of(&explanation.items[0]), id);
    assert_string_equal(explanation.causes.count ? explanation.causes.items[0] : "", cause);
}

/* Every pattern of the manifest is well, finds its own sample, and is what explains it. */
static void test_samples(void **state)
{
    size_t count;
    const struct manifest_message *rows = manifest_messages(*state, &count);
    assert_true(count > 100);
    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *problem = explanation_check(*state, &rows[i]);
        bad += problem != NULL;
        if (problem)
            print_error("%s: %s\n", rows[i].id, problem);
    }
    assert_int_equal(bad, 0);
}

/* Of the causes that a sample leads to there are at most eight, and it is recognised. */
static void test_samples_are_explained(void **state)
{
    size_t count;
    const struct manifest_message *rows = manifest_messages(*state, &count);
    for (size_t i = 0; i < count; i += 7) {
        AUTO_EXPLANATION struct explanation explanation;
        explain(*state, rows[i].sample, &explanation);
        if (explanation.count == 0 || explanation.causes.count > MESSAGE_CAUSES)
            fail_msg("%s is not explained by its sample", rows[i].id);
    }
}

/* A second text is explained as if it were the first: nothing of the one before counts. */
static void test_second_text(void **state)
{
    static const char before[] = "this is WSL2: Linux version 5.15.90.1-microsoft-standard-WSL2\n"
                                 "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n"
                                 "a line without an end";
    static const char text[] = "one\nCUDA driver version is insufficient for CUDA runtime version";
    AUTO_EXPLANATION struct explanation first;
    AUTO_EXPLANATION struct explanation second;
    AUTO_EXPLANATION struct explanation alone;
    struct explainer *explainer = explainer_new(*state);
    explainer_feed(explainer, before, strlen(before));
    explainer_end(explainer, &first);
    explainer_feed(explainer, text, strlen(text));
    explainer_end(explainer, &second);
    explainer_free(explainer);
    explain(*state, text, &alone);
    assert_true(first.count > 0);
    assert_int_equal(second.count, alone.count);
    assert_int_equal(second.lines, alone.lines);
    assert_int_equal(second.items[0].first, 2);
    assert_int_equal(second.clues.count, alone.clues.count);
    assert_string_equal(id_of(&second.items[0]), id_of(&alone.items[0]));
    AUTO_FREE char *causes = strlist_join(&second.causes, " ");
    AUTO_FREE char *expected = strlist_join(&alone.causes, " ");
    assert_string_equal(causes, expected);
}

static void test_consequences(void **state)
{
    static const char log[] =
        "NVRM: Xid (PCI:0000:01:00): 45, pid=1, name=a, Ch 00000001\n"
        "NVRM: Xid (PCI:0000:01:00): 45, pid=1, name=a, Ch 00000002\n"
        "NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
        "NVRM: Xid (PCI:0000:01:00): 45, pid=1, name=a, Ch 00000003\n";
    AUTO_EXPLANATION struct explanation explanation;
    explain(*state, log, &explanation);
    assert_int_equal(explanation.count, 2);
    assert_int_equal(explanation.lines, 4);
    assert_string_equal(id_of(&explanation.items[0]), "error/xid-79");
    assert_int_equal(explanation.items[0].count, 1);
    assert_string_equal(id_of(&explanation.items[1]), "error/xid-45");
    assert_int_equal(explanation.items[1].rank, RANK_CONSEQUENCE);
    assert_int_equal(explanation.items[1].count, 3);
    assert_int_equal(explanation.items[1].first, 1);
    assert_int_equal(explanation.items[1].last, 4);
    assert_string_equal(explanation.causes.items[0], "gpu_fell_off_bus");
    assert_first(*state, "Xid (PCI:0000:dc:00): 45, Ch 00000001 caused by previous Xid 149",
                 "error/xid-149", "nvlink_inactive");
    /* Alone it is what there is. */
    assert_first(*state, "Xid (PCI:0000:01:00): 45, pid=1", "error/xid-45", "");
}

/* The lines of explain.md that led to a wrong answer. */
static void test_wrong_before(void **state)
{
    struct manifest *manifest = *state;
    assert_first(manifest, "01:00.0 VGA compatible controller: NVIDIA", "message/lspci-nvidia", "");
    assert_first(manifest, "transport/nvls.cc:244 NCCL WARN Cuda failure 1 'invalid argument'",
                 "message/nccl-nvls", "fabric_not_completed");
    assert_first(manifest, "Failed to initialize NVML: GPU access blocked by the operating system",
                 "error/nvml-17", "wsl_gpu_access_blocked");
    assert_first(manifest,
                 "Failed to initialize NVML: Unknown Error\n"
                 "open(\"/dev/nvidiactl\", O_RDWR) = -1 EPERM (Operation not permitted)",
                 "error/nvml-999", "cgroup_lost_after_daemon_reload");
    assert_first(manifest, "libGL.so.1: cannot open shared object file", "message/foreign-libgl",
                 "");
    assert_first(manifest, "libcudnn.so.9: cannot open shared object file", "message/open-cudnn",
                 "cudnn_missing");
    assert_first(manifest, "Failed to initialize NVML: Driver/library version mismatch",
                 "error/nvml-18", "driver_library_mismatch");
}

/* What else stands in the text decides between the causes. */
static void test_clues(void **state)
{
    struct manifest *manifest = *state;
    AUTO_EXPLANATION struct explanation explanation;
    explain(manifest, "libcurand.so.10: cannot open shared object file", &explanation);
    assert_string_equal(explanation.causes.items[0], "cuda_libs_missing");
    explanation_free(&explanation);
    explain(manifest, "Jetson Nano, L4T 32.5\nlibcurand.so.10: cannot open shared object file",
            &explanation);
    assert_string_equal(explanation.causes.items[0], "jetson_libs_missing");
    assert_string_equal(explanation.clues.items[0], "the text is from a Jetson");
    explanation_free(&explanation);
    explain(manifest,
            "Linux 5.15.90.1-microsoft-standard-WSL2\nNVIDIA-SMI has failed because it couldn't "
            "communicate with the NVIDIA driver.",
            &explanation);
    assert_false(strlist_has(&explanation.causes, "module_not_loaded"));
}

/* Whose library it is decides, in the words of any program; a library that is nobody's here is
 * called so. */
static void test_libraries(void **state)
{
    static const struct {
        const char *text, *id, *cause;
    } rows[] = {
        {"libcublas.so.12: cannot open shared object file", "open-cublas", "cuda_libs_missing"},
        {"RuntimeError: Library libcublas.so.12 is not found or cannot be loaded", "open-cublas",
         "cuda_libs_missing"},
        {"\tlibcudart.so.12 => not found", "open-cudart", "cuda_libs_missing"},
        {"libcudart.so.12: Kann die Shared-Object-Datei nicht \xc3\xb6"
         "ffnen",
         "open-cudart", "cuda_libs_missing"},
        {"Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9}", "open-cudnn",
         "cudnn_missing"},
        {"Could not load library libcudnn_cnn_infer.so.8. Error:", "open-cudnn", "cudnn_missing"},
        {"ImportError: libtorch_cuda.so: cannot open shared object file", "open-torch-library",
         "framework_parts_mismatch"},
        {"libamdhip64.so.6: cannot open shared object file", "open-foreign-library", ""},
        {"libwhatever.so.6: cannot open shared object file", "foreign-library", ""},
        {"libcudart.so.12 (libc6,x86-64) => /lib/libcudart.so.12", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_EXPLANATION struct explanation explanation;
        explain(*state, rows[i].text, &explanation);
        assert_int_equal(explanation.count > 0, rows[i].id != NULL);
        if (rows[i].id == NULL)
            continue;
        AUTO_FREE char *id = mem_printf("message/%s", rows[i].id);
        assert_first(*state, rows[i].text, id, rows[i].cause);
    }
}

/* Numbers and names of errors in the forms of many programs. */
static void test_forms(void **state)
{
    static const char *const forms[][2] = {
        {"error=\"nvcuda init failure: 500\"", "error/cuda-500"},
        {"cuInit err: 500", "error/cuda-500"},
        {"cudaMalloc failed with error code 2", "error/cuda-2"},
        {"cudaSetDevice(0) failed: invalid device ordinal", "error/cuda-101"},
        {"CUDA error (/src/a.h:89): no kernel image is available for execution on the device",
         "error/cuda-209"},
        {"nvml init failed: ERROR_DRIVER_NOT_LOADED", "error/nvml-9"},
        {"nvmlInit_v2() failed: Driver Not Loaded", "error/nvml-9"},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        AUTO_EXPLANATION struct explanation explanation;
        explain(*state, forms[i][0], &explanation);
        assert_true(explanation.count > 0);
        assert_string_equal(id_of(&explanation.items[0]), forms[i][1]);
    }
    /* One word behind the other: both are messages. */
    AUTO_EXPLANATION struct explanation explanation;
    explain(*state,
            "nvidia-container-cli.real: initialization error: driver error: failed to process "
            "request: unknown",
            &explanation);
    assert_int_equal(explanation.count, 2);
    assert_string_equal(id_of(&explanation.items[0]), "message/cli-driver-error");
}

/* A text has the order of the table likely, and a program's own mistake names no cause. */
static void test_likely(void **state)
{
    static const char *const first[][3] = {
        {"CUDA_ERROR_UNKNOWN", "error/cuda-999", "uvm_stale_after_suspend"},
        {"cudaErrorUnknown", "error/cuda-999", "uvm_stale_after_suspend"},
        {"Error 802: system not yet initialized", "error/cuda-802", "fabric_manager_not_running"},
        {"nvml error: driver/library version mismatch", "error/nvml-18", "driver_library_mismatch"},
        {"CUDA error: an illegal memory access was encountered", "error/cuda-700", ""},
        {"NVRM: Xid (PCI:0000:01:00): 31, pid=7, name=python3", "error/xid-31", ""},
    };
    for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
        assert_first(*state, first[i][0], first[i][1], first[i][2]);
    /* No number is an error: success, and what make says. */
    static const char *const none[] = {"error == cudaSuccess (0 vs. 0)", "make: *** Error 1",
                                       "Remapped Rows: Uncorrectable Error 4"};
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
        AUTO_EXPLANATION struct explanation explanation;
        explain(*state, none[i], &explanation);
        for (size_t k = 0; k < explanation.count; k++)
            assert_true(explanation.items[k].error == NULL);
    }
}

/* Which GPU it is, and who started the container, leave causes out. */
static void test_clues_drop(void **state)
{
    static const char *const neighbours[][2] = {
        {"no kernel image is available for execution on the device\nNVIDIA GeForce RTX 5090",
         "gpu_newer_than_framework_build"},
        {"no kernel image is available for execution on the device\nTesla P40",
         "gpu_too_old_for_framework"},
    };
    for (size_t i = 0; i < 2; i++) {
        AUTO_EXPLANATION struct explanation explanation;
        explain(*state, neighbours[i][0], &explanation);
        assert_string_equal(explanation.causes.items[0], neighbours[i][1]);
        assert_false(strlist_has(&explanation.causes, neighbours[1 - i][1]));
    }
    AUTO_EXPLANATION struct explanation explanation;
    explain(*state,
            "docker run: nvidia-container-cli: initialization error: WSL environment detected but "
            "no adapters were found",
            &explanation);
    assert_false(strlist_has(&explanation.causes, "container_no_gpu_requested"));
}

/* A piece of a message is that message; a word or two are not. */
static void test_part(void **state)
{
    assert_first(*state, "you might not have a CUDA gpu", "message/torch-might-not-have-gpu",
                 "driver_too_old");
    AUTO_EXPLANATION struct explanation explanation;
    explain(*state, "have a CUDA gpu", &explanation);
    assert_int_equal(explanation.count, 1);
    explanation_free(&explanation);
    explain(*state, "a CUDA gpu", &explanation);
    assert_int_equal(explanation.count, 0);
}

static void test_nothing(void **state)
{
    AUTO_EXPLANATION struct explanation explanation;
    explain(*state, "the cat sat on the mat\n", &explanation);
    assert_int_equal(explanation.count, 0);
    assert_int_equal(explanation.causes.count, 0);
    assert_null(explanation.nearest);
    explanation_free(&explanation);
    explain(*state,
            "Failed to query the NVIDIA devices: ensure that these device files exist, and "
            "that user 7 has read and write permissions",
            &explanation);
    assert_int_equal(explanation.count, 0);
    assert_non_null(explanation.nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),      cmocka_unit_test(test_samples_are_explained),
        cmocka_unit_test(test_consequences), cmocka_unit_test(test_wrong_before),
        cmocka_unit_test(test_clues),        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_part),         cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_forms),        cmocka_unit_test(test_likely),
        cmocka_unit_test(test_clues_drop),   cmocka_unit_test(test_second_text),
    };
    return cmocka_run_group_tests(tests, open_manifest, close_manifest);
}
