/* SPDX-License-Identifier: MIT */
/* cuinit: opens libcuda.so.1, calls cuInit and ends: what the doctor's time is measured by. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned flags) = cuda ? (int (*)(unsigned))dlsym(cuda, "cuInit") : NULL;
    if (init == NULL) {
        fprintf(stderr, "cuinit: %s\n", dlerror());
        return 127;
    }
    return init(0) & 127;
}
