/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "cli/gpu/gpu_view.h"
#include "manifest/manifest.h"
#include "manifest/versions/driver.h"

static int session_new(void **state)
{
    struct session *session = mem_alloc(sizeof(*session));
    *session = (struct session){.program = "gpuenv gpu", .manifest = manifest_new()};
    *state = session;
    return 0;
}

static int session_free(void **state)
{
    struct session *session = *state;
    manifest_free(session->manifest);
    free(session);
    return 0;
}

static void add(void **state, const char *text, struct gpu_views *views)
{
    const struct session *session = *state;
    AUTO_ERROR struct error error = {0};
    AUTO_GPU_WORD struct gpu_word word = {0};
    assert_true(gpu_word_parse(session, "", text, &word, &error));
    gpu_view_word(session->manifest, text, &word, views);
}

static const char *cell(const struct gpu_view *view, const char *label, struct text *text)
{
    text_clear(text);
    for (const struct gpu_cell *cell = gpu_cells; cell->label != NULL; cell++)
        if (string_equal(cell->label, label)) {
            cell->append(view, text);
            return text_string(text);
        }
    fail_msg("no cell %s", label);
    return NULL;
}

static void words_of_every_kind(void **state)
{
    static const struct {
        const char *text;
        enum gpu_word_kind kind;
        const char *title;
        size_t others;
    } cases[] = {
        {"H100 SXM5 80GB", GPU_WORD_MODEL, "H100 SXM5 80GB", 0},
        {"h100", GPU_WORD_MODEL, "H100 PCIe", 2},
        {"10de:2330", GPU_WORD_DEVICE, "H100 SXM5 80GB", 0},
        {"10DE:25B6", GPU_WORD_DEVICE, "A2", 1},
        {"1024", GPU_WORD_DEVICE, "Tesla K40c", 0},
        {"10de:2757", GPU_WORD_DEVICE, "GeForce RTX 4090 Laptop GPU", 0},
        {"GA106M [GeForce RTX 3060 Mobile] [10de:2560] (rev a1)", GPU_WORD_DEVICE,
         "GeForce RTX 3060 Mobile", 0},
        {"10DE:2900", GPU_WORD_DEVICE, "10de:2900 (GB100 or GB102, by its PCI id)", 0},
        {"2900", GPU_WORD_DEVICE, "10de:2900 (GB100 or GB102, by its PCI id)", 0},
        {"P4", GPU_WORD_MODEL, "Tesla P4", 0},
        {"AWS P4", GPU_WORD_MODEL, "A100 PCIe 40GB (8 in p4, p4d, p4d.24xlarge of AWS)", 1},
        {"g5.xlarge", GPU_WORD_MODEL,
         "A10G (1 in g5.xlarge, g5.2xlarge, g5.4xlarge, g5.8xlarge, g5.16xlarge of AWS)", 0},
        {"a2-highgpu-1g", GPU_WORD_MODEL, "A100 PCIe 40GB (1 in a2-highgpu-1g of Google Cloud)", 1},
        {"Standard_NC64as_T4_v3", GPU_WORD_MODEL, "Tesla T4 (4 in NC64as_T4_v3 of Azure)", 0},
        {"ecs.gn7i", GPU_WORD_MODEL, "A10 (in gn7i of Alibaba Cloud)", 0},
        {"7.0", GPU_WORD_CAPABILITY, "compute capability 7.0", 5},
        {"sm_103", GPU_WORD_CAPABILITY, "compute capability 10.3", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct session *session = *state;
        AUTO_ERROR struct error error = {0};
        AUTO_GPU_WORD struct gpu_word word = {0};
        AUTO_VIEWS struct gpu_views views = {0};
        assert_true(gpu_word_parse(session, "", cases[i].text, &word, &error));
        assert_int_equal(word.kind, cases[i].kind);
        gpu_view_word(session->manifest, cases[i].text, &word, &views);
        assert_string_equal(views.items[0].title, cases[i].title);
        assert_string_equal(views.items[0].asked, cases[i].text);
        assert_int_equal(views.items[0].others.count, cases[i].others);
    }
}

static void names_of_several_gpus(void **state)
{
    static const struct {
        const char *text, *why, *next;
    } cases[] = {
        {"RTX 6000", "can be one of", "RTX 6000 Ada Generation (8.9, 10de:26b1)"},
        {"GT 1030", "2 GPUs", "GeForce GT 1030 (3.0, 10de:0fc5)"},
        {"10de:ffff", "no GPU", "give a model"}, /* no name is near an id */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_GPU_WORD struct gpu_word word = {0};
        assert_false(gpu_word_parse(*state, "", cases[i].text, &word, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_non_null(strstr(error.what, cases[i].why));
        assert_non_null(strstr(error.next, cases[i].next));
    }
}

static void machine_gpu(struct facts *facts, const char *address, const char *device_id)
{
    AUTO_FREE char *group = facts_group_name("pci", address);
    facts_set_string(facts, group, "device_id", device_id, "sysfs");
    facts_set_string(facts, group, "class", "030200", "sysfs");
}

/* One view for each model that has the PCI id. */
static void models_that_share_an_id(void **state)
{
    const struct session *session = *state;
    AUTO_VIEWS struct gpu_views views = {0};
    AUTO_VIEWS struct gpu_views of_machine = {0};
    add(state, "10de:25b6", &views);
    assert_int_equal(views.count, 2);
    assert_string_equal(views.items[0].title, "A2");
    assert_string_equal(views.items[0].others.items[0], "A16");
    assert_string_equal(views.items[1].title, "A16");
    assert_string_equal(views.items[1].others.items[0], "A2");
    assert_string_equal(views.items[1].asked, "10de:25b6");
    assert_string_equal(views.items[1].device_id, "25b6");
    /* a machine has one of them */
    struct facts *facts = facts_new();
    machine_gpu(facts, "0000:01:00.0", "25b6");
    gpu_view_machine(session->manifest, facts, &of_machine);
    assert_int_equal(of_machine.count, 1);
    assert_string_equal(of_machine.items[0].title, "A2 or A16");
    assert_string_equal(of_machine.items[0].others.items[0], "A16");
    facts_free(facts);
}

static void words_that_are_not_known(void **state)
{
    static const struct {
        const char *text, *next;
    } cases[] = {
        {"H10O", "similar models: H100 PCIe"},
        {"10de:ffff", "give a model (H100)"},
        {"99.9", "gpuenv manifest show capability lists"},
        {"", "give a model (H100)"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_GPU_WORD struct gpu_word word = {0};
        assert_false(gpu_word_parse(*state, "", cases[i].text, &word, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_true(string_starts(error.next, cases[i].next));
    }
}

static unsigned newest_branch(const struct session *session)
{
    const struct version any = {.count = 0};
    return manifest_branch_newest(session->manifest, &any)->branch;
}

static void cells_have_units(void **state)
{
    static const struct {
        const char *gpu, *label, *value;
    } cases[] = {
        {"H100 SXM5 80GB", "memory of a GPU", "80 GB HBM3"},
        {"H100 SXM5 80GB", "memory bandwidth", "3352 GB/s"},
        {"H100 SXM5 80GB", "FP32", "66.9 TFLOPS"},
        {"H100 SXM5 80GB", "FP16", ""},
        {"H100 SXM5 80GB", "FP16, tensor cores", "989 TFLOPS"},
        {"H100 SXM5 80GB", "board power", "700 W"},
        {"H100 SXM5 80GB", "first CUDA toolkit", "11.8"},
        {"H100 SXM5 80GB", "last CUDA toolkit", "still supported"},
        {"H100 SXM5 80GB", "forward compatibility", "yes"},
        {"Tesla K80", "GPUs on the board", "2"},
        {"Tesla K80", "last CUDA toolkit", "11.8, dropped in 12.0"},
        {"Tesla K80", "last driver branch", "R470"},
        {"Tesla K80", "kernel module", "proprietary only"},
        {"Tesla K80", "last cuDNN", "8.5.0; not known from 8.6.0 on, dropped in 8.9.0 or before"},
        {"Tesla K40c", "memory of a GPU", ""},
        {"RTX 5090", "kernel module", "open only"},
        {"GH200", "kernel module", "open only"},
        {"A100", "kernel module", "open (R515 on), proprietary"},
        {"RTX 4090", "forward compatibility", "no"},
        {"RTX A6000", "forward compatibility", ""}, /* some workstation boards may */
        {"Jetson AGX Orin", "PCI ids", ""},
        {"Jetson AGX Orin", "architecture", "Ampere, Orin"},
        {"Jetson AGX Orin", "last driver branch", ""},
        {"V100", "last cuDNN", "9.10.2, dropped in 9.11.0"},
        {"10.7", "last cuDNN", "9.25.1; not known from 9.26.0 on"},
        {"2342", "PCI ids", "10de:2342"},
        {"9.0", "memory of a GPU", ""},
        {"9.0", "compute capability", "9.0 (sm_90)"},
    };
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_VIEWS struct gpu_views views = {0};
        add(state, cases[i].gpu, &views);
        assert_string_equal(cell(&views.items[0], cases[i].label, &text), cases[i].value);
    }
    AUTO_VIEWS struct gpu_views hopper = {0};
    add(state, "H100 SXM5 80GB", &hopper);
    AUTO_FREE char *supported = mem_printf("still supported (R%u)", newest_branch(*state));
    assert_string_equal(cell(&hopper.items[0], "last driver branch", &text), supported);
}

static void equal_gpus_of_a_machine_count(void **state)
{
    const struct session *session = *state;
    AUTO_VIEWS struct gpu_views views = {0};
    AUTO_TEXT struct text text = {0};
    struct facts *facts = facts_new();
    machine_gpu(facts, "0000:01:00.0", "2330");
    machine_gpu(facts, "0000:02:00.0", "ffff");
    machine_gpu(facts, "0000:03:00.0", "2330");
    gpu_view_machine(session->manifest, facts, &views);
    assert_int_equal(views.count, 2);
    assert_int_equal(views.items[0].count, 2);
    assert_string_equal(views.items[0].title, "H100 SXM5 80GB");
    assert_string_equal(views.items[1].title, "10de:ffff");
    assert_null(views.items[1].model);
    for (const struct gpu_cell *row = gpu_cells; row->label != NULL; row++) {
        bool known = string_equal(row->label, "PCI ids");
        assert_string_equal(cell(&views.items[1], row->label, &text), known ? "10de:ffff" : "");
    }
    facts_free(facts);
}

/* 80 columns, nothing at the ends of lines, and no cell that is empty. */
static void tables_are_tidy(void **state)
{
    static const char *const words[] = {
        "K80", "RTX 4070 Ti SUPER", "V100", "9.0", "Jetson T4000", "25b6", "GB10", "L40S"};
    for (size_t count = 1; count <= sizeof(words) / sizeof(*words); count++) {
        AUTO_VIEWS struct gpu_views views = {0};
        AUTO_TEXT struct text text = {0};
        const struct report_input input = {.columns = 80, .manifest_date = "2026-11-20"};
        for (size_t i = 0; i < count; i++)
            add(state, words[i], &views);
        gpu_views_append_text(&input, &views, &text);
        char *cursor = text.data;
        for (char *line; (line = string_next_line(&cursor)) != NULL;) {
            assert_true(strlen(line) <= 80);
            assert_false(string_ends(line, " "));
        }
    }
}

static void json_leaves_out_what_is_not_known(void **state)
{
    AUTO_VIEWS struct gpu_views views = {0};
    add(state, "K80", &views);
    add(state, "H20", &views);
    AUTO_JSON json_t *gpus = gpu_views_json(&views);
    json_t *k80 = json_array_get(gpus, 0);
    json_t *h20 = json_array_get(gpus, 1);
    assert_string_equal(json_string_value(json_object_get(k80, "row")), "gpu/tesla-k80");
    assert_non_null(json_object_get(k80, "source"));
    assert_string_equal(json_string_value(json_object_get(k80, "confidence")), "high");
    assert_int_equal(json_integer_value(json_object_get(k80, "memory_gb")), 12);
    assert_null(json_object_get(k80, "fp16_tflops"));
    assert_null(json_object_get(h20, "memory_gb"));
    assert_null(json_object_get(h20, "count"));
    json_t *cuda = json_object_get(k80, "cuda");
    assert_string_equal(json_string_value(json_object_get(cuda, "last")), "11.8");
    assert_string_equal(json_string_value(json_object_get(cuda, "row")), "capability/3.7");
    assert_null(json_object_get(json_object_get(h20, "cuda"), "last"));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(h20, "driver"), "newest_branch")),
        newest_branch(*state));
    assert_true(json_is_true(json_object_get(k80, "forward_compatibility")));
    json_t *frameworks = json_object_get(k80, "frameworks");
    for (size_t i = 0; i < json_array_size(frameworks); i++) {
        const json_t *framework = json_array_get(frameworks, i);
        assert_non_null(json_object_get(framework, "framework"));
        assert_int_equal(json_object_get(framework, "row") != NULL,
                         json_object_get(framework, "release") != NULL);
    }
    assert_true(json_array_size(frameworks) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_of_every_kind, session_new, session_free),
        cmocka_unit_test_setup_teardown(names_of_several_gpus, session_new, session_free),
        cmocka_unit_test_setup_teardown(models_that_share_an_id, session_new, session_free),
        cmocka_unit_test_setup_teardown(words_that_are_not_known, session_new, session_free),
        cmocka_unit_test_setup_teardown(cells_have_units, session_new, session_free),
        cmocka_unit_test_setup_teardown(equal_gpus_of_a_machine_count, session_new, session_free),
        cmocka_unit_test_setup_teardown(tables_are_tidy, session_new, session_free),
        cmocka_unit_test_setup_teardown(json_leaves_out_what_is_not_known, session_new,
                                        session_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
