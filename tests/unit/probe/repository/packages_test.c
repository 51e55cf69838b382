/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define STATUS "/var/lib/dpkg/status"
#define LISTS  "/var/lib/apt/lists/"
#define NVIDIA LISTS "n.example_r_"
#define UBUNTU LISTS "u.example_ubuntu_dists_jammy_restricted_binary-amd64_"
#define OFFER  "apt_offer/cuda-drivers"

static void reads_what_dpkg_has_not_finished(void **state)
{
    struct tree *tree = *state;
    static const char group[] = "package_state/nvidia-dkms-530";
    tree_file(tree, STATUS,
              "Package: nvidia-dkms-530\nStatus: install ok unpacked\nVersion: 530.41\n"
              "Depends: common (>= 2), virtual, gone | lost, here (= 1)\n\n"
              "Package: common\nStatus: hold ok installed\nVersion: 1\nProvides: virtual (= 3)\n\n"
              "Package: here\nStatus: install ok installed\nVersion: 1\n\n");
    tree_file(tree, "/var/log/apt/term.log",
              "dpkg: error processing archive /x/other_1_amd64.deb (--unpack):\n"
              " trying to overwrite '/a'\n"
              "dpkg: error processing archive /x/nvidia-dkms-530_530_amd64.deb (--unpack):\n"
              " trying to overwrite '/b', which is also in package c 1\n");
    tree_probe(tree, probe_package_state);
    assert_fact_integer(tree, "package_state", "count", 2); /* and other, which was taken back */
    assert_fact_list(tree, "package_state", "held", "common");
    assert_fact_boolean(tree, "package_state", "interrupted", false);
    assert_fact(tree, group, "name", "nvidia-dkms-530");
    assert_fact(tree, group, "version", "530.41");
    assert_fact(tree, group, "status", "install ok unpacked");
    assert_fact_list(tree, group, "unmet", "common (>= 2): 1 is installed");
    assert_fact_list(tree, group, "missing", "gone");
    assert_fact(tree, group, "overwrites", "'/b', which is also in package c 1");
}

static void reads_what_dpkg_took_back(void **state)
{
    struct tree *tree = *state;
    static const char log[] =
        "Log started: 1\ndpkg: error processing archive /x/nvidia-1_1_amd64.deb (--unpack):\n"
        " trying to overwrite '/a', which is also in package c 1\n"
        "Log started: 2\ndpkg: error processing archive /x/nvidia-340_340_amd64.deb (--unpack):\n"
        " trying to overwrite '/b', which is also in package c 1\n";
    tree_file(tree, STATUS, "Package: c\nStatus: install ok installed\nVersion: 1\n\n");
    tree_file(tree, "/var/log/apt/term.log", log);
    tree_probe(tree, probe_package_state);
    assert_fact_integer(tree, "package_state", "count", 1);
    assert_fact(tree, "package_state/nvidia-340", "status", "install ok not-installed");
    assert_fact(tree, "package_state/nvidia-340", "overwrites",
                "'/b', which is also in package c 1");
    tree_file(tree, STATUS, "Package: nvidia-340\nStatus: install ok installed\nVersion: 1\n\n");
    tree_probe(tree, probe_package_state);
    assert_fact_integer(tree, "package_state", "count", 0);
}

static void with_two_repositories(struct tree *tree)
{
    tree_file(tree, STATUS,
              "Package: cuda-drivers\nStatus: install ok installed\nVersion: 418-1\n\n");
    tree_file(tree, NVIDIA "InRelease", "Origin: NVIDIA\nLabel: NVIDIA CUDA\nSHA256:\n");
    tree_file(tree, NVIDIA "Packages",
              "Package: cuda-drivers\nVersion: 440.33-1\nDepends: nvidia-driver-440 (= 440.33)\n\n"
              "Package: nvidia-driver-440\nVersion: 440.33\n\n");
    tree_file(tree, LISTS "u.example_ubuntu_dists_jammy_InRelease",
              "Origin: Ubuntu\nSuite: jammy\n");
    tree_file(tree, UBUNTU "Packages", "Package: nvidia-driver-440\nVersion: 440.100\n\n");
}

static void works_out_what_apt_would_take(void **state)
{
    struct tree *tree = *state;
    with_two_repositories(tree);
    tree_probe(tree, probe_apt_offer);
    assert_fact_integer(tree, "apt_offer", "count", 1);
    assert_fact(tree, OFFER, "name", "cuda-drivers");
    assert_fact(tree, OFFER, "version", "440.33-1");
    assert_fact(tree, OFFER, "origin", "n.example");
    assert_fact(tree, OFFER, "needs", "nvidia-driver-440 (= 440.33)");
    assert_fact(tree, OFFER, "chosen", "440.100");
    assert_fact(tree, OFFER, "chosen_origin", "u.example");
    assert_fact_boolean(tree, OFFER, "held", false);
}

static void preferences_decide(void **state)
{
    struct tree *tree = *state;
    static const char *const pins[] = {
        "Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 600\n",
        "Package: *\nPin: release o=Ubu*,a=jammy\nPin-Priority: 400\n",
        "Package: nvidia-driver-*\nPin: origin n.example\nPin-Priority: 700\n",
        "Package: /^nvidia-/ x\nPin: version 440.33*\nPin-Priority: 700\n",
        "Explanation: x\nPackage: cuda-drivers\nPin: origin \"n.example\"\nPin-Priority: -1\n",
    };
    with_two_repositories(tree);
    for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++) {
        tree_file(tree, "/etc/apt/preferences.d/a", pins[i]);
        tree_probe(tree, probe_apt_offer);
        assert_fact_integer(tree, "apt_offer", "count", 0);
    }
    tree_file(tree, "/etc/apt/preferences.d/a",
              "Package: *\nPin: release l=Other\nPin-Priority: 600\n");
    tree_probe(tree, probe_apt_offer);
    assert_fact_integer(tree, "apt_offer", "count", 1);
    tree_file(tree, "/etc/apt/preferences.d/a", "");
    tree_file(tree, NVIDIA "Packages",
              "Package: cuda-drivers\nVersion: 440.33-1\nDepends: nvidia-unknown (= 1)\n\n");
    tree_probe(tree, probe_apt_offer); /* nothing is known of that package */
    assert_fact_integer(tree, "apt_offer", "count", 0);
}

static void reads_repositories_of_dnf(void **state)
{
    struct tree *tree = *state;
    static const char group[] = "rpm_repository//etc/yum.repos.d/c.repo:cuda";
    tree_file(tree, "/etc/yum.repos.d/c.repo",
              "# x\n[main]\na=b\n[cuda]\nname=x\nbaseurl = http://u:p@h/rhel9/x86_64\n"
              "enabled=0\ngpgcheck=1\nexcludepkgs=nvidia*, kmod-nvidia*\n[other]\n");
    tree_file(tree, "/etc/yum.repos.d/d.repo", "<html>\n");
    tree_file(tree, "/etc/yum.repos.d/d.txt", "<html>\n");
    tree_probe(tree, probe_rpm_repository);
    assert_fact_integer(tree, "rpm_repository", "count", 2);
    assert_fact(tree, group, "file", "/etc/yum.repos.d/c.repo");
    assert_fact(tree, group, "id", "cuda");
    assert_fact(tree, group, "uri", "http://h/rhel9/x86_64");
    assert_fact_boolean(tree, group, "enabled", false);
    assert_fact_boolean(tree, group, "gpgcheck", true);
    assert_fact_list(tree, group, "excludes", "nvidia*,kmod-nvidia*");
    assert_fact(tree, "source_file//etc/yum.repos.d/d.repo", "text", "<html>");
}

static void reads_records_and_logs_of_rpm(void **state)
{
    struct tree *tree = *state;
    static const char group[] = "package_origin/nvidia-driver";
    tree_file(tree, "/var/lib/yum/yumdb/n/ab12-nvidia-driver-3-418.67-4.el7-x86_64/from_repo",
              "cuda-rhel7");
    tree_file(tree, "/var/log/dnf.rpm.log",
              "package a-1-1.x86_64 does not verify: no digest\n"
              "package b-1-1.x86_64 does not verify: no digest\n"
              "package does not verify: no digest\n"
              "SUBDEBUG Installed: a-2-1.x86_64\n");
    tree_file(tree, "/proc/sys/crypto/fips_enabled", "1\n");
    tree_probe(tree, probe_rpm_repository);
    assert_fact_integer(tree, "package_origin", "count", 1);
    assert_fact(tree, group, "name", "nvidia-driver");
    assert_fact(tree, group, "version", "418.67");
    assert_fact(tree, group, "repository", "cuda-rhel7");
    assert_fact_list(tree, "package_log", "refused", "b-1-1.x86_64");
    assert_fact_boolean(tree, "package_log", "fips", true);
}

#define BEGIN_CERT "-----BEGIN CERTIFICATE-----\n"
#define END_CERT   "-----END CERTIFICATE-----\n"

static void compares_certificates(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_trust);
    assert_fact_absent(tree, "trust", "bundle");
    assert_fact_absent(tree, "trust", "package");
    tree_file(tree, STATUS, "Package: ca-certificates\nVersion: 1\n\n");
    tree_file(tree, "/etc/ssl/certs/ca-certificates.crt",
              BEGIN_CERT "AAAA\nBBBB\n" END_CERT BEGIN_CERT "CCCC\n" END_CERT);
    tree_file(tree, "/usr/local/share/ca-certificates/a.crt", BEGIN_CERT "AAAABBBB\n" END_CERT);
    tree_file(tree, "/usr/local/share/ca-certificates/b.crt", BEGIN_CERT "DDDD\r\n" END_CERT);
    tree_file(tree, "/usr/local/share/ca-certificates/c.pem", BEGIN_CERT "EEEE\n" END_CERT);
    tree_probe(tree, probe_trust);
    assert_fact(tree, "trust", "bundle", "/etc/ssl/certs/ca-certificates.crt");
    assert_fact_boolean(tree, "trust", "package", true);
    assert_fact_integer(tree, "trust", "certificates", 2);
    assert_fact_list(tree, "trust", "untrusted", "/usr/local/share/ca-certificates/b.crt");
}

static void reads_what_downloads_are_told(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/apt/apt.conf.d/95proxy",
              "Acquire::http::Proxy \"http://u:p@proxy.example:3128\";\n");
    tree_file(tree, "/etc/pip.conf", "[global]\nindex-url = https://pypi.example/simple\n");
    tree_probe(tree, probe_download);
    assert_fact_list(tree, "download", "apt_proxies", "http://proxy.example:3128");
    assert_fact_list(tree, "download", "pip_indexes", "https://pypi.example/simple");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_what_dpkg_has_not_finished),
        tree_test(reads_what_dpkg_took_back),
        tree_test(works_out_what_apt_would_take),
        tree_test(preferences_decide),
        tree_test(reads_repositories_of_dnf),
        tree_test(reads_records_and_logs_of_rpm),
        tree_test(compares_certificates),
        tree_test(reads_what_downloads_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
