/* SPDX-License-Identifier: MIT */
#include "probe/kernel/kernel_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define WALL_SIZE    64 /* a date: "2026-11-21T13:37:01.123456+01:00" */
#define FALL_SECONDS 30 /* lines may come out of order; a boot falls back further */

void stream_begin(struct kernel_stream *stream, const struct strlist *watched)
{
    *stream =
        (struct kernel_stream){.reader = {.watched = watched}, .last_seconds = -1, .level = -1};
}

void stream_source(struct kernel_stream *stream, const char *source)
{
    stream->tally.source = source;
    stream->said.source = source;
}

void stream_free(struct kernel_stream *stream)
{
    kernel_tally_free(&stream->tally);
    kernel_lines_free(&stream->said);
}

void stream_new_boot(struct kernel_stream *stream)
{
    kernel_tally_age(&stream->tally);
    kernel_lines_clear(&stream->said);
    stream->begins = false;
    stream->last_seconds = -1;
    stream->reader.last_bus_id[0] = '\0';
}

/* "[    0.000000] Linux version 6.8.0-45-generic (…)" is what a kernel says first. */
static bool is_first_line(const char *line)
{
    return string_starts(line, "Linux version ");
}

static void take_line(struct kernel_stream *stream, const char *line, struct kernel_time time)
{
    struct kernel_event event;
    if (stream->services_only)
        return;
    bool known = kernel_event_read(&stream->reader, line, &event);
    if (known)
        kernel_tally_add(&stream->tally, &event, BOOT_CURRENT, time, line);
    kernel_lines_add(&stream->said, &stream->reader, known ? &event : NULL, stream->level, time,
                     line);
}

void stream_take(struct kernel_stream *stream, char *text, struct kernel_time time)
{
    bool first = is_first_line(text);
    bool fell = time.seconds >= 0 && stream->last_seconds - time.seconds > FALL_SECONDS;
    if (first || fell)
        stream_new_boot(stream);
    stream->begins = stream->begins || first;
    if (time.seconds >= 0)
        stream->last_seconds = time.seconds;
    stream->lines++;
    char *cursor = text;
    for (char *line; (line = string_next_line(&cursor));)
        take_line(stream, string_trim(line), time);
}

/* "[   12.345678] text", or with a second pair, "[   12.345678][ T1194] text". */
static char *take_stamp(char *line, int64_t *ret_seconds)
{
    *ret_seconds = -1;
    if (line[0] != '[')
        return line;
    char *digits = line + 1 + strspn(line + 1, " ");
    size_t count = strspn(digits, "0123456789");
    const char *end = strchr(digits, ']');
    if (count == 0 || count > 12 || digits[count] != '.' || end == NULL)
        return line;
    *ret_seconds = strtoll(digits, NULL, 10);
    char *rest = line + (end - line) + 1;
    if (rest[0] == '[' && strchr(rest, ']'))
        rest = strchr(rest, ']') + 1;
    return rest + strspn(rest, " ");
}

/* The date before the host's name: the first word, or for "Nov 21 13:37:01" the first three. */
static void wall_time(const char *line, char ret_wall[static WALL_SIZE])
{
    bool words = (line[0] >= 'A' && line[0] <= 'Z');
    size_t length = 0;
    for (int word = 0; word < (words ? 3 : 1); word++) {
        length += strspn(line + length, " ");
        length += strcspn(line + length, " ");
    }
    length = length < WALL_SIZE ? length : WALL_SIZE - 1;
    memcpy(ret_wall, line, length);
    ret_wall[length] = '\0';
}

/* "… host nvidia-persistenced[812]: text": what a service of NVIDIA's wrote, or systemd about one.
 * NULL: the line is of something else. */
static const char *take_service(char *line, char **ret_service)
{
    char *end = strstr(line, ": ");
    if (end == NULL)
        return NULL;
    char *word = end;
    while (word > line && word[-1] != ' ')
        word--;
    size_t size = strcspn(word, "[: ");
    bool systemd = size == strlen("systemd") && string_starts(word, "systemd");
    bool ours = string_starts(word, "nvidia-") || string_starts(word, "nv-");
    if (!ours && !(systemd && (strstr(end, " nvidia-") || strstr(end, "NVIDIA"))))
        return NULL;
    *ret_service = mem_string_n(word, size);
    return end + 2;
}

static void take_service_line(struct kernel_stream *stream, char *line)
{
    AUTO_FREE char *service = NULL;
    char wall[WALL_SIZE];
    const char *text = take_service(line, &service);
    if (text == NULL)
        return;
    wall_time(line, wall);
    kernel_lines_add_service(&stream->said, service,
                             (struct kernel_time){.seconds = -1, .wall = wall}, text);
}

static void take_text_line(struct kernel_stream *stream, char *line, bool all_kernel)
{
    static const char tag[] = " kernel: ";
    struct kernel_time time = {.seconds = -1};
    char *text = line;
    char *at = all_kernel ? NULL : strstr(line, tag);
    char wall[WALL_SIZE];
    if (at)
        wall_time(line, wall);
    if (at)
        text = at + strlen(tag);
    else if (!all_kernel) {
        take_service_line(stream, line);
        return;
    }
    text = take_stamp(text, &time.seconds);
    text += string_starts(text, tag + 1) ? strlen(tag + 1) : 0; /* both, as some tools write it */
    time.wall = at ? wall : NULL;
    stream_take(stream, text, time);
}

void stream_take_file(struct kernel_stream *stream, char *text, bool all_kernel, bool first_whole)
{
    char *cursor = text;
    bool whole = first_whole;
    for (char *line; (line = string_next_line(&cursor));) {
        if (whole)
            take_text_line(stream, line, all_kernel);
        whole = true;
    }
}
