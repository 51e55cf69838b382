/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_JUDGED_H
#define RULES_QUERY_JUDGED_H

#include "base/version.h"
#include "facts/facts.h"
#include "rules/engine/context.h"
#include "rules/query/judged_version.h"

struct manifest;
struct manifest_gpu;

/* What several rules ask of a record. Strings belong to the record. */

/* Where these programs run: it decides who can fix the driver. */
enum place {
    PLACE_MACHINE,
    PLACE_CONTAINER, /* the driver is the host's */
    PLACE_WSL,       /* the driver is Windows's, in a container too */
    PLACE_JETSON,    /* the driver is part of Jetson Linux */
};
enum place judged_place(const struct facts *facts);

/* For a rule about a driver on a PCI GPU. False, and the check is ended, where it does not apply:
 * WSL and Jetson have no such driver, and without a GPU on the bus there is nothing to drive. */
bool rule_require_gpu_on_bus(struct rule_context *context);

/* The group of the module's file on the disk for the running kernel, the first of several; NULL:
 * there is none, or that is not known. */
const char *judged_module_file(const struct facts *facts);

/* The group that tells which file the loader gives for a library name; NULL: not recorded. */
const char *judged_loader(const struct facts *facts, const char *soname);
/* That file's real path, else its path; NULL when the loader finds none. */
const char *judged_loaded_path(const struct facts *facts, const char *soname);

/* The group of the library file at path, real or as found; NULL: not recorded. */
const char *judged_library_at(const struct facts *facts, const char *path);
/* Its version: the fact, else what stands behind ".so." in its real path. NULL when neither. */
const char *judged_library_version(const struct facts *facts, const char *group);
/* A link-time stub: said by the probe, or the path has a component "stubs". */
bool judged_library_is_stub(const struct facts *facts, const char *group);
bool judged_library_has_origin(const struct facts *facts, const char *group, const char *origin);
/* Neither a stub nor of a cuda-compat directory: what came with a driver. */
bool judged_library_of_driver(const struct facts *facts, const char *group);
/* True when there is a libcuda that a driver brought. */
bool judged_has_driver_library(const struct facts *facts);
/* Of the system's programs; where none could be read, of the kernel; NULL: not known. */
const char *judged_architecture(const struct facts *facts);
/* True unless it is known to be of another architecture than the system's programs. */
bool judged_library_fits(const struct facts *facts, const char *group);

/* The driver that CUDA programs are measured against. */
struct judged_driver {
    const char *text;         /* as found; NULL: there is none, or group does not tell it */
    struct version version;   /* count 0: text is not a driver version */
    const char *group, *name; /* the fact it is from; NULL: there is no driver */
    bool assumed;
};
/* --assume-driver, else the loaded module's, else that of the libcuda the loader picks (not a stub
 * or cuda-compat). */
struct judged_driver judged_driver(const struct facts *facts);
/* A driver's version; libcuda.so.1.1 of WSL and Jetson has none in its name. */
bool driver_version_parse(const char *text, struct version *ret_version);

/* How cuInit or nvmlInit ended in the vendor library that programs get. */
enum judged_start {
    START_NOT_ASKED, /* a tree, no such library, or gpuenv may not open it */
    START_UNKNOWN,   /* asked, and no answer: a crash, a hang */
    START_WORKS,
    START_FAILED,
};
struct judged_answer {
    enum judged_start start;
    int64_t number;     /* START_FAILED: the library's error number */
    const char *name;   /* its name; NULL when the library did not tell */
    const char *reason; /* START_UNKNOWN, START_NOT_ASKED: a clause; may be NULL */
    const char *group;  /* "answer/libcuda.so.1"; NULL: nothing is recorded */
};
/* library is the name that was opened: "libcuda.so.1", "libnvidia-ml.so.1". */
struct judged_answer judged_answer(const struct facts *facts, const char *library);
/* True when the answer is that number. */
bool judged_answer_is(const struct judged_answer *answer, int64_t number);
/* The CUDA driver API version that the driver's own libcuda told when called: false when none was,
 * or when it was that of a cuda-compat or a stub. */
bool judged_driver_api(const struct facts *facts, struct version *ret_version,
                       const char **ret_group);
/* A driver's copy of that library ("libcuda"), for this system's programs, of that release, other
 * than the file at path; NULL: there is none. */
const char *judged_driver_copy(const struct facts *facts, const char *name, const char *version,
                               const char *path);

/* A device node whose path begins with prefix and that is there; NULL when there is none. */
const char *judged_device_path(const struct facts *facts, const char *prefix);
/* The node of that name below /dev: its group, or NULL when it is not there. */
const char *judged_node(const struct facts *facts, const char *name);
/* True for the path of a GPU's node, /dev/nvidiaN, and of one that CUDA cannot do without whatever
 * the GPU: nvidiactl, nvidia-uvm. */
bool judged_node_is_gpu(const char *path);
bool judged_node_is_needed(const char *path);

/* True where the PCI bus was not looked at: the record is of a log or a list that somebody sent. */
bool judged_bus_is_skipped(const struct facts *facts);

struct judged_gpu {
    const char *group;
    const char *device_id;            /* NULL for a bare --assume-gpu capability */
    const struct manifest_gpu *model; /* NULL: the manifest does not know it */
    struct version capability;        /* count 0: unknown */
};
struct judged_gpus {
    struct judged_gpu *items;
    size_t count, capacity;
};
#define AUTO_GPUS AUTO(judged_gpus_free)
/* --assume-gpu's, else those on the PCI bus; where the bus was not seen (--from), those that NVML
 * lists. */
struct judged_gpus judged_gpus(const struct facts *facts, struct manifest *manifest);
void judged_gpus_free(struct judged_gpus *gpus);
/* The newest driver branch that still drives all of them; 0: no limit is known. */
unsigned judged_last_branch(const struct judged_gpus *gpus, struct manifest *manifest);
/* True when there are GPUs on the PCI bus and vfio-pci holds all of them, for virtual machines. */
bool judged_all_on_vfio(const struct facts *facts);
/* True for a PCI instance that is a GPU (class 0300, 0302, or class not recorded). */
bool judged_pci_is_gpu(const struct facts *facts, const char *group);

struct judged_toolkit {
    const char *group;
    const char *path;       /* never NULL */
    const char *text;       /* its version as found; NULL when unknown */
    struct version version; /* count 0: unknown */
    bool is_default;        /* the toolkit used by default */
};
struct judged_toolkits {
    struct judged_toolkit *items;
    size_t count, capacity;
};
#define AUTO_TOOLKITS AUTO(judged_toolkits_free)
/* The default first: /usr/local/cuda, else CUDA_HOME, else the one of nvcc on PATH, else the
 * first that is not idle. */
struct judged_toolkits judged_toolkits(const struct facts *facts);
void judged_toolkits_free(struct judged_toolkits *toolkits);
/* The toolkit that a path or variable leads to ("CUDA_HOME", "PATH"); NULL when none. */
const struct judged_toolkit *judged_toolkit_named(const struct facts *facts,
                                                  const struct judged_toolkits *toolkits,
                                                  const char *name);

/* One of the HPC SDK's that no module file has loaded: nothing here uses it. */
bool judged_toolkit_is_idle(const struct facts *facts, const struct judged_toolkit *toolkit);

#endif
