/* SPDX-License-Identifier: MIT */
#include "probe/kernel/nvrm.h"

#include <string.h>

#include "base/text.h"

#define VERSION_MAX 64

/* The first word after "Module" that begins with a digit: an architecture may stand between. */
static char *version_of(const char *line)
{
    const char *word = strstr(line, "Module");
    if (word == NULL)
        return NULL;
    while (*(word += strcspn(word, " \t")) != '\0') {
        word += strspn(word, " \t");
        size_t length = strcspn(word, " \t");
        if (*word >= '0' && *word <= '9')
            return length <= VERSION_MAX ? mem_string_n(word, length) : NULL;
    }
    return NULL;
}

static bool is_text(const char *string)
{
    for (; *string; string++)
        if ((unsigned char)*string < 0x20 && *string != '\t' && *string != '\r')
            return false;
    return true;
}

static void take_line(char *line, struct nvrm *nvrm)
{
    static const char compiler_key[] = "GCC version:";
    if (nvrm->compiler == NULL && string_starts(line, compiler_key)) {
        const char *compiler = string_trim(line + strlen(compiler_key));
        nvrm->compiler = compiler[0] ? mem_string(compiler) : NULL;
    }
}

static const char *take_first_line(char *line, struct nvrm *nvrm)
{
    if (!string_starts(line, "NVRM version:"))
        return "the first line does not begin with \"NVRM version:\"";
    if (!is_text(line))
        return "the first line contains control characters";
    nvrm->line = mem_string(string_trim(line));
    nvrm->version = version_of(nvrm->line);
    if (strstr(nvrm->line, "Open Kernel Module"))
        nvrm->flavour = "open";
    else if (strstr(nvrm->line, "Kernel Module"))
        nvrm->flavour = "proprietary";
    return nvrm->version ? NULL : "no version after the word \"Module\"";
}

void nvrm_parse(const char *bytes, size_t size, struct nvrm *ret_nvrm)
{
    *ret_nvrm = (struct nvrm){0};
    if (size == 0) {
        ret_nvrm->problem = "the file is empty";
        return;
    }
    if (memchr(bytes, '\0', size)) {
        ret_nvrm->problem = "not a text file: the file contains a NUL byte";
        return;
    }
    AUTO_FREE char *text = mem_string_n(bytes, size);
    char *cursor = text;
    char *line = string_next_line(&cursor);
    ret_nvrm->problem = take_first_line(line, ret_nvrm);
    while ((line = string_next_line(&cursor)))
        take_line(line, ret_nvrm);
}

void nvrm_free(struct nvrm *nvrm)
{
    free(nvrm->line);
    free(nvrm->version);
    free(nvrm->compiler);
    *nvrm = (struct nvrm){0};
}
