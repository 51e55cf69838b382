/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "install/plan/change.h"

/* What is there, by a few words: "cuda 12.8.1 build nvcc=1 cudart=2 -gdb; cudnn 9.8.0/cuda12 full
 * cudnn=3": product version[/variant] extent, components with a digit of their digest, wishes. */
static void add_word(struct ledger_product *product, char *word)
{
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        strlist_add(&product->wishes, word);
        return;
    }
    *equals = '\0';
    struct ledger_component *component =
        vec_push(product->components, product->component_count, product->component_capacity);
    component->name = mem_string(word);
    component->platform = mem_string("linux-x86_64");
    component->archive = mem_string("a");
    component->sha256.bytes[0] = (unsigned char)equals[1];
}

static void add_product(struct ledger *ledger, const char *text)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split(&words, text, ' ');
    struct ledger_product *product =
        vec_push(ledger->products, ledger->product_count, ledger->product_capacity);
    char *slash = strchr(words.items[1], '/');
    product->variant = slash ? mem_string(slash + 1) : NULL;
    if (slash)
        *slash = '\0';
    product->product = mem_string(words.items[0]);
    product->version = mem_string(words.items[1]);
    product->extent = mem_string(words.items[2]);
    product->spec = mem_string("s");
    product->pin = mem_string("file");
    product->accepted = mem_string("2026-11-21");
    for (size_t i = 3; i < words.count; i++)
        add_word(product, words.items[i]);
}

static void make_ledger(struct ledger *ledger, const char *text)
{
    AUTO_STRLIST struct strlist products = {0};
    strlist_split(&products, text, ';');
    for (size_t i = 0; *text && i < products.count; i++)
        add_product(ledger, string_trim(products.items[i]));
}

/* "cuda 12.8.1 12.8; cudnn 9.8.0/12": product version[/CUDA] and what was written after the @. */
static void make_products(struct request *request, const char *text)
{
    AUTO_STRLIST struct strlist products = {0};
    strlist_split(&products, text, ';');
    for (size_t i = 0; i < products.count; i++) {
        AUTO_STRLIST struct strlist words = {0};
        strlist_split(&words, string_trim(products.items[i]), ' ');
        struct request_product *product =
            vec_push(request->products, request->product_count, request->product_capacity);
        char *slash = strchr(words.items[1], '/');
        if (slash) {
            assert_true(version_parse(slash + 1, &product->cuda));
            *slash = '\0';
        }
        product->product = mem_string(words.items[0]);
        product->spec = mem_string(words.items[0]);
        assert_true(version_parse(words.items[1], &product->version));
        if (words.count > 2)
            assert_true(version_parse(words.items[2], &product->asked));
    }
}

struct change_case {
    const char *there, *wanted, *extent, *components;
    bool force;
    const char
        *outcome; /* "none build cuda_gdb 12.8.1; add full", or where it fails: a word of it */
    enum error_kind kind;
};

static char *outcome_of(const struct change *change)
{
    static const char *const words[] = {"none", "add", "replace", "widen"};
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < change->count; i++) {
        const struct change_product *product = &change->products[i];
        char version[VERSION_TEXT_SIZE];
        AUTO_FREE char *wishes = strlist_join(&product->wishes, ",");
        strlist_take(&list, mem_printf("%s %s %s%s%s", words[product->kind],
                                       version_text(&product->version, 0, version),
                                       extent_word(product->extent), *wishes ? " " : "", wishes));
    }
    return strlist_join(&list, "; ");
}

static void check_case(const struct change_case *it)
{
    AUTO_ERROR struct error error = {0};
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    AUTO_REQUEST struct request request = {.force = it->force};
    AUTO_CHANGE struct change change = {.products = NULL};
    make_ledger(&ledger, it->there);
    make_products(&request, it->wanted);
    request.platform = mem_string("linux-x86_64");
    request.usual_prefix = mem_string("/usr/local/cuda-12.9");
    request.extent_given = it->extent != NULL;
    if (it->extent)
        assert_true(change_extent_of(it->extent, &request.extent));
    if (it->components)
        strlist_split(&request.components, it->components, ',');
    bool ok = change_of(&ledger, &request, "/opt/cuda", &change, &error);
    if (it->kind != ERROR_NONE) {
        AUTO_TEXT struct text text = {0};
        assert_false(ok);
        error_format(&error, &text);
        if (error.kind != it->kind || strstr(text_string(&text), it->outcome) == NULL)
            fail_msg("%s + %s: %s", it->there, it->wanted, text_string(&text));
        return;
    }
    if (!ok)
        fail_msg("%s + %s: %s: %s", it->there, it->wanted, error.what, error.why);
    AUTO_FREE char *outcome = outcome_of(&change);
    if (!string_equal(outcome, it->outcome))
        fail_msg("%s + %s: %s, expected %s", it->there, it->wanted, outcome, it->outcome);
    assert_int_equal(change_is_needed(&change), strstr(it->outcome, "add") ||
                                                    strstr(it->outcome, "replace") ||
                                                    strstr(it->outcome, "widen"));
}

static void test_what_a_request_means(void **state)
{
    (void)state;
    static const struct change_case cases[] = {
        {"", "cuda 12.8.1 12.8", NULL, NULL, false, "add 12.8.1 full", 0},
        {"", "cuda 12.8.1; cudnn 9.8.0/12", "runtime", "gdb", false,
         "add 12.8.1 runtime gdb; add 9.8.0 runtime gdb", 0},
        {"cuda 12.8.1 build nvcc=1", "cuda 12.8.1 12.8", "build", NULL, false, "none 12.8.1 build",
         0},
        {"cuda 12.8.1 build nvcc=1", "cuda 12.8.1 12.8", NULL, NULL, false, "none 12.8.1 build", 0},
        {"cuda 12.8.1 build nvcc=1", "cudnn 9.8.0/12", NULL, NULL, false, "add 9.8.0 build", 0},
        {"cuda 12.8.1 build nvcc=1", "cudnn 9.8.0/12", "full", NULL, false, "add 9.8.0 full", 0},
        {"cuda 12.8.1 build nvcc=1", "cuda 12.8.1", "full", NULL, false, "widen 12.8.1 full", 0},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.8.1", "runtime", NULL, false, "none 12.8.1 full", 0},
        {"cuda 12.8.1 build nvcc=1", "cuda 12.8.1", "runtime", NULL, false,
         "--profile full contains both", ERROR_USAGE},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.8.2 12.8", NULL, NULL, false, "replace 12.8.2 full",
         0},
        {"cuda 12.8.2 full nvcc=1", "cuda 12.8.1 12.8", NULL, NULL, false, "none 12.8.2 full", 0},
        {"cuda 12.8.2 full nvcc=1", "cuda 12.8.1 12.8.1", NULL, NULL, false, "replace 12.8.1 full",
         0},
        {"cudnn 9.10.2/cuda12 full c=1", "cudnn 9.8.0/12", NULL, NULL, false, "none 9.10.2 full",
         0},
        {"cudnn 9.10.2/cuda12 full c=1", "cudnn 9.8.0/12 9.8", NULL, NULL, false,
         "replace 9.8.0 full", 0},
        {"cudnn 9.8.0/cuda12 full c=1", "cudnn 9.8.0/13", NULL, NULL, false, "replace 9.8.0 full",
         0},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.9.0 12.9", NULL, NULL, false,
         "--prefix /usr/local/cuda-12.9; --force", ERROR_CANNOT_WRITE},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.9.0 12.9", NULL, NULL, true, "replace 12.9.0 full", 0},
        {"cuda 12.8.1 full nvcc=1; cudnn 9.8.0/cuda12 full c=1", "cuda 13.0.0", NULL, NULL, true,
         "cudnn 9.8.0 for CUDA 12 does not match CUDA 13.0.0", ERROR_UNSATISFIABLE},
        {"cuda 12.8.1 full nvcc=1; cudnn 9.8.0/cuda12 full c=1", "cuda 13.0.0; cudnn 9.12.0/13",
         NULL, NULL, true, "replace 13.0.0 full; replace 9.12.0 full", 0},
        {"cuda 12.8.1 full nvcc=1", "cudnn 9.12.0/13", NULL, NULL, false, "does not match CUDA",
         ERROR_UNSATISFIABLE},
        {"cuda 13.1.0 full nvcc=1", "cutensor 2.0.0/13.1", NULL, NULL, false, "add 2.0.0 full", 0},
        {"cuda 13.0.0 full nvcc=1", "cutensor 2.0.0/13.1", NULL, NULL, false, "does not match",
         ERROR_UNSATISFIABLE},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.8.1", NULL, "gdb", false, "widen 12.8.1 full gdb", 0},
        {"cuda 12.8.1 full nvcc=1 gdb", "cuda 12.8.1", NULL, "gdb", false, "none 12.8.1 full gdb",
         0},
        {"cuda 12.8.1 full nvcc=1 gdb", "cuda 12.8.1", NULL, NULL, false, "none 12.8.1 full gdb",
         0},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.8.1", NULL, "+nvcc", false, "none 12.8.1 full +nvcc",
         0},
        {"cuda 12.8.1 full nvcc=1 -gdb", "cuda 12.8.1", NULL, "gdb", false, "widen 12.8.1 full gdb",
         0},
        {"cuda 12.8.1 full nvcc=1 -gdb", "cuda 12.8.2", NULL, NULL, false,
         "replace 12.8.2 full -gdb", 0},
        {"cuda 12.8.1 full nvcc=1", "cuda 12.8.1", NULL, "-nvcc", false, "removes nothing",
         ERROR_USAGE},
        {"cuda 12.8.1 full nvcc=1; cudnn 9.8.0/cuda12 full c=1", "cuda 12.8.1; cudnn 9.8.0/12",
         NULL, "c,nvcc", false, "none 12.8.1 full c,nvcc; none 9.8.0 full c,nvcc", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_case(&cases[i]);
}

static void test_another_platform(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    AUTO_REQUEST struct request request = {.force = true};
    AUTO_CHANGE struct change change = {.products = NULL};
    make_ledger(&ledger, "cuda 12.8.1 full nvcc=1");
    make_products(&request, "cudnn 9.8.0/12");
    request.platform = mem_string("linux-sbsa");
    assert_false(change_of(&ledger, &request, "/opt/cuda", &change, &error));
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_non_null(strstr(error.what, "linux-x86_64"));
}

static void test_extents(void **state)
{
    (void)state;
    enum extent both = EXTENT_FULL;
    assert_true(change_extents(EXTENT_BUILD, EXTENT_BUILD, &both));
    assert_int_equal(both, EXTENT_BUILD);
    assert_true(change_extents(EXTENT_RUNTIME, EXTENT_FULL, &both));
    assert_int_equal(both, EXTENT_FULL);
    assert_false(change_extents(EXTENT_RUNTIME, EXTENT_BUILD, &both));
    assert_false(change_extent_of("wide", &both));
}

static void add_file(struct ledger *ledger, const char *path, const char *owners)
{
    struct ledger_file *file = vec_push(ledger->files, ledger->file_count, ledger->file_capacity);
    file->path = mem_string(path);
    strlist_split(&file->owners, owners, ',');
}

static void check_kept(const char *there, const char *then, const char *expected)
{
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    AUTO_LEDGER struct ledger next = {.gpuenv = NULL};
    AUTO_LEDGER struct ledger kept = {.gpuenv = NULL};
    AUTO_STRLIST struct strlist list = {0};
    make_ledger(&ledger, there);
    make_ledger(&next, then);
    add_file(&ledger, "a", "cuda/nvcc");
    add_file(&ledger, "b", "cuda/cudart,cudnn/c");
    add_file(&ledger, "c", "cudnn/c");
    add_file(&ledger, "lib64", "gpuenv");
    add_file(&ledger, "version.json", "gpuenv");
    change_keep_files(&ledger, &next, &kept);
    for (size_t i = 0; i < kept.file_count; i++) {
        AUTO_FREE char *owners = strlist_join(&kept.files[i].owners, "+");
        assert_true(kept.files[i].is_there);
        strlist_take(&list, mem_printf("%s:%s", kept.files[i].path, owners));
    }
    AUTO_FREE char *found = strlist_join(&list, " ");
    assert_string_equal(found, expected);
}

#define BOTH "cuda 12.8.1 full nvcc=1 cudart=2; cudnn 9.8.0/cuda12 full c=3"
static void test_files_that_stay(void **state)
{
    (void)state;
    check_kept(BOTH, BOTH,
               "a:cuda/nvcc b:cuda/cudart+cudnn/c c:cudnn/c lib64:gpuenv version.json:gpuenv");
    /* cudnn goes, with what it alone has */
    check_kept(BOTH, "cuda 12.8.1 full nvcc=1 cudart=2",
               "a:cuda/nvcc b:cuda/cudart lib64:gpuenv version.json:gpuenv");
    /* a patch release that brings another cudart; version.json says other versions */
    check_kept(BOTH, "cuda 12.8.2 full nvcc=1 cudart=9; cudnn 9.8.0/cuda12 full c=3",
               "a:cuda/nvcc b:cudnn/c c:cudnn/c lib64:gpuenv");
    /* build and full unpack an archive alike, runtime does not */
    check_kept("cuda 12.8.1 build nvcc=1", "cuda 12.8.1 full nvcc=1 x=4",
               "a:cuda/nvcc lib64:gpuenv");
    check_kept("cuda 12.8.1 runtime nvcc=1", "cuda 12.8.1 full nvcc=1", "lib64:gpuenv");
    check_kept(BOTH, "cudnn 9.8.0/cuda12 full c=3", "b:cudnn/c c:cudnn/c lib64:gpuenv");
}

static void check_previous(const struct ledger_product *product, const char *expected)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < product->previous_count; i++)
        strlist_take(
            &list, mem_printf("%s#%u", product->previous[i].version, product->previous[i].change));
    AUTO_FREE char *found = strlist_join(&list, " ");
    assert_string_equal(found, expected);
}

/* Each version replaces the one before it: the ledger remembers four, and none twice. */
static void test_what_is_remembered(void **state)
{
    (void)state;
    static const struct {
        const char *version, *expected;
    } steps[] = {{"9.2", "9.1#1"},
                 {"9.3", "9.2#2 9.1#1"},
                 {"9.2", "9.3#3 9.1#1"},
                 {"9.3", "9.2#4 9.1#1"},
                 {"9.4", "9.3#5 9.2#4 9.1#1"},
                 {"9.5", "9.4#6 9.3#5 9.2#4 9.1#1"},
                 {"9.6", "9.5#7 9.4#6 9.3#5 9.2#4"},
                 {"9.6", "9.5#7 9.4#6 9.3#5 9.2#4"}};
    struct ledger there = {.gpuenv = NULL};
    make_ledger(&there, "cudnn 9.1/cuda12 full c=1");
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        AUTO_FREE char *text = mem_printf("cudnn %s/cuda12 full c=1", steps[i].version);
        struct ledger next = {.gpuenv = NULL};
        make_ledger(&next, text);
        ledger_product_replace(&next.products[0], &there.products[0],
                               ledger_last_change(&there) + 1);
        check_previous(&next.products[0], steps[i].expected);
        ledger_free(&there);
        there = next;
    }
    AUTO_LEDGER struct ledger copy = {.gpuenv = NULL};
    ledger_product_remember(ledger_product_add(&copy, &there.products[0]), &there.products[0]);
    check_previous(&copy.products[0], "9.5#7 9.4#6 9.3#5 9.2#4");
    ledger_free(&there);
}

static void test_order_of_products(void **state)
{
    (void)state;
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    make_ledger(
        &ledger,
        "nvcomp 5.0 full a=1; cutensor 2.0 full a=1; cublasmp 0.6 full a=1; cuda 12.8.1 full a=1");
    ledger_sort_products(&ledger);
    static const char *const expected[] = {"cuda", "cublasmp", "cutensor", "nvcomp"};
    for (size_t i = 0; i < ledger.product_count; i++)
        assert_string_equal(ledger.products[i].product, expected[i]);
}

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(change_word(CHANGE_REPLACE), "replaced");
    assert_string_equal(way_word(WAY_FILES), "file by file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_request_means),
        cmocka_unit_test(test_another_platform),
        cmocka_unit_test(test_extents),
        cmocka_unit_test(test_files_that_stay),
        cmocka_unit_test(test_what_is_remembered),
        cmocka_unit_test(test_order_of_products),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
