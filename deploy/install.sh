#!/usr/bin/env bash
# Installs the lab below a folder of its own, with all it needs to be served:
#
#   deploy/install.sh PREFIX [HOST [PATH]]
#
# PREFIX  an absolute path that everybody may read, not a home directory; run again to update what is there
# HOST    the name people type, for example lab.example.edu; this machine's own if it is left out
# PATH    the path below which the lab is served, `lab` if it is left out
#
# The same steps make the image of the Containerfile, and CI runs them in an empty folder. Needs Python 3.11 or newer,
# as `python3` or as the program that the variable PYTHON names. The engines are compiled for the processor at hand;
# with PORTABLE=1 for all of its kind (`python -m sim compile --help`), as an image needs it.
set -euo pipefail
umask 022
from=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1-}
host=${2:-$(hostname -f)}
path=${3:-lab}

if [[ $prefix != /* || $prefix == / || $prefix =~ [^A-Za-z0-9/._-] ]]; then
    echo "PREFIX '$prefix' is not accepted: give an absolute path of letters, digits, '.', '_' and '-'" >&2
    exit 2
fi
if [[ ! $host =~ ^[A-Za-z0-9.-]+$ || ! $path =~ ^[A-Za-z0-9_-]+$ ]]; then
    echo "HOST $host or PATH $path is not accepted: give a name such as lab.example.edu, and one word" >&2
    exit 2
fi

mkdir -p "$prefix"/{app,bin,etc}
rm -rf "$prefix/app.new" "$prefix/static.new"
mkdir "$prefix/app.new"
(cd "$from" && cp -R app.py pages sim theory deploy .streamlit pyproject.toml README.md LICENSE "$prefix/app.new")
find "$prefix/app.new" -name __pycache__ -prune -exec rm -rf {} +

[[ -x $prefix/venv/bin/python ]] || "${PYTHON:-python3}" -m venv "$prefix/venv"
rm -rf "$prefix/app"
mv "$prefix/app.new" "$prefix/app"
"$prefix/venv/bin/pip" install -q --upgrade -e "$prefix/app"
"$prefix/venv/bin/python" -m compileall -q "$prefix/app/app.py" "$prefix/app/pages"  # the server may not write here
install -m 755 "$from/deploy/serve" "$prefix/bin/serve"

# The files that every browser loads once, compressed once: two thirds less to send and nothing to compute.
static=$("$prefix/venv/bin/python" -c 'from streamlit import file_util; print(file_util.get_static_dir())')
cp -R "$static/static" "$prefix/static.new"
find "$prefix/static.new" -type f -regex '.*\.\(js\|css\|svg\|json\|ttf\)' -exec gzip -9 -k -n {} +
if command -v brotli >/dev/null; then  # a sixth less than gzip; what draws charts is half of all: slowly, the best
    find "$prefix/static.new" -type f -name 'PlotlyChart*.js' -exec brotli -q 11 -k {} +
    find "$prefix/static.new" -type f -regex '.*\.\(js\|css\|svg\|json\|ttf\)' \
        -not -name 'PlotlyChart*.js' -exec brotli -q 9 -k {} +
fi
rm -rf "$prefix/static"
mv "$prefix/static.new" "$prefix/static"

# The engines, compiled once for all processes: the first visit after an installation waits for no compiler.
compile=(compile)
[[ -z ${PORTABLE:-} ]] || compile+=(--portable)
(cd "$prefix/app" && NUMBA_CACHE_DIR="$prefix/kernels" "$prefix/venv/bin/python" -m sim "${compile[@]}")

filled() {  # a file of deploy/ with the names of this installation in it
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@HOST@|$host|g" -e "s|@PATH@|$path|g" "$from/deploy/$1"
}
filled straggler-lab@.service >"$prefix/etc/straggler-lab@.service"
filled nginx.conf >"$prefix/etc/nginx.conf"
if [[ -e $prefix/etc/straggler-lab.env ]]; then
    echo "kept: $prefix/etc/straggler-lab.env"
else
    filled straggler-lab.env >"$prefix/etc/straggler-lab.env"
fi
echo "installed below $prefix; next: deploy/README.md"
