/* SPDX-License-Identifier: MIT */
#include "cli/gpu/gpu_view.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/instance.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/driver.h"

/* Cells that are not known are left out. */

static void set_version(json_t *object, const char *key, const struct version *version)
{
    char buffer[VERSION_TEXT_SIZE];
    if (version->count > 0)
        json_set_string(object, key, version_text(version, 0, buffer));
}

static void set_unsigned(json_t *object, const char *key, size_t value)
{
    if (value > 0)
        json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_number(json_t *object, const char *key, double value)
{
    if (value > 0)
        json_object_set_new(object, key, json_real(value));
}

static void set_list(json_t *object, const char *key, const struct strlist *list)
{
    if (list->count > 0)
        json_set_list(object, key, list);
}

static void set_row(json_t *object, const char *id, const char *source, const char *confidence,
                    const char *notes)
{
    json_set_string(object, "row", id);
    json_set_string(object, "source", source);
    json_set_string(object, "confidence", confidence);
    json_set_string(object, "notes", notes);
}

static void set_model(json_t *object, const struct manifest_gpu *gpu)
{
    json_set_string(object, "name", gpu->name);
    set_list(object, "names", &gpu->names);
    json_set_string(object, "class", gpu->gpu_class);
    set_list(object, "device_ids", &gpu->device_ids);
    set_unsigned(object, "gpus_per_board", gpu->gpus_per_board);
    set_unsigned(object, "memory_gb", gpu->memory_gb);
    json_set_string(object, "memory_type", gpu->memory_type);
    set_number(object, "bandwidth_gb_s", gpu->bandwidth_gb_s);
    set_number(object, "fp32_tflops", gpu->fp32_tflops);
    set_number(object, "fp16_tflops", gpu->fp16_tflops);
    set_number(object, "fp16_tensor_tflops", gpu->fp16_tensor_tflops);
    set_unsigned(object, "tdp_w", gpu->tdp_w);
    json_set_string(object, "pcie", gpu->pcie);
    json_set_string(object, "nvlink", gpu->nvlink);
    json_set_string(object, "link_basis", gpu->link_basis);
    set_row(object, gpu->id, gpu->source, gpu->confidence, gpu->notes);
}

static json_t *instance_json(const struct manifest_instance *instance)
{
    json_t *object = json_object();
    json_set_string(object, "provider", instance->provider);
    set_list(object, "names", &instance->names);
    set_unsigned(object, "gpus", instance->count);
    set_row(object, instance->id, instance->source, instance->confidence, instance->notes);
    return object;
}

static json_t *toolkits_json(const struct manifest_capability *row)
{
    json_t *object = json_object();
    set_version(object, "first", &row->first_cuda);
    set_version(object, "last", &row->last_cuda);
    set_version(object, "dropped_in", &row->dropped_in);
    set_version(object, "renamed_to", &row->renamed_to);
    set_row(object, row->id, row->source, row->confidence, row->notes);
    return object;
}

static json_t *driver_json(const struct gpu_view *view)
{
    const struct manifest_capability *row = view->capability;
    json_t *object = json_object();
    set_unsigned(object, "first_branch", row->first_branch);
    set_unsigned(object, "last_branch", row->last_branch);
    if (view->branch)
        set_unsigned(object, "newest_branch", view->branch->branch);
    set_row(object, row->id, row->source, row->confidence, NULL);
    return object;
}

static json_t *module_json(const struct gpu_view *view)
{
    const struct manifest_architecture *row = view->architecture;
    bool required = gpu_view_open_required(view);
    json_t *object = json_object();
    json_set_string(object, "open", required ? "required" : row->open_module);
    set_unsigned(object, "open_from", row->open_module_from);
    json_set_string(object, "proprietary", required ? "no" : row->proprietary_module);
    set_row(object, row->id, row->source, row->confidence, row->notes);
    return object;
}

static json_t *cudnn_json(const struct support_cudnn *cudnn)
{
    json_t *object = json_object();
    set_version(object, "last", &cudnn->last->version);
    if (cudnn->unknown)
        set_version(object, "unknown_from", &cudnn->unknown->version);
    if (cudnn->dropped)
        set_version(object, "dropped_in", &cudnn->dropped->version);
    set_version(object, "newest_listed", &cudnn->newest->version);
    set_row(object, cudnn->row->id, cudnn->row->source, cudnn->row->confidence, cudnn->row->notes);
    return object;
}

static json_t *framework_json(const struct support_framework *support)
{
    const struct manifest_build *build = support->build;
    json_t *object = json_object();
    json_set_string(object, "framework", support->framework->framework);
    json_set_string(object, "title", support->framework->title);
    if (support->newest)
        json_set_string(object, "newest_listed", support->newest->release);
    json_object_set_new(object, "newer_unknown", json_boolean(support->newer_unknown));
    if (build == NULL)
        return object;
    json_set_string(object, "release", build->release);
    json_set_string(object, "build", build->variant);
    json_set_string(object, "code",
                    support->documented ? "documented"
                    : support->ptx      ? "ptx"
                                        : "sass");
    json_set_string(object, "machine", support->machine);
    set_version(object, "cuda", &build->cuda);
    set_row(object, build->id, build->source, build->confidence, build->notes);
    return object;
}

static json_t *frameworks_json(const struct support_frameworks *frameworks)
{
    json_t *array = json_array();
    for (size_t i = 0; i < frameworks->count; i++)
        json_array_append_new(array, framework_json(&frameworks->items[i]));
    return array;
}

static json_t *view_json(const struct gpu_view *view)
{
    json_t *object = json_object();
    json_set_string(object, "asked", view->asked);
    set_unsigned(object, "count", view->count);
    json_set_string(object, "device_id", view->device_id);
    if (view->model)
        set_model(object, view->model);
    if (view->instance)
        json_object_set_new(object, "instance", instance_json(view->instance));
    set_list(object, "others", &view->others);
    if (view->compat != COMPAT_UNKNOWN)
        json_object_set_new(object, "forward_compatibility",
                            json_boolean(view->compat == COMPAT_YES));
    if (view->architecture)
        json_object_set_new(object, "kernel_module", module_json(view));
    if (view->cudnn.last)
        json_object_set_new(object, "cudnn", cudnn_json(&view->cudnn));
    if (view->capability == NULL) {
        json_set_string(object, "architecture", view->family);
        return object;
    }
    set_version(object, "capability", &view->capability->capability);
    json_set_string(object, "sm", view->capability->sm);
    json_set_string(object, "architecture", view->capability->architecture);
    json_set_string(object, "variant", view->capability->variant);
    json_object_set_new(object, "cuda", toolkits_json(view->capability));
    json_object_set_new(object, "driver", driver_json(view));
    json_object_set_new(object, "frameworks", frameworks_json(&view->frameworks));
    return object;
}

json_t *gpu_views_json(const struct gpu_views *views)
{
    json_t *array = json_array();
    for (size_t i = 0; i < views->count; i++)
        json_array_append_new(array, view_json(&views->items[i]));
    return array;
}
