/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"

const struct option option_prefix = {
    .name = "prefix",
    .argument = "DIR",
    .help = "install into this directory; default: /usr/local/cuda-X.Y for root, "
            "$XDG_DATA_HOME/gpuenv/cuda-X.Y for other users"};
const struct option option_prefix_of = {
    .name = "prefix", .argument = "DIR", .help = "the directory that holds the installation"};
const struct option option_profile = {
    .name = "profile",
    .argument = "NAME",
    .help = "full (compilers, headers, libraries; the default), runtime (only shared libraries) "
            "or build (nvcc and what it needs, no math libraries)"};
const struct option option_component = {
    .name = "component",
    .argument = "NAME,...",
    .repeatable = true,
    .help = "add a component to the profile, or leave one out (--component=-NAME)"};
const struct option option_mirror = {
    .name = "mirror",
    .argument = "URL|DIR",
    .repeatable = true,
    .whole = true,
    .help = "get files from here instead of https://developer.download.nvidia.com; if --mirror is "
            "given several times, gpuenv tries the next mirror when one fails"};
const struct option option_archive = {
    .name = "archive",
    .argument = "FILE",
    .repeatable = true,
    .whole = true,
    .help = "an archive that you have already; gpuenv verifies the file like a download"};
const struct option option_index = {
    .name = "index",
    .argument = "URL",
    .repeatable = true,
    .whole = true,
    .help = "a Python index that has the archives of NCCL and others that NVIDIA's server does not "
            "have; default: the index that pip is configured for, if any"};
const struct option option_offline = {
    .name = "offline",
    .help = "do not use the network: use only the cache, directories and --archive"};
const struct option option_accept_eula = {.name = "accept-eula",
                                          .help = "accept NVIDIA's licences for what is installed; "
                                                  "without this option, no archive is downloaded"};
const struct option option_allow_unpinned = {
    .name = "allow-unpinned",
    .help = "install a full version (cuda@12.8.3) that has no checksum in the manifest, trusting "
            "the server alone"};
const struct option option_no_cache = {
    .name = "no-cache", .help = "do not keep downloads, and do not use downloads kept earlier"};
const struct option option_force = {.name = "force",
                                    .help = "also remove files that were changed by hand"};
const struct option option_install_force = {
    .name = "force",
    .help =
        "replace a CUDA of another X.Y in the prefix and, with --use, replace a link to something "
        "that gpuenv did not install; other directories and files are never replaced"};
const struct option option_force_link = {
    .name = "force",
    .help = "replace a link to something that gpuenv did not install; a directory or file there is "
            "never replaced"};
const struct option option_use = {
    .name = "use",
    .help = "also point the link /usr/local/cuda (other users: $XDG_DATA_HOME/gpuenv/cuda) to the "
            "installation, like gpuenv use"};
const struct option option_ldconfig = {
    .name = "ldconfig",
    .help = "make the loader find the installed libraries: write a file in /etc/ld.so.conf.d, "
            "which uninstall removes, and run ldconfig; needs root"};
const struct option option_image = {
    .name = "root",
    .argument = "DIR",
    .help = "work in the image below DIR: the prefix, the link and all written paths are inside "
            "it, its links cannot lead outside, and gpuenv runs nothing from that system"};
const struct option option_jobs = {
    .name = "jobs",
    .argument = "N",
    .help = "how many archives are unpacked at the same time; default: one for each core"};
const struct option option_progress = {
    .name = "progress",
    .argument = "KIND",
    .help = "how progress is shown on stderr: bar, plain (a line per file), json (a line of JSON "
            "per event) or none; default: a bar on a terminal, else plain"};
const struct option option_stall = {.name = "timeout",
                                    .argument = "SEC",
                                    .help =
                                        "abort a transfer that stalls for SEC seconds; default 30"};
const struct option option_cacert = {
    .name = "cacert",
    .argument = "FILE",
    .help = "check https servers with the CA certificates in FILE (PEM); default: SSL_CERT_FILE "
            "and SSL_CERT_DIR, else the system's"};
const struct option option_lock_timeout = {
    .name = "lock-timeout",
    .argument = "SEC",
    .help =
        "wait up to SEC seconds for another gpuenv that is working on the same prefix; default 0"};
const struct option option_platform = {
    .name = "platform",
    .argument = "NAME",
    .help = "linux-x86_64, linux-sbsa (Arm servers) or linux-aarch64 (Jetson) instead of this "
            "machine's"};
const struct option option_platforms = {
    .name = "platform",
    .argument = "NAME,...",
    .repeatable = true,
    .help = "the platforms to copy: linux-x86_64, linux-sbsa (Arm servers), linux-aarch64 "
            "(Jetson); default: this machine's"};
const struct option option_lock = {.name = "lock",
                                   .argument = "FILE",
                                   .help =
                                       "use the versions and digests in this lock file if the file "
                                       "is for the same request; otherwise write the file"};
const struct option option_locked = {
    .name = "locked",
    .help = "install only what the lock file (gpuenv.lock, or --lock FILE) says; fail if the lock "
            "file is missing or for a different request"};
const struct option option_dry_run = {.name = "dry-run",
                                      .help = "print the plan and install nothing"};
const struct option option_install_framework = {
    .name = "for-framework",
    .argument = "NAME[@V]",
    .help = "install the CUDA and cuDNN that this framework needs: tensorflow@2.10"};
