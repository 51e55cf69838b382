/* SPDX-License-Identifier: MIT */
#include "install/io/digest.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/hex.h"

/* OpenSSL's own words for what it refused. */
static bool openssl_refuses(struct error *error, const char *what)
{
    char words[256];
    error_set(error, ERROR_INTERNAL, "cannot compute a SHA-256: %s failed", what);
    ERR_error_string_n(ERR_get_error(), words, sizeof(words));
    return error_why(error, "%s", words);
}

bool digest_parse(const char *hex, struct digest *ret_digest)
{
    struct digest digest;
    if (hex == NULL || strlen(hex) != DIGEST_HEX_SIZE - 1)
        return false;
    for (size_t i = 0; i < sizeof(digest.bytes); i++) {
        int byte = hex_byte(hex + 2 * i);
        if (byte < 0)
            return false;
        digest.bytes[i] = (unsigned char)byte;
    }
    *ret_digest = digest;
    return true;
}

static bool read_digest(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return digest_parse(json_string_value(value), to);
}

const struct field_type field_digest = {read_digest, "64 hexadecimal digits"};

const char *digest_hex(const struct digest *digest, char buffer[static DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof(digest->bytes); i++) {
        buffer[2 * i] = digits[digest->bytes[i] >> 4];
        buffer[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    buffer[DIGEST_HEX_SIZE - 1] = '\0';
    return buffer;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

struct digest_stream {
    EVP_MD_CTX *context;
};

struct digest_stream *digest_stream_new(struct error *error)
{
    struct digest_stream *stream = mem_alloc(sizeof(*stream));
    stream->context = EVP_MD_CTX_new();
    if (stream->context && EVP_DigestInit_ex(stream->context, EVP_sha256(), NULL) == 1)
        return stream;
    openssl_refuses(error, "EVP_DigestInit_ex");
    digest_stream_free(stream);
    return NULL;
}

struct digest_stream *digest_stream_new_md5(void)
{
    struct digest_stream *stream = mem_alloc(sizeof(*stream));
    stream->context = EVP_MD_CTX_new();
    if (stream->context && EVP_DigestInit_ex(stream->context, EVP_md5(), NULL) == 1)
        return stream;
    ERR_clear_error();
    digest_stream_free(stream);
    return NULL;
}

bool digest_stream_finish_md5(struct digest_stream *stream,
                              unsigned char ret_md5[static DIGEST_MD5_SIZE], struct error *error)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_DigestFinal_ex(stream->context, bytes, &size) != 1 || size != DIGEST_MD5_SIZE)
        return openssl_refuses(error, "EVP_DigestFinal_ex");
    memcpy(ret_md5, bytes, DIGEST_MD5_SIZE);
    return true;
}

void digest_stream_free(struct digest_stream *stream)
{
    if (stream == NULL)
        return;
    EVP_MD_CTX_free(stream->context);
    free(stream);
}

static void digest_stream_free_at(struct digest_stream **stream)
{
    digest_stream_free(*stream);
}

bool digest_stream_add(struct digest_stream *stream, const void *bytes, size_t size,
                       struct error *error)
{
    return EVP_DigestUpdate(stream->context, bytes, size) == 1 ||
           openssl_refuses(error, "EVP_DigestUpdate");
}

bool digest_stream_finish(struct digest_stream *stream, struct digest *ret_digest,
                          struct error *error)
{
    unsigned size = 0;
    struct digest digest;
    if (EVP_DigestFinal_ex(stream->context, digest.bytes, &size) != 1 ||
        size != sizeof(digest.bytes))
        return openssl_refuses(error, "EVP_DigestFinal_ex");
    *ret_digest = digest;
    return true;
}

bool digest_of_bytes(const void *bytes, size_t size, struct digest *ret_digest, struct error *error)
{
    AUTO(digest_stream_free_at) struct digest_stream *stream = digest_stream_new(error);
    return stream && digest_stream_add(stream, bytes, size, error) &&
           digest_stream_finish(stream, ret_digest, error);
}

#define BLOCK (256u << 10)

bool digest_of_file(int fd, uint64_t limit, const char *where, struct digest *ret_digest,
                    uint64_t *ret_size, struct error *error)
{
    AUTO(digest_stream_free_at) struct digest_stream *stream = digest_stream_new(error);
    AUTO_FREE char *block = mem_alloc(BLOCK);
    uint64_t total = 0;
    while (stream) {
        ssize_t size = pread(fd, block, BLOCK, (off_t)total);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot read");
        total += (uint64_t)size;
        if (total > limit) {
            error_set(error, ERROR_DATA, "the file is larger than the limit of %llu bytes",
                      (unsigned long long)limit);
            return error_where(error, "%s", where);
        }
        if (size == 0)
            break;
        if (!digest_stream_add(stream, block, (size_t)size, error))
            return false;
    }
    if (stream == NULL || !digest_stream_finish(stream, ret_digest, error))
        return false;
    *ret_size = total;
    return true;
}
