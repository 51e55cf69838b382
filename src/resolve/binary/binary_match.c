/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/code.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "resolve/binary/binary_private.h"

static enum code_match match(struct manifest *manifest, const struct binary_code *code,
                             const struct version *gpu)
{
    const struct code_item item = {.capability = code->capability, .suffix = code->suffix};
    if (code->kind == BINARY_OTHER)
        return CODE_MATCH_UNSURE;
    return code->kind == BINARY_SASS ? code_match_machine(manifest, &item, gpu)
                                     : code_match_ptx(manifest, &item, gpu);
}

/* Whether a is to be taken rather than b. */
static bool is_better(const struct binary_code *a, enum code_match match_a,
                      const struct binary_code *b, enum code_match match_b)
{
    if (b == NULL || match_a != match_b)
        return b == NULL || match_a > match_b;
    int order = version_compare(&a->capability, &b->capability);
    return order ? order > 0 : version_compare(&a->ptx, &b->ptx) > 0;
}

struct binary_choice binary_choice(const struct binary *binary)
{
    struct binary_choice choice = {.linked = false};
    size_t in_data = 0, placed = 0;
    for (size_t i = 0; i < binary->count; i++)
        choice.linked = choice.linked || !binary->codes[i].unlinked;
    for (size_t i = 0; i < binary->count; i++) {
        const struct binary_code *code = &binary->codes[i];
        bool runs = code->kind == BINARY_SASS || code->kind == BINARY_PTX;
        if (runs && !(choice.linked && code->unlinked))
            *(code->in_data ? &in_data : &placed) += code->entries;
    }
    choice.in_data = in_data > placed;
    return choice;
}

bool binary_counts(const struct binary_choice *choice, const struct binary_code *code)
{
    return !(choice->linked && code->unlinked) && choice->in_data == code->in_data;
}

const struct binary_code *binary_best(struct manifest *manifest, const struct binary *binary,
                                      const struct binary_choice *choice, enum binary_kind kind,
                                      const struct version *gpu, enum code_match *ret_match)
{
    const struct binary_code *best = NULL;
    *ret_match = CODE_MATCH_NO;
    for (size_t i = 0; i < binary->count; i++) {
        const struct binary_code *code = &binary->codes[i];
        if (code->kind != kind || (choice && !binary_counts(choice, code)))
            continue;
        enum code_match found = match(manifest, code, gpu);
        if (found == CODE_MATCH_NO || !is_better(code, found, best, *ret_match))
            continue;
        best = code;
        *ret_match = found;
    }
    return best;
}

struct version binary_least(const struct binary *binary)
{
    struct version least = {.count = 0};
    for (size_t i = 0; i < binary->count; i++) {
        const struct version *one = &binary->codes[i].capability;
        if (one->count && (least.count == 0 || version_compare(one, &least) < 0))
            least = *one;
    }
    return least;
}

struct version binary_later(struct version a, struct version b)
{
    if (a.count == 0 || b.count == 0)
        return a.count ? a : b;
    return version_compare(&a, &b) >= 0 ? a : b;
}

static struct version branch_version(unsigned branch)
{
    return (struct version){.part = {branch}, .count = branch ? 1 : 0};
}

struct version binary_driver_of_gpu(struct manifest *manifest, const struct version *capability)
{
    const struct manifest_capability *row = manifest_capability_find(manifest, capability);
    return branch_version(row ? row->first_branch : 0);
}

struct version binary_driver_of_ptx(struct manifest *manifest, const struct version *ptx)
{
    const struct manifest_ptx *row = manifest_ptx_find(manifest, ptx);
    if (row == NULL)
        return branch_version(0);
    const struct manifest_cuda *cuda = manifest_cuda_find(manifest, &row->cuda);
    if (cuda && cuda->driver_min.count)
        return cuda->driver_min;
    const struct manifest_branch *branch = manifest_branch_for_cuda(manifest, &row->cuda);
    return branch_version(row->branch ? row->branch : branch ? branch->branch : 0);
}

struct version binary_driver_of_cuda(struct manifest *manifest, const struct version *cuda)
{
    const struct manifest_cuda_major *major = manifest_cuda_major_find(manifest, cuda->part[0]);
    if (cuda->count && major && major->driver_min.count)
        return major->driver_min;
    const struct manifest_cuda *row = cuda->count > 1 ? manifest_cuda_find(manifest, cuda) : NULL;
    return row ? row->driver_min : branch_version(0);
}

struct version binary_cuda(struct manifest *manifest, const struct binary *binary, bool *ret_least)
{
    struct version newest = {.count = 0};
    *ret_least = binary->cuda.count == 0;
    if (binary->cuda.count)
        return binary->cuda;
    for (size_t i = 0; i < binary->count; i++) {
        const struct binary_code *code = &binary->codes[i];
        const struct manifest_ptx *ptx = manifest_ptx_find(manifest, &code->ptx);
        const struct manifest_capability *row =
            manifest_capability_find(manifest, &code->capability);
        if (ptx)
            newest = binary_later(newest, ptx->cuda);
        if (row && code->kind != BINARY_OTHER)
            newest = binary_later(newest, row->first_cuda);
    }
    return newest;
}
