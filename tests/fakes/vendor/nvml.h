/* SPDX-License-Identifier: MIT */
#ifndef VENDOR_NVML_H
#define VENDOR_NVML_H

#include <stdbool.h>
#include <stddef.h>

/* What the files of the double of libnvidia-ml.so.1 share. Signatures, numbers and layouts are
 * those of nvml.h 13.0. */

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NO_PERMISSION = 4,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9,
    NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
};

#define NVML_GPUS 64

/* What a nvmlDevice_t points to. */
struct device {
    int index; /* of the GPU */
    bool mig;  /* one of its MIG devices */
};

/* Begins a call that needs nvmlInit, device NULL: about no GPU. */
int nvml_begin(const char *function, const struct device *device);

/* A call about one GPU that answers one number. */
int nvml_number(const char *function, const struct device *device, const char *key,
                long long *ret_number);
int nvml_unsigned(const char *function, const struct device *device, const char *key,
                  unsigned *ret_number);

/* A call that answers text. */
int nvml_text(const char *function, const struct device *device, const char *key, char *buffer,
              size_t size);

/* A property of the GPU, 0 where it has none. */
long long nvml_property(const struct device *device, const char *key);

#endif
