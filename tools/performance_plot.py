#!/usr/bin/env python3
"""Draws docs/images/performance.svg, the time of a step over the number of particles, from
docs/images/performance.csv; or measures a column of that table first.

    tools/performance_plot.py [--ooze build/ooze]
    tools/performance_plot.py --measure "16 cores" --threads 16
    tools/performance_plot.py --measure "one H200" --device cuda --sizes 1e4,1e5,1e6,1e7
    tools/performance_plot.py --measure "two cores" --threads 2 --clock cpu   # a shared machine

A block of viscous fluid falls onto a floor, in steps of two passes of 10 iterations on velocities
and 5 on density (`conformation` of bench/methods.py). Sizes that were not measured stay as they
are in the table, which has `nan` where a machine has no figure."""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/images/performance.csv"
FIGURE = ROOT / "docs/images/performance.svg"
sys.path.insert(0, str(ROOT / "bench"))
import methods  # noqa: E402


def read_table():
    """Names of the machines, and seconds of a step by number of particles and machine."""
    if not TABLE.exists():
        return [], {}
    with open(TABLE, newline="") as file:
        rows = list(csv.reader(file))
    names = [name.removesuffix(" [s]") for name in rows[0][1:]]
    return names, {int(row[0]): dict(zip(names, row[1:])) for row in rows[1:]}


def write_table(names, rows):
    with open(TABLE, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["particles", *(f"{name} [s]" for name in names)])
        for count in sorted(rows):
            out.writerow([count, *(rows[count].get(name, "nan") for name in names)])


def step_seconds(options, count):
    with tempfile.TemporaryDirectory() as folder:
        scene = methods.write_scene(pathlib.Path(folder), "conformation", count)
        command = [options.ooze, "bench", str(scene), "--json", "--device", options.device,
                   "--clock", options.clock, "--warm-up", "5", "--runs", "3", "--steps", "3"]
        if options.device == "cpu":
            command += ["--threads", str(options.threads)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["seconds_per_step"]


def draw(options, names, rows):
    """A curve for each machine through the sizes that it has figures for."""
    with tempfile.TemporaryDirectory() as folder:
        command = [options.ooze, "plot", "--probe", "step", "--x", "particles", "--log", "xy",
                   "--title", "Time of a step", "--size", "640x400", "-o", str(FIGURE)]
        for index, name in enumerate(names):
            path = pathlib.Path(folder) / f"{index}.csv"
            known = [f"{count},{rows[count][name]}\n" for count in sorted(rows)
                     if rows[count].get(name, "nan") != "nan"]
            path.write_text("particles,step [s]\n" + "".join(known))
            command += [str(path), "-l", name]
        subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ooze", default=str(ROOT / "build/ooze"))
    parser.add_argument("--measure", metavar="COLUMN")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--clock", default="wall")
    parser.add_argument("--sizes", default="1e4,3e4,1e5,3e5,1e6")
    options = parser.parse_args()
    names, rows = read_table()
    if options.measure:
        if options.measure not in names:
            names.append(options.measure)
        for count in (round(float(size)) for size in options.sizes.split(",")):
            seconds = step_seconds(options, count)
            rows.setdefault(count, {})[options.measure] = f"{seconds:.3g}"
            print(f"{count} particles: {seconds:.3g} s a step", flush=True)
            write_table(names, rows)
    draw(options, names, rows)


if __name__ == "__main__":
    main()
