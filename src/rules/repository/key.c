/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "manifest/package/package.h"
#include "rules/engine/finding.h"
#include "rules/repository/judges.h"
#include "rules/repository/run.h"
#include "rules/repository/source.h"

/* Keys of apt's repositories: one that is not there, has expired, or is bound by SHA-1. */
#define KIND     "apt_source"
#define VERIFIER "apt_verifier"

/* Who signs an entry's repository. */
struct signers {
    const struct strlist *keys;           /* NULL: not known */
    const struct manifest_signer *listed; /* the row that says it; NULL: the file that arrived */
};

static bool is_stopped(const struct facts *facts, const char *group)
{
    return string_equal(facts_string(facts, group, "update"), "stopped");
}

/* What arrived last is surer than what the manifest has. */
static struct signers signers_of(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    struct signers signers = {.keys = facts_list(facts, group, "signers")};
    if (signers.keys)
        return signers;
    const char *uri = facts_string(facts, group, "uri");
    signers.listed = uri ? manifest_signer_find(context->manifest, uri) : NULL;
    signers.keys = signers.listed ? &signers.listed->keys : NULL;
    return signers;
}

static size_t count_common(const struct strlist *a, const struct strlist *b)
{
    size_t count = 0;
    for (size_t i = 0; a && b && i < a->count; i++)
        count += strlist_has(b, a->items[i]);
    return count;
}

static bool is_empty(const struct facts *facts, const char *group, const char *name)
{
    const struct strlist *list = facts_list(facts, group, name);
    return list == NULL || list->count == 0;
}

/* The keys with which a signature of these signers can be checked are all of that other list; of
 * unknown signers any key may be the one. */
static bool are_all_in(const struct facts *facts, const char *group, const struct signers *signers,
                       const char *name)
{
    const struct strlist *keys = facts_list(facts, group, "keys");
    const struct strlist *others = facts_list(facts, group, name);
    size_t usable = 0, bad = 0;
    for (size_t i = 0; keys && others && i < keys->count; i++) {
        if (signers->keys && !strlist_has(signers->keys, keys->items[i]))
            continue;
        usable++;
        bad += strlist_has(others, keys->items[i]);
    }
    return usable > 0 && bad == usable;
}

enum key_fault { KEY_RIGHT, KEY_NOT_THERE, KEYRING_NOT_THERE, KEY_EXPIRED, NO_SIGNATURE };

static enum key_fault fault_of(const struct facts *facts, const char *group,
                               const struct signers *signers)
{
    const struct strlist *keys = facts_list(facts, group, "keys");
    if (string_equal(facts_string(facts, group, "update"), "unsigned") &&
        !facts_true(facts, group, "trusted"))
        return NO_SIGNATURE;
    if (keys == NULL || facts_true(facts, group, "trusted") || source_is_joined(facts, group) ||
        !is_empty(facts, group, "unread_keyrings"))
        return KEY_RIGHT;
    if (keys->count == 0 && !is_empty(facts, group, "missing_keyrings"))
        return KEYRING_NOT_THERE;
    if (signers->keys && count_common(signers->keys, keys) == 0)
        return KEY_NOT_THERE;
    /* sqv takes a signature that is older than the key's end. */
    if (string_equal(facts_string(facts, VERIFIER, "program"), "sqv") && !is_stopped(facts, group))
        return KEY_RIGHT;
    return are_all_in(facts, group, signers, "expired_keys") ? KEY_EXPIRED : KEY_RIGHT;
}

static char *joined(const struct strlist *list)
{
    return list && list->count > 0 ? strlist_join(list, ", ") : mem_string("none");
}

static void key_fixes(const struct rule_context *context, struct finding *finding, const char *uri)
{
    AUTO_FREE char *directory = NULL;
    AUTO_FREE char *architecture = NULL;
    const struct manifest_signer *signer = manifest_signer_find(context->manifest, uri);
    if (signer && string_equal(signer->name, "container-toolkit")) {
        finding_fix_command(
            finding, FIX_STEP | NEEDS_ROOT,
            "then let the entry name it: [signed-by=/usr/share/keyrings/"
            "nvidia-container-toolkit-keyring.gpg]; entries of ubuntu18.04 and the like are of "
            "NVIDIA's older instructions",
            "curl -fsSL https://nvidia.github.io/libnvidia-container/gpgkey | sudo gpg --dearmor "
            "-o /usr/share/keyrings/nvidia-container-toolkit-keyring.gpg");
        return;
    }
    if (source_is_cuda(uri, &directory, &architecture) &&
        source_fix_cuda(
            context, finding,
            "the package cuda-keyring has the keys and an entry that names them; remove "
            "the older entry"))
        return;
    finding_fix_note(finding, FIX_ADVICE,
                     "get the current key from the owner of the repository, and write it into the "
                     "keyring that the entry names (cuda-keyring for NVIDIA's CUDA repository)");
}

/* There is no key that would help. */
static void unsigned_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *place = source_place(facts, group);
    struct finding *finding =
        rule_found(context, source_severity(context), "the package repository %s has no signature",
                   facts_string(facts, group, "uri"));
    finding_subject(finding, place);
    finding_why(finding,
                "apt-get update fails (\"is not signed\"), and nothing new can be installed "
                "from there");
    finding_evidence(finding, facts, group, "uri");
    finding_evidence(finding, facts, group, "update");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "ask the owner of the repository to sign it, or use another mirror of it; for "
                     "a repository of your own, write [trusted=yes] into its entry");
}

static void key_found(struct rule_context *context, const char *group, enum key_fault fault,
                      const struct signers *signers)
{
    const struct facts *facts = context->facts;
    const char *uri = facts_string(facts, group, "uri");
    AUTO_FREE char *place = source_place(facts, group);
    AUTO_FREE char *wanted = joined(signers->keys);
    AUTO_FREE char *keyrings = joined(facts_list(facts, group, "keyrings"));
    AUTO_FREE char *missing = joined(facts_list(facts, group, "missing_keyrings"));
    enum severity severity = source_severity(context);
    struct finding *finding;
    if (fault == KEY_EXPIRED)
        finding =
            rule_found(context, severity, "the key of the package repository %s has expired", uri);
    else if (fault == KEYRING_NOT_THERE)
        finding =
            rule_found(context, severity,
                       "the keyring %s of the package repository %s does not exist", missing, uri);
    else
        finding = rule_found(context, severity,
                             "the package repository %s is signed with the key %s, which apt does "
                             "not have",
                             uri, wanted);
    finding_subject(finding, place);
    finding_why(finding,
                "apt-get update fails (\"is not signed\"), and nothing new can be installed from "
                "there; keyrings that apt uses for it: %s",
                keyrings);
    if (signers->listed)
        finding_manifest(finding, signers->listed->id);
    finding_evidence(finding, facts, group, "uri");
    finding_evidence(finding, facts, group, "signed_by");
    finding_evidence(finding, facts, group, "keys");
    finding_evidence(finding, facts, group, "expired_keys");
    finding_evidence(finding, facts, group, "signers");
    key_fixes(context, finding, uri);
}

/* No key helps a package that has no signature. */
static void package_unsigned(struct finding *finding)
{
    finding_why(finding,
                "gpgcheck=1 lets only packages with a signature be installed, and this one "
                "has none");
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "ask the owner of the repository to sign the package; if it is your own, sign "
                     "it (rpmsign --addsign), or write gpgcheck=0 into its .repo file");
}

/* dnf and zypper by their logs, pacman by its keyring. */
static void other_found(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group = NULL;
    bool keyring = true;
    const char *line = run_error(context, "apt_repo_key_rotated", &group);
    struct finding *finding;
    if (line) {
        finding = run_found(context, group, line);
        if (strstr(line, " is not signed")) {
            package_unsigned(finding);
            return;
        }
        finding_why(finding, "packages are checked with the key that gpgkey= in the .repo file "
                             "names; it is missing, or is the wrong key");
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT,
            "name the owner's current key in gpgkey= (for NVIDIA's CUDA repository "
            "D42D0685.pub in its directory), and import that file with sudo rpm --import");
    } else if (context->purpose == PURPOSE_BUILD &&
               facts_boolean(facts, "pacman", "keyring", &keyring) && !keyring) {
        finding = rule_found(context, SEVERITY_FAIL, "pacman has no keyring");
        finding_why(finding, "every package is refused: \"required key missing from keyring\"");
        finding_evidence(finding, facts, "pacman", "keyring");
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                            "sudo pacman-key --init && sudo pacman-key --populate");
    }
}

void judge_apt_repo_key_rotated(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!source_require(context, KIND))
        return;
    for (size_t i = 0; (group = source_next(context, &i)) != NULL;) {
        struct signers signers = signers_of(context, group);
        enum key_fault fault = fault_of(facts, group, &signers);
        if (fault == NO_SIGNATURE) {
            unsigned_found(context, group);
            return;
        }
        if (fault != KEY_RIGHT) {
            key_found(context, group, fault, &signers);
            return;
        }
    }
    other_found(context);
}

/* Whether the signature itself, not the key, is of SHA-1: gpgv and sqv both refuse that. */
static bool signature_is_weak(const struct facts *facts, const char *group)
{
    const struct strlist *signers = facts_list(facts, group, "signers");
    const struct strlist *weak = facts_list(facts, group, "sha1_signers");
    return is_stopped(facts, group) && signers && signers->count > 0 &&
           count_common(signers, weak) == signers->count;
}

static void sha1_fixes(const struct rule_context *context, struct finding *finding, const char *uri,
                       bool signature)
{
    AUTO_FREE char *directory = NULL;
    AUTO_FREE char *architecture = NULL;
    if (signature) {
        finding_fix_note(finding, FIX_ADVICE,
                         "ask the owner of the repository to sign it with SHA-256 or SHA-512");
        return;
    }
    bool fixed = source_is_cuda(uri, &directory, &architecture) &&
                 source_fix_cuda(context, finding,
                                 "the repository of this release has a newer key; remove the entry "
                                 "of the other release");
    if (!fixed)
        finding_fix_note(finding, FIX_ADVICE,
                         "get a newer key, or a newer repository, from its owner");
    finding_fix_command(
        finding, FIX_CHOICE | NEEDS_ROOT | FOR_NOW,
        "for now: let apt accept SHA-1 until that date, at the price of weaker protection",
        "sudo mkdir -p /etc/crypto-policies/back-ends && printf '[hash_algorithms]\\n"
        "sha1.second_preimage_resistance = 2027-02-01\\n' | sudo tee "
        "/etc/crypto-policies/back-ends/apt-sequoia.config");
}

static void sha1_found(struct rule_context *context, const char *group, bool signature)
{
    const struct facts *facts = context->facts;
    const char *uri = facts_string(facts, group, "uri");
    const char *until = facts_string(facts, VERIFIER, "sha1_until");
    AUTO_FREE char *place = source_place(facts, group);
    struct finding *finding =
        rule_found(context, source_severity(context),
                   signature ? "apt rejects the signature of the package repository %s, which uses "
                               "SHA-1 or MD5"
                             : "apt rejects the key of the package repository %s, because its "
                               "self-signature uses SHA-1",
                   uri);
    finding_subject(finding, place);
    if (signature)
        finding_why(finding, "SHA-1 and MD5 have not been accepted for signatures of repositories "
                             "for years; apt-get update fails (\"is not signed\")");
    else
        finding_why(finding,
                    "apt checks with sqv here, whose policy has not accepted SHA-1 since %s; "
                    "apt-get update fails (\"is not signed\")",
                    until ? until : "some time");
    finding_evidence(finding, facts, group, "uri");
    finding_evidence(finding, facts, group, signature ? "sha1_signers" : "sha1_keys");
    finding_evidence(finding, facts, VERIFIER, "program");
    finding_evidence(finding, facts, VERIFIER, "sha1_until");
    sha1_fixes(context, finding, uri, signature);
}

void judge_apt_key_sha1_rejected(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!source_require(context, KIND) || !rule_require_fact(context, VERIFIER, "sha1_rejected"))
        return;
    bool rejected = facts_true(facts, VERIFIER, "sha1_rejected");
    for (size_t i = 0; (group = source_next(context, &i)) != NULL;) {
        if (facts_true(facts, group, "trusted") || !is_empty(facts, group, "unread_keyrings"))
            continue;
        struct signers signers = signers_of(context, group);
        bool signature = signature_is_weak(facts, group);
        if (signature || (rejected && are_all_in(facts, group, &signers, "sha1_keys"))) {
            sha1_found(context, group, signature);
            return;
        }
    }
}
