/* SPDX-License-Identifier: MIT */
#ifndef RULES_REQUIREMENT_REQUIREMENT_H
#define RULES_REQUIREMENT_REQUIREMENT_H

#include "base/error.h"
#include "base/strlist.h"
#include "base/version.h"

/* What a machine must have: --require 'driver>=550,cuda>=12.4,gpus>=8'. */
enum requirement_word {
    REQUIRE_DRIVER,
    REQUIRE_CUDA, /* the CUDA driver API version */
    REQUIRE_TOOLKIT,
    REQUIRE_CUDNN,
    REQUIRE_NCCL,
    REQUIRE_GPUS,
    REQUIRE_CC,     /* compute capability of every GPU */
    REQUIRE_MEMORY, /* GiB of every GPU */
};
enum requirement_operator { REQUIRE_GE, REQUIRE_GT, REQUIRE_EQ, REQUIRE_LE, REQUIRE_LT };

struct requirement {
    char *text; /* as it is shown: "driver>=550" */
    enum requirement_word word;
    enum requirement_operator operator;
    struct version want;
};
struct requirements {
    struct requirement *items;
    size_t count, capacity;
};
#define AUTO_REQUIREMENTS AUTO(requirements_free)

/* Adds the term "WORD OPERATOR NUMBER"; operators are >= > = == <= <. False with ERROR_USAGE that
 * names the words or the operators there are. */
bool requirements_add(struct requirements *requirements, const char *term, struct error *error);
void requirements_free(struct requirements *requirements);

/* Whether measured meets it. Only as many of its parts count as the requirement has: 550.54.15 is
 * 550, so that it meets >=550, =550 and <=550, and not >550. */
bool requirement_met(const struct requirement *requirement, const struct version *measured);

#endif
