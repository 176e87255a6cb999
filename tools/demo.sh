#!/usr/bin/env bash
# Checks and runs a scene, and renders a picture and a video.
set -euo pipefail
cd "$(dirname "$0")/.."
scene=scenes/gallery/honey_coil.yaml
run=runs/demo
rm -rf "$run"
build/ooze check "$scene"
build/ooze run "$scene" -o "$run"
build/ooze render "$run" --size 480x270 --samples 12 --video "$run/honey.mp4"
build/ooze render "$run" --size 960x540 --samples 48 --frames 60 -o "$run/picture"
mv "$run/picture/frame_000060.png" "$run/honey.png"
rmdir "$run/picture" 2>/dev/null || true
echo
echo "picture: $run/honey.png"
echo "video:   $run/honey.mp4"
echo "The run is in $run: open $run/run.xdmf in ParaView."
