/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKAGES_RPM_DATABASE_H
#define HOST_PACKAGES_RPM_DATABASE_H

#include "base/byte_source.h"

/* The three kinds of database that rpm keeps its headers in, each read from a source of bytes,
 * never written and never locked. Each calls each() with the bytes of every header until it returns
 * false, which is an error that each() has filled; ERROR_DATA for what is not such a database. */
typedef bool rpm_visit(const struct byte_source *header, void *data, struct error *error);

/* More headers, and larger ones, are refused. */
#define RPM_PACKAGES_MAX 100000u

/* rpmdb.sqlite (sqlite.org/fileformat2.html), with the write-ahead log beside it; log->size is 0
 * where there is none. */
bool rpm_sqlite_each(const struct byte_source *file, const struct byte_source *log, rpm_visit *each,
                     void *data, struct error *error);

/* Packages.db (rpm's lib/backend/ndb/rpmpkg.c). */
bool rpm_ndb_each(const struct byte_source *file, rpm_visit *each, void *data, struct error *error);

/* Packages: a hash of Berkeley DB (db's dbinc/db_page.h), in either byte order. */
bool rpm_bdb_each(const struct byte_source *file, rpm_visit *each, void *data, struct error *error);

#endif
