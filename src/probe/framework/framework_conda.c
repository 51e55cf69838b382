/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework.h"

#include <string.h>

#include "host/root/file.h"

#define INFO_MAX 65536 /* conda-meta/NAME-V-BUILD.json: depends comes before the list of files */

/* What stands behind "NAME " in a quoted entry: ">=9.13.1.26,<10.0a0". free() it; NULL: none. */
static char *depends_on(const char *text, const char *name)
{
    AUTO_FREE char *begin = mem_printf("\"%s ", name);
    const char *at = strstr(text, begin);
    if (at == NULL)
        return NULL;
    at += strlen(begin);
    size_t size = strcspn(at, " \"\n");
    return at[size] == '\0' ? NULL : mem_string_n(at, size);
}

void framework_read_depends(const struct host *host, const struct framework *framework,
                            struct framework_build *build)
{
    AUTO_TEXT struct text text = {0};
    if (framework->conda == NULL ||
        host_read_head(host, framework->conda->info, INFO_MAX, &text, NULL) != HOST_OK)
        return;
    AUTO_FREE char *cudnn = depends_on(text_string(&text), "cudnn");
    cited_set(&build->cudnn, cudnn, framework->conda->info);
}
