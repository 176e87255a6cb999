#!/usr/bin/env python3
"""Measures figures with `ooze bench` and prints them beside this project's aims for them.

bench/aims.py [--device cpu|cuda] [--ooze build/ooze]
Aims on the processor are millions of particle-iterations a second and core (Neoverse-V1 or better);
aims on a GPU are milliseconds of one H200."""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
DENSITY = ["density_multipliers", "density_corrections", "push_out"]
CONSISTENT = ["--set", "method={name: constraint}"]
LISTS = ["sort", "reorder", "lists"]

# name, arguments of `ooze bench`, parts of the loop, part whose calls count iterations, aim
PROCESSOR = [
    ("density iteration", ["blocks", "--particles", "30000"], DENSITY, DENSITY[0], 8.0),
    ("velocity operator", ["blocks", "--particles", "30000"], ["velocity_operator"],
     "velocity_operator", 9.0),
    ("position iteration", ["blocks", "--particles", "30000", *CONSISTENT],
     [*DENSITY, "conformation_sweep"], DENSITY[0], 3.5),
    ("sort and neighbour lists", ["blocks", "--particles", "30000"], LISTS, "lists", 5.0),
]
GPU = [
    ("density iteration", ["massive"], DENSITY, DENSITY[0], 1.9),
    ("velocity iteration", ["massive"], ["velocity_operator", "velocity_vectors"],
     "velocity_operator", 3.0),
    ("position iteration", ["massive", *CONSISTENT], [*DENSITY, "conformation_sweep"],
     DENSITY[0], 3.5),
    ("sort, reorder, lists", ["massive"], LISTS, "lists", 6.0),
]
GPU_FRAMES = [("interactive", 2.0), ("honey", 12.0), ("cake", 60.0)]


def measure(ooze, device, arguments, known={}):
    key = tuple(arguments)
    if key not in known:
        done = subprocess.run([ooze, "bench", *arguments, "--device", device, "--json"],
                              capture_output=True, text=True, check=True)
        known[key] = json.loads(done.stdout)
    return known[key]


def total(said, quantity, parts):
    stages = ("neighbours", "method")
    return sum(said.get(f"{quantity}_{stage}_{part}") or 0 for part in parts for stage in stages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--ooze", default=str(ROOT / "build/ooze"))
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    print(f"{'figure':28} {'measured':>10} {'aim':>8}  unit")
    for name, arguments, parts, counted, aim in GPU if on_gpu else PROCESSOR:
        said = measure(options.ooze, options.device, arguments)
        calls = total(said, "calls_per_step", [counted])
        ms = total(said, "ms_per_step", parts) / calls
        rate = 1e-3 * said["particles"] / (ms * said["threads"])
        print(f"{name:28} {ms if on_gpu else rate:10.3g} {aim:8}  "
              f"{'ms, at most' if on_gpu else 'million/s/core, at least'}")
    for name, aim in GPU_FRAMES if on_gpu else []:
        said = measure(options.ooze, options.device, [name])
        print(f"{name:28} {1e3 * said['seconds_per_paper_frame']:10.3g} {aim:8}  "
              "ms a frame, at most")


if __name__ == "__main__":
    main()
