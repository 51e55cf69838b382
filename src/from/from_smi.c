/* SPDX-License-Identifier: MIT */
/* nvidia-smi -q, as text and as XML. */
#include "from/from_smi_rows.h"

#include <ctype.h>

#define DEPTH_MAX 8
#define GPUS_MAX  256

/* The headings that a line stands under. */
struct headings {
    char *names[DEPTH_MAX];
    size_t indents[DEPTH_MAX];
    size_t depth;
};

static void headings_cut(struct headings *headings, size_t indent)
{
    while (headings->depth > 0 && headings->indents[headings->depth - 1] >= indent)
        free(headings->names[--headings->depth]);
}

static void headings_clear(struct headings *headings)
{
    headings_cut(headings, 0);
}

static void headings_push(struct headings *headings, size_t indent, const char *name)
{
    if (headings->depth == DEPTH_MAX)
        return;
    headings->indents[headings->depth] = indent;
    headings->names[headings->depth++] = mem_string(name);
}

static char *path_of(const struct headings *headings, const char *name)
{
    struct text path = {0};
    for (size_t i = 0; i < headings->depth; i++)
        text_printf(&path, "%s/", headings->names[i]);
    text_append(&path, name);
    return text_steal(&path);
}

/* What is gathered of one output. */
struct query {
    struct from_part *part;
    struct headings headings;
    size_t gpus; /* that have begun */
    size_t used; /* lines */
    char *driver, *cuda, *pid;
    int64_t count;
    struct strlist processes;
    size_t start;
};

static void query_clear(struct query *query)
{
    headings_clear(&query->headings);
    free(query->driver);
    free(query->cuda);
    free(query->pid);
    strlist_free(&query->processes);
}

/* None is no answer: in a container and in WSL nvidia-smi does not see the processes. */
static void end_gpu(struct query *query, size_t line)
{
    if (query->gpus == 0)
        return;
    AUTO_FREE char *group = mem_printf("nvml/%zu", query->gpus - 1);
    if (query->processes.count > 0)
        from_list(query->part, line, group, "processes", &query->processes);
    strlist_free(&query->processes);
}

static void begin_gpu(struct query *query, size_t line, const char *address)
{
    AUTO_FREE char *plain = from_address(address);
    end_gpu(query, line);
    headings_clear(&query->headings);
    if (plain == NULL || query->gpus == GPUS_MAX)
        return;
    AUTO_FREE char *group = mem_printf("nvml/%zu", query->gpus++);
    from_string(query->part, line, group, "bus_id", plain);
}

static void take_process(struct query *query, const char *name, const char *value)
{
    if (string_equal(name, "Process ID") || string_equal(name, "pid")) {
        free(query->pid);
        query->pid = mem_string(value);
    } else if (query->pid &&
               (string_starts(name, "Used GPU") || string_equal(name, "used_memory"))) {
        unsigned long long mib;
        AUTO_FREE char *number = mem_string_n(value, strspn(value, "0123456789"));
        bool known = string_to_decimal(number, 1ull << 40, &mib);
        strlist_take(&query->processes, known ? mem_printf("%s %llu", query->pid, mib << 20)
                                              : mem_printf("%s ?", query->pid));
        free(query->pid);
        query->pid = NULL;
    }
}

static void take_head(struct query *query, const char *name, const char *value)
{
    unsigned long long count;
    if (query->driver == NULL &&
        (string_equal(name, "Driver Version") || string_equal(name, "driver_version")))
        query->driver = mem_string(value);
    if (query->cuda == NULL &&
        (string_equal(name, "CUDA Version") || string_equal(name, "cuda_version")) &&
        isdigit((unsigned char)*value))
        query->cuda = mem_string(value);
    if ((string_equal(name, "Attached GPUs") || string_equal(name, "attached_gpus")) &&
        string_to_decimal(value, 1024, &count))
        query->count = (int64_t)count;
}

/* "    Product Name                          : NVIDIA A100" */
static void take_line(struct query *query, size_t index, const char *line)
{
    size_t indent = strspn(line, " \t");
    AUTO_FREE char *copy = mem_string(line);
    char *name = string_trim(copy);
    if (*name == '\0')
        return;
    AUTO_FREE char *address =
        indent == 0 && string_starts(name, "GPU ") ? from_address(name + 4) : NULL;
    if (address) {
        begin_gpu(query, index, name + 4);
        query->used++;
        return;
    }
    char *colon = strstr(name, " : ");
    headings_cut(&query->headings, indent);
    if (colon == NULL) {
        headings_push(&query->headings, indent, name);
        return;
    }
    *colon = '\0';
    char *value = string_trim(colon + 3);
    name = string_trim(name);
    AUTO_FREE char *path = path_of(&query->headings, name);
    query->used++;
    if (query->gpus == 0)
        take_head(query, name, value);
    else if (string_starts(path, "Processes/"))
        take_process(query, name, value);
    else
        smi_take(query->part, index, query->gpus - 1, path, value, false);
    headings_push(&query->headings, indent, name); /* "HW Slowdown : Active" has lines below it */
}

static void finish(struct query *query, size_t line)
{
    end_gpu(query, line);
    if (query->used > 0)
        from_nvml(query->part, query->start, query->driver, query->cuda,
                  query->count >= 0 ? query->count : (int64_t)query->gpus);
}

size_t from_smi_query(struct from_part *part)
{
    size_t start = from_find(part, part->first, "==NVSMI LOG==");
    if (start == part->end)
        return 0;
    AUTO(query_clear) struct query query = {.part = part, .count = -1, .start = start};
    size_t i = start + 1;
    for (; i < part->end && !string_starts(part->file->lines[i], "______"); i++)
        take_line(&query, i, part->file->lines[i]);
    finish(&query, i > start ? i - 1 : start);
    return query.used + 1;
}

/* The five characters that XML has names for. */
static void unescape(char *text)
{
    static const struct {
        const char *name;
        char character;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *to = text;
    for (const char *at = text; *at;) {
        size_t taken = 0;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && taken == 0; i++)
            if (string_starts(at, names[i].name)) {
                taken = strlen(names[i].name);
                *to++ = names[i].character;
            }
        if (taken == 0)
            *to++ = *at;
        at += taken ? taken : 1;
    }
    *to = '\0';
}

/* <name>value</name>, the way nvidia-smi writes it: one element on a line. */
static void take_element(struct query *query, size_t index, const char *line)
{
    const char *open = strchr(line, '<');
    if (open == NULL || open[1] == '?' || open[1] == '!')
        return;
    size_t size = strcspn(open + 1, " >/");
    AUTO_FREE char *name = mem_string_n(open + 1, size);
    const char *end = strchr(open, '>');
    if (end == NULL)
        return;
    if (open[1] == '/') {
        if (query->headings.depth > 0)
            headings_cut(&query->headings, query->headings.indents[query->headings.depth - 1]);
        return;
    }
    if (string_equal(name, "gpu") && strstr(open, "id=\"")) {
        AUTO_FREE char *id =
            mem_string_n(strstr(open, "id=\"") + 4, strcspn(strstr(open, "id=\"") + 4, "\""));
        begin_gpu(query, index, id);
        return;
    }
    AUTO_FREE char *closing = mem_printf("</%s>", name);
    const char *close = strstr(end, closing);
    if (close == NULL) {
        if (end[-1] != '/' && !string_equal(name, "nvidia_smi_log"))
            headings_push(&query->headings, query->headings.depth + 1, name);
        return;
    }
    AUTO_FREE char *content = mem_string_n(end + 1, (size_t)(close - end - 1));
    unescape(content);
    const char *value = string_trim(content);
    AUTO_FREE char *path = path_of(&query->headings, name);
    query->used++;
    if (query->gpus == 0)
        take_head(query, name, value);
    else if (string_starts(path, "processes/"))
        take_process(query, name, value);
    else
        smi_take(query->part, index, query->gpus - 1, path, value, true);
}

size_t from_smi_xml(struct from_part *part)
{
    size_t start = from_find(part, part->first, "<nvidia_smi_log>");
    if (start == part->end)
        return 0;
    AUTO(query_clear) struct query query = {.part = part, .count = -1, .start = start};
    size_t i = start;
    for (; i < part->end && !strstr(part->file->lines[i], "</nvidia_smi_log>"); i++)
        take_element(&query, i, part->file->lines[i]);
    finish(&query, i > start ? i - 1 : start);
    return query.used + 1;
}
