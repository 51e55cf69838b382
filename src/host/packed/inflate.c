/* SPDX-License-Identifier: MIT */
#include "host/packed/inflate.h"

#include "base/memory.h"

#ifdef GPUENV_HAVE_ZLIB
#include <string.h>
#include <zlib.h>

#define BUFFER    65536
#define FIRST_GAP (1u << 20) /* between two places; doubles whenever there is no room for more */

/* The unpacking as it stood. zlib's state points back at its stream: it is copied, never moved. */
struct place {
    z_stream stream;
    uint64_t out; /* bytes unpacked */
    uint64_t in;  /* bytes of the input that it had taken */
};

struct inflater {
    struct inflate_input input;
    z_stream stream;
    bool begun;   /* stream is to be ended */
    bool ended;   /* the last block was unpacked */
    uint64_t out; /* bytes unpacked */
    uint64_t in;  /* bytes of the input read, of which stream.avail_in are not taken yet */
    uint64_t work;
    struct place *places[INFLATE_PLACES]; /* ascending */
    size_t count;
    uint64_t gap;
    unsigned char packed[BUFFER];
    unsigned char passed[BUFFER]; /* unpacked bytes that nobody wants */
};

bool inflate_is_known(void)
{
    return true;
}

struct inflater *inflater_new(const struct inflate_input *input)
{
    struct inflater *run = mem_alloc(sizeof(*run));
    run->input = *input;
    run->gap = FIRST_GAP;
    return run;
}

static void place_free(struct place *place)
{
    inflateEnd(&place->stream);
    free(place);
}

void inflater_free(struct inflater *run)
{
    if (run == NULL)
        return;
    for (size_t i = 0; i < run->count; i++)
        place_free(run->places[i]);
    if (run->begun)
        inflateEnd(&run->stream);
    free(run);
}

uint64_t inflater_work(const struct inflater *run)
{
    return run->work;
}

/* Every second one goes. */
static void thin_places(struct inflater *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (i % 2 == 0)
            place_free(run->places[i]);
        else
            run->places[kept++] = run->places[i];
    }
    run->count = kept;
    run->gap *= 2;
}

/* Where no memory is left for a copy, a step back is a longer way. */
static void keep_place(struct inflater *run)
{
    uint64_t last = run->count ? run->places[run->count - 1]->out : 0;
    if (run->out < last + run->gap)
        return;
    if (run->count == INFLATE_PLACES)
        thin_places(run);
    struct place *place = mem_alloc(sizeof(*place));
    if (inflateCopy(&place->stream, &run->stream) != Z_OK) {
        free(place);
        return;
    }
    place->out = run->out;
    place->in = run->in - run->stream.avail_in;
    run->places[run->count++] = place;
}

/* The nearest place that is not behind at; NULL: the beginning. */
static const struct place *place_before(const struct inflater *run, uint64_t at)
{
    size_t i = run->count;
    while (i > 0 && run->places[i - 1]->out > at)
        i--;
    return i ? run->places[i - 1] : NULL;
}

/* False: no memory. place NULL: the beginning. */
static bool go_to(struct inflater *run, const struct place *place)
{
    if (run->begun)
        inflateEnd(&run->stream);
    memset(&run->stream, 0, sizeof(run->stream));
    int result = place ? inflateCopy(&run->stream, (z_stream *)&place->stream)
                       : inflateInit2(&run->stream, -MAX_WBITS);
    run->begun = result == Z_OK;
    run->ended = false;
    run->stream.avail_in = 0;
    run->out = place ? place->out : 0;
    run->in = place ? place->in : 0;
    return run->begun;
}

/* More of the input. NULL, or why there is none. */
static const char *take_input(struct inflater *run)
{
    const struct inflate_input *input = &run->input;
    uint64_t left = input->packed - run->in;
    size_t part = left < BUFFER ? (size_t)left : BUFFER;
    if (part == 0)
        return "the compressed data is cut off";
    if (!input->read(input->context, input->at + run->in, run->packed, part))
        return "the compressed data cannot be read";
    run->in += part;
    run->stream.next_in = run->packed;
    run->stream.avail_in = (uInt)part;
    return NULL;
}

/* The next bytes, size at most UINT_MAX. NULL, or what is wrong with them. */
static const char *unpack(struct inflater *run, unsigned char *buffer, size_t size)
{
    run->stream.next_out = buffer;
    run->stream.avail_out = (uInt)size;
    while (run->stream.avail_out > 0) {
        const char *problem = NULL;
        if (run->ended)
            return "the data unpacks to fewer bytes than the directory states";
        if (run->stream.avail_in == 0 && (problem = take_input(run)) != NULL)
            return problem;
        uInt before = run->stream.avail_out;
        int result = inflate(&run->stream, Z_NO_FLUSH);
        run->out += before - run->stream.avail_out;
        run->work += before - run->stream.avail_out;
        if (result == Z_STREAM_END)
            run->ended = true;
        else if (result != Z_OK && result != Z_BUF_ERROR && run->stream.avail_out > 0)
            return result == Z_MEM_ERROR ? "there is not enough memory to unpack the data"
                                         : "it is not deflated";
    }
    return NULL;
}

const char *inflater_read(struct inflater *run, uint64_t at, void *buffer, size_t size)
{
    const char *problem = NULL;
    const struct place *place = place_before(run, at);
    bool nearer = place && place->out > run->out;
    if ((!run->begun || at < run->out || nearer) && !go_to(run, place))
        return "there is not enough memory to unpack the data";
    while (problem == NULL && run->out < at) {
        uint64_t way = at - run->out;
        problem = unpack(run, run->passed, way < BUFFER ? (size_t)way : BUFFER);
        if (problem == NULL)
            keep_place(run);
    }
    for (size_t done = 0; problem == NULL && done < size;) {
        size_t part = size - done < BUFFER ? size - done : BUFFER;
        problem = unpack(run, (unsigned char *)buffer + done, part);
        done += part;
        if (problem == NULL)
            keep_place(run);
    }
    return problem;
}

#else

struct inflater {
    int none;
};

bool inflate_is_known(void)
{
    return false;
}

struct inflater *inflater_new(const struct inflate_input *input)
{
    (void)input;
    return mem_alloc(sizeof(struct inflater));
}

void inflater_free(struct inflater *run)
{
    free(run);
}

const char *inflater_read(struct inflater *run, uint64_t at, void *buffer, size_t size)
{
    (void)run;
    (void)at;
    (void)buffer;
    (void)size;
    return "this build of gpuenv cannot unpack this format";
}

uint64_t inflater_work(const struct inflater *run)
{
    (void)run;
    return 0;
}

#endif
