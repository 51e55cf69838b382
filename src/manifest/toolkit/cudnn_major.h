/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_CUDNN_MAJOR_H
#define MANIFEST_TOOLKIT_CUDNN_MAJOR_H

#include "base/strlist.h"

struct manifest;

/* A cuDNN major: the sub-libraries that must be of one release and in one directory. */
struct manifest_cudnn_major {
    const char *id;
    unsigned major;
    struct strlist required; /* sonames: first the one that programs link to, libcudnn.so.9 */
    struct strlist optional; /* in some releases only */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_cudnn_major *manifest_cudnn_major_find(struct manifest *manifest,
                                                             unsigned major);

#endif
