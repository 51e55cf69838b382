/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include <string.h>

#include "base/path.h"
#include "probe/places/path_match.h"

/* The wheels that together are the compiler: nvidia_cuda_nvcc-13.0.88.dist-info. */
static const char *const wheel_names[] = {"nvidia_cuda_nvcc", "nvidia_nvvm", "nvidia_cuda_crt",
                                          "nvidia_cuda_runtime"};

/* "nvidia-cuda-nvcc 13.0.88" of a directory of that name. free() it. */
static char *wheel_words(const char *directory)
{
    AUTO_FREE char *words = mem_string(path_base(directory));
    words[strlen(words) - strlen(".dist-info")] = '\0';
    for (char *at = words; *at; at++)
        *at = *at == '_' ? '-' : *at;
    char *dash = strrchr(words, '-');
    if (dash == NULL)
        return NULL;
    *dash = ' ';
    return mem_steal(&words);
}

void toolkit_note_wheels(const struct host *host, const struct toolkit_root *root,
                         struct facts *facts, const char *group)
{
    AUTO_STRLIST struct strlist wheels = {0};
    AUTO_FREE char *vendor = path_parent(root->path);
    AUTO_FREE char *site = path_parent(vendor);
    if (!string_equal(root->origin, "wheel")) {
        facts_set_absent(facts, group, "wheels", root->path);
        return;
    }
    /* nvidia/cu13 is what these wheels share; those of CUDA 12 have a directory each. */
    const char *suffix = string_starts(path_base(root->path), "cu1") ? "" : "_cu*";
    for (size_t i = 0; i < sizeof(wheel_names) / sizeof(*wheel_names); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        AUTO_FREE char *pattern = mem_printf("%s%s-[0-9]*.dist-info", wheel_names[i], suffix);
        path_match(host, site, pattern, &paths);
        for (size_t k = 0; k < paths.count; k++) {
            AUTO_FREE char *words = wheel_words(paths.items[k]);
            if (words)
                strlist_add_new(&wheels, words);
        }
    }
    facts_set_list(facts, group, "wheels", &wheels, site);
}
