/* SPDX-License-Identifier: MIT */
#include "rules/requirement/requirement.h"

#include <string.h>
#include <strings.h>

static const char *const words[] = {
    [REQUIRE_DRIVER] = "driver", [REQUIRE_CUDA] = "cuda",     [REQUIRE_TOOLKIT] = "toolkit",
    [REQUIRE_CUDNN] = "cudnn",   [REQUIRE_NCCL] = "nccl",     [REQUIRE_GPUS] = "gpus",
    [REQUIRE_CC] = "cc",         [REQUIRE_MEMORY] = "memory",
};
#define WORD_COUNT (sizeof(words) / sizeof(words[0]))

/* The longer ones first: ">=" begins with ">". */
static const struct {
    const char *sign;
    enum requirement_operator operator;
} operators[] = {
    {">=", REQUIRE_GE}, {"<=", REQUIRE_LE}, {"==", REQUIRE_EQ},
    {">", REQUIRE_GT},  {"<", REQUIRE_LT},  {"=", REQUIRE_EQ},
};

/* "driver, cuda, …" */
static char *list_words(void)
{
    struct text text = {0};
    for (size_t i = 0; i < WORD_COUNT; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", words[i]);
    return text_steal(&text);
}

void requirements_free(struct requirements *requirements)
{
    for (size_t i = 0; i < requirements->count; i++)
        free(requirements->items[i].text);
    free(requirements->items);
    *requirements = (struct requirements){0};
}

static bool find_word(const char *name, enum requirement_word *ret_word)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (strcasecmp(words[i], name) == 0) {
            *ret_word = (enum requirement_word)i;
            return true;
        }
    }
    return false;
}

static bool refuse(struct error *error, const char *term, const char *why)
{
    AUTO_FREE char *list = list_words();
    return error_set(error, ERROR_USAGE,
                     "\"%s\" is not a requirement: %s; write WORD>=NUMBER, with >=, >, =, <= or <, "
                     "where WORD is one of %s",
                     term, why, list);
}

/* Cuts the operator and what follows off the term; NULL: there is none. */
static char *cut_operator(char *term, enum requirement_operator *ret_operator)
{
    char *at = term + strcspn(term, "<>=");
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        size_t length = strlen(operators[i].sign);
        if (strncmp(at, operators[i].sign, length) != 0)
            continue;
        *ret_operator = operators[i].operator;
        *at = '\0';
        return at + length;
    }
    return NULL;
}

static const char *sign_of(enum requirement_operator operator)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (operators[i].operator== operator)
            return operators[i].sign;
    return "?";
}

static bool wants_whole_number(enum requirement_word word)
{
    return word == REQUIRE_GPUS || word == REQUIRE_MEMORY;
}

bool requirements_add(struct requirements *requirements, const char *term, struct error *error)
{
    AUTO_FREE char *copy = mem_string(term);
    struct requirement parsed = {.text = NULL};
    char *number = cut_operator(copy, &parsed.operator);
    if (number == NULL)
        return refuse(error, term, "it has no operator");
    const char *name = string_trim(copy);
    number = string_trim(number);
    if (!find_word(name, &parsed.word))
        return refuse(error, term, "its word is not known");
    if (!version_parse(number, &parsed.want))
        return refuse(error, term, "the text after the operator is not a number or a version");
    if (wants_whole_number(parsed.word) && parsed.want.count > 1)
        return refuse(error, term, "this requirement needs a whole number");
    if (parsed.word == REQUIRE_CUDA && parsed.want.count > 2)
        parsed.want.count = 2; /* a driver supports CUDA 12.8, whatever the update */
    parsed.text = mem_printf("%s%s%s", words[parsed.word], sign_of(parsed.operator), number);
    *vec_push(requirements->items, requirements->count, requirements->capacity) = parsed;
    return true;
}

bool requirement_met(const struct requirement *requirement, const struct version *measured)
{
    struct version cut = *measured;
    if (cut.count > requirement->want.count)
        cut.count = requirement->want.count;
    int order = version_compare(&cut, &requirement->want);
    switch (requirement->operator) {
    case REQUIRE_GE:
        return order >= 0;
    case REQUIRE_GT:
        return order > 0;
    case REQUIRE_EQ:
        return order == 0;
    case REQUIRE_LE:
        return order <= 0;
    case REQUIRE_LT:
        return order < 0;
    }
    return false;
}
