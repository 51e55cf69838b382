/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "manifest/manifest.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

/* manifests/manifest.json: which manifest this is. */
struct about {
    unsigned version; /* may only grow */
    const char *date;
    char version_text[16];
};

static const struct manifest_key keys[] = {
    KEY(about, version, KEY_UNSIGNED, .required = true),
    KEY(about, date, KEY_DATE, .required = true),
    {.name = NULL},
};

const struct manifest_subject manifest_about_subject = {
    .name = "manifest", .fields = keys, .fields_size = sizeof(struct about)};

const char *manifest_version(struct manifest *manifest)
{
    struct about *about = manifest_fields(manifest, &manifest_about_subject);
    if (about == NULL)
        return NULL;
    snprintf(about->version_text, sizeof(about->version_text), "%u", about->version);
    return about->version_text;
}

const char *manifest_date(struct manifest *manifest)
{
    const struct about *about = manifest_fields(manifest, &manifest_about_subject);
    return about != NULL ? about->date : NULL;
}
