/* SPDX-License-Identifier: MIT */
#ifndef PROBE_VENDOR_ASK_H
#define PROBE_VENDOR_ASK_H

#include "host/child/vendor.h"
#include "probe/vendor/answers.h"

/* The functions behind the rows of vendor_questions, and what they share. All of it runs in the
 * library's child. */
#define QUESTION(name, ...)                                                                        \
    void ask_##name(struct channel *channel, const char *soname, const char *group);
#include "probe/vendor/questions.def"
#undef QUESTION

/* vendor_open() with the step said and "path" answered: the file that was loaded, or unknown for
 * the reason that dlopen gave, and false. */
bool ask_open(struct channel *channel, const char *soname, const char *group,
              const struct vendor_symbol *symbols, void *functions,
              struct vendor_library *ret_library);

/* A function that tells a version, in one of the forms there are. */
union ask_function {
    int (*store)(int *ret_version); /* 0: success */
    size_t (*give)(void);
    int32_t (*give_int)(void);
    int (*property)(int property, int *ret_value);
    int (*pair)(int *ret_major, int *ret_minor);
};

/* Opens the library and finds the one function; the step is said. False, and "version" answered or
 * left to the reason in "path", when it cannot be called. */
bool ask_find(struct channel *channel, const char *soname, const char *group, const char *function,
              union ask_function *ret_function);

/* Calls a function of the form store. False, and "version" answered, when that was refused too. */
bool ask_stored_number(struct channel *channel, const char *soname, const char *group,
                       const char *function, int *ret_number);

/* Answers unknown: "the library has no FUNCTION". */
void ask_no_function(struct channel *channel, const char *group, const char *name,
                     const char *function);

/* Answers unknown: "FUNCTION: error RESULT". */
void ask_refused(struct channel *channel, const char *group, const char *name, const char *function,
                 int result);

/* Answers a version that the library gives as one number: major * unit + minor * 100 + patch, unit
 * 1000 or 10000. One that cannot be a version is answered unknown. */
void ask_version(struct channel *channel, const char *group, const char *name, int64_t number,
                 unsigned unit, const char *function);

/* The same for CUDA's own numbers: major * 1000 + minor * 10. */
void ask_cuda_version(struct channel *channel, const char *group, const char *name, int64_t number,
                      const char *function);

/* Answers every fact of an instance of a kind ("cuda/0") unknown for one reason. */
void ask_unknown_instance(struct channel *channel, const char *group, const char *reason,
                          const char *source);

#endif
