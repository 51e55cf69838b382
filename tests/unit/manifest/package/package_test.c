/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "manifest/manifest.h"
#include "manifest/package/package.h"
#include "manifest/store/store.h"

static int setup(void **state)
{
    *state = manifest_new();
    return 0;
}

static int teardown(void **state)
{
    manifest_free(*state);
    return 0;
}

static struct manifest_system system_of(const char *id, const char *like, const char *release,
                                        const char *machine)
{
    struct manifest_system system = {.id = id, .like = like, .machine = machine};
    if (release != NULL)
        assert_true(version_parse(release, &system.release));
    return system;
}

/* What is asked, the row that answers it (NULL: none) and the line for a shell. */
struct question {
    const char *id, *like, *release;
    const char *repository, *flavour, *use;
    unsigned branch;
    const char *row, *line;
};

static void ask(void **state, const struct question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct question *question = &questions[i];
        struct manifest_system system =
            system_of(question->id, question->like, question->release, NULL);
        struct manifest_package_query query = {.system = &system,
                                               .repository = question->repository,
                                               .flavour = question->flavour,
                                               .use = question->use,
                                               .branch = question->branch};
        const struct manifest_package *package = manifest_package_find(*state, &query);
        if (question->row == NULL) {
            assert_null(package);
            continue;
        }
        assert_non_null(package);
        assert_string_equal(package->id, question->row);
        if (question->line == NULL)
            continue;
        AUTO_FREE char *line =
            manifest_command_line(&package->commands, question->branch, "https://u");
        assert_string_equal(line, question->line);
    }
}
#define ASK(questions) ask(state, questions, sizeof(questions) / sizeof(*(questions)))

static void test_ubuntu(void **state)
{
    static const struct question questions[] = {
        {"ubuntu", "debian", "24.04", NULL, "open", NULL, 580, "package/ubuntu-24.04-open",
         "sudo apt-get install nvidia-driver-580-open"},
        {"ubuntu", NULL, "22.04", NULL, "proprietary", NULL, 470,
         "package/ubuntu-22.04-proprietary", "sudo apt-get install nvidia-driver-470"},
        {"ubuntu", NULL, "26.04", NULL, "proprietary", "data-centre", 580,
         "package/ubuntu-26.04-proprietary-data-centre",
         "sudo apt-get install nvidia-driver-580-server"},
        {"ubuntu", NULL, "24.04", NULL, "open", "server", 595, "package/ubuntu-24.04-open-server",
         "sudo apt-get install nvidia-headless-595-server-open nvidia-utils-595-server"},
        {"ubuntu", NULL, "24.04", NULL, "either", NULL, 0, "package/ubuntu-24.04-either-newest",
         "sudo apt-get install ubuntu-drivers-common && sudo ubuntu-drivers install"},
        {"ubuntu", NULL, "24.04", NULL, "either", "data-centre", 580,
         "package/ubuntu-24.04-either-data-centre",
         "sudo apt-get install ubuntu-drivers-common && sudo ubuntu-drivers install --gpgpu "
         "nvidia:580-server && sudo apt-get install nvidia-utils-580-server"},
        {"ubuntu", NULL, "24.04", "nvidia", "proprietary", NULL, 580,
         "package/ubuntu-24.04-nvidia-proprietary",
         "sudo apt-get install nvidia-driver-pinning-580 && sudo apt-get install "
         "\"linux-headers-$(uname -r)\" cuda-drivers"},
        /* 535 is transitional by now, 26.04 never had 470, and R615 has no proprietary module. */
        {"ubuntu", NULL, "24.04", NULL, "open", NULL, 535, NULL, NULL},
        {"ubuntu", NULL, "26.04", NULL, "proprietary", NULL, 470, NULL, NULL},
        {"ubuntu", NULL, "26.04", NULL, "either", NULL, 470, NULL, NULL},
        {"ubuntu", NULL, "24.04", "nvidia", "proprietary", NULL, 615, NULL, NULL},
        {"ubuntu", NULL, "24.04", NULL, "open", NULL, 600, NULL, NULL},
        /* A release that is not listed, and one that is numbered otherwise. */
        {"ubuntu", NULL, "25.10", NULL, "either", NULL, 580, "package/ubuntu-either",
         "sudo apt-get install ubuntu-drivers-common && sudo ubuntu-drivers install nvidia:580"},
        {"linuxmint", "ubuntu debian", "22", NULL, "either", NULL, 0,
         "package/ubuntu-either-newest", NULL},
        {"ubuntu", NULL, "25.10", NULL, "open", NULL, 580, NULL, NULL},
        /* More names than any distribution has, and names that only look like one. */
        {"many", "a b c d e f g h i j k l m n o p q r s ubuntu", "1", NULL, "either", NULL, 580,
         "package/ubuntu-either", NULL},
        {"many", "ubuntu-a b-ubuntu ubuntu", NULL, NULL, "either", NULL, 580,
         "package/ubuntu-either", NULL},
        {"other", "ubuntu-a b-ubuntu", NULL, NULL, "either", NULL, 580, NULL, NULL},
    };
    ASK(questions);
}

static void test_debian(void **state)
{
    static const struct question questions[] = {
        {"debian", NULL, "12", "distribution", "proprietary", NULL, 0,
         "package/debian-12-proprietary-535",
         "sudo apt-get install \"linux-headers-$(uname -r)\" nvidia-driver libcuda1 nvidia-smi"},
        {"debian", NULL, "12", "distribution", "proprietary", NULL, 470,
         "package/debian-12-proprietary-470",
         "sudo apt-get install \"linux-headers-$(uname -r)\" nvidia-tesla-470-driver "
         "libnvidia-tesla-470-cuda1 nvidia-tesla-470-smi"},
        {"debian", NULL, "13", "distribution", "open", NULL, 550, "package/debian-13-open-550",
         "sudo apt-get install \"linux-headers-$(uname -r)\" nvidia-open-kernel-dkms nvidia-driver "
         "libcuda1 nvidia-smi"},
        {"debian", NULL, "13", "distribution", "proprietary", NULL, 470, NULL, NULL},
        {"debian", NULL, "13", "distribution", NULL, NULL, 580, NULL, NULL},
        {"debian", NULL, "13", NULL, "open", NULL, 595, "package/debian-13-nvidia-open",
         "sudo apt-get install nvidia-driver-pinning-595 && sudo apt-get install "
         "\"linux-headers-$(uname -r)\" nvidia-open"},
        {"debian", NULL, "12", "nvidia", "open", "server", 0,
         "package/debian-12-nvidia-open-server-newest",
         "sudo apt-get install \"linux-headers-$(uname -r)\" nvidia-driver-cuda "
         "nvidia-kernel-open-dkms"},
        {"debian", NULL, NULL, "distribution", "proprietary", NULL, 0,
         "package/debian-proprietary-newest", NULL},
        /* NVIDIA's repository has R580 for 12 and 13 */
        {"debian", NULL, "13", "nvidia", "proprietary", NULL, 580,
         "package/debian-13-nvidia-proprietary", NULL},
        {"debian", NULL, "11", "nvidia", "proprietary", NULL, 580, NULL, NULL},
        {"linuxmint", "ubuntu debian", "22", "nvidia", "proprietary", NULL, 580, NULL, NULL},
    };
    ASK(questions);
}

static void test_others(void **state)
{
    static const struct question questions[] = {
        {"rocky", "rhel centos fedora", "9.4", NULL, "open", NULL, 0,
         "package/rhel-9-nvidia-open-newest",
         "sudo dnf module enable nvidia-driver:open-dkms && sudo dnf install nvidia-open "
         "\"kernel-devel-$(uname -r)\""},
        {"rhel", NULL, "8.10", NULL, "proprietary", NULL, 580, "package/rhel-8-nvidia-proprietary",
         "sudo dnf module enable nvidia-driver:580-dkms && sudo dnf install cuda-drivers "
         "\"kernel-devel-$(uname -r)\""},
        {"almalinux", NULL, "10.0", NULL, "proprietary", NULL, 580,
         "package/rhel-10-nvidia-proprietary",
         "sudo dnf install python3-dnf-plugin-versionlock && sudo dnf versionlock add "
         "'*nvidia*580*' && sudo dnf install cuda-drivers \"kernel-devel-$(uname -r)\""},
        {"fedora", NULL, "44", NULL, "open", NULL, 0, "package/fedora-nvidia-open-newest", NULL},
        {"nobara", "fedora", "42", NULL, "open", NULL, 0, "package/fedora-nvidia-open-newest",
         NULL},
        {"amzn", "fedora", "2023", NULL, "open", NULL, 0, "package/amzn-2023-nvidia-open-newest",
         NULL},
        {"sles", "suse", "15.6", NULL, "open", NULL, 0, "package/suse-nvidia-open-newest",
         "sudo zypper install nvidia-open"},
        {"manjaro", "arch", NULL, NULL, "open", NULL, 0, "package/arch-open-newest", NULL},
        {"alpine", NULL, "3.20", NULL, NULL, NULL, 0, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
        {"rhel", NULL, "9.4", NULL, "proprietary", NULL, 470, NULL, NULL},
        {"rhel", NULL, "9.4", NULL, "proprietary", NULL, 0, NULL, NULL},
    };
    ASK(questions);
}

static void test_names(void **state)
{
    struct manifest_system ubuntu = system_of("ubuntu", NULL, "24.04", NULL);
    struct manifest_package_query query = {
        .system = &ubuntu, .flavour = "open", .use = "server", .branch = 580};
    const struct manifest_package *package = manifest_package_find(*state, &query);
    AUTO_STRLIST struct strlist names = {0};
    manifest_package_names(package, 580, &names);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.items[0], "nvidia-headless-580-server-open");
    assert_string_equal(names.items[1], "nvidia-utils-580-server");
    assert_true(manifest_package_takes_branch(package));
    assert_string_equal(package->confidence, "medium");
    assert_non_null(strstr(package->source, "packages.ubuntu.com"));
}

static void test_repositories(void **state)
{
    static const struct {
        const char *id, *release, *machine, *url, *line;
    } cases[] = {
        {"ubuntu", "22.04", "x86_64", "ubuntu2204/x86_64",
         "wget https://u/cuda-keyring_1.1-1_all.deb && sudo dpkg -i cuda-keyring_1.1-1_all.deb && "
         "sudo apt-get update"},
        {"ubuntu", "26.04.1", "aarch64", "ubuntu2604/sbsa", NULL},
        {"debian", "12.11", "x86_64", "debian12/x86_64", NULL},
        {"ol", "8.9", "aarch64", "rhel8/sbsa",
         "sudo dnf config-manager --add-repo https://u/cuda-rhel8.repo"},
        {"fedora", "44", "x86_64", "fedora44/x86_64",
         "sudo dnf config-manager addrepo --overwrite "
         "--from-repofile=https://u/cuda-fedora44.repo"},
        {"amzn", "2023", "x86_64", "amzn2023/x86_64", NULL},
        {"sles", "15.6", "x86_64", "sles15/x86_64",
         "sudo zypper addrepo --check https://u/cuda-sles15.repo; sudo zypper refresh"},
        {"opensuse-leap", "15.6", "x86_64", "opensuse15/x86_64", NULL},
        {"azurelinux", "3.0", "x86_64", "azl3/x86_64",
         "sudo curl https://u/cuda-azl3.repo -o /etc/yum.repos.d/cuda-azl3.repo"},
        {"wsl", "24.04", "x86_64", "wsl-ubuntu/x86_64", NULL},
        {"ubuntu", "25.10", "x86_64", NULL, NULL},
        {"ubuntu", "22.04", "riscv64", NULL, NULL},
        {"ubuntu", "22.04", NULL, NULL, NULL},
        {"debian", NULL, "x86_64", NULL, NULL},
        {"linuxmint", "22", "x86_64", NULL, NULL},
        {NULL, "22.04", "x86_64", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct manifest_system system =
            system_of(cases[i].id, NULL, cases[i].release, cases[i].machine);
        const struct manifest_repository *repository = manifest_repository_find(*state, &system);
        if (cases[i].url == NULL) {
            assert_null(repository);
            continue;
        }
        assert_non_null(repository);
        AUTO_FREE char *url = manifest_repository_url(*state, repository, cases[i].machine);
        AUTO_FREE char *expected =
            mem_printf("https://developer.download.nvidia.com/compute/cuda/repos/%s", cases[i].url);
        assert_string_equal(url, expected);
        AUTO_FREE char *line = manifest_command_line(&repository->commands, 0, "https://u");
        if (cases[i].line != NULL)
            assert_string_equal(line, cases[i].line);
    }
}

/* Every row is found by what it says of itself, also when no other row was read. */
static void test_every_row_is_found(void **state)
{
    size_t count;
    struct manifest *whole = manifest_new();
    struct manifest *fresh = manifest_new();
    const struct manifest_package *rows =
        manifest_rows(whole, &manifest_package_subject, 0, &count);
    assert_int_equal(count, 113);
    for (size_t i = 0; i < count; i++) {
        struct manifest_system system = {.id = rows[i].system, .release = rows[i].release};
        bool takes = manifest_package_takes_branch(&rows[i]);
        struct manifest_package_query query = {.system = &system,
                                               .repository = rows[i].repository,
                                               .flavour = rows[i].flavour,
                                               .use = rows[i].use,
                                               .branch = rows[i].branch_max};
        if (takes && query.branch == 0)
            query.branch = rows[i].branch_min > 580 ? rows[i].branch_min : 580;
        const struct manifest_package *found = manifest_package_find(fresh, &query);
        assert_non_null(found);
        assert_string_equal(found->id, rows[i].id);
    }
    manifest_free(fresh);
    manifest_free(whole);
    manifest_repositories(*state, &count);
    assert_int_equal(count, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ubuntu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_debian, setup, teardown),
        cmocka_unit_test_setup_teardown(test_others, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_repositories, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_row_is_found, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
