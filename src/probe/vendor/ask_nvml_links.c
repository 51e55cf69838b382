/* SPDX-License-Identifier: MIT */
/* NVLinks and the fabric they make. */
#include "probe/vendor/ask_nvml.h"

#include <string.h>

/* The result of the whole: success with at least one link, not supported without, or the first
 * failure that is more than that there is no such link. */
static int count_links(const struct nvml_ask *ask, unsigned *ret_active, unsigned *ret_inactive)
{
    unsigned counts[2] = {0, 0};
    for (unsigned link = 0; link < NVML_LINKS_MAX; link++) {
        unsigned state = 0;
        int result = ask->nvml->link_state(ask->device, link, &state);
        if (result == NVML_NOT_SUPPORTED || result == NVML_INVALID_ARGUMENT)
            continue;
        if (result != NVML_SUCCESS)
            return result;
        counts[state != 0]++;
    }
    *ret_inactive = counts[0];
    *ret_active = counts[1];
    return counts[0] + counts[1] > 0 ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}

void nvml_ask_links(const struct nvml_ask *ask)
{
    unsigned active = 0;
    unsigned inactive = 0;
    const char *function = nvml_step(ask, NVML_CALL(link_state));
    int result = ask->nvml->link_state ? count_links(ask, &active, &inactive) : NVML_NO_FUNCTION;
    nvml_tell_integer(ask, "nvlinks_active", function, result, active);
    nvml_tell_integer(ask, "nvlinks_inactive", function, result, inactive);
}

/* One form of the answer each, newest first. */
struct fabric_form {
    size_t call;      /* an nvml_struct_call */
    uint32_t version; /* what the struct begins with; 0: it has none */
    size_t status;    /* where a uint32_t is */
    size_t state;     /* where a uint8_t is */
};

static const struct fabric_form fabric_forms[] = {
    {.call = NVML_CALL(fabric_v),
     .version = NVML_VERSION_OF(struct nvml_fabric_v3, 3),
     .status = offsetof(struct nvml_fabric_v3, status),
     .state = offsetof(struct nvml_fabric_v3, state)},
    {.call = NVML_CALL(fabric_v),
     .version = NVML_VERSION_OF(struct nvml_fabric_v2, 2),
     .status = offsetof(struct nvml_fabric_v2, status),
     .state = offsetof(struct nvml_fabric_v2, state)},
    {.call = NVML_CALL(fabric),
     .status = offsetof(struct nvml_fabric_v1, status),
     .state = offsetof(struct nvml_fabric_v1, state)},
};

static int call_fabric(const struct nvml_ask *ask, const struct fabric_form *form,
                       uint32_t *ret_status, uint8_t *ret_state)
{
    _Alignas(uint64_t) unsigned char answer[sizeof(struct nvml_fabric_v3)] = {0};
    nvml_struct_call call;
    memcpy(&call, (const char *)ask->nvml + form->call, sizeof(call));
    if (call == NULL)
        return NVML_NO_FUNCTION;
    memcpy(answer, &form->version, sizeof(form->version));
    int result = call(ask->device, answer);
    memcpy(ret_status, answer + form->status, sizeof(*ret_status));
    memcpy(ret_state, answer + form->state, sizeof(*ret_state));
    return result;
}

#define FABRIC_COMPLETED 3 /* NVML_GPU_FABRIC_STATE_COMPLETED */

void nvml_ask_fabric(const struct nvml_ask *ask)
{
    static const char *const states[] = {"not-supported", "not-started", "in-progress",
                                         "completed"}; /* NVML_GPU_FABRIC_STATE_… */
    uint32_t status = 0;
    uint8_t state = 0;
    int result = NVML_NO_FUNCTION;
    const char *function = NULL;
    for (size_t i = 0; i < sizeof(fabric_forms) / sizeof(fabric_forms[0]); i++) {
        if (!nvml_wants_older(result))
            break;
        function = nvml_step(ask, fabric_forms[i].call);
        result = call_fabric(ask, &fabric_forms[i], &status, &state);
    }
    if (result == NVML_SUCCESS && state >= sizeof(states) / sizeof(states[0]))
        nvml_tell_odd(ask, "fabric_state", function, "says %u", state);
    else
        nvml_tell_string(ask, "fabric_state", function, result, states[state & 3]);
    if (result == NVML_SUCCESS && state != FABRIC_COMPLETED)
        result = NVML_NOT_SUPPORTED; /* nvml.h: status means something only then */
    nvml_tell_integer(ask, "fabric_status", function, result, status);
}
