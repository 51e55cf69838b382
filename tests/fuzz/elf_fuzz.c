/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "elf/constant.h"
#include "elf/info.h"
#include "elf/modinfo.h"

/* The bytes end where the source does: reading beyond is seen by the sanitizer. */
static void read_info(const struct byte_source *source)
{
    AUTO_ELF struct elf_info info = {0};
    AUTO_ERROR struct error error = {0};
    if (elf_info_read(source, &info, &error)) {
        if (info.bits != 32 && info.bits != 64)
            abort();
        return;
    }
    /* A refusal gives a reason, and nothing of the file. */
    if (error.kind != ERROR_DATA || error.why == NULL || info.soname != NULL)
        abort();
}

static void read_modinfo(const struct byte_source *source)
{
    AUTO_STRLIST struct strlist fields = {0};
    AUTO_ERROR struct error error = {0};
    if (!elf_modinfo_read(source, &fields, &error) &&
        (error.kind != ERROR_DATA || error.why == NULL || fields.count > 0))
        abort();
}

static void read_constant(const struct byte_source *source)
{
    AUTO_FREE char *line = NULL;
    AUTO_ERROR struct error error = {0};
    bool read = elf_constant_find(source, "GNU ", &line, &error);
    if (read ? line && (*line < '0' || *line > '9') : error.kind != ERROR_DATA || line != NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct byte_source source = byte_source_memory(data, size);
    read_info(&source);
    read_modinfo(&source);
    read_constant(&source);
    return 0;
}
