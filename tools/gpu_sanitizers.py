#!/usr/bin/env python3
"""Runs compute-sanitizer on a few steps of a small scene of every method.

tools/gpu_sanitizers.py [--ooze build/ooze] [--jobs 8] [--limit 60] [--scenes links]
                        [--tools memcheck,racecheck,initcheck]
A scene has some 200 to 500 particles and takes three steps: the sanitizers slow a kernel down a
hundredfold and more. Prints a row for each scene; exits with 1 if a tool finds something."""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEAD = """ooze: 2
title: {name}
method: {{name: {method}{settings}}}
spacing: 0.02
time_step: {step}
duration: {duration}
frame_rate: {rate}
materials:
{materials}fluids:
  - name: block
    material: stuff{fluid}
    shape: {{type: box, size: [0.12, 0.12, 0.12], position: [0, 0.07, 0]}}
{fluids}solids:
  - {{name: floor, shape: {{type: plane}}, friction: inf{wall}}}
  - name: bar
    shape: {{type: box, size: [0.04, 0.2, 0.2], position: [-0.09, 0.08, 0]}}
    motion: {{velocity: [0.5, 0, 0]}}
    friction: 0.5
{solids}"""
WARM = ", heat_capacity: 2000, diffusivity: 1e-5"
RAFT = """  - name: raft
    shape: {type: box, size: [0.08, 0.04, 0.08], position: [0.01, 0.156, 0]}
    density: 400
    friction: 0.3
"""
BODIES = """  - name: die
    material: stone
    body: rigid
    shape: {type: box, size: [0.08, 0.08, 0.08], position: [0.02, 0.175, 0]}
  - name: jelly
    material: jelly
    body: soft
    shape: {type: box, size: [0.08, 0.08, 0.08], position: [0.115, 0.045, 0]}
"""
BODY_MATERIALS = "  stone: {density: 2000}\n  jelly: {density: 1000, modulus: 20000}\n"

FEW = ", velocity_iterations: 20"

# name: method, settings, step, material of the block, extras
SCENES = {
    "conformation": ("conformation", FEW, 1 / 240, "modulus: 2000, relaxation_time: 0.1", ""),
    "constraint consistent": ("constraint", FEW, 1 / 240,
                                "modulus: 2000, relaxation_time: 0.1", ""),
    "constraint gradients": ("constraint", FEW + ", solver: conjugate_gradients",
                               1 / 240, "modulus: 2000, relaxation_time: 0.1", ""),
    "constraint paper": ("constraint", FEW + ", formulation: paper", 1 / 240,
                           "modulus: 2000, relaxation_time: 0.1", ""),
    "conformation grid": ("conformation", FEW + ", pressure: grid", 1 / 240,
                          "viscosity: 10", ""),
    "conformation multigrid": ("conformation", FEW + ", velocity_preconditioner: multigrid",
                               1 / 240, "viscosity: 500", ""),
    "conformation density": ("conformation", FEW + ", density_mean_tolerance: 1e-3, "
                             "density_warm_start: true", 1 / 240, "viscosity: 500", ""),
    "conformation heat": ("conformation", FEW, 1 / 240, "viscosity: 5" + WARM, "heat"),
    "conformation dynamic": ("conformation", FEW, 1 / 240, "viscosity: 5", "dynamic"),
    "conformation bodies": ("conformation", FEW, 1 / 240, "viscosity: 5", "bodies"),
    "links": ("links", "", 1 / 240, "extension: 1.001", ""),
    "links heat": ("links", "", 1 / 240, "extension: 1.001" + WARM, "heat"),
    "links dynamic": ("links", "", 1 / 240, "extension: 1.001", "dynamic"),
    "blend": ("blend", ", region_radius: 2, regions: particles, sound_speed: 10", 1 / 1000,
              "density: 1000, fluid_share: 0.5, update_threshold: 6, viscosity: 5", ""),
    "blend dynamic": ("blend", ", region_radius: 2, regions: particles, sound_speed: 10", 1 / 1000,
                      "density: 1000, fluid_share: 0.5, update_threshold: 6, viscosity: 5",
                      "dynamic"),
    "cauchy": ("cauchy", FEW, 1 / 2000, "viscosity: 20, modulus: 300, surface_tension: 0.05", ""),
    "cauchy heat": ("cauchy", FEW, 1 / 2000, "viscosity: 20" + WARM, "heat"),
    "cauchy dynamic": ("cauchy", FEW, 1 / 2000, "viscosity: 20", "dynamic"),
    "springs": ("springs", ", unit: 1/300", 1 / 300,
                "spring_stiffness: 0.3, plasticity: 0.03, yield_ratio: 0.1, linear_viscosity: 0.05",
                ""),
    "springs dynamic": ("springs", ", unit: 1/300", 1 / 300,
                        "spring_stiffness: 0.3, linear_viscosity: 0.05", "dynamic"),
    "ballistic": ("ballistic", "", 1 / 240, "density: 1000, drag: 1", ""),
    "ballistic heat": ("ballistic", "", 1 / 240, "density: 1000" + WARM, "heat"),
    "ballistic dynamic": ("ballistic", "", 1 / 240, "density: 1000", "dynamic"),
    "stress": ("stress", "", 1e-4, "relaxation_time: 0.015, modulus: 1e5", ""),
    "stress heat": ("stress", "", 1e-4, "relaxation_time: 0.015, modulus: 1e5" + WARM, "heat"),
    "wcsph": ("wcsph", "", 1e-4, "viscosity: 1", ""),
    "wcsph heat": ("wcsph", "", 1e-4, "viscosity: 1" + WARM, "heat"),
}


def write_scene(name, folder):
    method, settings, step, material, extra = SCENES[name]
    heat, bodies = extra == "heat", extra == "bodies"
    text = HEAD.format(name=name, method=method, settings=settings, step=step, duration=3 * step,
                       rate=1 / (3 * step),
                       materials=f"  stuff: {{{material}}}\n" + (BODY_MATERIALS if bodies else ""),
                       fluid="\n    temperature: 20" if heat else "",
                       wall=", temperature: 60" if heat else "", fluids=BODIES if bodies else "",
                       solids=RAFT if extra == "dynamic" else "")
    path = folder / (name.replace(" ", "_") + ".yaml")
    path.write_text(text)
    return path


def run(options, folder, name, tool):
    scene = write_scene(name, folder / tool)
    out = scene.with_suffix("")
    command = [options.ooze, "run", str(scene), "-o", str(out), "--device", "cuda", "--quiet"]
    if tool != "none":
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", *command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return name, tool, "no end", ""
    said = done.stdout + done.stderr
    found = "clean" if done.returncode == 0 else "found" if done.returncode == 9 else "failed"
    return name, tool, found, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ooze", default=str(ROOT / "build/ooze"))
    parser.add_argument("--jobs", type=int, default=8, help="runs at the same time")
    parser.add_argument("--limit", type=float, default=60, help="seconds of a run")
    parser.add_argument("--tools", default="memcheck,racecheck,initcheck",
                        help="of compute-sanitizer; none: without it")
    parser.add_argument("--scenes", default="", help="only those whose name contains this")
    options = parser.parse_args()
    tools = options.tools.split(",")
    names = [name for name in SCENES if options.scenes in name]
    rows = {}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(folder)
        for tool in tools:
            (folder / tool).mkdir()
        work = [pool.submit(run, options, folder, name, tool) for tool in tools for name in names]
        for done in concurrent.futures.as_completed(work):
            name, tool, found, said = done.result()
            rows[name, tool] = found
            if found != "clean":
                print(f"--- {name}, {tool}: {found}\n{said[:3000]}", file=sys.stderr)
    print(f"{'scene':26}" + "".join(f"{tool:>12}" for tool in tools))
    for name in names:
        print(f"{name:26}" + "".join(f"{rows[name, tool]:>12}" for tool in tools))
    return 0 if all(found == "clean" for found in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
