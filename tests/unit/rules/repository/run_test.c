/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define FILTERED "packages_filtered"
#define RHEL_8   "https://developer.download.nvidia.com/compute/cuda/repos/rhel8/x86_64"

static void packages_that_a_repository_leaves_out(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_rpm(facts, "cuda-rhel9", "http://h/x", "nvidia-driver*");
    assert_check(facts, PURPOSE_BUILD, FILTERED, CHECK_PASS, NULL); /* it may be on purpose */
    world_run(facts, "Error: Unable to find a match: nvidia-driver-cuda");
    assert_found(facts, PURPOSE_BUILD, FILTERED, SEVERITY_FAIL, "cuda-rhel9");
    assert_found(facts, PURPOSE_RUN, FILTERED, SEVERITY_WARN, "nvidia-driver*");
    world_list(facts, group, "excludes", "kmod*");
    assert_check(facts, PURPOSE_BUILD, FILTERED, CHECK_PASS, NULL);
    facts_free(facts);
    assert_needs(FILTERED, "package_run", "count");
}

static void set_list(struct facts *facts, const char *name, const char *item)
{
    AUTO_STRLIST struct strlist list = {0};
    if (item)
        strlist_add(&list, item);
    facts_set_list(facts, "package", name, &list, "/etc/dnf");
}

/* What a lock or a stream keeps back. */
static void packages_that_are_held_back(void **state)
{
    (void)state;
    static const char line[] = "package nvidia-driver-3:570.133.20-1.el9.x86_64 is filtered out by "
                               "exclude filtering";
    static const char *const holds[][2] = {
        {"versionlock: nvidia-driver-3:570.86.15-1.el9.*", "versionlock"},
        {"exclude: nvidia-driver*", "exclude"},
        {"zypper lock: nvidia-driver", "zypper lock"},
    };
    struct facts *facts = world_with_sources();
    world_run(facts, line);
    set_list(facts, "streams", NULL);
    for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
        set_list(facts, "holds", holds[i][0]);
        assert_found(facts, PURPOSE_BUILD, FILTERED, SEVERITY_FAIL, holds[i][1]);
    }
    set_list(facts, "holds", "versionlock: nvidia-driver-cuda-3:570.86.15-1.el9.*");
    assert_check(facts, PURPOSE_BUILD, FILTERED, CHECK_PASS, NULL);
    world_run(facts, "All matches were filtered out by modular filtering for argument: x");
    assert_found(facts, PURPOSE_BUILD, FILTERED, SEVERITY_FAIL, "no module stream is enabled");
    set_list(facts, "streams", "nvidia-driver:560-open");
    assert_found(facts, PURPOSE_BUILD, FILTERED, SEVERITY_FAIL, "nvidia-driver:560-open");
    facts_set_string(facts, "disk", "packages_path", "/var/cache/dnf", "statvfs(3)");
    facts_set_integer(facts, "disk", "packages_free_bytes", 0, "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, FILTERED, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_BUILD, "disk_full", SEVERITY_FAIL, "/var/cache/dnf");
    facts_free(facts);
}

/* What the last run says, the cause that it stands for, and where it is judged. */
static void lines_and_their_causes(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Curl error (37): Couldn't read a file:// file for file:///KEY", "apt_repo_key_rotated"},
        {"Public key for x.rpm is not installed. Failing package is: x", "apt_repo_key_rotated"},
        {"Signature verification failed for repomd.xml", "apt_repo_key_rotated"},
        {"Error: repomd.xml parser error: Bad repomd file", "tls_or_proxy_download_failure"},
        {"Curl error (60): SSL peer certificate", "tls_or_proxy_download_failure"},
        {"Downloading successful, but checksum doesn't match.", "cuda_repo_index_inconsistent"},
        {"nothing provides libx needed by y", "apt_held_or_mixed_repo_packages"},
        {"x-primary.xml.gz has wrong checksum", "cuda_repo_index_inconsistent"},
        {"Package x-1.x86_64.rpm is not signed", "apt_repo_key_rotated"},
        {"OpenPGP check for package \"x-1.x86_64\" (x) from repo \"r\" has failed: No "
         "corresponding "
         "key was found.",
         "apt_repo_key_rotated"},
        {"nothing provides x(x86-32) = 3:2.5-1 needed by y-libs-3:2.5-1.i686 from r",
         "cuda_repo_index_inconsistent"},
        {"nothing provides 'x = 2.5' needed by the to be installed y-2.5-1.x86_64",
         "cuda_repo_index_inconsistent"},
        {"nothing provides x = 3:2.4-1 needed by y-libs-3:2.5-1.i686 from r",
         "apt_held_or_mixed_repo_packages"},
        {"Error: It is not possible to switch enabled streams of a module", FILTERED},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_with_sources();
        world_run(facts, rows[i][0]);
        assert_found(facts, PURPOSE_BUILD, rows[i][1], SEVERITY_FAIL, rows[i][0]);
        assert_check(facts, PURPOSE_RUN, rows[i][1], CHECK_PASS, NULL); /* not of NVIDIA */
        facts_set_integer(facts, "rpm_repository", "count", 0, "/etc/yum.repos.d");
        assert_check(facts, PURPOSE_BUILD, rows[i][1], CHECK_PASS, NULL); /* of another root */
        world_run(facts, "Error: something else");
        assert_check(facts, PURPOSE_BUILD, rows[i][1], CHECK_PASS, NULL);
        facts_free(facts);
    }
}

/* One line is one cause: parts of the package's own version, or packages of elsewhere. */
static void what_nothing_provides(void **state)
{
    (void)state;
    static const char own[] = "nothing provides x = 3:2.5-1 needed by y-3:2.5-1.i686 from r";
    struct facts *facts = world_with_sources();
    world_run(facts, own);
    assert_check(facts, PURPOSE_BUILD, "apt_held_or_mixed_repo_packages", CHECK_PASS, NULL);
    world_run(facts, "nothing provides x needed by y-3:2.5-1.i686 from r");
    assert_check(facts, PURPOSE_BUILD, "cuda_repo_index_inconsistent", CHECK_PASS, NULL);
    world_run(facts, "nothing provides x needed by y"); /* without a version */
    assert_check(facts, PURPOSE_BUILD, "cuda_repo_index_inconsistent", CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_repository_of_another_release(void **state)
{
    (void)state;
    static const char cause[] = "apt_repo_of_other_release";
    struct facts *facts = world_with_sources();
    facts_set_string(facts, "os", "id", "rocky", "/etc/os-release");
    facts_set_string(facts, "os", "version_id", "9.4", "/etc/os-release");
    AUTO_FREE char *group = world_rpm(facts, "cuda-rhel8", RHEL_8, "");
    assert_check(facts, PURPOSE_BUILD, cause, CHECK_PASS, NULL);
    world_run(facts, "nothing provides libtinfo.so.5 needed by nsight-systems");
    assert_found(facts, PURPOSE_BUILD, cause, SEVERITY_FAIL, "rhel9");
    assert_check(facts, PURPOSE_BUILD, "apt_held_or_mixed_repo_packages", CHECK_PASS, NULL);
    facts_set_boolean(facts, group, "enabled", false, "/etc/yum.repos.d");
    assert_check(facts, PURPOSE_BUILD, cause, CHECK_PASS, NULL);
    facts_free(facts);
}

static void what_pacman_lacks(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    facts_set_boolean(facts, "pacman", "keyring", false, "/etc/pacman.d/gnupg");
    assert_found(facts, PURPOSE_BUILD, "apt_repo_key_rotated", SEVERITY_FAIL, "no keyring");
    facts_set_boolean(facts, "pacman", "keyring", true, "/etc/pacman.d/gnupg");
    assert_check(facts, PURPOSE_BUILD, "apt_repo_key_rotated", CHECK_PASS, NULL);
    world_list(facts, "pacman", "pages", "/var/lib/pacman/sync/extra.db");
    assert_found(facts, PURPOSE_BUILD, "tls_or_proxy_download_failure", SEVERITY_FAIL, "extra.db");
    facts_set_string(facts, "pacman", "refused", "<html>", "/etc/pacman.conf");
    assert_found(facts, PURPOSE_BUILD, "apt_list_is_html", SEVERITY_FAIL, "/etc/pacman.conf");
    facts_free(facts);
}

/* dnf passes over such a file, and goes on. */
static void a_repo_file_that_dnf_passes_over(void **state)
{
    (void)state;
    static const char path[] = "/etc/yum.repos.d/x.repo";
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = facts_group_name("source_file", path);
    facts_set_integer(facts, "source_file", "count", 1, path);
    facts_set_string(facts, group, "path", path, path);
    facts_set_integer(facts, group, "line", 1, path);
    facts_set_string(facts, group, "text", "<html>", path);
    assert_found(facts, PURPOSE_BUILD, "apt_list_is_html", SEVERITY_WARN, path);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_that_a_repository_leaves_out),
        cmocka_unit_test(packages_that_are_held_back),
        cmocka_unit_test(lines_and_their_causes),
        cmocka_unit_test(what_nothing_provides),
        cmocka_unit_test(a_repository_of_another_release),
        cmocka_unit_test(what_pacman_lacks),
        cmocka_unit_test(a_repo_file_that_dnf_passes_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
