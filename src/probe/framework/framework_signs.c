/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework.h"

#include <ctype.h>
#include <string.h>

char *cuda_of_tag(const char *digits, size_t *ret_length)
{
    size_t length = strspn(digits, "0123456789");
    const char *dot = digits + length;
    size_t minor = *dot == '.' ? strspn(dot + 1, "0123456789") : 0;
    *ret_length = length + (minor ? minor + 1 : 0);
    if (length == 2 && minor > 0)
        return mem_printf("%.2s.%.*s", digits, (int)minor, dot + 1);
    if (length == 1 && minor > 0) /* 9.2 */
        return mem_printf("%.1s.%.*s", digits, (int)minor, dot + 1);
    if (length == 3 && digits[0] == '1') /* 124: 12.4 */
        return mem_printf("%.2s.%c", digits, digits[2]);
    if (length == 4 && digits[0] == '1') /* 1210: 12.10 */
        return mem_printf("%.2s.%.2s", digits, digits + 2);
    if (length == 2) /* 92 is 9.2, 12 is 12 */
        return digits[0] == '1' ? mem_string_n(digits, 2)
                                : mem_printf("%c.%c", digits[0], digits[1]);
    return NULL;
}

/* The tag behind the first prefix that stands at the start of a word. */
static char *find_tag(const char *text, const char *prefix)
{
    size_t size = strlen(prefix);
    for (const char *at = text; (at = strstr(at, prefix)) != NULL; at += size) {
        size_t length;
        if (at > text && isalpha((unsigned char)at[-1]))
            continue;
        AUTO_FREE char *cuda = cuda_of_tag(at + size, &length);
        if (cuda)
            return mem_steal(&cuda);
    }
    return NULL;
}

static void set_cuda(struct framework_build *build, const char *text, const char *source)
{
    AUTO_FREE char *cuda = find_tag(text, "cuda");
    if (cuda == NULL)
        cuda = find_tag(text, "cu");
    cited_set(&build->cuda, cuda, source);
    if (cuda)
        cited_set(&build->accelerator, "cuda", source);
}

static bool has_part(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += length) {
        bool starts = at == text || !isalnum((unsigned char)at[-1]);
        if (starts && !isalpha((unsigned char)at[length]))
            return true;
    }
    return false;
}

/* "rocm6.2" names its release. */
static void set_rocm(struct framework_build *build, const char *text, const char *source)
{
    const char *at = strstr(text, "rocm");
    if (at == NULL)
        return;
    at += strlen("rocm");
    AUTO_FREE char *release = mem_string_n(at, strspn(at, "0123456789."));
    cited_set(&build->rocm, release, source);
    cited_set(&build->accelerator, "rocm", source);
}

void framework_read_name(const struct framework *framework, struct framework_build *build)
{
    static const struct {
        const char *end, *accelerator;
    } ends[] = {{"-cpu", "cpu"},           {"-gpu", "cuda"},     {"-xpu", "xpu"},
                {"-directml", "directml"}, {"-openvino", "cpu"}, {"-mkl", "cpu"},
                {"-native", "cpu"},        {"-cpu-aws", "cpu"},  {"-intel", "cpu"}};
    if (framework->package == NULL)
        return;
    const char *name = framework->package->name, *source = framework->package->info;
    set_rocm(build, name, source);
    if (build->rocm.value == NULL && !has_part(name, "rocm"))
        set_cuda(build, name, source);
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (string_ends(name, ends[i].end))
            cited_set(&build->accelerator, ends[i].accelerator, source);
}

/* "cudnn89" is 8.9, "cudnn9.1.0" as it is. */
static void set_cudnn(struct framework_build *build, const char *text, const char *source)
{
    const char *at = strstr(text, "cudnn");
    if (at == NULL)
        return;
    at += strlen("cudnn");
    size_t length = strspn(at, "0123456789.");
    while (length > 0 && at[length - 1] == '.')
        length--;
    AUTO_FREE char *cudnn =
        length == 2 && at[1] != '.' ? mem_printf("%c.%c", at[0], at[1]) : mem_string_n(at, length);
    cited_set(&build->cudnn, cudnn, source);
}

/* torch-scatter: "+pt24cu121" is of 2.4, "+pt210cu128" of 2.10. */
static void set_short_torch(struct framework_build *build, const char *text, const char *source)
{
    size_t length = string_starts(text, "pt") ? strspn(text + 2, "0123456789") : 0;
    if (length < 2 || length > 3)
        return;
    AUTO_FREE char *torch = mem_printf("%c.%.*s", text[2], (int)length - 1, text + 3);
    cited_set(&build->torch, torch, source);
}

/* flash-attn: "+cu12torch2.5cxx11abiFALSE". */
static void set_torch(struct framework_build *build, const char *text, const char *source)
{
    const char *at = strstr(text, "torch");
    set_short_torch(build, text, source);
    if (at == NULL)
        return;
    at += strlen("torch");
    AUTO_FREE char *torch = mem_string_n(at, strspn(at, "0123456789."));
    cited_set(&build->torch, torch, source);
}

/* What is behind '+'. NVIDIA's own builds (nv25.10) have no tag there. */
void framework_read_local(const struct framework *framework, struct framework_build *build)
{
    const char *local = framework->package ? strchr(framework->package->version, '+') : NULL;
    const char *post = framework->package ? strstr(framework->package->version, ".post") : NULL;
    if (local) {
        const char *source = framework->package->info;
        set_rocm(build, local + 1, source);
        set_cuda(build, local + 1, source);
        set_cudnn(build, local + 1, source);
        set_torch(build, local + 1, source);
        if (has_part(local + 1, "xpu"))
            cited_set(&build->accelerator, "xpu", source);
        if (string_starts(local + 1, "cpu") || string_ends(local, ".cpu"))
            cited_set(&build->accelerator, "cpu", source);
    } else if (post && string_equal(framework->row->name, "paddlepaddle")) {
        size_t length; /* 2.6.2.post117 */
        AUTO_FREE char *cuda = cuda_of_tag(post + strlen(".post"), &length);
        cited_set(&build->cuda, cuda, framework->package->info);
    }
}

/* conda's: "py3.12_cuda12.4_cudnn9.1.0_0", "cuda126_mkl_py312_h…", "cpu_generic_py312_h…",
 * "gpu_py311h…", "mkl_py39h…", "py3.9_cpu_0". */
void framework_read_conda(const struct framework *framework, struct framework_build *build)
{
    if (framework->conda == NULL)
        return;
    const char *text = framework->conda->build, *source = framework->conda->info;
    set_rocm(build, text, source);
    set_cuda(build, text, source);
    set_cudnn(build, text, source);
    if (has_part(text, "cpu") || string_starts(text, "mkl_") || string_starts(text, "eigen_"))
        cited_set(&build->accelerator, "cpu", source);
    else if (string_starts(text, "gpu_") || has_part(text, "cuda"))
        cited_set(&build->accelerator, "cuda", source);
}
