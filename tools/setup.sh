#!/bin/sh
# Makes .venv as requirements.lock says; does nothing when it is up to date.
set -eu
cd "$(dirname "$0")/.."

stamp=.venv/torchstone-setup.stamp
wanted=$(cat requirements.lock pyproject.toml tools/setup.sh | cksum)
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

tools/preflight.sh
python=$(tools/preflight.sh --python)
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python tools/pending.py requirements.lock
echo "Installing; this takes a minute or two."

# Both steps are bound by the lock. hatchling comes first and builds without isolation, so that the
# build backend is a locked version too.
# shellcheck disable=SC2086 # TORCHSTONE_PIP_ARGS is a list of words
pip_install() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint \
        requirements.lock ${TORCHSTONE_PIP_ARGS:-} "$@"
}
pip_install hatchling
pip_install --no-build-isolation --editable '.[dev]'
echo "$wanted" >"$stamp"
echo "Ready: .venv is as requirements.lock says."
