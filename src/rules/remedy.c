/* SPDX-License-Identifier: MIT */
#include "rules/remedy.h"

#include <string.h>

#include "rules/repository.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("/._-+=:,@%", c) != NULL);
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c >= 0x7f;
}

/* $'…' of bash, ksh and zsh: the only way to keep a newline on one line. */
static char *quote_bytes(const char *word)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, "$'");
    for (const char *c = word; *c; c++) {
        if (is_control(*c))
            text_printf(&text, "\\x%02x", (unsigned char)*c);
        else if (*c == '\'' || *c == '\\')
            text_printf(&text, "\\%c", *c);
        else
            text_append_char(&text, *c);
    }
    text_append_char(&text, '\'');
    return text_steal(&text);
}

char *shell_quote(const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++) {
        if (is_control(*c))
            return quote_bytes(word);
        plain = plain && is_plain(*c);
    }
    if (plain)
        return mem_string(word);
    AUTO_TEXT struct text text = {0};
    text_append_char(&text, '\'');
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            text_append(&text, "'\\''");
        else
            text_append_char(&text, *c);
    text_append_char(&text, '\'');
    return text_steal(&text);
}

static const struct {
    const char *id;
    enum distribution distribution;
} distributions[] = {
    {"ubuntu", DISTRIBUTION_UBUNTU},  {"debian", DISTRIBUTION_DEBIAN}, {"rhel", DISTRIBUTION_RHEL},
    {"fedora", DISTRIBUTION_RHEL},    {"centos", DISTRIBUTION_RHEL},   {"rocky", DISTRIBUTION_RHEL},
    {"almalinux", DISTRIBUTION_RHEL}, {"ol", DISTRIBUTION_RHEL},       {"amzn", DISTRIBUTION_RHEL},
    {"suse", DISTRIBUTION_SUSE},      {"opensuse", DISTRIBUTION_SUSE}, {"sles", DISTRIBUTION_SUSE},
    {"arch", DISTRIBUTION_ARCH},
};

static enum distribution distribution_of(const char *id)
{
    for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
        if (string_equal(distributions[i].id, id))
            return distributions[i].distribution;
    return DISTRIBUTION_OTHER;
}

enum distribution remedy_distribution(const struct facts *facts)
{
    enum distribution distribution = distribution_of(facts_string(facts, "os", "id"));
    const char *like = facts_string(facts, "os", "id_like");
    if (distribution != DISTRIBUTION_OTHER || like == NULL)
        return distribution;
    AUTO_STRLIST struct strlist ids = {0};
    strlist_split(&ids, like, ' ');
    for (size_t i = 0; distribution == DISTRIBUTION_OTHER && i < ids.count; i++)
        distribution = distribution_of(ids.items[i]);
    return distribution;
}

void remedy_install_packages(const struct rule_context *context, struct finding *finding,
                             const char *packages, const char *arch)
{
    static const char note[] = "from NVIDIA's repository for this system";
    AUTO_FREE char *command = NULL;
    switch (remedy_distribution(context->facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        command = mem_printf("sudo apt-get install %s", packages);
        break;
    case DISTRIBUTION_RHEL:
        command = mem_printf("sudo dnf install %s", packages);
        break;
    case DISTRIBUTION_SUSE:
        command = mem_printf("sudo zypper install %s", packages);
        break;
    case DISTRIBUTION_ARCH:
        if (arch)
            finding_fix_command(finding, true, false, NULL, "sudo pacman -S %s", arch);
        break;
    case DISTRIBUTION_OTHER:
        finding_fix_note(finding, true, false, "install %s from NVIDIA's repository", packages);
        break;
    }
    if (command == NULL)
        return;
    AUTO_FREE char *whole = repository_command(context->facts, context->manifest, command);
    finding_fix_command(finding, true, false, note, "%s", whole);
}

void remedy_load_module(const struct rule_context *context, struct finding *finding,
                        const char *module, const char *note)
{
    if (judged_place(context->facts) == PLACE_CONTAINER)
        finding_fix_note(finding, true, false,
                         "on the host, not in this container: sudo modprobe %s, then start the "
                         "container again",
                         module);
    else
        finding_fix_command(finding, true, false, note, "sudo modprobe %s", module);
}
