/* SPDX-License-Identifier: MIT */
#include "manifest/update/statement.h"

#include "base/hex.h"
#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"

#define VERSION_MAX          INT32_MAX
#define MANIFEST_VERSION_MAX 1000000 /* as the manifest itself has it */

static const struct field fields[] = {
    {.name = "type", .type = &field_below, .required = true},
    {.name = "spec", .type = &field_below, .required = true},
    FIELD(update_statement, version, field_number, .required = true),
    FIELD(update_statement, expires, update_field_moment, .required = true),
    FIELD(update_statement, format, field_number, .required = true),
    FIELD(update_statement, manifest_version, field_number, .required = true),
    FIELD(update_statement, manifest_date, field_string, .required = true),
    FIELD(update_statement, length, field_size, .required = true),
    FIELD(update_statement, sha256, field_string, .required = true),
    {.name = NULL},
};

void update_statement_free(struct update_statement *statement)
{
    free(statement->manifest_date);
    free(statement->sha256);
    *statement = (struct update_statement){.version = 0};
}

static bool is_number(unsigned number, unsigned max)
{
    return number >= 1 && number <= max;
}

static bool check_values(const struct update_statement *statement,
                         const struct fields_document *document, struct error *error)
{
    if (!is_number(statement->version, VERSION_MAX))
        return fields_refuse(document, "signed", "version", "a number from 1 to 2147483647", error);
    if (!is_number(statement->manifest_version, MANIFEST_VERSION_MAX))
        return fields_refuse(document, "signed", "manifest_version", "a number from 1 to 1000000",
                             error);
    if (!hex_is(statement->sha256, 64))
        return fields_refuse(document, "signed", "sha256", "64 small hexadecimal digits", error);
    if (statement->length < 1 || statement->length > MANIFEST_MAX)
        return fields_refuse(document, "signed", "length", "the size of a manifest", error);
    return true;
}

static bool check_format(const struct update_statement *statement, const char *name,
                         struct error *error)
{
    if (statement->format == MANIFEST_SCHEMA)
        return true;
    bool is_newer = statement->format > MANIFEST_SCHEMA;
    error_set(error, ERROR_DATA, "the manifest has format %u; this gpuenv reads format %d",
              statement->format, MANIFEST_SCHEMA);
    error_where(error, "%s: signed.format", name);
    return error_next(error, is_newer ? "install a newer gpuenv"
                                      : "ask the publisher for a manifest of that format, or "
                                        "use the built-in one");
}

bool update_statement_read(const struct update_signed *signed_document, const char *name,
                           struct update_statement *ret_statement, struct error *error)
{
    const struct fields_document document = {name, "this statement of an update is not valid",
                                             NULL};
    AUTO_STATEMENT struct update_statement statement = {.version = 0};
    if (!fields_read(fields, signed_document->json, &document, "signed", &statement, error) ||
        !check_values(&statement, &document, error) || !check_format(&statement, name, error))
        return false;
    *ret_statement = statement;
    statement = (struct update_statement){.version = 0};
    return true;
}

bool update_statement_parse(const char *text, size_t size, const char *name,
                            struct update_signed *ret_signed,
                            struct update_statement *ret_statement, struct error *error)
{
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    if (!update_signed_parse(text, size, name, "gpuenv-manifest", &document, error) ||
        !update_statement_read(&document, name, ret_statement, error))
        return false;
    if (ret_signed == NULL)
        return true;
    *ret_signed = document;
    document = (struct update_signed){.text = NULL};
    return true;
}

char *update_statement_file(const struct update_statement *statement)
{
    return mem_printf("manifest-%u.json", statement->manifest_version);
}
