#!/usr/bin/env python3
"""Runs over several processes: strong and weak scaling measured, a model of their cost fitted, and
what it predicts for clusters and GPUs. Prints markdown tables.

bench/ranks.py [--build build] [--ranks 1,2,4,8,16] [--strong 4000000,1000000] [--weak 250000]
               [--repeats 3] [--minutes 7] [--clock wall] [--save FILE] [--load FILE]

One thread a process, each on a core of its own. Beside it: the same cores as threads of one process
("threads"), two and four processes that share all cores as threads ("mixed"), and runs of one
process each on so many cores at once, without messages ("apart"): what the cores themselves lose.
A case is measured up to --repeats times and its best time counts; what does not fit into --minutes
is left out, repeats first. Case: a cube of `conformation` falls onto a floor, with fixed numbers of
iterations. --save keeps the measurements, and --load makes the tables from such a file again.
--clock processor is for computers that other programs use: processor time of all processes, divided
by their number. It is what a step takes without waiting; waiting processes yield their cores, so
that there may be more of them than cores.

Needs mpirun, and the targets ooze and messages_bench:
    cmake --build --preset release --target ooze messages_bench"""
import argparse
import itertools
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

import ranks_model

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPACING = 0.01
SECONDS_A_CASE = 5.0  # of steps; at least two steps
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OOZE_DEVICE="cpu")


def scene_text(particles, steps):
    side = round(particles ** (1 / 3))
    edge = side * SPACING
    return f"""ooze: 2
title: Cube of {side ** 3} particles
method: {{name: conformation, velocity_preconditioner: diagonal, passes: 1, velocity_iterations: 6,
         density_iterations: 4, tolerance: 0}}
spacing: {SPACING}
time_step: 0.001
duration: {steps}/1000
frame_rate: 1000/{steps}
materials:
  slime: {{density: 1000, modulus: 300, relaxation_time: 0.05}}
fluids:
  - material: slime
    shape: {{type: box, size: [{edge:.6g}, {edge:.6g}, {edge:.6g}],
            position: [0, {edge / 2 + SPACING:.6g}, 0]}}
solids:
  - {{name: floor, shape: {{type: plane}}, friction: inf}}
"""


class Case:
    """One configuration; `kind` is strong, weak, threads, mixed or apart. A case apart has so many
    particles in each of its runs."""

    def __init__(self, kind, particles, ranks, threads=1):
        self.kind, self.ranks, self.threads = kind, ranks, threads
        self.particles = round(particles ** (1 / 3)) ** 3
        self.best, self.count, self.took = None, 0, None

    def guess(self, rate):
        """Seconds that it will take, where a particle and step take `rate` s on one core."""
        if self.took:
            return self.took
        return self.step(rate) * self.steps(rate) + 4e-6 * self.particles + 2.0

    def step(self, rate):
        parts = 1 if self.kind == "apart" else self.ranks * self.threads
        return self.particles * rate / parts

    def steps(self, rate):
        return max(2, min(12, math.ceil(SECONDS_A_CASE / self.step(rate))))


def parse_profile(text):
    """ms of a step without output, of its parts, and what was sent."""
    row = {"parts": {}, "messages": 0, "bytes": 0.0, "calls": 0, "waiting": 0.0}
    for name, ms, times in re.findall(r"(?m)^ +(\w+) +([\d.]+) +[\d.]+(?: +([\d.]+))?$", text):
        row["parts"][name] = (float(ms), float(times or 1))
    if "total" not in row["parts"]:
        sys.exit(f"no profile in what the run printed:\n{text}")
    row["ms"] = row["parts"]["total"][0] - row["parts"]["output"][0]
    sent = re.search(r"busiest: (\d+) messages of ([\d.]+) (\w+) in all, (\d+) collective calls "
                     r"with [\d.]+ \w+; ([\d.]+) to ([\d.]+) ms", text)
    if sent:
        unit = {"B": 1, "bytes": 1, "KiB": 1024, "MiB": 1024 ** 2, "GiB": 1024 ** 3}[sent[3]]
        row.update(messages=int(sent[1]), bytes=float(sent[2]) * unit, calls=int(sent[4]),
                   waiting=float(sent[6]), least_waiting=float(sent[5]))
    return row


def start_of(ranks, threads):
    """Words in front of a command that bind it to cores."""
    if threads > 1 and ranks > 1:
        return ["mpirun", "-n", str(ranks), "--bind-to", "core", "--map-by", f"slot:PE={threads}"]
    if threads > 1 or ranks == 1:
        return ["taskset", "-c", f"0-{threads - 1}"] if shutil.which("taskset") else []
    if ranks > len(os.sched_getaffinity(0)):
        return ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"]
    return ["mpirun", "-n", str(ranks), "--bind-to", "core", "--map-by", "core"]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_case(case, ooze, folder, steps, yields, end):
    """The profile of a run, and its processor time in s; an exception where it has not ended by
    then. Of runs apart that of the slowest."""
    scene = folder / "scene.yaml"
    scene.write_text(scene_text(case.particles, steps))
    runs = case.ranks if case.kind == "apart" else 1
    starts = ([["taskset", "-c", str(core)] for core in range(runs)] if case.kind == "apart"
              else [start_of(case.ranks, case.threads)])
    began = processor_seconds()
    started = []
    for number, start in enumerate(starts):
        run = folder / f"run{number}"
        shutil.rmtree(run, ignore_errors=True)
        started.append(subprocess.Popen(
            [*start, ooze, "run", str(scene), "-o", str(run), "--quiet", "--profile", "--threads",
             str(case.threads)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=dict(ENVIRONMENT, OMPI_MCA_mpi_yield_when_idle=str(yields))))
    try:
        rows = []
        for process in started:
            text = process.communicate(timeout=max(0.1, end - time.monotonic()))[0]
            if process.returncode:
                sys.exit(f"{case.kind} {case.particles} on {case.ranks}: {text}")
            rows.append(parse_profile(text))
    finally:
        for process in started:
            process.kill()
        for number in range(runs):
            shutil.rmtree(folder / f"run{number}", ignore_errors=True)
    slowest = max(rows, key=lambda row: row["ms"])
    slowest["mean_ms"] = sum(row["ms"] for row in rows) / runs
    return slowest, processor_seconds() - began


def measure(case, ooze, folder, rate, clock, end):
    steps = case.steps(rate)
    began = time.monotonic()
    if clock == "processor":  # the difference of two runs leaves out what is done once
        first = run_case(case, ooze, folder, steps, 1, end)[1]
        row, second = run_case(case, ooze, folder, 3 * steps, 1, end)
        row["ms"] = 1e3 * (second - first) / (2 * steps) / (case.ranks * case.threads)
    else:
        row = run_case(case, ooze, folder, steps, 0, end)[0]
    case.took = time.monotonic() - began
    case.count += 1
    if case.best is None or row["ms"] < case.best["ms"]:
        case.best = row
    print(f"{case.kind} {case.particles} particles on {case.ranks} x {case.threads}: "
          f"{row['ms']:.1f} ms a step, {steps} steps, {case.took:.1f} s", file=sys.stderr)


def measure_messages(program, ranks):
    """Microseconds a message and a sum over all, and bytes a microsecond, on so many cores."""
    done = subprocess.run([*start_of(ranks, 1), program], env=ENVIRONMENT, capture_output=True,
                          text=True, check=True)
    sizes, seconds, total = [], [], 0.0
    for kind, size, us in re.findall(r"(\w+) (\d+) ([\d.]+)", done.stdout):
        if kind == "exchange":
            sizes.append(float(size))
            seconds.append(float(us) * 1e-6)
        else:
            total = float(us) * 1e-6
    # relative errors; latency of an exchange with the ranks beside, and seconds a byte of each
    table = numpy.array([[1.0, size] for size in sizes]) / numpy.array(seconds)[:, None]
    latency, per_byte = ranks_model.fit_positive(table, numpy.ones(len(sizes)))
    return {"latency": latency, "bandwidth": 1 / per_byte if per_byte > 0 else math.inf,
            "sum": total}


def all_cases(options, cores):
    cases = [Case("strong", n, r) for n in options.strong for r in options.ranks]
    cases += [Case("weak", options.weak * r, r) for r in options.ranks if r > 1]
    if options.weak not in options.strong:
        cases.append(Case("weak", options.weak, 1))
    cases += [Case("threads", n, 1, r) for n in options.strong for r in options.ranks if r > 1]
    if options.clock == "wall":
        cases += [Case("mixed", n, r, cores // r) for n in options.strong for r in (2, 4)
                  if cores // r > 1]
        cases += [Case("apart", options.weak, r) for r in options.ranks
                  if r > 1 and shutil.which("taskset")]
        cases = [c for c in cases if c.ranks * c.threads <= cores]
    return sorted(cases, key=lambda c: c.step(1.0))


def measure_all(options):
    """Measurements as they are saved."""
    cores = len(os.sched_getaffinity(0))
    end = time.monotonic() + 60 * options.minutes
    build = pathlib.Path(options.build).resolve()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze_ranks_bench_", dir=memory))
    cases, rate = all_cases(options, cores), 6e-6
    try:
        messages = {r: measure_messages(str(build / "bench/messages_bench"), r)
                    for r in options.ranks if 1 < r <= cores}
        for repeat, case in itertools.product(range(options.repeats), cases):
            if time.monotonic() + case.guess(rate) > end:
                print(f"left out, repeat {repeat + 1}: {case.kind} {case.particles} on "
                      f"{case.ranks}", file=sys.stderr)
                continue
            try:
                measure(case, str(build / "ooze"), folder, rate, options.clock, end + 30)
            except subprocess.TimeoutExpired:
                print(f"given up: {case.kind} {case.particles} on {case.ranks}", file=sys.stderr)
                break
            if case.ranks * case.threads == 1:
                rate = case.best["ms"] * 1e-3 / case.particles
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rows = [dict(case.best, kind=case.kind, particles=case.particles, ranks=case.ranks,
                 threads=case.threads, repeats=case.count) for case in cases if case.best]
    return {"cores": cores, "messages": messages, "rows": rows}


def numbers(text):
    return [int(float(word)) for word in text.split(",") if word]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--ranks", type=numbers, default=[1, 2, 4, 8, 16])
    parser.add_argument("--strong", type=numbers, default=[4000000, 1000000])
    parser.add_argument("--weak", type=int, default=250000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    parser.add_argument("--save")
    parser.add_argument("--load")
    options = parser.parse_args()
    if options.load:
        measured = json.loads(pathlib.Path(options.load).read_text())
    else:
        measured = measure_all(options)
    if options.save:
        pathlib.Path(options.save).write_text(json.dumps(measured, indent=1))
    ranks_model.print_tables(measured)


if __name__ == "__main__":
    main()
