/* SPDX-License-Identifier: MIT */
#ifndef PROBE_ENGINE_PROBE_H
#define PROBE_ENGINE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/version.h"
#include "facts/facts.h"
#include "host/root/host.h"
#include "host/loader/loader.h"
#include "probe/places/site.h"

struct strlist;

/* What no file of the machine says: numbers are knowledge, which probes have none of. */
struct probe_knowledge {
    /* The SONAME of a library ("cusolver") in a CUDA release; NULL: not known. */
    const char *(*soname)(void *data, const char *library, const struct version *cuda);
    /* Those of the libraries that a cuDNN major has in every release, first the one that programs
     * link to; NULL: not known. */
    const struct strlist *(*cudnn)(void *data, unsigned major);
    /* The CUDA that the wheels of a framework's release are built for, of one that says it nowhere
     * ("ctranslate2"); false: not known. */
    bool (*built_for)(void *data, const char *framework, const struct version *release,
                      struct version *ret_cuda);
    void *data;
};

/* What every probe is given. */
struct probe_context {
    const struct host *host;
    const struct loader *loader;   /* the root's loader, made once for all probes */
    bool deep;                     /* --deep: slow looks too (nvcc --version) */
    unsigned trial_ms;             /* --try: how long computing may take; 0: not asked for */
    const struct strlist *pythons; /* --python: environments to look into as well; NULL: none */
    struct site_memo *sites;       /* where packages of Python are, for all probes; may be NULL */
    const struct probe_knowledge *knowledge; /* NULL: there is none */
    uint64_t deadline_ms;                    /* on CLOCK_MONOTONIC: no child runs beyond it */
};

/* One source of facts. It sets every fact of its groups: a value, absent, unknown or skipped. */
struct probe {
    const char *name;
    bool live_only;  /* reads what a tree does not hold: on a tree `group` is skipped as a whole */
    bool own_time;   /* it has a deadline of its own, and runs after that of all (--try) */
    bool keeps_time; /* it stops by itself at the deadline, and says what it could not ask */
    const char *group;              /* the kind this probe fills */
    const char *const *more_groups; /* further kinds that it fills, up to NULL; NULL: none */
    void (*run)(const struct probe_context *context, struct facts *facts);
};

#endif
