# SPDX-License-Identifier: MIT
# The house: its rooms and sub-rooms, what each does and which others it sees. A room sees the headers
# of the rooms in its own list and of no other: an include against an arrow does not compile.
# docs/background/architecture.md has this as a table (scripts/checks/architecture).
gpuenv_room(base
    ABOUT "errors (what, where, why, next), byte sources (bytes at any offset), text, lists, paths, versions, JSON, line wrapping, shell words, nearest names"
    LIBRARIES PkgConfig::JANSSON)
gpuenv_room(elf
    ABOUT "the one ELF reader, of a byte source: headers, segments, sections, dynamic section, notes, version tables, .modinfo, constants"
    ROOMS base)
gpuenv_room(facts
    ABOUT "the record of what was found: values, absent, unknown, skipped; its dictionary; saving and loading it; stand-ins for what is private"
    ROOMS base)

gpuenv_room(match
    ABOUT "many messages looked for in a text of any size: patterns with typed holes, one automaton, prefixes and wrapped lines"
    ROOMS base)

gpuenv_room(host/root
    ABOUT "the machine behind one handle: a root whose links stay inside it, files, lists, links, the clock, the environment"
    ROOMS base)
gpuenv_room(host/local
    ABOUT "the user's own files: reading and writing them safely, walks that follow no link of others, temporary files, the terminal, becoming gpuenv-install"
    ROOMS base host/root)
gpuenv_room(host/packed
    ABOUT "xz, gzip and zstd: compressed kernel modules, deflated archive members"
    ROOMS base host/root
    LIBRARIES gpuenv_unpackers)
gpuenv_room(host/elf
    ABOUT "ELF files of the machine, by their paths; whether a program of gpuenv is whole"
    ROOMS base elf host/root host/packed)
gpuenv_room(host/loader
    ABOUT "how ld.so finds a library: ld.so.cache, ld.so.conf, LD_LIBRARY_PATH, RUNPATH; whether root may load it (trust)"
    ROOMS base elf host/root host/elf)
gpuenv_room(host/child
    ABOUT "child processes: commands, the questions to vendor libraries, what a child gives up first (seccomp, Landlock, capabilities), which of that the kernel has, dlopen by a table of symbols"
    ROOMS base host/root
    LIBRARIES ${CMAKE_DL_LIBS})
gpuenv_room(host/log
    ABOUT "the kernel log and the journal"
    ROOMS base host/root)
gpuenv_room(host/packages
    ABOUT "the databases of rpm (SQLite, ndb, Berkeley DB) and of pacman: what is installed, and the files of each package; read, never locked"
    ROOMS base host/root)

gpuenv_room(code
    ABOUT "which GPU code is inside a file: host objects, archives, fat binaries, cubins, PTX, zip, wheels; headers alone"
    ROOMS base elf host/packed)

gpuenv_room(probe/places
    ABOUT "where Python sites and toolkits are; patterns of paths"
    ROOMS base facts host/root)
gpuenv_room(probe/engine
    ABOUT "what every probe is given and how it notes a fact; probes.def, the list of probes"
    ROOMS base elf facts host/root host/elf host/loader probe/places)
gpuenv_room(probe/system
    ABOUT "OS, machine, virtualization, containers, cgroups, memory, disk, limits, environment, packages"
    ROOMS base elf facts host/root host/elf host/loader host/packages probe/places probe/engine)
gpuenv_room(probe/repository
    ABOUT "where packages come from: entries of apt, dnf, zypper and pacman, keys, indexes, preferences, certificates"
    ROOMS base facts host/root host/loader host/packed host/packages probe/places probe/engine
        probe/system)
gpuenv_room(probe/kernel
    ABOUT "kernel log, the nvidia module and its files, DKMS, modprobe, initramfs, Secure Boot, driver parameters"
    ROOMS base elf facts host/root host/elf host/loader host/log host/packed probe/places probe/engine)
gpuenv_room(probe/gpu
    ABOUT "PCI, device nodes, hybrid laptops, /proc/driver/nvidia, processes that use a GPU"
    ROOMS base facts host/root host/loader probe/places probe/engine)
gpuenv_room(probe/library
    ABOUT "NVIDIA libraries on the disk, and which one the loader gives"
    ROOMS base elf facts host/root host/elf host/loader probe/places probe/engine)
gpuenv_room(probe/toolkit
    ABOUT "CUDA toolkits: their roots, version, nvcc, parts"
    ROOMS base facts host/root host/loader host/child probe/places probe/engine)
gpuenv_room(probe/python
    ABOUT "Python environments, active ones, their packages and metadata"
    ROOMS base host/root probe/places)
gpuenv_room(probe/framework
    ABOUT "PyTorch, TensorFlow, JAX and others: version, CUDA and cuDNN of the build, GPU code, libraries that they load; the probe python"
    ROOMS base elf facts host/root host/elf host/loader code probe/places probe/engine probe/library
        probe/python)
gpuenv_room(probe/service
    ABOUT "services: persistence daemon, Fabric Manager, MPS, container toolkit, CDI"
    ROOMS base facts host/root host/loader host/child probe/places probe/engine)
gpuenv_room(probe/vendor
    ABOUT "questions that only libcuda, NVML, cuDNN and others can answer, each asked in a child; questions.def lists them"
    ROOMS base facts host/root host/loader host/child probe/places probe/engine)
gpuenv_room(probe
    ABOUT "runs the probes in their order"
    ROOMS base facts host/root host/loader probe/places probe/engine probe/system probe/repository
        probe/kernel probe/gpu probe/library probe/toolkit probe/python probe/framework
        probe/service probe/vendor)

gpuenv_room(from
    ABOUT "files that somebody sent, as facts: kernel logs, nvidia-bug-report.log, nvidia-smi, lspci, lists of packages, reports"
    ROOMS base facts host/root host/loader probe/places probe/engine probe/system probe/kernel)

gpuenv_room(manifest/reader
    ABOUT "strict reading of manifests/*.json: keys, values, places, problems, lines"
    ROOMS base)
gpuenv_room(manifest/store
    ABOUT "the subjects of one manifest, each read when it is first asked for; subjects.def lists them"
    ROOMS base manifest/reader)
gpuenv_room(manifest/versions
    ABOUT "CUDA releases, driver branches, compute capabilities, compatibility, thresholds"
    ROOMS base manifest/reader manifest/store)
gpuenv_room(manifest/toolkit
    ABOUT "components, cuDNN, pins, libraries, files, GPU code, toolkits before redistrib files"
    ROOMS base manifest/reader manifest/store manifest/versions)
gpuenv_room(manifest/gpu
    ABOUT "GPU models: by name, by PCI id"
    ROOMS base manifest/reader manifest/store manifest/versions)
gpuenv_room(manifest/framework
    ABOUT "frameworks: builds, pins, which one for a driver and GPU"
    ROOMS base manifest/reader manifest/store manifest/versions)
gpuenv_room(manifest/package
    ABOUT "package names of distributions, operating systems"
    ROOMS base manifest/reader manifest/store manifest/versions)
gpuenv_room(manifest/error
    ABOUT "error numbers and messages: CUDA, NVML, Xid, NCCL and others"
    ROOMS base manifest/reader manifest/store)
gpuenv_room(manifest/update
    ABOUT "a signed update: its file, the keys that are trusted, what they signed; read, not verified"
    ROOMS base manifest/reader)
gpuenv_room(manifest
    ABOUT "opens and checks a manifest: the one built in or a file"
    ROOMS base manifest/reader manifest/store manifest/versions manifest/toolkit manifest/gpu
        manifest/framework manifest/package manifest/error)

gpuenv_room(rules/engine
    ABOUT "what a rule is given (context), findings, fixes, thresholds"
    ROOMS base facts manifest/versions)
gpuenv_room(rules/query
    ABOUT "what several rules ask of the record: driver, GPUs, toolkits, libraries, answers, NVML, hardware, container or virtual machine"
    ROOMS base facts manifest/reader manifest/versions manifest/toolkit manifest/gpu manifest/error
        rules/engine)
gpuenv_room(rules/remedy
    ABOUT "fixes that several rules give: install a driver, packages, load a module, repositories"
    ROOMS base facts manifest/reader manifest/versions manifest/toolkit manifest/gpu manifest/package manifest
        rules/engine rules/query)
gpuenv_room(rules/requirement
    ABOUT "--require: its words and the rule that judges them"
    ROOMS base facts manifest/versions manifest/gpu rules/engine rules/query)
gpuenv_room(rules/module
    ABOUT "kernel module: headers, DKMS, compiler, signature, open or proprietary, firmware, vfio, uvm"
    ROOMS base facts manifest/versions manifest/gpu manifest/package rules/engine rules/query
        rules/remedy)
gpuenv_room(rules/device
    ABOUT "device nodes, their permissions, cgroup and SELinux denials, CUDA_VISIBLE_DEVICES"
    ROOMS base facts rules/engine rules/query rules/remedy rules/module)
gpuenv_room(rules/framework
    ABOUT "frameworks: GPU code, CUDA libraries, cuDNN, NVRTC, glibc, mixed GPUs"
    ROOMS base facts manifest/reader manifest/versions manifest/toolkit manifest/gpu
        manifest/framework rules/engine rules/query rules/remedy)
gpuenv_room(rules/driver
    ABOUT "driver: installed, loaded, its age, libcuda, stubs, cuda-compat, what cuInit and nvmlInit answered"
    ROOMS base facts manifest/reader manifest/versions manifest/gpu manifest/framework
        manifest/error manifest rules/engine rules/query rules/remedy rules/module rules/device
        rules/framework)
gpuenv_room(rules/container
    ABOUT "containers: started without a GPU; how an engine is asked for one; engines and NVIDIA's toolkit; Kubernetes"
    ROOMS base facts manifest/versions rules/engine rules/query rules/remedy)
gpuenv_room(rules/repository
    ABOUT "package sources and packages: keys, indexes, architectures, releases, mixed repositories, proxies"
    ROOMS base facts manifest/reader manifest/versions manifest/package manifest/error manifest
        rules/engine rules/query rules/remedy)
gpuenv_room(rules/system
    ABOUT "memory, disk, limits, services, virtual machines"
    ROOMS base facts manifest/versions manifest/gpu rules/engine rules/query rules/remedy
        rules/module)
gpuenv_room(rules/gpu
    ABOUT "GPUs: missing, ECC, clocks, memory, modes, PCIe, BAR, GSP, NVLink, peers"
    ROOMS base facts manifest/versions manifest/gpu manifest/error rules/engine rules/query
        rules/remedy rules/requirement rules/module)
gpuenv_room(rules/false_alarm
    ABOUT "what looks like a fault and is none"
    ROOMS base facts manifest/versions rules/engine rules/query rules/gpu)
gpuenv_room(rules/toolkit
    ABOUT "toolkit and cuDNN on the machine: incomplete, wrong version, mixed, not on the path, nvcc, CUDA_HOME; what stops a build"
    ROOMS base facts manifest/reader manifest/versions manifest/toolkit manifest/package manifest/framework
        rules/engine rules/query rules/remedy rules/system rules/framework)
gpuenv_room(rules/evidence
    ABOUT "what no other rule explains: lines of the log, calls that fail; runs last"
    ROOMS base facts manifest/error manifest rules/engine rules/query)
gpuenv_room(rules
    ABOUT "runs the rules in their order (table.c) and sums up: purpose, exit code, sudo"
    ROOMS base facts rules/engine rules/query rules/requirement rules/module rules/container
        rules/device rules/driver rules/repository rules/system rules/gpu rules/false_alarm
        rules/framework rules/toolkit rules/evidence)

gpuenv_room(resolve/engine
    ABOUT "specs, candidates, choices; whether a version fits driver and GPUs; the words for it"
    ROOMS base manifest/reader manifest/versions manifest/toolkit manifest/gpu manifest/framework
        manifest)
gpuenv_room(resolve/product
    ABOUT "cuda, cudnn and driver: which version fits"
    ROOMS base manifest/reader manifest/versions manifest/toolkit manifest/gpu manifest/package
        manifest resolve/engine)
gpuenv_room(resolve/framework
    ABOUT "a framework: which release and build fits, its install command"
    ROOMS base manifest/reader manifest/versions manifest/toolkit manifest/gpu manifest/framework
        resolve/engine)
gpuenv_room(resolve/support
    ABOUT "what a GPU is supported by (gpuenv gpu); whether a toolkit compiles on a system"
    ROOMS base manifest/reader manifest/versions manifest/toolkit manifest/framework
        manifest/package resolve/engine resolve/framework)
gpuenv_room(resolve/binary
    ABOUT "whether GPU code in a file runs on a GPU (gpuenv inspect)"
    ROOMS base manifest/reader manifest/versions manifest/toolkit manifest resolve/engine)
gpuenv_room(resolve/lockfile
    ABOUT "the lock file: reading, writing, whether it answers a request"
    ROOMS base)
gpuenv_room(resolve
    ABOUT "all specs of one call together; one answer for each GPU where GPUs differ"
    ROOMS base manifest/reader manifest/versions manifest/toolkit manifest/framework manifest
        resolve/engine resolve/product resolve/framework)

gpuenv_room(explain
    ABOUT "what a text tells: the messages in it, which of them is the cause of others, what their causes are on that machine"
    ROOMS base match manifest/error manifest)

gpuenv_room(report/engine
    ABOUT "what every format is given; the judgement in words, which manifest it was; marks, tables of text; reads, never decides"
    ROOMS base facts rules/engine)
gpuenv_room(report/machine
    ABOUT "the machine in a few words: a summary of each block, lists of GPUs and frameworks, what --try came to"
    ROOMS base facts rules/engine rules/query report/engine)
gpuenv_room(report/fix
    ABOUT "the script of doctor --fix"
    ROOMS base facts rules/engine rules report/engine)
gpuenv_room(report/text
    ABOUT "doctor for people: the short page, the whole report"
    ROOMS base facts rules/engine rules report/engine report/machine report/fix)
gpuenv_room(report/format
    ABOUT "doctor for programs, one file per format: JSON, Nagios, Prometheus, NFD, node-problem-detector, JUnit, GitHub"
    ROOMS base facts rules/engine rules report/engine report/machine)
gpuenv_room(report/share
    ABOUT "pages to hand on: report as Markdown and HTML, doctor --format markdown"
    ROOMS base facts rules/engine report/engine report/machine)
gpuenv_room(report
    ABOUT "the list of formats; facts as text and JSON"
    ROOMS base facts report/engine report/text report/format report/share)

gpuenv_room(cli/engine
    ABOUT "options, session, output; commands.def, the list of commands"
    ROOMS base facts host/root host/local host/packed manifest/reader manifest/versions manifest/gpu
        manifest/framework manifest/update manifest rules/engine rules/query rules resolve/engine
        resolve report/engine)
gpuenv_room(cli/machine
    ABOUT "gathers the facts, live or assumed (--assume-driver, --root, --facts); what is installed"
    ROOMS base facts host/root host/local host/loader probe/places probe/engine probe
        manifest/reader manifest/versions manifest/toolkit manifest/gpu manifest/framework
        manifest rules/engine rules/query resolve/engine report/engine cli/engine)
gpuenv_room(cli/doctor
    ABOUT "doctor, facts, report; --from; --fix --yes; frameworks for the rules"
    ROOMS base facts host/root host/local host/packed host/child from manifest/reader manifest/versions
        manifest/toolkit manifest/framework manifest/error manifest explain rules/engine rules/query rules/requirement
        rules/framework rules resolve/engine resolve/binary resolve report/engine report/fix report/share
        report cli/engine cli/machine)
gpuenv_room(cli/explain
    ABOUT "explain: a finding, an error number, a pasted message, a log"
    ROOMS base match facts host/root host/local host/packed manifest/error manifest explain rules/engine rules
        report/engine cli/engine)
gpuenv_room(cli/resolve
    ABOUT "resolve and its output"
    ROOMS base facts host/root host/local manifest/gpu manifest rules/engine rules/query rules
        resolve/engine resolve report/engine cli/engine cli/machine)
gpuenv_room(cli/gpu
    ABOUT "gpu and its output"
    ROOMS base facts host/root host/local manifest/reader manifest/versions manifest/toolkit
        manifest/gpu manifest/framework manifest rules/engine rules/query resolve/support report/engine
        cli/engine cli/machine)
gpuenv_room(cli/inspect
    ABOUT "inspect and its output"
    ROOMS base facts host/root host/local code manifest/toolkit manifest/gpu manifest rules/engine
        rules/query resolve/engine resolve/binary report/engine cli/engine cli/machine)
gpuenv_room(cli/installer
    ABOUT "install, plan, list, use, verify, uninstall, mirror, cache: options, the choice of versions and prefix, the request for gpuenv-install"
    ROOMS base elf facts host/root host/local host/elf manifest/reader manifest/versions
        manifest/toolkit manifest/framework manifest/package manifest rules/engine rules/query
        resolve/engine resolve/support resolve/lockfile resolve report/engine cli/engine cli/machine)
gpuenv_room(cli/manifest
    ABOUT "manifest show, check and update"
    ROOMS base facts host/root host/local manifest/reader manifest/store manifest report/engine
        cli/engine cli/installer)
gpuenv_room(cli/env
    ABOUT "env and exec: variables for a shell, a file or a program"
    ROOMS base facts host/root host/local host/loader manifest report/engine cli/engine cli/machine
        cli/installer)
gpuenv_room(cli/integrate
    ABOUT "integrate: files for Slurm, Prometheus and others, from integrations/"
    ROOMS base facts host/root host/local manifest report/engine cli/engine)
gpuenv_room(cli/about
    ABOUT "version, self-check: this build, its helper, what the kernel lacks"
    ROOMS base elf facts host/root host/local host/child host/packed host/elf manifest report/engine
        cli/engine)
gpuenv_room(cli
    ABOUT "main entry: finds the command; help"
    ROOMS base facts host/root host/local host/child manifest report/engine cli/engine cli/doctor
        cli/explain cli/resolve cli/gpu cli/inspect cli/installer cli/manifest cli/env
        cli/integrate cli/about)

if(GPUENV_INSTALLER)
    gpuenv_room(install/io
        ABOUT "descriptors, digests, URLs, directory trees, paths inside an image, locks, signals"
        ROOMS base host/root host/local
        LIBRARIES PkgConfig::CURL PkgConfig::ARCHIVE PkgConfig::CRYPTO)
    gpuenv_room(install/output
        ABOUT "progress bars, sizes and products as text"
        ROOMS base host/root host/local)
    gpuenv_room(install/ledger
        ABOUT "the request, and the ledger: what a prefix holds and each file of it"
        ROOMS base install/io install/output)
    gpuenv_room(install/unpack
        ABOUT "unpacking tar.xz and zip in a confined child: names, links, limits, digests"
        ROOMS base host/root host/child install/io
        LIBRARIES PkgConfig::ARCHIVE)
    gpuenv_room(install/cache
        ABOUT "the download cache: its place, contents, pruning"
        ROOMS base host/root host/local install/io)
    gpuenv_room(install/fetch
        ABOUT "HTTP and local mirrors: transfers, retries, proxies, header lines"
        ROOMS base host/root host/local install/io install/output install/cache
        LIBRARIES PkgConfig::CURL)
    gpuenv_room(install/update
        ABOUT "gpuenv manifest update: signatures, the chain of roots, the source, what is kept"
        ROOMS base host/root host/local manifest/reader manifest/update manifest install/io install/output
            install/cache install/fetch
        LIBRARIES PkgConfig::CRYPTO)
    gpuenv_room(install/plan
        ABOUT "redistrib catalogs, the plan of components, what changes in a prefix"
        ROOMS base host/child manifest/reader manifest/toolkit install/io install/output install/ledger
            install/unpack install/fetch)
    gpuenv_room(install/prefix
        ABOUT "the prefix: stage, commit, exchange, pending changes, layout, verify, uninstall"
        ROOMS base host/root host/local host/child manifest/reader manifest/toolkit install/io install/ledger
            install/unpack install/plan)
    gpuenv_room(install/outside
        ABOUT "what lies outside a prefix: /usr/local/cuda link, alternatives, ld.so.conf.d"
        ROOMS base host/root host/local host/loader host/child install/io install/ledger install/prefix)
    gpuenv_room(install/run
        ABOUT "one run: catalogs, plan, archives, unpacking, change, lock file"
        ROOMS base host/root host/local host/child manifest/reader manifest/toolkit resolve/lockfile install/io
            install/output install/ledger install/unpack install/cache install/fetch install/plan
            install/prefix install/outside)
    gpuenv_room(install/print
        ABOUT "what a run says: plan, prefix, list, mirror; text and JSON"
        ROOMS base host/root host/local host/child manifest/reader manifest/toolkit manifest resolve/lockfile install/io
            install/output install/ledger install/cache install/fetch install/plan install/prefix
            install/outside install/run)
    gpuenv_room(install
        ABOUT "one file per action: install, plan, use, uninstall, mirror, cache, link, update; -o FILE"
        ROOMS base host/root host/local host/child manifest/update manifest resolve/lockfile install/io
            install/output install/ledger install/cache install/fetch install/update install/plan install/prefix
            install/outside install/run install/print)
endif()
