/* SPDX-License-Identifier: MIT */
#include "rules/gpu/peers.h"

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/remedy/remedy.h"

/* p2p_iommu_acs: GPUs that write into each other's memory over PCI Express, and an IOMMU that
 * translates the addresses on the way. */

struct way {
    size_t translated;     /* GPUs whose addresses the IOMMU translates */
    const char *first;     /* pci group of the first of them */
    const char *redirects; /* of one below bridges that redirect (ACS) */
    const char *fault;     /* log group of an IOMMU fault of one of them */
    const char *peer;      /* cuda group of one that is said to reach another */
    bool acs_known;        /* whether the bridges redirect could be read */
};

static bool is_translated(const struct facts *facts, const char *pci)
{
    const char *type = facts_string(facts, pci, "iommu_type");
    return type && string_starts(type, "DMA");
}

/* NVLinks take what goes between the GPUs they join. */
static bool has_nvlink(const struct facts *facts, const char *address)
{
    int64_t up;
    const char *nvml = hardware_listed(facts, "nvml", address);
    return nvml && facts_integer(facts, nvml, "nvlinks_active", &up) && up > 0;
}

static void take_gpu(struct way *way, const struct facts *facts, const char *pci)
{
    const char *address = hardware_address(pci);
    const char *cuda = hardware_listed(facts, "cuda", address);
    const struct strlist *redirects = facts_list(facts, pci, "acs_redirects");
    const struct strlist *peers = cuda ? facts_list(facts, cuda, "peers") : NULL;
    if (way->fault == NULL)
        way->fault = hardware_event(facts, "iommu_fault", address);
    if (!is_translated(facts, pci) || has_nvlink(facts, address))
        return;
    way->translated++;
    way->first = way->first ? way->first : pci;
    way->acs_known = way->acs_known || redirects;
    if (redirects && redirects->count > 0 && way->redirects == NULL)
        way->redirects = pci;
    if (peers && peers->count > 0 && way->peer == NULL)
        way->peer = cuda;
}

/* How this distribution adds words to the kernel's command line. */
static const char *command_line(const struct facts *facts)
{
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        return "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&iommu=pt /' /etc/default/grub && sudo "
               "update-grub";
    case DISTRIBUTION_RHEL:
        return "sudo grubby --update-kernel=ALL --args=iommu=pt";
    case DISTRIBUTION_SUSE:
        return "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&iommu=pt /' /etc/default/grub && sudo "
               "grub2-mkconfig -o /boot/grub2/grub.cfg";
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER:
        break;
    }
    return NULL;
}

static void way_fixes(const struct rule_context *context, struct finding *finding,
                      const struct way *way)
{
    const struct facts *facts = context->facts;
    const char *command = command_line(facts);
    finding_fix_command(finding, FIX_SHELL | FOR_NOW,
                        "for now: NCCL goes through the machine's memory, which is slower but safe",
                        "export NCCL_P2P_DISABLE=1");
    if (nvml_fix_on_host(context, finding))
        return;
    if (command) /* a choice: it changes how the machine starts */
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                            "lets the IOMMU pass the GPUs' addresses through; then reboot", "%s",
                            command);
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "add iommu=pt to the kernel's command line and reboot");
    if (way->redirects)
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
            "switch ACS off in the firmware setup, or after each boot on the named bridges: sudo "
            "setpci -s BRIDGE ECAP_ACS+6.w=0000; leave ACS on if virtual machines use GPUs");
}

static struct finding *way_finding(struct rule_context *context, const struct way *way)
{
    const struct facts *facts = context->facts;
    enum severity severity = nvml_severity_of_warning(context);
    const char *type = facts_string(facts, way->first, "iommu_type");
    if (way->fault)
        return rule_found(context, severity,
                          "the IOMMU blocks transfers between GPUs: IO_PAGE_FAULT or similar in "
                          "%s, and the IOMMU groups translate addresses (%s)",
                          facts_get(facts, way->fault, "event")->source, type);
    if (way->redirects) {
        AUTO_FREE char *bridges =
            strlist_join(facts_list(facts, way->redirects, "acs_redirects"), ", ");
        return rule_found(context, severity,
                          "bridges above the GPUs redirect transfers between them up to the root "
                          "(ACS: %s), where the IOMMU translates addresses (%s)",
                          bridges, type);
    }
    return rule_found(context, severity,
                      "the IOMMU translates the addresses of %zu GPUs (%s) that need to reach each "
                      "other over PCI Express",
                      way->translated, type);
}

static void way_found(struct rule_context *context, const struct way *way)
{
    static const char *const names[] = {"iommu_type", "iommu_group", "acs_redirects"};
    const struct facts *facts = context->facts;
    struct finding *finding = way_finding(context, way);
    finding_subject(finding, hardware_address(way->first));
    finding_why(
        finding,
        "transfers between these GPUs (NCCL all-reduce, CUDA copies) hang or return zeros, "
        "although CUDA says that the GPUs can reach each other%s",
        way->acs_known ? "" : "; only root can see whether the bridges redirect transfers (ACS)");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        finding_evidence(finding, facts, way->redirects ? way->redirects : way->first, names[i]);
    finding_evidence(finding, facts, way->fault, "message");
    finding_evidence(finding, facts, way->peer, "peers");
    finding_evidence(finding, facts, "boot", "options");
    way_fixes(context, finding, way);
}

void judge_p2p_iommu_acs(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct way way = {.translated = 0};
    int64_t count = 0;
    const char *pci;
    if (!rule_require_gpu_on_bus(context))
        return;
    if (facts_integer(facts, "pci", "count", &count) && count < 2) {
        rule_skip(context, "there are fewer than two GPUs");
        return;
    }
    for (size_t i = 0; (pci = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, pci) &&
            !string_equal(facts_string(facts, pci, "driver"), "vfio-pci"))
            take_gpu(&way, facts, pci);
    if (way.translated < 2)
        rule_skip(context,
                  "no two GPUs here reach each other through an IOMMU that translates addresses");
    else if (way.fault || way.redirects || way.peer)
        way_found(context, &way);
}
