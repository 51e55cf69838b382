/* SPDX-License-Identifier: MIT */
#ifndef PROBE_VENDOR_ASK_NVML_H
#define PROBE_VENDOR_ASK_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "host/child/asking.h"
#include "host/child/vendor.h"

/* What is used of libnvidia-ml.so.1, declared here so that no vendor header is needed. Numbers and
 * layouts are those of nvml.h 12.9.79 and 13.5.37, which agree in all that both have; what is from
 * elsewhere says so. */

/* nvmlReturn_t */
enum nvml_result {
    NVML_SUCCESS = 0,
    NVML_UNINITIALIZED = 1,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_NO_FUNCTION = 13, /* also what a call stands for that the library does not have */
    NVML_VERSION_MISMATCH = 25,
};

#define NVML_TEXT_SIZE 96 /* NVML_DEVICE_NAME_V2_BUFFER_SIZE, the largest of its texts' sizes */
#define NVML_LINKS_MAX 36 /* NVML_NVLINK_MAX_LINKS of 13.5; 18 in 12.9 */
#define NVML_NO_MEMORY UINT64_MAX /* NVML_VALUE_NOT_AVAILABLE, of a process's memory */

typedef struct nvml_device_handle *nvml_device; /* nvmlDevice_t */

/* nvmlPciInfo_t, of nvmlDeviceGetPciInfo_v3. In headers from before _v3 it is 52 bytes long and the
 * same as far as subsystem_id; then come four words without a meaning. */
struct nvml_pci {
    char bus_id_legacy[16];
    uint32_t domain;
    uint32_t bus;
    uint32_t device;
    uint32_t device_id;
    uint32_t subsystem_id;
    char bus_id[32];
};

struct nvml_memory_v1 { /* nvmlMemory_t, of nvmlDeviceGetMemoryInfo */
    uint64_t total;
    uint64_t free;
    uint64_t used;
};

struct nvml_memory_v2 { /* nvmlMemory_v2_t, of nvmlDeviceGetMemoryInfo_v2 */
    uint32_t version;
    uint64_t total;
    uint64_t reserved;
    uint64_t free;
    uint64_t used; /* without what is reserved, as nvidia-smi shows it */
};

struct nvml_utilization { /* nvmlUtilization_t, of nvmlDeviceGetUtilizationRates */
    uint32_t gpu;
    uint32_t memory;
};

struct nvml_temperature { /* nvmlTemperature_v1_t, of nvmlDeviceGetTemperatureV */
    uint32_t version;
    uint32_t sensor;
    int32_t temperature;
};

struct nvml_process_v1 { /* nvmlProcessInfo_v1_t, of nvmlDeviceGet…RunningProcesses */
    uint32_t pid;
    uint64_t memory;
};

struct nvml_process_v2 { /* nvmlProcessInfo_v2_t, of nvmlDeviceGet…RunningProcesses_v2 and _v3 */
    uint32_t pid;
    uint64_t memory;
    uint32_t gpu_instance;
    uint32_t compute_instance;
};

struct nvml_process_v3 { /* nvmlProcessInfo_t of nvidia-settings 535.43.02, of _v3 there */
    uint32_t pid;
    uint64_t memory;
    uint32_t gpu_instance;
    uint32_t compute_instance;
    uint64_t protected_memory;
};

struct nvml_fabric_v1 { /* nvmlGpuFabricInfo_t, of nvmlDeviceGetGpuFabricInfo */
    uint8_t cluster[16];
    uint32_t status;
    uint32_t clique;
    uint8_t state;
};

struct nvml_fabric_v2 { /* nvmlGpuFabricInfo_v2_t, of nvmlDeviceGetGpuFabricInfoV */
    uint32_t version;
    uint8_t cluster[16];
    uint32_t status;
    uint32_t clique;
    uint8_t state;
    uint32_t health_mask;
};

struct nvml_fabric_v3 { /* nvmlGpuFabricInfo_v3_t, of the same; 13.5.37 alone */
    uint32_t version;
    uint8_t cluster[16];
    uint32_t status;
    uint32_t clique;
    uint8_t state;
    uint32_t health_mask;
    uint8_t health_summary;
};

struct nvml_confidential { /* nvmlConfComputeSystemState_t, of nvmlSystemGetConfComputeState */
    uint32_t environment;
    uint32_t feature; /* 1: on */
    uint32_t dev_tools;
};

/* sizeof in nvml.h on 64-bit Linux. */
#define NVML_SIZE(type, bytes)                                                                     \
    _Static_assert(sizeof(void *) != 8 || sizeof(type) == (bytes), "layout of " #type)
NVML_SIZE(struct nvml_pci, 68);
NVML_SIZE(struct nvml_memory_v1, 24);
NVML_SIZE(struct nvml_memory_v2, 40);
NVML_SIZE(struct nvml_utilization, 8);
NVML_SIZE(struct nvml_temperature, 12);
NVML_SIZE(struct nvml_process_v1, 16);
NVML_SIZE(struct nvml_process_v2, 24);
NVML_SIZE(struct nvml_process_v3, 32);
NVML_SIZE(struct nvml_fabric_v1, 28);
NVML_SIZE(struct nvml_fabric_v2, 36);
NVML_SIZE(struct nvml_fabric_v3, 40);
NVML_SIZE(struct nvml_confidential, 12);

/* NVML_STRUCT_VERSION: what the first member of a versioned struct says before the call. */
#define NVML_VERSION_OF(type, number) ((uint32_t)sizeof(type) | (uint32_t)(number) << 24)

/* The functions by their forms. Every enum of theirs is as wide as an int. */
typedef int (*nvml_text_call)(nvml_device device, char *text, unsigned size);
typedef int (*nvml_number_call)(nvml_device device, unsigned *ret_value);
typedef int (*nvml_kind_call)(nvml_device device, unsigned kind, unsigned *ret_value);
typedef int (*nvml_pair_call)(nvml_device device, unsigned *ret_first, unsigned *ret_second);
typedef int (*nvml_struct_call)(nvml_device device, void *ret_struct);
typedef int (*nvml_list_call)(nvml_device device, unsigned *count, void *ret_structs);

enum nvml_process_list { NVML_COMPUTE, NVML_GRAPHICS, NVML_MPS, NVML_PROCESS_LISTS };
enum nvml_process_form { NVML_FORM_V3, NVML_FORM_V2, NVML_FORM_V1, NVML_PROCESS_FORMS };

/* NULL: not in this library. */
struct nvml {
    int (*init)(void);
    const char *(*error_string)(int result);
    int (*nvml_version)(char *text, unsigned size);
    int (*driver_version)(char *text, unsigned size);
    int (*cuda_version)(int *ret_version);
    int (*count)(unsigned *ret_count);
    int (*confidential)(struct nvml_confidential *ret_state);
    int (*confidential_ready)(unsigned *ret_ready);
    int (*handle)(unsigned index, nvml_device *ret_device);

    nvml_text_call name;
    nvml_text_call uuid;
    nvml_struct_call pci;
    int (*capability)(nvml_device device, int *ret_major, int *ret_minor);
    nvml_struct_call memory_v2;
    nvml_struct_call memory_v1;
    nvml_struct_call utilization;
    nvml_number_call compute_mode;
    nvml_number_call display_active;
    nvml_number_call persistence;
    nvml_pair_call mig_mode;
    nvml_number_call mig_max;
    int (*mig_handle)(nvml_device device, unsigned index, nvml_device *ret_instance);
    nvml_number_call pcie_generation;
    nvml_number_call pcie_generation_max;
    nvml_number_call pcie_width;
    nvml_number_call pcie_width_max;
    nvml_kind_call clock;
    nvml_kind_call clock_max;
    int (*clock_reasons)(nvml_device device, unsigned long long *ret_bits);
    nvml_struct_call temperature_v;
    nvml_kind_call temperature;
    nvml_number_call power;
    nvml_number_call power_limit;
    nvml_number_call power_default;
    nvml_pair_call ecc_mode;
    int (*ecc_errors)(nvml_device device, unsigned error, unsigned counter,
                      unsigned long long *ret_count);
    int (*remapped_rows)(nvml_device device, unsigned *ret_correctable, unsigned *ret_uncorrectable,
                         unsigned *ret_pending, unsigned *ret_failure);
    nvml_number_call retired_pending;
    int (*retired_pages)(nvml_device device, int cause, unsigned *count,
                         unsigned long long *ret_addresses);
    nvml_list_call processes[NVML_PROCESS_LISTS][NVML_PROCESS_FORMS];
    nvml_kind_call link_state;
    nvml_struct_call fabric_v;
    nvml_struct_call fabric;
};

#define NVML_CALL(member) offsetof(struct nvml, member)

extern const struct vendor_symbol nvml_symbols[]; /* ends with names[0] NULL */

/* Who asks, and about what. */
struct nvml_ask {
    struct channel *channel;
    const struct nvml *nvml;
    const struct vendor_library *library;
    const char *group;  /* of the facts that are told: "answer/libnvidia-ml.so.1", "nvml/0" */
    const char *about;  /* for the step: "", " of GPU 0" */
    nvml_device device; /* NULL while it is not about one */
};

/* Says over the channel that a function is about to be called. call is its place in struct nvml;
 * returns the name it was found under, or its newest one. */
const char *nvml_step(const struct nvml_ask *ask, size_t call);

/* Tell one fact: value, when result is NVML_SUCCESS; else that it is absent (not supported, not in
 * this driver) or unknown, with NVML's number and words. function is the name nvml_step() gave. */
void nvml_tell_string(const struct nvml_ask *ask, const char *fact, const char *function,
                      int result, const char *value);
void nvml_tell_integer(const struct nvml_ask *ask, const char *fact, const char *function,
                       int result, int64_t value);
void nvml_tell_count(const struct nvml_ask *ask, const char *fact, const char *function, int result,
                     uint64_t value);
void nvml_tell_switch(const struct nvml_ask *ask, const char *fact, const char *function,
                      int result, unsigned value);
void nvml_tell_list(const struct nvml_ask *ask, const char *fact, const char *function, int result,
                    const struct strlist *value);

/* True when result is NVML_SUCCESS; else tells of the fact that it is absent or unknown. */
bool nvml_answered(const struct nvml_ask *ask, const char *fact, const char *function, int result);

/* Tells that the fact is unknown, since what the function answered cannot be. */
void nvml_tell_odd(const struct nvml_ask *ask, const char *fact, const char *function,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "error 9 (Driver Not Loaded)", or that the function is not there. free() it. */
char *nvml_error(const struct nvml_ask *ask, int result);

/* Whether the call does not know this form of its struct, so that an older one is worth a try. */
bool nvml_wants_older(int result);

/* Parts of what one GPU is asked. */
void nvml_ask_identity(const struct nvml_ask *ask);
void nvml_ask_memory(const struct nvml_ask *ask);
void nvml_ask_numbers(const struct nvml_ask *ask);
void nvml_ask_temperature(const struct nvml_ask *ask);
void nvml_ask_clock_reasons(const struct nvml_ask *ask);
void nvml_ask_mig(const struct nvml_ask *ask);
void nvml_ask_ecc(const struct nvml_ask *ask);
void nvml_ask_rows(const struct nvml_ask *ask);
void nvml_ask_retired_pages(const struct nvml_ask *ask);
void nvml_ask_links(const struct nvml_ask *ask);
void nvml_ask_fabric(const struct nvml_ask *ask);
void nvml_ask_processes(const struct nvml_ask *ask);

#endif
