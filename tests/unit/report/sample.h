/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_REPORT_SAMPLE_H
#define TESTS_UNIT_REPORT_SAMPLE_H

#include "report/formats.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

/* Judgements made by hand, and a rule table of the tests' own: what the report looks like must not
 * depend on which rules there are. The linker takes this table and leaves the library's alone. */
__attribute__((weak)) const struct rule rule_table[] = {
    {.code = "DRV-901", .cause = "module_old", .title = "the module is old", .block = BLOCK_DRIVER},
    {.code = "DRV-902", .cause = "library_old", .title = "libcuda is old", .block = BLOCK_DRIVER},
    {.code = "GPU-901", .cause = "gpu_gone", .title = "a GPU is gone", .block = BLOCK_GPU},
    {.code = "CUD-901", .cause = "nvcc_gone", .title = "nvcc is missing", .block = BLOCK_CUDA},
    {.code = "DNN-901", .cause = "cudnn_gone", .title = "cuDNN is missing", .block = BLOCK_CUDNN},
    {.code = "CON-901", .cause = "bare", .title = "nothing was put in", .block = BLOCK_CONTAINER},
    {.code = "HST-901", .cause = "small_shm", .title = "/dev/shm is small", .block = BLOCK_HOST},
    {.code = NULL},
};

static inline struct check *sample_check(struct judgement *judgement, const char *code,
                                         enum check_status status, const char *reason)
{
    struct check *check =
        vec_push(judgement->checks, judgement->check_count, judgement->check_capacity);
    const struct rule *rule = rule_find(code);
    check->code = code;
    check->cause = rule ? rule->cause : code;
    check->status = status;
    check->reason = mem_string(reason);
    check->duration_ms = 0.5;
    unsigned *counts[] = {
        [CHECK_PASS] = &judgement->pass,       [CHECK_WARN] = &judgement->warn,
        [CHECK_FAIL] = &judgement->fail,       [CHECK_SKIP] = &judgement->skip,
        [CHECK_UNKNOWN] = &judgement->unknown,
    };
    (*counts[status])++;
    return check;
}

static inline struct finding *sample_finding(struct judgement *judgement, const char *code,
                                             enum severity severity, const char *message)
{
    struct finding *finding = judgement_add(judgement);
    const struct rule *rule = rule_find(code);
    finding->code = code;
    finding->cause = rule ? rule->cause : code;
    finding->severity = severity;
    finding->message = mem_string(message);
    return finding;
}

static inline void sample_fix(struct finding *finding, const char *command, const char *note,
                              bool reboot)
{
    struct finding_fix *fix = vec_push(finding->fixes, finding->fix_count, finding->fix_capacity);
    fix->command = mem_string(command);
    fix->note = mem_string(note);
    fix->reboot = reboot;
}

static inline void sample_evidence(struct finding *finding, const char *source, const char *name,
                                   const char *value)
{
    struct finding_evidence *evidence =
        vec_push(finding->evidence, finding->evidence_count, finding->evidence_capacity);
    evidence->source = mem_string(source);
    evidence->name = mem_string(name);
    evidence->value = mem_string(value);
}

static inline struct facts *sample_facts(void)
{
    struct facts *facts = facts_new();
    facts_set_string(facts, "os", "pretty_name", "Ubuntu 24.04.1 LTS", "/etc/os-release");
    facts_set_string(facts, "os", "id", "ubuntu", "/etc/os-release");
    facts_set_string(facts, "os", "architecture", "x86_64", "/bin/sh");
    facts_set_string(facts, "os", "glibc_version", "2.39", "libc.so.6");
    facts_set_string(facts, "kernel", "release", "6.8.0-45-generic", "uname(2)");
    facts_set_string(facts, "machine", "virtualization", "kvm", "/sys/class/dmi/id");
    facts_set_absent(facts, "machine", "wsl", "/proc/sys/kernel/osrelease");
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    facts_set_integer(facts, "memory", "total_bytes", 64LL << 30, "/proc/meminfo");
    facts_set_integer(facts, "memory", "swap_total_bytes", 0, "/proc/meminfo");
    facts_set_string(facts, "module", "version", "570.195.03", "/proc/driver/nvidia/version");
    facts_set_string(facts, "module", "flavour", "open", "/proc/driver/nvidia/version");
    facts_set_integer(facts, "pci", "count", 2, "/sys/bus/pci/devices");
    facts_set_string(facts, "pci/0000:01:00.0", "device_id", "2330", "/sys/bus/pci/devices");
    facts_set_string(facts, "pci/0000:02:00.0", "device_id", "2330", "/sys/bus/pci/devices");
    facts_set_integer(facts, "toolkit", "count", 1, "toolkit search");
    facts_set_string(facts, "toolkit/usr/local/cuda-12.8", "version", "12.8.1",
                     "/usr/local/cuda-12.8/version.json");
    facts_set_string(facts, "toolkit/usr/local/cuda-12.8", "path", "/usr/local/cuda-12.8",
                     "/usr/local/cuda-12.8");
    facts_set_integer(facts, "library", "count", 0, "library search");
    return facts;
}

static inline struct judgement *sample_judgement(void)
{
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    judgement->purpose = PURPOSE_RUN;
    judgement->purpose_reason = mem_string("not in a container");
    sample_check(judgement, "DRV-901", CHECK_PASS, NULL);
    sample_check(judgement, "DRV-902", CHECK_FAIL, NULL);
    sample_check(judgement, "GPU-901", CHECK_PASS, NULL);
    sample_check(judgement, "CUD-901", CHECK_UNKNOWN,
                 "/usr/local/cuda-12.8/bin/nvcc: no answer in 10 s");
    sample_check(judgement, "DNN-901", CHECK_PASS, NULL);
    sample_check(judgement, "CON-901", CHECK_SKIP, "not in a container");
    sample_check(judgement, "HST-901", CHECK_WARN, NULL);

    struct finding *mismatch =
        sample_finding(judgement, "DRV-902", SEVERITY_FAIL,
                       "user-space driver 570.211.01 does not match the loaded module 570.195.03");
    mismatch->why = mem_string("packages were upgraded and the module was not reloaded; both must "
                               "be of exactly the same version");
    sample_fix(mismatch,
               "sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia",
               "stop every GPU user first", false);
    sample_fix(mismatch, "sudo systemctl reboot", NULL, true);
    sample_fix(mismatch, NULL, "take the old library out of the way", true);
    sample_evidence(mismatch, "libcuda.so.1", "version", "570.211.01");
    sample_evidence(mismatch, "/sys/module/nvidia/version", NULL, "570.195.03");
    mismatch->manifest = mem_string("driver/570");
    sample_finding(judgement, "GPU-901", SEVERITY_FAIL, "no program sees a GPU")->caused_by =
        "DRV-902";
    sample_finding(judgement, "HST-901", SEVERITY_WARN, "/dev/shm holds 64 MiB");
    struct finding *none =
        sample_finding(judgement, "DNN-901", SEVERITY_INFO, "no cuDNN is installed");
    sample_evidence(none, "library search", "count", "0");
    sample_evidence(none, "PATH", NULL, "/usr/bin");
    judgement->exit_code = 1;
    return judgement;
}

static inline struct report_input sample_input(const struct facts *facts,
                                               const struct judgement *judgement,
                                               const struct strlist *gpu_names)
{
    return (struct report_input){
        .tool_version = "0.1.0",
        .manifest_version = "7",
        .manifest_date = "2026-11-20",
        .root = "/",
        .facts = facts,
        .judgement = judgement,
        .columns = 80,
        .driver_cuda = "12.8",
        .gpu_names = gpu_names,
    };
}

#endif
