/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#define TORCH       "framework.builds[framework=pytorch,release=2.11.0,variant=cu130]"
#define AFTER_TORCH "framework.builds[framework=pytorch,release=2.12.0,variant=cu126]"
#define JAX         "framework.builds[framework=jax,release=0.11.0,variant=cuda12]"

static void test_builds(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {TORCH ".colour", "\"red\"", NULL, "unknown key"},
        {TORCH ".framework", NULL, NULL, "found nothing"},
        {TORCH ".framework", "\"theano\"", AFTER_TORCH ".framework", "a row that sorts after"},
        {TORCH ".release", "\"2.9.5\"", NULL, "after framework/pytorch-2.11.0+cu129"},
        {TORCH ".release", "\"2.11.0 final\"", NULL, "one word"},
        {TORCH ".variant", "\"cu129\"", TORCH ".framework", "a unique row"},
        {TORCH ".kind", "\"egg\"", NULL, "one of \"wheel\""},
        {TORCH ".kind", "\"conda\"", TORCH ".channel", "the channel of a conda package"},
        {TORCH ".channel", "\"pytorch\"", NULL, "none, since kind"},
        {TORCH ".stage", "\"nightly\"", NULL, "one of \"planned\""},
        {TORCH ".os_also", "\"windows\"", NULL, "a different system than os"},
        {TORCH ".uses_cuda", "\"maybe\"", NULL, "one of \"yes\""},
        {TORCH ".uses_cuda", "\"no\"", TORCH ".cuda", "none, since uses_cuda"},
        {TORCH ".cuda", "\"13\"", NULL, "at least two numbers"},
        {TORCH ".cuda", "\"13.9\"", NULL, "that cuda.rows lists, found 13.9"},
        {TORCH ".cuda", "\"13.x\"", NULL, "a version such as"},
        {TORCH ".cudas", "[\"12\", \"12.1x\"]", NULL, "12.x or 11.2+, found 12.1x"},
        {TORCH ".cudas", "[\"12.1.x\"]", NULL, "12.x or 11.2+"},
        {TORCH ".cudas", "[\"14.x\"]", NULL, "a CUDA version that cuda.rows lists, found 14"},
        {TORCH ".cudas", "[\"12.7\"]", NULL, "a CUDA version that cuda.rows lists"},
        {JAX ".cuda_range", "\">=12.10\"", JAX ".cuda", "a version within cuda_range"},
        {JAX ".cudnn", "\"8.9\"", NULL, "a version within cudnn_range"},
        {JAX ".cudnn_range", "\">=9.8,<9.1\"", NULL, "the lower bound below"},
        {JAX ".driver_min", "\"529\"", NULL, "a branch that driver.rows lists"},
        {"framework.builds[framework=triton-server,release=26.07].driver_listed", "\"591.1\"", NULL,
         "a branch that driver.rows lists"},
        {TORCH ".sass", "[\"sm_90\"]", NULL, "such as 8.6 or 9.0a, found sm_90"},
        {TORCH ".sass", "[\"9\"]", NULL, "such as 8.6 or 9.0a"},
        {TORCH ".sass", "[\"9.0ab\"]", NULL, "such as 8.6 or 9.0a"},
        {TORCH ".ptx", "[\"12.9\"]", NULL, "that capability.rows lists, found 12.9"},
        {TORCH ".ptx_fails", "[\"sm_120\"]", NULL, "such as 8.6 or 9.0a, found sm_120"},
        {TORCH ".sass", "[\"7.0\"]", NULL, "CUDA 13.0 compiles for"},
        {"framework.builds[framework=pytorch,release=2.6.0,variant=cu126].sass", "[\"12.0\"]", NULL,
         "CUDA 12.6 compiles for"},
        {TORCH ".capability_min", "\"7\"", NULL, "two numbers"},
        {TORCH ".capability_min", "\"7.97\"", NULL, "that capability.rows lists"},
        {TORCH ".capability_max", "\"99.9\"", NULL, "that capability.rows lists"},
        {"framework.builds[framework=rapids,release=25.06,variant=cu11].capability_max", "\"6.0\"",
         NULL, "capability_min or greater"},
        {"framework.builds[framework=pytorch,release=2.11.0,variant=cu128].is_default", "\"yes\"",
         TORCH ".is_default", "framework/pytorch-2.11.0+cu128 is already the default"},
        {TORCH ".source", "[\"nobody\"]", NULL, "keys from the table of sources"},
        {"framework.frameworks[framework=tvm].gpu_code", "\"some\"", NULL, "one of \"none\""},
    };
    REFUSE(cases);
}

static void test_other_tables(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"framework.frameworks[framework=keras].backends", NULL, NULL, "this rider runs on"},
        {"framework.frameworks[framework=keras].backends", "[\"theano\"]", NULL,
         "framework.frameworks lists"},
        {"framework.frameworks[framework=keras].backends", "[\"keras\"]", NULL, "other frameworks"},
        {"framework.frameworks[framework=pytorch].backends", "[\"jax\"]", NULL, "native is not"},
        {"framework.frameworks[framework=pytorch].native", "\"no\"",
         "framework.builds[framework=pytorch].framework", "builds of its own"},
        {"framework.frameworks[framework=pytorch].shared_names", "[\"tf\"]", NULL,
         "names that framework/tensorflow does not have"},
        {"framework.frameworks[framework=pytorch].shared_names", "[\"nobody\"]", NULL,
         "names that another framework shares"},
        {"framework.frameworks[framework=pytorch].shared_names", "[\"A b\"]", NULL,
         "expected a-b, found A b"},
        {"framework.frameworks[framework=pytorch].names", "[\"torch\", \"PyTorch\"]", NULL,
         "expected pytorch, found PyTorch"},
        {"framework.frameworks[framework=pytorch].names", "[\"tf\", \"tensorflow\"]",
         "framework.frameworks[framework=tensorflow].names",
         "that framework/pytorch does not have"},
        {"framework.frameworks[framework=pytorch].framework", "\"PyTorch\"", NULL,
         "expected pytorch, found PyTorch"},
        {"framework.frameworks[framework=pytorch].framework", "\"aaa\"", NULL,
         "a row that sorts after"},
        {"framework.frameworks[framework=jax].framework", "\"jay\"",
         "framework.frameworks[framework=keras].backends", "framework.frameworks lists"},
        {"framework.pins[release=2.21.0,package=nvidia-nccl-cu12].framework", "\"theano\"", NULL,
         "framework.frameworks lists"},
        {"framework.pins[framework=jax,package=nvidia-cufft].spec", "\"12.0\"", NULL,
         "\">=\" or \"==\""},
        {"framework.pins[framework=tensorflow,release=2.16.1-2.17.1].release", "\"2.1\"", NULL,
         "a row that sorts after"},
        {"framework.riders[framework=sonnet].backend", "\"jax\"", NULL, "framework/sonnet has"},
        {"framework.riders[framework=sonnet].version", "\">=2\"", NULL, "a version such as"},
        {"framework.indexes[index=cu126].order", "7", NULL, "one more than"},
        {"framework.indexes[index=cu126].index", "\"cu127\"", NULL, "expected cu126"},
        {"framework.indexes[index=cu126].driver_min", "\"580\"", NULL, "at most"},
        {"framework.indexes[index=cu80].driver_min", "\"333.1\"", NULL, "driver.rows lists"},
        {"framework.capabilities[capability=8.6].capability", "\"6.0\"",
         "framework.capabilities[capability=8.6].framework", "a unique row"},
        {"framework.capabilities[capability=8.6].capability", "\"7.3\"", NULL,
         "a row that sorts after"},
        {"framework.capabilities[capability=9.0].capability", "\"9.9\"", NULL,
         "capability.rows lists"},
        {"framework.capabilities[capability=8.6].cudas", "[\"new\"]", NULL, "such as 12.0"},
        {"framework.wheels[cuda=12].releases", "\">=4\"", NULL, "both ends"},
        {"framework.wheels[cuda=12].releases", "\">=3,<5\"", NULL,
         "after framework/ctranslate2-2:wheel"},
        {"framework.wheels[cuda=12].framework", "\"ctranslate\"", NULL, "a row that sorts after"},
        {"framework.wheels[cuda=12].framework", "\"CTranslate2\"", NULL, "expected ctranslate2"},
        {"framework.wheels[cuda=12].cuda", "\"12.7\"", NULL, "cuda.rows lists, found 12.7"},
        {"framework.wheels[cuda=12].cuda", NULL, NULL, "a version"},
        {"framework.glibcs[release=2.7.0].glibc", "\"2\"", NULL, "two numbers"},
        {"framework.glibcs[release=2.21.0].release", "\"2.8\"", NULL, "a row that sorts after"},
        {"framework.glibcs[release=2.7.0].framework", "\"pz\"", NULL, "framework.frameworks lists"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_other_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
