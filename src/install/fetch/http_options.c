/* SPDX-License-Identifier: MIT */
#include "install/fetch/http_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/root/clock.h"
#include "install/fetch/certificates.h"

#define BUFFER_SIZE (256L << 10)

static void take_location(struct http_transfer *transfer, const char *line, size_t size)
{
    size_t length;
    const char *value = http_header_value(line, size, "location", &length);
    if (value == NULL || length == 0)
        return;
    free(transfer->location);
    transfer->location = mem_string_n(value, length);
}

static size_t on_header(char *line, size_t one, size_t size, void *data)
{
    struct http_transfer *transfer = data;
    struct http_answer *answer = &transfer->request->answer;
    (void)one;
    transfer->last_ms = clock_ms();
    transfer->window_bytes += size;
    transfer->header_bytes += size;
    if (transfer->header_bytes > HTTP_HEADERS_MAX)
        return 0;
    if (answer->status == 0) { /* a trailer, behind the body, says nothing of it any more */
        if (http_answer_take_line(answer, line, size))
            free(mem_steal(&transfer->location));
        take_location(transfer, line, size);
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

/* Where a certificate is checked: the server's, or that of a proxy by https. */
static bool is_checked(const char *url)
{
    AUTO_FREE char *proxy = http_proxy_shown(url);
    return strncasecmp(url, "https:", 6) == 0 || (proxy && strstr(proxy, "=https:"));
}

/* Whether libcurl was built to know its distribution's. */
static bool has_default_certificates(void)
{
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    return info->age >= CURLVERSION_SEVENTH && (info->cainfo || info->capath);
}

static CURLcode set_certificates(CURL *easy, const struct certificates *certificates)
{
    CURLcode code = CURLE_OK;
    if (certificates->file) {
        code = curl_easy_setopt(easy, CURLOPT_CAINFO, certificates->file);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, certificates->file);
    }
    if (code == CURLE_OK && certificates->directory) {
        code = curl_easy_setopt(easy, CURLOPT_CAPATH, certificates->directory);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, certificates->directory);
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

bool http_set_options(struct http_transfer *transfer, const struct http_settings *settings,
                      struct curl_slist *headers, struct error *error)
{
    bool has_default = has_default_certificates();
    const struct certificates certificates = certificates_choose(settings->cacert, has_default, "");
    _Static_assert(sizeof(transfer->request->words) >= CURL_ERROR_SIZE, "room for its words");
    CURL *easy = transfer->easy;
    if (is_checked(transfer->request->url) &&
        !certificates_usable(&certificates, has_default, error))
        return false;
    CURLcode code = set_protocols(easy);
    if (code == CURLE_OK)
        code = set_trust(easy);
    if (code == CURLE_OK)
        code = set_certificates(easy, &certificates);
    if (code == CURLE_OK)
        code = set_transport(easy, settings->timeout_s, headers);
    if (code == CURLE_OK)
        code = set_request(transfer);
    if (code == CURLE_OK)
        return true;
    error_set(error, ERROR_INTERNAL, "libcurl refuses an option for a transfer");
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

/* libcurl 7.88 says "out of memory" of a line that is longer than it takes (where memory really is
 * out, its allocator ends the process). Newer ones say CURLE_TOO_LARGE, which older headers lack.
 */
#define CODE_TOO_LARGE 100

/* libcurl 7.88 tells by the code, later ones only by what came before. */
static bool is_behind_body(CURL *easy, CURLcode code)
{
    curl_off_t bytes = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
    return code == CURLE_RECV_ERROR || bytes > 0;
}

/* Fills words; true: the head, or what is behind the body, is more than is taken. */
static bool set_words(struct http_transfer *transfer, CURLcode code)
{
    char *words = transfer->request->words;
    size_t room = sizeof(transfer->request->words);
    bool is_too_large = (int)code == CODE_TOO_LARGE && *words == '\0';
    if (code == CURLE_OK)
        return false;
    if (*words == '\0')
        snprintf(words, room, "%s", curl_easy_strerror(code));
    if (transfer->header_bytes > HTTP_HEADERS_MAX)
        snprintf(words, room, "more than %u KiB of header lines", HTTP_HEADERS_MAX >> 10);
    else if (is_too_large || string_contains_nocase(words, "out of memory"))
        snprintf(words, room, "a header line is longer than libcurl accepts (%s)",
                 is_behind_body(transfer->easy, code) ? "4 KiB after a body" : "100 KiB");
    else /* a proxy's answer to CONNECT */
        return string_contains_nocase(words, "too large");
    return true;
}

/* Where location leads from url, by libcurl's own reading. CURLINFO_REDIRECT_URL will not do:
 * libcurl 8.23 leaves credentials out, which url_may_follow() has to see. NULL: nowhere. */
static char *redirect_of(const char *url, const char *location)
{
    char *read = NULL, *ret_redirect = NULL;
    CURLU *parts = curl_url();
    if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_set(parts, CURLUPART_URL, location, CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE) ==
            CURLUE_OK &&
        curl_url_get(parts, CURLUPART_URL, &read, 0) == CURLUE_OK)
        ret_redirect = mem_string(read);
    curl_free(read);
    curl_url_cleanup(parts);
    return ret_redirect;
}

void http_take_result(struct http_transfer *transfer, CURLcode code)
{
    struct http_request *request = transfer->request;
    curl_off_t retry_after = 0;
    take_answer(transfer);
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &request->answer.proxy_status);
    curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after);
    if (request->answer.retry_after_s == 0)
        request->answer.retry_after_s = retry_after; /* a date */
    if (transfer->location)
        request->redirect = redirect_of(request->url, transfer->location);
    request->fault = set_words(transfer, code) ? FAULT_OTHER : fault_of(code);
    if (request->fault != FAULT_NONE && request->answer.proxy_status >= 300)
        request->fault = FAULT_PROXY;
    request->wrong_date =
        request->fault == FAULT_CERTIFICATE && is_wrong_date(transfer->easy, request->words);
}
