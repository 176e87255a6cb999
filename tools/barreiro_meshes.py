#!/usr/bin/env python3
"""Writes the meshes of scenes/barreiro2017/meshes, up is y: round things as closed lofts, in
metres, and the figures of figure_meshes.py that belong to these scenes."""
import math
import pathlib

import figure_meshes
import gallery_meshes

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenes/barreiro2017/meshes"
FIGURES = ("hippo", "hand", "letter_o", "letter_z", "letter_e", "flower")


def lathe(name, remark, profile, count=72, ripple=None):
    """A body of revolution by its profile: pairs of height and radius. `ripple` gives the share
    by which the radius grows at a height and an angle."""
    rings = []
    for y, radius in profile:
        ring = []
        for i in range(count):
            angle = -2 * math.pi * i / count
            r = radius * (1 + (ripple(y, angle) if ripple else 0))
            ring.append((r * math.cos(angle), y, r * math.sin(angle)))
        rings.append(ring)
    gallery_meshes.write(FOLDER / name, remark, rings, "barreiro_meshes.py")


def arc(middle, radius, low, high, parts):
    """Part of a circle as a profile; angles in degrees, 0 is outwards, 90 up."""
    points = []
    for i in range(parts + 1):
        a = math.radians(low + (high - low) * i / parts)
        points.append((middle[0] + radius * math.sin(a), middle[1] + radius * math.cos(a)))
    return points


def write_bowl():
    """A bowl on a foot, 15 cm wide and 7.5 cm high; walls of 6 mm, more than two spacings."""
    outer = arc((0.082, 0.0), 0.076, -82, -4, 14)
    inner = arc((0.082, 0.0), 0.070, -4, -88, 14)
    foot = [(0.0, 0.029), (0.0, 0.034), (0.0015, 0.036), (0.006, 0.034), (0.0095, 0.030)]
    lip = arc((0.077, 0.0728), 0.003, 0, 180, 6)
    outer = [p for p in outer if p[0] > 0.011]
    lathe("bowl.obj", "a bowl on a foot", foot + outer + lip + inner)


def write_cone():
    """A cone of waffle with a shallow cup in its top, tip down; the origin is the tip. The cup is
    shallow so that most of the ice cream stands above the rim, where it is seen."""
    outer = [(0.0, 0.0035), (0.0015, 0.0048)]
    outer += [(0.120 * k / 30, 0.0048 + 0.0352 * k / 30) for k in range(1, 31)]
    lip = [(0.1215, 0.0412), (0.1245, 0.0420), (0.1275, 0.0412), (0.1285, 0.0390),
           (0.1280, 0.0370)]
    cup = [(0.1240, 0.0345), (0.1190, 0.0320), (0.1150, 0.0270), (0.1130, 0.0200),
           (0.1122, 0.0100), (0.1120, 0.0030)]

    def waffle(y, angle):
        if not 0.004 < y < 0.119:
            return 0
        ribs = max(math.cos(12 * angle + 140 * y), math.cos(12 * angle - 140 * y))
        return 0.035 * max(0.0, 2 * ribs - 1) - 0.01
    lathe("cone.obj", "a cone of waffle", outer + lip + cup, 96, waffle)


def write_holder():
    """A turned stand for the cone: the cone's tip stands in it, 3 cm above the table."""
    profile = [(0.0, 0.046), (0.0005, 0.0475), (0.005, 0.048), (0.008, 0.0465), (0.010, 0.042),
               (0.014, 0.026), (0.020, 0.0165), (0.030, 0.0135), (0.040, 0.0145),
               (0.048, 0.0185), (0.056, 0.0235), (0.061, 0.0255), (0.064, 0.0255),
               (0.066, 0.0245), (0.0665, 0.0225)]
    lathe("holder.obj", "a stand for a cone", profile)


def write_plate():
    """A cake plate on a foot, 28 cm wide; its upper side is at 30 mm."""
    profile = [(0.0, 0.062), (0.0, 0.068), (0.003, 0.069), (0.008, 0.052), (0.014, 0.032),
               (0.019, 0.034), (0.0225, 0.060), (0.025, 0.110), (0.030, 0.136), (0.0345, 0.1395),
               (0.037, 0.1400), (0.0378, 0.1388), (0.036, 0.1350), (0.0325, 0.1250),
               (0.030, 0.1120), (0.030, 0.0500)]
    lathe("plate.obj", "a cake plate", profile, 96)


def write_cake():
    """Two layers of sponge with a seam of jam between, 5 cm high; the origin is below."""
    def layer(low, high):
        r = 0.0040
        edge = [(low, 0.085), (low + 0.0010, 0.0888), (low + r, 0.0900)]
        edge += [(high - r, 0.0900), (high - 0.0010, 0.0888), (high, 0.0860)]
        return edge + ([(high, 0.0500)] if high == 0.05 else [])

    def crumb(y, angle):
        return 0.004 * math.sin(23 * angle + 900 * y) * math.sin(17 * angle - 1300 * y)
    lower, upper = layer(0.0, 0.024), layer(0.0265, 0.05)
    lathe("sponge.obj", "two layers of sponge",
          [(0.0, 0.05)] + lower + [(0.0242, 0.082), (0.0263, 0.082)] + upper, 96, crumb)
    lathe("jam.obj", "the jam between them", [(0.0228, 0.084), (0.0238, 0.0882), (0.0252, 0.0892),
                                              (0.0268, 0.0882), (0.0278, 0.084)], 96)


def write_all():
    write_bowl()
    write_cone()
    write_holder()
    write_plate()
    write_cake()
    for name in FIGURES:
        figure_meshes.write(figure_meshes.FIGURES[name], FOLDER / f"{name}.obj")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_all()
