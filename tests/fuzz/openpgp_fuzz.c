/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "probe/repository/apt_sources.h"
#include "probe/repository/deb_relation.h"
#include "probe/repository/openpgp.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void count(const struct apt_source *source, void *data)
{
    *(size_t *)data += source->suites.count;
}

/* Keyrings, signed files, apt's sources in both formats, and dependencies. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_OPENPGP_KEYS struct openpgp_keys keys = {.items = NULL};
    AUTO_STRLIST struct strlist signers = {0}, weak = {0};
    AUTO_FREE char *text = mem_string_n((const char *)data, size);
    AUTO_FREE char *again = mem_string(text);
    AUTO_FREE char *refused = NULL;
    AUTO_DEB_RELATION struct deb_relation relation = deb_relation_parse(text);
    size_t suites = 0;
    unsigned line = 0;
    openpgp_read_keys((const char *)data, size, &keys);
    for (size_t i = 0; i < keys.count; i++)
        must(strlen(keys.items[i].id) == OPENPGP_ID_SIZE - 1);
    openpgp_read_signers((const char *)data, size, &signers, &weak);
    must(weak.count <= signers.count);
    refused = apt_sources_refused(text, size % 2 ? APT_LINES : APT_PARAGRAPHS, &line);
    must((refused != NULL) == (line > 0));
    apt_sources_each(text, APT_LINES, count, &suites);
    apt_sources_each(again, APT_PARAGRAPHS, count, &suites);
    must(deb_version_compare(relation.name, relation.name) == 0);
    return 0;
}
