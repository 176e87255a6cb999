#!/usr/bin/env python3
"""A force of one's own: a magnet above a bowl draws a magnetic fluid up.

The force on a particle is that of a dipole above a fluid that it magnetises: it falls with the
seventh power of the distance, softened near the magnet. The magnet comes down, waits and goes up;
pictures are written to magnet_NN.png. A minute of processor time.

    python3 magnet.py
"""
import sys

import ooze

STRENGTH, SOFTENING = 1.5e-6, 0.05  # m8/s2, m

SCENE = ooze.Scene(
    title="A magnet above a bowl",
    method={"name": "conformation"}, spacing=0.006, time_step="1/240", duration=2,
    frame_rate=24,
    materials={"ferrofluid": {"density": 1200, "viscosity": 4, "color": [0.02, 0.02, 0.025],
                              "look": "glossy"}},
    solids=[{"name": "bowl", "shape": {"type": "open_cylinder", "radius": 0.12, "height": 0.06,
                                       "thickness": 0.012}, "friction": "inf",
             "look": "ceramic"},
            {"name": "magnet", "friction": "inf", "look": "metal",
             "shape": {"type": "cylinder", "radius": 0.03, "height": 0.05,
                       "position": [0, 0.3, 0]},
             "motion": {"keyframes": [{"time": 0, "position": [0, 0.3, 0]},
                                      {"time": 0.6, "position": [0, 0.15, 0]},
                                      {"time": 1.4, "position": [0, 0.15, 0]},
                                      {"time": 2, "position": [0, 0.3, 0]}]}}],
    fluids=[{"material": "ferrofluid",
             "shape": {"type": "cylinder", "radius": 0.106, "height": 0.036,
                       "position": [0, 0.032, 0]}}],
    probes=[{"name": "top", "kind": "height"}],
    render={"camera": {"position": [0.36, 0.27, 0.44], "look_at": [0, 0.1, 0]},
            "size": [720, 480], "samples": 24})


def magnet_force(world):
    """Acceleration of every particle, m/s2."""
    pole = world.solid("magnet").pose.position - [0, 0.025, 0]  # its lower end
    delta = pole - world.position
    squared = (delta ** 2).sum(axis=1, keepdims=True) + SOFTENING ** 2
    return STRENGTH * delta / squared ** 4


def main():
    world = SCENE.world()
    world.force(magnet_force)
    for frame in world.frames():
        if frame % 12 == 0:
            print(f"{world.time:.2f} s: top at {100 * world.measure()['top.height']:.1f} cm",
                  flush=True)
            if "--no-pictures" not in sys.argv:
                world.picture().save(f"magnet_{frame:02d}.png")


if __name__ == "__main__":
    main()
