/* SPDX-License-Identifier: MIT */
#include "cli/machine/gpu_word.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/versions/capability.h"

void gpu_word_free(struct gpu_word *word)
{
    free(word->device_id);
    gpu_models_free(&word->models);
}

/* What is behind start, in any case; text itself where it does not begin so. */
static const char *without_start(const char *text, const char *start)
{
    size_t size = strlen(start);
    return strncasecmp(text, start, size) == 0 ? text + size : text;
}

/* "10de:2330", "2330" or, as /sys has it, "0x2330", any case: the four digits. NULL when text is
 * none of them. */
static const char *device_digits(const char *text)
{
    const char *digits = without_start(without_start(text, "10de:"), "0x");
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    return length == 4 && digits[4] == '\0' ? digits : NULL;
}

/* "9.0", "sm_90", "sm_120a", "compute_90": the last digit is the minor. */
static bool capability_parse(const char *text, struct version *ret_version)
{
    const char *digits = without_start(without_start(text, "sm_"), "compute_");
    if (digits == text)
        return version_parse(text, ret_version) && ret_version->count == 2;
    size_t length = strspn(digits, "0123456789");
    const char *rest = digits + length;
    if (length < 2 || length > 3 || (rest[0] && (!isalpha((unsigned char)rest[0]) || rest[1])))
        return false;
    AUTO_FREE char *dotted = mem_printf("%.*s.%c", (int)length - 1, digits, digits[length - 1]);
    return version_parse(dotted, ret_version);
}

/* A model whose name is four hexadecimal digits is not taken for a PCI id that is not known. */
static bool take_device(struct manifest *manifest, const char *text, struct gpu_word *word)
{
    const char *digits = device_digits(text);
    if (digits == NULL)
        return false;
    gpu_models_with_device(manifest, digits, &word->models);
    if (word->models.count == 0)
        return false;
    word->kind = GPU_WORD_DEVICE;
    word->device_id = mem_string(digits);
    for (char *c = word->device_id; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    word->capability = word->models.items[0]->capability;
    return true;
}

static bool unknown_gpu(const struct session *session, const char *prefix, const char *text,
                        struct error *error)
{
    AUTO_STRLIST struct strlist near = {0};
    manifest_gpu_by_name(session->manifest, text, &near);
    usage_error(error, session->program, NULL, NULL, "%sno GPU \"%s\" in the manifest", prefix,
                text);
    if (near.count == 0)
        return error_next(error,
                          "give a model (H100), a PCI id (10de:2330) or a compute "
                          "capability (9.0); try %s --help",
                          session->program);
    AUTO_FREE char *names = strlist_join(&near, ", ");
    return error_next(error, "similar models: %s; try %s --help", names, session->program);
}

bool gpu_word_parse(const struct session *session, const char *prefix, const char *text,
                    struct gpu_word *ret_word, struct error *error)
{
    struct manifest *manifest = session->manifest;
    if (take_device(manifest, text, ret_word))
        return true;
    if (capability_parse(text, &ret_word->capability)) {
        ret_word->kind = GPU_WORD_CAPABILITY;
        if (manifest_capability_find(manifest, &ret_word->capability) == NULL) {
            usage_error(error, session->program, NULL, NULL,
                        "%sno compute capability %s in this manifest (%s)", prefix, text,
                        manifest_date(manifest));
            return usage_hint(
                error, "gpuenv manifest show capability lists the known compute capabilities");
        }
        gpu_models_with_capability(manifest, &ret_word->capability, &ret_word->models);
        return true;
    }
    ret_word->kind = GPU_WORD_MODEL;
    gpu_models_named(manifest, text, &ret_word->models);
    if (ret_word->models.count == 0)
        return unknown_gpu(session, prefix, text, error);
    ret_word->capability = ret_word->models.items[0]->capability;
    return true;
}
