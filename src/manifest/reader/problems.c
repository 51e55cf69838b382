/* SPDX-License-Identifier: MIT */
#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"

bool document_is_full(const struct manifest_document *document)
{
    return document->problems->count >= document->problems->max;
}

struct manifest_problem *problems_add(struct manifest_problems *problems)
{
    if (problems->count >= problems->max)
        return NULL;
    return vec_push(problems->items, problems->count, problems->capacity);
}

static void problem_clear(struct manifest_problem *problem)
{
    error_clear(&problem->error);
    free(problem->key);
}

void problems_truncate(struct manifest_problems *problems, size_t count)
{
    while (problems->count > count)
        problem_clear(&problems->items[--problems->count]);
}

/* Those of one line stay as they were found, which is the order of the keys. */
void problems_sort(struct manifest_problems *problems)
{
    for (size_t i = 1; i < problems->count; i++) {
        struct manifest_problem problem = problems->items[i];
        size_t at = i;
        for (; at > 0 && problems->items[at - 1].line > problem.line; at--)
            problems->items[at] = problems->items[at - 1];
        problems->items[at] = problem;
    }
}

void manifest_problems_free(struct manifest_problems *problems)
{
    problems_truncate(problems, 0);
    free(problems->items);
    *problems = (struct manifest_problems){.max = problems->max};
}

bool problems_fail(struct manifest_problems *problems, struct error *error)
{
    if (error == NULL || problems->count == 0)
        return false;
    error_clear(error);
    *error = problems->items[0].error;
    problems->items[0].error = (struct error){0};
    return false;
}
