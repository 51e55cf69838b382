/* SPDX-License-Identifier: MIT */
/* A CUDA program as far as this machine can have one: "cuInit N", or why libcuda cannot be opened.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
    if (init == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    int error = init(0);
    printf("cuInit %d\n", error);
    return error != 0;
}
