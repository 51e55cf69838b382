/* SPDX-License-Identifier: MIT */
#include "probe/engine/cuda_program.h"

#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "host/elf/elf.h"

/* "12.8, V12.8.93": the second is the program's own. */
static char *release_of(const char *line)
{
    static const char full[] = ", V";
    char text[VERSION_TEXT_SIZE];
    struct version version;
    const char *behind = strstr(line, full);
    if (!version_parse_prefix(behind ? behind + strlen(full) : line, &version) || version.count < 2)
        return NULL;
    return mem_string(version_text(&version, 0, text));
}

enum host_status cuda_program_release(const struct host *host, const char *path, char **ret_release,
                                      struct error *error)
{
    AUTO_FREE char *line = NULL;
    enum host_status status =
        elf_read_constant(host, path, "Cuda compilation tools, release ", &line, error);
    *ret_release = status == HOST_OK && line ? release_of(line) : NULL;
    return status;
}
