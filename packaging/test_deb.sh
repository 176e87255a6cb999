#!/usr/bin/env bash
# Installs the packages of build-deb/ in a minimal system, uses all of them there, and removes them
# again. Needs root rights and mmdebstrap; packages that they depend on are downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root_folder.sh
check_rights packaging/test_deb.sh
compgen -G 'build-deb/*.deb' >/dev/null || { echo "there are no packages: make deb" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/ooze-deb-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
# what is used with the packages, and none that they must bring themselves
create_root man-db,bash-completion,gcc,libc6-dev,cmake,make,pkg-config
# a minimal system may leave manual pages out
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
mkdir "$root/test"
cp build-deb/*.deb packaging/use_packages.sh docs/examples/drop.c "$root/test"
[ ! -d python/ooze ] || cp packaging/use_python.py "$root/test"
inside /test "bash use_packages.sh"
