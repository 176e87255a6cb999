#!/usr/bin/env bash
# The main job, start to finish: a scene is checked, run and exported.
set -euo pipefail
cd "$(dirname "$0")/.."
scene=scenes/ballistic/fountain.yaml
run=runs/demo
rm -rf "$run"
build/ooze check "$scene"
build/ooze run "$scene" -o "$run"
build/ooze export "$run" --format vtp --frames 0:10000:10
echo
echo "The run is in $run: open $run/run.xdmf in ParaView, or the exported $run/export/*.pvd."
