/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_CUDNN_TABLE_H
#define MANIFEST_TOOLKIT_CUDNN_TABLE_H

#include "manifest/toolkit/cudnn.h"
#include "manifest/reader/subject.h"

struct manifest;

/* What the files of the subject cudnn share. */
enum { CUDNN_MAJORS, CUDNN_RELEASES, CUDNN_PAIRS, CUDNN_LIBRARIES, CUDNN_WHEELS };

/* A library by itself. */
struct cudnn_library {
    const char *id;
    const char *soname;
    unsigned major;
    const char *role; /* whole: all there is; loader: loads the parts; part */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* The nearest pair before this one with the same CUDA major and a lowest compute capability. */
const struct manifest_cudnn_pair *cudnn_floor_before(struct manifest *manifest,
                                                     const struct manifest_cudnn_pair *pair);

/* What rows say of other tables (cudnn_agree.c). */
manifest_agreement cudnn_major_agrees;
manifest_agreement cudnn_release_agrees;
manifest_agreement cudnn_pair_agrees;
manifest_agreement cudnn_library_agrees;
manifest_agreement cudnn_wheel_agrees;

#endif
