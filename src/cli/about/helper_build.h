/* SPDX-License-Identifier: MIT */
#ifndef CLI_ABOUT_HELPER_BUILD_H
#define CLI_ABOUT_HELPER_BUILD_H

#include <stdbool.h>

#include "base/json.h"
#include "host/root/host.h"

struct text;

/* gpuenv-install, as it answers to --version. */
struct helper_build {
    char *path;       /* NULL: it is not installed */
    char *problem;    /* why it cannot be used; NULL: it runs */
    char *version;    /* NULL: it does not say */
    char *commit;     /* as build_commit(); NULL: it does not say */
    json_t *versions; /* {"gpuenv-install": "0.1.0", "libcurl": …}; never NULL where path is not */
};
#define AUTO_HELPER_BUILD AUTO(helper_build_free)

/* Runs it, for 5 s at most. */
struct helper_build helper_build_ask(const struct host *live);
void helper_build_free(struct helper_build *helper);

#endif
