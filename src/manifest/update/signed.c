/* SPDX-License-Identifier: MIT */
#include "manifest/update/signed.h"

#include <string.h>
#include <time.h>

#include "base/hex.h"
#include "manifest/reader/locate.h"
#include "manifest/update/bundle.h"

static bool bytes_read_hex(const json_t *value, unsigned char *bytes, size_t size)
{
    const char *text = json_string_value(value);
    if (text == NULL || json_string_length(value) != 2 * size || !hex_is(text, 2 * size))
        return false;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)hex_byte(text + 2 * i);
    return true;
}

static bool read_key(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return bytes_read_hex(value, to, UPDATE_KEY_SIZE);
}

static bool read_signature(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return bytes_read_hex(value, to, UPDATE_SIGNATURE_SIZE);
}

static bool has_form(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    for (size_t i = 0; i < sizeof(form); i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !is_digit : text[i] != form[i])
            return false;
    }
    return true;
}

/* count digits, which has_form() has seen. */
static int digits_at(const char *text, size_t count)
{
    int value = 0;
    for (size_t i = 0; i < count; i++)
        value = value * 10 + (text[i] - '0');
    return value;
}

/* A day that no calendar has is refused: it comes out as another one. */
static bool read_moment(const struct field *field, const json_t *value, void *to)
{
    const char *text = json_string_value(value);
    struct tm parts = {.tm_isdst = 0};
    (void)field;
    if (text == NULL || json_string_length(value) != strlen(text) || !has_form(text))
        return false;
    parts.tm_year = digits_at(text, 4) - 1900;
    parts.tm_mon = digits_at(text + 5, 2) - 1;
    parts.tm_mday = digits_at(text + 8, 2);
    parts.tm_hour = digits_at(text + 11, 2);
    parts.tm_min = digits_at(text + 14, 2);
    parts.tm_sec = digits_at(text + 17, 2);
    int64_t moment = (int64_t)timegm(&parts);
    AUTO_FREE char *again = update_moment_text(moment);
    *(int64_t *)to = moment;
    return string_equal(again, text);
}

const struct field_type update_field_moment = {read_moment,
                                               "a time such as \"2027-01-01T00:00:00Z\""};

char *update_moment_text(int64_t moment)
{
    struct tm parts;
    time_t seconds = (time_t)moment;
    if (gmtime_r(&seconds, &parts) == NULL)
        return mem_string("a time out of range");
    return mem_printf("%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                      parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

bool update_key_equal(const struct update_key *a, const struct update_key *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

const struct field_type update_field_key = {read_key, "64 small hexadecimal digits"};
static const struct field_type field_signature = {read_signature, "128 small hexadecimal digits"};
static const struct field envelope_fields[] = {
    {.name = "signed", .type = &field_below, .required = true},
    {.name = "signatures", .type = &field_list, .required = true},
    {.name = NULL},
};
static const struct field signature_fields[] = {
    FIELD(update_signature, key, update_field_key, .required = true),
    FIELD_AS(update_signature, bytes, "signature", field_signature, .required = true),
    {.name = NULL},
};

void update_signed_free(struct update_signed *document)
{
    json_decref(document->json);
    free(document->signatures);
    *document = (struct update_signed){.text = NULL};
}

static bool read_signatures(const json_t *list, const struct fields_document *document,
                            struct update_signed *to, struct error *error)
{
    if (json_array_size(list) > UPDATE_SIGNATURES_MAX)
        return fields_refuse(document, "", "signatures", "no more than 64 signatures", error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        AUTO_FREE char *place = mem_printf("signatures[%zu]", i);
        struct update_signature *signature =
            vec_push(to->signatures, to->signature_count, to->signature_capacity);
        if (!fields_read(signature_fields, json_array_get(list, i), document, place, signature,
                         error))
            return false;
    }
    return true;
}

/* Keys that a later gpuenv may read, and this one need not. */
static void drop_extra_keys(json_t *object)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value)
    {
        if (string_starts(key, "x_"))
            json_object_del(object, key);
    }
}

/* Of this type and of a form that is known: looked at before anything else that it says. */
static bool check_type(const json_t *json, const char *type, const struct fields_document *document,
                       struct error *error)
{
    AUTO_FREE char *expected = mem_printf("\"%s\"", type);
    const json_t *spec = json_object_get(json, "spec");
    if (!string_equal(json_string_value(json_object_get(json, "type")), type))
        return fields_refuse(document, "signed", "type", expected, error);
    if (!json_is_integer(spec) || json_integer_value(spec) < 1)
        return fields_refuse(document, "signed", "spec", "a whole number, 1 or greater", error);
    if (json_integer_value(spec) == UPDATE_SPEC)
        return true;
    error_set(error, ERROR_DATA, "this update is for a newer gpuenv");
    error_where(error, "%s: signed.spec", document->name);
    return error_next(error, "install a newer gpuenv");
}

bool update_signed_parse(const char *text, size_t size, const char *name, const char *type,
                         struct update_signed *ret_signed, struct error *error)
{
    const struct fields_document document = {name, "this is not a signed document of an update",
                                             NULL};
    AUTO_SIGNED struct update_signed found = {.text = NULL};
    char nothing = 0;
    AUTO_JSON json_t *envelope = json_parse(text, size, UPDATE_ROOTS_MAX, name, error);
    if (envelope == NULL ||
        !fields_read(envelope_fields, envelope, &document, "", &nothing, error) ||
        !read_signatures(json_object_get(envelope, "signatures"), &document, &found, error))
        return false;
    /* What is used is what was signed, not what another parse of the file makes of it. */
    if (!locate_member(text, size, "signed", &found.text, &found.size))
        return fields_refuse(&document, "", "signed", "an object", error);
    found.json = json_parse(found.text, found.size, UPDATE_ROOTS_MAX, name, error);
    if (found.json == NULL)
        return false;
    if (!json_is_object(found.json))
        return fields_refuse(&document, "", "signed", "an object", error);
    if (!check_type(found.json, type, &document, error))
        return false;
    drop_extra_keys(found.json);
    *ret_signed = found;
    found = (struct update_signed){.text = NULL};
    return true;
}
