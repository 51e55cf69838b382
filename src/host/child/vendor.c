/* SPDX-License-Identifier: MIT */
#include "host/child/vendor.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"

static char *library_path(void *handle)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL || map->l_name == NULL)
        return NULL;
    char *real = realpath(map->l_name, NULL);
    return real ? real : mem_string(map->l_name[0] != '\0' ? map->l_name : NULL);
}

/* The address of the first of the names that the library has. */
static void *find_symbol(void *handle, const struct vendor_symbol *symbol, const char **ret_name)
{
    for (size_t i = 0; i < VENDOR_NAMES && symbol->names[i]; i++) {
        void *address = dlsym(handle, symbol->names[i]);
        if (address) {
            *ret_name = symbol->names[i];
            return address;
        }
    }
    *ret_name = NULL;
    return NULL;
}

/* Of addresses that are limited and ran out the loader says no more than "failed to map". */
static bool add_limit(struct error *error, const char *why)
{
    struct rlimit limit;
    if (strstr(why, "map") == NULL || getrlimit(RLIMIT_AS, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
        return error_why(error, "%s", why);
    return error_why(error, "%s; perhaps out of memory: ulimit -v allows %llu MiB", why,
                     (unsigned long long)limit.rlim_cur >> 20);
}

bool vendor_open(const char *soname, const struct vendor_symbol *symbols, void *functions,
                 struct vendor_library *ret_library, struct error *error)
{
    void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *why = dlerror();
        error_set(error, ERROR_NO_INPUT, "cannot open %s", soname);
        return add_limit(error, why ? why : "dlopen() gave no reason");
    }
    const char *name;
    for (const struct vendor_symbol *symbol = symbols; symbol->names[0]; symbol++) {
        void *address = find_symbol(handle, symbol, &name);
        memcpy((char *)functions + symbol->field, &address, sizeof(address));
    }
    *ret_library = (struct vendor_library){.handle = handle, .path = library_path(handle)};
    return true;
}

const char *vendor_symbol_found(const struct vendor_library *library,
                                const struct vendor_symbol *symbol)
{
    const char *name;
    find_symbol(library->handle, symbol, &name);
    return name;
}
