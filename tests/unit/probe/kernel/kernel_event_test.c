/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "probe/kernel/kernel_event.h"

struct expected {
    const char *line;
    const char *name; /* NULL: about nothing */
    long number;      /* 0: none */
    const char *bus_id;
};

/* Lines as the driver and the kernel print them. */
static const struct expected table[] = {
    {"NVRM: Xid (PCI:0000:c1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
     "xid", 79, "0000:c1:00.0"},
    {"NVRM: Xid (PCI:0000:17:00): 119, pid=4242, name=python, Timeout waiting for RPC from GSP!",
     "xid", 119, "0000:17:00.0"},
    {"NVRM: Xid (0000:01:00): 31, Ch 00000010", "xid", 31, "0000:01:00.0"},
    {"nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30", "sxid", 20034,
     "0000:05:00.0"},
    {"NVRM: GPU 00000000:01:00.0 has fallen off the bus.", "fallen_off_bus", 0, "0000:01:00.0"},
    {"nvidia 0000:01:00.0: Unable to change power state from D3cold to D0, device inaccessible",
     "gpu_inaccessible", 0, "0000:01:00.0"},
    {"nvidia 0000:01:00.0: not ready 65535ms after resume; giving up", "gpu_inaccessible", 0,
     "0000:01:00.0"},
    {"nvidia 0000:01:00.0: not ready 1023ms after resume; waiting", NULL, 0, ""},
    {"pci 0000:44:00.0: not ready 65535ms after resume; giving up", NULL, 0, ""},
    {"nvidia-uvm: uvm_pmm_gpu.c:3184 devmem_alloc_pagemap[pid:3512] request_free_mem_region() err "
     "-34",
     "hmm_failed", 0, ""},
    {"NVRM: installed in this system requires use of the NVIDIA open kernel modules.",
     "open_required", 0, ""},
    {"NVRM: installed in this system is not supported by open", "open_unsupported", 0, ""},
    {"NVRM: Open nvidia.ko is only ready for use on Data Center GPUs.", "open_unsupported", 0, ""},
    {"NVRM: installed in this system is not supported by the", "gpu_unsupported", 0, ""},
    {"NVRM: _kgspRpcRecvPoll: GSP RM heartbeat timed out", "gsp_timeout", 0, ""},
    {"NVRM: GPU0 _kgspRpcGspEventPmuHalted: Received signal from GSP that PMU has halted.",
     "gsp_timeout", 0, ""},
    {"NVRM: gpuWaitForGfwBootComplete_TU102: failed to wait for GFW_BOOT: (progress 0x3)",
     "board_not_ready", 0, ""},
    {"NVRM: kgspWaitForGfwBootOk_TU102: failed to wait for GFW boot complete: 0x65 VBIOS version "
     "94.02.59.00.05",
     "board_not_ready", 0, ""},
    {"NVRM: GPU0 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP",
     "board_not_ready", 0, ""},
    {"NVRM: Can't find an IRQ for your NVIDIA card!", "no_interrupt", 0, ""},
    {"NVRM:  supported through the NVIDIA 390.xx Legacy drivers. Please", "legacy_gpu", 0, ""},
    {"NVRM: GPU 0000:01:00.0: GPU does not have the necessary power cables connected.",
     "power_cable", 0, "0000:01:00.0"},
    {"NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:", "bar_invalid", 0, ""},
    {"NVRM: BAR1 is 0M @ 0x0 (PCI:0000:C1:00.0)", "bar_invalid", 0, "0000:c1:00.0"},
    {"pci 0000:01:00.0: BAR 1: no space for [mem size 0x10000000 64bit pref]", "bar_unassigned", 0,
     "0000:01:00.0"},
    {"pci 0000:01:00.0: BAR 1 [mem size 0x10000000 64bit pref]: can't assign; no space",
     "bar_unassigned", 0, "0000:01:00.0"},
    {"pci 0000:44:00.0: BAR 1: no space for [mem size 0x10000000 64bit pref]", NULL, 0, ""},
    {"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)", "rm_init_failed", 0,
     "0000:01:00.0"},
    {"NVRM: API mismatch: the client has the version 570.86.15, but", "api_mismatch", 0, ""},
    {"NVRM: The NVIDIA probe routine was not called for 1 device(s).", "probe_not_called", 0, ""},
    {"NVRM: The NVIDIA probe routine failed for 1 device(s).", "probe_failed", 0, ""},
    {"NVRM: None of the NVIDIA graphics adapters were initialized!", "no_gpu_found", 0, ""},
    {"NVRM: No NVIDIA GPU found.", "no_gpu_found", 0, ""},
    {"NVRM: was loaded and obtained ownership of the NVIDIA device(s).", "driver_conflict", 0, ""},
    {"NVRM: osInitNvMapping: *** Cannot attach gpu", "cannot_attach", 0, ""},
    {"Loading of unsigned module is rejected", "signature_rejected", 0, ""},
    {"nvidia: Loading of module with unavailable key is rejected", "signature_rejected", 0, ""},
    {"Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
     "signature_rejected", 0, ""},
    {"nvidia: module verification failed: signature and/or required key missing - tainting kernel",
     "module_unverified", 0, ""},
    {"Kernel is locked down from EFI Secure Boot; see man kernel_lockdown.7", "lockdown", 0, ""},
    {"nvidia: disagrees about version of symbol module_layout", "symbol_version", 0, ""},
    {"nvidia_uvm: Unknown symbol nvUvmInterfaceRegisterGpu (err -2)", "unknown_symbol", 0, ""},
    {"e1000e: Unknown symbol foo (err -2)", NULL, 0, ""},
    {"nvidia: version magic '6.8.0-45 SMP' should be '6.8.0-47 SMP'", "vermagic", 0, ""},
    {"nvidia 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
     "aer_fatal", 0, "0000:01:00.0"},
    {"pcieport 0000:00:01.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
     "aer_corrected", 0, "0000:00:01.0"},
    {"pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected, type=Physical Layer", NULL, 0, ""},
    {"AMD-Vi: Event logged [IO_PAGE_FAULT device=01:00.0 domain=0x000e address=0xd0]",
     "iommu_fault", 0, "0000:01:00.0"},
    {"DMAR: [DMA Write] Request device [01:00.0] fault addr 100", "iommu_fault", 0, "0000:01:00.0"},
    {"AMD-Vi: Event logged [IO_PAGE_FAULT device=44:00.0 domain=0x000e]", NULL, 0, ""},
    {"Out of memory: Killed process 4242 (python3) total-vm:1kB", "oom_kill", 0, ""},
    {"Memory cgroup out of memory: Killed process 4242 (cicc)", "cgroup_oom_kill", 0, ""},
    {"audit: type=1400 audit(1.2:3): avc:  denied  { read write } for name=\"nvidiactl\"",
     "avc_denied", 0, ""},
    {"audit: type=1400 audit(1.2:3): avc:  denied  { read } for name=\"shadow\"", NULL, 0, ""},
    {"PM: suspend entry (deep)", "suspend", 0, ""},
    {"PM: suspend exit", "resume", 0, ""},
    {"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15", "nvidia_loaded", 0, ""},
    {"nvidia-uvm: Loaded the UVM driver, major device number 235.", "uvm_loaded", 0, ""},
    {"nouveau 0000:01:00.0: NVIDIA GP108 (138000a1)", "nouveau", 0, "0000:01:00.0"},
    {"nouveau 0000:01:00.0: DRM: failed to create kernel channel, -22", "nouveau_error", 0,
     "0000:01:00.0"},
    {"Command line: quiet nouveau.modeset=0 modprobe.blacklist=nouveau rd.nouveau fail", NULL, 0,
     ""},
    {"usb 1-1: new high-speed USB device", NULL, 0, ""},
    {"", NULL, 0, ""},
};

static void lines_are_known(void **state)
{
    (void)state;
    struct strlist watched = {0};
    strlist_add(&watched, "0000:01:00.0");
    strlist_add(&watched, "0000:00:01.0");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct kernel_reader reader = {.watched = &watched};
        struct kernel_event event = {.name = NULL};
        const struct expected *expected = &table[i];
        if (kernel_event_read(&reader, expected->line, &event) != (expected->name != NULL))
            fail_msg("%s: is %s", expected->line, event.name ? event.name : "nothing");
        if (expected->name == NULL)
            continue;
        if (!string_equal(event.name, expected->name))
            fail_msg("%s: is %s", expected->line, event.name);
        if (!string_equal(event.bus_id, expected->bus_id))
            fail_msg("%s: of \"%s\"", expected->line, event.bus_id);
        assert_int_equal(event.numbered, expected->number != 0);
        assert_int_equal(event.number, expected->number);
    }
    strlist_free(&watched);
}

/* "The NVIDIA GPU … (PCI ID: …)", and on the next line what is wrong with it. */
static void the_address_may_be_in_the_line_before(void **state)
{
    (void)state;
    struct strlist watched = {0};
    struct kernel_reader reader = {.watched = &watched};
    struct kernel_event event;
    assert_false(kernel_event_read(&reader, "NVRM: The NVIDIA GPU 0000:02:00.0 (PCI ID: 10de:2c31)",
                                   &event));
    assert_true(kernel_event_read(
        &reader, "NVRM: installed in this system requires use of the NVIDIA open kernel modules.",
        &event));
    assert_string_equal(event.bus_id, "0000:02:00.0");
    assert_false(kernel_event_read(&reader, "usb 1-1: new device", &event));
    assert_true(kernel_event_read(&reader, "NVRM: No NVIDIA GPU found.", &event));
    assert_string_equal(event.bus_id, "");
}

static void hostile_lines_do_no_harm(void **state)
{
    (void)state;
    struct strlist watched = {0};
    struct kernel_reader reader = {.watched = &watched};
    struct kernel_event event;
    static const char *const lines[] = {
        "NVRM: Xid (PCI:0000:01:00): 99999999999999999999999999, x",
        "NVRM: Xid (PCI:ffffffffffffffffffffffffffffffff:01:00): 1",
        "NVRM: Xid (): ",
        "NVRM: Xid (PCI:0000:01",
        "SXid (PCI:0000:01:00.): \033[31m",
        "nouveau ffffffff:ff:ff.f: fail",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_true(kernel_event_read(&reader, lines[i], &event));
    assert_string_equal(event.bus_id, "ffffffff:ff:ff.f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_known),
        cmocka_unit_test(the_address_may_be_in_the_line_before),
        cmocka_unit_test(hostile_lines_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
