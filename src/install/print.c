/* SPDX-License-Identifier: MIT */
#include "install/print.h"

#include <stdio.h>
#include <string.h>

const char *print_size(uint64_t bytes, char buffer[static PRINT_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, PRINT_SIZE, unit == 0 || value >= 99.5 ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return buffer;
}

char *print_count(size_t count, const char *one, const char *plural)
{
    if (count == 1)
        return mem_printf("1 %s", one);
    return plural ? mem_printf("%zu %s", count, plural) : mem_printf("%zu %ss", count, one);
}

bool print_is_json(const struct run *run)
{
    return string_equal(run->request->format, "json");
}

json_t *print_envelope(const struct run *run)
{
    json_t *json = json_object();
    json_object_set_new(json, "schema_version", json_integer(1));
    json_object_set_new(json, "tool",
                        json_pack("{s:s, s:s}", "name", "gpuenv", "version", GPUENV_VERSION));
    json_object_set_new(json, "manifest",
                        json_pack("{s:s?, s:s?}", "version", manifest_version(run->manifest),
                                  "date", manifest_date(run->manifest)));
    if (run->request->root)
        json_object_set_new(json, "root", json_from_string(run->request->root));
    if (run->request->prefix)
        json_object_set_new(json, run->request->action == ACTION_MIRROR ? "mirror" : "prefix",
                            json_from_string(run->request->prefix));
    return json;
}

char *print_product(const char *product, const char *version, const char *cuda)
{
    if (cuda == NULL)
        return mem_printf("%s %s", product, version);
    return mem_printf("%s %s for CUDA %s", product, version,
                      string_starts(cuda, "cuda") ? cuda + strlen("cuda") : cuda);
}

char *print_contents(const struct ledger *ledger)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        AUTO_FREE char *name = print_product(product->product, product->version, product->variant);
        strlist_take(&list, mem_printf("%s, profile %s", name, product->profile));
    }
    return strlist_join(&list, "; ");
}

static json_t *previous_json(const struct ledger_product *product)
{
    json_t *array = json_array();
    for (size_t i = 0; i < product->previous_count; i++) {
        const struct ledger_product *earlier = &product->previous[i];
        json_t *row = json_object();
        json_object_set_new(row, "version", json_from_string(earlier->version));
        if (earlier->variant)
            json_object_set_new(row, "variant", json_from_string(earlier->variant));
        json_object_set_new(row, "profile", json_from_string(earlier->profile));
        json_array_append_new(array, row);
    }
    return array;
}

json_t *print_products_json(const struct ledger *ledger)
{
    json_t *array = json_array();
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        json_t *row = json_object();
        json_object_set_new(row, "product", json_from_string(product->product));
        json_object_set_new(row, "version", json_from_string(product->version));
        if (product->variant)
            json_object_set_new(row, "variant", json_from_string(product->variant));
        json_object_set_new(row, "profile", json_from_string(product->profile));
        json_object_set_new(row, "pin", json_from_string(product->pin));
        if (product->previous_count > 0)
            json_object_set_new(row, "previous", previous_json(product));
        json_array_append_new(array, row);
    }
    return array;
}
