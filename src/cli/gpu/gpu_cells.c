/* SPDX-License-Identifier: MIT */
#include "cli/gpu/gpu_view.h"
#include "manifest/gpu/gpu.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/driver.h"

static void append_version(struct text *text, const struct version *version)
{
    char buffer[VERSION_TEXT_SIZE];
    text_append(text, version_text(version, 0, buffer));
}

static void append_number(struct text *text, double number, const char *unit)
{
    if (number > 0)
        text_printf(text, "%.10g %s", number, unit);
}

static void append_class(const struct gpu_view *view, struct text *text)
{
    if (view->model && view->model->gpu_class)
        text_append(text, view->model->gpu_class);
}

static void append_architecture(const struct gpu_view *view, struct text *text)
{
    if (view->capability == NULL && view->family != NULL)
        text_append(text, view->family);
    if (view->capability == NULL)
        return;
    text_append(text, view->capability->architecture);
    if (view->capability->variant)
        text_printf(text, ", %s", view->capability->variant);
}

static void append_capability(const struct gpu_view *view, struct text *text)
{
    if (view->capability == NULL)
        return;
    append_version(text, &view->capability->capability);
    text_printf(text, " (%s)", view->capability->sm);
}

static void append_devices(const struct gpu_view *view, struct text *text)
{
    for (size_t i = 0; view->model && i < view->model->device_ids.count; i++)
        text_printf(text, "%s10de:%s", i ? " " : "", view->model->device_ids.items[i]);
    if (view->model == NULL && view->device_id)
        text_printf(text, "10de:%s", view->device_id);
}

/* The manifest says so where there are several. */
static void append_board(const struct gpu_view *view, struct text *text)
{
    if (view->model)
        text_printf(text, "%u", view->model->gpus_per_board ? view->model->gpus_per_board : 1);
}

static void append_memory(const struct gpu_view *view, struct text *text)
{
    if (view->model == NULL || (view->model->memory_gb == 0 && view->model->memory_type == NULL))
        return;
    if (view->model->memory_gb)
        text_printf(text, "%u GB", view->model->memory_gb);
    if (string_equal(view->model->memory_type, "system"))
        text_printf(text, "%sshared with the CPU", text->size ? ", " : "");
    else if (view->model->memory_type)
        text_printf(text, "%s%s", text->size ? " " : "", view->model->memory_type);
}

static void append_bandwidth(const struct gpu_view *view, struct text *text)
{
    if (view->model)
        append_number(text, view->model->bandwidth_gb_s, "GB/s");
}

static void append_fp32(const struct gpu_view *view, struct text *text)
{
    if (view->model)
        append_number(text, view->model->fp32_tflops, "TFLOPS");
}

static void append_fp16(const struct gpu_view *view, struct text *text)
{
    if (view->model)
        append_number(text, view->model->fp16_tflops, "TFLOPS");
}

static void append_tensor(const struct gpu_view *view, struct text *text)
{
    if (view->model)
        append_number(text, view->model->fp16_tensor_tflops, "TFLOPS");
}

static void append_power(const struct gpu_view *view, struct text *text)
{
    if (view->model)
        append_number(text, view->model->tdp_w, "W");
}

static void append_pcie(const struct gpu_view *view, struct text *text)
{
    if (view->model && view->model->pcie)
        text_append(text, view->model->pcie);
}

static void append_nvlink(const struct gpu_view *view, struct text *text)
{
    if (view->model && view->model->nvlink)
        text_append(text, view->model->nvlink);
}

static void append_first_cuda(const struct gpu_view *view, struct text *text)
{
    if (view->capability && view->capability->first_cuda.count)
        append_version(text, &view->capability->first_cuda);
}

static void append_last_cuda(const struct gpu_view *view, struct text *text)
{
    const struct manifest_capability *row = view->capability;
    if (row == NULL)
        return;
    if (row->last_cuda.count == 0) {
        text_append(text, "still supported");
        return;
    }
    append_version(text, &row->last_cuda);
    if (row->dropped_in.count) {
        text_append(text, ", dropped in ");
        append_version(text, &row->dropped_in);
    }
}

static void append_first_branch(const struct gpu_view *view, struct text *text)
{
    if (view->capability && view->capability->first_branch)
        text_printf(text, "R%u", view->capability->first_branch);
}

/* The driver of an integrated GPU is part of its system. */
static void append_last_branch(const struct gpu_view *view, struct text *text)
{
    if (view->capability == NULL)
        return;
    if (view->capability->last_branch)
        text_printf(text, "R%u", view->capability->last_branch);
    else if (view->branch)
        text_printf(text, "still supported (R%u)", view->branch->branch);
}

static void append_module(const struct gpu_view *view, struct text *text)
{
    const struct manifest_architecture *row = view->architecture;
    if (row == NULL || row->open_module == NULL || row->proprietary_module == NULL)
        return;
    if (gpu_view_open_required(view))
        text_append(text, "open only");
    else if (string_equal(row->open_module, "no"))
        text_append(text, "proprietary only");
    else if (row->open_module_from)
        text_printf(text, "open (R%u on), proprietary", row->open_module_from);
    else
        text_append(text, "open, proprietary");
}

static void append_compat(const struct gpu_view *view, struct text *text)
{
    if (view->compat != COMPAT_UNKNOWN)
        text_append(text, view->compat == COMPAT_YES ? "yes" : "no");
}

static void append_cudnn(const struct gpu_view *view, struct text *text)
{
    const struct support_cudnn *cudnn = &view->cudnn;
    if (cudnn->last == NULL)
        return;
    append_version(text, &cudnn->last->version);
    if (cudnn->unknown) {
        text_append(text, "; not known from ");
        append_version(text, &cudnn->unknown->version);
        text_append(text, " on");
    }
    if (cudnn->dropped) {
        text_append(text, ", dropped in ");
        append_version(text, &cudnn->dropped->version);
        text_append(text, cudnn->unknown ? " or before" : "");
    } else if (cudnn->unknown == NULL) {
        text_append(text, ", the newest listed");
    }
}

const struct gpu_cell gpu_cells[] = {
    {"class", append_class, true},
    {"architecture", append_architecture, false},
    {"compute capability", append_capability, false},
    {"PCI ids", append_devices, true},
    {"GPUs on the board", append_board, true},
    {"memory of a GPU", append_memory, true},
    {"memory bandwidth", append_bandwidth, true},
    {"FP32", append_fp32, true},
    {"FP16", append_fp16, true},
    {"FP16, tensor cores", append_tensor, true},
    {"board power", append_power, true},
    {"PCIe", append_pcie, true},
    {"NVLink", append_nvlink, true},
    {"first CUDA toolkit", append_first_cuda, false},
    {"last CUDA toolkit", append_last_cuda, false},
    {"first driver branch", append_first_branch, false},
    {"last driver branch", append_last_branch, false},
    {"kernel module", append_module, false},
    {"forward compatibility", append_compat, true},
    {"last cuDNN", append_cudnn, false},
    {.label = NULL},
};
