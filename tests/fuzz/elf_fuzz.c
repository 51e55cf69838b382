/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct byte_source source = byte_source_memory(data, size);
    read_info(&source);
    read_modinfo(&source);
    return 0;
}
