#!/usr/bin/env bash
# Checks and runs a scene, and renders a video and a picture.
set -euo pipefail
cd "$(dirname "$0")/.."
scene=tools/demo.yaml
run=runs/demo
rm -rf "$run"
build/ooze check "$scene"
build/ooze run "$scene" -o "$run"
build/ooze render "$run" --samples 2 --size 640x360 --video "$run/honey.mp4"
build/ooze render "$run" --samples 24 --frames 40 -o "$run/picture"
mv "$run/picture/frame_000040.png" "$run/honey.png"
rmdir "$run/picture" 2>/dev/null || true
echo
echo "picture: $run/honey.png"
echo "video:   $run/honey.mp4"
echo "The run is in $run: open $run/run.xdmf in ParaView."
