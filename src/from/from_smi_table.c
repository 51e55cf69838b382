/* SPDX-License-Identifier: MIT */
/* nvidia-smi without options: its table, and what it says where it fails. */
#include "from/from_smi_rows.h"

#include <stdlib.h>

#define GPUS_MAX 256
#define ANSWER   "answer/libnvidia-ml.so.1"

/* The cells of "| a | b | c |", trimmed. */
static void cells_of(const char *line, struct strlist *cells)
{
    const char *start = strchr(line, '|');
    AUTO_STRLIST struct strlist parts = {0};
    if (start == NULL)
        return;
    strlist_split(&parts, start + 1, '|');
    for (size_t i = 0; i < parts.count; i++) {
        AUTO_FREE char *copy = mem_string(parts.items[i]);
        strlist_add(cells, string_trim(copy));
    }
}

/* The word behind a label: "Driver Version: 550.54.14". */
static char *word_after(const char *line, const char *label)
{
    const char *at = strstr(line, label);
    if (at == NULL)
        return NULL;
    at += strlen(label);
    at += strspn(at, " ");
    size_t size = strcspn(at, " |\r");
    return size > 0 && size < 40 ? mem_string_n(at, size) : NULL;
}

/* "0  NVIDIA A100-SXM4-80GB          On": the number, the name, and persistence mode. */
static bool take_name(const struct from_part *part, size_t line, size_t ordinal, const char *cell)
{
    char *end;
    unsigned long index = strtoul(cell, &end, 10);
    if (end == cell || *end != ' ' || index >= GPUS_MAX)
        return false;
    AUTO_FREE char *rest = mem_string(end);
    char *name = string_trim(rest);
    char *last = strrchr(name, ' ');
    if (last && (string_equal(last + 1, "On") || string_equal(last + 1, "Off") ||
                 string_equal(last + 1, "N/A"))) {
        if (!string_equal(last + 1, "N/A"))
            smi_take(part, line, ordinal, "Persistence Mode", last + 1, false);
        *last = '\0';
        name = string_trim(name);
    }
    if (!string_ends(name, "...")) /* cut off: another GPU's name may begin so */
        smi_take(part, line, ordinal, "Product Name", name, false);
    return true;
}

/* "00000000:07:00.0 Off": the address, and whether a display is driven. */
static void take_bus(const struct from_part *part, size_t line, size_t ordinal, const char *cell)
{
    AUTO_FREE char *copy = mem_string(cell);
    char *blank = strchr(copy, ' ');
    if (blank)
        *blank = '\0';
    smi_take(part, line, ordinal, "PCI/Bus Id", copy, false);
    if (blank)
        smi_take(part, line, ordinal, "Display Active", string_trim(blank + 1), false);
}

static void take_first(const struct from_part *part, size_t line, size_t ordinal,
                       const struct strlist *cells)
{
    take_bus(part, line, ordinal, cells->items[1]);
    const char *ecc = cells->items[2];
    bool number = *ecc && ecc[strspn(ecc, "0123456789")] == '\0';
    if (number) {
        smi_take(part, line, ordinal, "Ecc Mode/Current", "Enabled", false);
        smi_take(part, line, ordinal, "ECC Errors/Volatile/Double Bit/Total", ecc, false);
    } else if (string_equal(ecc, "Off")) {
        smi_take(part, line, ordinal, "Ecc Mode/Current", "Disabled", false);
    } else if (string_equal(ecc, "N/A")) {
        smi_take(part, line, ordinal, "Ecc Mode/Current", "N/A", false);
    }
}

/* "30%   28C    P8   24W / 300W", "1MiB / 46068MiB", "0%      Default". */
static void take_second(const struct from_part *part, size_t line, size_t ordinal,
                        const struct strlist *cells)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, cells->items[0]);
    for (size_t i = 0; i < words.count; i++)
        if (string_ends(words.items[i], "C") && words.items[i][0] >= '0' &&
            words.items[i][0] <= '9')
            smi_take(part, line, ordinal, "Temperature/GPU Current Temp", words.items[i], false);
    const char *slash = strchr(cells->items[1], '/');
    if (slash && strstr(cells->items[1], "MiB")) {
        smi_take(part, line, ordinal, "FB Memory Usage/Used", cells->items[1], false);
        smi_take(part, line, ordinal, "FB Memory Usage/Total", slash + 1 + strspn(slash + 1, " "),
                 false);
    }
    const char *mode = cells->items[2] + strcspn(cells->items[2], " ");
    smi_take(part, line, ordinal, "Utilization/Gpu", cells->items[2], false);
    smi_take(part, line, ordinal, "Compute Mode", mode + strspn(mode, " "), false);
}

static void take_third(const struct from_part *part, size_t line, size_t ordinal,
                       const struct strlist *cells)
{
    if (string_equal(cells->items[2], "Enabled") || string_equal(cells->items[2], "Disabled"))
        smi_take(part, line, ordinal, "MIG Mode/Current", cells->items[2], false);
}

/* The three lines of a GPU. Yields how many were its. */
static size_t take_gpu(const struct from_part *part, size_t line, size_t ordinal)
{
    size_t used = 0;
    for (; used < 3 && line + used < part->end; used++) {
        AUTO_STRLIST struct strlist cells = {0};
        cells_of(part->file->lines[line + used], &cells);
        if (cells.count < 3)
            break;
        if (used == 0 && !take_name(part, line, ordinal, cells.items[0]))
            break;
        AUTO_FREE char *address = used == 0 ? from_address(cells.items[1]) : NULL;
        if (used == 0 && address == NULL)
            break;
        if (used == 0)
            take_first(part, line, ordinal, &cells);
        else if (used == 1)
            take_second(part, line + 1, ordinal, &cells);
        else
            take_third(part, line + 2, ordinal, &cells);
    }
    return used;
}

size_t from_smi_table(struct from_part *part)
{
    size_t start = from_find(part, part->first, "| NVIDIA-SMI ");
    if (start == part->end)
        return 0;
    size_t gpus = 0, used = 1, i = start + 1;
    AUTO_FREE char *driver = word_after(part->file->lines[start], "Driver Version:");
    AUTO_FREE char *cuda = word_after(part->file->lines[start], "CUDA Version:");
    if (cuda && (*cuda < '0' || *cuda > '9')) { /* "N/A", "ERR!" */
        free(cuda);
        cuda = NULL;
    }
    for (; i < part->end && gpus < GPUS_MAX; i++) {
        const char *line = part->file->lines[i];
        if (strstr(line, "Processes:") || strstr(line, "MIG devices:"))
            break;
        size_t lines = line[strspn(line, " ")] == '|' ? take_gpu(part, i, gpus) : 0;
        gpus += lines > 0;
        used += lines;
        i += lines > 0 ? lines - 1 : 0;
    }
    if (driver == NULL)
        return 0;
    /* A table that was cut lists some GPUs: its end is the line above the processes. */
    bool whole = i < part->end && gpus > 0;
    from_nvml(part, start, driver, cuda, whole ? (int64_t)gpus : -1);
    return used;
}

/* What nvidia-smi says instead, and the number that nvmlInit then gave (nvml.h). */
static const struct failure {
    const char *words;
    int64_t number;
    const char *name;
} failures[] = {
    {"Failed to initialize NVML: Driver/library version mismatch", 18,
     "NVML_ERROR_LIB_RM_VERSION_MISMATCH"},
    {"Failed to initialize NVML: Unknown Error", 999, "NVML_ERROR_UNKNOWN"},
    {"Failed to initialize NVML: Insufficient Permissions", 4, "NVML_ERROR_NO_PERMISSION"},
    {"Failed to initialize NVML: Driver Not Loaded", 9, "NVML_ERROR_DRIVER_NOT_LOADED"},
    {"Failed to initialize NVML: GPU access blocked by the operating system", 17,
     "NVML_ERROR_OPERATING_SYSTEM"},
    {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver", 9,
     "NVML_ERROR_DRIVER_NOT_LOADED"},
};

/* "Unable to determine the device handle for GPU 0000:0B:00.0: GPU is lost.  Reboot …": NVML's
 * words for the error of that GPU. */
static bool take_lost(struct from_part *part, size_t line)
{
    static const char begin[] = "Unable to determine the device handle for GPU";
    const char *at = strstr(part->file->lines[line], begin);
    if (at == NULL)
        return false;
    at += strlen(begin);
    at += strspn(at, " ");
    size_t size = strcspn(at, " \t");
    if (size < 2 || at[size - 1] != ':')
        return false;
    AUTO_FREE char *token = mem_string_n(at, size - 1);
    AUTO_FREE char *address = from_address(token);
    const char *words = at + size + strspn(at + size, " ");
    AUTO_FREE char *reason = mem_printf("nvidia-smi: %.*s", (int)strcspn(words, "."), words);
    if (address == NULL)
        return false;
    from_string(part, line, "nvml/0", "bus_id", address);
    from_unknown(part, line, "nvml/0", "name", reason);
    return true;
}

size_t from_smi_error(struct from_part *part)
{
    for (size_t i = part->first; i < part->end; i++) {
        const char *line = part->file->lines[i];
        if (take_lost(part, i))
            return 1;
        for (size_t k = 0; k < sizeof(failures) / sizeof(failures[0]); k++) {
            if (!strstr(line, failures[k].words))
                continue;
            from_integer(part, i, ANSWER, "init", failures[k].number);
            from_string(part, i, ANSWER, "init_name", failures[k].name);
            from_string(part, i, ANSWER, "library", "libnvidia-ml.so.1");
            return 1;
        }
        if (strstr(line, "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system")) {
            from_absent(part, i, "loader/libnvidia-ml.so.1", "path");
            return 1;
        }
        if (string_equal(line, "No devices were found")) {
            from_nvml(part, i, NULL, NULL, 0);
            return 1;
        }
    }
    return 0;
}
