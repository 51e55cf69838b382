# SPDX-License-Identifier: MIT
"""What the rows of tests/real-packages share: keys, packages, a server, and private roots."""
import http.server
import os
import shutil
import ssl
import subprocess
import threading
from pathlib import Path

GPG_ENV = {"LC_ALL": "C.UTF-8"}
PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Sign in</body></html>\n"


def call(*words, env=None, check=True, **more):
    """Runs a program; its output and error together as text."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **GPG_ENV, **(env or {})}, check=False, **more)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.returncode}\n{done.stdout}")
    return done


class Keys:
    """Keys made with the real gpg, each with one peculiarity."""

    def __init__(self, home):
        self.home = home
        home.mkdir(mode=0o700)
        self.env = {"GNUPGHOME": str(home)}

    def make(self, name, *options, expires="never", bits="rsa3072", time=None):
        clock = ["faketime", time] if time else []
        call(*clock, "gpg", "--batch", "--quiet", "--passphrase", "", *options, "--quick-gen-key",
             f"{name} <{name}@keys.example>", bits, "sign", expires, env=self.env)

    def export(self, *names, armor=False):
        done = subprocess.run(["gpg", *(["--armor"] if armor else []), "--export",
                               *[f"{name}@keys.example" for name in names]],
                              stdout=subprocess.PIPE, env={**os.environ, **self.env}, check=True)
        return done.stdout

    def sign(self, name, release, target, *options, time=None):
        clock = ["faketime", time] if time else []
        call(*clock, "gpg", "--batch", "--yes", "--quiet", *options, "-u", f"{name}@keys.example",
             "--clearsign", "-o", str(target), str(release), env=self.env)


class Server:
    """Serves a directory on this machine; as an HTTP proxy, DIRECTORY/HOST/PATH."""

    def __init__(self, directory, certificate=None):
        self.directory = directory
        self.page = set()  # beginnings of paths that get a page with status 200
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("://", 1)[-1] if "://" in self.path else self.path
                path = path.split("?", 1)[0].lstrip("/").replace("%5f", "_").replace("%2b", "+")
                if "/../" in path:
                    return self.send_error(400)
                if any(path.startswith(start) for start in outer.page):
                    return self.answer(200, PAGE)
                file = outer.directory / path
                if not file.is_file():
                    return self.answer(404, b"not found\n")
                return self.answer(200, file.read_bytes())

            def do_HEAD(self):
                self.do_GET()

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def handle(self):
                try:
                    super().handle()
                except (ConnectionError, OSError):
                    pass  # the other end has seen enough

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def make_deb(directory, name, version, architecture="amd64", depends=None, files=(), scripts=None):
    """One .deb in the directory, made by dpkg-deb."""
    tree = directory / f".{name}"
    shutil.rmtree(tree, ignore_errors=True)
    control = [f"Package: {name}", f"Version: {version}", f"Architecture: {architecture}",
               "Maintainer: Nobody <nobody@packages.example>", "Description: made for a test"]
    if depends:
        control.append(f"Depends: {depends}")
    write(tree / "DEBIAN/control", "\n".join(control) + "\n")
    for path, text in files:
        write(tree / path.lstrip("/"), text)
    for script, text in (scripts or {}).items():
        write(tree / "DEBIAN" / script, text)
        (tree / "DEBIAN" / script).chmod(0o755)
    target = directory / f"{name}_{version.replace(':', '%3a')}_{architecture}.deb"
    call("dpkg-deb", "--root-owner-group", "-b", str(tree), str(target))
    shutil.rmtree(tree)
    return target


def index_debs(directory, origin, label):
    """Packages, Packages.gz and Release of a flat repository, made by apt-ftparchive."""
    packages = call("apt-ftparchive", "packages", ".", cwd=directory).stdout
    write(directory / "Packages", packages)
    call("gzip", "-kf", "Packages", cwd=directory)
    write(directory / "Release", release_of(directory, origin, label))


def release_of(directory, origin, label):
    return call("apt-ftparchive", "-o", f"APT::FTPArchive::Release::Origin={origin}", "-o",
                f"APT::FTPArchive::Release::Label={label}", "release", ".", cwd=directory).stdout


def make_root(root, os_release):
    """The directories that a package manager and the doctor read, empty."""
    shutil.rmtree(root, ignore_errors=True)
    for name in ("etc/apt/sources.list.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d",
                 "etc/apt/apt.conf.d", "etc/apt/keyrings", "var/lib/apt/lists/partial",
                 "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/cache/apt/archives/partial",
                 "var/log/apt", "usr/share/keyrings", "usr/bin", "etc/ssl/certs",
                 "usr/local/share/ca-certificates", "tmp"):
        (root / name).mkdir(parents=True)
    write(root / "var/lib/dpkg/status", "")
    write(root / "etc/os-release", os_release)


BOUND = ("etc/apt", "var/lib/apt", "var/lib/dpkg", "var/cache/apt", "var/log/apt",
         "usr/share/keyrings", "usr/local/share/ca-certificates", "etc/ssl/certs")


MOUNTED = []


def small(path, size="64k", full=False):
    """A file system of that size in the directory's place; the run's mount name space has it. full:
    a file takes all of it."""
    path.mkdir(parents=True, exist_ok=True)
    call("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path))
    MOUNTED.append(path)
    if full:
        subprocess.run(["sh", "-c", 'cat /dev/zero >"$1/filler" 2>/dev/null', "sh", str(path)], check=False)


def unmount_all():
    while MOUNTED:
        call("umount", "-l", str(MOUNTED.pop()))


def repeatable(run, *words, **more):
    """Runs it; what it returns can be run again: done.again()."""
    done = run(*words, **more)
    done.again = lambda: run(*words, **more)
    return done


def call_inside(root, system, *words, bound=BOUND, env=None):
    """Runs a program of the system (a directory) that sees the root's directories for its own. The
    mounts are of a name space that ends with it."""
    lines = ["set -e"]
    for name in bound:
        if (root / name).exists() and (Path(system) / name).exists():
            lines.append(f"mount --rbind '{root}/{name}' '{system.rstrip('/')}/{name}'")
    start = f"exec chroot '{system}' " if system != "/" else "exec "
    lines.append(start + '"$@"')
    return call("unshare", "-m", "--propagation", "private", "sh", "-c", "\n".join(lines), "sh",
                *words, env=env, check=False)
