/* SPDX-License-Identifier: MIT */
#include "from/from_smi_rows.h"

#include <math.h>
#include <stdlib.h>

enum form {
    FORM_TEXT,
    FORM_ADDRESS,
    FORM_NUMBER, /* "16x", "35 C", "2" */
    FORM_SUM,    /* the same, added to what other rows of that fact say */
    FORM_BYTES,  /* "81920 MiB" */
    FORM_WATTS,  /* "50.12 W", in mW */
    FORM_SWITCH, /* "Enabled", "Yes" */
    FORM_MODE,   /* of computing */
    FORM_REASON, /* "Active": the fact is a word of a list */
    FORM_FABRIC,
};

static const struct row {
    const char *text, *xml, *fact;
    enum form form;
} rows[] = {
    {"Product Name", "product_name", "name", FORM_TEXT},
    {"GPU UUID", "uuid", "uuid", FORM_TEXT},
    {"PCI/Bus Id", "pci/pci_bus_id", "bus_id", FORM_ADDRESS},
    {"Display Active", "display_active", "display_active", FORM_SWITCH},
    {"Persistence Mode", "persistence_mode", "persistence", FORM_SWITCH},
    {"MIG Mode/Current", "mig_mode/current_mig", "mig", FORM_SWITCH},
    {"Compute Mode", "compute_mode", "compute_mode", FORM_MODE},
    {"PCI/GPU Link Info/PCIe Generation/Max", "pci/pci_gpu_link_info/pcie_gen/max_link_gen",
     "pcie_generation_max", FORM_NUMBER},
    {"PCI/GPU Link Info/PCIe Generation/Current", "pci/pci_gpu_link_info/pcie_gen/current_link_gen",
     "pcie_generation", FORM_NUMBER},
    {"PCI/GPU Link Info/Link Width/Max", "pci/pci_gpu_link_info/link_widths/max_link_width",
     "pcie_width_max", FORM_NUMBER},
    {"PCI/GPU Link Info/Link Width/Current", "pci/pci_gpu_link_info/link_widths/current_link_width",
     "pcie_width", FORM_NUMBER},
    {"FB Memory Usage/Total", "fb_memory_usage/total", "memory_total_bytes", FORM_BYTES},
    {"FB Memory Usage/Used", "fb_memory_usage/used", "memory_used_bytes", FORM_BYTES},
    {"FB Memory Usage/Free", "fb_memory_usage/free", "memory_free_bytes", FORM_BYTES},
    {"Utilization/Gpu", "utilization/gpu_util", "utilization_percent", FORM_NUMBER},
    {"Utilization/GPU", NULL, "utilization_percent", FORM_NUMBER},
    {"Ecc Mode/Current", "ecc_mode/current_ecc", "ecc", FORM_SWITCH},
    {"ECC Mode/Current", NULL, "ecc", FORM_SWITCH},
    {"ECC Errors/Volatile/SRAM Uncorrectable", "ecc_errors/volatile/sram_uncorrectable",
     "ecc_uncorrected_volatile", FORM_SUM},
    {"ECC Errors/Volatile/SRAM Uncorrectable Parity",
     "ecc_errors/volatile/sram_uncorrectable_parity", "ecc_uncorrected_volatile", FORM_SUM},
    {"ECC Errors/Volatile/SRAM Uncorrectable SEC-DED",
     "ecc_errors/volatile/sram_uncorrectable_secded", "ecc_uncorrected_volatile", FORM_SUM},
    {"ECC Errors/Volatile/DRAM Uncorrectable", "ecc_errors/volatile/dram_uncorrectable",
     "ecc_uncorrected_volatile", FORM_SUM},
    {"ECC Errors/Volatile/Double Bit/Total", "ecc_errors/volatile/double_bit/total",
     "ecc_uncorrected_volatile", FORM_SUM},
    {"ECC Errors/Aggregate/SRAM Uncorrectable", "ecc_errors/aggregate/sram_uncorrectable",
     "ecc_uncorrected_aggregate", FORM_SUM},
    {"ECC Errors/Aggregate/SRAM Uncorrectable Parity",
     "ecc_errors/aggregate/sram_uncorrectable_parity", "ecc_uncorrected_aggregate", FORM_SUM},
    {"ECC Errors/Aggregate/SRAM Uncorrectable SEC-DED",
     "ecc_errors/aggregate/sram_uncorrectable_secded", "ecc_uncorrected_aggregate", FORM_SUM},
    {"ECC Errors/Aggregate/DRAM Uncorrectable", "ecc_errors/aggregate/dram_uncorrectable",
     "ecc_uncorrected_aggregate", FORM_SUM},
    {"ECC Errors/Aggregate/Double Bit/Total", "ecc_errors/aggregate/double_bit/total",
     "ecc_uncorrected_aggregate", FORM_SUM},
    {"Remapped Rows/Correctable Error", "remapped_rows/remapped_row_corr", "remapped_correctable",
     FORM_NUMBER},
    {"Remapped Rows/Uncorrectable Error", "remapped_rows/remapped_row_unc",
     "remapped_uncorrectable", FORM_NUMBER},
    {"Remapped Rows/Pending", "remapped_rows/remapped_row_pending", "remap_pending", FORM_SWITCH},
    {"Remapped Rows/Remapping Failure Occurred", "remapped_rows/remapped_row_failure",
     "remap_failure", FORM_SWITCH},
    {"Retired Pages/Single Bit ECC", "retired_pages/multiple_single_bit_retirement/retired_count",
     "retired_pages_single", FORM_NUMBER},
    {"Retired Pages/Double Bit ECC", "retired_pages/double_bit_retirement/retired_count",
     "retired_pages_double", FORM_NUMBER},
    {"Retired Pages/Pending Page Blacklist", "retired_pages/pending_blacklist",
     "retired_pages_pending", FORM_SWITCH},
    {"Retired Pages/Pending", "retired_pages/pending_retirement", "retired_pages_pending",
     FORM_SWITCH},
    {"Temperature/GPU Current Temp", "temperature/gpu_temp", "temperature_c", FORM_NUMBER},
    {"GPU Power Readings/Power Draw", "gpu_power_readings/power_draw", "power_mw", FORM_WATTS},
    {"GPU Power Readings/Instantaneous Power Draw", "gpu_power_readings/instant_power_draw",
     "power_mw", FORM_WATTS},
    {"Power Readings/Power Draw", "power_readings/power_draw", "power_mw", FORM_WATTS},
    {"GPU Power Readings/Current Power Limit", "gpu_power_readings/current_power_limit",
     "power_limit_mw", FORM_WATTS},
    {"Power Readings/Power Limit", "power_readings/power_limit", "power_limit_mw", FORM_WATTS},
    {"GPU Power Readings/Default Power Limit", "gpu_power_readings/default_power_limit",
     "power_default_mw", FORM_WATTS},
    {"Power Readings/Default Power Limit", "power_readings/default_power_limit", "power_default_mw",
     FORM_WATTS},
    {"Clocks/SM", "clocks/sm_clock", "clock_sm_mhz", FORM_NUMBER},
    {"Clocks/Memory", "clocks/mem_clock", "clock_memory_mhz", FORM_NUMBER},
    {"Max Clocks/SM", "max_clocks/sm_clock", "clock_sm_max_mhz", FORM_NUMBER},
    {"Fabric/State", "fabric/state", "fabric_state", FORM_FABRIC},
    {"Reasons/Idle", "_reason_gpu_idle", "idle", FORM_REASON},
    {"Reasons/Applications Clocks Setting", "_reason_applications_clocks_setting",
     "applications_clocks", FORM_REASON},
    {"Reasons/SW Power Cap", "_reason_sw_power_cap", "sw_power_cap", FORM_REASON},
    {"Reasons/HW Slowdown", "_reason_hw_slowdown", "hw_slowdown", FORM_REASON},
    {"Reasons/HW Slowdown/HW Thermal Slowdown", "_reason_hw_thermal_slowdown", "hw_thermal",
     FORM_REASON},
    {"Reasons/HW Slowdown/HW Power Brake Slowdown", "_reason_hw_power_brake_slowdown",
     "hw_power_brake", FORM_REASON},
    {"Reasons/HW Slowdown/HW Power Braking Slowdown", NULL, "hw_power_brake", FORM_REASON},
    {"Reasons/Sync Boost", "_reason_sync_boost", "sync_boost", FORM_REASON},
    {"Reasons/SW Thermal Slowdown", "_reason_sw_thermal_slowdown", "sw_thermal", FORM_REASON},
    {"Reasons/Display Clock Setting", "_reason_display_clocks_setting", "display_clocks",
     FORM_REASON},
};

static bool is_nothing(const char *value)
{
    return string_equal(value, "N/A") || string_equal(value, "[N/A]") ||
           string_equal(value, "None") || string_contains_nocase(value, "not supported") ||
           *value == '\0';
}

/* A driver's words where it got no answer from the GPU. */
static bool is_failure(const char *value)
{
    return string_contains_nocase(value, "Unknown Error") || string_equal(value, "ERR!") ||
           string_contains_nocase(value, "GPU is lost") ||
           string_contains_nocase(value, "requires reset");
}

static const char *mode_of(const char *value)
{
    static const struct {
        const char *word, *fact;
    } modes[] = {{"Default", "default"},
                 {"Exclusive_Process", "exclusive-process"},
                 {"E. Process", "exclusive-process"},
                 {"Exclusive_Thread", "exclusive-thread"},
                 {"E. Thread", "exclusive-thread"},
                 {"Prohibited", "prohibited"}};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (string_equal(value, modes[i].word))
            return modes[i].fact;
    return NULL;
}

static void set_number(const struct from_part *part, size_t line, const char *group,
                       const struct row *row, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    int64_t before;
    if (end == value || !isfinite(number) || number < 0 || number > 1e15)
        return;
    if (row->form == FORM_BYTES)
        number *= 1 << 20;
    if (row->form == FORM_WATTS)
        number *= 1000;
    bool adds =
        row->form == FORM_SUM && facts_integer(part->from->facts, group, row->fact, &before);
    if (!adds) {
        from_integer(part, line, group, row->fact, (int64_t)(number + 0.5));
        return;
    }
    AUTO_FREE char *source = from_source(part, line);
    facts_set_integer(part->from->facts, group, row->fact, before + (int64_t)(number + 0.5),
                      source);
}

static void set_reason(const struct from_part *part, size_t line, const char *group,
                       const struct row *row, const char *value)
{
    static const char fact[] = "clock_event_reasons";
    const struct strlist *before = facts_list(part->from->facts, group, fact);
    AUTO_STRLIST struct strlist reasons = {0};
    AUTO_FREE char *source = from_source(part, line);
    if (before)
        strlist_copy(&reasons, before);
    if (string_equal(value, "Active"))
        strlist_add_new(&reasons, row->fact);
    facts_set_list(part->from->facts, group, fact, &reasons, source);
}

static void set_word(const struct from_part *part, size_t line, const char *group,
                     const struct row *row, const char *value)
{
    if (row->form == FORM_ADDRESS) {
        AUTO_FREE char *address = from_address(value);
        if (address)
            from_string(part, line, group, row->fact, address);
    } else if (row->form == FORM_MODE) {
        if (mode_of(value))
            from_string(part, line, group, row->fact, mode_of(value));
    } else if (row->form == FORM_FABRIC) {
        AUTO_FREE char *state = string_lower(mem_string(value));
        for (char *at = state; *at; at++)
            *at = *at == ' ' ? '-' : *at;
        from_string(part, line, group, row->fact, state);
    } else {
        from_string(part, line, group, row->fact, value);
    }
}

static void set(const struct from_part *part, size_t line, const char *group, const struct row *row,
                const char *value)
{
    if (row->form == FORM_REASON) {
        set_reason(part, line, group, row, value);
    } else if (is_failure(value)) {
        AUTO_FREE char *reason = mem_printf("nvidia-smi says \"%.60s\"", value);
        from_unknown(part, line, group, row->fact, reason);
    } else if (is_nothing(value)) {
        from_absent(part, line, group, row->fact);
    } else if (row->form == FORM_SWITCH) {
        bool on = string_equal(value, "Enabled") || string_equal(value, "Yes") ||
                  string_equal(value, "On");
        from_boolean(part, line, group, row->fact, on);
    } else if (row->form == FORM_NUMBER || row->form == FORM_SUM || row->form == FORM_BYTES ||
               row->form == FORM_WATTS) {
        set_number(part, line, group, row, value);
    } else {
        set_word(part, line, group, row, value);
    }
}

/* Headings changed over the years: "Clocks Throttle Reasons", "Clocks Event Reasons". */
static bool is_row(const struct row *row, const char *path, bool xml)
{
    const char *wanted = xml ? row->xml : row->text;
    if (wanted == NULL)
        return false;
    if (row->form != FORM_REASON)
        return string_equal(path, wanted);
    return string_ends(path, wanted) && (string_starts(path, "Clocks ") || xml);
}

bool smi_take(const struct from_part *part, size_t line, size_t ordinal, const char *path,
              const char *value, bool xml)
{
    AUTO_FREE char *group = mem_printf("nvml/%zu", ordinal);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!is_row(&rows[i], path, xml))
            continue;
        set(part, line, group, &rows[i], value);
        return true;
    }
    return false;
}
