#!/usr/bin/env bash
# Builds Debian packages of the working tree into build-deb/: libooze0, libooze-dev, ooze, and
# python3-ooze where the folder python/ooze exists. Ends with lintian's errors, where it is
# installed. Needs debhelper and the packages that packaging/debian/control lists.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
for command in dpkg-buildpackage dh git; do
    command -v "$command" >/dev/null || missing+=("$command")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "packaging/build_deb.sh needs ${missing[*]}: tools/install.sh deb" >&2
    exit 1
fi

version=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
folder=build-deb/ooze-$version
rm -rf build-deb
mkdir -p "$folder"
git ls-files -co --exclude-standard -z |
    while IFS= read -r -d '' file; do
        [ -e "$file" ] && printf '%s\0' "$file"
    done | tar --null --files-from=- -c | tar -x -C "$folder"
cp -R packaging/debian "$folder/debian"
if [ ! -d python/ooze ]; then
    echo "python3-ooze: left out, as there is no folder python/ooze"
    # its stanza, which is the last one, and what only it needs
    sed -i '/^Package: python3-ooze$/,$d; /dh-sequence-python3/d; s/, python3-ooze$//' \
        "$folder/debian/control"
    rm "$folder/debian/python3-ooze.install"
fi

# debhelper gives the build a home of its own; compiled objects are kept in the usual place.
if command -v ccache >/dev/null; then
    CCACHE_DIR=$(ccache -k cache_dir)
    export CCACHE_DIR CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-noautodbgsym parallel=$(nproc)}"
(cd "$folder" && dpkg-buildpackage --build=binary --no-sign --root-command=) \
    >build-deb/build.log 2>&1 || { tail -n 40 build-deb/build.log >&2; exit 1; }
grep -h '^-- Part ' build-deb/build.log | sed 's/^-- //'

if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on=error --tag-display-limit=0 build-deb/*.changes
else
    echo "lintian: not installed, so the packages were not checked"
fi
ls build-deb/*.deb
