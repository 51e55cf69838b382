/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_DEB_RELATION_H
#define PROBE_REPOSITORY_DEB_RELATION_H

#include <stdbool.h>

/* Versions and dependencies of Debian's packages (deb-version(7), deb-control(5)). */

/* Less than, equal to or greater than 0, as `dpkg --compare-versions` has it. */
int deb_version_compare(const char *a, const char *b);

/* One alternative: "nvidia-kernel-common-530 (>= 530.41.03)". */
struct deb_relation {
    char *name;    /* without ":any" */
    char *sign;    /* "=", ">=", "<=", ">>", "<<"; NULL: any version */
    char *version; /* NULL: any */
};
#define AUTO_DEB_RELATION AUTO(deb_relation_free)
void deb_relation_free(struct deb_relation *relation);
struct deb_relation deb_relation_parse(const char *text);
/* Whether that version of the package satisfies it. */
bool deb_relation_takes(const struct deb_relation *relation, const char *version);

/* Calls each() with every dependency of a field's value, between its commas; its alternatives are
 * between '|'. Until each() returns false. */
void deb_depends_each(const char *field, bool (*each)(const char *alternatives, void *data),
                      void *data);

#endif
