/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "base/text.h"
#include "base/version.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/query/packages.h"
#include "rules/repository/judges.h"
#include "rules/repository/release.h"
#include "rules/repository/run.h"
#include "rules/repository/source.h"

/* Packages that do not fit together: of two repositories, held, or beside a driver of a .run file.
 */
#define STATE "package_state"
#define OFFER "apt_offer"
#define FROM  "package_origin"

static bool is_of_nvidia(const char *name)
{
    return name && (string_contains_nocase(name, "nvidia") || string_starts(name, "cuda") ||
                    string_starts(name, "libcuda"));
}

static size_t count_of(const struct facts *facts, const char *group, const char *name)
{
    const struct strlist *list = facts_list(facts, group, name);
    return list ? list->count : 0;
}

/* An unfinished package of NVIDIA's whose list of that name is not empty; NULL: none. */
static const char *unfinished(const struct facts *facts, const char *name)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, STATE, &i)) != NULL;)
        if (is_of_nvidia(facts_string(facts, group, "name")) && count_of(facts, group, name) > 0)
            return group;
    return NULL;
}

static void unmet_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    const char *unmet = facts_list(facts, group, "unmet")->items[0];
    struct finding *finding = rule_found(context, source_severity(context),
                                         "%s cannot be configured: it needs %s", name, unmet);
    finding_subject(finding, name);
    finding_why(finding, "packages of two repositories, or a held one, do not fit together; until "
                         "then no module is built for this driver, and apt refuses every further "
                         "installation");
    finding_evidence(finding, facts, group, "status");
    finding_evidence(finding, facts, group, "unmet");
    finding_evidence(finding, facts, STATE, "held");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        "takes the versions that fit together; NVIDIA's file of preferences "
                        "(cuda-repository-pin-600) keeps one repository for all of them",
                        "sudo apt-get install --fix-broken");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "if that ends in the same error: remove the packages of the driver (sudo "
                     "apt-get purge 'nvidia-*' 'libnvidia-*'), and install it from one repository");
}

/* NVIDIA's file of preferences does not help where others decide. */
static void pinned_fixes(struct finding *finding, const char *name)
{
    AUTO_FREE char *quoted = shell_quote(name);
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "in /etc/apt/preferences and /etc/apt/preferences.d, let the entry that is "
                     "about %s be about all packages of the driver, or remove it",
                     name);
    finding_fix_command(finding, FIX_LOOK, "shows the versions and their priorities",
                        "apt-cache policy %s", quoted);
}

static void offer_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    const char *chosen = facts_string(facts, group, "chosen");
    const char *from = facts_string(facts, group, "chosen_origin");
    bool pacman = string_equal(facts_string(facts, group, "manager"), "pacman");
    bool held = facts_true(facts, group, "held");
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "%s cannot install %s %s: it needs %s, but would get %s (%s)",
                   pacman ? "pacman" : "apt", name, facts_string(facts, group, "version"),
                   facts_string(facts, group, "needs"), chosen, held ? "held" : from);
    finding_subject(finding, name);
    if (held && pacman)
        finding_why(finding,
                    "the package that is ignored (IgnorePkg) keeps its version: pacman ends "
                    "the update, or leaves out what needs another version of it");
    else if (pacman)
        finding_why(finding, "\"breaks dependency\": two repositories have packages of one name, "
                             "pacman takes each from the first that has it, and these do not fit "
                             "together");
    else
        finding_why(finding,
                    "\"you have held broken packages\": two repositories have packages of one "
                    "name, apt takes the higher version of each, and these do not fit together");
    finding_evidence(finding, facts, group, "origin");
    finding_evidence(finding, facts, group, "needs");
    finding_evidence(finding, facts, group, "chosen");
    finding_evidence(finding, facts, group, "chosen_origin");
    if (held && pacman)
        finding_fix_note(
            finding, FIX_CHOICE | NEEDS_ROOT,
            "take the packages of the driver off IgnorePkg in /etc/pacman.conf, or put "
            "all of them there");
    else if (pacman)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "take the module and the libraries from one repository: of %s, install "
                         "the module package that belongs to this kernel, in the place of %s",
                         from, name);
    else if (held)
        finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                         "release the held packages (apt-mark showhold, sudo apt-mark unhold "
                         "PACKAGE), if the driver is to be updated");
    else if (facts_true(facts, group, "pinned"))
        pinned_fixes(finding, facts_string(facts, group, "chosen_name"));
    else
        finding_fix_command(
            finding, FIX_STEP | NEEDS_ROOT,
            "the file of preferences that NVIDIA gives for its repository; or prefer the "
            "distribution's driver in such a file",
            "printf 'Package: *\\nPin: release l=NVIDIA CUDA\\nPin-Priority: 600\\n' | sudo tee "
            "/etc/apt/preferences.d/cuda-repository-pin-600");
}

/* "440" of "440.64" */
static bool same_branch(const char *a, const char *b)
{
    struct version left, right;
    return !version_parse_prefix(a ? a : "", &left) || !version_parse_prefix(b ? b : "", &right) ||
           left.part[0] == right.part[0];
}

/* Of yum's records: packages of the driver of two repositories and two branches. */
static bool judge_origins(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    const char *first = facts_next(facts, FROM, &cursor);
    const char *other;
    while (first && (other = facts_next(facts, FROM, &cursor)) != NULL) {
        const char *one = facts_string(facts, first, "repository");
        const char *two = facts_string(facts, other, "repository");
        if (string_equal(one, two) || same_branch(facts_string(facts, first, "version"),
                                                  facts_string(facts, other, "version")))
            continue;
        struct finding *finding = rule_found(
            context, source_severity(context),
            "packages of the driver come from two repositories: %s %s from %s, %s %s "
            "from %s",
            facts_string(facts, first, "name"), facts_string(facts, first, "version"), one,
            facts_string(facts, other, "name"), facts_string(facts, other, "version"), two);
        finding_subject(finding, two);
        finding_why(finding,
                    "an update takes parts of several branches, which do not fit together: "
                    "the transaction fails, or leaves a driver that does not start");
        finding_evidence(finding, facts, first, "repository");
        finding_evidence(finding, facts, other, "repository");
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "use only one repository for the driver: in the .repo file of the other "
                         "one, write exclude=*nvidia* kmod-nvidia*, and install the driver again");
        return true;
    }
    return false;
}

/* By the log of dnf or zypper: no versions fit together. */
static void judge_last_run(struct rule_context *context)
{
    const char *group = NULL;
    const char *line = run_error(context, "apt_held_or_mixed_repo_packages", &group);
    if (line == NULL || run_lacks_own_part(line)) /* which is cuda_repo_index_inconsistent */
        return;
    struct finding *finding = run_found(context, group, line);
    finding_why(finding, "a package needs what no enabled repository has, or two repositories have "
                         "parts of different releases");
    finding_evidence(finding, context->facts, "rpm_repository", "count");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "enable the repository that has it (EPEL, CRB, the module of this driver), and "
        "use only one repository for the driver");
}

void judge_apt_held_or_mixed_repo_packages(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    if (!source_require(context, OFFER) || !rule_require_fact(context, STATE, "count"))
        return;
    const char *waiting = unfinished(facts, "unmet");
    const char *offer = facts_next(facts, OFFER, &cursor);
    if (waiting)
        unmet_found(context, waiting);
    else if (offer)
        offer_found(context, offer);
    else if (!judge_origins(context) && !release_find_two(context) &&
             !rule_has_found(context, "apt_repo_of_other_release"))
        judge_last_run(context);
}

/* An installed package that holds a driver, whatever a .run file has put there. */
static const char *driver_package(const struct facts *facts)
{
    static const char *const beginnings[] = {
        "nvidia-driver-", "nvidia-dkms-", "libnvidia-compute-", "libcuda1-",
        "nvidia-open",    "nvidia-3",     "nvidia-4",           NULL};
    return packages_beginning(facts, beginnings);
}

/* Two releases cannot work together; of one, the files may be the same. */
static enum severity runfile_severity(const struct rule_context *context, const char *package)
{
    struct version left, right;
    const char *release = facts_string(context->facts, "driver_install", "runfile_version");
    if (release == NULL) /* its log does not say it */
        release = facts_string(context->facts, "module", "version");
    const char *other = packages_release(context->facts, package, &right);
    bool two = release && other && version_parse_prefix(release, &left) &&
               version_compare(&left, &right) != 0;
    return two && context->purpose != PURPOSE_BUILD ? SEVERITY_FAIL : source_severity(context);
}

static void runfile_found(struct rule_context *context, const char *package)
{
    const struct facts *facts = context->facts;
    const char *release = facts_string(facts, "driver_install", "runfile_version");
    struct finding *finding = rule_found(
        context, runfile_severity(context, package),
        "a driver of a .run file (%s) and packages of the driver (%s) are both installed",
        release ? release : "nvidia-uninstall", facts_string(facts, package, "name"));
    finding_why(finding, "both have written the same libraries and the same module: neither is "
                         "complete, and an update of the packages does not replace the rest");
    finding_evidence(finding, facts, "driver_install", "runfile");
    finding_evidence(finding, facts, "driver_install", "runfile_version");
    finding_evidence(finding, facts, package, "version");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                        "removes the driver of the .run file; then install the packages again "
                        "(apt-get install --reinstall), and reboot",
                        "sudo nvidia-uninstall");
}

/* A package that stopped because it would overwrite a file of another one; NULL: none. */
static const char *overwriting(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, STATE, &i)) != NULL;)
        if (is_of_nvidia(facts_string(facts, group, "name")) &&
            facts_string(facts, group, "overwrites"))
            return group;
    return NULL;
}

static void overwriting_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    AUTO_FREE char *quoted = shell_quote(name);
    struct finding *finding = rule_found(context, source_severity(context),
                                         "%s cannot be installed: it would overwrite %s", name,
                                         facts_string(facts, group, "overwrites"));
    finding_subject(finding, name);
    finding_why(finding, "two drivers are not installed side by side; until this is settled, apt "
                         "ends every installation with an error");
    finding_evidence(finding, facts, group, "status");
    finding_evidence(finding, facts, group, "overwrites");
    finding_fix_command(
        finding, FIX_CHOICE | NEEDS_ROOT,
        "removes the package that is not whole; the other driver stays",
        "sudo dpkg --remove --force-remove-reinstreq %s && sudo apt-get install --fix-broken",
        quoted);
}

void judge_runfile_over_packages(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (judged_place(facts) != PLACE_MACHINE) {
        rule_skip(context, "the driver is not installed here");
        return;
    }
    if (!source_require(context, STATE) ||
        !rule_require_fact(context, "driver_install", "runfile") ||
        !rule_require_fact(context, "package", "count"))
        return;
    const char *package = driver_package(facts);
    const char *half = overwriting(facts);
    if (facts_true(facts, "driver_install", "runfile") && package)
        runfile_found(context, package);
    else if (half)
        overwriting_found(context, half);
}

static bool is_explained(const struct rule_context *context)
{
    static const char *const causes[] = {"apt_held_or_mixed_repo_packages", "runfile_over_packages",
                                         "apt_repo_of_other_release"};
    const char *run = NULL;
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (rule_has_found(context, causes[i]))
            return true;
    return run_without_space(context, &run) != NULL; /* disk_full */
}

static enum severity left_severity(const struct rule_context *context, bool certain)
{
    return certain ? source_severity(context) : SEVERITY_WARN;
}

/* An unfinished package, one that waits for another before the rest; NULL: none. Where nothing is
 * built, only NVIDIA's count. */
static const char *left_package(const struct rule_context *context, bool *ret_certain)
{
    const struct facts *facts = context->facts;
    const char *found = NULL;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, STATE, &i)) != NULL;) {
        if (context->purpose != PURPOSE_BUILD && !is_of_nvidia(facts_string(facts, group, "name")))
            continue;
        if (string_ends(facts_string(facts, group, "status"), " not-installed"))
            continue; /* dpkg has taken it back */
        bool certain = count_of(facts, group, "unmet") + count_of(facts, group, "missing") > 0;
        if (found == NULL || (certain && !*ret_certain))
            found = group;
        *ret_certain = *ret_certain || certain;
    }
    return found;
}

/* A script that fails before anything is changed leaves no trace in dpkg's database. */
static void judge_script(struct rule_context *context)
{
    const char *run = NULL;
    const char *line = run_error_of_apt(context, "package_left_unconfigured", &run);
    if (line == NULL)
        return;
    struct finding *finding = run_found(context, run, line);
    finding_why(finding, "a script of the package ends with an error before dpkg changes anything: "
                         "the package stays as it was, and each further attempt ends in the same "
                         "way");
    finding_fix_command(finding, FIX_LOOK, "shows what the script said above that line",
                        "tail -n 60 /var/log/apt/term.log");
}

void judge_package_left_unconfigured(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool certain = false;
    if (!source_require(context, OFFER) || !rule_require_fact(context, STATE, "count"))
        return;
    if (is_explained(context)) {
        rule_skip(context, "another finding explains which packages are not installed");
        return;
    }
    const char *group = left_package(context, &certain);
    if (group == NULL) {
        judge_script(context);
        return;
    }
    const char *name = facts_string(facts, group, "name");
    struct finding *finding = rule_found(context, left_severity(context, certain),
                                         "%s is not completely installed: dpkg says \"%s\"", name,
                                         facts_string(facts, group, "status"));
    finding_subject(finding, name);
    if (certain)
        finding_why(finding,
                    "packages that it depends on are missing, so apt refuses every further "
                    "installation (\"unmet dependencies\")");
    else
        finding_why(finding, "apt tries to configure it at every further installation, and ends "
                             "with an error while that fails");
    finding_evidence(finding, facts, group, "status");
    finding_evidence(finding, facts, group, "missing");
    finding_evidence(finding, facts, group, "unmet");
    finding_evidence(finding, facts, STATE, "interrupted");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                        certain ? "sudo apt-get install --fix-broken" : "sudo dpkg --configure -a");
    finding_fix_command(finding, FIX_LOOK,
                        "if that ends in an error again: shows what the package's script said",
                        "tail -n 60 /var/log/apt/term.log");
}
