#!/bin/sh
# Lists everything that this machine lacks, with one command that installs it; as root on
# Debian it runs that command itself.
#
#   preflight.sh            check, install if possible, exit 1 if something required is missing
#   preflight.sh --tests    check also what the tests need
#   preflight.sh --python   print the Python that will be used, exit 1 if there is none
#
# Required: Python 3.11+ with venv and headers, a C++ compiler, make.
# Recommended: bubblewrap and libseccomp; without them submissions run less isolated. Tests clone with git,
# drive Chromium (on Debian without its windows, 60 MB to download) with a font for Chinese (2 MB to download, the smallest of Debian's that has every
# character of the page and an even stroke), and prove cudasim with clang++ (59 MB) and for aarch64 in
# an emulator (69 MB).
set -u

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

find_compiler() {
    for candidate in ${CXX:-} c++ g++ clang++; do
        if command -v "$candidate" >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

has_headers() {
    "$1" -c 'import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not os.path.exists(header))' 2>/dev/null
}

has_libseccomp() {
    if [ -n "$1" ]; then
        "$1" -c 'import ctypes; ctypes.CDLL("libseccomp.so.2")' 2>/dev/null
    else
        ls /lib/*/libseccomp.so.2 /usr/lib/*/libseccomp.so.2 /usr/lib64/libseccomp.so.2 2>/dev/null |
            grep -q .
    fi
}

# Sets `required` and `recommended` (what is missing, one per line) and `packages` (their Debian names).
look() {
    required='' recommended='' packages=''
    if python=$(find_python); then
        "$python" -c 'import venv, ensurepip' 2>/dev/null ||
            need required 'the venv module of Python' python3-venv
        has_headers "$python" || need required 'the C headers of Python (Python.h)' python3-dev
    else
        python=''
        need required 'Python 3.11 or newer' 'python3 python3-venv python3-dev'
    fi
    find_compiler >/dev/null || need required 'a C++ compiler' g++
    command -v make >/dev/null 2>&1 || need required 'make' make
    command -v bwrap >/dev/null 2>&1 || need isolation 'bubblewrap (bwrap)' bubblewrap
    has_libseccomp "$python" || need isolation 'libseccomp.so.2' libseccomp2
    if [ "$purpose" = --tests ]; then
        command -v git >/dev/null 2>&1 || need git 'git' git
        if is_debian; then browser=chromium-headless-shell; else browser=chromium; fi
        if ! has_chromium; then
            need browser 'Chromium' "$browser"
        elif is_debian && ! command -v "$browser" >/dev/null 2>&1; then
            need shell 'Chromium without windows (chromium-headless-shell)' "$browser"
        fi
        has_cjk_font || need font 'a font for Chinese' fonts-wqy-microhei
        # Only beside g++, which stays the compiler that is used.
        has_clang || need clang 'clang++' clang
        if [ "$(uname -m)" != aarch64 ]; then
            command -v aarch64-linux-gnu-g++ >/dev/null 2>&1 ||
                need aarch64 'g++ for aarch64 (aarch64-linux-gnu-g++)' g++-aarch64-linux-gnu
            command -v qemu-aarch64 >/dev/null 2>&1 ||
                need aarch64 'an emulator of aarch64 (qemu-aarch64)' qemu-user
        fi
    fi
}

has_clang() {
    for candidate in clang++ clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 \
        clang++-15 clang++-14; do
        command -v "$candidate" >/dev/null 2>&1 && return 0
    done
    return 1
}

# fontconfig comes with Chromium; without it, only Debian's own font files are looked for.
has_cjk_font() {
    if command -v fc-list >/dev/null 2>&1; then
        fc-list :lang=zh 2>/dev/null | grep -q .
    else
        ls /usr/share/fonts/truetype/wqy/* /usr/share/fonts/opentype/noto/NotoSansCJK* \
            /usr/share/fonts/truetype/droid/DroidSansFallback* 2>/dev/null | grep -q .
    fi
}

# Ubuntu has neither package: its Chromium is a snap.
is_debian() { grep -qx ID=debian /etc/os-release 2>/dev/null; }

has_chromium() {
    for candidate in chromium-headless-shell chromium chromium-browser google-chrome \
        google-chrome-stable; do
        command -v "$candidate" >/dev/null 2>&1 && return 0
    done
    return 1
}

need() {
    case $1 in
    required)
        required="$required  - $2
"
        ;;
    isolation)
        recommended="$recommended  - $2 (submissions run less isolated without it)
"
        ;;
    clang)
        recommended="$recommended  - $2 (the tests of cudasim with clang are skipped without it)
"
        ;;
    aarch64)
        recommended="$recommended  - $2 (the tests of cudasim for aarch64 are skipped without it)
"
        ;;
    git)
        recommended="$recommended  - $2 (the tests of make fresh fail without it)
"
        ;;
    font)
        recommended="$recommended  - $2 (pictures and browser tests show empty boxes without it)
"
        ;;
    shell)
        recommended="$recommended  - $2 (the tests of the page use more CPU time without it)
"
        ;;
    browser)
        recommended="$recommended  - $2 (the tests of the page are skipped without it)
"
        ;;
    esac
    packages="$packages $3"
}

say() { printf '%s\n' "$*" >&2; }

report() {
    if [ -n "$required" ]; then say "Required, but not installed:" && printf '%s' "$required" >&2; fi
    if [ -n "$recommended" ]; then say "Recommended, but not installed:" && printf '%s' "$recommended" >&2; fi
}

remedy() {
    if command -v apt-get >/dev/null 2>&1; then
        echo "apt-get update && apt-get install -y --no-install-recommends$packages"
    elif command -v dnf >/dev/null 2>&1; then
        echo "dnf install -y$packages" | sed 's/python3-venv//; s/python3-dev/python3-devel/
            s/libseccomp2/libseccomp/; s/g++/gcc-c++/'
    else
        echo "install with your package manager:$packages"
    fi
}

install_as_root() {
    say "Installing: $(remedy)"
    # shellcheck disable=SC2086 # a list of words
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $packages; } >&2
}

purpose=${1:-}
if [ "$purpose" = --python ]; then
    find_python
    exit
fi

[ "$(uname -s)" = Linux ] || say "Torchstone judges on Linux; $(uname -s) is not supported."
look
if [ -n "$packages" ]; then
    report
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        install_as_root || say "apt-get failed; see above."
        look
        [ -z "$packages" ] || report
    else
        say "Mend it with:"
        case $(remedy) in
        install*) say "  $(remedy)" ;;
        *) say "  sudo sh -c '$(remedy)'" ;;
        esac
    fi
fi
[ -z "$required" ]
