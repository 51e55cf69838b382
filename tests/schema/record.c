/* SPDX-License-Identifier: MIT */
/* Linked into the gpuenv and gpuenv-install that the program tests run
 * (docs/background/testing.md): each JSON document that they make is also left in RECORD_DIRECTORY,
 * for schema/all-outputs. Nothing is allocated, and a document that cannot be written is not
 * recorded: the run goes on as it would. */
#include "schema/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

#define NAME_SIZE (sizeof(RECORD_DIRECTORY) + 64)

/* What differs in every run, and says nothing of the form. */
static const char volatile_key[] = "\"duration_ms\": ";

/* Where the bytes go on behind that key and its number, if they begin with it. */
static size_t skip_volatile(const char *bytes, size_t size)
{
    size_t end = strlen(volatile_key);
    if (size < end || bytes[0] != volatile_key[0] || memcmp(bytes, volatile_key, end) != 0)
        return 0;
    while (end < size && bytes[end] && strchr("0123456789.e+-", bytes[end]))
        end++;
    return end;
}

/* FNV-1a over all but that. */
static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) {
        i += skip_volatile(bytes + i, size - i);
        if (i < size)
            hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3;
    }
    return hash;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Under another name until it is whole: a test may kill the program, or limit its files. */
static void write_record(const char *name, const char *bytes, size_t size)
{
    char part[NAME_SIZE];
    snprintf(part, sizeof(part), RECORD_DIRECTORY "/%ld.part", (long)getpid());
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return;
    bool is_whole = write_all(fd, bytes, size);
    close(fd);
    if (!is_whole || rename(part, name) != 0)
        unlink(part);
}

void record_document(const char *bytes, size_t size)
{
    char name[NAME_SIZE];
    int number = errno;
    snprintf(name, sizeof(name), RECORD_DIRECTORY "/%016" PRIx64 ".json", hash_of(bytes, size));
    if (access(name, F_OK) != 0)
        write_record(name, bytes, size);
    errno = number;
}

void __wrap_json_append_text(const json_t *value, struct text *text)
{
    size_t before = text->size;
    __real_json_append_text(value, text);
    if (json_object_get(value, "action") == NULL) /* what gpuenv hands to gpuenv-install */
        record_document(text_string(text) + before, text->size - before);
}
