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
. tools/root_folder.sh
check_rights tools/bare_root.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/ooze-bare-root-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
create_root make
git clone --quiet --no-hardlinks . "$root/ooze"

failed=0
for words in "$@"; do
    echo "== make $words"
    start=$SECONDS
    inside /ooze "make --no-print-directory $words" || failed=1
    echo "== make $words: $((SECONDS - start)) s"
done
exit $failed
