/* SPDX-License-Identifier: MIT */
#include "cli/machine/gpu_word.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "manifest/gpu/gpu.h"
#include "manifest/gpu/instance.h"
#include "manifest/manifest.h"
#include "manifest/versions/capability.h"
#include "base/text.h"

#define CHOICES_MAX 6 /* of a name that several GPUs have */

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

static size_t hex_at(const char *text)
{
    return strspn(text, "0123456789abcdefABCDEF");
}

/* The four digits behind words of a line of lspci: a new string; NULL: none. */
static char *digits_behind(const char *text, const char *words)
{
    const char *found = strcasestr(text, words);
    const char *digits = found ? found + strlen(words) : "";
    if (hex_at(digits) != 4 || isalnum((unsigned char)digits[4]))
        return NULL;
    return mem_printf("%.4s", digits);
}

/* "10de:2330", "2330" or, as /sys has it, "0x2330", any case, or a line of lspci with "[10de:2330]"
 * or "NVIDIA Corporation Device 2330": the four digits, a new string. NULL when text is none of
 * them. */
static char *device_digits(const char *text)
{
    const char *digits = without_start(without_start(text, "10de:"), "0x");
    if (hex_at(digits) == 4 && digits[4] == '\0')
        return mem_string(digits);
    char *found = digits_behind(text, "[10de:");
    return found ? found : digits_behind(text, "NVIDIA Corporation Device ");
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
    AUTO_FREE char *digits = device_digits(text);
    if (digits == NULL)
        return false;
    const struct manifest_gpu_range *range = manifest_gpu_range_of(manifest, digits);
    gpu_models_with_device(manifest, digits, &word->models);
    if (word->models.count == 0 && (range == NULL || string_equal(digits, text)))
        return false;
    word->kind = GPU_WORD_DEVICE;
    word->device_id = mem_steal(&digits);
    string_lower(word->device_id);
    word->capability =
        word->models.count > 0 ? word->models.items[0]->capability : range->capability;
    return true;
}

/* "Quadro RTX 4000 (7.5, 10de:1eb1)": what tells a model from those with its name. */
static char *choice_of(const struct manifest_gpu *gpu)
{
    char version[VERSION_TEXT_SIZE];
    const char *capability =
        gpu->capability.count > 0 ? version_text(&gpu->capability, 0, version) : "not known";
    if (gpu->device_ids.count == 0)
        return mem_printf("%s (%s)", gpu->name, capability);
    return mem_printf("%s (%s, 10de:%s)", gpu->name, capability, gpu->device_ids.items[0]);
}

static bool capability_before(const struct gpu_models *models, size_t end)
{
    for (size_t i = 0; i < end; i++)
        if (version_compare(&models->items[i]->capability, &models->items[end]->capability) == 0)
            return true;
    return false;
}

/* One model of each compute capability first, then the others. */
static void list_choices(const struct gpu_models *models, struct strlist *choices)
{
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < models->count && choices->count < CHOICES_MAX; i++)
            if (capability_before(models, i) == (again != 0))
                strlist_take(choices, choice_of(models->items[i]));
}

static bool several_gpus(const struct session *session, const char *prefix, const char *text,
                         const struct gpu_models *models, struct error *error)
{
    AUTO_STRLIST struct strlist choices = {0};
    list_choices(models, &choices);
    AUTO_FREE char *names = strlist_join(&choices, "; ");
    usage_error(error, session->program, NULL, NULL,
                "%s\"%s\" can be one of %zu GPUs, which do not all have one compute capability",
                prefix, text, models->count);
    return error_next(error, "give the whole name or the PCI id: %s%s", names,
                      choices.count < models->count ? "; …" : "");
}

static bool unknown_gpu(const struct session *session, const char *prefix, const char *text,
                        struct error *error)
{
    AUTO_STRLIST struct strlist near = {0};
    AUTO_FREE char *digits = device_digits(text);
    if (digits == NULL) /* a name with such digits has nothing to do with an id */
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

/* Four digits that are no name: an id of which only its range is known. */
static bool take_range(struct manifest *manifest, const char *text, struct gpu_word *word)
{
    AUTO_FREE char *digits = device_digits(text);
    AUTO_FREE char *device = digits ? mem_printf("10de:%s", digits) : NULL;
    return device != NULL && take_device(manifest, device, word);
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
        ret_word->instance = manifest_instance_find(manifest, text);
    if (ret_word->instance != NULL)
        gpu_models_named(manifest, ret_word->instance->gpu, &ret_word->models);
    if (ret_word->models.count == 0)
        gpu_models_within(manifest, text, &ret_word->models);
    if (ret_word->models.count == 0)
        return take_range(manifest, text, ret_word) || unknown_gpu(session, prefix, text, error);
    if (gpu_models_differ(&ret_word->models))
        return several_gpus(session, prefix, text, &ret_word->models, error);
    ret_word->capability = ret_word->models.items[0]->capability;
    return true;
}
