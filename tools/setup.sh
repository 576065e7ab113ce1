#!/bin/sh
# Makes .venv as requirements.lock says; does nothing when it is up to date.
#
#   TORCHSTONE_PIP_ARGS   options for every call of pip
#   TORCHSTONE_TORCH      an index, a folder of wheels or a wheel file: torch alone comes from it
set -eu
cd "$(dirname "$0")/.."

stamp=.venv/torchstone-setup.stamp
wanted=$(cat requirements.lock pyproject.toml tools/setup.sh | cksum)
torch=${TORCHSTONE_TORCH:-}
done=$(sed -n 1p "$stamp" 2>/dev/null || true)
done_torch=$(sed -n 2p "$stamp" 2>/dev/null || true)
# Without the variable, the torch that is installed stays.
if [ -x .venv/bin/python ] && [ "$done" = "$wanted" ] &&
    [ "${torch:-$done_torch}" = "$done_torch" ]; then
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
# torch alone: a whole index of builds for the CPU has other packages as well, older or newer ones.
# Its build for the CPU is the newer version of the two (2.13.0+cpu > 2.13.0), hence --upgrade.
install_torch() {
    pin=$(sed -n 's/^\(torch==[^ ;]*\).*/\1/p' requirements.lock)
    case $torch in
    *.whl) pip_install --no-deps "$torch" ;;
    *://*) pip_install --no-deps --upgrade --index-url "$torch" "$pin" ;;
    *) pip_install --no-deps --upgrade --no-index --find-links "$torch" "$pin" ;;
    esac
}
[ -z "$torch" ] || install_torch
pip_install hatchling
pip_install --no-build-isolation --editable '.[dev]'
printf '%s\n%s\n' "$wanted" "${torch:-$done_torch}" >"$stamp"
echo "Ready: .venv is as requirements.lock says."
