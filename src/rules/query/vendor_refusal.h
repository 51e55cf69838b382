/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_VENDOR_REFUSAL_H
#define RULES_QUERY_VENDOR_REFUSAL_H

#include "facts/facts.h"
#include "manifest/error/error.h"

/* What vendor libraries answered with an error number: the facts that are unknown for it. */

/* What a number means to the calls that gpuenv makes (vendor_code.def). */
enum vendor_fault { FAULT_ALWAYS, FAULT_OF_ALL, FAULT_IF_ALONE, FAULT_NEVER };
struct vendor_code {
    enum manifest_error_list list;
    int64_t first, last;
    enum vendor_fault fault;
    const char *finding; /* cause (slug); NULL: FAULT_NEVER */
    const char *reason;  /* why there is no finding where there is none; NULL: FAULT_ALWAYS */
};

/* An error number, and the facts of one group that are unknown for it. */
struct vendor_refusal {
    const char *group;                  /* "nvml/3"; NULL: the group has no error */
    const struct fact *fact;            /* the first of them */
    int64_t number;                     /* 15 */
    const struct vendor_code *code;     /* NULL: not listed, and a fault */
    const struct manifest_error *error; /* NULL: not listed */
    size_t count;                       /* how many of them */
    bool whole;                         /* no fact of the group has a value */
};
/* The gravest error of the group: one that is a fault whatever it was asked, else the first. The
 * number is read in the reason as the probe writes it ("nvmlDeviceGetName: error 15 (GPU is
 * lost)"), or from the library's words alone. */
struct vendor_refusal vendor_refusal_of(const struct facts *facts, struct manifest *manifest,
                                        enum manifest_error_list list, const char *group);
/* Whether it is a fault. others: another group of its kind answers. */
bool vendor_refusal_is_fault(const struct vendor_refusal *refusal, bool others);

#endif
