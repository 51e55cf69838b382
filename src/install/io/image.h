/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_IMAGE_H
#define INSTALL_IO_IMAGE_H

#include "base/error.h"
#include "host/root/host.h"

/* Where the paths of a request are: on this machine, or in an image, a tree below --root DIR, in
 * which every link is resolved: none leads out of it (openat2(2) RESOLVE_IN_ROOT, by hand where the
 * kernel has it not). */
struct image {
    char *root;        /* NULL: this machine */
    struct host *host; /* of this machine NULL before image_look() */
    int fd;            /* of root; -1: this machine */
};

/* root NULL or "/": this machine. ERROR_NO_INPUT: it is not a directory, or none that an image
 * would be: neither is it empty, nor has it etc, usr, opt or the first directory of prefix (NULL:
 * none).
 */
bool image_open(const char *root, const char *prefix, struct image *ret_image, struct error *error);
/* Makes host ready: what only installs has no use for it. */
bool image_look(struct image *image, struct error *error);
void image_close(struct image *image);
bool image_is_live(const struct image *image);

/* The directory at an absolute path, for what is written below it: on this machine by
 * host/local/walk.h, which refuses links that another user can change. -1: errno, and error (which
 * may be NULL) says what and where; EXDEV: on a kernel file system of this machine. */
int image_open_directory(const struct image *image, const char *path, struct error *error);
/* The directory that holds path, whose last step is *ret_name, within path. */
int image_open_parent(const struct image *image, const char *path, const char **ret_name,
                      struct error *error);
/* As rmdir(2). */
int image_remove_directory(const struct image *image, const char *path);

/* Makes what is missing of path; the first directory that was made is *ret_made (free() it), which
 * stays as it is where it is set. */
bool image_make_directories(const struct image *image, const char *path, char **ret_made,
                            struct error *error);

#endif
