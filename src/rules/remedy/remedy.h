/* SPDX-License-Identifier: MIT */
#ifndef RULES_REMEDY_REMEDY_H
#define RULES_REMEDY_REMEDY_H

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/query/judged.h"

struct finding;

/* Fixes that several rules give, in the words of this distribution and situation. */

/* Whose packages the system uses: of os.id, else os.id_like. */
enum distribution {
    DISTRIBUTION_OTHER,
    DISTRIBUTION_UBUNTU,
    DISTRIBUTION_DEBIAN,
    DISTRIBUTION_RHEL, /* with Fedora and what is built from them */
    DISTRIBUTION_SUSE,
    DISTRIBUTION_ARCH,
};
enum distribution remedy_distribution(const struct facts *facts);

/* What adds packages to a system whose own files are an image ("rpm-ostree install"); NULL:
 * packages are installed as elsewhere. */
const char *remedy_image_tool(const struct facts *facts);

/* What installs packages of rpm here: "dnf", or "yum" where the release is older than dnf. */
const char *remedy_rpm_tool(const struct facts *facts);

/* The line, with apt's lists read first where it installs without that: a fresh cloud image has
 * none. free() it. */
char *remedy_apt_update(const char *line);

/* Installing a driver: of at least that branch, or, with branch 0, the one that suits. In a
 * container that is said of the host, in WSL of Windows. */
void remedy_install_driver(const struct rule_context *context, struct finding *finding,
                           unsigned branch);

/* Installing packages whose names are the same in NVIDIA's repositories for apt, dnf and zypper;
 * arch is the package that holds them there. */
void remedy_install_packages(const struct rule_context *context, struct finding *finding,
                             const char *packages, const char *arch);

/* Removing a package that should not be there, in the words of this distribution. */
void remedy_remove_package(const struct rule_context *context, struct finding *finding,
                           const char *package, const char *note);

/* Letting the package manager change a package again; group is the package's, whose "hold" has a
 * value. The beginning of a command that ends in "&& ", or "" where a note says what to do. free()
 * it. */
char *remedy_release_hold(const struct rule_context *context, struct finding *finding,
                          const char *group);

/* Installing cuDNN for every program: of that major (0: the newest), for that CUDA major (0: any).
 * Jetsons have it of JetPack alone. */
void remedy_install_cudnn(const struct rule_context *context, struct finding *finding,
                          unsigned major, unsigned cuda);
/* Installing the CUDA toolkit of that version; NULL, or its major alone: the newest. */
void remedy_install_toolkit(const struct rule_context *context, struct finding *finding,
                            const struct version *cuda);
/* Installing JetPack's CUDA, cuDNN and what belongs to them. */
void remedy_install_jetpack(struct finding *finding);

/* LD_LIBRARY_PATH as a command that sets it without the entries of which leaves(entry, what) is
 * true; NULL when it has none. free() it. */
char *remedy_library_path_without(const struct facts *facts,
                                  bool (*leaves)(const char *entry, const char *what),
                                  const char *what);

/* Where the loader says why that it found a library by LD_LIBRARY_PATH: the variable without that
 * directory. False, and nothing is added, where it says something else. */
bool remedy_library_path(const struct facts *facts, struct finding *finding, const char *why,
                         const char *note);

/* Loading a module: modprobe on the machine, the same said of the host in a container. */
void remedy_load_module(const struct rule_context *context, struct finding *finding,
                        const char *module, const char *note);

/* That and every boot; nothing where the machine does not load it, or has its module from a
 * configuration that remedy_load_module names. */
void remedy_load_at_boot(const struct rule_context *context, struct finding *finding,
                         const char *module);

/* Making the device nodes, and loading nvidia_uvm: the driver's own program does both. */
void remedy_make_nodes(struct finding *finding, const char *note);

/* A link at path to target where nothing is. ln(1) overwrites nothing. */
void remedy_link(struct finding *finding, const char *note, const char *target, const char *path);

/* The same where a link is that leads nowhere: it is kept, as PATH.old. */
void remedy_relink(struct finding *finding, const char *target, const char *path);

#endif
