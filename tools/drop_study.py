#!/usr/bin/env python3
"""Drops a block into a box at several time steps: cost of each run, and deviation from a
converged run.

    tools/drop_study.py [--ooze build/ooze] [--threads 2] [--steps 1/50,1/25]
                        [--converged 1/200] [--set KEY=VALUE]... [SCENE...]

SCENEs are all scenes/bench/drop_*.yaml by default. The converged run has the tolerance 1e-4, up
to 1000 velocity iterations, 60 density iterations without the pressure of the last step, and
substeps (max_travel 1); `--converged none` leaves it out. `--set` changes a setting of the runs
that are compared with it.
Processor time is printed for shared machines: divided by the number of threads, it is a lower
bound of the wall time. The density error is that above rest in the worst step: mean over the
particles, and of the worst particle."""
import argparse
import csv
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONVERGED = ["method.tolerance=1e-4", "method.velocity_iterations=1000", "max_travel=1",
             "method.density_iterations=60", "method.density_mean_tolerance=0",
             "method.density_warm_start=false"]


def run_scene(arguments, scene, changes):
    """Wall and processor seconds and the readings of the run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [arguments.ooze, "run", scene, "-o", f"{folder}/run", "-q", "--threads",
                   str(arguments.threads)]
        for change in changes:
            command += ["--set", change]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(done.stderr)
        with open(f"{folder}/run/probes.csv", newline="") as file:
            rows = list(csv.reader(file))
        log = pathlib.Path(f"{folder}/run/log.txt").read_text()
    names = [name.split(" ")[0] for name in rows[0]]
    readings = dict(zip(names, map(float, rows[-1])))
    iterations = [float(line.split()[-1]) for line in log.splitlines()
                  if " velocity_operator " in line]
    readings["products"] = iterations[-1] if iterations else float("nan")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor, readings


def tell(label, wall, processor, reading, converged):
    def against(name):
        return f"{100 * (reading[name] / converged[name] - 1):+.2f}%" if converged else "-"

    print(f"| {label} | {reading['products']:.0f} | {wall:.1f} | {processor:.1f} | "
          f"{100 * reading['solver.density_mean_max']:.2f}% | "
          f"{100 * reading['solver.density_max']:.1f}% | "
          f"{reading['height.height']:.4f} {against('height.height')} | "
          f"{reading['spread.spread']:.4f} {against('spread.spread')} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ooze", default=ROOT / "build/ooze")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", default="1/50,1/25")
    parser.add_argument("--converged", default="1/200")
    parser.add_argument("--set", action="append", default=[], dest="changes")
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    arguments = parser.parse_args()
    for scene in arguments.scenes or sorted(ROOT.glob("scenes/bench/drop_*.yaml"), reverse=True):
        print(f"\n{pathlib.Path(scene).stem}\n")
        print("| time step, s | products a step | wall s | processor s | density error | worst | "
              "height, m | spread, m |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        converged = None
        if arguments.converged != "none":
            wall, processor, converged = run_scene(arguments, scene,
                                                   [f"time_step={arguments.converged}", *CONVERGED])
            tell(f"{arguments.converged} (converged)", wall, processor, converged, None)
        for step in arguments.steps.split(","):
            changes = [f"time_step={step}", *arguments.changes]
            tell(step, *run_scene(arguments, scene, changes), converged)


if __name__ == "__main__":
    main()
