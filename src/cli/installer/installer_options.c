/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"

const struct option option_prefix = {
    .name = "prefix",
    .argument = "DIR",
    .help = "the directory that holds the installation; without it /usr/local/cuda-X.Y for root, "
            "$XDG_DATA_HOME/gpuenv/cuda-X.Y for others"};
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
    .help = "add a component to those of the profile, or with a minus before it "
            "(--component=-NAME) leave it out"};
const struct option option_mirror = {
    .name = "mirror",
    .argument = "URL|DIR",
    .repeatable = true,
    .whole = true,
    .help = "where files come from instead of https://developer.download.nvidia.com; of several "
            "the next one is asked where one fails"};
const struct option option_archive = {
    .name = "archive",
    .argument = "FILE",
    .repeatable = true,
    .whole = true,
    .help = "an archive of the plan that is here already; it is verified like a download"};
const struct option option_offline = {
    .name = "offline", .help = "open no connection: use the cache, directories and --archive"};
const struct option option_accept_eula = {.name = "accept-eula",
                                          .help = "accept NVIDIA's licences of what is installed; "
                                                  "without it no archive is downloaded"};
const struct option option_allow_unpinned = {
    .name = "allow-unpinned",
    .help =
        "install a whole version (cuda@12.8.3) that has no checksum in the manifest, trusting the "
        "server alone"};
const struct option option_no_cache = {.name = "no-cache",
                                       .help = "keep no downloads, and use none that were kept"};
const struct option option_force = {.name = "force",
                                    .help = "remove files too that were changed by hand"};
const struct option option_install_force = {
    .name = "force",
    .help = "replace a CUDA of another X.Y that is in the prefix, and with --use a link that leads "
            "to what gpuenv did not install; in both cases never a directory or file that is not "
            "gpuenv's"};
const struct option option_force_link = {
    .name = "force",
    .help = "replace the link where it leads to what gpuenv did not install; a directory or file "
            "in its place is never replaced"};
const struct option option_use = {
    .name = "use",
    .help = "let /usr/local/cuda, or a user's own $XDG_DATA_HOME/gpuenv/cuda, lead to it, as "
            "gpuenv use does"};
const struct option option_ldconfig = {
    .name = "ldconfig",
    .help = "tell the loader of its libraries: a file in /etc/ld.so.conf.d, which uninstall takes "
            "away again, and ldconfig; needs root"};
const struct option option_image = {
    .name = "root",
    .argument = "DIR",
    .help = "work in the image below DIR: the prefix, the link and all paths written are those "
            "inside it, no link in it leads out, gpuenv runs nothing from it"};
const struct option option_jobs = {.name = "jobs",
                                   .argument = "N",
                                   .help = "archives unpacked at a time; as many as there are "
                                           "cores if not given"};
const struct option option_progress = {
    .name = "progress",
    .argument = "KIND",
    .help = "what stderr shows while it runs: bar, plain (a line per file), json (a line of JSON "
            "per event) or none; auto, a bar on a terminal and else plain, if not given"};
const struct option option_stall = {
    .name = "timeout",
    .argument = "SEC",
    .help = "abort a transfer that stalls for so many seconds; default 30"};
const struct option option_lock_timeout = {
    .name = "lock-timeout",
    .argument = "SEC",
    .help = "wait so many seconds for another gpuenv that works on the same prefix; 0 if not "
            "given"};
const struct option option_platform = {
    .name = "platform",
    .argument = "NAME",
    .help = "linux-x86_64, linux-sbsa (Arm servers) or linux-aarch64 (Jetson) instead of this "
            "machine's"};
const struct option option_platforms = {
    .name = "platform",
    .argument = "NAME,...",
    .repeatable = true,
    .help = "for linux-x86_64, linux-sbsa (Arm servers), linux-aarch64 (Jetson), as many as are "
            "wanted, instead of only for this machine"};
const struct option option_lock = {
    .name = "lock",
    .argument = "FILE",
    .help = "take the versions and digests of this lock file where it is of the same request; "
            "write it where it is not there, or of another one"};
const struct option option_locked = {
    .name = "locked",
    .help = "only what the lock file (gpuenv.lock, or --lock FILE) says: without one, or for "
            "another request, nothing is done"};
const struct option option_dry_run = {.name = "dry-run",
                                      .help = "print the plan, and install nothing"};
const struct option option_install_framework = {
    .name = "for-framework",
    .argument = "NAME[@V]",
    .help = "install the CUDA and cuDNN that this framework wants: tensorflow@2.10"};
