/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_FRAMEWORK_H
#define RULES_FRAMEWORK_FRAMEWORK_H

#include "base/version.h"
#include "manifest/framework/framework.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

struct manifest;
struct rule_context;
struct strlist;

/* What the rules about frameworks share. Strings belong to the record and the manifest. */

/* A framework that is installed. */
struct framework {
    const char *group;       /* "framework/0" */
    const char *name;        /* pytorch; never NULL */
    const char *title;       /* PyTorch, as the manifest writes it; else its name */
    const char *package;     /* torch, onnxruntime-gpu; never NULL */
    const char *version;     /* 2.5.1+cu124; "" when not known */
    const char *environment; /* its directory; never NULL */
    bool python2;            /* its Python is 2.7 */
    bool active;             /* programs that are started here import it */
    bool conda;
    bool for_cuda;                      /* built for CUDA, by the record */
    struct version cuda;                /* that it was built for; count 0: unknown, or none */
    const struct manifest_build *build; /* the manifest's row; NULL: not listed, or not certain */
};
struct frameworks {
    struct framework *items;
    size_t count, capacity;
};
#define AUTO_FRAMEWORKS AUTO(frameworks_clear)
struct frameworks frameworks_of(const struct facts *facts, struct manifest *manifest);
void frameworks_clear(struct frameworks *frameworks);
/* True, and the check is ended, when none is known. */
bool rule_require_frameworks(struct rule_context *context, const struct frameworks *frameworks);
/* The one whose facts are in that group; NULL: none. */
const struct framework *frameworks_at(const struct frameworks *frameworks, const char *group);
/* Another one of that name in the same environment; NULL: none. */
const struct framework *frameworks_twin(const struct frameworks *frameworks,
                                        const struct framework *framework);

/* "PyTorch 2.5.1+cu124 in /home/u/venv". free() it. */
char *framework_words(const struct framework *framework);
/* As for use where it is active; nobody said that another one must run here: info. */
enum severity framework_severity(const struct rule_context *context,
                                 const struct framework *framework);
/* The same where it is slow or may be meant: at most a warning. */
enum severity framework_severity_of_warning(const struct rule_context *context,
                                            const struct framework *framework);
/* Its subject, and evidence of which build it is. */
void framework_finding(const struct rule_context *context, struct finding *finding,
                       const struct framework *framework);
/* The command that installs the newest build which this driver and GPU run, as it was resolved. */
void framework_fix_build(const struct rule_context *context, struct finding *finding,
                         const struct framework *framework);
/* True when there is such a build, known to run. */
bool framework_has_choice(const struct rule_context *context, const struct framework *framework);
/* True for a build that wants CUDA and cuDNN of the system. */
bool framework_takes_system(const struct framework *framework);
/* What installs the CUDA and cuDNN of a build that wants them of the system; false: it does not, or
 * its build is not known. */
bool framework_fix_system(const struct rule_context *context, struct finding *finding,
                          const struct framework *framework);
/* The same for what --for-framework says: "tensorflow@2.17". */
void framework_fix_install(const struct rule_context *context, struct finding *finding,
                           const char *asked);
/* What installs the CUDA that it is built for beside another one; nothing where that is not known.
 */
void framework_fix_cuda(const struct rule_context *context, struct finding *finding,
                        const struct framework *framework);
/* The same where the driver runs that CUDA; else the driver that does. */
void framework_fix_with_its_cuda(const struct rule_context *context, struct finding *finding,
                                 const struct framework *framework);
/* The command that installs the same release with its extras that bring libraries of CUDA, where it
 * has any: "tensorflow[and-cuda]". */
void framework_fix_extras(const struct rule_context *context, struct finding *finding,
                          const struct framework *framework);
/* "/home/u/venv/bin/python -m pip", quoted; free() it. */
char *framework_pip(const struct framework *framework);

/* What is compiled into a framework, by its files, else by the manifest's row of its build. */
struct framework_code {
    const struct strlist *machine; /* NULL: not known */
    const struct strlist *ptx;     /* may be NULL */
    const char *fact;              /* "sass": by its files; NULL: by the manifest */
};
struct framework_code framework_code_of(const struct facts *facts,
                                        const struct framework *framework);

/* A GPU that a framework is measured by. */
struct framework_gpu {
    const char *group; /* for evidence */
    const char *name;  /* may be NULL */
    struct version capability;
};
struct framework_gpus {
    struct framework_gpu *items;
    size_t count, capacity;
};
#define AUTO_FRAMEWORK_GPUS AUTO(framework_gpus_free)
/* Those whose capability is known: --assume-gpu's, else those on the bus, else those that CUDA
 * lists (WSL, Jetson). Without GPUs that vfio-pci holds. */
struct framework_gpus framework_gpus(const struct rule_context *context);
void framework_gpus_free(struct framework_gpus *gpus);
/* rule_require_frameworks(), and false too, with the check ended, where no GPU is here for them. */
bool rule_require_framework_gpus(struct rule_context *context, const struct frameworks *frameworks,
                                 const struct framework_gpus *gpus);
/* How many of them it is known to have no code for, and the first of those. */
size_t framework_gpus_without_code(const struct rule_context *context,
                                   const struct framework *framework,
                                   const struct framework_gpus *gpus,
                                   const struct framework_gpu **ret_first);
/* True on a Jetson. */
bool framework_on_jetson(const struct facts *facts);
/* On a Jetson: it is no wheel for this one (framework_cpu.c). */
bool framework_is_wrong_on_jetson(const struct facts *facts, const struct framework *framework);

#endif
