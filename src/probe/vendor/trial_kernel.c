/* SPDX-License-Identifier: MIT */
#include "probe/vendor/trial_kernel.h"

/* Each thread takes one number through 64 steps of a linear congruential generator (integer
 * arithmetic, a loop), then through a multiplication and an addition in floating point that are
 * exact. ptxas of CUDA 11.8, 12.0, 12.9 and 13.0 compiles it for each architecture from sm_35 to
 * sm_121 that it knows (tests/program/try). */
#define ROUNDS    64
#define FACTOR    1664525u /* Numerical Recipes' generator */
#define INCREMENT 1013904223u
#define LOW_BITS  4095u

/* clang-format off */
const char trial_kernel[] =
    ".version 3.0\n"
    ".target sm_30\n"
    ".address_size 64\n"
    ".visible .entry gpuenv_try(.param .u64 p_in, .param .u64 p_out, .param .u32 p_count)\n"
    "{\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .u32 %r<12>;\n"
    "    .reg .u64 %d<8>;\n"
    "    .reg .f32 %f<4>;\n"
    "    ld.param.u64 %d1, [p_in];\n"
    "    ld.param.u64 %d2, [p_out];\n"
    "    ld.param.u32 %r1, [p_count];\n"
    "    cvta.to.global.u64 %d1, %d1;\n"
    "    cvta.to.global.u64 %d2, %d2;\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %ntid.x;\n"
    "    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p1, %r5, %r1;\n"
    "    @%p1 bra DONE;\n"
    "    mul.wide.u32 %d3, %r5, 4;\n"
    "    add.u64 %d4, %d1, %d3;\n"
    "    add.u64 %d5, %d2, %d3;\n"
    "    ld.global.u32 %r6, [%d4];\n"
    "    mov.u32 %r7, 0;\n"
    "AGAIN:\n"
    "    mad.lo.u32 %r6, %r6, 1664525, 1013904223;\n"
    "    add.u32 %r7, %r7, 1;\n"
    "    setp.lt.u32 %p2, %r7, 64;\n"
    "    @%p2 bra AGAIN;\n"
    "    and.b32 %r8, %r6, 4095;\n"
    "    cvt.rn.f32.u32 %f1, %r8;\n"
    "    fma.rn.f32 %f2, %f1, 0f40400000, 0f3F800000;\n"
    "    cvt.rzi.u32.f32 %r9, %f2;\n"
    "    xor.b32 %r10, %r6, %r9;\n"
    "    st.global.u32 [%d5], %r10;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n";
/* clang-format on */

uint32_t trial_input(uint32_t index)
{
    return index * 2654435761u + 12345u; /* Knuth's multiplicative hash: all of them differ */
}

uint32_t trial_expected(uint32_t index)
{
    uint32_t number = trial_input(index);
    for (unsigned i = 0; i < ROUNDS; i++)
        number = number * FACTOR + INCREMENT;
    return number ^ ((number & LOW_BITS) * 3 + 1);
}
