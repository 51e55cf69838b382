/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "base/text.h"
#include "probe/python/metadata.h"

static char *value_of(const char *text, const char *key)
{
    return metadata_value(text, strlen(text), key);
}

static void values_stand_before_the_first_empty_line(void **state)
{
    (void)state;
    static const char text[] = "Metadata-Version: 2.1\r\nname:  torch \nVersion: 2.5.1\n"
                               "Requires-Dist: a\nRequires-Dist: b\n\nVersion: 9\nSummary: x\n";
    AUTO_FREE char *name = value_of(text, "Name");
    AUTO_FREE char *version = value_of(text, "Version");
    AUTO_STRLIST struct strlist requires = {0};
    assert_string_equal(name, "torch");
    assert_string_equal(version, "2.5.1");
    assert_null(value_of(text, "Summary"));
    assert_null(value_of(text, "Vers"));
    assert_null(value_of("", "Name"));
    metadata_values(text, strlen(text), "Requires-Dist", 1, &requires);
    assert_int_equal(requires.count, 1);
    metadata_values(text, strlen(text), "Requires-Dist", 9, &requires);
    assert_int_equal(requires.count, 3);
}

static void hostile_lines_are_as_if_they_were_not_there(void **state)
{
    (void)state;
    static const char nul[] = "Name: a\0b\nName: good\n";
    AUTO_FREE char *name = metadata_value(nul, sizeof(nul) - 1, "Name");
    assert_string_equal(name, "good");
    AUTO_TEXT struct text text = {0};
    text_append(&text, "Name: ");
    for (size_t i = 0; i < 1000000; i++)
        text_append_char(&text, 'x');
    text_append(&text, "\nName: good");
    AUTO_FREE char *after = metadata_value(text.data, text.size, "Name");
    assert_string_equal(after, "good");
    AUTO_FREE char *bytes = value_of("Name: \xff\xfe\n", "Name");
    assert_string_equal(bytes, "\xff\xfe");
}

static void record_keeps_to_the_directory(void **state)
{
    (void)state;
    static const char text[] = "../../../bin/torchrun,sha256=x,20\n/etc/passwd,,1\n\"a,b\",,3\n"
                               "a/../b,,1\na//b,,1\n,,\ntorch/lib/libtorch.so,sha256=x=,1234\r\n"
                               "torch/version.py,,\ntorch/x.so,sha256=y,12z\nlast";
    const char *at = text, *end = text + strlen(text);
    static const struct {
        const char *path;
        bool sized;
        uint64_t size;
    } expected[] = {{"torch/lib/libtorch.so", true, 1234},
                    {"torch/version.py", false, 0},
                    {"torch/x.so", false, 0},
                    {"last", false, 0}};
    struct record_entry entry;
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        assert_true(record_next(&at, end, &entry));
        assert_int_equal(entry.length, strlen(expected[i].path));
        assert_memory_equal(entry.path, expected[i].path, entry.length);
        assert_int_equal(entry.sized, expected[i].sized);
        if (entry.sized)
            assert_int_equal(entry.size, expected[i].size);
    }
    assert_false(record_next(&at, end, &entry));
}

static void names_are_compared_as_the_index_does(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"onnxruntime_gpu", "onnxruntime-gpu"},
                                           {"Nvidia.CUDNN_-_cu12", "nvidia-cudnn-cu12"},
                                           {"torch", "torch"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        AUTO_FREE char *normal = package_name_normal(names[i][0]);
        assert_string_equal(normal, names[i][1]);
    }
}

static void requirements_in_each_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *line, *name, *extras, *version, *extra;
    } rows[] = {
        {"nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == \"Linux\"", "nvidia-cudnn-cu12", NULL,
         "==9.1.0.70", NULL},
        {"nvidia-cudnn-cu12==9.5.1.17; platform_system == \"Linux\" and platform_machine == "
         "\"x86_64\"",
         "nvidia-cudnn-cu12", NULL, "==9.5.1.17", NULL},
        {"nvidia_cudnn_cu12 (==8.9.7.29) ; extra == 'and-cuda'", "nvidia-cudnn-cu12", NULL,
         "==8.9.7.29", "and-cuda"},
        {"cuda-toolkit[cublas,cudart]==13.0.2; platform_system == 'Linux'", "cuda-toolkit",
         "cublas,cudart", "==13.0.2", NULL},
        {"nvidia-cudnn-cu12 <10.0, >=9.1; extra == \"with_cuda\"", "nvidia-cudnn-cu12", NULL,
         "<10.0,>=9.1", "with_cuda"},
        {"filelock", "filelock", NULL, NULL, NULL},
        {"x @ https://example.org/x.whl", "x", NULL, NULL, NULL},
        {"a[b", "a", "b", NULL, NULL},
        {"a ()", "a", NULL, NULL, NULL},
        {"a ; extra", "a", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_REQUIREMENT_LINE struct requirement_line line = {.name = NULL};
        assert_true(requirement_line_parse(rows[i].line, &line));
        assert_string_equal(line.name, rows[i].name);
        assert_true(string_equal(line.extras, rows[i].extras));
        assert_true(string_equal(line.version, rows[i].version));
        assert_true(string_equal(line.extra, rows[i].extra));
    }
    struct requirement_line none;
    assert_false(requirement_line_parse("", &none));
    assert_false(requirement_line_parse("(==1)", &none));
}

static void markers_speak_of_this_machine(void **state)
{
    (void)state;
    static const struct {
        const char *marker;
        bool fits;
    } rows[] = {
        {NULL, true},
        {"python_version < \"3.13\"", true},
        {"platform_system == \"Linux\" and platform_machine == \"x86_64\"", true},
        {"platform_system == \"Linux\" and platform_machine == \"aarch64\"", false},
        {"platform_machine != 'x86_64'", false},
        {"sys_platform == 'win32'", false},
        {"platform_system == 'Darwin'", false},
        {"platform_system == 'Darwin' or platform_machine == 'x86_64'", true},
        {"platform_machine", true},
        {"my_platform_machine == 'arm'", true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(marker_fits(rows[i].marker, "x86_64"), rows[i].fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stand_before_the_first_empty_line),
        cmocka_unit_test(hostile_lines_are_as_if_they_were_not_there),
        cmocka_unit_test(record_keeps_to_the_directory),
        cmocka_unit_test(names_are_compared_as_the_index_does),
        cmocka_unit_test(requirements_in_each_spelling),
        cmocka_unit_test(markers_speak_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
