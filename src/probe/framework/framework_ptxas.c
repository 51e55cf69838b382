/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include "base/path.h"
#include "probe/engine/cuda_program.h"
#include "probe/places/path_match.h"

/* The assemblers that a framework brings and compiles with: Triton's own, and the copy that
 * PyTorch gives Triton. */
static const char *const places[] = {"backends/nvidia/bin/ptxas*", "third_party/cuda/bin/ptxas*",
                                     "bin/ptxas"};

void framework_note_compilers(struct framework_work *work, const struct framework *framework)
{
    AUTO_STRLIST struct strlist compilers = {0};
    AUTO_STRLIST struct strlist paths = {0};
    const char *folder = framework->folder;
    for (size_t i = 0; folder && i < sizeof(places) / sizeof(*places); i++)
        path_match(work->host, folder, places[i], &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_FREE char *release = NULL;
        if (cuda_program_release(work->host, paths.items[i], &release, NULL) == HOST_OK && release)
            strlist_take(&compilers, mem_printf("%s %s", path_base(paths.items[i]), release));
    }
    facts_set_list(work->facts, framework->group, "compilers", &compilers,
                   folder ? folder : framework->environment->directory);
}
