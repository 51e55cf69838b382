/* SPDX-License-Identifier: MIT */
#include <elf.h>

#include "probe/tree.h"

#include "base/text.h"
#include "probe/kernel/module_file.h"

#define BASE "/lib/modules/6.1.0-18-amd64"

/* The least of a kernel module: a file header, .modinfo, the section names, three headers. */
struct module_image {
    Elf64_Ehdr header;
    char modinfo[64];
    char names[32];
    Elf64_Shdr sections[3];
};

static void make_module(const struct tree *tree, const char *path, const char *version,
                        const char *license)
{
    struct module_image image = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_REL,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_shoff = offsetof(struct module_image, sections),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 3,
                   .e_shstrndx = 2},
        .names = "\0.modinfo\0.shstrtab",
        .sections = {{.sh_type = SHT_NULL},
                     {.sh_name = 1,
                      .sh_type = SHT_PROGBITS,
                      .sh_offset = offsetof(struct module_image, modinfo),
                      .sh_size = 64,
                      .sh_addralign = 1},
                     {.sh_name = 10,
                      .sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct module_image, names),
                      .sh_size = 32,
                      .sh_addralign = 1}},
    };
    snprintf(image.modinfo, sizeof(image.modinfo), "version=%s%clicense=%s%cvermagic=6.1", version,
             '\0', license, '\0');
    tree_bytes(tree, path, (const char *)&image, sizeof(image));
}

/* A file that is not what its name says, or that this build does not unpack. */
static void assert_unread(const struct tree *tree, const char *group, const char *name)
{
    const struct fact *fact = tree_fact(tree, group, name);
    assert_true(fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED);
    assert_non_null(strstr(fact->reason, "compress"));
}

static void compressed_modules_are_unpacked(void **state)
{
    struct tree *tree = *state;
    static const char plain[] = "/lib/modules/6.8.0/extra/nvidia.ko";
    static const char group[] = "module_file/6.8.0/extra/nvidia.ko.gz";
    make_module(tree, plain, "570.86.15", "NVIDIA");
    AUTO_FREE char *path = tree_path(tree, plain);
    AUTO_FREE char *command = mem_printf("gzip -f %s", path);
    if (system(command) != 0)
        skip();
    tree_probe(tree, probe_module_file);
    if (tree_fact(tree, group, "version")->state == FACT_SKIPPED)
        skip(); /* built without zlib's archive */
    assert_fact(tree, group, "version", "570.86.15");
    assert_fact(tree, group, "license", "NVIDIA");
    assert_fact(tree, group, "vermagic", "6.1");
    assert_fact_boolean(tree, group, "signed", false);
    assert_fact_absent(tree, group, "signer");
}

static void a_loaded_module_spares_the_unpacking(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/modules", "nvidia 1 0 - Live 0x0\n");
    tree_file(tree, "/lib/modules/6.8.0/extra/nvidia.ko.gz", "x");
    tree_probe(tree, NULL);
    assert_fact_skipped(tree, "module_file/6.8.0/extra/nvidia.ko.gz", "version", "compressed");
}

static void finds_modules_where_they_are_put(void **state)
{
    struct tree *tree = *state;
    make_module(tree, BASE "/updates/dkms/nvidia.ko", "570.86.15", "Dual MIT/GPL");
    make_module(tree, BASE "/updates/dkms/nvidia-uvm.ko", "570.86.15", "Dual MIT/GPL");
    make_module(tree, BASE "/kernel/drivers/video/nvidia.ko", "550.54.15", "NVIDIA");
    make_module(tree, BASE "/kernel/drivers/net/nvidia.ko", "1", "GPL");
    tree_file(tree, "/lib/modules/6.8.0-45-generic/kernel/nvidia-570srv-open/nvidia.ko.zst", "x");
    tree_date(tree, BASE "/updates/dkms/nvidia.ko", 1700000000);
    tree_probe(tree, probe_module_file);
    assert_fact_integer(tree, "module_file", "count", 3);
    static const char dkms[] = "module_file/6.1.0-18-amd64/updates/dkms/nvidia.ko";
    assert_fact(tree, dkms, "path", BASE "/updates/dkms/nvidia.ko");
    assert_fact(tree, dkms, "kernel", "6.1.0-18-amd64");
    assert_fact(tree, dkms, "version", "570.86.15");
    assert_fact(tree, dkms, "license", "Dual MIT/GPL");
    assert_fact(tree, dkms, "vermagic", "6.1");
    assert_fact_integer(tree, dkms, "modified", 1700000000);
    assert_fact_boolean(tree, dkms, "signed", false);
    assert_fact_absent(tree, dkms, "signer");
    assert_fact_absent(tree, dkms, "signer_serial");
    assert_fact(tree, "module_file/6.1.0-18-amd64/kernel/drivers/video/nvidia.ko", "license",
                "NVIDIA");
    static const char prebuilt[] =
        "module_file/6.8.0-45-generic/kernel/nvidia-570srv-open/nvidia.ko.zst";
    assert_fact(tree, prebuilt, "kernel", "6.8.0-45-generic");
    assert_unread(tree, prebuilt, "version");
    assert_unread(tree, prebuilt, "license");
    assert_unread(tree, prebuilt, "signer");
}

static void no_directory_is_absent(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_module_file);
    assert_fact_absent(tree, "module_file", "count");
    tree_directory(tree, BASE);
    tree_probe(tree, probe_module_file);
    assert_fact_integer(tree, "module_file", "count", 0);
}

static void a_merged_usr_is_searched_once(void **state)
{
    struct tree *tree = *state;
    tree_link(tree, "/lib", "usr/lib");
    make_module(tree, "/usr" BASE "/extra/nvidia.ko", "570.86.15", "NVIDIA");
    tree_probe(tree, probe_module_file);
    assert_fact_integer(tree, "module_file", "count", 1);
    assert_fact(tree, "module_file/6.1.0-18-amd64/extra/nvidia.ko", "path",
                BASE "/extra/nvidia.ko");
}

/* What is loaded is what the link leads to: its own age says nothing. */
static void the_age_is_the_files_and_not_the_links(void **state)
{
    struct tree *tree = *state;
    make_module(tree, "/lib/modules/6.1.0-17-amd64/extra/nvidia.ko", "570.86.15", "NVIDIA");
    tree_link(tree, BASE "/weak-updates/nvidia.ko", "/lib/modules/6.1.0-17-amd64/extra/nvidia.ko");
    tree_date(tree, "/lib/modules/6.1.0-17-amd64/extra/nvidia.ko", 1000);
    tree_date(tree, BASE "/weak-updates/nvidia.ko", 2000);
    tree_probe(tree, probe_module_file);
    assert_fact_integer(tree, "module_file/6.1.0-18-amd64/weak-updates/nvidia.ko", "modified",
                        1000);
}

static void links_to_files_are_followed_and_circles_are_not(void **state)
{
    struct tree *tree = *state;
    make_module(tree, BASE "/extra/nvidia/nvidia.ko", "570.86.15", "NVIDIA");
    tree_link(tree, "/lib/modules/6.1.0-20-amd64/weak-updates/nvidia.ko",
              BASE "/extra/nvidia/nvidia.ko");
    tree_link(tree, BASE "/extra/circle", "../extra");
    tree_link(tree, BASE "/extra/nvidia/nvidia-current.ko", "nowhere");
    tree_probe(tree, probe_module_file);
    assert_fact_integer(tree, "module_file", "count", 2);
    assert_fact(tree, "module_file/6.1.0-20-amd64/weak-updates/nvidia.ko", "version", "570.86.15");
}

static void survives_hostile_modules(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/lib/modules/6\033[31m\377/extra/nvidia.ko", "");
    tree_directory(tree, BASE "/extra");
    AUTO_FREE char *pipe = tree_path(tree, BASE "/extra/nvidia.ko");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    tree_directory(tree, BASE "/updates/nvidia.ko");
    make_module(tree, BASE "/updates/nvidia-current.ko", "\033[31m", "\377");
    AUTO_TEXT struct text deep = {0};
    text_append(&deep, BASE "/misc");
    for (int i = 0; i < 100; i++)
        text_append(&deep, "/a");
    text_append(&deep, "/nvidia.ko");
    tree_file(tree, deep.data, "");
    tree_probe(tree, probe_module_file);
    assert_fact_integer(tree, "module_file", "count", 2);
    assert_fact_unknown(tree, "module_file/6\\x1b[31m\\xff/extra/nvidia.ko", "version", "ELF");
    assert_fact(tree, "module_file/6.1.0-18-amd64/updates/nvidia-current.ko", "version",
                "\033[31m");
}

static void knows_the_names_of_the_module_itself(void **state)
{
    static const char *const own[] = {"nvidia.ko",    "nvidia.ko.xz",      "nvidia.ko.zst",
                                      "nvidia.ko.gz", "nvidia-current.ko", "nvidia-tesla-470.ko"};
    static const char *const others[] = {"nvidia-uvm.ko",
                                         "nvidia-drm.ko.zst",
                                         "nvidia-current-modeset.ko",
                                         "nvidia-legacy-390xx-drm.ko",
                                         "nvidia.ko.sig",
                                         "nvidiafb.ko",
                                         "nvidia",
                                         "i2c-nvidia-gpu.ko",
                                         ""};
    (void)state;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        assert_true(module_file_is_nvidia(own[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(module_file_is_nvidia(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(finds_modules_where_they_are_put),
        tree_test(compressed_modules_are_unpacked),
        tree_test(a_loaded_module_spares_the_unpacking),
        tree_test(no_directory_is_absent),
        tree_test(a_merged_usr_is_searched_once),
        tree_test(the_age_is_the_files_and_not_the_links),
        tree_test(links_to_files_are_followed_and_circles_are_not),
        tree_test(survives_hostile_modules),
        cmocka_unit_test(knows_the_names_of_the_module_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
