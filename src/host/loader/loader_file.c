/* SPDX-License-Identifier: MIT */
#include "host/loader/loader_private.h"

#include <elf.h>

#include "base/text.h"
#include "elf/header.h"

/* What open_verify() of glibc's elf/dl-load.c looks at before it takes a file. A file for another
 * machine or class is passed over; one that is no ELF file, or a damaged one, ends the search:
 * "this could mean there is something wrong in the installation". Only the header decides: a file
 * that breaks later has been taken. */

#define OWN_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

bool loader_head_machine(const char *bytes, size_t size, uint16_t *ret_machine, unsigned *ret_bits)
{
    struct elf_header header;
    if (!elf_header_read(bytes, size, &header) || header.start.order != OWN_ORDER)
        return false;
    *ret_machine = (uint16_t)header.start.machine;
    *ret_bits = header.start.bits;
    return true;
}

static enum loader_verdict give_up(char **ret_reason, char *reason)
{
    *ret_reason = mem_printf("%s; the loader gives up here", reason);
    free(reason);
    return LOADER_GIVES_UP;
}

static enum loader_verdict judge_machine(const struct loader_target *target,
                                         const struct elf_start *start, char **ret_reason)
{
    char own[24], other[24];
    bool own_order = start->order == OWN_ORDER;
    bool fits = own_order && start->machine == target->machine && start->bits == target->bits;
    if (target->machine == 0 || fits)
        return LOADER_OPENS;
    if (start->bits != target->bits)
        *ret_reason = mem_printf("wrong ELF class: %u-bit, but this system's programs are %u-bit",
                                 start->bits, target->bits);
    else if (!own_order)
        *ret_reason = mem_string("for a machine with the opposite byte order");
    else
        *ret_reason = mem_printf("for %s, but this system's programs are for %s",
                                 elf_machine_name(start->machine, start->bits, other),
                                 elf_machine_name(target->machine, target->bits, own));
    return LOADER_PASSES_OVER;
}

static enum loader_verdict judge_rest(const struct elf_header *header, uint64_t file_size,
                                      char **ret_reason)
{
    const struct elf_start *start = &header->start;
    size_t entry = start->bits == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    uint64_t size = (uint64_t)header->segment_count * entry;
    if (start->ident_version != EV_CURRENT)
        return give_up(ret_reason, mem_string("ELF version ident is not the current one"));
    if (start->abi != ELFOSABI_SYSV && start->abi != ELFOSABI_GNU)
        return give_up(ret_reason, mem_printf("ELF file OS ABI %u is invalid", start->abi));
    if (start->type != ET_DYN && start->type != ET_EXEC)
        return give_up(ret_reason,
                       mem_printf("neither library nor program: ELF type %u", start->type));
    if (header->segment_size != entry)
        return give_up(ret_reason, mem_string("ELF program headers of an unexpected size"));
    if (header->segments_at > file_size || size > file_size - header->segments_at)
        return give_up(ret_reason, mem_string("truncated: the program headers are missing"));
    return LOADER_OPENS;
}

static enum loader_verdict judge_content(const struct loader *loader, const struct text *head,
                                         uint64_t file_size, char **ret_reason)
{
    const struct loader_target *target = &loader->target;
    size_t need = target->bits == 32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    if (head->size < need)
        return give_up(ret_reason, mem_printf("file too short: %zu bytes", head->size));
    if (!elf_is(head->data, head->size)) {
        AUTO_FREE char *begins = elf_begins_with(head->data, head->size);
        return give_up(ret_reason, mem_printf("invalid ELF header, %s", begins));
    }
    struct elf_header header;
    if (!elf_header_read(head->data, head->size, &header)) {
        *ret_reason = mem_string("wrong ELF class");
        return LOADER_PASSES_OVER;
    }
    enum loader_verdict verdict = judge_machine(target, &header.start, ret_reason);
    if (verdict != LOADER_OPENS || header.start.order != OWN_ORDER)
        return verdict;
    return judge_rest(&header, file_size, ret_reason);
}

static enum loader_verdict judge_failure(const struct loader *loader, const char *path,
                                         enum host_status status, const struct error *error,
                                         char **ret_reason)
{
    const char *why = error->why ? error->why : error->what;
    if (status == HOST_ABSENT)
        return LOADER_ABSENT;
    if (status == HOST_FAILED && host_is_directory(loader->host, path))
        return give_up(ret_reason, mem_string("a directory"));
    *ret_reason = mem_string(why ? why : "cannot be read");
    return status == HOST_FAILED ? LOADER_LEAVES_LIST : LOADER_PASSES_OVER;
}

enum loader_verdict loader_judge(const struct loader *loader, const char *path, char **ret_reason)
{
    AUTO_TEXT struct text head = {0};
    AUTO_ERROR struct error error = {0};
    enum host_status status = host_read_head(loader->host, path, ELF_HEAD, &head, &error);
    struct host_stat stat = {0};
    if (status == HOST_OK)
        status = host_stat(loader->host, path, &stat, &error);
    if (status != HOST_OK)
        return judge_failure(loader, path, status, &error, ret_reason);
    return judge_content(loader, &head, stat.size, ret_reason);
}
