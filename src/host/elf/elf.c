/* SPDX-License-Identifier: MIT */
#include "host/elf/elf.h"

#include "elf/constant.h"
#include "elf/modinfo.h"
#include "host/packed/packed.h"
#include "host/root/byte_file.h"

enum host_status elf_read(const struct host *host, const char *path, struct elf_info *ret_info,
                          struct error *error)
{
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    enum host_status status = byte_file_open(host, path, &source, error);
    if (status != HOST_OK)
        return status;
    if (elf_info_read(&source, ret_info, error))
        return HOST_OK;
    error_where(error, "%s", path);
    return HOST_FAILED;
}

static bool check_packing(const struct byte_source *source, struct error *error)
{
    static const char *const names[] = {
        [PACKING_GZIP] = "gzip", [PACKING_XZ] = "xz", [PACKING_ZSTD] = "zstd"};
    char head[8];
    size_t size = source->size < sizeof(head) ? (size_t)source->size : sizeof(head);
    if (!byte_source_read(source, 0, head, size, "the first bytes", error))
        return false;
    enum packing packing = packing_of(head, size);
    if (packing == PACKING_NONE)
        return true;
    error_set(error, ERROR_DATA, "cannot read a compressed kernel module");
    return error_why(error, "it is compressed with %s", names[packing]);
}

enum host_status elf_read_modinfo(const struct host *host, const char *path,
                                  struct strlist *ret_fields, struct error *error)
{
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    enum host_status status = byte_file_open(host, path, &source, error);
    if (status != HOST_OK)
        return status;
    if (check_packing(&source, error) && elf_modinfo_read(&source, ret_fields, error))
        return HOST_OK;
    error_where(error, "%s", path);
    return HOST_FAILED;
}

enum host_status elf_read_constant(const struct host *host, const char *path, const char *beginning,
                                   char **ret_line, struct error *error)
{
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    enum host_status status = byte_file_open(host, path, &source, error);
    if (status != HOST_OK)
        return status;
    if (elf_constant_find(&source, beginning, ret_line, error))
        return HOST_OK;
    error_where(error, "%s", path);
    return HOST_FAILED;
}
