/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask_nvml.h"

#include <stdarg.h>

#include "base/text.h"
#include "probe/vendor/answers.h"

static const struct vendor_symbol *symbol_of(size_t call)
{
    const struct vendor_symbol *symbol = nvml_symbols;
    while (symbol->names[0] && symbol->field != call)
        symbol++;
    return symbol;
}

const char *nvml_step(const struct nvml_ask *ask, size_t call)
{
    const struct vendor_symbol *symbol = symbol_of(call);
    const char *found = vendor_symbol_found(ask->library, symbol);
    const char *function = found ? found : symbol->names[0];
    AUTO_FREE char *step = mem_printf("%s%s", function, ask->about);
    channel_step(ask->channel, step);
    return function;
}

char *nvml_error(const struct nvml_ask *ask, int result)
{
    if (result == NVML_NO_FUNCTION)
        return mem_string("not in this driver");
    const char *words = ask->nvml->error_string ? ask->nvml->error_string(result) : NULL;
    return words ? mem_printf("error %d (%.*s)", result, NVML_TEXT_SIZE, words)
                 : mem_printf("error %d", result);
}

bool nvml_wants_older(int result)
{
    return result == NVML_NO_FUNCTION || result == NVML_VERSION_MISMATCH ||
           result == NVML_INVALID_ARGUMENT;
}

bool nvml_answered(const struct nvml_ask *ask, const char *fact, const char *function, int result)
{
    if (result == NVML_SUCCESS)
        return true;
    if (result == NVML_NOT_SUPPORTED) {
        answer_absent(ask->channel, ask->group, fact, function);
    } else if (result == NVML_NO_FUNCTION) {
        AUTO_FREE char *error = nvml_error(ask, result);
        AUTO_FREE char *source = mem_printf("%s: %s", function, error);
        answer_absent(ask->channel, ask->group, fact, source);
    } else {
        AUTO_FREE char *error = nvml_error(ask, result);
        AUTO_FREE char *reason = mem_printf("%s: %s", function, error);
        answer_unknown(ask->channel, ask->group, fact, reason, function);
    }
    return false;
}

void nvml_tell_odd(const struct nvml_ask *ask, const char *fact, const char *function,
                   const char *format, ...)
{
    AUTO_TEXT struct text reason = {0};
    text_printf(&reason, "%s: ", function);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&reason, format, arguments);
    va_end(arguments);
    answer_unknown(ask->channel, ask->group, fact, text_string(&reason), function);
}

void nvml_tell_string(const struct nvml_ask *ask, const char *fact, const char *function,
                      int result, const char *value)
{
    if (nvml_answered(ask, fact, function, result))
        answer_string(ask->channel, ask->group, fact, value, function);
}

void nvml_tell_integer(const struct nvml_ask *ask, const char *fact, const char *function,
                       int result, int64_t value)
{
    if (nvml_answered(ask, fact, function, result))
        answer_integer(ask->channel, ask->group, fact, value, function);
}

void nvml_tell_count(const struct nvml_ask *ask, const char *fact, const char *function, int result,
                     uint64_t value)
{
    if (result == NVML_SUCCESS && value > INT64_MAX)
        nvml_tell_odd(ask, fact, function, "says %llu", (unsigned long long)value);
    else
        nvml_tell_integer(ask, fact, function, result, (int64_t)value);
}

void nvml_tell_switch(const struct nvml_ask *ask, const char *fact, const char *function,
                      int result, unsigned value)
{
    if (!nvml_answered(ask, fact, function, result))
        return;
    if (value > 1)
        nvml_tell_odd(ask, fact, function, "says %u, neither on nor off", value);
    else
        answer_boolean(ask->channel, ask->group, fact, value == 1, function);
}

void nvml_tell_list(const struct nvml_ask *ask, const char *fact, const char *function, int result,
                    const struct strlist *value)
{
    if (nvml_answered(ask, fact, function, result))
        answer_list(ask->channel, ask->group, fact, value, function);
}
