#!/usr/bin/env python3
"""Coils Newtonian ropes of several viscosities, flow rates and heights, and compares their
frequencies with the laws of liquid rope coiling (Ribe, Habibi and Bonn 2012).

    tools/coiling_study.py -o FOLDER [--ooze build/ooze] [--jobs 2] [--threads 1] [--device cpu]
                           [--resolution 3.5] [--only NAME...] [--list]

With a the radius of the rope at the coil, Q the flow rate, nu the viscosity and H the height of
fall:

    viscous          omega = C Q/(a^2 H)                short and thick: the rope bends, its weight
                                                        does not matter
    gravitational    omega = C (g Q^3/(nu a^8))^(1/4)   its weight balances its bending

Each run has a folder in FOLDER; finished runs are not repeated, so that a study can be stopped and
continued. The table is printed and written to FOLDER/table.csv, the figures to
FOLDER/viscous.svg and FOLDER/gravitational.svg. `--resolution` is the nozzle's radius in
spacings."""
import argparse
import concurrent.futures
import csv
import dataclasses
import math
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRAVITY = 9.81
RADIUS = 0.01  # m, of the nozzle
BINS = 80      # of the profile of the falling rope, from a height of fall below the floor
SINKING = {"viscous": 0.8, "gravitational": 0.5}  # of the floor, in widths of the rope a turn
PROBE_HEIGHTS = (0.22, 0.3, 0.4, 0.5)  # of the planes that count turns, over the height of fall


@dataclasses.dataclass
class Rope:
    name: str
    law: str       # "gravitational" or "viscous": the regime that it is meant for
    nu: float      # m2/s, all viscosity
    speed: float   # m/s, at the nozzle
    height: float  # m
    tau: float = 0.0      # s; 0: Newtonian
    polymer: float = 0.0  # share of the viscosity that relaxes


def gravitational(name, nu, speed, heights=4.5, **more):
    """A rope that falls a number of the coil's radii of the law, 1.27 (nu Q/g)^(1/4): it stretches
    enough for its weight to matter, and not so far that it is thin for the particles. Ropes are
    slow and viscous: with H (g/nu^2)^(1/3) above 1 inertia would bend them."""
    coil = 1.27 * (nu * math.pi * RADIUS ** 2 * speed / GRAVITY) ** 0.25
    return Rope(name, "gravitational", nu, speed, round(heights * coil, 4), **more)


def ropes():
    """Viscosity and flow rate by a factor of four, all combinations; heights in between."""
    for nu in (1.0, 2.0, 4.0):
        for speed in (0.03, 0.06, 0.12):
            yield gravitational(f"g_nu{nu}_u{speed}", nu, speed)
    for heights in (3.8, 5.4):
        yield gravitational(f"g_h{heights}", 2.0, 0.06, heights)
    for nu in (1.0, 2.0, 4.0):
        yield Rope(f"v_nu{nu}", "viscous", nu, 0.3, 0.1)
    for speed in (0.15, 0.6):
        yield Rope(f"v_u{speed}", "viscous", 2.0, speed, 0.1)
    for height in (0.08, 0.13):
        yield Rope(f"v_h{height}", "viscous", 2.0, 0.3, height)
    for tau in (0.1, 0.5):
        yield gravitational(f"e_tau{tau}", 2.0, 0.06, tau=tau, polymer=0.5)


def falling_speed(rope):
    """Speed at the coil of a steady thin rope, 3 nu (U'/U)' = U' - g/U, without tension there."""
    def shoot(slope, steps=400):
        speed, dz = rope.speed, rope.height / steps
        for _ in range(steps):
            bend = slope * slope / speed + (speed * slope - GRAVITY) / (3 * rope.nu)
            speed, slope = speed + dz * slope, slope + dz * bend
            if slope < 0:
                break
        return slope, speed
    low, high = 0.0, 50 + GRAVITY * rope.height / rope.nu
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if shoot(middle)[0] < 0 else (low, middle)
    return shoot(high)[1]


def law_of(law, flow, radius, nu, height):
    """Frequency, rad/s, with a constant of 1."""
    if law == "viscous":
        return flow / (radius ** 2 * height)
    return (GRAVITY * flow ** 3 / (nu * radius ** 8)) ** 0.25


def expected(rope):
    """Speed at the coil, m/s, and frequency, rad/s: constants were measured once."""
    speed = falling_speed(rope)
    flow = math.pi * RADIUS ** 2 * rope.speed
    radius = RADIUS * math.sqrt(rope.speed / speed)
    return speed, (1.0 if rope.law == "viscous" else 0.25) * law_of(rope.law, flow, radius, rope.nu,
                                                                    rope.height)


def scene_of(rope, resolution, turns=7):
    """The floor sinks as the coils pile up, so that the height of fall stays: a pile would reach
    the nozzle after a few turns."""
    spacing, density, viscosity = RADIUS / resolution, 1000, 1000 * rope.nu
    speed, omega = expected(rope)
    radius, first = RADIUS * math.sqrt(rope.speed / speed), rope.height / rope.speed
    step = 1 / max(120, math.ceil(speed / (0.5 * spacing)))
    sinking = SINKING[rope.law] * 2 * radius * omega / (2 * math.pi)
    rate = max(10, math.ceil(omega / (2 * math.pi) * 12))
    material = f"viscosity: {viscosity}"
    if rope.tau > 0:
        material = (f"solvent_viscosity: {viscosity * (1 - rope.polymer)}, relaxation_time: "
                    f"{rope.tau}, viscosity: {viscosity * rope.polymer}")
    planes = "".join(
        f"  - {{name: turns{i}, kind: azimuth, point: [0, {share * rope.height}, 0], contact: 2, "
        f"sinking: {0.3 * rope.speed}}}\n" for i, share in enumerate(PROBE_HEIGHTS))
    return f"""ooze: 2
title: Coiling rope {rope.name}
method: {{name: conformation, density_iterations: 5}}
spacing: {spacing}
time_step: {step}
duration: {first + turns * 2 * math.pi / omega}
frame_rate: {rate}
materials:
  rope: {{density: {density}, {material}}}
emitters:
  - name: nozzle
    material: rope
    radius: {RADIUS}
    position: [0, {rope.height}, 0]
    speed: {rope.speed}
solids:
  - name: floor
    shape: {{type: cylinder, radius: 0.14, height: 0.04, position: [0, -0.02, 0]}}
    friction: inf
    motion: {{velocity: [0, {-sinking}, 0], start: {first}}}
probes:
  - {{kind: count}}
  - name: fall
    kind: profile
    point: [0, {-rope.height}, 0]
    end: [0, {rope.height}, 0]
    bins: {BINS}
    width: 0.14
{planes}"""


def run(rope, arguments):
    folder = arguments.output / rope.name
    if (folder / "finished").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    scene = arguments.output / f"{rope.name}.yaml"
    scene.write_text(scene_of(rope, arguments.resolution))
    command = [arguments.ooze, "run", scene, "-o", folder, "-q"]
    command += ["--threads", str(arguments.threads)]
    command += ["--device", arguments.device] if arguments.device else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{rope.name}: {done.stderr}")
    shutil.rmtree(folder / "frames", ignore_errors=True)
    (folder / "finished").touch()
    print(f"{rope.name} has run", file=sys.stderr, flush=True)


def columns_of(folder):
    with open(folder / "probes.csv", newline="") as file:
        rows = list(csv.reader(file))
    names = [name.split(" ")[0] for name in rows[0]]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names)}


def periods_of(times, turns):
    """Times of whole turns, the last first, counted back from the end of an unwrapped angle."""
    known = [(t, v) for t, v in zip(times, turns) if not math.isnan(v)]
    if len(known) < 2:
        return []
    sign = 1 if known[-1][1] > known[0][1] else -1
    known = [(t, sign * v) for t, v in known]
    next_turn, crossings = known[-1][1], []
    for (t0, a), (t1, b) in reversed(list(zip(known, known[1:]))):
        while a < next_turn <= b:
            crossings.append(t0 + (next_turn - a) / (b - a) * (t1 - t0))
            next_turn -= 1
    return [after - before for after, before in zip(crossings, crossings[1:])]


def steadiest(columns, most=6):
    """Periods at the plane where they differ least: below it is the pile, above it the rope hardly
    swings. The first turn, with which a coil begins, is left out."""
    best, least = [], math.inf
    for i in range(len(PROBE_HEIGHTS)):
        periods = periods_of(columns["time"], columns[f"turns{i}.turns"])[:-1][:most]
        if len(periods) >= 3:
            spread = (max(periods) - min(periods)) / statistics.mean(periods)
            if spread < least:
                best, least = periods, spread
    return best, least


def coil_of(columns, i, rope):
    """Speed of the rope at its coil, and the fall to there. It lands where its vertical speed has
    dropped to half of the largest. In each bin the rope is at one place, so that the mean velocity
    of the bin is its own, except next to the pile, which slows the mean. A rope that its weight
    stretches is fastest at the coil; one that it does not is slowest, and is measured three radii
    above."""
    speeds, falls = {}, {}
    for k in range(BINS):
        velocity = [columns[f"fall.{k}.v{axis}"][i] for axis in "xyz"]
        if not math.isnan(velocity[0]):
            speeds[k], falls[k] = math.hypot(*velocity), -velocity[1]
    landing = max(falls)
    for k in sorted(falls, reverse=True):
        if falls[k] < 0.5 * max(falls.values()):
            break
        landing = k
    size = 2 * rope.height / BINS
    reach = 3 * RADIUS if rope.law == "viscous" else rope.height
    near = [speed for k, speed in speeds.items() if 0 <= (k - landing) * size <= reach]
    return max(near), 2 * rope.height - (landing + 0.5) * size


def measure(rope, arguments):
    """Measured numbers of a run; frequency NAN: it does not coil."""
    columns = columns_of(arguments.output / rope.name)
    count, times = columns["count.count"], columns["time"]
    periods, spread = steadiest(columns)
    begin = times[-1] - (sum(periods) if periods else 0.5 * times[-1])
    readings = [i for i in range(len(times)) if times[i] >= begin]
    spacing = RADIUS / arguments.resolution
    flow = (count[-1] - count[readings[0]]) / (times[-1] - times[readings[0]]) * spacing ** 3
    coils = [coil_of(columns, i, rope) for i in readings]
    speed = statistics.median(speed for speed, _ in coils)
    height = statistics.median(fall for _, fall in coils)
    radius = math.sqrt(flow / (math.pi * speed))
    omega = 2 * math.pi / statistics.mean(periods) if periods else math.nan
    return {"name": rope.name, "nu": rope.nu, "flow": flow, "height": height, "radius": radius,
            "speed": speed, "tau": rope.tau, "turns": len(periods), "spread": spread,
            "omega": omega, "law": law_of(rope.law, flow, radius, rope.nu, height)}


def fit(rows, keys, value):
    """Least squares of value = sum p_k log(row[k]) + c: the exponents p."""
    import numpy
    matrix = numpy.array([[math.log(row[key]) for key in keys] + [1.0] for row in rows])
    right = numpy.array([math.log(value(row)) for row in rows])
    return numpy.linalg.lstsq(matrix, right, rcond=None)[0][:-1]


def exponents(law, rows):
    """Of omega a^2, so that the radius, which follows from the others, is no free variable."""
    if law == "viscous":
        keys, theory = ("flow", "nu", "height"), (1, 0, -1)
    else:
        keys, theory = ("flow", "nu"), (0.75, -0.25)
    if len(rows) <= len(keys):
        return
    found = fit(rows, keys, lambda row: row["omega"] * row["radius"] ** 2)
    text = ", ".join(f"{key} {p:+.3f} (law {q:+.2f})" for key, p, q in zip(keys, found, theory))
    constants = [row["omega"] / row["law"] for row in rows]
    print(f"{law}: omega a^2 goes with {text}; omega over the law {min(constants):.3f} to "
          f"{max(constants):.3f}, mean {statistics.mean(constants):.3f}, {len(rows)} ropes")


def draw(law, newtonian, elastic, arguments):
    """The law as a line with the measured constant, the ropes as markers."""
    if not newtonian:
        return
    constant = statistics.mean(row["omega"] / row["law"] for row in newtonian)
    ends = [row["law"] for row in newtonian + elastic]
    line, command = arguments.output / f"{law}_law.csv", []
    line.write_text("law [rad/s],frequency [rad/s]\n" + "".join(
        f"{x},{constant * x}\n" for x in (0.9 * min(ends), 1.1 * max(ends))))
    for kind, rows in (("Newtonian", newtonian), ("viscoelastic", elastic)):
        if rows:
            points = arguments.output / f"{law}_{kind}.csv"
            points.write_text(f"law [rad/s],{kind} [rad/s]\n" + "".join(
                f"{row['law']},{row['omega']}\n" for row in rows))
            command += ["-r", points]
    subprocess.run([arguments.ooze, "plot", line, "frequency", "--x", "law", "--log", "xy", "-o",
                    arguments.output / f"{law}.svg", "-l", f"{constant:.2f} times the {law} law",
                    "--title", f"Coiling frequency and the {law} law", *command], check=True,
                   stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--ooze", default=ROOT / "build/ooze")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device")
    parser.add_argument("--resolution", type=float, default=3.5)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--list", action="store_true", help="names and expected frequencies only")
    arguments = parser.parse_args()
    chosen = [rope for rope in ropes() if not arguments.only or rope.name in arguments.only]
    if arguments.list:
        for rope in chosen:
            speed, omega = expected(rope)
            print(f"{rope.name}: falls {rope.height:.3f} m, {speed:.3f} m/s at the coil, radius "
                  f"{RADIUS * math.sqrt(rope.speed / speed) * 1e3:.1f} mm, {omega:.2f} rad/s, "
                  f"H (g/nu^2)^(1/3) {rope.height * (GRAVITY / rope.nu ** 2) ** (1 / 3):.2f}")
        return
    arguments.output.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        slowest_first = sorted(chosen, key=lambda rope: expected(rope)[1])
        list(pool.map(lambda rope: run(rope, arguments), slowest_first))
    rows = [measure(rope, arguments) for rope in chosen]
    with open(arguments.output / "table.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print("| rope | nu, m2/s | Q, cm3/s | fall, cm | a, mm | turns | spread | omega, rad/s "
          "| over the law |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {row['name']} | {row['nu']} | {row['flow'] * 1e6:.1f} "
              f"| {row['height'] * 100:.1f} | {row['radius'] * 1e3:.2f} | {row['turns']} "
              f"| {row['spread']:.2f} | {row['omega']:.2f} | {row['omega'] / row['law']:.3f} |")
    for law in ("viscous", "gravitational"):
        coiled = [(rope, row) for rope, row in zip(chosen, rows)
                  if rope.law == law and row["turns"] >= 3]
        newtonian = [row for rope, row in coiled if rope.tau == 0 and row["spread"] < 0.3]
        exponents(law, newtonian)
        draw(law, newtonian, [row for rope, row in coiled if rope.tau > 0], arguments)


if __name__ == "__main__":
    main()
