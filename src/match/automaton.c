/* SPDX-License-Identifier: MIT */
#include "match/automaton.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "match/fold.h"

/* A row of the table is one node: where each letter leads. Its first word is the blank's. Nodes are
 * kept as the number of their row's first word, so that a step is one addition and one load. */
#define LETTERS 38u
#define FOUND   0x80000000u /* a string ends in the node that a step leads to */

struct node {
    uint32_t fail;   /* the node of its longest end that is a beginning */
    uint32_t output; /* the first of the strings that end here, plus one */
    uint32_t longer; /* the node of the next shorter string that ends here too; 0: none */
    bool is_blank;   /* its last letter is a blank */
};
struct output {
    uint32_t number, next; /* plus one */
};
struct automaton {
    unsigned char letters[256];
    uint32_t *steps;
    size_t step_count, step_capacity;
    struct node *nodes;
    size_t node_count, node_capacity;
    struct output *outputs;
    size_t output_count, output_capacity;
};

static unsigned char letter_of(char byte)
{
    char c = fold(byte);
    if (c == ' ')
        return 0;
    if (c == '_')
        return 1;
    return (unsigned char)(c >= 'a' ? c - 'a' + 2 : c - '0' + 28);
}

static uint32_t node_new(struct automaton *automaton)
{
    for (unsigned i = 0; i < LETTERS; i++)
        vec_push(automaton->steps, automaton->step_count, automaton->step_capacity);
    vec_push(automaton->nodes, automaton->node_count, automaton->node_capacity);
    return (uint32_t)((automaton->node_count - 1) * LETTERS);
}

static struct node *node_at(const struct automaton *automaton, uint32_t row)
{
    return &automaton->nodes[row / LETTERS];
}

struct automaton *automaton_new(void)
{
    struct automaton *automaton = mem_alloc(sizeof(*automaton));
    for (unsigned i = 0; i < 256; i++)
        automaton->letters[i] = letter_of((char)i);
    node_new(automaton);
    return automaton;
}

void automaton_free(struct automaton *automaton)
{
    if (automaton == NULL)
        return;
    free(automaton->steps);
    free(automaton->nodes);
    free(automaton->outputs);
    free(automaton);
}

void automaton_add(struct automaton *automaton, const char *letters, uint32_t number)
{
    uint32_t row = 0;
    for (const char *c = letters; *c != '\0'; c++) {
        size_t step = row + letter_of(*c);
        if (automaton->steps[step] == 0) {
            uint32_t next = node_new(automaton);
            automaton->steps[step] = next;
            node_at(automaton, next)->is_blank = *c == ' ';
        }
        row = automaton->steps[step];
    }
    struct node *node = node_at(automaton, row);
    struct output *output =
        vec_push(automaton->outputs, automaton->output_count, automaton->output_capacity);
    *output = (struct output){.number = number, .next = node->output};
    node->output = (uint32_t)automaton->output_count;
}

/* Where letter leads from the node's fail; of a blank behind a blank the node itself. */
static uint32_t step_without(const struct automaton *automaton, uint32_t row, unsigned letter)
{
    const struct node *node = node_at(automaton, row);
    if (letter == 0 && node->is_blank)
        return row;
    return row == 0 ? 0 : automaton->steps[node->fail + letter];
}

static void link_node(struct automaton *automaton, uint32_t row, unsigned letter, uint32_t next)
{
    struct node *node = node_at(automaton, next);
    node->fail = row == 0 ? 0 : automaton->steps[node_at(automaton, row)->fail + letter];
    const struct node *fail = node_at(automaton, node->fail);
    node->longer = fail->output ? node->fail : fail->longer;
}

/* Breadth first: of a node all shorter ones are done. */
void automaton_compile(struct automaton *automaton)
{
    uint32_t *queue = mem_resize(NULL, automaton->node_count, sizeof(*queue));
    size_t first = 0, count = 0;
    queue[count++] = 0;
    while (first < count) {
        uint32_t row = queue[first++];
        for (unsigned letter = 0; letter < LETTERS; letter++) {
            uint32_t next = automaton->steps[row + letter];
            if (next == 0) {
                automaton->steps[row + letter] = step_without(automaton, row, letter);
                continue;
            }
            link_node(automaton, row, letter, next);
            queue[count++] = next;
        }
    }
    free(queue);
    /* A second blank is no second end. */
    for (size_t i = 0; i < automaton->step_count; i++) {
        const struct node *node = node_at(automaton, automaton->steps[i]);
        if ((node->output || node->longer) && automaton->steps[i] != i)
            automaton->steps[i] |= FOUND;
    }
}

automaton_state automaton_start(const struct automaton *automaton)
{
    return automaton->steps[0] & ~FOUND;
}

size_t automaton_read(const struct automaton *automaton, automaton_state *state, const char *bytes,
                      size_t size, bool *ret_found)
{
    const uint32_t *steps = automaton->steps;
    uint32_t row = *state;
    for (size_t i = 0; i < size; i++) {
        row = steps[row + automaton->letters[(unsigned char)bytes[i]]];
        if (row & FOUND) {
            *state = row & ~FOUND;
            *ret_found = true;
            return i + 1;
        }
    }
    *state = row;
    *ret_found = false;
    return size;
}

void automaton_each(const struct automaton *automaton, automaton_state state,
                    void (*each)(void *context, uint32_t number), void *context)
{
    const struct node *node = node_at(automaton, state);
    for (;;) {
        for (uint32_t output = node->output; output != 0;) {
            const struct output *one = &automaton->outputs[output - 1];
            each(context, one->number);
            output = one->next;
        }
        if (node->longer == 0)
            return;
        node = node_at(automaton, node->longer);
    }
}
