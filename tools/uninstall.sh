#!/usr/bin/env bash
# Removes the files of a list that `cmake --install` wrote, and folders that are empty then.
#   tools/uninstall.sh build/install_manifest.txt
set -euo pipefail
while IFS= read -r file || [ -n "$file" ]; do
    rm -f -- "$file"
    rmdir --parents --ignore-fail-on-non-empty -- "$(dirname "$file")" 2>/dev/null || true
done <"$1"
rm -- "$1"
