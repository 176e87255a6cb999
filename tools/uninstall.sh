#!/usr/bin/env bash
# Removes the files of a list that `cmake --install` wrote, and their folders where these are named
# ooze, or lie in such a folder, and are empty then.
#   tools/uninstall.sh build/installed.txt
set -euo pipefail
list=$1
while IFS= read -r file || [ -n "$file" ]; do
    rm -f -- "$file"
done <"$list"
while IFS= read -r file || [ -n "$file" ]; do
    folder=$(dirname "$file")
    while [[ $folder/ == */ooze/* ]]; do
        echo "$folder"
        folder=$(dirname "$folder")
    done
done <"$list" | sort -ru | while IFS= read -r folder; do
    rmdir --ignore-fail-on-non-empty -- "$folder" 2>/dev/null || true
done
rm -- "$list"
