#!/usr/bin/env python3
"""Fits viscosity and relaxation time of a material to a measured slump by optimisation over runs.

A block of 10 cm of an unknown fluid is let go on a table; its height and its rim were measured for
0.6 s (slump.csv). Gauss-Newton in the logarithms of both numbers finds the material whose simulated
slump fits best: three short runs per iteration, one minute in all on one core.

    python3 fit_material.py [slump.csv]

slump.csv itself is a simulation at a finer spacing and a shorter step, with noise of 0.3 mm, so
that the answer is known: 30 Pa s and 0.1 s. `--write` makes it again.
"""
import pathlib
import sys

import numpy

import ooze

HERE = pathlib.Path(__file__).resolve().parent
TIMES = 0.05 * numpy.arange(1, 13)
NOISE = 0.0003  # m


def slump(viscosity, relaxation_time, spacing=0.0125, time_step=1 / 240):
    """Height and rim, m, at TIMES."""
    with ooze.World(method="conformation", spacing=spacing, time_step=time_step, device="cpu",
                    threads=1) as world:
        world.add_material("unknown", density=1300, viscosity=viscosity,
                           relaxation_time=relaxation_time)
        world.add_solid("table", shape="plane", friction=numpy.inf)
        world.add_fluid(material="unknown", shape={"type": "box", "size": [0.1, 0.1, 0.1],
                                                   "position": [0, 0.05, 0]})
        world.add_probe("top", kind="height")
        world.add_probe("rim", kind="spread")
        curve = []
        for time in TIMES:
            world.run(until=time)
            readings = world.measure()
            curve.append([readings["top.height"], readings["rim.spread"]])
    return numpy.array(curve)


def fit(measured, start, iterations=12):
    """Numbers of the best material, and their relative standard errors."""
    logarithms, step, damping = numpy.log(start), 0.1, 1e-2
    best = slump(*numpy.exp(logarithms))
    for iteration in range(iterations):
        residual = (measured - best).ravel()
        print(f"{iteration}: viscosity {numpy.exp(logarithms[0]):7.2f} Pa s, relaxation time "
              f"{numpy.exp(logarithms[1]):.4f} s, RMS {1000 * residual.std():.2f} mm", flush=True)
        slopes = []
        for k in range(2):
            changed = logarithms.copy()
            changed[k] += step
            slopes.append((slump(*numpy.exp(changed)) - best).ravel() / step)
        jacobian = numpy.array(slopes).T
        normal = jacobian.T @ jacobian
        while True:  # a step that does not help is shortened
            change = numpy.linalg.solve(normal + damping * numpy.diag(numpy.diag(normal)),
                                        jacobian.T @ residual)
            change = numpy.clip(change, -1, 1)
            tried = slump(*numpy.exp(logarithms + change))
            if (measured - tried).std() < residual.std():
                logarithms, best, damping = logarithms + change, tried, damping / 3
                break
            damping *= 10
            if damping > 1e3 or numpy.abs(change).max() < 0.005:
                change = numpy.zeros(2)
                break
        if numpy.abs(change).max() < 0.01:
            break
    variance = (measured - best).var() * numpy.linalg.inv(normal)
    return numpy.exp(logarithms), numpy.sqrt(numpy.diag(variance)), best


def write(path):
    noise = NOISE * numpy.random.default_rng(7).standard_normal((len(TIMES), 2))
    curve = slump(30, 0.1, spacing=0.01, time_step=1 / 480) + noise
    numpy.savetxt(path, numpy.column_stack([TIMES, curve]), fmt="%.5f", delimiter=",",
                  header="time [s],height [m],rim [m]", comments="")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    path = pathlib.Path(arguments[0]) if arguments else HERE / "slump.csv"
    if "--write" in sys.argv:
        write(path)
        return
    table = numpy.loadtxt(path, delimiter=",", skiprows=1)
    (viscosity, time), errors, best = fit(table[:, 1:], start=(100.0, 0.03))
    print(f"viscosity {viscosity:.1f} Pa s (standard error {100 * errors[0]:.0f} %), "
          f"relaxation time {time:.3f} s ({100 * errors[1]:.0f} %)")
    ooze.plot({"time [s]": TIMES, "height [m]": best[:, 0], "rim [m]": best[:, 1]},
              points={"time [s]": TIMES, "measured height [m]": table[:, 1],
                      "measured rim [m]": table[:, 2]},
              title=f"Slump: {viscosity:.1f} Pa s, {time:.3f} s").save("fit_material.svg")
    print("fit_material.svg")


if __name__ == "__main__":
    main()
