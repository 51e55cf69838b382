/* SPDX-License-Identifier: MIT */
#include "facts/dictionary.h"

#include <string.h>

#include "base/text.h"

const struct fact_kind fact_kinds[] = {
    {.kind = "os", .owner = OWNER_TREE, .meaning = "the distribution"},
    {.kind = "machine", .owner = OWNER_TREE, .meaning = "what kind of machine this is"},
    {.kind = "container", .owner = OWNER_TREE, .meaning = "the container that gpuenv runs in"},
    {.kind = "cgroup", .owner = OWNER_TREE, .meaning = "devices that the cgroup allows"},
    {.kind = "security", .owner = OWNER_TREE, .meaning = "security modules of the kernel"},
    {.kind = "memory", .owner = OWNER_TREE, .meaning = "memory and swap"},
    {.kind = "kernel", .owner = OWNER_LIVE, .meaning = "the running kernel"},
    {.kind = "confinement",
     .owner = OWNER_LIVE,
     .meaning = "what this kernel offers to confine the processes that call vendor libraries"},
    {.kind = "disk", .owner = OWNER_LIVE, .meaning = "space on file systems"},
    {.kind = "limits", .owner = OWNER_LIVE, .meaning = "resource limits"},
    {.kind = "environment", .owner = OWNER_LIVE, .meaning = "environment variables"},
    {.kind = "pci", .owner = OWNER_TREE, .instances = true, .meaning = "NVIDIA PCI functions"},
    {.kind = "hybrid", .owner = OWNER_TREE, .meaning = "what switches a laptop's GPU off"},
    {.kind = "kernel_log",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "what the kernel's log says about GPUs"},
    {.kind = "log_line",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "what this boot's log says about GPUs, line by line"},
    {.kind = "boot", .owner = OWNER_TREE, .meaning = "how the kernel was started"},
    {.kind = "modprobe",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "modprobe settings for GPU modules"},
    {.kind = "initramfs",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "initial RAM file systems"},
    {.kind = "secure_boot",
     .owner = OWNER_TREE,
     .meaning = "whose module signatures the kernel accepts"},
    {.kind = "module", .owner = OWNER_TREE, .meaning = "kernel modules, as loaded"},
    {.kind = "driver_parameter",
     .owner = OWNER_TREE,
     .meaning = "parameters of the loaded nvidia module"},
    {.kind = "module_file",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "kernel modules, as files"},
    {.kind = "dkms", .owner = OWNER_TREE, .instances = true, .meaning = "modules that DKMS builds"},
    {.kind = "installed_kernel",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "kernels, their modules and headers"},
    {.kind = "compiler", .owner = OWNER_TREE, .meaning = "what kernel modules are built with"},
    {.kind = "driver_install",
     .owner = OWNER_TREE,
     .meaning = "drivers that were not installed as ready-made packages"},
    {.kind = "apt", .owner = OWNER_TREE, .meaning = "apt's package sources"},
    {.kind = "apt_source",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "entries of apt's package sources, their keys and their last update"},
    {.kind = "source_file",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "files of package sources that the package manager cannot read"},
    {.kind = "apt_offer",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning =
         "driver packages that apt or pacman would update, and whose dependencies it cannot meet"},
    {.kind = "apt_archive",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "packages that arrived and that apt refused, and that are not installed since"},
    {.kind = "apt_verifier",
     .owner = OWNER_TREE,
     .meaning = "the program that checks signatures for apt"},
    {.kind = "package_state",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "packages that dpkg has not finished installing"},
    {.kind = "rpm_repository",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "repositories of dnf, yum and zypper"},
    {.kind = "package_origin",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "repositories that installed NVIDIA packages came from (yum's records)"},
    {.kind = "package_log", .owner = OWNER_TREE, .meaning = "packages that rpm refused"},
    {.kind = "package_run",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "how the last run of dnf and zypper ended, by their logs"},
    {.kind = "pacman", .owner = OWNER_TREE, .meaning = "pacman's keyring and databases"},
    {.kind = "trust", .owner = OWNER_TREE, .meaning = "certificates that programs trust"},
    {.kind = "download",
     .owner = OWNER_TREE,
     .meaning = "proxies and indexes that are set for apt and pip"},
    {.kind = "package",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "installed NVIDIA and CUDA packages"},
    {.kind = "diversion",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "dpkg's diversions of libraries of the driver and of OpenGL"},
    {.kind = "file_owner",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "which package brought a file of the driver or of a toolkit"},
    {.kind = "device", .owner = OWNER_LIVE, .instances = true, .meaning = "device nodes"},
    {.kind = "service",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "daemons that serve GPUs and containers"},
    {.kind = "fabric_manager", .owner = OWNER_TREE, .meaning = "Fabric Manager"},
    {.kind = "mps", .owner = OWNER_TREE, .meaning = "the Multi-Process Service"},
    {.kind = "container_toolkit",
     .owner = OWNER_TREE,
     .meaning = "NVIDIA's container toolkit and the engines that use it"},
    {.kind = "container_engine",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "engines that run containers, each with the configuration that it reads"},
    {.kind = "docker_container",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "Docker's records of its containers"},
    {.kind = "docker_client",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "which daemon a user's docker command speaks to"},
    {.kind = "quadlet",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "containers of podman that are units of systemd (Quadlets)"},
    {.kind = "lxc_guest",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "guests of LXC, as their configuration on the host describes them"},
    {.kind = "kubernetes", .owner = OWNER_TREE, .meaning = "what a node of Kubernetes shows"},
    {.kind = "cdi",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "specifications of the Container Device Interface"},
    {.kind = "loader",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "which file the loader picks for a library name, and why"},
    {.kind = "library",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "copies of CUDA, cuDNN, NCCL, TensorRT and driver libraries"},
    {.kind = "toolkit", .owner = OWNER_TREE, .instances = true, .meaning = "CUDA toolkits"},
    {.kind = "host_compiler",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "C++ compilers that variables name for CUDA's host code"},
    {.kind = "ptxas",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "programs that TRITON_PTXAS_PATH and TRITON_PTXAS_BLACKWELL_PATH name"},
    {.kind = "include_path",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "directories with CUDA headers that variables add to a compiler's search"},
    {.kind = "cmake", .owner = OWNER_TREE, .meaning = "CMake, and a build directory's choices"},
    {.kind = "python",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "Python environments, found without running Python"},
    {.kind = "framework",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "frameworks that compute on GPUs, and what they were built for"},
    {.kind = "wheel",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "NVIDIA's libraries as Python or conda packages"},
    {.kind = "framework_library",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "which file the loader picks for each CUDA library that a framework loads"},
    {.kind = "driver_gpu",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "GPUs as the loaded kernel module lists them"},
    {.kind = "answer",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "what vendor libraries return when they are called"},
    {.kind = "cuda",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "GPUs as the CUDA driver API lists them"},
    {.kind = "nvml", .owner = OWNER_LIVE, .instances = true, .meaning = "GPUs as NVML lists them"},
    {.kind = "trial",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "results of a test kernel on each GPU that CUDA lists (--try)"},
    {.kind = "peer_copy",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "results of copies between GPUs (--try)"},
    {.kind = "gpu_process",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "processes that have a GPU's device node open"},
    {.kind = "assumed",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "driver and GPUs given with --assume-driver and --assume-gpu"},
    {.kind = NULL},
};

#define OF_KIND(k, n, t, m) {.kind = k, .of_instance = false, .name = n, .type = t, .meaning = m},
#define OF_INSTANCE(k, n, t, m)                                                                    \
    {.kind = k, .of_instance = true, .name = n, .type = t, .meaning = m},

const struct fact_entry fact_entries[] = {
#include "facts/dictionary_system.def"
#include "facts/dictionary_driver.def"
#include "facts/dictionary_repository.def"
#include "facts/dictionary_services.def"
#include "facts/dictionary_software.def"
#include "facts/dictionary_frameworks.def"
#include "facts/dictionary_answers.def"
    {.kind = NULL},
};

#define ABSENT_KIND(k, n, w)     {.kind = k, .of_instance = false, .name = n, .why = w},
#define ABSENT_INSTANCE(k, n, w) {.kind = k, .of_instance = true, .name = n, .why = w},

const struct fact_absence fact_absences[] = {
#include "facts/dictionary_absent.def"
    {.kind = NULL},
};

/* How a row of fact_absences stands to a fact: before it, its row, or behind it. */
static int absence_compare(const struct fact_absence *row, const char *group, const char *name)
{
    size_t length = strcspn(group, "/");
    int order = strncmp(row->kind, group, length);
    if (order == 0 && row->kind[length] != '\0')
        return 1;
    if (order == 0)
        order = (int)row->of_instance - (group[length] == '/');
    return order ? order : strcmp(row->name, name);
}

const char *dictionary_absence(const char *group, const char *name)
{
    size_t low = 0, high = sizeof(fact_absences) / sizeof(fact_absences[0]) - 1;
    if (strcmp(group, "environment") == 0)
        name = "*";
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = absence_compare(&fact_absences[middle], group, name);
        if (order == 0)
            return fact_absences[middle].why;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool dictionary_is_missing(const char *group, const char *name)
{
    return dictionary_absence(group, name) == NULL && dictionary_entry(group, name) != NULL;
}

#define NEED_OF_KIND(k, n, d, w) {.kind = k, .of_instance = false, .name = n, .need = d, .why = w},
#define NEED_OF_INSTANCE(k, n, d, w)                                                               \
    {.kind = k, .of_instance = true, .name = n, .need = d, .why = w},

const struct fact_exception fact_exceptions[] = {
#include "facts/dictionary_need.def"
    {.kind = NULL},
};

enum fact_need dictionary_need(const struct fact_entry *entry)
{
    for (const struct fact_exception *row = fact_exceptions; row->kind; row++)
        if (strcmp(row->kind, entry->kind) == 0 && row->of_instance == entry->of_instance &&
            strcmp(row->name, entry->name) == 0)
            return row->need;
    return NEED_ANSWER;
}

#define PRIVATE_KIND(k, n, p)     {.kind = k, .of_instance = false, .name = n, .privacy = p},
#define PRIVATE_INSTANCE(k, n, p) {.kind = k, .of_instance = true, .name = n, .privacy = p},

const struct fact_private fact_privacies[] = {
#include "facts/dictionary_private.def"
    {.kind = NULL},
};

static bool group_of_kind(const char *group, const char *kind, bool *ret_instance)
{
    size_t length = strlen(kind);
    if (strncmp(group, kind, length) != 0 || (group[length] != '\0' && group[length] != '/'))
        return false;
    *ret_instance = group[length] == '/';
    return true;
}

const struct fact_kind *dictionary_kind(const char *group)
{
    bool instance;
    for (const struct fact_kind *kind = fact_kinds; kind->kind; kind++)
        if (group_of_kind(group, kind->kind, &instance) && (!instance || kind->instances))
            return kind;
    return NULL;
}

const struct fact_entry *dictionary_entry(const char *group, const char *name)
{
    bool instance;
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++)
        if (group_of_kind(group, entry->kind, &instance) && instance == entry->of_instance &&
            (string_equal(entry->name, "*") || string_equal(entry->name, name)))
            return entry;
    return NULL;
}

enum fact_privacy dictionary_privacy(const char *group, const char *name)
{
    bool instance;
    for (const struct fact_private *row = fact_privacies; row->kind; row++)
        if (group_of_kind(group, row->kind, &instance) && instance == row->of_instance &&
            string_equal(row->name, name))
            return row->privacy;
    return PRIVACY_TEXT;
}
