#!/usr/bin/env bash
# The main job, start to finish: a scene is checked, run and exported.
set -euo pipefail
cd "$(dirname "$0")/.."
scene=scenes/gallery/honey_coil.yaml
run=runs/demo
rm -rf "$run"
build/ooze check "$scene"
build/ooze run "$scene" -o "$run"
build/ooze export "$run" --format vtp
echo
echo "The run is in $run: open $run/run.xdmf in ParaView, or the exported $run/export/run.pvd."
