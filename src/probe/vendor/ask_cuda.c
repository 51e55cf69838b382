/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

#include <string.h>
#include "base/text.h"

/* The driver API as far as it is used here: numbers and signatures of cuda.h, CUDA 13.0. CUresult,
 * CUdevice and CUdevice_attribute are int; CUuuid is 16 bytes. No context is made: that would take
 * memory of the GPU. */
struct cuda_functions {
    int (*get_error_name)(int result, const char **ret_name);
    int (*driver_get_version)(int *ret_version);
    int (*init)(unsigned flags);
    int (*get_count)(int *ret_count);
    int (*get)(int *ret_device, int ordinal);
    int (*get_name)(char *name, int size, int device);
    int (*get_uuid)(unsigned char uuid[16], int device);
    int (*get_gpu_uuid)(unsigned char uuid[16], int device);
    int (*get_bus_id)(char *bus_id, int size, int device);
    int (*get_attribute)(int *ret_value, int attribute, int device);
    int (*total_memory)(size_t *ret_bytes, int device);
    int (*can_access_peer)(int *ret_can, int device, int peer);
};

#define SYMBOL(function, ...)                                                                      \
    {                                                                                              \
        .names = {__VA_ARGS__}, .field = offsetof(struct cuda_functions, function)                 \
    }

/* cuDeviceTotalMem without _v2 writes 32 bits: no fallback. */
static const struct vendor_symbol symbols[] = {
    SYMBOL(get_error_name, "cuGetErrorName"),
    SYMBOL(driver_get_version, "cuDriverGetVersion"),
    SYMBOL(init, "cuInit"),
    SYMBOL(get_count, "cuDeviceGetCount"),
    SYMBOL(get, "cuDeviceGet"),
    SYMBOL(get_name, "cuDeviceGetName"),
    SYMBOL(get_uuid, "cuDeviceGetUuid_v2", "cuDeviceGetUuid"),
    SYMBOL(get_gpu_uuid, "cuDeviceGetUuid"),
    SYMBOL(get_bus_id, "cuDeviceGetPCIBusId"),
    SYMBOL(get_attribute, "cuDeviceGetAttribute"),
    SYMBOL(total_memory, "cuDeviceTotalMem_v2"),
    SYMBOL(can_access_peer, "cuDeviceCanAccessPeer"),
    {.names = {NULL}},
};

#define PEERS_MAX 64 /* 64 GPUs are 4032 questions, of some 1 us each */

#define CUDA_SUCCESS         0
#define CUDA_ERROR_NO_DEVICE 100

/* CUdevice_attribute */
enum {
    CLOCK_RATE = 13, /* kHz */
    MULTIPROCESSOR_COUNT = 16,
    COMPUTE_MODE = 20,
    ECC_ENABLED = 32,
    MEMORY_CLOCK_RATE = 36, /* kHz */
    COMPUTE_CAPABILITY_MAJOR = 75,
    COMPUTE_CAPABILITY_MINOR = 76,
};

struct cuda {
    struct channel *channel;
    const char *group; /* that is being answered: "answer/libcuda.so.1", "cuda/0" */
    struct cuda_functions call;
    int device;
};

/* "FUNCTION: error 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"; free() it. */
static char *refusal(struct cuda *cuda, const char *function, int result)
{
    const char *name = NULL;
    channel_step(cuda->channel, "cuGetErrorName");
    if (cuda->call.get_error_name == NULL ||
        cuda->call.get_error_name(result, &name) != CUDA_SUCCESS || name == NULL)
        return mem_printf("%s: error %d", function, result);
    return mem_printf("%s: error %d %.80s", function, result, name);
}

/* Says the step; false, and the fact answered unknown, where the library lacks the function. */
static bool begin(struct cuda *cuda, const char *name, const char *function, bool there)
{
    if (there)
        channel_step(cuda->channel, function);
    else
        ask_no_function(cuda->channel, cuda->group, name, function);
    return there;
}

/* False, and the fact answered unknown, when the call failed. */
static bool succeeded(struct cuda *cuda, const char *name, const char *function, int result)
{
    if (result == CUDA_SUCCESS)
        return true;
    AUTO_FREE char *reason = refusal(cuda, function, result);
    answer_unknown(cuda->channel, cuda->group, name, reason, function);
    return false;
}

static void answer_driver_version(struct cuda *cuda)
{
    static const char function[] = "cuDriverGetVersion";
    int version = 0;
    if (begin(cuda, "version", function, cuda->call.driver_get_version != NULL) &&
        succeeded(cuda, "version", function, cuda->call.driver_get_version(&version)))
        ask_cuda_version(cuda->channel, cuda->group, "version", version, function);
}

static void answer_init_name(struct cuda *cuda, int result)
{
    static const char function[] = "cuGetErrorName";
    const char *name = NULL;
    if (begin(cuda, "init_name", function, cuda->call.get_error_name != NULL) &&
        succeeded(cuda, "init_name", function, cuda->call.get_error_name(result, &name)))
        answer_string(cuda->channel, cuda->group, "init_name", name, function);
}

/* Both facts that say how many devices there are: the library's own and that of the kind. */
static void answer_count(struct cuda *cuda, int count, const char *function)
{
    answer_integer(cuda->channel, cuda->group, "device_count", count, function);
    answer_integer(cuda->channel, "cuda", "count", count, function);
}

static void answer_no_count(struct cuda *cuda, const char *reason, const char *function)
{
    answer_unknown(cuda->channel, cuda->group, "device_count", reason, function);
    answer_unknown(cuda->channel, "cuda", "count", reason, function);
}

/* True when the library is ready to be asked about devices. */
static bool init(struct cuda *cuda)
{
    static const char function[] = "cuInit";
    if (!begin(cuda, "init", function, cuda->call.init != NULL))
        return false;
    int result = cuda->call.init(0);
    answer_integer(cuda->channel, cuda->group, "init", result, function);
    answer_init_name(cuda, result);
    if (result == CUDA_SUCCESS)
        return true;
    AUTO_FREE char *reason = refusal(cuda, function, result);
    if (result == CUDA_ERROR_NO_DEVICE)
        answer_count(cuda, 0, function);
    else
        answer_no_count(cuda, reason, function);
    return false;
}

/* 0 when there is none or it is not known. */
static int device_count(struct cuda *cuda)
{
    static const char function[] = "cuDeviceGetCount";
    AUTO_FREE char *reason = NULL;
    int count = 0;
    channel_step(cuda->channel, function);
    int result = cuda->call.get_count ? cuda->call.get_count(&count) : CUDA_SUCCESS;
    if (cuda->call.get_count == NULL)
        reason = mem_printf("the library has no %s", function);
    else if (result != CUDA_SUCCESS)
        reason = refusal(cuda, function, result);
    else if (count < 0 || count > ANSWER_INSTANCES)
        reason = mem_printf("%s reported %d, which is not plausible", function, count);
    if (reason) {
        answer_no_count(cuda, reason, function);
        return 0;
    }
    answer_count(cuda, count, function);
    return count;
}

static void answer_name(struct cuda *cuda)
{
    static const char function[] = "cuDeviceGetName";
    char name[256] = "";
    if (begin(cuda, "name", function, cuda->call.get_name != NULL) &&
        succeeded(cuda, "name", function,
                  cuda->call.get_name(name, sizeof(name) - 1, cuda->device)))
        answer_string(cuda->channel, cuda->group, "name", name, function);
}

/* cuDeviceGetUuid_v2 gives the MIG instance's where there is one, cuDeviceGetUuid the GPU's. */
static const char *uuid_prefix(struct cuda *cuda, const unsigned char uuid[16])
{
    unsigned char of_gpu[16] = {0};
    bool mig = cuda->call.get_gpu_uuid &&
               cuda->call.get_gpu_uuid(of_gpu, cuda->device) == CUDA_SUCCESS &&
               memcmp(uuid, of_gpu, sizeof(of_gpu)) != 0;
    return mig ? "MIG-" : "GPU-";
}

static void answer_uuid(struct cuda *cuda)
{
    static const char function[] = "cuDeviceGetUuid";
    unsigned char uuid[16] = {0};
    if (!begin(cuda, "uuid", function, cuda->call.get_uuid != NULL) ||
        !succeeded(cuda, "uuid", function, cuda->call.get_uuid(uuid, cuda->device)))
        return;
    AUTO_TEXT struct text text = {0};
    text_append(&text, uuid_prefix(cuda, uuid));
    for (size_t i = 0; i < sizeof(uuid); i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        text_printf(&text, "%s%02x", dash ? "-" : "", uuid[i]);
    }
    answer_string(cuda->channel, cuda->group, "uuid", text_string(&text), function);
}

static void answer_bus_id(struct cuda *cuda)
{
    static const char function[] = "cuDeviceGetPCIBusId";
    char bus_id[32] = "";
    if (!begin(cuda, "bus_id", function, cuda->call.get_bus_id != NULL) ||
        !succeeded(cuda, "bus_id", function,
                   cuda->call.get_bus_id(bus_id, sizeof(bus_id) - 1, cuda->device)))
        return;
    string_lower(bus_id);
    answer_string(cuda->channel, cuda->group, "bus_id", bus_id, function);
}

static bool attribute(struct cuda *cuda, const char *name, int number, int *ret_value)
{
    static const char function[] = "cuDeviceGetAttribute";
    return begin(cuda, name, function, cuda->call.get_attribute != NULL) &&
           succeeded(cuda, name, function,
                     cuda->call.get_attribute(ret_value, number, cuda->device));
}

static void answer_attribute(struct cuda *cuda, const char *name, int number)
{
    int value = 0;
    if (attribute(cuda, name, number, &value))
        answer_integer(cuda->channel, cuda->group, name, value, "cuDeviceGetAttribute");
}

static void answer_capability(struct cuda *cuda)
{
    int major = 0;
    int minor = 0;
    if (!attribute(cuda, "capability", COMPUTE_CAPABILITY_MAJOR, &major) ||
        !attribute(cuda, "capability", COMPUTE_CAPABILITY_MINOR, &minor))
        return;
    AUTO_FREE char *capability = mem_printf("%d.%d", major, minor);
    answer_string(cuda->channel, cuda->group, "capability", capability, "cuDeviceGetAttribute");
}

static void answer_memory(struct cuda *cuda)
{
    static const char function[] = "cuDeviceTotalMem";
    size_t bytes = 0;
    if (begin(cuda, "memory_bytes", function, cuda->call.total_memory != NULL) &&
        succeeded(cuda, "memory_bytes", function, cuda->call.total_memory(&bytes, cuda->device)))
        answer_integer(cuda->channel, cuda->group, "memory_bytes", (int64_t)bytes, function);
}

static void answer_ecc(struct cuda *cuda)
{
    int value = 0;
    if (attribute(cuda, "ecc", ECC_ENABLED, &value))
        answer_boolean(cuda->channel, cuda->group, "ecc", value != 0, "cuDeviceGetAttribute");
}

static void answer_compute_mode(struct cuda *cuda)
{
    static const char source[] = "cuDeviceGetAttribute";
    /* CUcomputemode; 1, exclusive to a thread, is gone since CUDA 8 */
    static const char *const modes[] = {"default", NULL, "prohibited", "exclusive-process"};
    int value = 0;
    if (!attribute(cuda, "compute_mode", COMPUTE_MODE, &value))
        return;
    size_t index = (size_t)value;
    if (index < sizeof(modes) / sizeof(*modes) && modes[index]) {
        answer_string(cuda->channel, cuda->group, "compute_mode", modes[index], source);
        return;
    }
    AUTO_FREE char *reason = mem_printf("compute mode %d, which is not known", value);
    answer_unknown(cuda->channel, cuda->group, "compute_mode", reason, source);
}

/* Which others it can copy from and to directly. */
static void answer_peers(struct cuda *cuda, int ordinal, int count)
{
    static const char function[] = "cuDeviceCanAccessPeer";
    AUTO_STRLIST struct strlist peers = {0};
    if (!begin(cuda, "peers", function, cuda->call.can_access_peer != NULL))
        return;
    for (int i = 0; i < count && i < PEERS_MAX; i++) {
        int peer = 0;
        int can = 0;
        if (i == ordinal)
            continue;
        if (!succeeded(cuda, "peers", "cuDeviceGet", cuda->call.get(&peer, i)) ||
            !succeeded(cuda, "peers", function,
                       cuda->call.can_access_peer(&can, cuda->device, peer)))
            return;
        if (can)
            strlist_take(&peers, mem_printf("%d", i));
    }
    answer_list(cuda->channel, cuda->group, "peers", &peers, function);
}

static void answer_device(struct cuda *cuda, int ordinal, int count)
{
    static const char function[] = "cuDeviceGet";
    channel_step(cuda->channel, function);
    int result = cuda->call.get ? cuda->call.get(&cuda->device, ordinal) : CUDA_SUCCESS;
    if (cuda->call.get == NULL || result != CUDA_SUCCESS) {
        AUTO_FREE char *reason = cuda->call.get ? refusal(cuda, function, result)
                                                : mem_printf("the library has no %s", function);
        ask_unknown_instance(cuda->channel, cuda->group, reason, function);
        return;
    }
    answer_name(cuda);
    answer_uuid(cuda);
    answer_bus_id(cuda);
    answer_capability(cuda);
    answer_attribute(cuda, "clock_khz", CLOCK_RATE);
    answer_attribute(cuda, "memory_clock_khz", MEMORY_CLOCK_RATE);
    answer_memory(cuda);
    answer_attribute(cuda, "multiprocessors", MULTIPROCESSOR_COUNT);
    answer_ecc(cuda);
    answer_compute_mode(cuda);
    answer_peers(cuda, ordinal, count);
}

void ask_cuda(struct channel *channel, const char *soname, const char *group)
{
    struct cuda cuda = {.channel = channel, .group = group};
    struct vendor_library library;
    if (!ask_open(channel, soname, group, symbols, &cuda.call, &library))
        return;
    answer_driver_version(&cuda);
    int count = init(&cuda) ? device_count(&cuda) : 0;
    for (int i = 0; i < count; i++) {
        AUTO_FREE char *device_group = mem_printf("cuda/%d", i);
        cuda.group = device_group;
        answer_device(&cuda, i, count);
    }
}
