# shellcheck shell=bash
# Functions for scripts that work in a minimal system in a folder. Needs root rights, mmdebstrap and
# the variables: work (an empty folder), root (to be created in it).

check_rights() { # NAME of the script
    if ! command -v mmdebstrap >/dev/null; then
        echo "$1 needs mmdebstrap: apt-get install mmdebstrap" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount true 2>/dev/null; then
        echo "$1 needs the rights to mount and to change root: run it as root" >&2
        return 1
    fi
}

# A root with apt and PACKAGES, of the release and from the package sources of this machine.
create_root() { # PACKAGES, separated by commas
    local release file mirrors=()
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    shopt -s nullglob
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources \
        /etc/apt/sources.list.d/*.list; do
        [ -s "$file" ] && mirrors+=("$file")
    done
    apt-config dump Acquire >"$work/apt.conf"
    echo "== a bare root of $release"
    mmdebstrap --quiet --variant=apt --include="$1" --aptopt="$work/apt.conf" \
        "$release" "$root" "${mirrors[@]}"
    cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
}

# Runs a line of sh in a folder of the root. Mounts are made in a separate namespace and end with
# it; --kill-child ends remaining processes.
inside() { # FOLDER LINE
    unshare --mount --pid --fork --kill-child bash -euc '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs tmpfs "$0/dev/shm"
        mount -t tmpfs tmpfs "$0/tmp"
        exec chroot "$0" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            sh -c "cd $1 && exec $2"' "$root" "$1" "$2"
}
