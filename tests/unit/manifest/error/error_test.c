/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#include "base/json.h"
#include "manifest/error/error.h"
#include "manifest/manifest.h"

/* The facts carried over: errors_cuda.csv, errors_nvml.csv and errors_xid.csv; and the enumerations
 * of cudnn_graph_v9.h, of cudnn_ops_infer_v8.h and of nccl.h. */

static int setup(void **state)
{
    *state = manifest_new();
    return 0;
}

static int teardown(void **state)
{
    manifest_free(*state);
    return 0;
}

static void test_every_row_is_carried_over(void **state)
{
    static const size_t rows[] = {[ERRORS_CUDA] = 142,
                                  [ERRORS_NVML] = 32,
                                  [ERRORS_XID] = 169,
                                  [ERRORS_CUDNN] = 49,
                                  [ERRORS_NCCL] = 9};
    for (enum manifest_error_list list = 0; list <= ERRORS_NCCL; list++) {
        size_t count;
        assert_non_null(manifest_errors(*state, list, &count));
        assert_int_equal(count, rows[list]);
    }
    assert_null(manifest_problem(*state));
}

/* Each is a row of the facts, by file and number. */
static void test_names_are_the_facts(void **state)
{
    static const struct {
        enum manifest_error_list list;
        int code;
        const char *name, *runtime_name;
    } rows[] = {
        {ERRORS_CUDA, 0, "CUDA_SUCCESS", "cudaSuccess"}, /* cuda 0 */
        {ERRORS_CUDA, 3, "CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError"},
        {ERRORS_CUDA, 12, NULL, "cudaErrorInvalidPitchValue"},
        {ERRORS_CUDA, 35, NULL, "cudaErrorInsufficientDriver"}, /* cuda 35 */
        {ERRORS_CUDA, 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "cudaErrorDevicesUnavailable"},
        {ERRORS_CUDA, 47, "CUDA_ERROR_MULTICAST_RESOURCE_FULL", NULL},
        {ERRORS_CUDA, 202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", NULL}, /* cuda 202 */
        {ERRORS_CUDA, 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice"},
        {ERRORS_CUDA, 802, "CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady"},
        {ERRORS_CUDA, 916, "CUDA_ERROR_KEY_ROTATION", NULL}, /* cuda 916 */
        {ERRORS_CUDA, 919, "CUDA_ERROR_FABRIC_NOT_READY", "cudaErrorFabricNotReady"},
        {ERRORS_CUDA, 999, "CUDA_ERROR_UNKNOWN", "cudaErrorUnknown"},
        {ERRORS_CUDA, 10000, NULL, "cudaErrorApiFailureBase"},
        {ERRORS_NVML, 0, "NVML_SUCCESS", NULL}, /* nvml 0 */
        {ERRORS_NVML, 18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", NULL},
        {ERRORS_NVML, 30, "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED", NULL},
        {ERRORS_NVML, 999, "NVML_ERROR_UNKNOWN", NULL},
        {ERRORS_XID, 8, "ROBUST_CHANNEL_FIFO_ERROR_IDLE_TIMEOUT", NULL}, /* xid 8 */
        {ERRORS_XID, 79, "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS", NULL},
        {ERRORS_XID, 176, "PCIE_CORRECTABLE_ERROR_FAULT", NULL}, /* xid 176 */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct manifest_error *row = manifest_error(*state, rows[i].list, rows[i].code);
        assert_non_null(row);
        assert_true(string_equal(row->name, rows[i].name));
        assert_true(string_equal(row->runtime_name, rows[i].runtime_name));
    }
    static const struct {
        unsigned code, older_code;
        const char *name, *older_name;
    } cudnn[] = {
        {0, 0, "CUDNN_STATUS_SUCCESS", NULL},
        {1001, 1, "CUDNN_STATUS_NOT_INITIALIZED", NULL},
        {1002, 14, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "CUDNN_STATUS_VERSION_MISMATCH"},
        {2001, 5, "CUDNN_STATUS_INVALID_VALUE", NULL},
        {3007, 6, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH", "CUDNN_STATUS_ARCH_MISMATCH"},
        {4003, 2, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
         "CUDNN_STATUS_ALLOC_FAILED"},
        {4006, 7, "CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED",
         "CUDNN_STATUS_MAPPING_ERROR"},
        {5004, 0, "CUDNN_STATUS_EXECUTION_FAILED_CURAND", NULL},
    };
    for (size_t i = 0; i < sizeof(cudnn) / sizeof(*cudnn); i++) {
        const struct manifest_error *row = manifest_error(*state, ERRORS_CUDNN, cudnn[i].code);
        assert_non_null(row);
        assert_string_equal(row->name, cudnn[i].name);
        assert_true(string_equal(row->older_name, cudnn[i].older_name));
        assert_int_equal(row->older_code, cudnn[i].older_code);
    }
}

static void test_numbers_have_names(void **state)
{
    assert_string_equal(manifest_error(*state, ERRORS_NCCL, 6)->name, "ncclRemoteError");
    assert_string_equal(manifest_error(*state, ERRORS_NCCL, 8)->name, "ncclTimeout");
    assert_null(manifest_error(*state, ERRORS_NCCL, 9));
    assert_string_equal(manifest_error(*state, ERRORS_CUDA, 802)->id, "error/cuda-802");
    assert_string_equal(manifest_error(*state, ERRORS_XID, 79)->id, "error/xid-79");
    assert_null(manifest_error(*state, ERRORS_CUDA, 38)); /* cudaErrorNoDevice before CUDA 10.1 */
    assert_null(manifest_error(*state, ERRORS_NVML, 31));
    assert_null(manifest_error(*state, ERRORS_XID, 177));
    assert_null(manifest_error(*state, ERRORS_XID, -1));
}

/* A row is the same, whether it alone was read or all of them. */
static void test_by_code_alone(void **state)
{
    for (enum manifest_error_list list = 0; list <= ERRORS_NCCL; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(*state, list, &count);
        for (size_t i = 0; i < count; i++) {
            struct manifest *fresh = manifest_new();
            const struct manifest_error *row = manifest_error(fresh, list, rows[i].code);
            assert_non_null(row);
            assert_string_equal(row->id, rows[i].id);
            assert_string_equal(row->source, rows[i].source);
            assert_null(manifest_error(fresh, list, 123456));
            assert_null(manifest_problem(fresh));
            manifest_free(fresh);
        }
    }
}

/* What NVIDIA says to do, of the same rows of errors_xid.csv. */
static void test_actions_are_the_facts(void **state)
{
    static const struct {
        int code;
        const char *action, *investigate;
        bool application;
    } rows[] = {
        {13, "RESTART_APP", "WORKFLOW_XID_13", true},
        {31, "RESTART_APP", "WORKFLOW_XID_31", true},
        {45, "WORKFLOW_XID_45", "Solo: RESTART_FM; Not Solo: IGNORE (follow other Xid)", true},
        {46, "RESET_GPU", "CONTACT_SUPPORT", false},
        {48, "WORKFLOW_XID_48", "WORKFLOW_XID_48", false},
        {54, "CHECK_MECHANICALS", "CONTACT_SUPPORT", false},
        {79, "RESTART_BM", "CONTACT_SUPPORT", false},
        {94, "RESTART_APP", "IGNORE (sympathetic)", false},
        {109, "RESET_GPU", "CONTACT_SUPPORT", true},
        {119, "RESET_GPU", "INVESTIGATE_SW", false},
        {151, "RESTART_VM", "CONTACT_SUPPORT", false},
        {173, NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct manifest_error *row = manifest_error(*state, ERRORS_XID, rows[i].code);
        assert_true(string_equal(row->action, rows[i].action));
        assert_true(string_equal(row->investigate, rows[i].investigate));
        assert_int_equal(row->application != NULL, rows[i].application);
    }
    assert_non_null(manifest_error_action(*state, "RESET_GPU"));
    assert_string_equal(manifest_error_action(*state, "IGNORE (sympathetic)")->action, "IGNORE");
    assert_null(manifest_error_action(*state, "IGNORED"));
    assert_null(manifest_error_action(*state, ""));
}

/* A cell that is empty in the facts and in the header that they name stays empty. */
static void test_unknown_stays_unknown(void **state)
{
    static const int unknown[] = {9, 18, 34, 47, 152, 173, 176};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        const struct manifest_error *row = manifest_error(*state, ERRORS_XID, unknown[i]);
        assert_null(row->meaning);
        assert_null(row->cause);
        assert_null(row->fix);
        assert_int_equal(row->findings.count, 0);
    }
}

static struct manifest_error_hits find(void **state, const char *words)
{
    return manifest_error_find(*state, words);
}

static void finds_number(void **state, const char *words, enum manifest_error_list list,
                         unsigned code)
{
    struct manifest_error_hits hits = find(state, words);
    if (hits.count != 1 || hits.rows[list] == NULL)
        fail_msg("%s: %zu found", words, hits.count);
    assert_int_equal(hits.rows[list]->code, code);
}

static void test_words_find_one(void **state)
{
    static const struct {
        const char *words;
        enum manifest_error_list list;
        unsigned code;
    } rows[] = {
        {"802", ERRORS_CUDA, 802},
        {"cuda 802", ERRORS_CUDA, 802},
        {"CUDA error 802", ERRORS_CUDA, 802},
        {"Error 802: system not yet initialized", ERRORS_CUDA, 802},
        {"CUresult 100", ERRORS_CUDA, 100},
        {"CUDA_ERROR_NO_DEVICE", ERRORS_CUDA, 100},
        {"cudaErrorNoDevice", ERRORS_CUDA, 100},
        {"CUDAERRORNODEVICE", ERRORS_CUDA, 100},
        {"cudaErrorInsufficientDriver", ERRORS_CUDA, 35},
        {"nvml 18", ERRORS_NVML, 18},
        {"nvml:18", ERRORS_NVML, 18},
        {"NVML error code 18", ERRORS_NVML, 18},
        {"NVML_ERROR_LIB_RM_VERSION_MISMATCH", ERRORS_NVML, 18},
        {"error/nvml-999", ERRORS_NVML, 999},
        {"xid 79", ERRORS_XID, 79},
        {"Xid 79", ERRORS_XID, 79},
        {"XID79", ERRORS_XID, 79},
        {"xid:79", ERRORS_XID, 79},
        {"Xid: 79,", ERRORS_XID, 79},
        {"GSP_RPC_TIMEOUT", ERRORS_XID, 119},
        {"NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.", ERRORS_XID, 79},
        {"[12.3] NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 13", ERRORS_XID, 13},
        {"CUDNN_STATUS_EXECUTION_FAILED", ERRORS_CUDNN, 5000},
        {"cudnn_status_alloc_failed", ERRORS_CUDNN, 4003},
        {"cudnn 8", ERRORS_CUDNN, 5000},
        {"cuDNN error 1001", ERRORS_CUDNN, 1001},
        {"CUDNN_STATUS 9", ERRORS_CUDNN, 3000},
        {"cudnn status 14", ERRORS_CUDNN, 1002},
        {"error/cudnn-3007", ERRORS_CUDNN, 3007},
        {"3007", ERRORS_CUDNN, 3007},
        {"ncclUnhandledCudaError", ERRORS_NCCL, 1},
        {"nccl 2", ERRORS_NCCL, 2},
        {"NCCL error 3: internal error", ERRORS_NCCL, 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        finds_number(state, rows[i].words, rows[i].list, rows[i].code);
}

/* With what stands around them in a log, in a sentence, behind a call. */
static void test_pasted_numbers_find_one(void **state)
{
    static const struct {
        const char *words;
        enum manifest_error_list list;
        unsigned code;
    } rows[] = {
        {"error 802.", ERRORS_CUDA, 802},
        {"(error 802)", ERRORS_CUDA, 802},
        {"\"802\"!", ERRORS_CUDA, 802},
        {" 802\r\n", ERRORS_CUDA, 802},
        {"0x322", ERRORS_CUDA, 802},
        {"CUresult 0X322,", ERRORS_CUDA, 802},
        {"Xid (PCI:0000:65:00): 79\nNVRM: GPU is lost", ERRORS_XID, 79},
        {"Xid 48 Double Bit ECC Error", ERRORS_XID, 48},
        {"GPU 3: xid 79 and xid 119", ERRORS_XID, 79},
        {"xid xid 79", ERRORS_XID, 79},
        {"cudaGetDeviceCount returned 35", ERRORS_CUDA, 35},
        {"cuInit(0) = 803", ERRORS_CUDA, 803},
        {"cuInit failed: 100", ERRORS_CUDA, 100},
        {"failed call to cuInit: UNKNOWN ERROR (303)", ERRORS_CUDA, 303},
        {"CUDA failed with error 802 at a.cu:12", ERRORS_CUDA, 802},
        {"nvmlInit_v2() returned 9", ERRORS_NVML, 9},
        {"nvml return 18", ERRORS_NVML, 18},
        {"ncclCommInitRank failed with code 5", ERRORS_NCCL, 5},
        {"cudnnCreate(&handle) -> 1", ERRORS_CUDNN, 1001},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        finds_number(state, rows[i].words, rows[i].list, rows[i].code);
}

static void finds_row(void **state, const char *words, const char *row)
{
    struct manifest_error_hits hits = find(state, words);
    assert_int_equal(hits.count, 1);
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++)
        if (hits.rows[list])
            assert_string_equal(hits.rows[list]->id, row);
}

/* Pasted, in parts, in other letters and with other quotation marks. */
static void test_messages_find_one(void **state)
{
    static const struct {
        const char *words;
        const char *row;
    } rows[] = {
        {"No devices were found", "error/message-no-devices-were-found"},
        {"nvidia-smi: no devices WERE found.", "error/message-no-devices-were-found"},
        {"devices were found", "error/message-no-devices-were-found"},
        {"RuntimeError: CUDA error: no kernel image", "error/cuda-209"},
        {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure",
         "error/nvml-9"},
        {"couldn\xe2\x80\x99t communicate with the NVIDIA driver", "error/nvml-9"},
        {"Failed to initialize NVML: Unknown Error", "error/nvml-999"},
        {"Failed to initialize NVML: Driver/library version mismatch", "error/nvml-18"},
        {"CUDA error: all CUDA-capable devices are busy or unavailable", "error/cuda-46"},
        {"Out of memory: Killed process 7 (python)", "error/message-out-of-memory-killed-process"},
        {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate", "error/cuda-2"},
        {"Unable to load any of {libcudnn_cnn.so.9.1.0, libcudnn_cnn.so.9.1}",
         "error/message-could-not-load-library-libcudnn"},
        {"ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
         "error/message-cannot-open-shared-object-file"},
        {"ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
         "error/message-libcuda-so-1-cannot-open-shared-object-file"},
        {"Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
         "shared object file",
         "error/message-could-not-load-dynamic-library"},
        {"Unable to determine the device handle for GPU0000:65:00.0: Unknown Error",
         "error/message-unable-to-determine-the-device-handle-for"},
        {"could not select device driver \"\" with capabilities: [[gpu]]",
         "error/message-could-not-select-device-driver"},
        {"RuntimeError: No CUDA GPUs are available", "error/cuda-100"},
        {"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "error/cudnn-1001"},
        {"status = CUDNN_STATUS_EXECUTION_FAILED_CUDART, not CUDNN_STATUS_SUCCESS",
         "error/cudnn-5003"},
        {"ProcessGroupNCCL.cpp:1275, unhandled cuda error, NCCL version 2.18.1", "error/nccl-1"},
        {"ncclUnhandledCudaError: Call to CUDA function failed. Last error: Cuda failure 802 "
         "'system "
         "not yet initialized'",
         "error/cuda-802"},
        {"ncclRemoteError: A call failed possibly due to a network error", "error/nccl-6"},
        {"NCCL WARN Error: failed to extend /dev/shm/nccl-03v824 to 4194660 bytes", "error/nccl-2"},
        {"cuMemAlloc failed: CUDA_ERROR_ILLEGAL_ADDRESS", "error/cuda-700"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        finds_row(state, rows[i].words, rows[i].row);
    assert_int_equal(find(state, "found").count, 0);
    assert_int_equal(find(state, "system error").count, 0);
    assert_int_equal(find(state, "MY_CUDNN_STATUS_BAD_PARAM and ncclSuccess").count, 0);
    assert_int_equal(find(state, "No devices were lost").count, 0);
}

static void test_messages_of_builds_and_containers(void **state)
{
    static const char *const rows[][2] = {
        {"RuntimeError: CUDA error: device-side assert triggered", "error/cuda-710"},
        {"CUDA error: the launch timed out and was terminated", "error/cuda-702"},
        {"nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown",
         "error/nvml-9"},
        {"host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions later than "
         "11",
         "error/message-unsupported-gnu-version"},
        {"[h264_nvenc @ 0x55775558ee80] Driver does not support the required nvenc API version. "
         "Required: 13.0 Found: 12.2",
         "error/message-driver-does-not-support-the-required-nvenc-api-version"},
        {"[h264_nvenc @ 0x55688b625f40] Cannot load libnvidia-encode.so.1",
         "error/message-cannot-load-libnvidia-encode-so-1"},
        {"[hevc_cuvid @ 0x55] Cannot load libnvcuvid.so.1",
         "error/message-cannot-load-libnvcuvid-so-1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        finds_row(state, rows[i][0], rows[i][1]);
}

/* What a function says of its error, where its library is named too or there is nothing else. */
static void test_what_libraries_say(void **state)
{
    static const char *const rows[][2] = {
        {"RuntimeError: CUDA error: misaligned address", "error/cuda-716"},
        {"CUDA error: invalid device function\nCompile with TORCH_USE_CUDA_DSA", "error/cuda-98"},
        {"cudaErrorInvalidDeviceFunction", "error/cuda-98"},
        {"misaligned address", "error/cuda-716"},
        {"CUDA Error: Operation Not Permitted", "error/cuda-800"},
        {"Cuda failure 'invalid argument'", "error/cuda-1"},
        {"pynvml.NVMLError: Invalid Argument", "error/nvml-2"},
        {"NCCL error in: x.cpp:1333, invalid argument, NCCL version 2.18 (cuda12)", "error/nccl-4"},
        {"CUDA error: the launch timed out and was terminated", "error/cuda-702"}, /* a message */
    };
    static const char *const nothing[] = {"mount: operation not permitted",
                                          "CUDA toolkit: file not found in /usr",
                                          "nvml library not found",
                                          "cuda: my device not ready",
                                          "CUDA: no error",
                                          "Timeout"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        finds_row(state, rows[i][0], rows[i][1]);
    for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++)
        assert_int_equal(find(state, nothing[i]).count, 0);
}

static void test_a_bare_number_finds_all(void **state)
{
    struct manifest_error_hits hits = find(state, "18");
    assert_int_equal(hits.count, 3);
    assert_string_equal(hits.rows[ERRORS_CUDA]->runtime_name, "cudaErrorInvalidTexture");
    assert_string_equal(hits.rows[ERRORS_NVML]->name, "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
    assert_int_equal(hits.rows[ERRORS_XID]->code, 18);
    assert_int_equal(find(state, "0").count, 2);
    assert_int_equal(find(state, "8").count, 3);
    assert_int_equal(find(state, "error 8").count, 3);
    assert_null(find(state, "8").rows[ERRORS_CUDNN]);
    assert_null(find(state, "1").rows[ERRORS_NCCL]);
}

static void test_words_that_find_nothing(void **state)
{
    static const char *const numbers[] = {"123456",  "xid 177", "nvml 802",
                                          "xid 802", "cuda 38", "xid 1000000000000000"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct manifest_error_hits hits = find(state, numbers[i]);
        assert_int_equal(hits.count, 0);
        assert_true(hits.is_number);
    }
    assert_int_equal(find(state, "123456").number, 123456);
    assert_int_equal(find(state, "123456").list, ERROR_LISTS);
    assert_int_equal(find(state, "xid 177").list, ERRORS_XID);
    static const char *const words[] = {"",
                                        "xid",
                                        "cuda",
                                        "18x",
                                        "x18",
                                        "-18",
                                        "1.8",
                                        "0x",
                                        "0x12g",
                                        "sxid 12028",
                                        "SXid (PCI:0000:c1:00.0): 12028, x",
                                        "18 19",
                                        "cuda nvml 18",
                                        "CUDA_ERROR",
                                        "12345678901234567890",
                                        "nonono",
                                        " ",
                                        "Xid (PCI:0000",
                                        "Xid (PCI) x79",
                                        "CUDA 12.8",
                                        "CUDA error 12.8",
                                        "cuda 11 is not supported",
                                        "cuda.o: collect2: error: ld returned 1 exit status",
                                        "make: *** [cuda] Error 2",
                                        "currentValue returned 3",
                                        "cublasCreate returned 3",
                                        "cuInit(",
                                        "cuInit(0) = ",
                                        "cudaMalloc failed",
                                        "xids 79",
                                        "hexid 79"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        struct manifest_error_hits hits = find(state, words[i]);
        if (hits.count != 0 || hits.is_number)
            fail_msg("\"%s\" is taken for something", words[i]);
    }
}

static void assert_clause(const struct manifest_error *row, const char *text)
{
    if (text == NULL)
        return;
    size_t size = strlen(text);
    if (strchr(text, '\n') || strstr(text, "  ") || text[size - 1] == '.' ||
        text[size - 1] == ' ' || text[size - 1] == ';' || !utf8_valid(text, size))
        fail_msg("%s: not a clause: %s", row->id, text);
}

/* Clauses, which others put between their own words. */
static void test_texts_are_clauses(void **state)
{
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(*state, list, &count);
        for (size_t i = 0; i < count; i++) {
            assert_clause(&rows[i], rows[i].meaning);
            assert_clause(&rows[i], rows[i].cause);
            assert_clause(&rows[i], rows[i].fix);
            assert_clause(&rows[i], rows[i].remaining);
        }
    }
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"error.cuda[0].code", "-1", NULL, "a whole number from 0"},
        {"error.cuda[0].code", "\"0\"", NULL, "a whole number from 0"},
        {"error.cuda[0].code", "0.5", NULL, "a whole number from 0"},
        {"error.cuda[0].code", "2", "error.cuda[2].code", "which cuda[0] already has"},
        {"error.cuda[0].code", "1000", "error.cuda[1].code", "after error/cuda-1000"},
        {"error.cuda[0].name", "\"cuda_success\"", NULL, "such as CUDA_ERROR_NO_DEVICE"},
        {"error.cuda[0].name", "\"CUDA_\"", NULL, "such as CUDA_ERROR_NO_DEVICE"},
        {"error.cuda[0].runtime_name", "\"CUDA_SUCCESS\"", NULL, "such as cudaErrorNoDevice"},
        {"error.cuda[0].action", "\"IGNORE\"", NULL, "unknown key"},
        {"error.cuda[0].findings", "[\"DRV-004\"]", NULL, "found DRV-004"},
        {"error.cuda[0].findings", "[]", NULL, "a list of"},
        {"error.cuda[0].facts", "[\"module.version\"]", NULL, "what it tells"},
        {"error.cuda[0].facts", "[\"module.version: \"]", NULL, "what it tells"},
        {"error.cuda[0].facts", "[\"module: x\"]", NULL, "what it tells"},
        {"error.cuda[0].facts", "[\"nvml/0.mig, .x: y\"]", NULL, "what it tells"},
        {"error.cuda[0].remaining", "\"x\"", "error.cuda[0].command", "since remaining is given"},
        {"error.cuda[0].command", "\"x\"", "error.cuda[0].remaining", "since command"},
        {"error.cuda[0].root", "\"yes\"", "error.cuda[0].command", "since root"},
        {"error.cuda[0].root", "\"no\"", NULL, "one of \"yes\""},
        {"error.cuda[0].meaning_confidence", "\"sure\"", NULL, "one of"},
        {"error.nvml[0].name", "\"CUDA_SUCCESS\"", NULL, "such as NVML_ERROR_UNKNOWN"},
        {"error.nvml[0].runtime_name", "\"cudaSuccess\"", NULL, "unknown key"},
        {"error.xid[0].code", "0", NULL, "an Xid, 1 or greater"},
        {"error.cudnn[0].name", "\"CUDA_SUCCESS\"", NULL, "such as CUDNN_STATUS_NOT_INITIALIZED"},
        {"error.cudnn[0].older_name", "\"cudnn\"", NULL, "such as CUDNN_STATUS_NOT_INITIALIZED"},
        {"error.cudnn[0].older_name", "\"CUDNN_STATUS_OK\"", "error.cudnn[0].older_code",
         "since older_name is given"},
        {"error.nccl[0].name", "\"nccl_success\"", NULL, "such as ncclSystemError"},
        {"error.nccl[0].older_code", "1", NULL, "unknown key"},
        {"error.xid[0].name", "\"fell off\"", NULL, "such as GSP_ERROR"},
        {"error.xid[0].action", "\"PRAY\"", NULL, "that error.actions lists"},
        {"error.xid[0].application", "\"no\"", NULL, "one of \"yes\""},
        {"error.messages[0].text", "\"zzz\"", "error.messages[1].text", "after zzz"},
        {"error.messages[0].by", NULL, NULL, "a non-empty string"},
        {"error.messages[text=No devices were found].error", "\"nvml-9\"", NULL,
         "either error alone, or meaning and findings"},
        {"error.messages[text=system not yet initialized].error", "\"cuda-38\"", NULL,
         "a row such as cuda-802"},
        {"error.messages[text=system not yet initialized].error", NULL,
         "error.messages[text=system not yet initialized].meaning", "a value here or in error"},
        {"error.actions[0].action", "\"ZZZ\"", "error.actions[1].action", "after ZZZ"},
        {"error.actions[0].action", "\"reset\"", NULL, "such as RESET_GPU"},
        {"error.actions[0].meaning", "\"\"", NULL, "a non-empty string"},
    };
    REFUSE(cases);
}

/* Each of what is said of an error needs that it is said what it means. */
static void test_nothing_is_said_without_a_meaning(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"error.xid[code=9].cause", "\"x\"", "error.xid[code=9].meaning",
         "a value, since cause is given"},
        {"error.xid[code=9].fix", "\"x\"", "error.xid[code=9].meaning",
         "a value, since fix is given"},
        {"error.xid[code=9].findings", "[\"driver_too_old\"]", "error.xid[code=9].meaning",
         "a value, since findings is given"},
        {"error.xid[code=9].facts", "[\"module.version: x\"]", "error.xid[code=9].meaning",
         "a value, since facts is given"},
        {"error.xid[code=9].remaining", "\"x\"", "error.xid[code=9].meaning",
         "a value, since remaining is given"},
        {"error.xid[code=9].meaning_confidence", "\"low\"", "error.xid[code=9].meaning",
         "a value, since meaning_confidence is given"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_carried_over),
        cmocka_unit_test(test_names_are_the_facts),
        cmocka_unit_test(test_numbers_have_names),
        cmocka_unit_test(test_by_code_alone),
        cmocka_unit_test(test_actions_are_the_facts),
        cmocka_unit_test(test_unknown_stays_unknown),
        cmocka_unit_test(test_words_find_one),
        cmocka_unit_test(test_messages_find_one),
        cmocka_unit_test(test_pasted_numbers_find_one),
        cmocka_unit_test(test_messages_of_builds_and_containers),
        cmocka_unit_test(test_what_libraries_say),
        cmocka_unit_test(test_a_bare_number_finds_all),
        cmocka_unit_test(test_words_that_find_nothing),
        cmocka_unit_test(test_texts_are_clauses),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_nothing_is_said_without_a_meaning),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
