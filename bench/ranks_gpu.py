#!/usr/bin/env python3
"""Runs over several processes that use GPUs: ms a step, what is sent, and whether all runs end with
the same bits. Prints a markdown table.

bench/ranks_gpu.py [--build build] [--ranks 1,2,4] [--particles 1000000,4000000] [--steps 10]
                   [--minutes 1.9] [--mps]

Case: the cube of bench/ranks.py, of `conformation` with fixed numbers of iterations, falls onto a
floor. Processes take the GPUs of the host in turn; with one GPU all share it, which shows what
messages and ghosts cost, not what more GPUs gain. --mps starts NVIDIA's multi-process service for
that time, with which kernels of several processes run at once and not in turns. A run takes --steps
steps and another three times as many; their difference leaves out what is done once. Cases that do
not fit into --minutes are left out.

Needs mpirun and the target ooze of a build with CUDA."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import ranks

ENVIRONMENT = dict(ranks.ENVIRONMENT, OOZE_DEVICE="cuda", OMPI_MCA_mpi_yield_when_idle="1")


def run(ooze, folder, particles, count, steps, end):
    """Seconds of a run, its profile where processes share it, and the hash of its last frame."""
    scene, to = folder / "scene.yaml", folder / "run"
    scene.write_text(ranks.scene_text(particles, steps))
    shutil.rmtree(to, ignore_errors=True)
    start = []
    if count > 1:
        start = ["mpirun", "-n", str(count), "--oversubscribe", "--bind-to", "none"]
    # a profile of one process waits for the GPU after each part of a step
    words = ["--profile"] if count > 1 else []
    began = time.monotonic()
    done = subprocess.run([*start, ooze, "run", str(scene), "-o", str(to), "--quiet", *words],
                          env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=max(1.0, end - time.monotonic()))
    took = time.monotonic() - began
    if done.returncode:
        sys.exit(f"{particles} particles on {count} processes: {done.stderr}")
    said = subprocess.run([ooze, "info", "--hash", str(to)], capture_output=True, text=True,
                          check=True)
    profile = ranks.parse_profile(done.stderr + done.stdout) if count > 1 else None
    return took, profile, said.stdout.strip()


def measure(ooze, folder, particles, count, steps, end):
    first, _, _ = run(ooze, folder, particles, count, steps, end)
    second, profile, bits = run(ooze, folder, particles, count, 3 * steps, end)
    return 1e3 * (second - first) / (2 * steps), profile, bits


def print_row(particles, count, ms, alone, profile, same):
    sent = "| | | | " if not profile else \
        f"| {profile['messages']} | {profile['bytes'] / 2 ** 20:.1f} | {profile['calls']} | " \
        f"{profile['waiting']:.1f} "
    print(f"| {particles:,} | {count} | {ms:.1f} | {ms / alone:.2f} {sent}| {same} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ranks.ROOT / "build"))
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--particles", default="1000000,4000000")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=1.9)
    parser.add_argument("--mps", action="store_true")
    given = parser.parse_args()
    ooze = str(pathlib.Path(given.build).resolve() / "ooze")
    end = time.monotonic() + 60 * given.minutes
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze_ranks_gpu_"))
    if given.mps:
        subprocess.run(["nvidia-cuda-mps-control", "-d"], check=True)
    print("| particles | processes | ms a step | of one process | messages | MiB | calls of all | "
          "ms in messages and waiting | bits |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    failed = False
    try:
        for particles in map(int, given.particles.split(",")):
            alone = wanted = None
            for count in map(int, given.ranks.split(",")):
                try:
                    ms, profile, bits = measure(ooze, folder, particles, count, given.steps, end)
                except subprocess.TimeoutExpired:
                    print(f"{particles} particles on {count} processes: no time left")
                    continue
                alone, wanted = alone or ms, wanted or bits
                failed = failed or bits != wanted
                print_row(particles, count, ms, alone, profile,
                          "same" if bits == wanted else f"differ: {bits}, not {wanted}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if given.mps:
            subprocess.run(["nvidia-cuda-mps-control"], input="quit\n", text=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
