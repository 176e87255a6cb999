#!/usr/bin/env bash
# Runs `make demo` and `make test` on a minimal system: a root folder with only apt and make, of the
# release and from the package sources of this machine, and a clean clone of HEAD.
#   tools/bare_root.sh                       make demo, then make test
#   tools/bare_root.sh demo                  one of them
#   tools/bare_root.sh 'test SUITES=release' arguments of make
# Needs root rights and mmdebstrap. The folder and its mounts are removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- demo test

if ! command -v mmdebstrap >/dev/null; then
    echo "tools/bare_root.sh needs mmdebstrap: apt-get install mmdebstrap" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ] || ! unshare --mount true 2>/dev/null; then
    echo "tools/bare_root.sh needs the rights to mount and to change root: run it as root" >&2
    exit 1
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/ooze-bare-root-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
shopt -s nullglob
sources=(/etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list)
for file in "${sources[@]}"; do
    [ -s "$file" ] && mirrors+=("$file")
done
apt-config dump Acquire >"$work/apt.conf"
echo "== a bare root of $release"
mmdebstrap --quiet --variant=apt --include=make --aptopt="$work/apt.conf" \
    "$release" "$root" "${mirrors[@]}"
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
git clone --quiet --no-hardlinks . "$root/ooze"

# Mounts are made in a separate namespace and end with it; --kill-child ends remaining processes.
inside() {
    unshare --mount --pid --fork --kill-child bash -euc '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs tmpfs "$0/dev/shm"
        mount -t tmpfs tmpfs "$0/tmp"
        exec chroot "$0" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            sh -c "cd /ooze && exec $1"' "$root" "$1"
}

failed=0
for words in "$@"; do
    echo "== make $words"
    start=$SECONDS
    inside "make --no-print-directory $words" || failed=1
    echo "== make $words: $((SECONDS - start)) s"
done
exit $failed
