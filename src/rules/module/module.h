/* SPDX-License-Identifier: MIT */
#ifndef RULES_MODULE_MODULE_H
#define RULES_MODULE_MODULE_H

#include "rules/query/judged.h"

struct finding;
struct rule_context;

/* What the rules about the kernel module share. Strings belong to the record. */

struct module_state {
    const char *release; /* of the running kernel; NULL: not known */
    const char *file;   /* group of the module's file for the running kernel; NULL: there is none */
    const char *other;  /* of one for another kernel */
    const char *dkms;   /* group of the release that DKMS has and has not built for this kernel */
    const char *kernel; /* group of the running kernel below /lib/modules */
};
struct module_state module_state_of(const struct facts *facts);

/* True when the module is not loaded and should be: a GPU is there, a driver is installed, this
 * machine is the one to load it, and virtual machines do not have every GPU. Else the check is
 * ended: as passed, where it is loaded. */
bool rule_require_module_wanted(struct rule_context *context);
/* True when besides the running kernel has no file of it. ret_state is always set. */
bool rule_require_module_missing(struct rule_context *context, struct module_state *ret_state);

/* What ended an installation of which nothing is left but its traces. */
enum module_attempt {
    ATTEMPT_NONE,
    ATTEMPT_COMPILER,  /* the .run file's installer refused the compiler */
    ATTEMPT_SIGNATURE, /* the kernel refused the module that it, or an operator's container, built
                        */
};
enum module_attempt module_attempt_of(const struct facts *facts);
/* The line of the .run file's log that holds one of the words (they end with NULL); NULL: none. */
const char *module_runfile_line(const struct facts *facts, const char *const *words);

/* True when the key that signed the module's file is enrolled, or the kernel's own. */
bool module_signature_is_trusted(const struct facts *facts, const struct module_state *state);

/* True when DKMS has an NVIDIA module. */
bool module_is_of_dkms(const struct facts *facts);

/* This boot's event of that name in the kernel's log, its group; of the GPU at bus_id, or of none
 * in particular (bus_id NULL: of any). NULL: none was seen. */
const char *module_event(const struct facts *facts, const char *event, const char *bus_id);

/* The first line of modprobe's settings that begins with one of the words (they end with NULL) and
 * is about the module, - and _ being the same; NULL: none. */
const char *module_setting(const struct facts *facts, const char *module, const char *const *words,
                           const char **ret_path);
/* What keeps modprobe or the kernel from loading the module by itself: "blacklist nvidia", and
 * where that stands; NULL: nothing that was found. */
const char *module_forbidden(const struct facts *facts, const char *module, const char **ret_path);

/* True when the kernel module drives the GPU of that PCI group. */
bool module_drives(const struct facts *facts, const char *pci);
/* True when it drives one at all. */
bool module_drives_any(const struct facts *facts);
/* True when no other kernel driver holds the GPU, and that could be read. */
bool module_gpu_is_free(const struct facts *facts, const char *pci);
/* Version and flavour (open, proprietary) of the loaded module, else of its file for the running
 * kernel, whose version, where the file is compressed, is that of the driver's libraries; NULL: not
 * known. */
const char *module_release(const struct facts *facts);
const char *module_flavour(const struct facts *facts);
/* Where the flavour is told. */
void module_flavour_evidence(const struct facts *facts, struct finding *finding);

/* "sudo update-initramfs -u", as this distribution has it; NULL: not known. */
const char *module_initramfs_command(const struct facts *facts);
/* "linux-headers-6.1.0-18-amd64": the command that installs the running kernel's headers, or NULL.
 */
char *module_headers_command(const struct facts *facts, const char *release);

/* For a rule about the module that found nothing: without a file for the running kernel, and with
 * none loaded, there is nothing to judge. */
void module_skip_without_file(struct rule_context *context);

/* Makes it a consequence of what keeps the module away or of a GPU that it does not take. */
bool module_follows(const struct rule_context *context, struct finding *finding);

#endif
