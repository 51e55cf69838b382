/* SPDX-License-Identifier: MIT */
/* code-list [--whole] FILE…: what code/ reads in files, a line each "FILE KIND …", then for each
 * entry "  KIND ARCHITECTURE PTX PACKING [relocatable] [embedded] COUNT BYTES". Exits 1 when a file
 * is refused. For tests/program/code-real and code-formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/code.h"
#include "host/root/byte_file.h"

static void print_listing(const char *path, const struct code_listing *listing)
{
    printf("%s: %s, %zu fat binaries", path, code_file_name(listing->file), listing->fat_binaries);
    if (listing->members > 0 || listing->members_elsewhere > 0)
        printf(", %zu members, %zu elsewhere", listing->members, listing->members_elsewhere);
    if (listing->cuda_major > 0)
        printf(", CUDA %u.%u", listing->cuda_major, listing->cuda_minor);
    if (listing->toolkit != NULL)
        printf(" (%s)", listing->toolkit);
    if (listing->unsearched > 0)
        printf(", %llu bytes not searched", (unsigned long long)listing->unsearched);
    puts(listing->sections_missing ? ", no section headers" : "");
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        char name[CODE_NAME_SIZE];
        code_architecture_name(entry, name);
        printf("  %s %s %u.%u %s%s%s %zu %llu\n", code_kind_name(entry->kind), name,
               entry->ptx_major, entry->ptx_minor, code_packing_name(entry->packing),
               entry->relocatable ? " relocatable" : "", entry->embedded ? " embedded" : "",
               entry->count, (unsigned long long)entry->bytes);
    }
}

static bool list_file(const struct host *host, const char *path, bool whole)
{
    AUTO_FREE char *real = realpath(path, NULL);
    AUTO_ERROR struct error error = {0};
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    AUTO_CODE_LISTING struct code_listing listing = {0};
    if (byte_file_open(host, real == NULL ? path : real, &source, &error) == HOST_OK &&
        (whole ? code_read_whole : code_read)(&source, &listing, &error)) {
        print_listing(path, &listing);
        return true;
    }
    AUTO_TEXT struct text text = {0};
    error_format(&error, &text);
    printf("%s: refused: %s\n", path, text_string(&text));
    return false;
}

int main(int count, char **arguments)
{
    struct host *host = host_new(NULL, NULL);
    bool whole = count > 1 && strcmp(arguments[1], "--whole") == 0;
    int status = 0;
    for (int i = whole ? 2 : 1; host != NULL && i < count; i++)
        if (!list_file(host, arguments[i], whole))
            status = 1;
    host_free(host);
    return status;
}
