/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_READER_LOCATE_H
#define MANIFEST_READER_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

/* Where a value stands in a JSON text. The parser gives no line for a value, so the text is walked
 * once more when there is something to say of one. Nothing is assumed of the text: what is no JSON
 * (RFC 8259) ends the walk. */

/* One step to a value: the member called key or, where key is NULL, the item number index. */
struct locate_step {
    const char *key;
    size_t index;
};

/* A place in a text. */
struct locate_scan {
    const char *at;
    const char *end;
    size_t line;
};

/* A text that is searched, and the item that was found last: a search for a later item of the same
 * array goes on from there. Start with {.text, .size}. */
#define LOCATE_PREFIX 2
struct locator {
    const char *text; /* NULL: no line is known */
    size_t size;
    struct locate_scan found;
    const char *prefix[LOCATE_PREFIX]; /* the keys that lead to the array */
    size_t prefix_count;               /* 0: none was found */
    size_t index;
    size_t line; /* that of the array */
};

/* The line, from 1 on, of the value that steps lead to; that of the key where a member is asked
 * for. When they lead nowhere, that of the last value on the way. 0 without a text. The keys must
 * live as long as the locator. */
size_t locate_line(struct locator *locator, const struct locate_step *steps, size_t count);

/* The text of the value of a member of the object that text is. False: there is none, or it is no
 * JSON up to the end of that value. */
bool locate_member(const char *text, size_t size, const char *key, const char **ret_start,
                   size_t *ret_size);

/* For a text that is known to be JSON, such as a manifest that was checked before: of another one
 * they find too much or too little, but nothing outside of it. */

/* The members of an object, walked as far as one was asked for. Start with {.scan} at the text. */
struct locate_member {
    const char *key; /* between its quotes */
    size_t key_size;
    const char *value;
    size_t size;
};
struct locate_members {
    struct locate_scan scan;
    struct locate_member *items; /* free() it */
    size_t count, capacity;
};
/* NULL: there is none. */
const struct locate_member *locate_members_find(struct locate_members *members, const char *key);

/* The text of the next item of an array. scan starts at its bracket, with the end of its text, and
 * goes on behind the item. False: there are no more. */
bool locate_item(struct locate_scan *scan, const char **ret_start, size_t *ret_size);

/* What a reader that has read offset bytes of text is in the middle of, as a path
 * ("cuda.rows[14].driver_min"), or was when the text stopped to be JSON. "" outside of any object
 * or array. A new string; its keys are as they stand in the text. */
char *locate_path(const char *text, size_t size, size_t offset);

#endif
