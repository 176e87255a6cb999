#!/usr/bin/env python3
"""One table of all methods: particle-steps a second on one core, on all cores and on a GPU.

bench/methods.py [--ooze build/ooze] [--particles 100000] [--gpu-particles 1000000] [--threads 16]
                 [--cpu-copy GB/S] [--gpu-copy GB/S] [--devices cpu,cuda]
A block of the method's fluid falls onto a floor, with the settings below: steps after the first
ten on a GPU, after the first on the processor. `share` is the time of copying the memory that a
step uses (bytes a particle, of `ooze bench`) once, at the bandwidth of a copy, divided by the time
of the step."""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EDGE = 1.0

# method: settings, time step in units of spacings (s/m), material
METHODS = {
    "conformation": ("passes: 2, velocity_iterations: 10, density_iterations: 5", 0.2,
                     "viscosity: 100"),
    "links": ("", 0.2, "extension: 1.001"),
    "blend": ("region_radius: 2, regions: particles, sound_speed: 20", 0.02,
              "density: 1000, fluid_share: 0.5, update_threshold: 6, viscosity: 5"),
    "cauchy": ("velocity_iterations: 20", 0.02, "viscosity: 20, modulus: 300"),
    "springs": ("unit: 0.003", 0.1, "spring_stiffness: 0.3, plasticity: 0.03, yield_ratio: 0.1, "
                "linear_viscosity: 0.05"),
    "stress": ("density_iterations: 5", 0.02, "relaxation_time: 0.015, modulus: 1e4"),
    "wcsph": ("", 0.005, "viscosity: 1"),
}


def write_scene(folder, method, particles):
    settings, step, material = METHODS[method]
    spacing = EDGE / round(particles ** (1 / 3))
    time_step = step * spacing
    path = folder / f"{method}_{particles}.yaml"
    path.write_text(f"""ooze: 2
title: Block of {method}
method: {{name: {method}{', ' if settings else ''}{settings}}}
spacing: {spacing:.9g}
time_step: {time_step:.9g}
duration: {time_step * 1000:.9g}
frame_rate: {1 / time_step:.9g}
max_travel: 0
materials:
  stuff: {{{material}}}
fluids:
  - material: stuff
    shape:
      type: box
      size: [{EDGE}, {EDGE}, {EDGE}]
      position: [0, {EDGE / 2 + spacing:.9g}, 0]
solids:
  - {{name: floor, shape: {{type: plane}}, friction: 0.5}}
""")
    return path


def measure(options, scene, device, threads):
    command = [options.ooze, "bench", str(scene), "--device", device, "--json",
               "--warm-up", "10" if device == "cuda" else "1",
               "--runs", "5" if device == "cuda" else "3",
               "--steps", "5" if device == "cuda" else "1"]
    if device == "cpu":
        command += ["--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)


def cell(said, copy):
    if said is None:
        return "-", "-"
    rate = said["particles"] / said["seconds_per_step"]
    share = said["bytes_per_particle"] * rate / (1e9 * copy) if copy else None
    return f"{1e-6 * rate:.3g}", f"{100 * share:.2g}%" if share else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ooze", default=str(ROOT / "build/ooze"))
    parser.add_argument("--particles", type=int, default=100000)
    parser.add_argument("--gpu-particles", type=int, default=1000000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--cpu-copy", type=float, default=0, help="GB/s of a copy on all cores")
    parser.add_argument("--gpu-copy", type=float, default=0, help="GB/s of a copy on the GPU")
    parser.add_argument("--devices", default="cpu,cuda")
    parser.add_argument("--limit", type=float, default=120, help="seconds of a measurement")
    options = parser.parse_args()
    columns = []
    if "cpu" in options.devices:
        columns += [("one core", "cpu", 1, options.particles, 0),
                    (f"{options.threads} cores", "cpu", options.threads, options.particles,
                     options.cpu_copy)]
    if "cuda" in options.devices:
        columns += [("GPU", "cuda", 1, options.particles, options.gpu_copy),
                    ("GPU", "cuda", 1, options.gpu_particles, options.gpu_copy)]
    print("| method | " + " | ".join(f"{name}, {n} | share" for name, _, _, n, _ in columns) + " |")
    print("| --- |" + " ---: | ---: |" * len(columns))
    with tempfile.TemporaryDirectory() as folder:
        for method in METHODS:
            cells = []
            for _, device, threads, particles, copy in columns:
                scene = write_scene(pathlib.Path(folder), method, particles)
                try:
                    cells += cell(measure(options, scene, device, threads), copy)
                except subprocess.TimeoutExpired:
                    cells += ["over the limit", "-"]
            print(f"| `{method}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
