/* SPDX-License-Identifier: MIT */
#include "install/unpack/runfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/text.h"

/* A script has fewer; 2.7.1 has about 900. */
#define LINES_MAX 10000

/* A number that the script may say many times, but always the same. */
struct number {
    bool there;
    uint64_t value;
};

struct reading {
    struct runfile *runfile;
    struct number skip;      /* skip=N without quotes, tail +N: of 1.x and 2.0 */
    struct number skip_text; /* skip="N" */
    struct number lines;     /* head -n N */
    struct number size;      /* filesizes="N" */
    bool by_skip;            /* head -n "$skip" */
    struct error *error;
};

/* A piece of the script; it ends at end, and not with a NUL. */
struct piece {
    const char *at, *end;
};

static bool refuse(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct error *error, const char *format, ...)
{
    AUTO_TEXT struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_DATA, "the archive is not a runfile that gpuenv can read");
    return error_why(error, "%s", text_string(&text));
}

static bool take_word(struct piece *piece, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(piece->end - piece->at) < length || memcmp(piece->at, word, length) != 0)
        return false;
    piece->at += length;
    return true;
}

/* Up to where word begins; false: it is not in the piece. */
static bool find_word(struct piece *piece, const char *word)
{
    const char *found = memmem(piece->at, (size_t)(piece->end - piece->at), word, strlen(word));
    if (found)
        piece->at = found;
    return found;
}

/* At most eighteen decimal digits, and a character of ends or the end of the line behind them. */
static bool take_number(struct piece *piece, const char *ends, uint64_t *ret_value)
{
    uint64_t value = 0;
    size_t digits = 0;
    for (; piece->at < piece->end && *piece->at >= '0' && *piece->at <= '9'; piece->at++, digits++)
        if (digits >= 18)
            return false;
        else
            value = value * 10 + (uint64_t)(*piece->at - '0');
    *ret_value = value;
    if (digits == 0)
        return false;
    return piece->at == piece->end || (*piece->at != '\0' && strchr(ends, *piece->at) != NULL);
}

static bool note(struct reading *reading, const char *what, struct piece piece, const char *ends,
                 struct number *number)
{
    uint64_t value;
    if (!take_number(&piece, ends, &value))
        return refuse(reading->error, "its script has %s without a plain decimal number", what);
    if (number->there && number->value != value)
        return refuse(reading->error, "its script has %s twice: %" PRIu64 " and %" PRIu64, what,
                      number->value, value);
    *number = (struct number){.there = true, .value = value};
    return true;
}

/* "# This script was generated using Makeself 2.1.4" */
static void note_version(struct reading *reading, struct piece line)
{
    struct piece piece = line;
    char *to = reading->runfile->makeself;
    if (*to != '\0' || piece.at == piece.end || *piece.at != '#' || !find_word(&piece, "Makeself "))
        return;
    take_word(&piece, "Makeself ");
    for (size_t i = 0; i + 1 < sizeof(reading->runfile->makeself) &&
                       piece.at<piece.end && * piece.at> ' ' && *piece.at < 0x7f;
         i++)
        to[i] = *piece.at++;
}

/* "    offset=`head -n 395 "$1" | wc -c | tr -d " "`": what is counted are the script's lines;
 * before 2.1.2 without "n ". "    tail +266 $0 | …": the payload begins with that line. */
static bool note_offset(struct reading *reading, struct piece line)
{
    struct piece piece = line;
    while (piece.at < piece.end && (*piece.at == ' ' || *piece.at == '\t'))
        piece.at++;
    if (take_word(&piece, "tail +") && piece.at < piece.end && *piece.at != '$')
        return note(reading, "tail +", piece, " ", &reading->skip);
    if (!take_word(&piece, "offset=`head -"))
        return true;
    take_word(&piece, "n ");
    if (take_word(&piece, "\"$skip\"")) {
        reading->by_skip = true;
        return true;
    }
    return note(reading, "offset=`head", piece, " ", &reading->lines);
}

/* MD5="ebb0…"; zeros stand for none, and several for payloads that were appended. */
static void note_md5(struct reading *reading, struct piece piece)
{
    static const unsigned char none[RUNFILE_MD5_SIZE];
    struct runfile *runfile = reading->runfile;
    char hex[3] = "";
    if ((size_t)(piece.end - piece.at) <= 2 * RUNFILE_MD5_SIZE ||
        piece.at[2 * RUNFILE_MD5_SIZE] != '"')
        return;
    for (size_t i = 0; i < RUNFILE_MD5_SIZE; i++) {
        memcpy(hex, piece.at + 2 * i, 2);
        int byte = hex_byte(hex);
        if (byte < 0)
            return;
        runfile->md5[i] = (unsigned char)byte;
    }
    runfile->has_md5 = memcmp(runfile->md5, none, sizeof(none)) != 0;
}

static bool look_at_line(struct reading *reading, struct piece line)
{
    struct piece piece = line;
    note_version(reading, line);
    if (take_word(&piece, "MD5=\""))
        note_md5(reading, piece);
    if (take_word(&piece, "filesizes=\""))
        return note(reading, "filesizes=", piece, "\"", &reading->size);
    if (take_word(&piece, "skip=\""))
        return note(reading, "skip=", piece, "\"", &reading->skip_text);
    if (take_word(&piece, "skip="))
        return note(reading, "skip=", piece, "\r", &reading->skip);
    return note_offset(reading, line);
}

/* How many lines the script has; false: it does not say, or in more than one way. */
static bool count_lines(struct reading *reading, uint64_t *ret_lines)
{
    bool old = reading->skip.there;
    bool by_text = reading->by_skip;
    bool by_number = reading->lines.there;
    if (by_text && !reading->skip_text.there)
        return refuse(reading->error, "its script counts $skip lines, and says no skip=\"N\"");
    if (old + by_text + by_number > 1)
        return refuse(reading->error, "its script says in two ways where the payload begins");
    if (old)
        *ret_lines = reading->skip.value > 0 ? reading->skip.value - 1 : 0;
    else if (by_text)
        *ret_lines = reading->skip_text.value;
    else if (by_number)
        *ret_lines = reading->lines.value;
    else
        return refuse(reading->error, "its script does not say where the payload begins");
    if (*ret_lines >= 2 && *ret_lines <= LINES_MAX)
        return true;
    return refuse(reading->error, "its script is said to have %" PRIu64 " lines", *ret_lines);
}

/* The offset behind so many lines. They are text: a NUL would be of the payload. */
static bool find_payload(struct reading *reading, const char *head, size_t head_size,
                         uint64_t lines, uint64_t *ret_offset)
{
    const char *at = head, *end = head + head_size;
    for (uint64_t i = 0; i < lines; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL)
            return refuse(reading->error,
                          "its script is said to have %" PRIu64 " lines, and the first %zu bytes "
                          "have %" PRIu64,
                          lines, head_size, i);
        if (memchr(at, '\0', (size_t)(newline - at)))
            return refuse(reading->error, "line %" PRIu64 " of its script has binary bytes", i + 1);
        at = newline + 1;
    }
    *ret_offset = (uint64_t)(at - head);
    return true;
}

/* Only lines of text are looked at: what stands in the payload says nothing. */
static bool look_at_script(struct reading *reading, const char *head, size_t head_size)
{
    const char *at = head, *end = head + head_size;
    for (unsigned i = 0; i < LINES_MAX && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        if (memchr(at, '\0', (size_t)(line_end - at)))
            return true;
        if (!look_at_line(reading, (struct piece){at, line_end}))
            return false;
        at = line_end + (newline ? 1 : 0);
    }
    return true;
}

static bool check_size(struct reading *reading, uint64_t size)
{
    struct runfile *runfile = reading->runfile;
    uint64_t end;
    if (reading->size.there && reading->size.value == 0)
        return refuse(reading->error, "its payload is said to be empty");
    if (runfile->offset >= size)
        return refuse(reading->error, "its script fills the whole file: there is no payload");
    runfile->size = reading->size.there ? reading->size.value : size - runfile->offset;
    if (__builtin_add_overflow(runfile->offset, runfile->size, &end) || end > size)
        return refuse(reading->error,
                      "its payload is said to be %" PRIu64 " bytes from byte %" PRIu64
                      " on, and the file has %" PRIu64,
                      runfile->size, runfile->offset, size);
    return end == size ||
           refuse(reading->error, "there are %" PRIu64 " bytes after its payload", size - end);
}

bool runfile_read(const char *head, size_t head_size, uint64_t size, struct runfile *ret_runfile,
                  struct error *error)
{
    struct runfile runfile = {.lines = 0};
    struct reading reading = {.runfile = &runfile, .error = error};
    if (head_size < 3 || memcmp(head, "#!", 2) != 0)
        return refuse(error, "it does not begin with a script");
    if (!look_at_script(&reading, head, head_size))
        return false;
    if (runfile.makeself[0] == '\0')
        return refuse(error, "its script is not one of makeself");
    if (!count_lines(&reading, &runfile.lines) ||
        !find_payload(&reading, head, head_size, runfile.lines, &runfile.offset))
        return false;
    if (!reading.skip.there && !reading.size.there)
        return refuse(error, "its script does not say how long the payload is");
    if (!check_size(&reading, size))
        return false;
    *ret_runfile = runfile;
    return true;
}
