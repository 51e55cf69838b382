#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers that misbehave, on loopback, for tests/program/hostile-servers.

    http_server.py DIR

serves DIR/files. The first step of a URL's path says how: /cut-2/a/b.bin is DIR/files/a/b.bin, and the
first two answers end in the middle; the table MODES names all. DIR/ports gets shell variables, one
port each, when all of them listen; DIR/log a JSON line for each request; DIR/ca.pem the CA of the TLS
ports. It ends when its standard input does.
"""
import gzip
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

PAGE = b"<html>log in</html>"[:18]


class Request:
    """What a client asked, and the connection to answer on."""

    def __init__(self, server, name, connection, head):
        lines = head.decode("latin-1").split("\r\n")
        self.server, self.name, self.connection = server, name, connection
        self.method, self.target = (lines[0].split(" ") + ["", ""])[:2]
        self.headers = {}
        for line in lines[1:]:
            key, _, value = line.partition(":")
            self.headers[key.strip().lower()] = value.strip()
        path = self.target
        if path.startswith("http://"):  # asked as a proxy is
            path = "/" + path[7:].partition("/")[2]
        self.mode, _, self.path = path.lstrip("/").partition("/")
        self.mode, _, self.argument = self.mode.partition("-")
        self.count = server.count(self.target)  # of this URL, from 1 on
        self.offset = 0
        if self.headers.get("range", "").startswith("bytes="):
            self.offset = int(self.headers["range"][6:].split("-")[0])

    @property
    def body(self):
        try:
            with open(os.path.join(self.server.directory, "files", self.path), "rb") as file:
                return file.read()
        except OSError:
            return None

    def send(self, data):
        self.connection.sendall(data)

    def head(self, status, *lines):
        text = "HTTP/1.1 %s\r\n%s\r\n" % (status, "".join(line + "\r\n" for line in lines))
        self.send(text.encode("latin-1"))

    def answer(self, status, data, *lines):
        self.head(status, "Content-Length: %d" % len(data), *lines)
        self.send(data)
        return True

    def file(self, data=None, cut=None, lines=("Content-Type: application/x-xz",)):
        """The file, or what a range wants of it; cut: only so much of that is sent."""
        data = self.body if data is None else data
        if data is None:
            return self.answer("404 Not Found", PAGE, "Content-Type: text/html")
        if self.offset >= len(data) > 0:
            return self.answer("416 Range Not Satisfiable", PAGE,
                               "Content-Range: bytes */%d" % len(data))
        part = data[self.offset:]
        if self.offset:
            self.head("206 Partial Content", "Content-Length: %d" % len(part), *lines,
                      "Content-Range: bytes %d-%d/%d" % (self.offset, len(data) - 1, len(data)))
        else:
            self.head("200 OK", "Content-Length: %d" % len(part), "Accept-Ranges: bytes", *lines)
        self.send(part if cut is None else part[:cut])
        return cut is None


def plain(request):
    return request.file()


def norange(request):
    request.offset = 0
    return request.file()


def wrong_range(request):
    """206, from byte 0 on whatever was asked."""
    data = request.body
    if not request.offset:
        return request.file()
    return request.answer("206 Partial Content", data,
                          "Content-Range: bytes 0-%d/%d" % (len(data) - 1, len(data)))


def bare_range(request):
    """206 that does not say which part of the file it is."""
    if not request.offset:
        return request.file()
    return request.answer("206 Partial Content", request.body[request.offset:])


def no_ranges(request):
    if request.offset:
        return request.answer("416 Range Not Satisfiable", b"an error page", "Content-Type: text/plain")
    return request.file()


def part(request, data, *lines, total=None, end=None):
    """206 with data, said to be what was asked for unless total or end say otherwise."""
    size = len(request.body)
    return request.answer("206 Partial Content", data, *lines, "Content-Range: bytes %d-%d/%s" % (
        request.offset, size - 1 if end is None else end, size if total is None else total))


def part_open(request, data):
    """206 with data until the connection ends."""
    size = len(request.body)
    request.head("206 Partial Content", "Connection: close",
                 "Content-Range: bytes %d-%d/%d" % (request.offset, size - 1, size))
    request.send(data)
    return False


def rest_open(request):
    """The right bytes with status 200, as if they were all, until the connection ends."""
    request.head("200 OK", "Connection: close")
    request.send(request.body[request.offset:])
    return False


def parts(request, *lines):
    """multipart/byteranges."""
    size = len(request.body)
    text = b"--x\r\nContent-Range: bytes %d-%d/%d\r\n\r\n" % (request.offset, size - 1, size)
    return request.answer("206 Partial Content", text + request.body[request.offset:] + b"\r\n--x--",
                          "Content-Type: multipart/byteranges; boundary=x", *lines)


# Wrong answers to a range, of a server that gives the whole file right.
RANGED = {
    "total": lambda r: part(r, r.body[r.offset:], total=len(r.body) + 5),
    "unknown": lambda r: part(r, r.body[r.offset:], total="*"),
    "whole": lambda r: part(r, r.body),
    "whole_open": lambda r: part_open(r, r.body),
    "more_open": lambda r: part_open(r, r.body[r.offset:] + b"more"),
    "first": lambda r: part(r, r.body[:len(r.body) - r.offset]),
    "zeros": lambda r: part(r, bytes(len(r.body) - r.offset)),
    "less": lambda r: part(r, r.body[r.offset:r.offset + 100], end=r.offset + 99),
    "none": lambda r: part(r, b""),
    "rest": lambda r: r.answer("200 OK", r.body[r.offset:]),
    "rest_open": rest_open,
    "parts": parts,
    "parts_said": lambda r: parts(r, "Content-Range: bytes %d-%d/%d" % (
        r.offset, len(r.body) - 1, len(r.body))),
    "encoded": lambda r: part(r, gzip.compress(r.body[r.offset:]), "Content-Encoding: gzip"),
    "html": lambda r: r.answer("200 OK", PAGE, "Content-Type: text/html"),
    "400": lambda r: r.answer("400 Bad Request", PAGE),
    "403": lambda r: r.answer("403 Forbidden", PAGE),
    "404": lambda r: r.answer("404 Not Found", PAGE),
    "501": lambda r: r.answer("501 Not Implemented", PAGE),
    "503": lambda r: r.answer("503 Service Unavailable", PAGE),
    "ftp": lambda r: r.answer("302 Found", PAGE, "Location: ftp://127.0.0.1/"),
    "garbage": lambda r: r.send(b"this is no HTTP\r\n\r\n"),
    "header": lambda r: r.send(b"HTTP/1.1 206 Partial Content\r\nX-Long: " + b"y" * 200000 + b"\r\n"),
    "nothing": lambda r: False,
    "silent": lambda r: r.server.stop.wait(),
}


def ranged(request):
    return RANGED[request.argument](request) if request.offset else request.file()


def poison(request):
    """The first answer is cut, a range gets a wrong answer for ever. What is behind a + makes
    another URL of it."""
    request.argument = request.argument.partition("+")[0]
    if request.count > 1:
        return ranged(request)
    return request.file(cut=len(request.body) // 2)


def cut(request):
    """The first N answers end after half of what was asked, or by a reset."""
    if request.count > int(request.argument):
        return request.file()
    request.file(cut=(len(request.body) - request.offset) // 2)
    if request.mode == "reset":
        request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def early(request):
    """The first N bodies have no length and end when the connection does, too early."""
    data = request.body
    if request.count > int(request.argument):
        return request.file()
    request.head("200 OK", "Connection: close")
    request.send(data[:len(data) // 2])
    return False


def changed(request):
    """Half of another file, and then this one."""
    if request.count > 1:
        return request.file()
    return request.file(b"x" * len(request.body), cut=len(request.body) // 2)


def longer(request):
    return request.answer("200 OK", request.body + b"more")


def still_open(request):
    """All bytes, and then nothing: no end of the connection or of the last chunk."""
    data = request.body[request.offset:]
    request.head("206 Partial Content" if request.offset else "200 OK",
                 "Content-Range: bytes %d-%d/%d" % (request.offset, len(request.body) - 1,
                                                    len(request.body)),
                 "Transfer-Encoding: chunked" if request.argument == "chunked" else "X-None: 1")
    request.send(b"%x\r\n%s\r\n" % (len(data), data) if request.argument == "chunked" else data)
    request.server.stop.wait()


def endless(request):
    request.head("200 OK", "Connection: close")
    while True:
        request.send(b"x" * 65536)


def chunked(request):
    """In chunks: a byte less than the file, a byte more, or as many wrong ones and then more."""
    data = request.body
    pieces = {"short": [data[:-1]], "long": [data + b"x"],
              "more": [bytes(byte ^ 1 for byte in data), b"more"]}[request.argument]
    request.head("200 OK", "Transfer-Encoding: chunked")
    for piece in pieces + [b""]:
        request.send(b"%x\r\n%s\r\n" % (len(piece), piece))
    return True


def drip(request):
    data = request.body
    request.head("200 OK", "Content-Length: %d" % len(data))
    for byte in data:
        request.send(bytes([byte]))
        time.sleep(1)


def silent(request):
    request.server.stop.wait()


def hints(request):
    """An answer is announced, and never comes."""
    request.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    request.server.stop.wait()


def hinted(request):
    request.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    return request.file()


def stall(request):
    request.file(cut=(len(request.body) - request.offset) * 99 // 100)
    request.server.stop.wait()


def html(request):
    if request.argument == "close":
        request.head("200 OK", "Content-Type: text/html; charset=utf-8", "Connection: close")
        request.send(PAGE)
        return False
    return request.answer("200 OK", PAGE, "Content-Type: text/html; charset=utf-8")


def encoded(request):
    return request.answer("200 OK", gzip.compress(request.body), "Content-Encoding: gzip")


def labelled(request):
    """The bytes as published, said to be encoded."""
    return request.answer("200 OK", request.body, "Content-Encoding: gzip")


def unpacked(request):
    return request.answer("200 OK", request.body * 3, "Content-Type: application/x-tar")


def status(request):
    return request.answer(request.argument + " Whatever", PAGE, "Content-Type: text/html")


def flaky(request):
    return status(request) if request.count % 2 else request.file()


def later(request):
    """429 first, and again when the next request comes before the time that was said."""
    wanted = int(request.argument)
    now = time.monotonic()
    if request.count == 1:
        request.server.times[request.target] = now
    elif now - request.server.times[request.target] >= wanted:
        return request.file()
    else:
        request.server.note({"too_soon": request.target})
    return request.answer("429 Too Many Requests", b"", "Retry-After: %d" % wanted)


def redirect(request):
    server, path = request.server, request.path
    places = {
        "here": "/plain/" + path,
        "relative": "../plain/" + path,
        "http": "http://127.0.0.1:%d/plain/%s" % (server.ports["HTTP"], path),
        "https": "https://localhost:%d/plain/%s" % (server.ports["HTTPS"], path),
        "host": "//localhost:%d/plain/%s" % (server.ports[request.name], path),
        "file": "file:///etc/passwd",
        "ftp": "ftp://127.0.0.1:%d/%s" % (server.ports["HTTP"], path),
        "gopher": "gopher://127.0.0.1:%d/%s" % (server.ports["HTTP"], path),
        "user": "http://me:secret@127.0.0.1:%d/plain/%s" % (server.ports["HTTP"], path),
        "loop": request.target,
        "four": "/redirect-3/" + path,
        "3": "/redirect-2/" + path,
        "2": "/redirect-1/" + path,
        "1": "/plain/" + path,
        "cut": "/cut-1/" + path,
    }
    return request.answer("302 Found", PAGE, "Content-Type: text/html",
                          "Location: " + places[request.argument], "Set-Cookie: seen=1; Path=/")


def nowhere(request):
    return request.answer("302 Found", PAGE)


def wrong(request):
    return request.file(bytes(byte ^ 1 for byte in request.body))


def garbage(request):
    request.send(b"\x1b[31mthis is no HTTP\r\n\r\n")


def flood(request):
    request.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        request.send(b"X-Header: " + b"y" * 4000 + b"\r\n")


def headers(request):
    """A good answer after so many header lines of so many bytes: headers-COUNTxSIZE."""
    count, _, size = request.argument.partition("x")
    request.send(b"HTTP/1.1 200 OK\r\n")
    for i in range(int(count)):
        request.send(b"X-Header-%d: " % i + b"y" * int(size) + b"\r\n")
    request.send(b"Content-Length: %d\r\n\r\n%s" % (len(request.body), request.body))
    return True


def hints_without_end(request):
    while True:
        request.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 100)


def nul_header(request):
    request.send(b"HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: %d\r\n\r\n%s" %
                 (len(request.body), request.body))
    return True


def unended(request):
    """Header lines, and never an empty one."""
    request.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n")
    request.server.stop.wait()


def trailer(request):
    """A good body in chunks, and lines behind it: one of so many bytes, and some that lie."""
    request.head("200 OK", "Transfer-Encoding: chunked")
    request.send(b"%x\r\n%s\r\n0\r\nX-Trailer: %s\r\nContent-Range: bytes 7-8/9\r\n"
                 b"Content-Type: text/html\r\n\r\n" %
                 (len(request.body), request.body, b"y" * int(request.argument)))
    return True


def escape(request):
    return request.answer("404 \x1b[31mred", PAGE, "Content-Type: text/\x1b]0;owned\x07html")


def outage(request):
    """The whole port goes away in the middle of the first answer, and comes back."""
    if request.count > 1:
        return request.file()
    request.file(cut=len(request.body) // 2)
    request.server.go_away(request.name, float(request.argument))
    return False


MODES = {
    "plain": plain, "norange": norange, "wrongrange": wrong_range, "barerange": bare_range,
    "ranged": ranged, "poison": poison, "open": still_open,
    "headers": headers, "nulheader": nul_header, "unended": unended,
    "trailer": trailer, "allhints": hints_without_end,
    "no416": no_ranges, "cut": cut, "reset": cut, "early": early, "changed": changed,
    "longer": longer,
    "endless": endless, "chunked": chunked, "drip": drip, "silent": silent, "stall": stall,
    "hints": hints, "hinted": hinted,
    "html": html, "encoded": encoded, "labelled": labelled, "unpacked": unpacked,
    "status": status, "flaky": flaky, "later": later, "redirect": redirect, "nowhere": nowhere,
    "wrong": wrong, "garbage": garbage, "flood": flood, "escape": escape, "outage": outage,
}


def answer_file(request):
    return MODES.get(request.mode, lambda asked: asked.answer("404 Not Found", PAGE))(request)


def answer_407(request):
    return request.answer("407 Proxy Authentication Required", PAGE,
                          'Proxy-Authenticate: Basic realm="proxy"', "Content-Type: text/html")


def answer_login(request):
    """200 to whatever is asked, and a page instead of a connection."""
    if request.method == "CONNECT":
        request.head("200 OK")
        request.send(b"<html>Please log in</html>")
        return False
    return request.answer("200 OK", PAGE, "Content-Type: text/html")


def answer_long(request):
    request.send(b"HTTP/1.1 200 OK\r\nX-Long: " + b"y" * 200000 + b"\r\n\r\n")
    return False


class Server:
    def __init__(self, directory):
        self.directory, self.stop = directory, threading.Event()
        self.ports, self.listeners, self.counts, self.times = {}, {}, {}, {}
        self.lock = threading.Lock()
        self.log = open(os.path.join(directory, "log"), "a", encoding="utf-8")

    def count(self, target):
        with self.lock:
            self.counts[target] = self.counts.get(target, 0) + 1
            return self.counts[target]

    def note(self, entry):
        with self.lock:
            self.log.write(json.dumps(entry) + "\n")
            self.log.flush()

    def listen(self, name, answer=answer_file, context=None, address="127.0.0.1", port=0):
        listener = socket.socket(socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(64)
        self.ports[name] = listener.getsockname()[1]
        self.listeners[name] = listener
        threading.Thread(target=self.accept, args=(name, listener, answer, context),
                         daemon=True).start()

    def accept(self, name, listener, answer, context):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(name, connection, answer, context),
                             daemon=True).start()

    def serve(self, name, connection, answer, context):
        try:
            with connection:
                if context:
                    connection = context.wrap_socket(connection, server_side=True)
                while self.serve_one(name, connection, answer):
                    pass
                if not context:  # what is still unread would turn the end into a reset
                    connection.shutdown(socket.SHUT_WR)
        except (OSError, ssl.SSLError, ValueError):
            pass

    def serve_one(self, name, connection, answer):
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                return False
            head += data
        request = Request(self, name, connection, head.split(b"\r\n\r\n")[0])
        self.note({"port": name, "method": request.method, "target": request.target,
                   "offset": request.offset, "headers": request.headers})
        return answer(request)

    def go_away(self, name, seconds):
        listener, port = self.listeners[name], self.ports[name]
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        timer = threading.Timer(seconds, self.listen, (name,), {"port": port})
        timer.daemon = True
        timer.start()

    def listen_behind_black_hole(self, name):
        """127.0.0.1 answers; at ::1 a full queue lets nobody connect. False: no IPv6 here."""
        try:
            hole = socket.socket(socket.AF_INET6)
            hole.bind(("::1", 0))
        except OSError:
            return
        port = hole.getsockname()[1]
        hole.listen(0)
        self.held = [hole]
        for _ in range(8):
            client = socket.socket(socket.AF_INET6)
            client.setblocking(False)
            client.connect_ex(("::1", port))
            self.held.append(client)
        self.listen(name, port=port)


def openssl(directory, *words):
    subprocess.run(["openssl", *words], cwd=directory, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
CONFIGURATION = """
[ca]
default_ca = ours
[ours]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = policy
unique_subject = no
[policy]
commonName = supplied
[req]
distinguished_name = name
[name]
"""


def day(offset):
    return time.strftime("%Y%m%d000000Z", time.gmtime(time.time() + offset * 86400))


def make_ca(directory, name):
    os.makedirs(directory, exist_ok=True)
    for file, text in (("index", ""), ("serial", "01\n"), ("conf", CONFIGURATION)):
        with open(os.path.join(directory, file), "w", encoding="ascii") as out:
            out.write(text)
    openssl(directory, "req", "-x509", *KEY, "-config", "conf", "-keyout", "ca.key", "-out",
            "ca.pem", "-days", "30", "-subj", "/CN=" + name, "-addext",
            "basicConstraints=critical,CA:TRUE")


def make_certificate(directory, name, host, start=-1, end=10):
    with open(os.path.join(directory, "ext"), "w", encoding="ascii") as out:
        out.write("subjectAltName=" + host + "\n")
    openssl(directory, "req", "-new", *KEY, "-config", "conf", "-keyout", name + ".key", "-out",
            name + ".csr", "-subj", "/CN=" + name)
    openssl(directory, "ca", "-batch", "-notext", "-config", "conf", "-cert", "ca.pem", "-keyfile",
            "ca.key", "-in", name + ".csr", "-out", name + ".pem", "-startdate", day(start),
            "-enddate", day(end), "-extfile", "ext")


def context_of(directory, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, name + ".pem"),
                            os.path.join(directory, name + ".key"))
    return context


def listen_with_tls(server):
    ours, other = (os.path.join(server.directory, name) for name in ("ours", "other"))
    here = "DNS:localhost,IP:127.0.0.1"
    make_ca(ours, "ours")
    make_ca(other, "other")
    make_certificate(ours, "good", here)
    make_certificate(ours, "expired", here, -20, -10)
    make_certificate(ours, "future", here, 5, 10)
    make_certificate(ours, "elsewhere", "DNS:elsewhere.example")
    make_certificate(other, "unknown", here)
    openssl(ours, "req", "-x509", *KEY, "-config", "conf", "-keyout", "self.key", "-out", "self.pem",
            "-days", "10", "-subj", "/CN=self", "-addext", "subjectAltName=" + here)
    os.replace(os.path.join(ours, "ca.pem"), os.path.join(server.directory, "ca.pem"))
    server.listen("HTTPS", context=context_of(ours, "good"))
    for name in ("expired", "future", "elsewhere", "self"):
        server.listen(name.upper(), context=context_of(ours, name))
    server.listen("UNKNOWN", context=context_of(other, "unknown"))
    old = context_of(ours, "good")
    old.set_ciphers("DEFAULT:@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    server.listen("OLD", context=old)


def main():
    server = Server(sys.argv[1])
    server.listen("HTTP")
    server.listen("OUTAGE")
    server.listen("PROXY")
    server.listen("PROXY_407", answer_407)
    server.listen("PROXY_LOGIN", answer_login)
    server.listen("PROXY_LONG", answer_long)
    server.listen("ANY", address="0.0.0.0")
    server.listen_behind_black_hole("HOLE")
    listen_with_tls(server)
    ports = os.path.join(server.directory, "ports")
    with open(ports + ".new", "w", encoding="ascii") as out:
        out.writelines("%s=%d\n" % item for item in server.ports.items())
    os.replace(ports + ".new", ports)
    sys.stdin.read()
    server.stop.set()


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # TLS 1.0 is asked for on purpose
    main()
