/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "host/elf/elf.h"
#include "host/elf/elf_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ELF struct elf_info info = {0};
    AUTO_ERROR struct error error = {0};
    if (elf_parse(-1, (const char *)data, size, &info, &error)) {
        if (info.bits != 32 && info.bits != 64)
            abort();
        return 0;
    }
    /* A refusal gives a reason, and nothing of the file. */
    if (error.kind != ERROR_DATA || error.why == NULL || info.soname != NULL)
        abort();
    return 0;
}
