# SPDX-License-Identifier: MIT
"""Where a source is: an address, a file or a folder. Whoever reads does not see which."""

import os
import time
import urllib.error
import urllib.parse
import urllib.request

from refresh.rows import Refusal

TRIES = 3
WAIT_SECONDS = 60
TEXT_MAX = 64 << 20


class Unreachable(Refusal):
    """A source that cannot be read now: it is named, and its rows stay as they are."""

    def __init__(self, place, why):
        super().__init__(f"{place}: {why}", 66)


def is_address(place):
    return urllib.parse.urlsplit(place).scheme in ("http", "https")


def ask(address, headers):
    """The answer to one request. A server that is busy is asked again."""
    request = urllib.request.Request(address, headers=headers)
    for last in [False] * (TRIES - 1) + [True]:
        try:
            return urllib.request.urlopen(request, timeout=WAIT_SECONDS)
        except urllib.error.HTTPError as error:
            if last or error.code not in (429, 500, 502, 503, 504):
                raise Unreachable(address, f"HTTP {error.code}") from None
            time.sleep(min(float(error.headers.get("Retry-After") or 1), 30))
        except (OSError, ValueError) as error:
            if last:
                raise Unreachable(address, str(error)) from None
    raise AssertionError


def read(place, headers=None):
    """All bytes of an address or a file."""
    try:
        if is_address(place):
            with ask(place, headers or {}) as answer:
                return answer.read(TEXT_MAX)
        with open(place, "rb") as file:
            return file.read(TEXT_MAX)
    except OSError as error:
        raise Unreachable(place, str(error)) from None


def join(place, name):
    """The place of a name beside a place that is a folder."""
    if is_address(name) or os.path.isabs(name):
        return name
    return urllib.parse.urljoin(place.rstrip("/") + "/", name) if is_address(place) else os.path.join(place, name)


class Bytes:
    """A file of which parts are read: by range requests where it is at an address."""

    def __init__(self, place):
        self.place = place
        self.size = None if is_address(place) else os.path.getsize(place)

    def part(self, first, size):
        if not is_address(self.place):
            with open(self.place, "rb") as file:
                file.seek(first)
                return file.read(size)
        return self.request(f"bytes={first}-{first + size - 1}")

    def tail(self, size):
        """The last bytes; the size of the whole is known after it."""
        if not is_address(self.place):
            return self.part(max(0, self.size - size), size)
        return self.request(f"bytes=-{size}")

    def request(self, wanted):
        with ask(self.place, {"Range": wanted}) as answer:
            told = answer.headers.get("Content-Range", "")
            if answer.status != 206 or "/" not in told:
                raise Unreachable(self.place, "the server does not give parts of a file")
            self.size = int(told.rpartition("/")[2])
            return answer.read()
