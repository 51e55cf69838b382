/* SPDX-License-Identifier: MIT */
#include "manifest/code.h"
#include "resolve/binary_parts.h"

/* NVIDIA, "CUDA C++ Programming Guide", binary compatibility; "PTX ISA", .target. */

/* One chip under two numbers: Thor is 10.1 in CUDA 12.8 and 12.9, and 11.0 later. */
static bool is_renamed(struct manifest *manifest, const struct version *a, const struct version *b)
{
    const struct manifest_capability *row = manifest_capability_find(manifest, a);
    return row && row->renamed_to.count && version_compare(&row->renamed_to, b) == 0;
}

static enum binary_match unless_renamed(struct manifest *manifest, const struct version *code,
                                        const struct version *gpu)
{
    bool renamed = is_renamed(manifest, code, gpu) || is_renamed(manifest, gpu, code);
    return renamed ? MATCH_UNSURE : MATCH_NO;
}

static bool is_above_in_major(const struct version *code, const struct version *gpu)
{
    return code->part[0] == gpu->part[0] && code->part[1] < gpu->part[1];
}

/* Of a family that is not listed, and of a GPU that is not listed, nobody can tell. */
static enum binary_match match_family(struct manifest *manifest, const struct version *code,
                                      const struct version *gpu)
{
    char text[VERSION_TEXT_SIZE];
    const struct manifest_family *family = manifest_family_find(manifest, code);
    if (version_compare(code, gpu) == 0 ||
        (family && strlist_has(&family->capabilities, version_text(gpu, 2, text))))
        return MATCH_YES;
    bool known = family && manifest_capability_find(manifest, gpu);
    if (is_above_in_major(code, gpu) && !known)
        return MATCH_UNSURE;
    return unless_renamed(manifest, code, gpu);
}

/* Across integrated GPUs nothing is promised. */
static enum binary_match match_sass(struct manifest *manifest, const struct version *code,
                                    const struct version *gpu)
{
    if (version_compare(code, gpu) == 0)
        return MATCH_YES;
    if (!is_above_in_major(code, gpu))
        return unless_renamed(manifest, code, gpu);
    bool integrated =
        manifest_integrated_find(manifest, code) || manifest_integrated_find(manifest, gpu);
    return integrated ? MATCH_UNSURE : MATCH_YES;
}

static enum binary_match match(struct manifest *manifest, const struct binary_code *code,
                               const struct version *gpu)
{
    const struct version *capability = &code->capability;
    if (code->kind == BINARY_OTHER)
        return MATCH_UNSURE;
    if (capability->count == 0 || (code->suffix && code->suffix != 'a' && code->suffix != 'f'))
        return MATCH_UNSURE;
    if (code->suffix == 'a')
        return version_compare(capability, gpu) == 0 ? MATCH_YES
                                                     : unless_renamed(manifest, capability, gpu);
    if (code->suffix == 'f')
        return match_family(manifest, capability, gpu);
    if (code->kind == BINARY_SASS)
        return match_sass(manifest, capability, gpu);
    return version_compare(capability, gpu) <= 0 ? MATCH_YES : MATCH_NO;
}

/* Whether a is to be taken rather than b. */
static bool is_better(const struct binary_code *a, enum binary_match match_a,
                      const struct binary_code *b, enum binary_match match_b)
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
                                      const struct version *gpu, enum binary_match *ret_match)
{
    const struct binary_code *best = NULL;
    *ret_match = MATCH_NO;
    for (size_t i = 0; i < binary->count; i++) {
        const struct binary_code *code = &binary->codes[i];
        if (code->kind != kind || (choice && !binary_counts(choice, code)))
            continue;
        enum binary_match found = match(manifest, code, gpu);
        if (found == MATCH_NO || !is_better(code, found, best, *ret_match))
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
