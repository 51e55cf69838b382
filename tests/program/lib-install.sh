# SPDX-License-Identifier: MIT
# For the tests of install: a server on loopback, a manifest that pins what the tests packed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

joined=$(dirname "$GPUENV")/gpuenv.manifest.json
[ -x "$(dirname "$GPUENV")/gpuenv-install" ] || skip "gpuenv-install is not built"
command -v python3 >/dev/null || skip "python3 is not installed"
export GPUENV_CACHE_DIR=$work/cache

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# serve DIR: nginx on loopback; its address in $server, what was asked of it in $work/access.log.
serve() {
    local nginx port
    nginx=$(PATH=$PATH:/usr/sbin command -v nginx) || skip "nginx is not installed"
    port=$(free_port)
    mkdir -p "$work/nginx"
    cat >"$work/nginx.conf" <<CONF
daemon off; master_process off; pid $work/nginx/pid; error_log $work/nginx/error.log;
events { worker_connections 64; }
http {
    access_log $work/access.log; sendfile on; types { } default_type application/octet-stream;
    client_body_temp_path $work/nginx/b; proxy_temp_path $work/nginx/p; fastcgi_temp_path $work/nginx/f;
    uwsgi_temp_path $work/nginx/u; scgi_temp_path $work/nginx/s;
    server { listen 127.0.0.1:$port; root $1; }
}
CONF
    "$nginx" -p "$work/nginx" -c "$work/nginx.conf" 2>"$work/nginx.err" &
    server_pid=$!
    trap 'kill $server_pid 2>/dev/null; wait $server_pid 2>/dev/null; rm -rf "$work"' EXIT
    server=http://127.0.0.1:$port
    python3 - "$port" <<'PY' || { cat "$work/nginx.err"; echo "nginx does not answer"; exit 1; }
import socket, sys, time
end = time.monotonic() + 20
while True:
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1).close()
        break
    except OSError:
        if time.monotonic() > end:
            sys.exit(1)
        time.sleep(0.02)
PY
}

# pin MIRROR PRODUCT VERSION file|content: writes $work/manifest.json, gpuenv's own with this
# redistrib file pinned, and for cuda with a row of that release.
pin() {
    [ -f "$work/manifest.json" ] || cp "$joined" "$work/manifest.json"
    python3 - "$work/manifest.json" "$@" <<'PY'
import hashlib, json, sys
path, mirror, product, version, kind = sys.argv[1:]
manifest = json.load(open(path))
data = open(f"{mirror}/compute/{product}/redist/redistrib_{version}.json", "rb").read()
entries = set()
def walk(value):
    if isinstance(value, dict):
        if "relative_path" in value:
            entries.add(f'{value["relative_path"]} {value["sha256"]} {value["size"]}\n')
        for below in value.values():
            walk(below)
walk(json.loads(data))
digest = hashlib.sha256(data if kind == "file" else "".join(sorted(entries)).encode()).hexdigest()
numbers = lambda text: [int(part) for part in text.split(".")]
def put(rows, row, key):
    rows[:] = [old for old in rows if key(old) != key(row)]
    at = next((i for i, old in enumerate(rows) if key(old) > key(row)), len(rows))
    rows.insert(at, row)
pin = manifest["pin"]
pin["sources"]["tests"] = "the tests of gpuenv"
row = {"product": product, "version": version, "pin": kind, "sha256": digest}
if kind == "file":
    row["size"] = len(data)
row |= {"path": f"/compute/{product}/redist/redistrib_{version}.json",
        "source": ["tests"], "confidence": "high"}
put(pin["rows"], row, lambda r: (r["product"], numbers(r["version"])))
if product == "cuda":
    cuda = manifest["cuda"]
    cuda["sources"]["tests"] = "the tests of gpuenv"
    minor = ".".join(version.split(".")[:2])
    put(cuda["rows"], {"version": version, "release": f"{minor} test", "stage": "update",
                       "source": ["tests"], "confidence": "low"}, lambda r: numbers(r["version"]))
json.dump(manifest, open(path, "w"))
PY
}

# install_here ARG…: gpuenv install with the tests' manifest and server.
install_here() { "$GPUENV" install --manifest "$work/manifest.json" --mirror "$server" "$@"; }

# What is below a directory, with modes, digests and link targets, for comparison.
tree_of() { (cd "$1" && find . -printf '%P %y %m %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum); }
