/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/instance.h"

#include <string.h>

#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

/* manifests/instance.json: instance types of cloud providers. */
enum { TABLE_ROWS };

static const char *const providers[] = {"AWS",          "Azure",         "Google Cloud",
                                        "Oracle Cloud", "Alibaba Cloud", NULL};
/* What stands before the name of a type. */
static const char *const prefixes[] = {"aws",    "amazon", "ec2", "azure",   "standard", "gcp",
                                       "google", "oracle", "oci", "alibaba", "cloud",    "ecs"};

static const struct manifest_key keys[] = {
    KEY(manifest_instance, provider, KEY_CHOICE, .required = true, .choices = providers),
    KEY(manifest_instance, gpu, KEY_STRING, .required = true),
    KEY(manifest_instance, count, KEY_UNSIGNED),
    KEY(manifest_instance, names, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_instance),
    {.name = NULL},
};

/* The words of a name, without those that are no part of it. */
static char *plain_name(const char *name)
{
    AUTO_FREE char *plain = manifest_words(name);
    const char *rest = plain;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        AUTO_FREE char *prefix = mem_printf("%s ", prefixes[i]);
        if (string_starts(rest, prefix))
            rest += strlen(prefix);
    }
    return mem_string(rest);
}

static char *instance_id(const void *row)
{
    const struct manifest_instance *instance = row;
    AUTO_FREE char *provider = manifest_slug(instance->provider);
    AUTO_FREE char *slug = manifest_slug(instance->names.count ? instance->names.items[0] : "");
    return mem_printf("instance/%s/%s", provider, slug);
}

/* The first row that has a name is what it means. */
static bool instance_check(const struct manifest_place *place, const void *row,
                           const void *previous)
{
    const struct manifest_instance *instance = row;
    const struct manifest_instance *before = previous;
    for (size_t i = 0; before && i < instance->names.count; i++)
        if (strlist_has(&before->names, instance->names.items[i]))
            return place_problem(place, "names", instance->names.items[i],
                                 "names that %s does not have", before->id);
    return true;
}

const struct manifest_subject manifest_instance_subject = {
    .name = "instance",
    .later = true,
    .tables = {[TABLE_ROWS] = {.name = "rows",
                               .about = "instance types of cloud providers, and their GPUs",
                               .keys = keys,
                               .row_size = sizeof(struct manifest_instance),
                               .id_offset = offsetof(struct manifest_instance, id),
                               .id = instance_id,
                               .check = instance_check}},
};

static bool has_name(const struct manifest_instance *instance, const char *wanted)
{
    for (size_t i = 0; i < instance->names.count; i++) {
        AUTO_FREE char *name = plain_name(instance->names.items[i]);
        if (string_equal(name, wanted))
            return true;
    }
    return false;
}

static const struct manifest_instance *find(struct manifest *manifest, const char *wanted)
{
    size_t count;
    const struct manifest_instance *rows =
        manifest_rows(manifest, &manifest_instance_subject, TABLE_ROWS, &count);
    for (size_t i = 0; i < count; i++)
        if (has_name(&rows[i], wanted))
            return &rows[i];
    return NULL;
}

/* The family of a type of AWS or of Alibaba Cloud is its first word: "p2.16xlarge",
 * "gn6v-c8g1.2xlarge". How many GPUs a type has that is not listed is not known. */
const struct manifest_instance *manifest_instance_find(struct manifest *manifest, const char *name)
{
    AUTO_FREE char *wanted = plain_name(name);
    const struct manifest_instance *found = find(manifest, wanted);
    if (found != NULL || !string_ends(wanted, "large"))
        return found;
    wanted[strcspn(wanted, " ")] = '\0';
    found = find(manifest, wanted);
    return found != NULL && found->count == 0 ? found : NULL;
}
