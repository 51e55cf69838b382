/* SPDX-License-Identifier: MIT */
#include "host/packed/packed_module.h"

#include <string.h>
#include <unistd.h>

#include "host/packed/packed.h"
#include "host/root/root.h"

#define FIELD_MAX  1024 /* longer strings are no fields */
#define FIELDS_MAX 4096 /* most are aliases */

/* Fields are searched for in a stream: strings that end with NUL, as long as one follows the other.
 * Whatever else comes ends the run; a run with a vermagic and a licence is the section. */
struct scan {
    const struct host *host;
    struct packed_module *module;
    bool whole;
    bool found;
    char field[FIELD_MAX + 1];
    size_t size;
    bool odd; /* the string so far is no field */
    bool vermagic, license;
};

static bool is_field_byte(unsigned char c, size_t at, bool before_equals)
{
    if (before_equals && at > 0 && c == '=')
        return true;
    if (before_equals)
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || c == '-';
    return c >= 0x20 || c == '\t' || c == '\n';
}

static void end_run(struct scan *scan)
{
    scan->found = scan->found || (scan->vermagic && scan->license);
    if (!scan->found)
        strlist_free(&scan->module->fields);
    scan->vermagic = scan->license = false;
}

/* Aliases and descriptions of parameters are many, and not wanted. */
static bool is_wanted(const char *field)
{
    return !string_starts(field, "alias=") && !string_starts(field, "parm");
}

static void end_string(struct scan *scan)
{
    scan->field[scan->size] = '\0';
    if (scan->size == 0 && !scan->odd) /* between two fields */
        return;
    if (scan->odd || strchr(scan->field, '=') == NULL) {
        end_run(scan);
    } else if (!scan->found) {
        scan->vermagic = scan->vermagic || string_starts(scan->field, "vermagic=");
        scan->license = scan->license || string_starts(scan->field, "license=");
        if (is_wanted(scan->field) && scan->module->fields.count < FIELDS_MAX)
            strlist_add(&scan->module->fields, scan->field);
    }
    scan->size = 0;
    scan->odd = false;
}

static void scan_bytes(struct scan *scan, const unsigned char *bytes, size_t size)
{
    bool before_equals = memchr(scan->field, '=', scan->size) == NULL;
    for (size_t i = 0; i < size && !scan->found; i++) {
        unsigned char c = bytes[i];
        if (c == '\0') {
            end_string(scan);
            before_equals = true;
            continue;
        }
        if (scan->odd)
            continue;
        if (scan->size >= FIELD_MAX || !is_field_byte(c, scan->size, before_equals)) {
            scan->odd = true;
            continue;
        }
        before_equals = before_equals && c != '=';
        scan->field[scan->size++] = (char)c;
    }
}

static void keep_end(struct text *end, const void *bytes, size_t size)
{
    if (size >= PACKED_END) {
        text_clear(end);
        text_append_n(end, (const char *)bytes + (size - PACKED_END), PACKED_END);
        return;
    }
    text_append_n(end, bytes, size);
    if (end->size <= PACKED_END)
        return;
    size_t extra = end->size - PACKED_END;
    memmove(end->data, end->data + extra, PACKED_END);
    end->size = PACKED_END;
    end->data[PACKED_END] = '\0';
}

static bool take(const void *bytes, size_t size, void *data)
{
    struct scan *scan = data;
    if (!scan->found)
        scan_bytes(scan, bytes, size);
    if (scan->whole)
        keep_end(&scan->module->end, bytes, size);
    return (scan->whole || !scan->found) && !host_is_late(scan->host);
}

enum host_status packed_module_read(const struct host *host, const char *path, bool whole,
                                    struct packed_module *ret_module, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    char head[8];
    *ret_module = (struct packed_module){.fields = {0}};
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    ssize_t got = pread(fd, head, sizeof(head), 0);
    enum packing packing = packing_of(head, got > 0 ? (size_t)got : 0);
    AUTO_FREE struct scan *scan = mem_alloc(sizeof(*scan));
    scan->host = host;
    scan->module = ret_module;
    scan->whole = whole;
    const char *problem = packing == PACKING_NONE
                              ? "the compression does not match the file name"
                              : packed_read(fd, packing, PACKED_MAX, take, scan);
    end_run(scan);
    if (problem == NULL && host_is_late(host))
        problem = "no time left";
    if (problem == NULL && !scan->found)
        problem = "the file has no .modinfo section";
    if (problem == NULL)
        return HOST_OK;
    packed_module_free(ret_module);
    return root_refuse(error, "read", path, "%s", problem);
}

void packed_module_free(struct packed_module *module)
{
    strlist_free(&module->fields);
    text_free(&module->end);
}

bool packed_module_can(const char *path)
{
    return (string_ends(path, ".gz") && packing_is_known(PACKING_GZIP)) ||
           (string_ends(path, ".xz") && packing_is_known(PACKING_XZ)) ||
           (string_ends(path, ".zst") && packing_is_known(PACKING_ZSTD));
}
