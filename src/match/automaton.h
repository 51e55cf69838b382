/* SPDX-License-Identifier: MIT */
#ifndef MATCH_AUTOMATON_H
#define MATCH_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Many strings looked for at once (Aho and Corasick), folded as match/fold.h has it: one step a
 * byte, whatever was read before. A run of bytes that belong to no word is one blank. */

struct automaton;

struct automaton *automaton_new(void);
void automaton_free(struct automaton *automaton);

/* Adds folded letters, which stand for number. Before automaton_compile() alone. */
void automaton_add(struct automaton *automaton, const char *letters, uint32_t number);
void automaton_compile(struct automaton *automaton);

/* Where one reads: 0 at the start, as behind a blank. */
typedef uint32_t automaton_state;
automaton_state automaton_start(const struct automaton *automaton);

/* Reads bytes from state on as far as behind the first at which an added string ends; returns how
 * many were read. *ret_found: whether one ends there. */
size_t automaton_read(const struct automaton *automaton, automaton_state *state, const char *bytes,
                      size_t size, bool *ret_found);

/* The numbers whose strings end in state. */
void automaton_each(const struct automaton *automaton, automaton_state state,
                    void (*each)(void *context, uint32_t number), void *context);

#endif
