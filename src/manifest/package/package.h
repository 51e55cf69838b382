/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_PACKAGE_PACKAGE_H
#define MANIFEST_PACKAGE_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/package.json: what a distribution's driver packages are called, and how NVIDIA's own
 * package repository is named and set up. Pure: commands are text, nothing is run. */

/* A system, as its os-release tells it. */
struct manifest_system {
    const char *id;         /* ID: "rocky"; "wsl": any distribution in WSL; NULL: unknown */
    const char *like;       /* ID_LIKE, with spaces: "rhel centos fedora"; may be NULL */
    struct version release; /* VERSION_ID; count 0: none, or not a version */
    const char *machine;    /* uname -m: x86_64, aarch64; NULL: unknown */
};

/* How one distribution release gets one kind of driver. BRANCH in packages and commands stands for
 * the number of the branch that is asked for; a row without it gives the newest there is, or the
 * one branch that it names. */
struct manifest_package {
    const char *id;         /* "package/ubuntu-24.04-open" */
    const char *system;     /* ID of os-release: ubuntu, debian */
    struct strlist same;    /* other IDs whose releases are numbered alike: rocky, almalinux */
    struct version release; /* VERSION_ID, or its beginning; count 0: any */
    const char *repository; /* distribution, nvidia */
    const char *flavour;    /* open, proprietary: of the kernel module; either: what the command
                               finds that the GPU needs */
    const char *use;     /* desktop: all of it; data-centre: all of it, of the series for servers;
                            server: no graphics libraries */
    unsigned branch_min; /* the branches that are packaged so; 0: no bound */
    unsigned branch_max;
    struct strlist branches; /* "580": those seen; empty: all between the bounds */
    struct strlist packages; /* "nvidia-driver-BRANCH-open" */
    struct strlist commands; /* to install it, in order, without sudo; one that ends with ';' may
                                fail */
    struct strlist change;   /* the same where another branch is installed; empty: no different */
    const char *needs;       /* what else has to be there: "with dkms from EPEL"; NULL: nothing */
    struct strlist
        components; /* of the distribution's apt sources that must be enabled: non-free */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* What is looked for. */
struct manifest_package_query {
    const struct manifest_system *system;
    const char *repository; /* NULL: any */
    const char *flavour;    /* NULL: any */
    const char *use;        /* NULL: desktop */
    unsigned branch;        /* 0: the newest that the system has */
};
/* The row for it. Rows of the system's own release go before those of any release, rows of the
 * system before those of a system it is like (of which only rows of any release are taken: their
 * releases are numbered otherwise). NULL: not known, or not packaged. */
const struct manifest_package *manifest_package_find(struct manifest *manifest,
                                                     const struct manifest_package_query *query);

/* True when the row has a place for the branch's number. */
bool manifest_package_takes_branch(const struct manifest_package *package);
/* Adds the names of the packages, branch in its place (0: rows that take none). */
void manifest_package_names(const struct manifest_package *package, unsigned branch,
                            struct strlist *names);

/* What is known of the sources that apt has on a system. */
struct manifest_apt {
    const struct strlist *enabled; /* components of the distribution's own sources; NULL: unknown */
    const char *file;              /* that names them: /etc/apt/sources.list; may be NULL */
};
/* The row's line (of manifest_command_line()) with the commands before it that enable the
 * components which the sources lack, and that read the lists again; a copy of line where none is
 * lacking or the sources are not known. free() it. */
char *manifest_apt_line(const struct manifest_package *package, const struct manifest_apt *apt,
                        const char *line);
/* What a reader must know about the row's components: "needs the components contrib and non-free";
 * NULL: the sources have them, or the line enables them. free() it. */
char *manifest_apt_note(const struct manifest_package *package, const struct manifest_apt *apt);

/* A directory of NVIDIA's package repository. URL in commands stands for its address. */
struct manifest_repository {
    const char *id;               /* "repository/ubuntu2204" */
    const char *directory;        /* ubuntu2204 */
    struct strlist systems;       /* IDs of os-release that use it */
    struct version release;       /* VERSION_ID, or its beginning; count 0: any */
    const char *format;           /* deb, rpm */
    struct strlist architectures; /* directories below it: x86_64, sbsa */
    struct strlist commands;      /* that set it up, as in struct manifest_package */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_repository *manifest_repositories(struct manifest *manifest,
                                                        size_t *ret_count);
/* The one for the system; NULL when none is listed for its release and its machine. */
const struct manifest_repository *manifest_repository_find(struct manifest *manifest,
                                                           const struct manifest_system *system);
/* Its address for a machine (uname -m): "https://…/repos/ubuntu2204/x86_64". free() it. */
char *manifest_repository_url(struct manifest *manifest,
                              const struct manifest_repository *repository, const char *machine);

/* Who signs the packages' lists of a repository of NVIDIA's. */
struct manifest_signer {
    const char *id;             /* "signer/cuda" */
    const char *name;           /* cuda, container-toolkit */
    const char *address;        /* how its address begins, without https:// */
    struct strlist directories; /* what may follow: ubuntu2204 */
    struct strlist keys;        /* IDs of the keys: one of them is enough */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The one for an address; NULL: not known. */
const struct manifest_signer *manifest_signer_find(struct manifest *manifest, const char *uri);

/* The first CUDA of which NVIDIA has container images of that release of the system
 * (manifests/system.json; its guides are not all listed): its repository for the system may have no
 * older one. False when there are no such images. */
bool manifest_cuda_first_for(struct manifest *manifest, const struct manifest_system *system,
                             struct version *ret_cuda);

/* The newest Ubuntu that NVIDIA's container images of a CUDA are based on: its gcc and its C
 * library are known to work with that CUDA. False when no such image is listed. */
bool manifest_cuda_image_ubuntu(struct manifest *manifest, const struct version *cuda,
                                struct version *ret_release);

/* The compilers that a release of a distribution has packages of. */
struct manifest_host_compilers {
    const char *id;         /* "compilers/debian-12" */
    const char *system;     /* ID of os-release */
    struct strlist same;    /* other IDs whose releases are numbered alike */
    struct version release; /* VERSION_ID, or its beginning */
    struct strlist gcc;     /* "11", oldest first */
    struct strlist clang;   /* likewise; empty: not known */
    const char *package;    /* of a gcc's C++ compiler: "g++-VERSION" */
    const char *program;    /* what nvcc -ccbin is given: "g++-VERSION" */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Those of the system's release; NULL: not listed. */
const struct manifest_host_compilers *
manifest_host_compilers_find(struct manifest *manifest, const struct manifest_system *system);
/* The oldest release of that system with a gcc from min to max (count 0: no bound), and that gcc in
 * ret_gcc (the newest of them); NULL: none is listed. */
const struct manifest_host_compilers *manifest_host_compilers_with(struct manifest *manifest,
                                                                   const char *system,
                                                                   const struct version *min,
                                                                   const struct version *max,
                                                                   const char **ret_gcc);
/* A package or a program with its version in the place of VERSION. free() it. */
char *manifest_compiler_name(const char *pattern, const char *version);
/* The newest of versions from min to max, as manifest_compilers has them; NULL: none is. */
const char *manifest_compiler_within(const struct strlist *versions, const struct version *min,
                                     const struct version *max);

/* Commands as one line for a shell: sudo before those that need root, " && " between, BRANCH and
 * URL replaced (0, NULL: left as they are). free() it. */
char *manifest_command_line(const struct strlist *commands, unsigned branch, const char *url);

#endif
