/* SPDX-License-Identifier: MIT */
#include "install/io/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "host/local/walk.h"
#include "host/root/file.h"
#include "install/io/fd.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static const struct walk_rules rules = {.making = WALK_MAKES_NOTHING};

bool image_is_live(const struct image *image)
{
    return image->root == NULL;
}

void image_close(struct image *image)
{
    host_free(image->host);
    fd_close_at(&image->fd);
    free(image->root);
    *image = (struct image){.fd = -1};
}

static bool is_empty(const struct image *image)
{
    AUTO_STRLIST struct strlist names = {0};
    return host_list(image->host, "/", &names, NULL) == HOST_OK &&
           (names.count == 0 || (names.count == 1 && string_equal(names.items[0], "lost+found")));
}

/* A mistyped --root would be an image with nothing in it. One that is begun from nothing has what
 * was installed first. */
static bool is_image(const struct image *image, const char *prefix, struct error *error)
{
    static const char *const signs[] = {"/etc", "/usr", "/opt"};
    AUTO_FREE char *usr = mem_printf("%s/usr", image->root);
    AUTO_FREE char *quoted = shell_quote(usr);
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (host_is_directory(image->host, signs[i]))
            return true;
    if (is_empty(image))
        return true;
    if (prefix && prefix[1]) {
        AUTO_FREE char *first = mem_string_n(prefix, 1 + strcspn(prefix + 1, "/"));
        if (host_is_directory(image->host, first))
            return true;
    }
    error_set(error, ERROR_NO_INPUT,
              "the directory given with --root is not an image: it is not empty, and has neither "
              "etc nor usr nor opt");
    error_where(error, "%s", image->root);
    error_next(error, "give the directory that holds the image's etc, usr and var, or an empty "
                      "directory; if this directory is the right one:");
    return error_command(error, "mkdir %s", quoted);
}

bool image_open(const char *root, const char *prefix, struct image *ret_image, struct error *error)
{
    struct image image = {.fd = -1};
    *ret_image = image;
    if (root == NULL || string_equal(root, "/"))
        return true;
    image.host = host_new(root, error);
    if (image.host == NULL)
        return error_next(error, "give the directory that holds the image");
    image.root = mem_string(root);
    image.fd = walk_open(root, &rules, error);
    if (image.fd < 0)
        error_prefix(error, "cannot open the root");
    if (image.fd < 0 || !is_image(&image, prefix, error)) {
        image_close(&image);
        return false;
    }
    *ret_image = image;
    return true;
}

bool image_look(struct image *image, struct error *error)
{
    if (image->host == NULL)
        image->host = host_new(NULL, error);
    return image->host != NULL;
}

static int errno_of(enum host_status status)
{
    switch (status) {
    case HOST_OK:
        return 0;
    case HOST_ABSENT:
        return ENOENT;
    case HOST_DENIED:
        return EACCES;
    case HOST_FOREIGN:
        return EXDEV;
    case HOST_FAILED:
        break;
    }
    return ELOOP;
}

/* path has no link in it: one that came meanwhile is not followed. */
static int open_steps(int root, const char *path)
{
    int at = openat(root, ".", DIRECTORY);
    for (const char *step = path + strspn(path, "/"); at >= 0 && *step;) {
        size_t size = strcspn(step, "/");
        AUTO_FREE char *name = mem_string_n(step, size);
        int next = openat(at, name, DIRECTORY | O_NOFOLLOW);
        int number = errno;
        close(at);
        errno = number;
        at = next;
        step += size;
        step += strspn(step, "/");
    }
    return at;
}

static int open_in_image(const struct image *image, const char *path)
{
    AUTO_FREE char *real = NULL;
    enum host_status status = host_real_path(image->host, path, &real, NULL);
    if (status == HOST_OK)
        return open_steps(image->fd, real);
    errno = errno_of(status);
    return -1;
}

int image_open_directory(const struct image *image, const char *path, struct error *error)
{
    if (image_is_live(image))
        return walk_open(path, &rules, error);
    int fd = open_in_image(image, path);
    if (fd < 0) {
        int number = errno;
        error_set_errno(error, fd_error_kind(number), number, path, "cannot open the directory");
        errno = number;
    }
    return fd;
}

int image_open_parent(const struct image *image, const char *path, const char **ret_name,
                      struct error *error)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *parent = mem_string_n(path, slash > path ? (size_t)(slash - path) : 1);
    *ret_name = slash + 1;
    return image_open_directory(image, parent, error);
}

int image_remove_directory(const struct image *image, const char *path)
{
    const char *name;
    AUTO_CLOSE int parent = image_open_parent(image, path, &name, NULL);
    return parent < 0 ? -1 : unlinkat(parent, name, AT_REMOVEDIR);
}

static bool make_directory(const struct image *image, const char *path, bool *ret_made,
                           struct error *error)
{
    const char *name;
    AUTO_CLOSE int parent = image_open_parent(image, path, &name, error);
    if (parent < 0)
        return false;
    *ret_made = mkdirat(parent, name, 0755) == 0;
    return *ret_made || errno == EEXIST ||
           error_set_errno(error, fd_error_kind(errno), errno, path, "cannot create the directory");
}

bool image_make_directories(const struct image *image, const char *path, char **ret_made,
                            struct error *error)
{
    for (const char *slash = strchr(path + 1, '/'); path[1]; slash = strchr(slash + 1, '/')) {
        AUTO_FREE char *part =
            slash ? mem_string_n(path, (size_t)(slash - path)) : mem_string(path);
        bool made = false;
        if (!make_directory(image, part, &made, error))
            return false;
        if (made && *ret_made == NULL)
            *ret_made = mem_string(part);
        if (slash == NULL)
            return true;
    }
    return true;
}
