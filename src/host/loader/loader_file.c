/* SPDX-License-Identifier: MIT */
#include "host/loader/loader_private.h"

#include <elf.h>
#include <string.h>

#include "base/text.h"
#include "host/elf/elf.h"

/* What open_verify() of glibc's elf/dl-load.c looks at before it takes a file. A file for another
 * machine or class is passed over; one that is no ELF file, or a damaged one, ends the search:
 * "this could mean there is something wrong in the installation". Only the header decides: a file
 * that breaks later has been taken. */

#define SHOWN_BYTES 24

#define OWN_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

struct head {
    unsigned bits;
    uint16_t machine;
    uint16_t type;
    uint64_t headers_at;
    uint64_t headers_size;
    bool entry_size_fits;
};

static bool read_head64(const char *bytes, size_t size, struct head *ret_head)
{
    Elf64_Ehdr raw;
    if (size < sizeof(raw))
        return false;
    memcpy(&raw, bytes, sizeof(raw));
    *ret_head = (struct head){.bits = 64,
                              .machine = raw.e_machine,
                              .type = raw.e_type,
                              .headers_at = raw.e_phoff,
                              .headers_size = (uint64_t)raw.e_phnum * sizeof(Elf64_Phdr),
                              .entry_size_fits = raw.e_phentsize == sizeof(Elf64_Phdr)};
    return true;
}

static bool read_head32(const char *bytes, size_t size, struct head *ret_head)
{
    Elf32_Ehdr raw;
    if (size < sizeof(raw))
        return false;
    memcpy(&raw, bytes, sizeof(raw));
    *ret_head = (struct head){.bits = 32,
                              .machine = raw.e_machine,
                              .type = raw.e_type,
                              .headers_at = raw.e_phoff,
                              .headers_size = (uint64_t)raw.e_phnum * sizeof(Elf32_Phdr),
                              .entry_size_fits = raw.e_phentsize == sizeof(Elf32_Phdr)};
    return true;
}

static bool is_elf(const char *bytes, size_t size)
{
    return size >= EI_NIDENT && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool read_head(const char *bytes, size_t size, struct head *ret_head)
{
    if (!is_elf(bytes, size))
        return false;
    if (bytes[EI_CLASS] == ELFCLASS64)
        return read_head64(bytes, size, ret_head);
    return bytes[EI_CLASS] == ELFCLASS32 && read_head32(bytes, size, ret_head);
}

bool loader_head_machine(const char *bytes, size_t size, uint16_t *ret_machine, unsigned *ret_bits)
{
    struct head head;
    if (!read_head(bytes, size, &head) || bytes[EI_DATA] != OWN_ORDER)
        return false;
    *ret_machine = head.machine;
    *ret_bits = head.bits;
    return true;
}

static enum loader_verdict give_up(char **ret_reason, char *reason)
{
    *ret_reason = mem_printf("%s; the loader gives up here", reason);
    free(reason);
    return LOADER_GIVES_UP;
}

static char *what_it_begins_with(const struct text *start)
{
    AUTO_TEXT struct text shown = {0};
    size_t size = start->size < SHOWN_BYTES ? start->size : SHOWN_BYTES;
    const char *end = memchr(start->data, '\n', size);
    text_append_safe_n(&shown, start->data,
                       end && end != start->data ? (size_t)(end - start->data) : size);
    return mem_printf("invalid ELF header, begins with \"%s\"", text_string(&shown));
}

static enum loader_verdict judge_machine(const struct loader_target *target,
                                         const struct head *head, bool own_order, char **ret_reason)
{
    char own[24], other[24];
    bool fits = own_order && head->machine == target->machine && head->bits == target->bits;
    if (target->machine == 0 || fits)
        return LOADER_OPENS;
    if (head->bits != target->bits)
        *ret_reason = mem_printf("wrong ELF class: %u-bit, and this system's programs are %u-bit",
                                 head->bits, target->bits);
    else if (!own_order)
        *ret_reason = mem_string("for a machine of the other byte order");
    else
        *ret_reason = mem_printf("for %s, and this system's programs are for %s",
                                 elf_machine_name(head->machine, head->bits, other),
                                 elf_machine_name(target->machine, target->bits, own));
    return LOADER_PASSES_OVER;
}

static enum loader_verdict judge_rest(const struct head *head, const char *bytes,
                                      uint64_t file_size, char **ret_reason)
{
    unsigned abi = (unsigned char)bytes[EI_OSABI];
    if (bytes[EI_VERSION] != EV_CURRENT)
        return give_up(ret_reason, mem_string("ELF version ident is not the current one"));
    if (abi != ELFOSABI_SYSV && abi != ELFOSABI_GNU)
        return give_up(ret_reason, mem_printf("ELF file OS ABI %u is invalid", abi));
    if (head->type != ET_DYN && head->type != ET_EXEC)
        return give_up(ret_reason,
                       mem_printf("neither library nor program: ELF type %u", head->type));
    if (!head->entry_size_fits)
        return give_up(ret_reason, mem_string("ELF program headers of an unexpected size"));
    if (head->headers_at > file_size || head->headers_size > file_size - head->headers_at)
        return give_up(ret_reason, mem_string("truncated: its program headers are missing"));
    return LOADER_OPENS;
}

static enum loader_verdict judge_content(const struct loader *loader, const struct text *start,
                                         uint64_t file_size, char **ret_reason)
{
    const struct loader_target *target = &loader->target;
    size_t need = target->bits == 32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    if (start->size < need)
        return give_up(ret_reason, mem_printf("file too short: %zu bytes", start->size));
    if (!is_elf(start->data, start->size))
        return give_up(ret_reason, what_it_begins_with(start));
    struct head head;
    if (!read_head(start->data, start->size, &head)) {
        *ret_reason = mem_string("wrong ELF class");
        return LOADER_PASSES_OVER;
    }
    bool own_order = start->data[EI_DATA] == OWN_ORDER;
    enum loader_verdict verdict = judge_machine(target, &head, own_order, ret_reason);
    if (verdict != LOADER_OPENS || !own_order)
        return verdict;
    return judge_rest(&head, start->data, file_size, ret_reason);
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
    AUTO_TEXT struct text start = {0};
    AUTO_ERROR struct error error = {0};
    enum host_status status =
        host_read_head(loader->host, path, sizeof(Elf64_Ehdr), &start, &error);
    struct host_stat stat = {0};
    if (status == HOST_OK)
        status = host_stat(loader->host, path, &stat, &error);
    if (status != HOST_OK)
        return judge_failure(loader, path, status, &error, ret_reason);
    return judge_content(loader, &start, stat.size, ret_reason);
}
