/* SPDX-License-Identifier: MIT */
/* lspci with -nn, and with -k or -vvv beside it. */
#include "from/from_private.h"

#include <ctype.h>
#include <stdlib.h>

#define FUNCTIONS_MAX 256
#define BAR_COUNT     6

/* Which of the two it is lspci does not tell. */
static const char silent[] =
    "the GPU does not answer: it is powered off, or has fallen off the bus";

/* A function of NVIDIA's, while its lines are read. */
struct function {
    struct from_part *part;
    char *group; /* NULL: none of interest */
    bool has_details, has_driver, has_regions;
    size_t line;
    struct strlist bars, unassigned;
    size_t region; /* of the BAR that is next in the list */
    int64_t displays, switches;
    bool whole; /* the list has the host bridge: nothing was left out */
    bool tegra; /* a bridge of NVIDIA's: the GPU of such a board is not on the bus */
    struct strlist others;
    size_t used;
};

static void function_clear(struct function *function)
{
    free(function->group);
    strlist_free(&function->bars);
    strlist_free(&function->unassigned);
    strlist_free(&function->others);
}

/* The four digits in the brackets that follow: "[0302]", "[10de:20b2]". */
static char *bracket(const char *text, size_t size)
{
    for (const char *at = text; (at = strchr(at, '[')) != NULL; at++) {
        size_t digits = strspn(at + 1, "0123456789abcdef:");
        if (digits == size && at[1 + digits] == ']')
            return mem_string_n(at + 1, size);
    }
    return NULL;
}

static void end_function(struct function *function)
{
    if (function->group == NULL)
        return;
    if (function->has_details && !function->has_driver)
        from_absent(function->part, function->line, function->group, "driver");
    if (function->has_regions) {
        while (function->bars.count < BAR_COUNT)
            strlist_add(&function->bars, "0");
        from_list(function->part, function->line, function->group, "bar_bytes", &function->bars);
        from_list(function->part, function->line, function->group, "bars_unassigned",
                  &function->unassigned);
    }
    free(function->group);
    function->group = NULL;
    function->has_details = function->has_driver = function->has_regions = false;
    strlist_free(&function->bars);
    strlist_free(&function->unassigned);
}

/* "AMD 1002:744c at 0000:03:00.0", as the probe has it. */
static void take_other(struct function *function, const char *class, const char *id,
                       const char *address)
{
    bool display = string_starts(class, "03") || string_equal(class, "1200");
    const char *maker = string_starts(id, "1002:")   ? "AMD"
                        : string_starts(id, "8086:") ? "Intel"
                                                     : NULL;
    if (display && maker)
        strlist_take(&function->others, mem_printf("%s %s at %s", maker, id, address));
}

/* The class that a line has in words, without -nn; NULL: of no interest. */
static const char *class_in_words(const char *words)
{
    static const struct {
        const char *words, *class;
    } classes[] = {{"VGA compatible controller: ", "0300"},
                   {"3D controller: ", "0302"},
                   {"Host bridge: ", "0600"},
                   {"PCI bridge: ", "0604"},
                   {"Bridge: ", "0680"}};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (string_starts(words, classes[i].words))
            return classes[i].class;
    return NULL;
}

/* What a function's first line says. */
struct first_line {
    char *address, *class;
    char *id; /* "10de:20b2", "10de:" without -nn; NULL: another maker's, and not told */
};

static void first_line_free(struct first_line *first)
{
    free(first->address);
    free(first->class);
    free(first->id);
}

/* "07:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100] [10de:20b2] (rev a1)", and without
 * -nn "07:00.0 3D controller: NVIDIA Corporation Device 1db6 (rev a1)". */
static bool read_first_line(const char *line, struct first_line *first)
{
    first->address = from_address(line);
    const char *words = line + strcspn(line, " ");
    const char *colon = strstr(line, "]: ");
    words += strspn(words, " ");
    if (first->address == NULL)
        return false;
    first->class = bracket(line, 4);
    if (first->class && colon) {
        first->id = bracket(colon, 9);
        return first->id != NULL;
    }
    free(first->class);
    first->class = mem_string(class_in_words(words));
    const char *name = strstr(words, ": ");
    if (first->class == NULL || name == NULL)
        return false;
    const char *device = strstr(name, "Corporation Device ");
    if (strncasecmp(name + 2, "nvidia ", 7) == 0)
        first->id = mem_printf("10de:%.4s", device ? device + strlen("Corporation Device ") : "");
    return true;
}

static bool is_hex4(const char *text)
{
    return strspn(text, "0123456789abcdef") == 4 && text[4] == '\0';
}

static void note_function(struct function *function, size_t index, const char *line,
                          const struct first_line *first)
{
    const char *revision = strstr(line, "(rev ");
    AUTO_FREE char *class = mem_printf("%s00", first->class);
    function->group = mem_printf("pci/%s", first->address);
    if (is_hex4(first->id + 5))
        from_string(function->part, index, function->group, "device_id", first->id + 5);
    from_string(function->part, index, function->group, "class", class);
    if (revision == NULL || !isxdigit((unsigned char)revision[5]) ||
        !isxdigit((unsigned char)revision[6]))
        return;
    AUTO_FREE char *digits = mem_string_n(revision + 5, 2);
    if (string_equal(digits, "ff"))
        from_unknown(function->part, index, function->group, "revision", silent);
    else
        from_string(function->part, index, function->group, "revision", digits);
}

static bool begin_function(struct function *function, size_t index, const char *line)
{
    AUTO(first_line_free) struct first_line first = {.id = NULL};
    if (!read_first_line(line, &first))
        return false;
    end_function(function);
    function->used++;
    function->line = index;
    function->whole = function->whole || string_equal(first.class, "0600");
    if (first.id == NULL)
        return true;
    if (!string_starts(first.id, "10de:")) {
        take_other(function, first.class, first.id, first.address);
        return true;
    }
    function->switches += string_equal(first.class, "0680");
    function->tegra = function->tegra || string_equal(first.class, "0604");
    if (!string_equal(first.class, "0300") && !string_equal(first.class, "0302"))
        return true;
    if (function->displays++ < FUNCTIONS_MAX)
        note_function(function, index, line, &first);
    return true;
}

/* "LnkSta: Speed 2.5GT/s (downgraded), Width x16": as sysfs has it, "2.5 GT/s PCIe". */
static void take_link(struct function *function, size_t index, const char *line, bool most)
{
    const char *speed = strstr(line, "Speed "), *width = strstr(line, "Width x");
    char *end;
    double rate = speed ? strtod(speed + 6, &end) : 0;
    unsigned long lanes = width ? strtoul(width + 7, NULL, 10) : 0;
    if (rate > 0 && rate < 1000) {
        AUTO_FREE char *words = mem_printf("%.1f GT/s PCIe", rate);
        from_string(function->part, index, function->group, most ? "link_speed_max" : "link_speed",
                    words);
    }
    if (lanes > 0 && lanes <= 32)
        from_integer(function->part, index, function->group, most ? "link_width_max" : "link_width",
                     (int64_t)lanes);
}

/* "Region 1: Memory at c0000000 (64-bit, prefetchable) [size=256M]" */
static void take_region(struct function *function, const char *line)
{
    char *end;
    unsigned long number = strtoul(line + strlen("Region "), &end, 10);
    const char *size = strstr(line, "[size=");
    if (*end != ':' || number >= BAR_COUNT)
        return;
    while (function->bars.count < number)
        strlist_add(&function->bars, "0");
    unsigned long long bytes = size ? strtoull(size + 6, &end, 10) : 0;
    unsigned shift = !size         ? 0
                     : *end == 'K' ? 10
                     : *end == 'M' ? 20
                     : *end == 'G' ? 30
                     : *end == 'T' ? 40
                                   : 0;
    if (function->bars.count == number && bytes < 1ull << 20)
        strlist_take(&function->bars, mem_printf("%llu", bytes << shift));
    if (strstr(line, "<unassigned>") || strstr(line, "<ignored>"))
        strlist_take(&function->unassigned, mem_printf("%lu", number));
    function->has_regions = true;
}

static void take_detail(struct function *function, size_t index, const char *line)
{
    static const char driver[] = "Kernel driver in use: ";
    function->used++;
    function->has_details = true;
    if (string_starts(line, driver)) {
        function->has_driver = true;
        from_string(function->part, index, function->group, "driver", line + sizeof(driver) - 1);
    } else if (string_starts(line, "Subsystem:")) {
        AUTO_FREE char *id = bracket(line, 9);
        if (id)
            from_string(function->part, index, function->group, "subsystem", id);
    } else if (string_starts(line, "LnkCap:")) {
        take_link(function, index, line, true);
    } else if (string_starts(line, "LnkSta:")) {
        take_link(function, index, line, false);
    } else if (string_starts(line, "Region ")) {
        take_region(function, line);
    } else if (string_starts(line, "!!! Unknown header type")) {
        from_unknown(function->part, index, function->group, "revision", silent);
    }
}

/* The host bridge stands in every list that is whole; NVIDIA's alone ("-d 10de:") is a list of all
 * its functions, too, where it has one. */
static void note_counts(struct function *function)
{
    size_t line = function->line;
    if (function->displays == 0 && (!function->whole || function->tegra))
        return;
    from_integer(function->part, line, "pci", "count", function->displays);
    if (!function->whole)
        return;
    from_integer(function->part, line, "pci", "nvswitch_count", function->switches);
    if (function->others.count > 0)
        from_list(function->part, line, "pci", "other_gpus", &function->others);
    else
        from_absent(function->part, line, "pci", "other_gpus");
}

size_t from_lspci(struct from_part *part)
{
    AUTO(function_clear) struct function function = {.part = part};
    if (part->title && strstr(part->title, "-nntv"))
        return 0;
    for (size_t i = part->first; i < part->end; i++) {
        const char *line = part->file->lines[i];
        if (begin_function(&function, i, line))
            continue;
        if (function.group && (line[0] == '\t' || line[0] == ' '))
            take_detail(&function, i, line + strspn(line, " \t"));
        else if (line[0] != '\0')
            end_function(&function);
    }
    end_function(&function);
    if (function.used == 0)
        return 0;
    note_counts(&function);
    return function.used;
}
