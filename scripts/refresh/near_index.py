# SPDX-License-Identifier: MIT
"""An index on this machine that hands on the Python index, with METADATA beside each wheel.

pip and uv resolve with METADATA alone where the index offers it; where it does not, they read parts
of every wheel, or the whole of it. Here each wheel's METADATA is read once and kept."""

import http.server
import json
import re
import threading

from refresh import place
from refresh.index import JSON, File

SIMPLE = re.compile(r"/simple/([\w.-]+)/")
METADATA = re.compile(r"/file/([\w.-]+)/([^/]+)\.metadata")
FILE = re.compile(r"/file/([\w.-]+)/([^/]+)")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Who asked may have gone before the answer."""


class NearIndex:
    """`with NearIndex(index) as address:` runs it as long as the block."""

    def __init__(self, index):
        self.index = index
        self.pages = {}
        self.lock, self.locks = threading.Lock(), {}  # of each package its own
        self.server = Server(("127.0.0.1", 0), self.handler())

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}/simple"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def files(self, package):
        """{name: as the index tells it}; of a package that the index does not have, none."""
        with self.lock:
            known = self.locks.setdefault(package, threading.Lock())
        with known:
            if package not in self.pages:
                try:
                    told = json.loads(self.index.page(package))["files"]
                except place.Unreachable as problem:
                    if "HTTP 404" not in str(problem):
                        raise
                    told = []
                self.pages[package] = {file["filename"]: file for file in told}
            return self.pages[package]

    def page(self, package):
        files = []
        for name, told in self.files(package).items():
            file = {key: told[key] for key in ("filename", "hashes", "requires-python", "size", "upload-time", "yanked")
                    if key in told}  # fmt: skip
            file["url"] = f"/file/{package}/{name}"
            file["core-metadata"] = name.endswith(".whl")
            files.append(file)
        return json.dumps({"meta": {"api-version": "1.1"}, "name": package, "files": files}).encode()

    def handler(self):
        near = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                try:
                    self.answer()
                except place.Unreachable as problem:
                    self.send_error(502, str(problem).replace("\n", " ")[:200])

            def answer(self):
                if match := SIMPLE.fullmatch(self.path):
                    if near.files(match[1]):
                        self.send(near.page(match[1]), JSON)
                    else:
                        self.send_error(404)
                elif match := METADATA.fullmatch(self.path):
                    told = near.files(match[1])[match[2]]
                    self.send(near.index.metadata(File(told, match[1])).encode(), "text/plain; charset=utf-8")
                elif match := FILE.fullmatch(self.path):
                    self.send_response(302)
                    url = near.files(match[1])[match[2]]["url"]
                    self.send_header("Location", place.join(f"{near.index.root}/{match[1]}/", url))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    self.send_error(404)

            def send(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler
