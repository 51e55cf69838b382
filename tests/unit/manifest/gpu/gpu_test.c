/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "manifest/gpu/device.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_match.h"
#include "manifest/gpu/gpu_table.h"
#include "manifest/gpu/instance.h"
#include "manifest/manifest.h"
#include "manifest/store/store.h"

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

static void test_by_name(void **state)
{
    static const struct {
        const char *name, *id;
    } cases[] = {
        {"H100 SXM5 80GB", "gpu/h100-sxm5-80gb"},
        {"NVIDIA H100 80GB HBM3", "gpu/h100-sxm5-80gb"}, /* as the driver calls it */
        {"NVIDIA H100 PCIe", "gpu/h100-pcie"},
        {"h100", "gpu/h100-pcie"},
        {"NVIDIA H100 NVL", "gpu/h100-nvl"},
        {"NVIDIA A100-SXM4-40GB", "gpu/a100-sxm4-40gb"},
        {"NVIDIA A100-SXM4-80GB", "gpu/a100-sxm4-80gb"},
        {"NVIDIA A100 80GB PCIe", "gpu/a100-pcie-80gb"},
        {"A100", "gpu/a100-pcie-40gb"},
        {"Tesla V100-SXM2-16GB", "gpu/tesla-v100-sxm2-16gb"},
        {"NVIDIA GeForce RTX 4090", "gpu/geforce-rtx-4090"},
        {"rtx 4090", "gpu/geforce-rtx-4090"},
        {"RTX_4090", "gpu/geforce-rtx-4090"},
        {"rtx4090", "gpu/geforce-rtx-4090"},
        {"RTX4070TiSUPER", "gpu/geforce-rtx-4070-ti-super"},
        {"rtx 4070", "gpu/geforce-rtx-4070"},
        {"Tesla T4", "gpu/tesla-t4"},
        {"t4", "gpu/tesla-t4"},
        {"l40s", "gpu/l40s"},
        {"L4", "gpu/l4"},
        {"B200", "gpu/b200"},
        {"GB10", "gpu/gb10-dgx-spark"},
        {"H20", "gpu/h20"},
        {"H200", "gpu/h200-sxm"},
        {"GTX TITAN", "gpu/geforce-gtx-titan"},
        {"titan xp", "gpu/titan-xp"},
        {"  nvidia   a10  ", "gpu/a10"},
        {"Jetson Orin Nano", "gpu/jetson-orin-nano"},
        {"NVIDIA RTX 6000 Ada Generation", "gpu/rtx-6000-ada-generation"},
        {"NVIDIA GH200 480GB", "gpu/gh200-96gb-hbm3"}, /* after the processor's memory */
        {"GH200", "gpu/gh200-96gb-hbm3"},
        {"Tesla K40c", "gpu/tesla-k40c"}, /* has no figures */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_STRLIST struct strlist near = {0};
        const struct manifest_gpu *gpu = manifest_gpu_by_name(*state, cases[i].name, &near);
        assert_non_null(gpu);
        assert_string_equal(gpu->id, cases[i].id);
        assert_int_equal(near.count, 0);
        assert_ptr_equal(manifest_gpu_by_name(*state, cases[i].name, NULL), gpu);
    }
}

/* Names of those without figures, and of parts of a GPU. */
static void test_by_other_names(void **state)
{
    static const struct {
        const char *name, *id;
    } cases[] = {
        /* as public lists have them */
        {"GeForce RTX 4090 Laptop GPU", "device/geforce-rtx-4090-laptop-gpu-2717"},
        {"NVIDIA RTX A2000 Laptop GPU", "device/rtx-a2000-laptop-gpu-25b8"},
        {"rtx 4070 mobile", "device/geforce-rtx-4070-laptop-gpu-2820"},
        {"GeForce RTX 2080 with Max-Q Design", "device/geforce-rtx-2080-with-max-q-design-1e90"},
        {"RTX 4060 Laptop 8GB", "device/geforce-rtx-4060-laptop-gpu-28a0"},
        {"Quadro 6000", "device/quadro-6000-06d8"}, /* no Quadro RTX 6000 */
        {"RTX 6000 Ada", "gpu/rtx-6000-ada-generation"},
        {"GA106M [GeForce RTX 3060 Mobile / Max-Q] (rev a1)", "device/geforce-rtx-3060-max-q-2520"},
        /* parts of a GPU */
        {"H100-1g.10gb", "gpu/h100-pcie"},
        {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "gpu/a100-sxm4-40gb"},
        {"A30 MIG 1g.6gb+me", "gpu/a30"},
        {"GRID T4-8Q", "gpu/tesla-t4"},
        {"NVIDIA A16-4C", "gpu/a16"},
        {"NVIDIA H100XM-1-10CME", "gpu/h100-sxm5-80gb"},
        {"GRID A100X-8C", "gpu/a100-sxm4-40gb"},
        {"GRID V100DX-16Q", "gpu/tesla-v100-pcie-16gb"},
        {"NVIDIA RTX6000-Ada-48Q", "gpu/rtx-6000-ada-generation"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_gpu *gpu = manifest_gpu_by_name(*state, cases[i].name, NULL);
        assert_non_null(gpu);
        assert_string_equal(gpu->id, cases[i].id);
    }
}

/* Every model is found under its own name. */
static void test_by_own_name(void **state)
{
    size_t count;
    const struct manifest_gpu *gpus = manifest_gpu_all(*state, &count);
    assert_true(count > 100);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(manifest_gpu_by_name(*state, gpus[i].name, NULL), &gpus[i]);
}

static void test_h100(void **state)
{
    const struct manifest_gpu *any = manifest_gpu_by_name(*state, "H100", NULL);
    struct version hopper = {.part = {9, 0}, .count = 2};
    assert_int_equal(version_compare(&any->capability, &hopper), 0);
    assert_string_equal(any->gpu_class, "data-centre");

    const struct manifest_gpu *gpu = manifest_gpu_by_device(*state, "2330");
    assert_string_equal(gpu->name, "H100 SXM5 80GB");
    assert_string_equal(gpu->architecture, "Hopper");
    assert_int_equal(gpu->memory_gb, 80);
    assert_string_equal(gpu->memory_type, "HBM3");
    assert_float_equal(gpu->bandwidth_gb_s, 3352, 0.01);
    assert_float_equal(gpu->fp32_tflops, 66.9, 0.01);
    assert_float_equal(gpu->fp16_tensor_tflops, 989, 0.01);
    assert_true(gpu->fp16_tflops < 0.01); /* unknown */
    assert_int_equal(gpu->tdp_w, 700);
    assert_string_equal(gpu->pcie, "5.0 x16");
    assert_string_equal(gpu->nvlink, "yes");
    assert_string_equal(gpu->link_basis, "editor");
    assert_string_equal(gpu->confidence, "high");
    assert_null(gpu->notes);
}

static void test_unknown_cells(void **state)
{
    const struct manifest_gpu *h20 = manifest_gpu_by_name(*state, "H20", NULL);
    assert_int_equal(h20->memory_gb, 0);
    assert_int_equal(h20->tdp_w, 0);
    assert_null(h20->memory_type);
    assert_null(h20->pcie);
    const struct manifest_gpu *orin = manifest_gpu_by_name(*state, "Jetson AGX Orin", NULL);
    assert_int_equal(orin->device_ids.count, 0);
    assert_string_equal(orin->gpu_class, "jetson");
    assert_string_equal(orin->memory_type, "system");
    /* Two GPUs on a board, the figures of one. */
    const struct manifest_gpu *k80 = manifest_gpu_by_name(*state, "K80", NULL);
    assert_int_equal(k80->gpus_per_board, 2);
    assert_int_equal(k80->memory_gb, 12);
}

/* A model is the same, whether its row alone was read or all of them. */
static void test_by_device_alone(void **state)
{
    size_t asked = 0;
    for (size_t i = 0; i < gpu_count(*state); i++) {
        const struct manifest_gpu *gpu = gpu_at(*state, i);
        for (size_t k = 0; k < gpu->device_ids.count; k++, asked++) {
            const char *device_id = gpu->device_ids.items[k];
            struct manifest *fresh = manifest_new();
            const struct manifest_gpu *whole = manifest_gpu_by_device(*state, device_id);
            const struct manifest_gpu *alone = manifest_gpu_by_device(fresh, device_id);
            assert_string_equal(alone->id, whole->id);
            assert_string_equal(alone->source, whole->source);
            assert_ptr_equal(alone, manifest_gpu_by_device(fresh, device_id));
            manifest_free(fresh);
        }
    }
    assert_true(asked > 100);
}

/* However many are asked for, what was handed out stays. */
static void test_by_many_devices(void **state)
{
    const struct manifest_gpu *t4 = manifest_gpu_by_device(*state, "1eb8");
    for (unsigned id = 0x1e00; id < 0x2400; id++) {
        AUTO_FREE char *device_id = mem_printf("%04x", id);
        manifest_gpu_by_device(*state, device_id);
    }
    assert_null(manifest_gpu_by_device(*state, "ffff"));
    assert_null(manifest_gpu_by_device(*state, ""));
    assert_null(manifest_gpu_by_device(*state, "\", \""));
    assert_string_equal(t4->name, "Tesla T4");
    assert_string_equal(manifest_gpu_by_device(*state, "1eb8")->id, t4->id);
    assert_null(manifest_problem(*state));
}

static void test_by_device(void **state)
{
    assert_string_equal(manifest_gpu_by_device(*state, "1EB8")->name, "Tesla T4");
    assert_string_equal(manifest_gpu_by_device(*state, "1eb8")->name, "Tesla T4");
    assert_string_equal(manifest_gpu_by_device(*state, "1fdd")->name, "GeForce GTX 1650");
    assert_string_equal(manifest_gpu_by_device(*state, "1e30")->name, "Quadro RTX 6000");
    assert_string_equal(manifest_gpu_by_device(*state, "1024")->name, "Tesla K40c");
    assert_string_equal(manifest_gpu_by_device(*state, "2342")->name, "GH200 96GB HBM3");
    assert_null(manifest_gpu_by_device(*state, "ffff"));
    assert_null(manifest_gpu_by_device(*state, ""));
    assert_null(manifest_gpu_by_device(*state, "233"));
    assert_null(manifest_gpu_by_device(*state, "23300"));
}

static void test_coherent_boards(void **state)
{
    assert_true(manifest_gpu_is_coherent(*state, "NVIDIA GH200 480GB"));
    assert_true(manifest_gpu_is_coherent(*state, "NVIDIA GH200 144G HBM3e"));
    assert_true(manifest_gpu_is_coherent(*state, "NVIDIA GB200"));
    assert_true(manifest_gpu_is_coherent(*state, "nvidia gb300"));
    assert_true(manifest_gpu_is_coherent(*state, "NVIDIA GB10"));
    assert_false(manifest_gpu_is_coherent(*state, "NVIDIA B200"));
    assert_false(manifest_gpu_is_coherent(*state, "NVIDIA H200"));
    assert_false(manifest_gpu_is_coherent(*state, ""));
}

/* All that a word may mean, the first one being what a lookup gives. */
static void test_models_of_a_word(void **state)
{
    static const struct {
        const char *name;
        size_t count;
        const char *first, *last;
    } cases[] = {
        {"H100", 3, "H100 PCIe", "H100 NVL"},
        {"A100", 4, "A100 PCIe 40GB", "A100 SXM4 80GB"},
        {"GeForce RTX 4090", 1, "GeForce RTX 4090", "GeForce RTX 4090"},
        {"K20m", 1, "Tesla K20m", "Tesla K20m"},
        {"Voodoo", 0, NULL, NULL},
        {"", 0, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_MODELS struct gpu_models models = {0};
        gpu_models_named(*state, cases[i].name, &models);
        assert_int_equal(models.count, cases[i].count);
        assert_ptr_equal(manifest_gpu_by_name(*state, cases[i].name, NULL),
                         models.count ? models.items[0] : NULL);
        if (models.count == 0)
            continue;
        assert_string_equal(models.items[0]->name, cases[i].first);
        assert_string_equal(models.items[models.count - 1]->name, cases[i].last);
    }
}

/* A name within other words; no name where another word may make it another GPU. */
static void test_models_within(void **state)
{
    static const struct {
        const char *text;
        const char *first; /* NULL: none */
    } cases[] = {
        {"ASUS TUF Gaming GeForce RTX 4090 OC 24GB", "GeForce RTX 4090"},
        {"MSI GeForce RTX 3090 Ti SUPRIM X", "GeForce RTX 3090 Ti"},
        {"EVGA GeForce GTX 970 SC 04G-P4-2974-KR", "GeForce GTX 970"},
        {"GH200 Grace Hopper Superchip", "GH200 96GB HBM3"},
        {"NVIDIA GB10 Grace Blackwell Superchip", "GB10 (DGX Spark)"},
        {"Gigabyte GeForce GTX TITAN X XTREME", "GeForce GTX TITAN X"},
        {"RTX 4070 ROG SUPER", NULL},           /* there is an RTX 4070 SUPER */
        {"RTX 6000 Rubin", NULL},               /* an architecture of its own */
        {"GH200 Grace Blackwell", NULL},        /* not its architecture */
        {"GeForce RTX 5090 or RTX 9090", NULL}, /* a number of another */
        {"a2-othergpu-1g", NULL},               /* an instance type, not an A2 */
        {"Sapphire Radeon RX 7900 XT Pulse", NULL},
        {"4090", NULL},
        {"NVIDIA", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_MODELS struct gpu_models models = {0};
        gpu_models_within(*state, cases[i].text, &models);
        if (models.count > 0 || cases[i].first)
            print_message("%s\n", cases[i].text);
        assert_int_equal(models.count > 0, cases[i].first != NULL);
        if (models.count > 0)
            assert_string_equal(models.items[0]->name, cases[i].first);
    }
}

static void test_models_of_a_number(void **state)
{
    const struct version kepler = {.part = {3, 5}, .count = 2};
    const struct version future = {.part = {99, 0}, .count = 2};
    AUTO_MODELS struct gpu_models shared = {0};
    gpu_models_with_device(*state, "25B6", &shared);
    assert_int_equal(shared.count, 2);
    assert_string_equal(shared.items[1]->name, "A16");
    AUTO_MODELS struct gpu_models models = {0};
    gpu_models_with_capability(*state, &future, &models);
    assert_int_equal(models.count, 0);
    gpu_models_with_capability(*state, &kepler, &models);
    assert_int_equal(models.count, 7);
    assert_string_equal(models.items[0]->name, "GeForce GTX TITAN"); /* those with figures first */
    for (size_t i = 0; i < models.count; i++)
        assert_int_equal(version_compare(&models.items[i]->capability, &kepler), 0);
}

/* Cards that have no figures are named by their PCI ids, and no other card's name is taken. */
static void test_names_of_ids(void **state)
{
    static const struct {
        const char *device_id, *name;
    } cases[] = {
        {"128b", "GeForce GT 710"},
        {"25a0", "GeForce RTX 3050Ti Laptop GPU"},
        {"1b30", "Quadro P6000"},
        {"1f97", "GeForce MX450"},
        {"0f02", "GeForce GT 730"}, /* Fermi: CUDA 8 is the last */
        {"2900", NULL},             /* reserved */
        {"2684", "GeForce RTX 4090"},
        {"2757", "GeForce RTX 4090 Laptop GPU"}, /* another chip than the card's */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_gpu *gpu = manifest_gpu_by_device(*state, cases[i].device_id);
        assert_string_equal(gpu ? gpu->name : "", cases[i].name ? cases[i].name : "");
    }
    assert_string_equal(manifest_gpu_by_name(*state, "GeForce RTX 4090 Laptop GPU", NULL)->name,
                        "GeForce RTX 4090 Laptop GPU");
    AUTO_MODELS struct gpu_models three = {0};
    gpu_models_named(*state, "GeForce GT 730", &three); /* chips of three capabilities */
    assert_int_equal(three.count, 3);
    assert_true(gpu_models_differ(&three));
}

static void test_nearest(void **state)
{
    static const struct {
        const char *name, *nearest;
    } cases[] = {
        {"H10O", "H100 PCIe"},
        {"RTX 4O90", "GeForce RTX 4090"},
        {"GeForce RTX 4O90 Laptop", "GeForce RTX 4090"},
        {"rtx4O90", "GeForce RTX 4090"},
        {"Telsa T4", "Tesla T4"},
        {"L40X", "L40"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_STRLIST struct strlist near = {0};
        assert_null(manifest_gpu_by_name(*state, cases[i].name, &near));
        assert_true(near.count >= 1 && near.count <= 5);
        assert_string_equal(near.items[0], cases[i].nearest);
    }
}

/* A name that GPUs of different architectures have is none of one of them. */
static void test_several_architectures(void **state)
{
    static const struct {
        const char *name, *one, *other;
    } cases[] = {
        {"RTX 6000", "Quadro RTX 6000", "RTX 6000 Ada Generation"},
        {"TITAN X", "GeForce GTX TITAN X", "TITAN X (Pascal)"},
        {"RTX 4000", "Quadro RTX 4000", "RTX 4000 Ada Generation"},
        {"GeForce GT 1030", "GeForce GT 1030", "GeForce GT 1030"},
        {"GTX 860M", "GeForce GTX 860M", "GeForce GTX 860M"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_STRLIST struct strlist near = {0};
        AUTO_MODELS struct gpu_models models = {0};
        gpu_models_named(*state, cases[i].name, &models);
        assert_true(gpu_models_differ(&models));
        assert_null(manifest_gpu_by_name(*state, cases[i].name, &near));
        assert_true(strlist_has(&near, cases[i].one));
        assert_true(strlist_has(&near, cases[i].other));
    }
}

static void test_listing(void **state)
{
    static const struct {
        const char *device_id;
        struct version driver;
        enum manifest_listing listing;
        const char *first; /* after that driver, else of all */
    } cases[] = {
        {"2d05", {.part = {570, 86, 15}, .count = 3}, LISTING_NO, "570.158.01"}, /* RTX 5060 */
        {"2D05", {.part = {570, 158, 1}, .count = 3}, LISTING_YES, NULL},
        {"2d05",
         {.part = {575, 51, 2}, .count = 3},
         LISTING_NO,
         "575.57.08"}, /* a branch of its own */
        {"2d05", {.part = {580, 65, 6}, .count = 3}, LISTING_YES, NULL},
        {"233b", {.part = {535, 288, 1}, .count = 3}, LISTING_NO, "565.57.01"}, /* H200 NVL */
        {"2684", {.part = {525, 78, 1}, .count = 3}, LISTING_YES, NULL},
        {"2684", {.part = {470, 256, 2}, .count = 3}, LISTING_UNKNOWN, NULL},  /* no open modules */
        {"1b80", {.part = {535, 54, 3}, .count = 3}, LISTING_UNKNOWN, NULL},   /* Pascal */
        {"2bb2", {.part = {590, 44, 1}, .count = 3}, LISTING_NO, "580.95.05"}, /* once more not */
        {"", {.part = {570, 86, 15}, .count = 3}, LISTING_UNKNOWN, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_listed *row;
        const struct version *first;
        assert_int_equal(
            manifest_device_listing(*state, cases[i].device_id, &cases[i].driver, &row, &first),
            cases[i].listing);
        assert_true(first != NULL || cases[i].listing == LISTING_UNKNOWN);
        char text[VERSION_TEXT_SIZE];
        if (cases[i].first != NULL)
            assert_string_equal(version_text(first, 0, text), cases[i].first);
        assert_true(row != NULL || cases[i].listing != LISTING_YES);
    }
}

static void test_instances(void **state)
{
    static const struct {
        const char *name, *provider, *gpu;
        unsigned count;
    } cases[] = {
        {"p3.2xlarge", "AWS", "Tesla V100 16GB", 1},
        {"AWS P3", "AWS", "Tesla V100 16GB", 0},
        {"amazon ec2 p4", "AWS", "A100 40GB", 8},
        {"Standard_NC24ads_A100_v4", "Azure", "A100 80GB", 1},
        {"nc24ads_a100_v4", "Azure", "A100 80GB", 1},
        {"a2-ultragpu-4g", "Google Cloud", "A100 80GB", 4},
        {"bm.gpu.a100-v2.8", "Oracle Cloud", "A100 80GB", 8},
        {"ecs.gn7i-c8g1.2xlarge", "Alibaba Cloud", "A10", 1},
        {"p3.3xlarge", "AWS", "Tesla V100 16GB", 0}, /* by its family */
        {"ecs.gn6v-c10g1.20xlarge", "Alibaba Cloud", "Tesla V100 16GB", 0},
        {"p4d.3xlarge", NULL, NULL, 0}, /* all that are listed have eight */
        {"p3.medium", NULL, NULL, 0},
        {"p33.xlarge", NULL, NULL, 0},
        {"AWS", NULL, NULL, 0},
        {"", NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_instance *row = manifest_instance_find(*state, cases[i].name);
        assert_int_equal(row != NULL, cases[i].provider != NULL);
        if (row == NULL)
            continue;
        assert_string_equal(row->provider, cases[i].provider);
        assert_string_equal(row->gpu, cases[i].gpu);
        assert_int_equal(row->count, cases[i].count);
    }
}

/* Every instance type has GPUs that are known, and of one compute capability. */
static void test_gpus_of_instances(void **state)
{
    size_t count;
    const struct manifest_instance *rows =
        manifest_rows(*state, &manifest_instance_subject, 0, &count);
    assert_true(count >= 100);
    for (size_t i = 0; i < count; i++) {
        AUTO_MODELS struct gpu_models models = {0};
        gpu_models_named(*state, rows[i].gpu, &models);
        assert_true(models.count > 0);
        assert_false(gpu_models_differ(&models));
        assert_ptr_equal(manifest_instance_find(*state, rows[i].names.items[0]), &rows[i]);
    }
}

static void test_ranges(void **state)
{
    static const struct {
        const char *device_id, *architecture;
    } cases[] = {
        {"1c8d", "Pascal"},    {"1C8D", "Pascal"},    {"1b00", "Pascal"},
        {"1d56", "Pascal"},    {"139b", "Maxwell"},   {"1f99", "Turing"},
        {"21c4", "Turing"},    {"2414", "Ampere"},    {"28f8", "Ada Lovelace"},
        {"2c59", "Blackwell"}, {"128b", "Kepler"},    {"1d57", NULL},
        {"13ad", "Maxwell"},   {"2900", "Blackwell"}, {"3021", "Rubin"},
        {"0612", NULL},        {"1c8", NULL},         {"", NULL},
        {"ffff", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_gpu_range *range = manifest_gpu_range_of(*state, cases[i].device_id);
        assert_string_equal(range ? range->architecture : "",
                            cases[i].architecture ? cases[i].architecture : "");
    }
}

static void test_not_a_name(void **state)
{
    AUTO_TEXT struct text endless = {0};
    for (int i = 0; i < 100000; i++)
        text_append(&endless, "RTX ");
    static const char *const names[] = {
        "", "   ", "NVIDIA", "Radeon Instinct MI300X", "\xff", "\x1b[31m", "-_-", "HBM2e", "24GB"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        assert_null(manifest_gpu_by_name(*state, names[i], NULL));
    AUTO_STRLIST struct strlist near = {0};
    assert_null(manifest_gpu_by_name(*state, "Radeon Instinct MI300X", &near));
    assert_int_equal(near.count, 0);
    assert_null(manifest_gpu_by_name(*state, text_string(&endless), &near)); /* it is cut */
    assert_true(near.count > 100);                                           /* all have the word */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several_architectures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_instances, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gpus_of_instances, setup, teardown),
        cmocka_unit_test_setup_teardown(test_listing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_own_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_other_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_h100, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_cells, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_device, setup, teardown),
        cmocka_unit_test_setup_teardown(test_coherent_boards, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_device_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_many_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_models_of_a_word, setup, teardown),
        cmocka_unit_test_setup_teardown(test_models_within, setup, teardown),
        cmocka_unit_test_setup_teardown(test_models_of_a_number, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_of_ids, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nearest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_a_name, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
