/* SPDX-License-Identifier: MIT */
#include "cli/installer/list_available.h"

#include "base/wrap.h"
#include "manifest/manifest.h"
#include "resolve/engine/resolution.h"

static const char *pin_words(const struct manifest_pin *pin)
{
    return string_equal(pin->pin, "none") ? "not pinned" : pin->pin;
}

static const char *availability_words(enum availability availability)
{
    static const char *const words[] = {
        [AVAILABLE_YES] = "",
        [AVAILABLE_UNPINNED] = "only with --allow-unpinned",
        [AVAILABLE_UNKNOWN] = "its platforms are not known",
        [AVAILABLE_SUPERSEDED] = "NVIDIA later published a more complete file for this release",
        [AVAILABLE_ELSEWHERE] = "not for this platform",
    };
    return words[availability];
}

static bool is_choice(const struct available_product *product, const struct manifest_pin *pin)
{
    char text[VERSION_TEXT_SIZE];
    const struct resolve_choice *choice = available_choice(product);
    return choice && string_equal(choice->version, version_text(&pin->version, 0, text));
}

/* The newest that can, or for all that is known could, be installed on this platform; NULL: none.
 */
static const struct manifest_pin *newest_of(const struct available *available,
                                            const struct available_product *product)
{
    for (size_t i = product->pin_count; i > 0; i--) {
        enum availability availability =
            availability_of(&product->pins[i - 1], available->platform);
        if (availability == AVAILABLE_YES || availability == AVAILABLE_UNKNOWN)
            return &product->pins[i - 1];
    }
    return NULL;
}

static void append_head(const struct report_input *input, const struct available *available,
                        struct text *output)
{
    struct wrap wrap;
    AUTO_FREE char *manifest = report_manifest_text(input);
    text_printf(output, "gpuenv %s, %s\n", input->tool_version, manifest);
    wrap_begin(&wrap, output, input->columns, 0, 5);
    wrap_printf(&wrap, "for %s; %s", available->platform,
                available->machine ? available->machine : "no machine");
    wrap_end(&wrap);
}

static void append_version(const struct available *available,
                           const struct available_product *product, const struct manifest_pin *pin,
                           struct text *output)
{
    char text[VERSION_TEXT_SIZE];
    enum availability availability = availability_of(pin, available->platform);
    const char *words =
        is_choice(product, pin) ? "the newest for this machine" : availability_words(availability);
    text_printf(output, *words ? "  %-12s %-10s  %s\n" : "  %-12s %s\n",
                version_text(&pin->version, 0, text), pin_words(pin), words);
}

/* What no list names, or none that is proved. */
static void append_singles(const struct available_product *product, struct text *output)
{
    char text[VERSION_TEXT_SIZE];
    if (product->single_count > 0)
        text_append(output, "  from one archive, by --archive FILE or a mirror that has it:\n");
    for (size_t i = product->single_count; i > 0; i--) {
        const struct available_single *single = &product->singles[i - 1];
        text_printf(output, "  %-12s %-10s  %s\n", version_text(&single->version, 0, text), "file",
                    single->single.file);
    }
}

static json_t *single_json(const struct available_single *single)
{
    json_t *json = json_object();
    AUTO_FREE char *url = manifest_single_url(&single->single);
    json_object_set_new(json, "version", json_from_version(&single->version));
    json_object_set_new(json, "file", json_from_string(single->single.file));
    json_object_set_new(json, "url", json_from_string(url));
    json_object_set_new(json, "sha256", json_from_string(single->single.sha256));
    json_object_set_new(json, "row", json_from_string(single->single.row));
    return json;
}

static void append_product(const struct available *available,
                           const struct available_product *product, struct text *output)
{
    text_printf(output, "%s\n", product->product);
    for (size_t i = product->pin_count; i > 0; i--)
        append_version(available, product, &product->pins[i - 1], output);
    append_singles(product, output);
    if (available_choice(product) == NULL)
        text_printf(output,
                    "  no version is known to run on this machine: gpuenv resolve %s says why\n",
                    product->product);
}

static void append_row(const struct available *available, const struct available_product *product,
                       struct text *output)
{
    char text[VERSION_TEXT_SIZE];
    size_t installable = 0;
    const struct manifest_pin *newest = newest_of(available, product);
    const struct resolve_choice *choice = available_choice(product);
    for (size_t i = 0; i < product->pin_count; i++)
        installable += availability_of(&product->pins[i], available->platform) == AVAILABLE_YES;
    bool unknown = newest && availability_of(newest, available->platform) == AVAILABLE_UNKNOWN;
    AUTO_FREE char *words =
        newest ? mem_printf("%s%s", version_text(&newest->version, 0, text), unknown ? " ?" : "")
               : mem_string("none");
    text_printf(output, "%-18s %8zu %12zu  %-12s %s\n", product->product, product->pin_count,
                installable, words, choice ? choice->version : "none");
}

void available_append_text(const struct report_input *input, const struct available *available,
                           bool every, struct text *output)
{
    append_head(input, available, output);
    if (!every)
        text_printf(output, "%-18s %8s %12s  %-12s %s\n", "product", "versions", "installable",
                    "newest", "for this machine");
    for (size_t i = 0; i < available->count; i++)
        if (every)
            append_product(available, &available->products[i], output);
        else
            append_row(available, &available->products[i], output);
    if (!every)
        text_append(output,
                    "?: it is not known for which platforms NVIDIA has archives\neach version: "
                    "gpuenv list --available PRODUCT; reasons: gpuenv resolve PRODUCT\n");
}

static json_t *version_json(const struct available *available,
                            const struct available_product *product, const struct manifest_pin *pin)
{
    static const char *const slugs[] = {
        [AVAILABLE_YES] = "yes",
        [AVAILABLE_UNPINNED] = "not_pinned",
        [AVAILABLE_UNKNOWN] = "unknown",
        [AVAILABLE_SUPERSEDED] = "superseded",
        [AVAILABLE_ELSEWHERE] = "other_platform",
    };
    json_t *json = json_object();
    json_object_set_new(json, "version", json_from_version(&pin->version));
    json_object_set_new(json, "pin", json_from_string(pin->pin));
    if (pin->date)
        json_object_set_new(json, "date", json_from_string(pin->date));
    json_object_set_new(json, "installable",
                        json_string(slugs[availability_of(pin, available->platform)]));
    json_object_set_new(json, "for_this_machine", json_boolean(is_choice(product, pin)));
    json_set_list(json, "platforms", &pin->platforms);
    json_set_list(json, "variants", &pin->variants);
    json_object_set_new(json, "row", json_from_string(pin->id));
    json_object_set_new(json, "source", json_from_string(pin->source));
    return json;
}

static json_t *product_json(const struct available *available,
                            const struct available_product *product)
{
    json_t *json = json_object(), *versions = json_array();
    const struct manifest_pin *newest = newest_of(available, product);
    const struct resolve_choice *choice = available_choice(product);
    json_object_set_new(json, "product", json_from_string(product->product));
    json_object_set_new(json, "newest", newest ? json_from_version(&newest->version) : json_null());
    json_object_set_new(json, "for_this_machine",
                        json_from_string(choice ? choice->version : NULL));
    if (choice) {
        json_object_set_new(json, "build", json_from_string(choice->build));
        json_object_set_new(json, "rule", json_from_string(choice->rule));
        json_object_set_new(json, "why", json_from_string(choice->why));
    }
    for (size_t i = product->pins ? product->pin_count : 0; i > 0; i--)
        json_array_append_new(versions, version_json(available, product, &product->pins[i - 1]));
    json_object_set_new(json, "versions", versions);
    json_t *singles = json_array();
    for (size_t i = product->single_count; i > 0; i--)
        json_array_append_new(singles, single_json(&product->singles[i - 1]));
    json_object_set_new(json, "archives", singles);
    return json;
}

void available_append_json(const struct report_input *input, const struct available *available,
                           struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *products = json_array();
    for (size_t i = 0; i < available->count; i++)
        json_array_append_new(products, product_json(available, &available->products[i]));
    json_object_set_new(envelope, "platform", json_from_string(available->platform));
    json_object_set_new(envelope, "machine", json_from_string(available->machine));
    json_object_set_new(envelope, "available", products);
    json_append_text(envelope, output);
}
