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
daemon off; master_process off; pid "$work/nginx/pid"; error_log "$work/nginx/error.log";
events { worker_connections 64; }
http {
    access_log "$work/access.log"; sendfile on; types { } default_type application/octet-stream;
    client_body_temp_path "$work/nginx/b"; proxy_temp_path "$work/nginx/p"; fastcgi_temp_path "$work/nginx/f";
    uwsgi_temp_path "$work/nginx/u"; scgi_temp_path "$work/nginx/s";
    server { listen 127.0.0.1:$port; root "$1"; }
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

# $work/manifest.json, unless the test made it: what installing needs of gpuenv's own.
make_manifest() { [ -f "$work/manifest.json" ] || "$tests/fakes/manifest_small" "$joined" "$work/manifest.json"; }

# pin MIRROR PRODUCT VERSION file|content: that manifest has this redistrib file pinned then, and for cuda a
# row of that release.
pin() {
    make_manifest
    "$tests/fakes/manifest_pin" "$work/manifest.json" "$@"
}

# install_here ARG…: gpuenv install with the tests' manifest and server.
install_here() { "$GPUENV" install --manifest "$work/manifest.json" --mirror "$server" "$@"; }

# What is below a directory, with modes, digests and link targets, for comparison.
tree_of() { (cd "$1" && find . -printf '%P %y %m %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum); }
