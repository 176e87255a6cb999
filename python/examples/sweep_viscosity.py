#!/usr/bin/env python3
"""A film of fluid that runs down a wall, for viscosities over two decades, in parallel processes.

A film of thickness h on a vertical wall has the mean speed rho g h^2 / (3 eta) when it is steady
(Nusselt). The film is periodic along the wall. Half a minute on two cores.

    python3 sweep_viscosity.py
"""
import concurrent.futures
import multiprocessing

import numpy

import ooze

THICKNESS, LENGTH, SPACING = 0.1, 0.1, 0.0125  # m
GRAVITY, DENSITY = 1.0, 1000.0  # m/s2, kg/m3
VISCOSITIES = numpy.geomspace(3, 300, 9)  # Pa s


def steady_speed(viscosity):
    """Mean speed of the film, m/s, after it has become steady."""
    time_scale = DENSITY * THICKNESS ** 2 / viscosity
    step = min(1 / 100, time_scale / 20)
    with ooze.World(method="conformation", spacing=SPACING, time_step=step, threads=1,
                    device="cpu", gravity=[0, -GRAVITY, 0], periodic=[False, True, True],
                    periodic_min=[0, 0, 0], periodic_max=[1, LENGTH, LENGTH]) as world:
        world.add_material("fluid", density=DENSITY, viscosity=viscosity)
        world.add_solid("wall", shape={"type": "plane", "normal": [1, 0, 0]}, friction=numpy.inf)
        world.add_fluid(material="fluid", shape={
            "type": "box", "size": [THICKNESS, LENGTH, LENGTH],
            "position": [THICKNESS / 2, LENGTH / 2, LENGTH / 2]})
        world.run(until=2 * time_scale)
        return -float(world.velocity[:, 1].mean(dtype=float))


def main():
    # processes begin afresh: a forked process has no worker threads
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        speeds = numpy.array(list(pool.map(steady_speed, VISCOSITIES)))
    theory = DENSITY * GRAVITY * THICKNESS ** 2 / (3 * VISCOSITIES)
    for viscosity, speed, expected in zip(VISCOSITIES, speeds, theory):
        print(f"{viscosity:6.1f} Pa s: {speed:.5f} m/s, theory {expected:.5f} m/s, "
              f"{100 * (speed / expected - 1):+.1f} %")
    slope = numpy.polyfit(numpy.log(VISCOSITIES), numpy.log(speeds), 1)[0]
    print(f"speed ~ viscosity^{slope:.3f}")
    ooze.plot({"viscosity [Pa s]": VISCOSITIES, "theory [m/s]": theory},
              points={"viscosity [Pa s]": VISCOSITIES, "simulated [m/s]": speeds}, log="xy",
              title="Speed of a film on a wall").save("sweep_viscosity.svg")
    print("sweep_viscosity.svg")


if __name__ == "__main__":
    main()
