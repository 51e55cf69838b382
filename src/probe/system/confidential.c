/* SPDX-License-Identifier: MIT */
#include "probe/system/confidential.h"

#include <string.h>

#include "base/text.h"
#include "host/root/file.h"
#include "probe/engine/note.h"

/* Guests whose memory the hypervisor cannot read. A processor that can have such guests has the
 * flags of SEV on its host too: there they say nothing. The kernel's drivers of a guest
 * (drivers/virt/coco) make the other signs. */
#define CPUINFO     "/proc/cpuinfo"
#define CPUINFO_MAX 65536 /* the first processor is enough */

struct sign {
    const char *kind;
    const char *flag; /* in cpuinfo */
    const char *path; /* of the guest's driver */
};

static const struct sign signs[] = {
    {"tdx", "tdx_guest", "/sys/devices/virtual/misc/tdx_guest"},
    {"sev-snp", "sev_snp", "/sys/devices/platform/sev-guest"},
};

static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += size)
        if (at > words && at[-1] == ' ' &&
            (at[size] == ' ' || at[size] == '\n' || at[size] == '\0'))
            return true;
    return false;
}

void confidential_note(const struct host *host, struct facts *facts)
{
    const char *virtualization = facts_string(facts, "machine", "virtualization");
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    if (virtualization == NULL || string_equal(virtualization, "none")) {
        facts_set_absent(facts, "machine", "confidential", CPUINFO);
        return;
    }
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (!host_exists(host, signs[i].path))
            continue;
        facts_set_string(facts, "machine", "confidential", signs[i].kind, signs[i].path);
        return;
    }
    enum host_status status = host_read_head(host, CPUINFO, CPUINFO_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "machine", "confidential", status, &error, CPUINFO,
                           CPUINFO);
        return;
    }
    facts_set_absent(facts, "machine", "confidential", CPUINFO);
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (text.data && has_word(text_string(&text), signs[i].flag))
            facts_set_string(facts, "machine", "confidential", signs[i].kind, CPUINFO);
}
