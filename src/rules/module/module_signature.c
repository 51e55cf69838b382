/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module.h"
#include "rules/remedy/remedy.h"

/* secure_boot_rejects_module: the module is there, and the kernel accepts signed modules alone. */

/* Why unsigned modules are refused; NULL: they are not, as far as is known. */
static const char *enforcement(const struct facts *facts, const struct module_state *state,
                               struct finding *finding)
{
    const char *lockdown = facts_string(facts, "secure_boot", "lockdown");
    if (facts_true(facts, "machine", "secure_boot") &&
        !facts_true(facts, "secure_boot", "validation_disabled")) {
        if (finding)
            finding_evidence(finding, facts, "machine", "secure_boot");
        return "Secure Boot is on";
    }
    if (facts_true(facts, "secure_boot", "sig_enforce")) {
        if (finding)
            finding_evidence(finding, facts, "secure_boot", "sig_enforce");
        return "the kernel enforces signatures (sig_enforce)";
    }
    if (lockdown && !string_equal(lockdown, "none")) {
        if (finding)
            finding_evidence(finding, facts, "secure_boot", "lockdown");
        return "the kernel is locked down";
    }
    if (state->kernel && facts_true(facts, state->kernel, "signature_forced")) {
        if (finding)
            finding_evidence(finding, facts, state->kernel, "signature_forced");
        return "the kernel was built to load only signed modules";
    }
    return NULL;
}

enum trust { TRUST_YES, TRUST_NO, TRUST_DOUBT };

static bool names(const struct strlist *list, const char *item)
{
    return list && item && strlist_has(list, item);
}

static bool has_list(const struct facts *facts, const char *name)
{
    const struct fact *fact = facts_get(facts, "secure_boot", name);
    return fact && (fact->state == FACT_VALUE || fact->state == FACT_ABSENT);
}

/* Whoever builds kernels vouches for these himself: their certificate is in the kernel. */
static bool is_distributions(const char *signer)
{
    static const char *const words[] = {
        "Canonical", "Debian Secure Boot", "Fedora kernel", "Red Hat", "CentOS",
        "Rocky",     "AlmaLinux",          "Oracle",        "SUSE"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(signer, words[i]))
            return true;
    return false;
}

/* A key that was made on a machine, for its modules. */
static bool is_local(const struct facts *facts, const char *signer, const char *serial)
{
    static const char *const words[] = {"DKMS module signing key", "Module Signature key", "akmods",
                                        "Local"};
    if (names(facts_list(facts, "secure_boot", "local_keys"), signer) ||
        names(facts_list(facts, "secure_boot", "local_serials"), serial))
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(signer, words[i]))
            return true;
    return false;
}

/* A serial number says which certificate of that issuer it is: two issuers may count alike. A
 * record of before has no issuers. */
static bool is_issued(const struct facts *facts, const char *signer, const char *serial)
{
    const struct strlist *serials = facts_list(facts, "secure_boot", "enrolled_serials");
    const struct strlist *issuers = facts_list(facts, "secure_boot", "enrolled_issuers");
    bool paired = serials && issuers && serials->count == issuers->count;
    for (size_t i = 0; serials && serial && i < serials->count; i++)
        if (string_equal(serials->items[i], serial) &&
            (!paired || string_equal(issuers->items[i], signer)))
            return true;
    return false;
}

/* A certificate of that name whose serial number is no other. A key made on a machine signs itself,
 * so that its name must be there; others' modules name who issued the key. */
static bool is_enrolled(const struct facts *facts, const char *signer, const char *serial)
{
    const struct strlist *keys = facts_list(facts, "secure_boot", "enrolled");
    const struct strlist *serials = facts_list(facts, "secure_boot", "enrolled_serials");
    bool paired = keys && serials && keys->count == serials->count && serial;
    for (size_t i = 0; keys && i < keys->count; i++)
        if (string_equal(keys->items[i], signer) &&
            (!paired || string_equal(serials->items[i], serial)))
            return true;
    return is_issued(facts, signer, serial) && !is_local(facts, signer, serial);
}

/* Whether the kernel takes the module at its signature. */
static enum trust trust_of(const struct facts *facts, const struct module_state *state)
{
    bool is_signed;
    const char *signer = facts_string(facts, state->file, "signer");
    const char *serial = facts_string(facts, state->file, "signer_serial");
    if (facts_boolean(facts, state->file, "signed", &is_signed) && !is_signed)
        return TRUST_NO;
    if (signer == NULL)
        return TRUST_DOUBT;
    if (is_enrolled(facts, signer, serial) ||
        names(facts_list(facts, "secure_boot", "kernel_keys"), signer))
        return TRUST_YES;
    if (is_distributions(signer))
        return TRUST_YES;
    if (facts_list(facts, "secure_boot", "kernel_keys"))
        return TRUST_NO;
    return is_local(facts, signer, serial) && has_list(facts, "enrolled") ? TRUST_NO : TRUST_DOUBT;
}

bool module_signature_is_trusted(const struct facts *facts, const struct module_state *state)
{
    return state->file && trust_of(facts, state) == TRUST_YES;
}

/* "it has no signature", "it is signed with the key …"; free() it. */
static char *signature_words(const struct facts *facts, const struct module_state *state,
                             enum trust trust)
{
    const char *signer = facts_string(facts, state->file, "signer");
    bool is_signed;
    if (facts_boolean(facts, state->file, "signed", &is_signed) && !is_signed)
        return mem_string("its file is not signed");
    if (signer == NULL)
        return mem_string("it is not known which key signed the module");
    return mem_printf("the module is signed with the key \"%s\", %s", signer,
                      trust == TRUST_NO ? "which is not enrolled in the firmware (MOK)"
                                        : "and nothing here shows that this key is enrolled (MOK)");
}

/* The certificate that the module was signed with, else one that the distribution makes for its own
 * modules. */
static const char *certificate(const struct facts *facts, const char *signer)
{
    const struct strlist *paths = facts_list(facts, "secure_boot", "local_key_paths");
    const struct strlist *keys = facts_list(facts, "secure_boot", "local_keys");
    bool paired = paths && keys && paths->count == keys->count;
    for (size_t i = 0; paired && signer && i < keys->count; i++)
        if (string_equal(keys->items[i], signer))
            return paths->items[i];
    if (paths && paths->count > 0)
        return paths->items[0];
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
        return "/var/lib/shim-signed/mok/MOK.der";
    case DISTRIBUTION_RHEL:
        return module_is_of_dkms(facts) ? "/var/lib/dkms/mok.pub"
                                        : "/etc/pki/akmods/certs/public_key.der";
    case DISTRIBUTION_DEBIAN:
    case DISTRIBUTION_SUSE:
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER:
        break;
    }
    return "/var/lib/dkms/mok.pub";
}

static void add_enrolment(const struct facts *facts, const char *signer, struct finding *finding)
{
    if (facts_true(facts, "secure_boot", "enrolment_pending")) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "reboot: a key is waiting to be enrolled (MOK); confirm the key on the "
                         "blue screen with the password that was set");
        return;
    }
    const struct strlist *keys = facts_list(facts, "secure_boot", "local_keys");
    if (remedy_distribution(facts) == DISTRIBUTION_UBUNTU && (keys == NULL || keys->count == 0)) {
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                            "creates a key if there is none, and enrols the key (MOK): sets a new "
                            "password, which the blue screen asks for once at the next boot",
                            "sudo update-secureboot-policy --new-key; sudo "
                            "update-secureboot-policy --enroll-key");
        return;
    }
    AUTO_FREE char *quoted = shell_quote(certificate(facts, signer));
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                        "enrols the key (MOK): sets a new password, which the blue screen asks for "
                        "once at the next boot",
                        "sudo mokutil --import %s", quoted);
}

static void add_signing(const struct facts *facts, const struct module_state *state,
                        struct finding *finding)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "dkms", &i)) != NULL;) {
        const char *module = facts_string(facts, group, "module");
        const char *version = facts_string(facts, group, "version");
        if (module == NULL || version == NULL || state->release == NULL)
            continue;
        AUTO_FREE char *name = mem_printf("%s/%s", module, version);
        AUTO_FREE char *quoted = shell_quote(name);
        AUTO_FREE char *release = shell_quote(state->release);
        finding_fix_command(
            finding, FIX_ALSO | NEEDS_ROOT, "rebuilds and signs the module; enrol the key first",
            "sudo dkms install --force %s -k %s && sudo modprobe nvidia", quoted, release);
        return;
    }
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "sign the modules with an enrolled key (scripts/sign-file of the kernel's "
                     "headers), or install a driver package with signed modules");
}

static void signature_fixes(const struct facts *facts, const struct module_state *state,
                            struct finding *finding)
{
    bool secure_boot = facts_true(facts, "machine", "secure_boot");
    bool is_signed = facts_true(facts, state->file, "signed");
    if (secure_boot)
        add_enrolment(facts, facts_string(facts, state->file, "signer"), finding);
    if (!is_signed || !secure_boot)
        add_signing(facts, state, finding);
    if (facts_true(facts, "secure_boot", "sig_enforce") && !secure_boot)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "or remove module.sig_enforce=1 from the kernel's command line "
                         "(/etc/default/grub), and reboot");
    if (secure_boot)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                            "or, as a last resort: turns off module checks, which are part of "
                            "Secure Boot's protection; asks for a password for the next boot",
                            "sudo mokutil --disable-validation");
}

/* False, and the check is ended, when something else may keep the module away: no line of the log
 * says that it was the signature. */
static bool require_unexplained(struct rule_context *context, const struct module_state *state)
{
    const char *path;
    if (module_forbidden(context->facts, "nvidia", &path))
        rule_skip(context, "a setting keeps the module from loading (%s)", path);
    else if (module_signature_is_trusted(context->facts, state))
        return false;
    else if (rule_has_found(context, "nouveau_loaded"))
        rule_skip(context,
                  "another driver holds the GPU, and no log says that a module was refused");
    else
        return true;
    return false;
}

static void attempt_fixes(const struct facts *facts, struct finding *finding)
{
    if (remedy_image_tool(facts) || facts_true(facts, "container_toolkit", "crio_runtime") ||
        facts_true(facts, "container_toolkit", "containerd_runtime")) {
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT,
            "use a driver container whose modules are signed with a key that this node trusts (the "
            "GPU Operator's precompiled containers can be signed), and enrol that key on the node");
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "or turn off Secure Boot in the node's firmware");
        return;
    }
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "install a driver package whose modules the distribution or DKMS signs, or "
                     "run the installer again with --module-signing-secret-key and "
                     "--module-signing-public-key, and enrol that key (MOK)");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                        "or, as a last resort: turns off module checks, which are part of Secure "
                        "Boot's protection; asks for a password for the next boot",
                        "sudo mokutil --disable-validation");
}

/* The module that was refused is gone with the installation that built it. */
static void attempt_found(struct rule_context *context, const struct module_state *state,
                          const char *event)
{
    static const char *const words[] = {"Key was rejected", "key is rejected",
                                        "Required key not available", NULL};
    const struct facts *facts = context->facts;
    const char *line = module_runfile_line(facts, words);
    const char *said = event ? facts_string(facts, event, "message") : line;
    const char *reason = enforcement(facts, state, NULL);
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "the kernel refuses a module that is not signed with a "
                                         "trusted key: %s, and no NVIDIA driver is left here",
                                         reason ? reason : "its log says so");
    finding_why(finding, "the log says: %s. The module was built %s, which did not keep the module",
                said ? said : "a module was refused",
                line ? "by the .run file's installer" : "by an installer or a driver container");
    enforcement(facts, state, finding);
    if (event)
        finding_evidence(finding, facts, event, "message");
    finding_evidence(finding, facts, "driver_install", "runfile_outcome");
    finding_evidence(finding, facts, "driver_install", "runfile_errors");
    attempt_fixes(facts, finding);
}

void judge_secure_boot_rejects_module(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_module_wanted(context))
        return;
    struct module_state state = module_state_of(facts);
    const char *event = module_event(facts, "signature_rejected", NULL);
    const char *said = event ? facts_string(facts, event, "message") : NULL;
    const char *reason = enforcement(facts, &state, NULL);
    if (state.file == NULL && module_attempt_of(facts) == ATTEMPT_SIGNATURE) {
        attempt_found(context, &state, event);
        return;
    }
    if (state.file == NULL || (reason == NULL && event == NULL)) {
        module_skip_without_file(context);
        return;
    }
    enum trust trust = trust_of(facts, &state);
    if (event == NULL && trust == TRUST_DOUBT &&
        facts_string(facts, state.file, "signer") == NULL) {
        rule_unknown(context, "%s, and it is not known who signed the module", reason);
        return;
    }
    if ((event == NULL || trust == TRUST_YES) && !require_unexplained(context, &state))
        return;
    AUTO_FREE char *words = signature_words(facts, &state, trust);
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "the kernel refuses the nvidia module: %s, and %s",
                                         reason ? reason : "its log says so", words);
    finding_subject(finding, facts_string(facts, state.file, "path"));
    if (event)
        finding_why(finding, "the kernel's log says: %s", said ? said : "a module was refused");
    else
        finding_why(finding,
                    "such a kernel loads only modules with a trusted key%s; to check, run: sudo "
                    "modprobe nvidia. A refusal says \"Key was rejected by service\"",
                    trust == TRUST_DOUBT ? "; only root can see whether the kernel trusts this key"
                                         : "");
    enforcement(facts, &state, finding);
    finding_evidence(finding, facts, state.file, "signed");
    finding_evidence(finding, facts, state.file, "signer");
    finding_evidence(finding, facts, "secure_boot", "enrolled");
    if (event)
        finding_evidence(finding, facts, event, "message");
    signature_fixes(facts, &state, finding);
}
