/* SPDX-License-Identifier: MIT */
#include "host/tree.h"

#include "base/error.h"
#include "host/packed/packed.h"
#include "host/packed/packed_module.h"

static const char modinfo[] = "version=570.86.15\0"
                              "license=NVIDIA\0\0\0"
                              "alias=pci:v000010DEd*sv*sd*\0"
                              "parm=NVreg_X:int\0"
                              "vermagic=6.8.0 SMP mod_unload \0";

static const struct {
    const char *suffix;
    const char *command;
    enum packing packing;
} packers[] = {
    {".gz", "gzip -kf m", PACKING_GZIP},
    {".xz", "xz -kf --check=crc32 m", PACKING_XZ},
    {".zst", "zstd -qkf m", PACKING_ZSTD},
};
#define PACKERS (sizeof(packers) / sizeof(packers[0]))

static unsigned noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 24;
}

/* size bytes of noise, the section after the first half of them, a line at the end. */
static void write_module(const char *root, size_t size)
{
    AUTO_FREE char *path = mem_printf("%s/m", root);
    FILE *file = fopen(path, "w");
    unsigned state = 1;
    assert_non_null(file);
    fputs("\x7f"
          "ELF version=no such field",
          file);
    for (size_t i = 0; i < size; i++) {
        if (i == size / 2) {
            fputc('\0', file);
            assert_int_equal(fwrite(modinfo, 1, sizeof(modinfo), file), sizeof(modinfo));
            fputs("\x01\x02 not a field", file);
        }
        fputc((int)noise(&state), file);
    }
    fputs("~the end~", file);
    assert_int_equal(fclose(file), 0);
}

static bool pack(const char *root, size_t index)
{
    AUTO_FREE char *command = mem_printf("cd %s && %s 2>pack.err", root, packers[index].command);
    return packing_is_known(packers[index].packing) && system(command) == 0;
}

static enum host_status read_module(const char *root, const char *suffix, bool whole,
                                    struct packed_module *module, struct error *error)
{
    struct host *host = host_new(root, NULL);
    AUTO_FREE char *path = mem_printf("/m%s", suffix);
    enum host_status status = packed_module_read(host, path, whole, module, error);
    host_free(host);
    return status;
}

static void fields_are_found_in_every_packing(void **state)
{
    size_t tried = 0;
    for (size_t i = 0; i < PACKERS; i++) {
        struct packed_module module;
        write_module(*state, 3000000);
        if (!pack(*state, i))
            continue;
        tried++;
        assert_int_equal(read_module(*state, packers[i].suffix, true, &module, NULL), HOST_OK);
        AUTO_FREE char *fields = strlist_join(&module.fields, "|");
        assert_string_equal(fields,
                            "version=570.86.15|license=NVIDIA|vermagic=6.8.0 SMP mod_unload ");
        assert_int_equal(module.end.size, PACKED_END);
        assert_memory_equal(module.end.data + PACKED_END - 9, "~the end~", 9);
        packed_module_free(&module);
        assert_int_equal(read_module(*state, packers[i].suffix, false, &module, NULL), HOST_OK);
        assert_int_equal(module.fields.count, 3);
        assert_int_equal(module.end.size, 0);
        packed_module_free(&module);
    }
    if (tried == 0)
        skip();
}

static void a_small_module_s_end_is_all_of_it(void **state)
{
    struct packed_module module;
    write_module(*state, 10);
    if (!pack(*state, 0))
        skip();
    assert_int_equal(read_module(*state, ".gz", true, &module, NULL), HOST_OK);
    assert_int_equal(module.fields.count, 3);
    assert_true(module.end.size > 100 && module.end.size < 300);
    packed_module_free(&module);
}

static size_t load(const char *root, const char *suffix, unsigned char *bytes, size_t max)
{
    AUTO_FREE char *path = mem_printf("%s/m%s", root, suffix);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(bytes, 1, max, file);
    fclose(file);
    return size;
}

static void store(const char *root, const char *suffix, const unsigned char *bytes, size_t size)
{
    AUTO_FREE char *path = mem_printf("%s/m%s", root, suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Cut anywhere, and bytes turned over: an answer or a reason, never more. */
static void damaged_files(void **state)
{
    static unsigned char bytes[65536];
    for (size_t i = 0; i < PACKERS; i++) {
        write_module(*state, 3000);
        if (!pack(*state, i))
            continue;
        size_t size = load(*state, packers[i].suffix, bytes, sizeof(bytes));
        for (size_t at = 0; at < size; at += 7) {
            AUTO_ERROR struct error error = {0};
            struct packed_module module;
            store(*state, packers[i].suffix, bytes, at);
            assert_int_equal(read_module(*state, packers[i].suffix, true, &module, &error),
                             HOST_FAILED);
            assert_non_null(error.why);
            bytes[at] ^= 0xff;
            store(*state, packers[i].suffix, bytes, size);
            bytes[at] ^= 0xff;
            enum host_status status = read_module(*state, packers[i].suffix, true, &module, &error);
            assert_true(status == HOST_OK || (status == HOST_FAILED && error.why));
            packed_module_free(&module);
        }
    }
}

static void what_is_not_a_module(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct packed_module module;
    assert_int_equal(read_module(*state, ".gz", true, &module, &error), HOST_ABSENT);
    run_in(*state, "echo text >m.gz");
    assert_int_equal(read_module(*state, ".gz", true, &module, &error), HOST_FAILED);
    assert_non_null(strstr(error.why, "the compression does not match"));
    write_module(*state, 100);
    run_in(*state, "printf 'license=GPL' >m");
    if (!pack(*state, 0))
        skip();
    assert_int_equal(read_module(*state, ".gz", true, &module, &error), HOST_FAILED);
    assert_non_null(strstr(error.why, "no .modinfo"));
}

/* A few bytes that unpack to very many: no more than the bound is looked at. */
static void a_bomb_ends(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct packed_module module;
    if (!packing_is_known(PACKING_ZSTD))
        skip();
    run_in(*state, "head -c 300000000 /dev/zero | zstd -q >m.zst || true");
    assert_int_equal(read_module(*state, ".zst", true, &module, &error), HOST_FAILED);
    assert_non_null(strstr(error.why, "no .modinfo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_are_found_in_every_packing, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(a_small_module_s_end_is_all_of_it, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(damaged_files, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(what_is_not_a_module, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(a_bomb_ends, make_tree, remove_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
