/* SPDX-License-Identifier: MIT */
#include "report/machine/gpu_list.h"
#include "report/machine/summary.h"
#include "test.h"

#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "report/sample.h"

#define GIB (1LL << 30)

static void add_gpu(struct facts *facts, unsigned index, int64_t used, const char *processes)
{
    AUTO_FREE char *group = mem_printf("nvml/%u", index);
    AUTO_STRLIST struct strlist list = {0};
    if (*processes)
        strlist_split(&list, processes, ':');
    facts_set_string(facts, group, "name", "NVIDIA H100 80GB HBM3", "NVML");
    facts_set_string(facts, group, "capability", "9.0", "NVML");
    facts_set_integer(facts, group, "memory_total_bytes", 80 * GIB, "NVML");
    facts_set_integer(facts, group, "memory_used_bytes", used, "NVML");
    facts_set_list(facts, group, "processes", &list, "NVML");
}

static void assert_lines(const struct facts *facts, bool verbose, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    struct report_input input = {.facts = facts, .columns = 80, .verbose = verbose};
    gpu_list_append(&input, 16, &text);
    assert_string_equal(text_string(&text), expected);
}

static void no_answer(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    assert_lines(facts, false, "");
    facts_free(facts);
}

/* WSL and Jetson have GPUs, and none on a bus. */
static void not_on_the_bus(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    const struct report_input input = {.facts = facts, .columns = 80};
    AUTO_TEXT struct text none = {0};
    AUTO_TEXT struct text one = {0};
    AUTO_STRLIST struct strlist sources = {0};
    facts_set_integer(facts, "pci", "count", 0, "sysfs");
    summary_append(&input, BLOCK_GPU, &none, &sources);
    assert_string_equal(text_string(&none), "no NVIDIA GPU on the PCI bus");
    facts_set_string(facts, "cuda/0", "name", "Orin", "libcuda.so.1");
    summary_append(&input, BLOCK_GPU, &one, &sources);
    assert_string_equal(text_string(&one), "1 x Orin, not on the PCI bus");
    facts_free(facts);
}

static void a_line_for_each(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    add_gpu(facts, 0, GIB / 2, "");
    add_gpu(facts, 1, 12 * GIB, "7 1:8 2");
    facts_set_string(facts, "nvml/2", "name", "Quadro\x1b[31m K620", "NVML");
    facts_set_integer(facts, "nvml/2", "memory_total_bytes", 2 * GIB, "NVML");
    facts_set_boolean(facts, "nvml/2", "display_active", true, "NVML");
    assert_lines(facts, false,
                 "                0: NVIDIA H100 80GB HBM3, compute capability 9.0, 0.5 of 80.0\n"
                 "                   GiB used, no process\n"
                 "                1: NVIDIA H100 80GB HBM3, compute capability 9.0, 12.0 of 80.0\n"
                 "                   GiB used, 2 processes\n"
                 "                2: Quadro\\x1b[31m K620, 2.0 GiB, drives a display, less than 4\n"
                 "                   GB: too small for most models\n");
    facts_free(facts);
}

static void a_kind_has_a_line(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    for (unsigned i = 0; i < 8; i++)
        add_gpu(facts, i, (int64_t)i * GIB, i == 3 ? "" : "5 1");
    add_gpu(facts, 8, 0, "");
    facts_set_string(facts, "nvml/8", "name", "NVIDIA T4", "NVML");
    AUTO_STRLIST struct strlist kinds = {0};
    gpu_list_kinds(facts, &kinds);
    assert_int_equal(kinds.count, 2);
    assert_string_equal(kinds.items[0], "8 x NVIDIA H100 80GB HBM3, compute capability 9.0, 0.0 to "
                                        "7.0 of 80.0 GiB used, 7 processes");
    assert_string_equal(kinds.items[1], "NVIDIA T4, compute capability 9.0, 0.0 of 80.0 GiB used, "
                                        "no process");
    AUTO_TEXT struct text text = {0};
    struct report_input input = {.facts = facts, .columns = 80, .verbose = true};
    gpu_list_append(&input, 16, &text);
    assert_non_null(strstr(text_string(&text), "                8: NVIDIA T4"));
    facts_free(facts);
}

static void cuda_alone(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    facts_set_string(facts, "cuda/0", "name", "NVIDIA A100-SXM4-40GB", "CUDA");
    facts_set_string(facts, "cuda/0", "capability", "8.0", "CUDA");
    facts_set_integer(facts, "cuda/0", "memory_bytes", 40 * GIB, "CUDA");
    assert_lines(facts, false,
                 "                0: NVIDIA A100-SXM4-40GB, compute capability 8.0, 40.0 GiB\n");
    facts_set_unknown(facts, "cuda/0", "name", "it crashed", "CUDA");
    facts_set_unknown(facts, "cuda/0", "memory_bytes", "it crashed", "CUDA");
    assert_lines(facts, false, "                0: GPU of unknown name, compute capability 8.0\n");
    facts_free(facts);
}

/* In the whole report: below the line of the block; runtime and driver by their own names. */
static void in_the_report(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    add_gpu(facts, 0, 0, "");
    facts_set_absent(facts, "module", "version", "/proc/driver/nvidia/version");
    facts_set_string(facts, "answer/libnvidia-ml.so.1", "driver_version", "570.86.15", "NVML");
    facts_set_string(facts, "loader/libcudart.so.12", "real_path", "/x/libcudart.so.12.4.127", "l");
    facts_set_string(facts, "library/x", "path", "/x/libcudart.so.12.4.127", "/x");
    facts_set_string(facts, "library/x", "version", "12.4.127", "/x/libcudart.so.12.4.127");
    AUTO_TEXT struct text text = {0};
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    sample_check(judgement, "HST-901", CHECK_SKIP, "nothing is required");
    struct report_input input = sample_input(facts, judgement, NULL);
    input.verbose = true;
    report_format_find("text")->doctor(&input, &text);
    assert_non_null(strstr(text_string(&text), "     Driver     570.86.15, supports CUDA 12.8 "
                                               "[NVML]\n"));
    assert_non_null(strstr(text_string(&text),
                           "\n                0: NVIDIA H100 80GB HBM3, compute capability 9.0, "));
    assert_non_null(strstr(text_string(&text), "; runtime libcudart\n                12.4.127 ["));
    assert_non_null(strstr(text_string(&text), "\n     Host       Ubuntu"));
    judgement_free(judgement);
    facts_free(facts);
}

/* NVML's most is what the card and its slot allow together. */
static void lanes(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    add_gpu(facts, 0, GIB, "");
    facts_set_integer(facts, "nvml/0", "pcie_width", 4, "NVML");
    facts_set_integer(facts, "nvml/0", "pcie_width_max", 4, "NVML");
    assert_lines(facts, true,
                 "                0: NVIDIA H100 80GB HBM3, compute capability 9.0, PCIe x4, 1.0\n"
                 "                   of 80.0 GiB used, no process\n");
    facts_set_integer(facts, "nvml/0", "pcie_width_max", 8, "NVML");
    assert_lines(
        facts, true,
        "                0: NVIDIA H100 80GB HBM3, compute capability 9.0, PCIe x4 of x8,\n"
        "                   1.0 of 80.0 GiB used, no process\n");
    facts_free(facts);
}

static void as_json(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    add_gpu(facts, 0, GIB, "5 1");
    facts_set_integer(facts, "nvml/0", "pcie_width", 4, "NVML");
    AUTO_JSON json_t *array = gpu_list_json(facts);
    AUTO_TEXT struct text text = {0};
    json_append_text(array, &text);
    assert_string_equal(text_string(&text), "[\n"
                                            "  {\n"
                                            "    \"index\": 0,\n"
                                            "    \"name\": \"NVIDIA H100 80GB HBM3\",\n"
                                            "    \"uuid\": null,\n"
                                            "    \"bus_id\": null,\n"
                                            "    \"capability\": \"9.0\",\n"
                                            "    \"memory_total_bytes\": 85899345920,\n"
                                            "    \"memory_used_bytes\": 1073741824,\n"
                                            "    \"processes\": 1,\n"
                                            "    \"pcie_width\": 4,\n"
                                            "    \"pcie_width_max\": null,\n"
                                            "    \"display_active\": false\n"
                                            "  }\n"
                                            "]\n");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_answer),       cmocka_unit_test(not_on_the_bus),
        cmocka_unit_test(a_line_for_each), cmocka_unit_test(a_kind_has_a_line),
        cmocka_unit_test(cuda_alone),      cmocka_unit_test(in_the_report),
        cmocka_unit_test(lanes),           cmocka_unit_test(as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
