/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/confidential.h"
#include "probe/system/virtualization.h"

#define OSRELEASE     "/proc/sys/kernel/osrelease"
#define DMI           "/sys/class/dmi/id"
#define TEGRA_RELEASE "/etc/nv_tegra_release"
#define DEVICE_TREE   "/proc/device-tree"
#define FIRMWARE      "/sys/firmware"
#define IOMMU_GROUPS  "/sys/kernel/iommu_groups"
#define CPUINFO_MAX   (4u << 20) /* some 1500 bytes for each of 2048 processors */

/* UEFI specification, 3.3: the variable's four attribute bytes, then 1 when Secure Boot is on. */
#define SECURE_BOOT FIRMWARE "/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static void note_product(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *vendor = NULL;
    AUTO_FREE char *product = NULL;
    enum host_status status = host_read_line(host, DMI "/sys_vendor", &vendor, &error);
    if (host_read_line(host, DMI "/product_name", &product, status == HOST_OK ? NULL : &error) ==
        HOST_OK)
        status = HOST_OK;
    if (status != HOST_OK) {
        note_missing_below(host, facts, "machine", "product", status, &error, DMI, "/sys/class");
        return;
    }
    AUTO_FREE char *both = mem_printf("%s %s", vendor ? vendor : "", product ? product : "");
    const char *name = string_trim(both);
    facts_set_string(facts, "machine", "product", name[0] ? name : NULL, DMI);
}

/* Kernels of WSL 2 are named "…-microsoft-standard-WSL2", those of WSL 1 "4.4.0-19041-Microsoft". A
 * kernel of the user's own making may be named anything: the interpreter gives WSL away then. */
static void note_wsl(const struct host *host, struct facts *facts)
{
    static const char interop[] = "/proc/sys/fs/binfmt_misc/WSLInterop";
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *release = NULL;
    struct host_kernel kernel;
    enum host_status status = host_read_line(host, OSRELEASE, &release, &error);
    if (status == HOST_ABSENT && host_kernel(host, &kernel))
        release = mem_string(kernel.release); /* gVisor has the call and not the file */
    else if (status != HOST_OK) {
        note_missing_below(host, facts, "machine", "wsl", status, &error, OSRELEASE, OSRELEASE);
        return;
    }
    bool named = string_contains_nocase(release, "microsoft");
    bool second = string_contains_nocase(release, "wsl2") ||
                  string_contains_nocase(release, "microsoft-standard");
    if (named)
        facts_set_integer(facts, "machine", "wsl", second ? 2 : 1, OSRELEASE);
    else if (host_exists(host, interop))
        facts_set_integer(facts, "machine", "wsl", 2, interop);
    else
        facts_set_absent(facts, "machine", "wsl", OSRELEASE);
}

/* A number such as 36 or 4.3 at the start of text; NULL when there is none. */
static char *leading_number(const char *text)
{
    size_t length = strspn(text, "0123456789.");
    return length > 0 && length <= 16 && text[0] != '.' ? mem_string_n(text, length) : NULL;
}

/* "# R36 (release), REVISION: 4.3, GCID: …" is 36.4.3. NULL without a line of that form. */
static char *tegra_release(const char *line)
{
    static const char between[] = " (release), REVISION: ";
    if (line == NULL || !string_starts(line, "# R"))
        return NULL;
    AUTO_FREE char *major = leading_number(line + 3);
    const char *rest = line + 3 + (major ? strlen(major) : 0);
    if (major == NULL || !string_starts(rest, between))
        return NULL;
    rest += strlen(between);
    AUTO_FREE char *minor = leading_number(rest);
    if (minor == NULL || (rest[strlen(minor)] != ',' && rest[strlen(minor)] != '\0'))
        return NULL;
    return mem_printf("%s.%s", major, minor);
}

static void note_jetson_release(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, TEGRA_RELEASE, 65536, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, "machine", "jetson_release", status, &error, TEGRA_RELEASE);
        return;
    }
    char *cursor = text.data;
    const char *line = string_next_line(&cursor);
    AUTO_FREE char *release = tegra_release(line);
    if (release)
        facts_set_string(facts, "machine", "jetson_release", release, TEGRA_RELEASE);
    else
        note_unexpected(facts, "machine", "jetson_release", "not a Jetson Linux release",
                        line ? line : "", TEGRA_RELEASE);
}

/* Every board with a device tree has a model; that it is a Jetson is said by the processor in
 * "compatible", a list of strings that end with NUL, of which the board comes first. */
static bool is_tegra(const struct host *host)
{
    AUTO_TEXT struct text compatible = {0};
    if (host_read_head(host, DEVICE_TREE "/compatible", 4096, &compatible, NULL) != HOST_OK)
        return false;
    static const char tegra[] = "nvidia,tegra";
    return compatible.size > 0 &&
           memmem(compatible.data, compatible.size, tegra, strlen(tegra)) != NULL;
}

static void note_jetson_model(const struct host *host, struct facts *facts)
{
    static const char path[] = DEVICE_TREE "/model";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read_head(host, path, 4096, &text, &error);
    if (status == HOST_OK) {
        char *model = text.data ? string_trim(text.data) : NULL;
        bool jetson =
            model && model[0] &&
            (is_tegra(host) || strstr(model, "Jetson") || host_exists(host, TEGRA_RELEASE));
        facts_set_string(facts, "machine", "jetson_model", jetson ? model : NULL, path);
    } else {
        note_missing_below(host, facts, "machine", "jetson_model", status, &error, path,
                           "/proc/sys");
    }
}

/* Containers see an empty /sys/firmware, and many an EFI machine without its variables: neither
 * says that Secure Boot is off. */
static void note_secure_boot_missing(const struct host *host, struct facts *facts,
                                     enum host_status status, const struct error *error)
{
    AUTO_STRLIST struct strlist firmware = {0};
    AUTO_STRLIST struct strlist variables = {0};
    enum host_status shown = host_list(host, FIRMWARE, &firmware, NULL);
    host_list(host, FIRMWARE "/efi/efivars", &variables, NULL);
    if (status != HOST_ABSENT)
        note_missing(facts, "machine", "secure_boot", status, error, SECURE_BOOT);
    else if (variables.count > 0)
        facts_set_boolean(facts, "machine", "secure_boot", false, FIRMWARE "/efi/efivars");
    else if (strlist_has(&firmware, "efi"))
        facts_set_unknown(facts, "machine", "secure_boot", "the EFI variables are not mounted",
                          SECURE_BOOT);
    else if (firmware.count > 0)
        facts_set_boolean(facts, "machine", "secure_boot", false, FIRMWARE "/efi");
    else if (shown == HOST_OK)
        facts_set_skipped(facts, "machine", "secure_boot", FIRMWARE " is empty: hidden here",
                          FIRMWARE);
    else
        note_missing_below(host, facts, "machine", "secure_boot", status, error, FIRMWARE,
                           FIRMWARE);
}

static void note_secure_boot(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text value = {0};
    enum host_status status = host_read(host, SECURE_BOOT, 64, &value, &error);
    if (status != HOST_OK)
        note_secure_boot_missing(host, facts, status, &error);
    else if (value.size == 5 && (unsigned char)value.data[4] <= 1)
        facts_set_boolean(facts, "machine", "secure_boot", value.data[4] == 1, SECURE_BOOT);
    else
        facts_set_unknown(facts, "machine", "secure_boot", "not four attribute bytes and a 0 or 1",
                          SECURE_BOOT);
}

static void note_iommu(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist groups = {0};
    enum host_status status = host_list(host, IOMMU_GROUPS, &groups, &error);
    if (status == HOST_OK || (status == HOST_ABSENT && host_is_directory(host, "/sys/kernel")))
        facts_set_boolean(facts, "machine", "iommu", groups.count > 0, IOMMU_GROUPS);
    else
        note_missing_below(host, facts, "machine", "iommu", status, &error, IOMMU_GROUPS,
                           IOMMU_GROUPS);
}

static void note_infiniband(const struct host *host, struct facts *facts)
{
    static const char path[] = "/sys/class/infiniband";
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, path, &names, &error);
    if (status == HOST_OK || (status == HOST_ABSENT && host_is_directory(host, "/sys/class")))
        facts_set_boolean(facts, "machine", "infiniband", names.count > 0, path);
    else
        note_missing_below(host, facts, "machine", "infiniband", status, &error, path,
                           "/sys/class");
}

static void note_processors(const struct host *host, struct facts *facts)
{
    static const char path[] = "/proc/cpuinfo";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, path, CPUINFO_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "machine", "processors", status, &error, path, path);
        return;
    }
    int64_t count = 0;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        count += string_starts(line, "processor\t");
    if (count > 0)
        facts_set_integer(facts, "machine", "processors", count, path);
    else
        facts_set_absent(facts, "machine", "processors", path);
}

void probe_machine(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    virtualization_note(host, facts);
    confidential_note(host, facts);
    note_product(host, facts);
    note_wsl(host, facts);
    note_jetson_release(host, facts);
    note_jetson_model(host, facts);
    note_secure_boot(host, facts);
    note_iommu(host, facts);
    note_infiniband(host, facts);
    note_processors(host, facts);
}
