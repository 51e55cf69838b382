/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "probe/framework/framework_private.h"

/* The words of TORCH_CUDA_ARCH_LIST that a PyTorch takes, from torch/utils/cpp_extension.py: looked
 * at where the variable is set. */

#define SOURCE_MAX (1024 * 1024)
#define WORDS_MAX  128

/* Adds the quoted words from start to end for which takes() is true. */
static void quoted_words(const char *start, const char *end, bool (*takes)(const char *word),
                         struct strlist *words)
{
    const char *at = start;
    while ((at += strcspn(at, "\"'")) < end && *at && words->count < WORDS_MAX) {
        const char quote[] = {*at, '\0'};
        size_t size = strcspn(at + 1, quote);
        AUTO_FREE char *word = mem_string_n(at + 1, size);
        if (at[1 + size] == '\0')
            return;
        if (takes(word))
            strlist_add_new(words, word);
        at += size + 2;
    }
}

static bool is_name(const char *word)
{
    return isupper((unsigned char)*word);
}

static bool is_architecture(const char *word)
{
    return isdigit((unsigned char)*word) && strchr(word, ';') == NULL;
}

static bool read_lists(const char *text, struct strlist *arches, struct strlist *names)
{
    const char *named = strstr(text, "named_arches = ");
    const char *list = strstr(text, "supported_arches = [");
    const char *end = list ? strchr(list, ']') : NULL;
    if (end == NULL)
        return false;
    if (named && named < list)
        quoted_words(named, list, is_name, names);
    quoted_words(list, end, is_architecture, arches);
    return arches->count > 0;
}

void framework_note_arches(struct framework_work *work, const struct framework *framework)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist arches = {0};
    AUTO_STRLIST struct strlist names = {0};
    const char *variable = host_environment(work->host, "TORCH_CUDA_ARCH_LIST");
    AUTO_FREE char *path =
        framework->folder ? path_join(framework->folder, "utils/cpp_extension.py") : NULL;
    bool read = variable && path && string_equal(framework->row->name, "pytorch") &&
                host_read(work->host, path, SOURCE_MAX, &text, NULL) == HOST_OK &&
                read_lists(text_string(&text), &arches, &names);
    const char *source = path ? path : "TORCH_CUDA_ARCH_LIST";
    if (read) {
        facts_set_list(work->facts, framework->group, "torch_arches", &arches, source);
        facts_set_list(work->facts, framework->group, "torch_arch_names", &names, source);
        return;
    }
    facts_set_absent(work->facts, framework->group, "torch_arches", source);
    facts_set_absent(work->facts, framework->group, "torch_arch_names", source);
}
