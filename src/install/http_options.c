/* SPDX-License-Identifier: MIT */
#include "install/http_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "host/clock.h"

#define BUFFER_SIZE (256L << 10)

/* The value of a header line of that name, without spaces at its ends and what is not printable;
 * false: another header. */
static bool header_value(const char *line, size_t size, const char *name, char *value, size_t room)
{
    size_t length = strlen(name), at = 0;
    if (size <= length || strncasecmp(line, name, length) != 0 || line[length] != ':')
        return false;
    for (size_t i = length + 1; i < size && at + 1 < room; i++)
        if (at > 0 || !isspace((unsigned char)line[i]))
            value[at++] = line[i] >= 0x20 && line[i] < 0x7f ? line[i] : ' ';
    while (at > 0 && value[at - 1] == ' ')
        at--;
    value[at] = '\0';
    return true;
}

/* A number without sign that ends with the character end; *cursor is then behind that. */
static bool take_number(const char **cursor, char end, int64_t *ret_value)
{
    size_t size = strspn(*cursor, "0123456789");
    if (size == 0 || size > 18 || (*cursor)[size] != end)
        return false;
    *ret_value = strtoll(*cursor, NULL, 10);
    *cursor += end ? size + 1 : size;
    return true;
}

/* "bytes 5-99/100", and "*" for a length that is not known (RFC 9110, 14.4). */
static void parse_range(const char *value, struct http_answer *answer)
{
    int64_t start, end, total = -1;
    const char *cursor = value + strlen("bytes ");
    if (strncasecmp(value, "bytes ", strlen("bytes ")) != 0 || !take_number(&cursor, '-', &start) ||
        !take_number(&cursor, '/', &end) || end < start)
        return;
    if (!string_equal(cursor, "*") && !take_number(&cursor, '\0', &total))
        return;
    answer->range_start = start;
    answer->range_total = total;
}

static size_t on_header(char *line, size_t one, size_t size, void *data)
{
    struct http_transfer *transfer = data;
    struct http_answer *answer = &transfer->request->answer;
    char value[64];
    (void)one;
    transfer->last_ms = clock_ms();
    transfer->window_bytes += size;
    if (size > 5 && memcmp(line, "HTTP/", 5) == 0) /* an answer begins; a 100 came before it */
        *answer = (struct http_answer){.length = -1, .range_start = -1, .range_total = -1};
    if (header_value(line, size, "content-range", value, sizeof(value)))
        parse_range(value, answer);
    header_value(line, size, "content-encoding", answer->encoding, sizeof(answer->encoding));
    if (header_value(line, size, "content-type", answer->type, sizeof(answer->type))) {
        answer->type[strcspn(answer->type, "; ")] = '\0';
        for (char *c = answer->type; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    }
    return size;
}

static void take_answer(struct http_transfer *transfer)
{
    struct http_answer *answer = &transfer->request->answer;
    curl_off_t length = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    answer->length = length;
}

static size_t on_body(char *bytes, size_t one, size_t size, void *data)
{
    struct http_transfer *transfer = data;
    struct http_request *request = transfer->request;
    (void)one;
    if (request->answer.status == 0)
        take_answer(transfer);
    transfer->window_bytes += size;
    request->stopped = !request->take(request, bytes, size);
    transfer->last_ms = clock_ms(); /* after a disk that was slow to take them */
    return request->stopped ? 0 : size;
}

/* The curl tool reads these, libcurl does not. */
static CURLcode set_ca(CURL *easy)
{
    const char *bundle = getenv("CURL_CA_BUNDLE");
    const char *directory = NULL;
    CURLcode code = CURLE_OK;
    if (bundle == NULL || *bundle == '\0') {
        bundle = getenv("SSL_CERT_FILE");
        directory = getenv("SSL_CERT_DIR");
    }
    if (bundle && *bundle) {
        code = curl_easy_setopt(easy, CURLOPT_CAINFO, bundle);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, bundle);
    }
    if (code == CURLE_OK && directory && *directory) {
        code = curl_easy_setopt(easy, CURLOPT_CAPATH, directory);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, directory);
    }
    return code;
}

static CURLcode set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static CURLcode set_trust(CURL *easy)
{
    const struct {
        CURLoption option;
        long value;
    } options[] = {
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
        {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2}, /* and newer */
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
        {CURLOPT_HTTP_CONTENT_DECODING, 0},
        {CURLOPT_HTTP09_ALLOWED, 0},
        {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    };
    CURLcode code = CURLE_OK;
    for (size_t i = 0; i < sizeof(options) / sizeof(*options) && code == CURLE_OK; i++)
        code = curl_easy_setopt(easy, options[i].option, options[i].value);
    return code;
}

/* Several connections are faster than one that is shared, so HTTP/1.1. */
static CURLcode set_transport(CURL *easy, unsigned timeout_s, struct curl_slist *headers)
{
    CURLcode code = curl_easy_setopt(easy, CURLOPT_USERAGENT, "gpuenv/" GPUENV_VERSION);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, BUFFER_SIZE);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_s * 1000);
    return code;
}

static CURLcode set_request(struct http_transfer *transfer)
{
    CURL *easy = transfer->easy;
    const struct http_request *request = transfer->request;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, request->url);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->request->words);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    if (code == CURLE_OK && transfer->range)
        code = curl_easy_setopt(easy, CURLOPT_RANGE, transfer->range);
    if (code == CURLE_OK && request->direct)
        code = curl_easy_setopt(easy, CURLOPT_PROXY, "");
    return code;
}

bool http_set_options(struct http_transfer *transfer, unsigned timeout_s,
                      struct curl_slist *headers, struct error *error)
{
    _Static_assert(sizeof(transfer->request->words) >= CURL_ERROR_SIZE, "room for its words");
    CURL *easy = transfer->easy;
    CURLcode code = set_protocols(easy);
    if (code == CURLE_OK)
        code = set_trust(easy);
    if (code == CURLE_OK)
        code = set_ca(easy);
    if (code == CURLE_OK)
        code = set_transport(easy, timeout_s, headers);
    if (code == CURLE_OK)
        code = set_request(transfer);
    if (code == CURLE_OK)
        return true;
    error_set(error, ERROR_INTERNAL, "libcurl refuses an option of a transfer");
    error_where(error, "%s", transfer->request->url);
    return error_why(error, "%s", curl_easy_strerror(code));
}

static const struct {
    CURLcode code;
    enum fetch_fault fault;
} faults[] = {
    {CURLE_OK, FAULT_NONE},
    {CURLE_COULDNT_RESOLVE_HOST, FAULT_RESOLVE},
    {CURLE_COULDNT_RESOLVE_PROXY, FAULT_RESOLVE},
    {CURLE_COULDNT_CONNECT, FAULT_CONNECT},
    {CURLE_OPERATION_TIMEDOUT, FAULT_CONNECT}, /* no other time is bounded by libcurl */
    {CURLE_PROXY, FAULT_CONNECT},
    {CURLE_PARTIAL_FILE, FAULT_CUT},
    {CURLE_GOT_NOTHING, FAULT_CUT},
    {CURLE_SEND_ERROR, FAULT_CUT},
    {CURLE_RECV_ERROR, FAULT_CUT},
    {CURLE_SSL_CONNECT_ERROR, FAULT_TLS},
    {CURLE_SSL_CIPHER, FAULT_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, FAULT_CERTIFICATE},
    {CURLE_SSL_CACERT_BADFILE, FAULT_CERTIFICATE},
    {CURLE_SSL_CERTPROBLEM, FAULT_CERTIFICATE},
    {CURLE_SSL_ISSUER_ERROR, FAULT_CERTIFICATE},
};

static enum fetch_fault fault_of(CURLcode code)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
        if (faults[i].code == code)
            return faults[i].fault;
    return FAULT_OTHER;
}

/* X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED where libcurl is with OpenSSL. */
static bool is_wrong_date(CURL *easy, const char *words)
{
    long result = 0;
    curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &result);
    return result == 9 || result == 10 || string_contains_nocase(words, "expired") ||
           string_contains_nocase(words, "not yet");
}

void http_take_result(struct http_transfer *transfer, CURLcode code)
{
    struct http_request *request = transfer->request;
    char *redirect = NULL;
    curl_off_t retry_after = 0;
    take_answer(transfer);
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &request->answer.proxy_status);
    curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after);
    curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &redirect);
    request->answer.retry_after_s = retry_after;
    request->redirect = mem_string(redirect);
    request->fault = fault_of(code);
    if (request->fault != FAULT_NONE && request->answer.proxy_status >= 300)
        request->fault = FAULT_PROXY;
    if (code != CURLE_OK && *request->words == '\0')
        snprintf(request->words, sizeof(request->words), "%s", curl_easy_strerror(code));
    request->wrong_date =
        request->fault == FAULT_CERTIFICATE && is_wrong_date(transfer->easy, request->words);
}
