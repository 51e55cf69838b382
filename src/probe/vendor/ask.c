/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

#include "base/version.h"
#include "facts/dictionary.h"

bool ask_open(struct channel *channel, const char *soname, const char *group,
              const struct vendor_symbol *symbols, void *functions,
              struct vendor_library *ret_library)
{
    AUTO_ERROR struct error error = {0};
    channel_step(channel, "dlopen");
    if (!vendor_open(soname, symbols, functions, ret_library, &error)) {
        AUTO_FREE char *reason =
            mem_printf("cannot be loaded: %s", error.why ? error.why : error.what);
        answer_unknown(channel, group, "path", reason, "dlopen(3)");
        return false;
    }
    if (ret_library->path)
        answer_string(channel, group, "path", ret_library->path, "dlopen(3)");
    else
        answer_unknown(channel, group, "path", "the loader does not say which file it loaded",
                       "dlopen(3)");
    return true;
}

void ask_no_function(struct channel *channel, const char *group, const char *name,
                     const char *function)
{
    AUTO_FREE char *reason = mem_printf("the library has no %s", function);
    answer_unknown(channel, group, name, reason, function);
}

void ask_refused(struct channel *channel, const char *group, const char *name, const char *function,
                 int result)
{
    AUTO_FREE char *reason = mem_printf("%s: error %d", function, result);
    answer_unknown(channel, group, name, reason, function);
}

static void answer_not_a_version(struct channel *channel, const char *group, const char *name,
                                 int64_t number, const char *function)
{
    AUTO_FREE char *reason =
        mem_printf("%s returned %lld, which is not a version", function, (long long)number);
    answer_unknown(channel, group, name, reason, function);
}

void ask_version(struct channel *channel, const char *group, const char *name, int64_t number,
                 unsigned unit, const char *function)
{
    if (number < unit || number >= (int64_t)unit * 100) {
        answer_not_a_version(channel, group, name, number, function);
        return;
    }
    AUTO_FREE char *version = mem_printf("%u.%u.%u", (unsigned)number / unit,
                                         (unsigned)number % unit / 100, (unsigned)number % 100);
    answer_string(channel, group, name, version, function);
}

void ask_cuda_version(struct channel *channel, const char *group, const char *name, int64_t number,
                      const char *function)
{
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    if (version_from_cuda_number(number, &version))
        answer_string(channel, group, name, version_text(&version, 0, buffer), function);
    else
        answer_not_a_version(channel, group, name, number, function);
}

void ask_unknown_instance(struct channel *channel, const char *group, const char *reason,
                          const char *source)
{
    const struct fact_kind *kind = dictionary_kind(group);
    for (const struct fact_entry *entry = fact_entries; kind && entry->kind; entry++)
        if (entry->of_instance && string_equal(entry->kind, kind->kind))
            answer_unknown(channel, group, entry->name, reason, source);
}

bool ask_find(struct channel *channel, const char *soname, const char *group, const char *function,
              union ask_function *ret_function)
{
    const struct vendor_symbol symbols[] = {{.names = {function}}, {.names = {NULL}}};
    struct vendor_library library;
    *ret_function = (union ask_function){0};
    if (!ask_open(channel, soname, group, symbols, ret_function, &library))
        return false;
    if (ret_function->store == NULL) {
        ask_no_function(channel, group, "version", function);
        return false;
    }
    channel_step(channel, function);
    return true;
}

bool ask_stored_number(struct channel *channel, const char *soname, const char *group,
                       const char *function, int *ret_number)
{
    union ask_function call;
    if (!ask_find(channel, soname, group, function, &call))
        return false;
    int number = 0;
    int result = call.store(&number);
    if (result != 0) {
        ask_refused(channel, group, "version", function, result);
        return false;
    }
    *ret_number = number;
    return true;
}
