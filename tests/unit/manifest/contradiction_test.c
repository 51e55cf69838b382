/* SPDX-License-Identifier: MIT */
/* Rows that contradict themselves, one another, or another subject. */
#include "broken.h"

static void test_cuda(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cuda.rows[version=12.8.1].version", "\"12.8\"", NULL, "three numbers"},
        {"cuda.rows[version=12.8.1].version", "\"12.8.0\"", NULL,
         "a unique row, found cuda/12.8.0, which rows["},
        {"cuda.rows[version=12.8.1].version", "\"12.6.4\"", NULL, "after cuda/12.8.0"},
        {"cuda.rows[version=12.8.1].release", "\"12.9 GA\"", NULL, "begins with 12.8"},
        {"cuda.rows[version=13.4.2].driver_bundled", "\"615.71.09\"", NULL, "ships_driver"},
        {"cuda.rows[version=12.8.0].driver_min", "\"999.1\"", NULL,
         "driver.rows lists, found 999.1"},
        {"cuda.rows[version=12.8.0].driver_min", "\"0.1\"", NULL, "driver.rows lists, found 0.1"},
        {"cuda.rows[version=12.8.0].driver_min", "\"525.60.13\"", NULL, "driver/525 does not"},
        {"cuda.rows[version=12.8.0].driver_bundled", "\"999.1\"", NULL,
         "driver.rows lists, found 999.1"},
        {"cuda.majors[major=12].driver_min", "\"590.1\"", NULL, "within table_range, found 590.1"},
        {"cuda.majors[major=12].driver_min", NULL, NULL, "found nothing"},
        {"cuda.majors[major=12].driver_min", "\"526.1\"", NULL, "a branch that driver.rows lists"},
        {"cuda.majors[major=12].major", "10", NULL, "which majors[0] already has"},
    };
    REFUSE(cases);
}

static void test_driver(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"driver.rows[branch=570].branch", "525", NULL, "already has"},
        {"driver.rows[branch=570].branch", "511", NULL, "after driver/565"},
        {"driver.rows[branch=570].cuda", "\"11.8\"", NULL, "at least the value in driver/565"},
        {"driver.rows[+]",
         "{\"branch\": 625, \"cuda\": \"9.0\", \"source\": [\"kernel-modules-620\"],"
         " \"confidence\": \"low\"}",
         "driver.rows[+].cuda", "at least the value in driver/387"},
        {"driver.rows[branch=570].cuda", "\"12.8.1\"", NULL, "two numbers"},
        {"driver.rows[branch=570].latest", "\"575.1\"", NULL, "in branch 570"},
        {"driver.rows[branch=570].capability_min", "\"99.9\"", NULL,
         "that capability.architectures lists, found 99.9"},
        {"driver.rows[branch=570].oldest_architecture", "\"Hopper\"", NULL,
         "expected Maxwell, the architecture of capability_min"},
        {"driver.rows[branch=570].eol", "\"2024-12\"", NULL, "first_release 2025-01-27"},
    };
    REFUSE(cases);
}

static void test_capability(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"capability.rows[capability=9.0].capability", "\"9\"", NULL, "two numbers"},
        {"capability.rows[capability=9.0].sm", "\"sm_91\"", NULL, "expected sm_90"},
        {"capability.rows[capability=9.0].last_cuda", "\"11.7\"", NULL, "at least first_cuda"},
        {"capability.rows[capability=9.0].dropped_in", "\"13.0\"", NULL, "last_cuda"},
        {"capability.rows[capability=7.0].last_cuda", "\"12.97\"", NULL, "that cuda.rows lists"},
        {"capability.rows[capability=7.0].dropped_in", "\"13.97\"", NULL, "that cuda.rows lists"},
        {"capability.rows[capability=9.0].last_branch", "470", NULL, "at least first_branch"},
        {"capability.rows[capability=9.0].last_branch", "570", NULL, "as in architecture/hopper"},
        {"capability.rows[capability=9.0].first_branch", "521", NULL, "found branch 521"},
        {"capability.rows[capability=9.0].architecture", "\"Ada\"", NULL, "Hopper"},
        {"capability.rows[capability=9.0].renamed_to", "\"11.9\"", NULL, "11.9"},
        {"capability.architectures[architecture=Hopper].capabilities", "[\"9\"]", NULL,
         "such as 9.0"},
        {"capability.architectures[architecture=Hopper].capabilities", "[\"9.0\", \"99.9\"]", NULL,
         "that capability.rows lists, found 99.9"},
        {"capability.architectures[architecture=Hopper].capabilities", "[\"8.0\", \"9.0\"]", NULL,
         "expected none that architecture/ampere already has, found 8.0"},
        {"capability.architectures[architecture=Turing].open_module_from", "516", NULL,
         "found branch 516"},
    };
    REFUSE(cases);
}

static void test_gpu(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"gpu.rows[name=H100 SXM5 80GB].device_ids", "[\"233G\"]", NULL, "found 233G"},
        {"gpu.rows[name=H100 SXM5 80GB].device_ids", "[\"2b85\"]", NULL, "gpu/ranges/2b85"},
        {"gpu.ranges[first=1b00].first", "\"1B00\"", NULL, "four lowercase"},
        {"gpu.coherent[board=GH200].board", "\"NVIDIA\"", NULL, "with its number"},
        {"gpu.coherent[board=GH200].board", "\"GB200\"", NULL, "which coherent["},
        {"gpu.coherent[board=GH200].board", "\"A100\"", NULL, "after gpu/coherent/gb300"},
        {"gpu.ranges[first=1b00].first", "\"17f0\"", NULL, "greater than 17fd"},
        {"gpu.ranges[first=1b00].last", "\"1aff\"", NULL, "1b00 or greater"},
        {"gpu.ranges[first=1b00].architecture", "\"Volta\"", NULL, "Pascal"},
        {"gpu.rows[name=H100 SXM5 80GB].device_ids", "[\"0x2330\"]", NULL, "four lowercase"},
        {"gpu.rows[name=H100 SXM5 80GB].capability", "\"9.1\"", NULL, "capability.rows lists"},
        {"gpu.rows[name=H100 SXM5 80GB].architecture", "\"Ada\"", NULL, "Hopper"},
    };
    REFUSE(cases);
}

static void test_device(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"device.rows[name=GeForce RTX 4050 Laptop GPU].device_ids", "[\"2b85\"]", NULL,
         "gpu/ranges/2b85"},
        {"device.rows[name=GeForce RTX 4050 Laptop GPU].device_ids", "[\"28A1\"]", NULL,
         "four lowercase"},
        {"device.rows[name=GeForce RTX 4050 Laptop GPU].chip", "\"AD999\"", NULL,
         "a chip of device/chips"},
        {"device.rows[name=GeForce RTX 4050 Laptop GPU].capability", "\"8.6\"", NULL,
         "device/chips/ad107"},
        {"device.rows[name=GeForce RTX 4050 Laptop GPU].architecture", "\"Ampere\"", NULL,
         "Ada Lovelace"},
        {"device.chips[chip=AD107].chip", "\"ad107\"", NULL, "capital letters"},
        {"device.chips[chip=AD107].architecture", "\"Hopper\"", NULL, "Ada Lovelace"},
        {"device.listed[branch=525,release=525.85.05].branch", "520", NULL, "525 or greater"},
        {"device.listed[branch=525,release=525.85.05].release", "\"530.41.03\"", NULL,
         "branch 525"},
        {"device.boards[board=H100XM].device_ids", "[\"H100\"]", NULL, "four lowercase"},
        {"instance.rows[gpu=L20].provider", "\"Mine\"", NULL, "Google Cloud"},
        {"instance.rows[gpu=L20].names", "[\"mine\", \"gn7e\"]", NULL,
         "instance/alibaba-cloud/gn7e"},
    };
    REFUSE(cases);
}

static void test_compat(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"compat.rows[cuda=12.8,branch=570].branch", "571", NULL, "found branch 571"},
        {"compat.rows[cuda=12.8,branch=570].verdict", "\"yes\"", NULL, "expected \"paired\""},
        {"compat.rows[cuda=12.8,branch=535].verdict", "\"no\"", NULL, "expected \"yes\""},
        {"compat.rows[cuda=12.8,branch=580].verdict", "\"yes\"", NULL, "expected \"no\""},
        {"compat.rows[last].cuda", "\"14.9\"", NULL, "that cuda.rows lists"},
        {"compat.rows[cuda=12.8,branch=535].cuda", "\"12.8.0\"", NULL, "two numbers"},
    };
    REFUSE(cases);
}

static void test_cudnn(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cudnn.majors[major=9].required", "[\"libcudnn.so.8\"]", NULL, ".so.9"},
        {"cudnn.majors[major=9].optional", "[\"libcudnn.so.9\"]", NULL,
         "a soname that is not in required"},
        {"cudnn.majors[major=9].optional", "[\"/lib/x.so.9\"]", NULL, "libcudnn"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuda),       cmocka_unit_test(test_driver),
        cmocka_unit_test(test_capability), cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_device),     cmocka_unit_test(test_compat),
        cmocka_unit_test(test_cudnn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
