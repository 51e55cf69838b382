/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "install/fetch/fetch_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *transfer_name(const struct transfer *transfer)
{
    return path_base(transfer->item->path);
}

static const char *const advices[] = {
    [FAULT_NONE] = "name another --mirror",
    [FAULT_STATUS] = "check whether the mirror has the file (files are at "
                     "MIRROR/compute/PRODUCT/redist/…), or name another --mirror",
    [FAULT_PROXY] = "check the proxy that the variable names (http://USER:PASSWORD@HOST:PORT if "
                    "the proxy needs credentials), or exclude the host with no_proxy",
    [FAULT_RESOLVE] = "check the network and DNS, or name another --mirror; if this network needs "
                      "a proxy, set https_proxy or http_proxy",
    [FAULT_CONNECT] = "check the network, or name another --mirror; if this network needs a proxy, "
                      "set https_proxy or http_proxy",
    [FAULT_CUT] = "run the same command again to resume the download",
    [FAULT_STALLED] = "run the same command again to resume the download; --timeout SEC gives a "
                      "slow server more time",
    [FAULT_TLS] = "TLS 1.2 or newer is needed: name another --mirror",
    [FAULT_CERTIFICATE] =
        "check the host name; name your own CA with --cacert FILE or SSL_CERT_FILE (the package "
        "ca-certificates contains the public CAs); checking cannot be turned off",
    [FAULT_RANGE] = "name another --mirror",
    [FAULT_WRONG] = "the mirror has a different file under this name: name another --mirror",
    [FAULT_DIGEST] = "the mirror has a different file under this name: name another --mirror; if "
                     "the mirror is NVIDIA's own server, report this to gpuenv",
    [FAULT_REDIRECT] = "if you trust the redirect's target, use that address as --mirror",
    [FAULT_OTHER] = "name another --mirror",
};

static bool is_directory(const struct transfer *transfer)
{
    const struct mirror *mirror = transfer_mirror(transfer, 0);
    return mirror && mirror->is_directory;
}

static bool has_none(const struct transfer *transfer)
{
    long status = transfer->request.answer.status;
    return is_directory(transfer) || status == 404 || status == 410;
}

/* Of archives. */
static bool is_list(const struct transfer *transfer)
{
    return string_starts(transfer_name(transfer), "redistrib_");
}

static bool is_by_proxy(const struct transfer *transfer, const char *url)
{
    AUTO_FREE char *proxy = transfer->request.direct ? NULL : http_proxy_shown(url);
    return proxy != NULL;
}

/* 407 is a proxy's where there is one; 5xx and "not now" may be over in an hour. */
static const char *advice_of_status(const struct transfer *transfer, const char *url)
{
    long status = transfer->request.answer.status;
    if (status == 407 && is_by_proxy(transfer, url))
        return advices[FAULT_PROXY];
    if (status == 408 || status == 429 || status >= 500)
        return "try again later, or name another --mirror; the downloads are kept";
    if (has_none(transfer) && is_list(transfer))
        return "name a version that the mirror has (its lists are "
               "MIRROR/compute/PRODUCT/redist/redistrib_VERSION.json), or another --mirror";
    return advices[FAULT_STATUS];
}

static const char *advice_of_wrong(const struct transfer *transfer)
{
    if (is_directory(transfer))
        return "copy that file into the directory again, or name another --mirror";
    if (transfer_is_page(transfer))
        return "check whether a proxy or a login page answers instead of the mirror, or name "
               "another --mirror";
    if (*transfer->request.answer.encoding)
        return "files must arrive unchanged: name a --mirror that does not encode files, and check "
               "whether a proxy does";
    return advices[FAULT_WRONG];
}

/* What speaks something else on that port is no server of an old TLS. */
static bool is_no_tls(const struct transfer *transfer)
{
    static const char *const signs[] = {"wrong version number", "unexpected TLS packet",
                                        "http request", "packet length too long"};
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (string_contains_nocase(transfer->request.words, signs[i]))
            return true;
    return false;
}

static const char *advice_of(const struct transfer *transfer, const char *url,
                             enum fetch_fault fault)
{
    bool can_go_on = transfer->have > 0 && transfer->item->sha256 && transfer->item->size > 0;
    switch (fault) {
    case FAULT_STATUS:
        return advice_of_status(transfer, url);
    case FAULT_WRONG:
        return advice_of_wrong(transfer);
    case FAULT_RESOLVE:
    case FAULT_CONNECT:
        return is_by_proxy(transfer, url)
                   ? "check the network and the proxy, or name another --mirror"
                   : advices[fault];
    case FAULT_CUT:
        return can_go_on ? advices[fault] : "try again later, or name another --mirror";
    case FAULT_STALLED:
        return can_go_on ? advices[fault]
                         : "try again later, with a larger --timeout SEC for a slow server, or "
                           "name another --mirror";
    case FAULT_TLS:
        return is_no_tls(transfer) ? "the server does not use TLS: check the port and the proxy, "
                                     "or name another --mirror"
                                   : advices[fault];
    default:
        return advices[fault];
    }
}

static char *advice_for_clock(void)
{
    char text[64];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
    return mem_printf("check this machine's clock, which says %s; if the clock is right, the "
                      "server's certificate is wrong: name another --mirror",
                      text);
}

void transfer_fail_mirror(struct transfer *transfer, const char *url, enum fetch_fault fault,
                          const char *format, ...)
{
    AUTO_TEXT struct text reason = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&reason, format, arguments);
    va_end(arguments);
    text_printf(&transfer->failures, "%s%s: %s", transfer->failure_count > 0 ? "; " : "", url,
                text_string(&reason));
    transfer->failure_count++;
    transfer->has_wrong |= fault == FAULT_WRONG || fault == FAULT_DIGEST;
    transfer->is_gone |= fault == FAULT_STATUS && has_none(transfer);
    free(transfer->last_url);
    free(transfer->last_reason);
    free(transfer->advice);
    transfer->last_url = mem_string(url);
    transfer->last_reason = text_steal(&reason);
    transfer->advice = fault == FAULT_CERTIFICATE && transfer->request.wrong_date
                           ? advice_for_clock()
                           : mem_string(advice_of(transfer, url, fault));
    if (transfer_mirror(transfer, 1) == NULL)
        return;
    AUTO_FREE char *safe_url = string_safe(url);
    AUTO_FREE char *safe_reason = string_safe(transfer->last_reason);
    progress_note(transfer->fetch->options.progress, "%s: %s; asking the next mirror", safe_url,
                  safe_reason);
}

bool transfer_fail(const struct transfer *transfer, struct error *error)
{
    error_set(error, transfer->has_wrong ? ERROR_DATA : ERROR_UNAVAILABLE, "cannot fetch %s",
              transfer_name(transfer));
    if (transfer->failure_count == 0) {
        error_where(error, "%s", transfer->item->path);
        return error_why(error, "there is no mirror to ask");
    }
    bool is_only = transfer->failure_count == 1;
    error_where(error, "%s", is_only ? transfer->last_url : transfer->item->path);
    error_why(error, "%s", is_only ? transfer->last_reason : text_string(&transfer->failures));
    if (transfer->fetch->options.lock == NULL || !(transfer->has_wrong || transfer->is_gone))
        return error_next(error, "%s", transfer->advice);
    error_prefix(error, "the lock file %s has a different checksum for this file",
                 transfer->fetch->options.lock);
    return error_next(error,
                      "name a --mirror that still has the locked file, or create a new lock file: "
                      "remove the old lock file and run the same command without --locked");
}

bool fetch_fail_offline(const struct fetch *fetch, struct error *error)
{
    AUTO_TEXT struct text missing = {0};
    size_t count = 0, lists = 0;
    for (size_t i = 0; i < fetch->count; i++) {
        if (transfer_is_local(&fetch->transfers[i]))
            continue;
        lists += is_list(&fetch->transfers[i]) ? 1 : 0;
        text_printf(&missing, "%s%s", count > 0 ? ", " : "", fetch->transfers[i].item->path);
        count++;
    }
    if (count == 0)
        return true;
    error_set(error, ERROR_UNAVAILABLE,
              count == 1 ? "%zu file is missing, and --offline allows no connection"
                         : "%zu files are missing, and --offline allows no connection",
              count);
    error_where(error, "%s", text_string(&missing));
    if (lists > 0)
        return error_next(
            error, "run the command once without --offline, name a directory that has the files "
                   "with --mirror DIR, or request versions whose redistrib_VERSION.json is there");
    return error_next(error, "run the command once without --offline, or give the files with "
                             "--archive FILE or a directory with --mirror DIR");
}

/* The first note has the address. */
void transfer_note_retry(struct transfer *transfer, uint64_t wait_ms)
{
    bool is_first = transfer->noted == NULL;
    bool is_same = string_equal(transfer->noted, transfer->why);
    AUTO_FREE char *which = string_safe(is_first ? transfer->url : transfer_name(transfer));
    AUTO_FREE char *why = string_safe(is_same ? "the same again" : transfer->why);
    progress_note(transfer->fetch->options.progress, "%s: %s; try %u of %d in %.1f s", which, why,
                  transfer->tries + 1, FETCH_TRIES, (double)wait_ms / 1000);
    free(transfer->noted);
    transfer->noted = mem_string(transfer->why);
}

void transfer_note_restart(const struct transfer *transfer)
{
    AUTO_FREE char *safe_url = string_safe(transfer->url);
    AUTO_FREE char *safe_why = string_safe(transfer->why);
    progress_note(transfer->fetch->options.progress,
                  "%s: %s; asking for the whole file instead of the rest", safe_url, safe_why);
}
