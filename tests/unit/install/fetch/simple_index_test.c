/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "install/fetch/simple_index.h"

#define FILE_NAME "nvidia_nccl_cu12-2.28.9-py3-none-manylinux_2_18_x86_64.whl"
#define PAGE      "https://index.example/simple/nvidia-nccl-cu12/"

static void assert_found(const char *page, const char *url)
{
    AUTO_FREE char *found = simple_index_find(page, strlen(page), PAGE, FILE_NAME);
    if (url)
        assert_non_null(found);
    if (url)
        assert_string_equal(found, url);
    else
        assert_null(found);
}

static void test_html(void **state)
{
    (void)state;
    assert_found("<html><a href=\"https://files.example/a/" FILE_NAME "#sha256=12\">x</a>",
                 "https://files.example/a/" FILE_NAME);
    assert_found("<a class='x' HREF = '../../p/" FILE_NAME "'>x</a>",
                 "https://index.example/p/" FILE_NAME);
    assert_found("<a href=" FILE_NAME ">x</a>", PAGE FILE_NAME);
    assert_found("<a href=\"/f/" FILE_NAME "?a=1&amp;b=2\">x</a>",
                 "https://index.example/f/" FILE_NAME "?a=1&b=2");
    assert_found("<a href=\"nvidia%5Fnccl_cu12-2.28.9-py3-none-manylinux_2_18_x86_64.whl\">x</a>",
                 PAGE "nvidia%5Fnccl_cu12-2.28.9-py3-none-manylinux_2_18_x86_64.whl");
    assert_found("<a href=\"//files.example/" FILE_NAME "\">x</a>",
                 "https://files.example/" FILE_NAME);
}

/* What is none of the file, or leads elsewhere than to http and https. */
static void test_not_there(void **state)
{
    (void)state;
    static const char *const pages[] = {
        "",
        "href",
        "<a href",
        "<a href=",
        "<a href=\"",
        "<a href=\"" FILE_NAME ".metadata\">x</a>",
        "<a href=\"x" FILE_NAME "\">x</a>",
        "<a href=\"" FILE_NAME "/\">x</a>",
        "<a>" FILE_NAME "</a>",
        "<a href=\"file:///" FILE_NAME "\">x</a>",
        "<a href=\"ftp://h/" FILE_NAME "\">x</a>",
        "<a href=\"https://u:p@h/" FILE_NAME "\">x</a>",
        "<a href=\"x%\">x</a>",
    };
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
        assert_found(pages[i], NULL);
}

static void test_json(void **state)
{
    (void)state;
    assert_found(" \n{\"files\": [{\"filename\": \"other\", \"url\": \"other\"}, {\"filename\": "
                 "\"" FILE_NAME "\", \"url\": \"../../f/" FILE_NAME "\"}]}",
                 "https://index.example/f/" FILE_NAME);
    static const char *const pages[] = {
        "{",
        "{}",
        "{\"files\": 1}",
        "{\"files\": {}}",
        "{\"files\": [1, null, {\"filename\": 2}]}",
        "{\"files\": [{\"filename\": \"" FILE_NAME "\"}]}",
        "{\"files\": [{\"filename\": \"" FILE_NAME "\", \"url\": 1}]}",
        "{\"files\": [{\"filename\": \"" FILE_NAME "\", \"url\": \"file:///x\"}]}",
        "{\"files\": [{\"url\": \"" FILE_NAME "\"}]}",
    };
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
        assert_found(pages[i], NULL);
}

/* Every beginning of a page, and every byte of it changed. */
/* What is found is an address, whatever the page says. */
static void find_in(const char *page, size_t size)
{
    AUTO_FREE char *url = simple_index_find(page, size, PAGE, FILE_NAME);
    assert_true(url == NULL || strstr(url, "://"));
}

static void test_broken(void **state)
{
    (void)state;
    char page[] = "<a href=\"../" FILE_NAME "?a&amp;b#c\" data-x='%41'>x</a>";
    for (size_t size = 0; size < sizeof(page); size++)
        find_in(page, size);
    for (size_t i = 0; i + 1 < sizeof(page); i++)
        for (int byte = 0; byte < 256; byte++) {
            char kept = page[i];
            page[i] = (char)byte;
            find_in(page, sizeof(page) - 1);
            page[i] = kept;
        }
}

static void test_page(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"https://h/simple", "nvidia-nccl-cu12", "https://h/simple/nvidia-nccl-cu12/"},
        {"https://h/simple//", "Nvidia_NCCL.-_cu12", "https://h/simple/nvidia-nccl-cu12/"},
        {"http://h", "a", "http://h/a/"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_FREE char *url = simple_index_page(rows[i][0], rows[i][1]);
        assert_string_equal(url, rows[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html), cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_json), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
