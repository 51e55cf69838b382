/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/little_endian.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/kernel/der.h"
#include "probe/places/path_match.h"

/* Who decides whether a module may be loaded: Secure Boot itself is machine.secure_boot. */
#define EFIVARS    "/sys/firmware/efi/efivars"
#define SHIM       "-605dab50-e046-4300-abb6-3dd810dd8b23" /* SHIM_LOCK_GUID of rhboot/shim */
#define MOK_LIST   EFIVARS "/MokListRT" SHIM
#define MOK_OFF    EFIVARS "/MokSBStateRT" SHIM
#define MOK_NEW    EFIVARS "/MokNew" SHIM
#define DB         EFIVARS "/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f" /* EFI_IMAGE_SECURITY_DATABASE */
#define LOCKDOWN   "/sys/kernel/security/lockdown"
#define ENFORCE    "/sys/module/module/parameters/sig_enforce"
#define KEYS       "/proc/keys"
#define LIST_MAX   (1u << 20)
#define KEYS_MAX   512
#define ATTRIBUTES 4 /* bytes before an EFI variable's value */

/* Where DKMS (Debian, Ubuntu) and akmods (Fedora) keep the key that they sign modules with; SUSE's
 * packages make one for each release of the driver, and NVIDIA's precompiled ones bring theirs. */
#define SUSE_KEYS         "/var/lib/nvidia-pubkeys"
#define SUSE_CERTIFICATES "MOK-nvidia-driver-*.der"
#define DOCUMENTATION     "/usr/share/doc"
#define CERTIFICATES      "kmod-nvidia-*/*public_key*.der"
static const char *const local_paths[] = {
    "/var/lib/dkms/mok.pub",
    "/var/lib/shim-signed/mok/MOK.der",
    "/etc/pki/akmods/certs/public_key.der",
};

struct key_lists {
    struct strlist names;
    struct strlist serials;
    struct strlist issuers;
};

/* The facts that such lists become; NULL: not noted. */
struct key_facts {
    const char *names, *serials, *issuers;
};

static void add_key(struct key_lists *lists, const void *bytes, size_t size)
{
    AUTO_KEY struct der_key key = {0};
    if (lists->names.count >= KEYS_MAX || !der_certificate(bytes, size, &key))
        return;
    strlist_add(&lists->names, key.name);
    strlist_add(&lists->serials, key.serial ? key.serial : "");
    strlist_add(&lists->issuers, key.issuer ? key.issuer : "");
}

/* EFI_SIGNATURE_LIST (UEFI specification, 32.4.1): type, sizes of list, header and entry, then
 * entries of an owner's GUID and, for EFI_CERT_X509_GUID, a certificate. */
static void add_signature_lists(struct key_lists *lists, const unsigned char *bytes, size_t size)
{
    static const unsigned char x509[16] = {0xa1, 0x59, 0xc0, 0xa5, 0xe4, 0x94, 0xa7, 0x4a,
                                           0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72};
    const size_t head = 28;
    while (size >= head) {
        size_t list = load32(bytes + 16);
        size_t header = load32(bytes + 20);
        size_t entry = load32(bytes + 24);
        if (list < head || list > size || header > list - head || entry <= 16)
            return;
        for (size_t at = head + header; at + entry <= list && memcmp(bytes, x509, 16) == 0;
             at += entry)
            add_key(lists, bytes + at + 16, entry - 16);
        bytes += list;
        size -= list;
    }
}

static void note_lists(struct facts *facts, struct key_lists *lists, const struct key_facts *names,
                       const char *path)
{
    facts_set_list(facts, "secure_boot", names->names, &lists->names, path);
    if (names->serials)
        facts_set_list(facts, "secure_boot", names->serials, &lists->serials, path);
    if (names->issuers)
        facts_set_list(facts, "secure_boot", names->issuers, &lists->issuers, path);
    strlist_free(&lists->names);
    strlist_free(&lists->serials);
    strlist_free(&lists->issuers);
}

static void note_variable(const struct host *host, struct facts *facts, const char *path,
                          const struct key_facts *names)
{
    const char *const all[] = {names->names, names->serials, names->issuers};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text value = {0};
    struct key_lists lists = {0};
    enum host_status status = host_read(host, path, LIST_MAX, &value, &error);
    if (status == HOST_OK && value.size > ATTRIBUTES)
        add_signature_lists(&lists, (const unsigned char *)value.data + ATTRIBUTES,
                            value.size - ATTRIBUTES);
    if (status == HOST_OK) {
        note_lists(facts, &lists, names, path);
        return;
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && all[i]; i++)
        note_missing(facts, "secure_boot", all[i], status, &error, path);
}

/* shim makes MokSBStateRT, with a 1, where its owner switched the checking of signatures off. */
static void note_validation(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text value = {0};
    enum host_status status = host_read(host, MOK_OFF, 64, &value, &error);
    if (status == HOST_OK)
        facts_set_boolean(facts, "secure_boot", "validation_disabled",
                          value.size == ATTRIBUTES + 1 && value.data[ATTRIBUTES] == 1, MOK_OFF);
    else
        note_missing(facts, "secure_boot", "validation_disabled", status, &error, MOK_OFF);
}

/* "none [integrity] confidentiality": the one in brackets is in force. */
static void note_lockdown(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, LOCKDOWN, &line, &error);
    char *open = line ? strchr(line, '[') : NULL;
    char *close = open ? strchr(open, ']') : NULL;
    if (close) {
        *close = '\0';
        facts_set_string(facts, "secure_boot", "lockdown", open + 1, LOCKDOWN);
    } else if (status == HOST_OK) {
        note_unexpected(facts, "secure_boot", "lockdown", "no word in brackets", line, LOCKDOWN);
    } else {
        note_missing(facts, "secure_boot", "lockdown", status, &error, LOCKDOWN);
    }
}

static void note_enforce(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, ENFORCE, &line, &error);
    if (status != HOST_OK)
        note_missing(facts, "secure_boot", "sig_enforce", status, &error, ENFORCE);
    else if (string_equal(line, "Y") || string_equal(line, "N"))
        facts_set_boolean(facts, "secure_boot", "sig_enforce", line[0] == 'Y', ENFORCE);
    else
        note_unexpected(facts, "secure_boot", "sig_enforce", "neither Y nor N", line, ENFORCE);
}

static void note_local_keys(const struct host *host, struct facts *facts)
{
    static const char source[] =
        "/var/lib/dkms/mok.pub, /var/lib/shim-signed/mok/MOK.der, "
        "/etc/pki/akmods/certs/public_key.der, " SUSE_KEYS ", " DOCUMENTATION "/" CERTIFICATES;
    static const struct key_facts names = {.names = "local_keys", .serials = "local_serials"};
    struct key_lists lists = {0};
    AUTO_STRLIST struct strlist paths = {0};
    for (size_t i = 0; i < sizeof(local_paths) / sizeof(local_paths[0]); i++)
        if (host_exists(host, local_paths[i]))
            strlist_add(&paths, local_paths[i]);
    path_match(host, SUSE_KEYS, SUSE_CERTIFICATES, &paths);
    path_match(host, DOCUMENTATION, CERTIFICATES, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_TEXT struct text bytes = {0};
        if (host_read(host, paths.items[i], 65536, &bytes, NULL) == HOST_OK && bytes.size > 0)
            add_key(&lists, bytes.data, bytes.size);
    }
    note_lists(facts, &lists, &names, source);
    facts_set_list(facts, "secure_boot", "local_key_paths", &paths, source);
}

/* proc_keys(5): "0a1b2c3d I------ 1 perm 1f030000 0 0 asymmetri Debian Secure Boot CA: 6cce…:
 * X509.rsa bb419ea1 []". Users see only the keys that they may look at: none of the kernel's. */
static void note_kernel_keys(const struct host *host, struct facts *facts)
{
    static const char kind[] = " asymmetri ";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = note_read_text(host, KEYS, LIST_MAX, &text, &error);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        char *name = strstr(line, kind);
        char *end = name ? strstr(name, ": ") : NULL;
        if (end == NULL || names.count >= KEYS_MAX)
            continue;
        *end = '\0';
        strlist_add_new(&names, string_trim(name + strlen(kind)));
    }
    if (status != HOST_OK)
        note_missing(facts, "secure_boot", "kernel_keys", status, &error, KEYS);
    else if (names.count == 0)
        facts_set_skipped(facts, "secure_boot", "kernel_keys",
                          "the kernel shows no keys: only root can see them", KEYS);
    else
        facts_set_list(facts, "secure_boot", "kernel_keys", &names, KEYS);
}

void probe_secure_boot(const struct probe_context *context, struct facts *facts)
{
    static const struct key_facts enrolled = {"enrolled", "enrolled_serials", "enrolled_issuers"};
    static const struct key_facts firmware = {.names = "firmware_keys"};
    const struct host *host = context->host;
    note_variable(host, facts, MOK_LIST, &enrolled);
    note_variable(host, facts, DB, &firmware);
    note_validation(host, facts);
    facts_set_boolean(facts, "secure_boot", "enrolment_pending", host_exists(host, MOK_NEW),
                      MOK_NEW);
    note_lockdown(host, facts);
    note_enforce(host, facts);
    note_local_keys(host, facts);
    note_kernel_keys(host, facts);
}
