/* SPDX-License-Identifier: MIT */
#include "host/root/host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/text.h"
#include "host/root/clock.h"
#include "host/root/root.h"

struct host *host_new(const char *root, struct error *error)
{
    const char *path = root ? root : "/";
    AUTO_CLOSE int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) != 0) {
        error_set_errno(error, ERROR_NO_INPUT, errno, path, "cannot open the root");
        return NULL;
    }
    struct host *host = mem_alloc(sizeof(*host));
    host->root = mem_string(path);
    host->fd = fd_steal(&fd);
    host->file_system = stat.st_dev;
    host->live = string_equal(path, "/");
    host->openat2 = true;
    return host;
}

void host_free(struct host *host)
{
    if (host == NULL)
        return;
    for (size_t i = 0; i < host->variable_count; i++) {
        free(host->variables[i].name);
        free(host->variables[i].value);
    }
    free(host->variables);
    free(host->root);
    close(host->fd);
    free(host);
}

void host_set_deadline(struct host *host, uint64_t deadline_ms)
{
    host->deadline_ms = deadline_ms;
}

bool host_is_late(const struct host *host)
{
    return host->deadline_ms > 0 && clock_ms() >= host->deadline_ms;
}

bool host_is_live(const struct host *host)
{
    return host->live;
}

const char *host_root(const struct host *host)
{
    return host->root;
}

static struct host_variable *find_variable(const struct host *host, const char *name)
{
    for (size_t i = 0; i < host->variable_count; i++)
        if (string_equal(host->variables[i].name, name))
            return &host->variables[i];
    return NULL;
}

const char *host_environment(const struct host *host, const char *name)
{
    if (host->live)
        return getenv(name);
    const struct host_variable *variable = find_variable(host, name);
    return variable ? variable->value : NULL;
}

void host_set_environment(struct host *host, const char *name, const char *value)
{
    if (host->live)
        return;
    struct host_variable *variable = find_variable(host, name);
    if (variable == NULL) {
        variable = vec_push(host->variables, host->variable_count, host->variable_capacity);
        variable->name = mem_string(name);
    }
    char *copy = mem_string(value);
    free(variable->value);
    variable->value = copy;
}

static void add_live_names(const char *prefix, struct strlist *names)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *end = strchr(*entry, '=');
        if (end == NULL)
            continue;
        AUTO_FREE char *name = mem_string_n(*entry, (size_t)(end - *entry));
        if (string_starts(name, prefix))
            strlist_add_new(names, name);
    }
}

void host_environment_names(const struct host *host, const char *prefix, struct strlist *names)
{
    AUTO_STRLIST struct strlist found = {0};
    if (host->live)
        add_live_names(prefix, &found);
    for (size_t i = 0; i < host->variable_count; i++)
        if (host->variables[i].value && string_starts(host->variables[i].name, prefix))
            strlist_add(&found, host->variables[i].name);
    strlist_sort(&found);
    strlist_copy(names, &found);
}

static void copy_field(char *target, size_t size, const char *source)
{
    size_t length = strnlen(source, size - 1);
    memcpy(target, source, length);
    target[length] = '\0';
}

bool host_kernel(const struct host *host, struct host_kernel *ret_kernel)
{
    struct utsname name;
    if (!host->live || uname(&name) != 0)
        return false;
    copy_field(ret_kernel->release, sizeof(ret_kernel->release), name.release);
    copy_field(ret_kernel->version, sizeof(ret_kernel->version), name.version);
    copy_field(ret_kernel->machine, sizeof(ret_kernel->machine), name.machine);
    copy_field(ret_kernel->node, sizeof(ret_kernel->node), name.nodename);
    return true;
}

const char *host_libc_version(const struct host *host)
{
#ifdef __GLIBC__
    return host->live ? gnu_get_libc_version() : NULL;
#else
    (void)host;
    return NULL;
#endif
}

unsigned host_user_id(const struct host *host)
{
    (void)host;
    return getuid();
}

static unsigned long long limit_value(rlim_t limit)
{
    return limit == RLIM_INFINITY ? UINT64_MAX : limit;
}

static bool give_limit(const struct rlimit *limit, unsigned long long *ret_soft,
                       unsigned long long *ret_hard)
{
    *ret_soft = limit_value(limit->rlim_cur);
    *ret_hard = limit_value(limit->rlim_max);
    return true;
}

bool host_memlock_limit(const struct host *host, unsigned long long *ret_soft,
                        unsigned long long *ret_hard)
{
    struct rlimit limit;
    return host->live && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
           give_limit(&limit, ret_soft, ret_hard);
}

bool host_files_limit(const struct host *host, unsigned long long *ret_soft,
                      unsigned long long *ret_hard)
{
    struct rlimit limit;
    return host->live && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           give_limit(&limit, ret_soft, ret_hard);
}

bool host_groups(const struct host *host, struct strlist *ids)
{
    int count = host->live ? getgroups(0, NULL) : -1;
    if (count < 0)
        return false;
    AUTO_FREE gid_t *groups = mem_resize(NULL, (size_t)count + 1, sizeof(*groups));
    count = getgroups(count, groups);
    if (count < 0)
        return false;
    groups[count] = getgid();
    for (int i = 0; i <= count; i++) {
        AUTO_FREE char *id = mem_printf("%u", groups[i]);
        strlist_add_new(ids, id);
    }
    return true;
}
