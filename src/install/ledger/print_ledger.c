/* SPDX-License-Identifier: MIT */
#include "install/ledger/print_ledger.h"

#include "install/output/print.h"

char *print_contents(const struct ledger *ledger)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        AUTO_FREE char *name = print_product(product->product, product->version, product->variant);
        strlist_take(&list, mem_printf("%s, profile %s", name, product->extent));
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
        json_object_set_new(row, "profile", json_from_string(earlier->extent));
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
        json_object_set_new(row, "profile", json_from_string(product->extent));
        json_object_set_new(row, "pin", json_from_string(product->pin));
        if (product->previous_count > 0)
            json_object_set_new(row, "previous", previous_json(product));
        json_array_append_new(array, row);
    }
    return array;
}
