/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"
#include "manifest/error.h"

/* The facts carried over: errors_cuda.csv, errors_nvml.csv and errors_xid.csv. */

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
    static const size_t rows[] = {[ERRORS_CUDA] = 102, [ERRORS_NVML] = 32, [ERRORS_XID] = 169};
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
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
        {ERRORS_CUDA, 35, NULL, "cudaErrorInsufficientDriver"}, /* cuda 35 */
        {ERRORS_CUDA, 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "cudaErrorDevicesUnavailable"},
        {ERRORS_CUDA, 202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", NULL}, /* cuda 202 */
        {ERRORS_CUDA, 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice"},
        {ERRORS_CUDA, 802, "CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady"},
        {ERRORS_CUDA, 916, "CUDA_ERROR_KEY_ROTATION", NULL}, /* cuda 916 */
        {ERRORS_CUDA, 999, "CUDA_ERROR_UNKNOWN", "cudaErrorUnknown"},
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
    assert_string_equal(manifest_error(*state, ERRORS_CUDA, 802)->id, "error/cuda-802");
    assert_string_equal(manifest_error(*state, ERRORS_XID, 79)->id, "error/xid-79");
    assert_null(manifest_error(*state, ERRORS_CUDA, 18));
    assert_null(manifest_error(*state, ERRORS_NVML, 31));
    assert_null(manifest_error(*state, ERRORS_XID, 177));
    assert_null(manifest_error(*state, ERRORS_XID, -1));
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
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct manifest_error_hits hits = find(state, rows[i].words);
        if (hits.count != 1 || hits.rows[rows[i].list] == NULL)
            fail_msg("%s: %zu found", rows[i].words, hits.count);
        assert_int_equal(hits.rows[rows[i].list]->code, rows[i].code);
    }
}

static void test_a_bare_number_finds_all(void **state)
{
    struct manifest_error_hits hits = find(state, "18");
    assert_int_equal(hits.count, 2);
    assert_null(hits.rows[ERRORS_CUDA]);
    assert_string_equal(hits.rows[ERRORS_NVML]->name, "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
    assert_int_equal(hits.rows[ERRORS_XID]->code, 18);
    assert_int_equal(find(state, "0").count, 2);
    assert_int_equal(find(state, "8").count, 3);
    assert_int_equal(find(state, "error 8").count, 3);
}

static void test_words_that_find_nothing(void **state)
{
    static const char *const numbers[] = {"123456",  "xid 177", "nvml 802",
                                          "xid 802", "cuda 18", "xid 1000000000000000"};
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
                                        "0x12",
                                        "sxid 12028",
                                        "SXid (PCI:0000:c1:00.0): 12028, x",
                                        "18 19",
                                        "xid xid 79",
                                        "cuda nvml 18",
                                        "CUDA_ERROR",
                                        "12345678901234567890",
                                        "nonono",
                                        " ",
                                        "Xid (PCI:0000",
                                        "Xid (PCI) x79"};
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

static json_t *joined_json(void)
{
    AUTO_FREE char *text = mem_alloc(MANIFEST_MAX);
    FILE *file = fopen(TEST_BINARY_DIR "/gpuenv.manifest.json", "r");
    assert_non_null(file);
    size_t size = fread(text, 1, MANIFEST_MAX, file);
    assert_int_equal(fclose(file), 0);
    json_t *json = json_parse(text, size, MANIFEST_MAX, "joined", NULL);
    assert_non_null(json);
    return json;
}

/* Row 0 of a table of the error subject, with keys put over its own. */
static void assert_refused(const char *table, const char *keys, const char *where, const char *why)
{
    AUTO_JSON json_t *json = joined_json();
    AUTO_JSON json_t *put = json_loads(keys, 0, NULL);
    assert_non_null(put);
    json_t *row = json_array_get(json_object_get(json_object_get(json, "error"), table), 0);
    assert_int_equal(json_object_update(row, put), 0);
    AUTO_TEXT struct text text = {0};
    json_append_text(json, &text);
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = manifest_load(text.data, text.size, "M", &error);
    if (manifest != NULL)
        fail_msg("%s: %s is taken", table, keys);
    assert_int_equal(error.kind, ERROR_DATA);
    AUTO_FREE char *path = mem_printf(": error.%s", where);
    assert_true(string_starts(error.where, "M:") && string_ends(error.where, path));
    if (strstr(error.why, why) == NULL)
        fail_msg("%s: %s", error.where, error.why);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *table, *keys, *where, *why;
    } rows[] = {
        {"cuda", "{\"code\": -1}", "cuda[0].code", "a whole number from 0"},
        {"cuda", "{\"code\": \"0\"}", "cuda[0].code", "a whole number from 0"},
        {"cuda", "{\"code\": 0.5}", "cuda[0].code", "a whole number from 0"},
        {"cuda", "{\"code\": 2}", "cuda[2].code", "which cuda[0] has already"},
        {"cuda", "{\"code\": 1000}", "cuda[1].code", "above error/cuda-1000"},
        {"cuda", "{\"name\": \"cuda_success\"}", "cuda[0].name", "such as CUDA_ERROR_NO_DEVICE"},
        {"cuda", "{\"name\": \"CUDA_\"}", "cuda[0].name", "such as CUDA_ERROR_NO_DEVICE"},
        {"cuda", "{\"runtime_name\": \"CUDA_SUCCESS\"}", "cuda[0].runtime_name",
         "such as cudaErrorNoDevice"},
        {"cuda", "{\"action\": \"IGNORE\"}", "cuda[0].action", "no such key"},
        {"cuda", "{\"findings\": [\"DRV-004\"]}", "cuda[0].findings", "found DRV-004"},
        {"cuda", "{\"findings\": []}", "cuda[0].findings", "a list of"},
        {"cuda", "{\"facts\": [\"module.version\"]}", "cuda[0].facts", "what it tells"},
        {"cuda", "{\"facts\": [\"module.version: \"]}", "cuda[0].facts", "what it tells"},
        {"cuda", "{\"facts\": [\"module: x\"]}", "cuda[0].facts", "what it tells"},
        {"cuda", "{\"facts\": [\"nvml/0.mig, .x: y\"]}", "cuda[0].facts", "what it tells"},
        {"cuda", "{\"remaining\": \"x\"}", "cuda[0].command", "where there is remaining"},
        {"cuda", "{\"command\": \"x\"}", "cuda[0].remaining", "where there is command"},
        {"cuda", "{\"root\": \"yes\"}", "cuda[0].command", "where there is root"},
        {"cuda", "{\"root\": \"no\"}", "cuda[0].root", "one of \"yes\""},
        {"cuda", "{\"meaning_confidence\": \"sure\"}", "cuda[0].meaning_confidence", "one of"},
        {"nvml", "{\"name\": \"CUDA_SUCCESS\"}", "nvml[0].name", "such as NVML_ERROR_UNKNOWN"},
        {"nvml", "{\"runtime_name\": \"cudaSuccess\"}", "nvml[0].runtime_name", "no such key"},
        {"xid", "{\"code\": 0}", "xid[0].code", "which begin at 1"},
        {"xid", "{\"name\": \"fell off\"}", "xid[0].name", "such as GSP_ERROR"},
        {"xid", "{\"action\": \"PRAY\"}", "xid[0].action", "that error.actions has"},
        {"xid", "{\"application\": \"no\"}", "xid[0].application", "one of \"yes\""},
        {"actions", "{\"action\": \"ZZZ\"}", "actions[1].action", "above ZZZ"},
        {"actions", "{\"action\": \"reset\"}", "actions[0].action", "such as RESET_GPU"},
        {"actions", "{\"meaning\": \"\"}", "actions[0].meaning", "not empty"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_refused(rows[i].table, rows[i].keys, rows[i].where, rows[i].why);
}

/* Each of what is said of an error needs that it is said what it means. */
static void test_nothing_is_said_without_a_meaning(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *named;
    } rows[] = {
        {"{\"cause\": \"x\"}", "cause"},
        {"{\"fix\": \"x\"}", "fix"},
        {"{\"findings\": [\"driver_too_old\"]}", "findings"},
        {"{\"facts\": [\"module.version: x\"]}", "facts"},
        {"{\"remaining\": \"x\", \"command\": \"y\"}", "remaining"},
        {"{\"meaning_confidence\": \"low\"}", "meaning_confidence"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_FREE char *why = mem_printf("it where there is %s, found nothing", rows[i].named);
        AUTO_FREE char *keys = mem_printf("{\"code\": 7, \"name\": \"X\", %s", rows[i].keys + 1);
        AUTO_JSON json_t *put = json_loads(keys, 0, NULL);
        AUTO_JSON json_t *json = joined_json();
        json_t *table = json_object_get(json_object_get(json, "error"), "xid");
        json_object_set(put, "source", json_object_get(json_array_get(table, 0), "source"));
        json_object_set_new(put, "confidence", json_string("high"));
        json_array_insert(table, 0, put);
        AUTO_TEXT struct text text = {0};
        json_append_text(json, &text);
        AUTO_ERROR struct error error = {0};
        assert_null(manifest_load(text.data, text.size, "M", &error));
        assert_true(string_ends(error.where, ": error.xid[0].meaning"));
        assert_non_null(strstr(error.why, why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_carried_over),
        cmocka_unit_test(test_names_are_the_facts),
        cmocka_unit_test(test_actions_are_the_facts),
        cmocka_unit_test(test_unknown_stays_unknown),
        cmocka_unit_test(test_words_find_one),
        cmocka_unit_test(test_a_bare_number_finds_all),
        cmocka_unit_test(test_words_that_find_nothing),
        cmocka_unit_test(test_texts_are_clauses),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_nothing_is_said_without_a_meaning),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
