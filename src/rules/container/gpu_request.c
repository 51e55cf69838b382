/* SPDX-License-Identifier: MIT */
#include "rules/container/gpu_request.h"

#include "base/text.h"
#include "rules/engine/finding.h"

/* An engine may have several rows, its usual one first. Docker's and compose's options:
 * docs.docker.com/compose/how-tos/gpu-support; podman's: NVIDIA's guide to CDI; Kubernetes': its
 * guide to device plugins; --nv: apptainer.org/docs/user/main/gpu.html. */
static const struct gpu_request {
    const char *engine; /* NULL: any other */
    const char *words;  /* a clause that stands alone */
    const char *fix;    /* one sentence */
} requests[] = {
    {"docker", "docker run --gpus all", "start the container again with: docker run --gpus all"},
    {"docker", NULL,
     "with compose, under the service: deploy: {resources: {reservations: {devices: [{driver: "
     "nvidia, count: all, capabilities: [gpu]}]}}}"},
    {"podman", "podman run --device nvidia.com/gpu=all",
     "start the container again with: podman run --device nvidia.com/gpu=all"},
    {"podman", NULL,
     "if podman does not recognise nvidia.com/gpu, run this on the host first: sudo nvidia-ctk cdi "
     "generate --output=/etc/cdi/nvidia.yaml"},
    {"kubernetes", "the limit nvidia.com/gpu: 1 in the pod",
     "in the pod's container spec: resources: {limits: {nvidia.com/gpu: 1}}; the node needs "
     "NVIDIA's device plugin"},
    {"lxc", "lxc config device add NAME gpu gpu",
     "on the host, with LXD or Incus: lxc config device add NAME gpu gpu; with Proxmox: add the "
     "nodes to the container as devices (/dev/nvidia0, /dev/nvidiactl, /dev/nvidia-uvm)"},
    {"systemd-nspawn", "--bind=/dev/nvidia0 and similar",
     "start the container again with --bind=/dev/nvidia0 --bind=/dev/nvidiactl "
     "--bind=/dev/nvidia-uvm, and bind the driver's libraries too"},
    {NULL, "its engine's GPU option",
     "start the container again with its engine's GPU option: apptainer and singularity --nv, "
     "nerdctl and docker --gpus all, podman --device nvidia.com/gpu=all"},
};
#define REQUEST_COUNT (sizeof(requests) / sizeof(requests[0]))

static size_t first_request(const char *engine)
{
    size_t row = 0;
    while (requests[row].engine && !string_equal(requests[row].engine, engine))
        row++;
    return row;
}

const char *gpu_request_of(const char *engine)
{
    return requests[first_request(engine)].words;
}

void gpu_request_fix(struct finding *finding, const char *engine)
{
    size_t first = first_request(engine);
    for (size_t i = first; i < REQUEST_COUNT; i++)
        if (i == first || string_equal(requests[i].engine, requests[first].engine))
            finding_fix_note(finding, FIX_HOST, "%s", requests[i].fix);
}
