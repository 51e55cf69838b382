/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/repository/judges.h"
#include "rules/repository/run.h"
#include "rules/repository/source.h"

/* Downloads that cannot work: nothing trusted, a proxy that is not trusted, a page for an answer.
 */
#define KIND  "apt_source"
#define TRUST "trust"

static bool is_https(const char *uri)
{
    return uri && string_starts(uri, "https://");
}

/* A page, or something else, in the place of a signed file or of an index. */
static const char *answered_by_page(const struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    for (size_t i = 0; (group = source_next(context, &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "update"), "refused") ||
            facts_true(facts, group, "index_page"))
            return group;
    return NULL;
}

static void page_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *uri = facts_string(facts, group, "uri");
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "what arrived from the package repository %s is not its package list", uri);
    finding_subject(finding, uri);
    finding_why(finding, "a proxy or a network that asks for a login answers with a page of its "
                         "own: \"Clearsigned file isn't valid\"; nothing can be installed from "
                         "there");
    finding_evidence(finding, facts, group, "update");
    finding_evidence(finding, facts, group, "arrived");
    finding_evidence(finding, facts, group, "index_page");
    finding_evidence(finding, facts, "download", "apt_proxies");
    finding_fix_note(finding, FIX_ADVICE,
                     "see what answers (curl -v ADDRESS/InRelease); log in to the network, or let "
                     "the proxy pass this host (Acquire::http::Proxy in /etc/apt/apt.conf.d)");
}

/* An entry that is reached by https; NULL: none. */
static const char *https_entry(const struct rule_context *context)
{
    const char *group;
    for (size_t i = 0; (group = source_next(context, &i)) != NULL;)
        if (is_https(facts_string(context->facts, group, "uri")))
            return group;
    return NULL;
}

/* An entry that apt reaches without a certificate. */
static bool has_plain_entry(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, KIND, &i)) != NULL;) {
        const char *uri = facts_string(facts, group, "uri");
        if (uri && !is_https(uri))
            return true;
    }
    return false;
}

static void bundle_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "no certificates are installed (package ca-certificates), and the package "
                   "repository %s is reached by https",
                   facts_string(facts, group, "uri"));
    finding_subject(finding, "ca-certificates");
    finding_why(finding, "every download by https fails: \"Certificate verification failed: The "
                         "certificate is NOT trusted\"");
    finding_evidence(finding, facts, TRUST, "bundle");
    finding_evidence(finding, facts, group, "uri");
    if (has_plain_entry(facts))
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "from the repository that is reached by http",
                            "sudo apt-get install ca-certificates");
    else
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "every repository is reached by https: for this installation alone "
                            "apt does not look at the certificate; it checks the signature of the "
                            "repository all the same",
                            "sudo apt-get -o Acquire::https::Verify-Peer=false update && sudo "
                            "apt-get -o Acquire::https::Verify-Peer=false install ca-certificates");
}

/* A proxy, or an index of the company's own, that its certificate may be for. */
static const char *reason_for_certificate(const struct facts *facts, const char **ret_group)
{
    static const char *const variables[] = {"https_proxy", "HTTPS_PROXY", "all_proxy"};
    const struct strlist *indexes = facts_list(facts, "download", "pip_indexes");
    const struct strlist *proxies = facts_list(facts, "download", "apt_proxies");
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (facts_string(facts, "environment", variables[i])) {
            *ret_group = "environment";
            return variables[i];
        }
    *ret_group = "download";
    if (proxies && proxies->count > 0)
        return "apt_proxies";
    for (size_t i = 0; indexes && i < indexes->count; i++)
        if (is_https(indexes->items[i]))
            return "pip_indexes";
    return NULL;
}

static void untrusted_found(struct rule_context *context, const char *group, const char *name)
{
    const struct facts *facts = context->facts;
    const char *file = facts_list(facts, TRUST, "untrusted")->items[0];
    bool rpm = string_starts(file, "/etc/pki/ca-trust/");
    bool arch = string_starts(file, "/etc/ca-certificates/");
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "the certificate %s was added, and is not among the trusted ones", file);
    finding_subject(finding, file);
    finding_why(finding,
                "downloads go through a proxy or to an index of your own (%s); TLS connections "
                "that are opened with this certificate fail (CERTIFICATE_VERIFY_FAILED)",
                name);
    finding_evidence(finding, facts, TRUST, "untrusted");
    finding_evidence(finding, facts, TRUST, "bundle");
    finding_evidence(finding, facts, group, name);
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        "pip and other programs with a list of their own: also "
                        "REQUESTS_CA_BUNDLE, or pip config set global.cert",
                        rpm || arch ? "sudo update-ca-trust" : "sudo update-ca-certificates");
}

/* By the log of dnf or zypper, or a database of pacman's that is a page. */
static void other_found(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const struct strlist *pages = facts_list(facts, "pacman", "pages");
    const char *group = NULL;
    const char *line = run_error(context, "tls_or_proxy_download_failure", &group);
    struct finding *finding;
    if (line)
        finding = run_found(context, group, line);
    else if (pages && pages->count > 0)
        finding = rule_found(context, source_severity(context),
                             "%s is a web page, not a package database", pages->items[0]);
    else
        return;
    finding_why(finding, "a proxy or a network that asks for a login answers in the place of the "
                         "repository, or opens its TLS connections");
    finding_evidence(finding, facts, "pacman", "pages");
    finding_fix_note(finding, FIX_ADVICE,
                     "see what answers (curl -v ADDRESS); log in to the network, set the proxy for "
                     "the package manager, or trust the proxy's certificate (update-ca-trust)");
}

void judge_tls_or_proxy_download_failure(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!source_require(context, KIND) || !rule_require_fact(context, TRUST, "bundle") ||
        !rule_require_fact(context, TRUST, "untrusted"))
        return;
    const struct strlist *untrusted = facts_list(facts, TRUST, "untrusted");
    const char *page = answered_by_page(context);
    bool package = true;
    bool none = facts_string(facts, TRUST, "bundle") == NULL &&
                facts_boolean(facts, TRUST, "package", &package) && !package;
    const char *https = none ? https_entry(context) : NULL;
    const char *group = NULL;
    const char *name = NULL;
    if (page)
        page_found(context, page);
    else if (https)
        bundle_found(context, https);
    else if (untrusted && untrusted->count > 0 && context->purpose == PURPOSE_BUILD &&
             (name = reason_for_certificate(facts, &group)) != NULL)
        untrusted_found(context, group, name);
    else
        other_found(context);
}
