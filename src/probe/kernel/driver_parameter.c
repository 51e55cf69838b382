/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* What the loaded nvidia module was told: NVreg_… parameters in force, "EnableGpuFirmware: 18" each
 * on its line (nv-reg.h and nv-procfs.c of NVIDIA's open-gpu-kernel-modules). */
#define PARAMS     "/proc/driver/nvidia/params"
#define PARAMS_MAX 65536

struct parameter {
    const char *key;
    const char *name;
    enum { IS_NUMBER, IS_SWITCH, IS_MODE, IS_TEXT } kind;
};

static const struct parameter parameters[] = {
    {"DeviceFileMode", "device_file_mode", IS_MODE},
    {"DeviceFileUID", "device_file_uid", IS_NUMBER},
    {"DeviceFileGID", "device_file_gid", IS_NUMBER},
    {"ModifyDeviceFiles", "modify_device_files", IS_SWITCH},
    {"EnableGpuFirmware", "gpu_firmware", IS_NUMBER},
    {"PreserveVideoMemoryAllocations", "preserve_video_memory", IS_NUMBER},
    {"DynamicPowerManagement", "dynamic_power", IS_NUMBER},
    {"EnablePCIeGen3", "pcie_gen3", IS_SWITCH},
    {"OpenRmEnableUnsupportedGpus", "open_unsupported_gpus", IS_SWITCH},
    {"ResmanDebugLevel", "debug_level", IS_NUMBER},
    {"RegistryDwords", "registry", IS_TEXT},
    {"ExcludedGpus", "excluded_gpus", IS_TEXT},
    {"GpuBlacklist", "excluded_gpus", IS_TEXT}, /* its name in older releases */
};
#define COUNT (sizeof(parameters) / sizeof(parameters[0]))

static void note_value(struct facts *facts, const struct parameter *parameter, char *value)
{
    unsigned long long number;
    if (parameter->kind == IS_TEXT) {
        size_t length = strlen(value);
        if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
            value[length - 1] = '\0';
            value++;
        }
        facts_set_string(facts, "driver_parameter", parameter->name, value[0] ? value : NULL,
                         PARAMS);
        return;
    }
    if (!string_to_unsigned(value, &number) || number > INT64_MAX) {
        note_unexpected(facts, "driver_parameter", parameter->name, "not a number", value, PARAMS);
    } else if (parameter->kind == IS_SWITCH) {
        facts_set_boolean(facts, "driver_parameter", parameter->name, number != 0, PARAMS);
    } else if (parameter->kind == IS_MODE) { /* printed in decimal: 438 is 0666 */
        AUTO_FREE char *mode = mem_printf("%04" PRIo64, (uint64_t)number & 07777);
        facts_set_string(facts, "driver_parameter", parameter->name, mode, PARAMS);
    } else {
        facts_set_integer(facts, "driver_parameter", parameter->name, (int64_t)number, PARAMS);
    }
}

/* A parameter of nvidia_uvm: "N" or "Y". */
static void note_hmm(const struct host *host, struct facts *facts)
{
    static const char path[] = "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm";
    static const char name[] = "uvm_disable_hmm";
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, path, &line, &error);
    if (status != HOST_OK)
        note_missing(facts, "driver_parameter", name, status, &error, path);
    else if (string_equal(line, "Y") || string_equal(line, "N"))
        facts_set_boolean(facts, "driver_parameter", name, line[0] == 'Y', path);
    else
        note_unexpected(facts, "driver_parameter", name, "neither Y nor N", line, path);
}

void probe_driver_parameter(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(context->host, PARAMS, PARAMS_MAX, &text, &error);
    for (size_t i = 0; i < COUNT; i++) {
        if (status == HOST_OK)
            facts_set_absent(facts, "driver_parameter", parameters[i].name, PARAMS);
        else
            note_missing(facts, "driver_parameter", parameters[i].name, status, &error, PARAMS);
    }
    note_hmm(context->host, facts);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        char *colon = strchr(line, ':');
        if (colon == NULL)
            continue;
        *colon = '\0';
        for (size_t i = 0; i < COUNT; i++)
            if (string_equal(line, parameters[i].key))
                note_value(facts, &parameters[i], string_trim(colon + 1));
    }
}
