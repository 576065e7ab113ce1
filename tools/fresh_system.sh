#!/bin/sh
# Proves what a newcomer meets on a clean Debian: `fresh_system.sh debian12|debian13`, as root.
#
# A system of its own is made by debootstrap from the mirror that this machine's apt uses, in name
# spaces of its own, with no package but git and make. There tools/fresh.sh runs as root, which
# installs what the preflight names, and then as an ordinary user. pip takes torch from its index,
# never from a folder of this machine.
#
#   FRESH_USERS             who runs it: "root learner" by default
#   FRESH_MIRROR            a mirror of Debian, in place of the one that apt uses
#   FRESH_CACHE             where the packed base system is kept (~/.cache/torchstone/fresh)
#   PYTEST_ARGS, TEST_WORKERS, CI   passed to `make test`; no PYTEST_ARGS runs every test
#
# Exits with 75, after one line, where such a system cannot be made.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
name=$1
cannot=75
days_kept=30

case $name in
debian12) codename=bookworm ;;
debian13) codename=trixie ;;
*)
    echo "fresh: FRESH is debian12 or debian13, not '$name'." >&2
    exit 2
    ;;
esac

give_up() {
    echo "fresh: no clean $name can be made here: $1" >&2
    exit $cannot
}

find_mirror() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' \
        2>/dev/null | sed -n 's/^Debian|Debian|//p' | head -n 1
}

[ "$(id -u)" = 0 ] || give_up "it takes root."
mirror=${FRESH_MIRROR:-$(find_mirror)}
[ -n "$mirror" ] || give_up "apt knows no mirror of Debian; name one in FRESH_MIRROR."
if ! command -v debootstrap >/dev/null; then
    { apt-get update -q && apt-get install -q -y --no-install-recommends debootstrap; } \
        >/dev/null 2>&1 || give_up "debootstrap is missing; apt-get install debootstrap."
fi
unshare --mount --pid --fork true 2>/dev/null || give_up "no name spaces for mounts and processes."

work=$(mktemp -d)
child=''
clean_up() {
    # The kernel ends what is left in the name spaces, and unmounts, when their first process ends.
    [ -z "$child" ] || kill -KILL "$child" 2>/dev/null
    wait
    rm -rf "$work" 2>/dev/null || { sleep 2 && rm -rf "$work"; }
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Starts a command in the background, so that a signal is served at once, and waits for it.
run() {
    "$@" </dev/null &
    child=$!
    wait $child
    status=$?
    child=''
    return $status
}

# The base: what debootstrap makes, and what a newcomer needs to clone a repository.
cache=${FRESH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/torchstone/fresh}
base=$cache/$name.tar
mkdir -p "$cache" "$work/system"
find "$cache" -name "$name.tar" -mtime +$days_kept -delete
if [ ! -f "$base" ]; then
    echo "== debootstrap $codename"
    run debootstrap --variant=minbase --include=ca-certificates,git,make "$codename" \
        "$work/system" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        give_up "debootstrap failed: $(tail -n 1 "$work/debootstrap.log")"
    tar -C "$work/system" -cf "$base.$$" . && mv "$base.$$" "$base"
else
    run tar -C "$work/system" -xf "$base" || exit 3
fi

# The way out of this machine: names, certificates, proxies, the index of packages.
system=$work/system
for file in /etc/resolv.conf /etc/hosts; do
    [ ! -e $file ] || cp -L $file "$system$file"
done
certificates=''
if [ -r "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" ]; then
    certificates=/etc/fresh-certificates.crt
    cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$system$certificates"
fi
apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::Proxy|Check-)' \
    >"$system/etc/apt/apt.conf.d/90fresh"
printf '[safe]\n\tdirectory = *\n' >"$system/etc/gitconfig"
{
    echo '[global]'
    for key in index-url proxy trusted-host timeout retries; do
        value=$(python3 -m pip config get "global.$key" 2>/dev/null) && echo "$key = $value"
    done
    [ -z "$certificates" ] || echo "cert = $certificates"
} >"$system/etc/pip.conf"
git clone --quiet "$root" "$system/srv/torchstone" || exit 3

# What is written into a shell inside: variables of this one that the newcomer's shell has, too.
passed() {
    env | sed -nE 's/^((https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY|CI|PYTEST_ARGS|TEST_WORKERS)=.*/\1/p'
    env | sed -nE 's/^(PIP_(INDEX_URL|PROXY|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES))=.*/\1/p'
}
set -- PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
for variable in $(passed); do
    set -- "$@" "$variable=$(printenv "$variable")"
done
[ -z "$certificates" ] || set -- "$@" SSL_CERT_FILE=$certificates \
    NODE_EXTRA_CA_CERTS=$certificates REQUESTS_CA_BUNDLE=$certificates

cat >"$system/srv/enter.sh" <<'INSIDE'
# Becomes the first process of the clean system.
set -eu
cd "$1" && shift
mount --make-rprivate /
mount --bind . .
cd "$PWD"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mkdir -p .host
pivot_root . .host
umount -l .host
rmdir .host
exec chroot . env -i "$@"
INSIDE
cat >"$system/srv/prove.sh" <<'INSIDE'
# Runs the proof for each user; both have a home, a clone and a virtual environment of their own.
worst=0 told=''
for user in $1; do
    echo "== $user on $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
    id "$user" >/dev/null 2>&1 || useradd --create-home "$user"
    home=$(getent passwd "$user" | cut -d: -f6)
    HOME=$home runuser --preserve-environment -u "$user" -- /srv/torchstone/tools/fresh.sh
    status=$?
    told="$told, $user $status"
    [ $status -eq 0 ] || worst=1
done
echo "fresh $2:${told#,}"
exit $worst
INSIDE
run unshare --mount --pid --fork --kill-child=KILL sh "$system/srv/enter.sh" "$system" "$@" \
    sh /srv/prove.sh "${FRESH_USERS:-root learner}" "$name"
