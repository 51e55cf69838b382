# SPDX-License-Identifier: MIT
"""Runs the fix of a finding in a row's root, as a user would, and the package manager again."""
import re

from bench import call

# What a package manager has of its own, of a root over the system.
OF_ROOT = ("etc/apt", "etc/dnf", "etc/yum.repos.d", "etc/pki", "etc/zypp", "etc/pacman.conf",
           "etc/pacman.d", "etc/os-release", "etc/crypto-policies", "var/lib/apt", "var/lib/dpkg",
           "var/lib/rpm", "var/lib/pacman", "var/cache/apt", "var/cache/dnf", "var/cache/zypp",
           "var/cache/pacman", "var/log", "usr/lib/sysimage/rpm", "usr/share/keyrings",
           "usr/local/share/ca-certificates", "etc/ssl/certs", "opt")
# Programs as they are on the machine of the row: nobody answers questions, the server is the proxy.
PROGRAMS = {
    "sudo": 'exec "$@"',
    "apt-get": "exec /usr/bin/apt-get -y -o APT::Sandbox::User=root -o Acquire::Retries=0 "
               '-o Acquire::http::Proxy="$http_proxy" -o Acquire::https::Proxy=DIRECT '
               '-o Acquire::https::Verify-Host=false "$@"',
    "dnf": "exec /usr/bin/dnf -y --releasever=9 --forcearch=x86_64 --setopt=proxy=\"$http_proxy\" "
           "--setopt=retries=1 --setopt=pluginpath=\"$PLUGINS\" --disableplugin='*' "
           "--setopt=module_platform_id=platform:el9 --enableplugin=versionlock \"$@\"",
    "zypper": 'exec /usr/bin/zypper --non-interactive --gpg-auto-import-keys "$@"',
    "pacman": 'exec /usr/bin/pacman --noconfirm "$@"',
}
# Advice that is no command, as somebody would follow it: rows of manager and fault, and a line of sh.
BY_HAND = (
    ("apt, .*deb822 with another key inside", None),
    ("apt, .*unknown key", "cat $KEYS/other.gpg >/usr/share/keyrings/mirror.gpg"),
    ("apt, .*(no keyring|wrong Signed-By)", "cat $KEYS/good.gpg >/usr/share/keyrings/mirror.gpg"),
    ("apt, .*self-signature of SHA-1", None),
    ("apt, .*hold|a held package in the way",
     "for package in $(apt-mark showhold); do apt-mark unhold $package; done"),
    ("apt, .*preferences keep one part", "rm /etc/apt/preferences.d/own"),
    ("apt, .*no signed file", "sed -i 's/signed-by/trusted=yes signed-by/' /etc/apt/sources.list.d/*"),
    ("apt, .*intercepted TLS", "cat /usr/local/share/ca-certificates/proxy.crt "
     ">>/etc/ssl/certs/ca-certificates.crt"),
    ("dnf (no key file|another key)", "mkdir -p /etc/pki/rpm-gpg; cp $KEYS/good.asc /etc/pki/rpm-gpg/KEY"),
    ("dnf unsigned", "sed -i s/gpgcheck=1/gpgcheck=0/ /etc/yum.repos.d/cuda.repo"),
    ("dnf packages are excluded", "sed -i /excludepkgs/d /etc/yum.repos.d/cuda.repo"),
    ("dnf dnf.conf excludes", "sed -i /excludepkgs/d /etc/dnf/dnf.conf"),
    ("dnf (the stream of the older|no stream)",
     "dnf module reset nvidia-driver; dnf module enable nvidia-driver:570-open"),
    ("zypper unknown key", "rpm --dbpath /var/lib/rpm --import $KEYS/good.asc; "
     "rpm --dbpath /usr/lib/sysimage/rpm --import $KEYS/good.asc"),
    ("pacman IgnorePkg of the libraries alone", "sed /IgnorePkg/d /etc/pacman.conf >/tmp/conf; cat /tmp/conf >/etc/pacman.conf"),
    ("pacman a part from another", "sed '/^.own/,/^Server/d' /etc/pacman.conf >/tmp/conf; "
     "cat /tmp/conf >/etc/pacman.conf"),
)
OUTSIDE = re.compile(r"curl |https://|timedatectl|pacman-key --populate|nvidia-uninstall")


def inside(root, system, line, env):
    """Runs a line of sh on the system with what the root has; the rest of what it changes goes."""
    over = root.parent / "over"
    over.mkdir(exist_ok=True)
    steps = ["set -e", f"mount -t tmpfs tmpfs '{over}'", f"cd '{over}'", "mkdir u w m",
             f"mount -t overlay overlay -o lowerdir='{system}',upperdir=u,workdir=w m"]
    for name in OF_ROOT:
        if (root / name).is_dir():
            steps.append(f"mkdir -p 'm/{name}'; mount --rbind '{root}/{name}' 'm/{name}'")
        elif (root / name).exists():
            steps.append(f"mkdir -p \"$(dirname 'm/{name}')\"; rm -f 'm/{name}'; touch 'm/{name}'; "
                         f"mount --bind '{root}/{name}' 'm/{name}'")
    work = root.parents[1] if root.parent.name in ("rpm", "pacman") else root.parent
    steps.append(f"mkdir -p 'm{work}'; mount --rbind '{work}' 'm{work}'")
    for name in ("proc", "dev", "sys"):
        steps.append(f"mount --rbind /{name} m/{name}")
    for name, body in PROGRAMS.items():
        steps.append(f"printf '%s\\n' '#!/bin/sh' {quoted(body)} >m/usr/local/sbin/{name}; "
                     f"chmod 755 m/usr/local/sbin/{name}")
    steps.append(f"exec timeout 120 chroot m sh -c {quoted(line)}")
    return call("unshare", "-m", "--propagation", "private", "sh", "-c", "\n".join(steps),
                check=False, env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                  "DEBIAN_FRONTEND": "noninteractive", **env})


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def works(done):
    return done.returncode == 0 and "Failed to fetch" not in done.stdout


def outcome(name, finding, root, done, system, env, heal):
    """What the fix came to: the word of the table, and the output if it does not help."""
    if finding is None:
        return "-", ""
    commands = [fix["command"] for fix in finding["fix"] if fix["command"]
                and fix["kind"] not in ("look", "shell")]
    by_hand = next((line for row, line in BY_HAND if re.search(row, name)), None)
    line, means = (commands[0], "the fix") if commands else (by_hand, "the advice, by hand")
    if line is None and finding["cause"] == "disk_full":
        line, means = "true", "space is free" # the run has taken the small file system away
    if line is None:
        return "advice", ""
    if OUTSIDE.search(line):
        return "not run: it needs the network or the clock", ""
    output = inside(root, system, line, env).stdout
    again = done.again()
    if works(again):
        return f"works after {means}", ""
    heal()
    output += inside(root, system, line, env).stdout
    again = done.again()
    if works(again):
        return f"works after {means}, once the server is right", ""
    return f"fails after {means}", f"{line}\n{output}\n{again.stdout}"
