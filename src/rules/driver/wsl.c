/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "rules/driver/driver_gpu.h"
#include "rules/driver/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* WSL 2: the driver is Windows's, and the distribution gets its libraries in /usr/lib/wsl/lib. No
 * fix here is one for a Linux host (tests/program/wsl-fixes). */
#define LIBCUDA       "libcuda.so.1"
#define NVML          "libnvidia-ml.so.1"
#define NVML_BLOCKED  17  /* NVML_ERROR_OPERATING_SYSTEM of nvml.h */
#define CUDA_NO_NAME  500 /* CUDA_ERROR_NOT_FOUND of cuda.h */
#define CUDA_MISMATCH 803 /* and 804: forward_compat_unsupported_gpu speaks of them */
#define PACKAGES_MAX  16

/* False, and the check is ended, outside WSL and where nothing is to be run. */
static bool require_wsl(struct rule_context *context)
{
    if (context->purpose == PURPOSE_BUILD)
        rule_skip(context, "a GPU is not needed to build");
    else if (!rule_require_fact(context, "machine", "wsl"))
        return false;
    else if (judged_place(context->facts) != PLACE_WSL)
        rule_skip(context, "not WSL");
    else
        return true;
    return false;
}

/* False, and the check is ended, where the library was not asked, or did not answer. */
static bool require_answer(struct rule_context *context, const char *soname,
                           struct judged_answer *ret_answer)
{
    *ret_answer = judged_answer(context->facts, soname);
    if (ret_answer->start == START_UNKNOWN)
        rule_unknown(context, "%s: %s", soname, ret_answer->reason);
    else if (ret_answer->start == START_NOT_ASKED)
        rule_skip(context, "%s was not asked", soname);
    else
        return true;
    return false;
}

static bool is_in_container(const struct facts *facts)
{
    return facts_string(facts, "container", "engine") != NULL;
}

/* The group of the file that the loader picks, where a driver for Linux brought it: its name has
 * that driver's release. NULL: it is Windows's, a stub, or none. */
static const char *linux_library(const struct facts *facts, const char *soname)
{
    struct version version;
    const char *path = judged_loaded_path(facts, soname);
    const char *group = path ? judged_library_at(facts, path) : NULL;
    struct judged_answer answer = judged_answer(facts, soname);
    if (group == NULL || judged_library_is_stub(facts, group) ||
        judged_library_has_origin(facts, group, "wsl") || answer.start == START_WORKS ||
        !driver_version_parse(judged_library_version(facts, group), &version))
        return NULL;
    bool refused =
        judged_answer_is(&answer, CUDA_MISMATCH) || judged_answer_is(&answer, CUDA_MISMATCH + 1);
    return judged_library_has_origin(facts, group, "compat") &&
                   (refused || answer.start != START_FAILED)
               ? NULL
               : group;
}

/* False, and the check is ended, where it is not known which file the loader picks. */
static bool require_loader(struct rule_context *context, const char *soname)
{
    const char *loader = judged_loader(context->facts, soname);
    if (loader)
        return rule_require_fact(context, loader, "path");
    rule_unknown(context, "the record does not say which %s the loader loads", soname);
    return false;
}

/* The packages of a Linux driver, as words of a shell: free() it. NULL: there is none. */
static char *driver_packages(const struct facts *facts)
{
    AUTO_TEXT struct text words = {0};
    size_t count = 0;
    const char *name;
    for (size_t i = 0; (name = driver_package_next(facts, &i)) && count < PACKAGES_MAX; count++) {
        AUTO_FREE char *quoted = shell_quote(name);
        text_printf(&words, "%s%s", count ? " " : "", quoted);
    }
    return count ? mem_string(text_string(&words)) : NULL;
}

/* Where Windows's own is, as far as it is there: a stop-gap. */
static void add_path_for_now(const struct facts *facts, struct finding *finding)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (judged_library_has_origin(facts, group, "wsl") &&
            string_equal(facts_string(facts, group, "name"), "libcuda")) {
            finding_fix_command(
                finding, FIX_SHELL | FOR_NOW,
                "for now, in each shell: programs then find the Windows driver's libraries "
                "first",
                "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:\"$LD_LIBRARY_PATH\"");
            return;
        }
}

static void linux_driver_fixes(const struct rule_context *context, struct finding *finding,
                               const char *loader, const char *path)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *packages = driver_packages(facts);
    bool dpkg = remedy_distribution(facts) == DISTRIBUTION_UBUNTU ||
                remedy_distribution(facts) == DISTRIBUTION_DEBIAN;
    bool runfile = facts_true(facts, "driver_install", "runfile");
    if (remedy_library_path(facts, finding, facts_string(facts, loader, "why"),
                            "programs then find the libraries of the Windows driver"))
        return;
    if (is_in_container(facts)) {
        finding_fix_note(finding, FIX_ADVICE,
                         "remove %s from the image: the container runtime adds the libraries of "
                         "the Windows driver",
                         path);
        return;
    }
    if (packages && dpkg)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "apt-get also removes packages that depend on them, such as Ubuntu's "
                            "nvidia-cuda-toolkit; "
                            "NVIDIA's packages cuda-toolkit-… contain no driver",
                            "sudo apt-get remove %s", packages);
    if (runfile)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "removes the driver that the .run file installed",
                            "sudo nvidia-uninstall");
    if (!runfile && !(packages && dpkg))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "remove the package that installed %s, then run sudo ldconfig", path);
    add_path_for_now(facts, finding);
}

static void linux_driver_found(struct rule_context *context, const char *soname, const char *group)
{
    const struct facts *facts = context->facts;
    const char *loader = judged_loader(facts, soname);
    const char *path = facts_string(facts, group, "path");
    struct judged_answer answer = judged_answer(facts, soname);
    bool cuda = string_equal(soname, LIBCUDA);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "programs in WSL load %s, which belongs to a Linux driver, not the file in "
                   "/usr/lib/wsl/lib",
                   path);
    finding_subject(finding, soname);
    finding_why(
        finding,
        "WSL has no NVIDIA kernel module, so libraries of a Linux driver find no GPU; the "
        "Windows driver brings its own libraries in /usr/lib/wsl/lib%s%s",
        cuda ? ""
             : "; CUDA programs find these, but programs that use NVML (nvidia-smi, Ollama) do not",
        judged_node(facts, "dxg")
            ? ""
            : "; /dev/dxg is missing too, so this WSL has no access to a GPU at all");
    finding_evidence(finding, facts, loader, "path");
    finding_evidence(finding, facts, loader, "why");
    finding_evidence(finding, facts, group, "version");
    finding_evidence(finding, facts, "driver_install", "runfile");
    if (answer.start == START_FAILED)
        finding_evidence(finding, facts, answer.group, "init");
    linux_driver_fixes(context, finding, loader, path);
    if (judged_node(facts, "dxg") == NULL && !is_in_container(facts))
        finding_fix_note(finding, FIX_HOST,
                         "in Windows: run wsl --update and wsl --shutdown (Windows 10 needs "
                         "version 21H2 or newer)");
}

void judge_wsl_linux_driver_inside(struct rule_context *context)
{
    static const char *const sonames[] = {LIBCUDA, NVML};
    if (!require_wsl(context))
        return;
    for (size_t i = 0; i < sizeof(sonames) / sizeof(sonames[0]); i++) {
        if (!require_loader(context, sonames[i]))
            return;
        const char *group = linux_library(context->facts, sonames[i]);
        if (group) {
            linux_driver_found(context, sonames[i], group);
            return;
        }
    }
}

/* True when the driver that NVML tells is older than the row's: it needs no such file. */
static bool driver_is_older(const struct facts *facts, const struct manifest_threshold *row)
{
    struct version version;
    return driver_version_parse(facts_string(facts, "answer/" NVML, "driver_version"), &version) &&
           version_compare(&version, &row->version) < 0;
}

void judge_wsl_container_without_dxgdmal(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!require_wsl(context) || !rule_require_fact(context, "container", "engine"))
        return;
    if (!is_in_container(facts)) {
        rule_skip(context, "not in a container");
        return;
    }
    struct judged_answer answer;
    if (!require_answer(context, LIBCUDA, &answer) || !judged_answer_is(&answer, CUDA_NO_NAME) ||
        !rule_require_fact(context, "library", "count"))
        return;
    const struct manifest_threshold *driver = threshold_of(context, "wsl-dxgdmal-driver");
    const struct manifest_threshold *toolkit = threshold_of(context, "wsl-dxgdmal-toolkit");
    if (driver == NULL || toolkit == NULL || driver_is_older(facts, driver) ||
        facts_find(facts, "library", "name", "libnvdxgdmal"))
        return;
    char from[VERSION_TEXT_SIZE];
    char fixed[VERSION_TEXT_SIZE];
    version_text(&driver->version, 0, from);
    version_text(&toolkit->version, 0, fixed);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "this container lacks libnvdxgdmal.so.1 of the Windows driver");
    finding_why(
        finding,
        "Windows drivers from %s on need this library. Old releases of Docker Desktop and of "
        "NVIDIA's container toolkit do not add it to containers; cuInit then returns error 500",
        from);
    finding_evidence(finding, facts, answer.group, "init");
    finding_evidence(finding, facts, "answer/" NVML, "driver_version");
    finding_manifest(finding, toolkit->id);
    finding_fix_note(finding, FIX_HOST,
                     "update Docker Desktop in Windows; or, if Docker or Podman runs in a WSL "
                     "distribution, install nvidia-container-toolkit %s or newer there. Then "
                     "create the container again",
                     fixed);
    finding_fix_note(finding, FIX_HOST,
                     "if the container gets the GPU through CDI, write the CDI specification again "
                     "in that distribution: "
                     "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
}

/* The kernel of WSL without /dev/dxg: one of the user's own making, or an old one. */
static void no_node_found(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "this WSL kernel (%s) has no access to the GPU in Windows: /dev/dxg is missing",
                   facts_string(facts, "kernel", "release"));
    finding_subject(finding, "/dev/dxg");
    finding_why(finding,
                "NVML says \"GPU access blocked by the operating system\"; programs reach "
                "the Windows driver only through /dev/dxg, which the kernel driver dxgkrnl "
                "creates");
    finding_evidence(finding, facts, "device", "count");
    finding_evidence(finding, facts, "answer/" NVML, "init");
    finding_fix_note(finding, FIX_HOST,
                     "in Windows: run wsl --update. If .wslconfig has a line kernel=…, remove it, "
                     "or build that kernel with CONFIG_DXGKRNL; then run wsl --shutdown");
}

void judge_wsl_gpu_access_blocked(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct judged_answer answer;
    if (!require_wsl(context) || !require_answer(context, NVML, &answer) ||
        !judged_answer_is(&answer, NVML_BLOCKED) ||
        judged_answer(facts, LIBCUDA).start == START_WORKS ||
        rule_has_found(context, "cgroup_device_denied") ||
        rule_has_found(context, "wsl_linux_driver_inside") ||
        !rule_require_fact(context, "device", "count"))
        return;
    const char *node = judged_node(facts, "dxg");
    if (node == NULL) {
        if (!is_in_container(facts))
            no_node_found(context);
        return;
    }
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "Windows does not let WSL use the GPU (GPU access blocked by the operating "
                   "system)");
    finding_subject(finding, NVML);
    finding_why(finding,
                "%s exists and can be opened, but nvmlInit returns error 17, so it is Windows that "
                "refuses. "
                "WSL can use a GPU only if its driver model in Windows is WDDM or MCDM, not TCC",
                facts_string(facts, node, "path"));
    finding_evidence(finding, facts, answer.group, "init");
    finding_evidence(finding, facts, answer.group, "init_name");
    finding_evidence(finding, facts, node, "usable");
    if (!is_in_container(facts))
        finding_fix_command(finding, FIX_LOOK, "in Windows: shows the driver model of each GPU",
                            "nvidia-smi.exe --query-gpu=name,driver_model.current --format=csv");
    finding_fix_note(
        finding, FIX_HOST | NEEDS_ROOT,
        "if the driver model is TCC: in Windows, as administrator, run nvidia-smi -g 0 -dm 0 (this "
        "sets "
        "WDDM), and restart Windows. Data-centre cards need a driver that supports WDDM or "
        "MCDM for them");
    finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                     "if it is WDDM or MCDM: in Windows, install a newer NVIDIA driver, run wsl "
                     "--update, then wsl --shutdown");
}

/* NVML opens libcuda for CUDA's version: "ERR!" in nvidia-smi. */
static bool nvml_lacks_cuda(const struct facts *facts)
{
    const struct fact *fact = facts_get(facts, "answer/" NVML, "cuda_version");
    return fact && fact->state == FACT_UNKNOWN && fact->reason &&
           strstr(fact->reason, "nvmlSystemGetCudaDriverVersion");
}

void judge_wsl_driver_mismatch(struct rule_context *context)
{
    static const char *const others[] = {"wsl_linux_driver_inside", "wsl_container_without_dxgdmal",
                                         "wsl_gpu_access_blocked", "stub_libcuda_loaded",
                                         "cgroup_device_denied"};
    const struct facts *facts = context->facts;
    struct judged_answer cuda, nvml;
    if (!require_wsl(context) || !require_answer(context, LIBCUDA, &cuda) ||
        !require_answer(context, NVML, &nvml) || cuda.start != START_FAILED ||
        nvml.start != START_WORKS || !nvml_lacks_cuda(facts))
        return;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (rule_has_found(context, others[i]))
            return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the driver's libraries in WSL do not match the driver that runs in Windows");
    finding_subject(finding, LIBCUDA);
    finding_why(finding,
                "NVML works, but libcuda does not start (nvidia-smi shows "
                "\"CUDA Version: ERR!\"): the Windows driver was updated after WSL was started, or "
                "its installation is incomplete");
    finding_evidence(finding, facts, cuda.group, "init");
    finding_evidence(finding, facts, nvml.group, "driver_version");
    finding_evidence(finding, facts, nvml.group, "cuda_version");
    if (is_in_container(facts))
        finding_fix_note(
            finding, FIX_HOST,
            "create the container again, so that it gets the current libraries; if it "
            "gets the GPU through CDI, write the CDI specification again first: sudo nvidia-ctk "
            "cdi generate --output=/etc/cdi/nvidia.yaml");
    finding_fix_note(
        finding, FIX_HOST,
        "in Windows: run wsl --shutdown, then start WSL again; WSL then has the libraries "
        "of the current driver");
    finding_fix_note(
        finding, FIX_HOST | NEEDS_ROOT,
        "if the error stays: in Windows, reinstall the NVIDIA driver with the option for a clean "
        "installation, then run wsl --shutdown; never install a Linux driver inside "
        "WSL");
}
