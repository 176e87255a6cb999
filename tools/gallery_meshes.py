#!/usr/bin/env python3
"""Writes the meshes of the gallery, scenes/gallery/meshes/*.obj, up is y: closed lofts of a few
rings, in metres, and the bear of figure_meshes.py, about one metre high."""
import math
import pathlib

import figure_meshes

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenes/gallery/meshes"


def write(name, remark, rings, tool="gallery_meshes.py"):
    """Rings of equal length from bottom to top, counter-clockwise seen from above; both ends
    closed by fans. A profile may go up outside and down inside: a cup."""
    count, lines = len(rings[0]), [f"# {remark}; written by tools/{tool}"]
    lines += ["v {:.6g} {:.6g} {:.6g}".format(*p) for ring in rings for p in ring]
    ends = []
    for ring in (rings[0], rings[-1]):
        centre = [sum(p[k] for p in ring) / count for k in range(3)]
        lines.append("v {:.6g} {:.6g} {:.6g}".format(*centre))
        ends.append(len(rings) * count + len(ends) + 1)
    for k in range(len(rings) - 1):
        for i in range(count):
            a, b = k * count + i + 1, k * count + (i + 1) % count + 1
            lines += [f"f {a} {b} {b + count}", f"f {a} {b + count} {a + count}"]
    top = (len(rings) - 1) * count
    for i in range(count):
        j = (i + 1) % count
        lines += [f"f {ends[0]} {j + 1} {i + 1}", f"f {ends[1]} {top + i + 1} {top + j + 1}"]
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def ring(y, radius, count, ripple=0.0, ripples=1):
    """A ring about the axis; its radius may vary with the angle."""
    points = []
    for i in range(count):
        angle = -2 * math.pi * i / count
        r = radius * (1 + ripple * math.cos(ripples * angle))
        points.append((r * math.cos(angle), y, r * math.sin(angle)))
    return points


def rounded(corners, rounds):
    """Chaikin's corner cutting."""
    for _ in range(rounds):
        cut = []
        for i, (x, z) in enumerate(corners):
            u, w = corners[(i + 1) % len(corners)]
            cut += [(0.75 * x + 0.25 * u, 0.75 * z + 0.25 * w),
                    (0.25 * x + 0.75 * u, 0.25 * z + 0.75 * w)]
        corners = cut
    return corners


def inset(outline, distance, y):
    """The outline moved inwards, at a height."""
    points, count = [], len(outline)
    for i, (x, z) in enumerate(outline):
        (x0, z0), (x1, z1) = outline[i - 1], outline[(i + 1) % count]
        dx, dz = x1 - x0, z1 - z0
        length = math.hypot(dx, dz)
        points.append((x + dz / length * distance, y, z - dx / length * distance))
    return points


def write_toast():
    half = [(0, -0.050), (0.046, -0.050), (0.047, 0.008), (0.055, 0.016), (0.055, 0.040),
            (0.036, 0.052), (0, 0.050)]
    outline = rounded(half + [(-x, z) for x, z in reversed(half[1:-1])], 3)
    outline.reverse()  # counter-clockwise from above, z towards the viewer
    bevel = [(0.003, 0), (0.0008, 0.0008), (0, 0.003), (0, 0.010), (0.0008, 0.0122), (0.003, 0.013)]
    write("toast_crust.obj", "a slice of toast, its crust",
          [inset(outline, d, y) for d, y in bevel])
    bevel = [(0.0045, 0.001), (0.0045, 0.0125), (0.0058, 0.0134), (0.008, 0.0137)]
    write("toast_crumb.obj", "a slice of toast, its crumb",
          [inset(outline, d, y) for d, y in bevel])


def write_dipper():
    """The origin is the tip, where honey leaves."""
    profile = [(0, 0.003), (0.001, 0.0045), (0.003, 0.0075)]
    for k in range(6):
        y, swell = 0.0045 + 0.0052 * k, (0.0105, 0.0128, 0.0138, 0.0138, 0.0128, 0.0108)[k]
        profile += [(y, swell - 0.0028), (y + 0.0008, swell - 0.0006), (y + 0.0016, swell),
                    (y + 0.0028, swell),
                    (y + 0.0036, swell - 0.0006), (y + 0.0044, swell - 0.0028)]
    profile += [(0.037, 0.0052), (0.042, 0.0042), (0.075, 0.0038), (0.15, 0.0044), (0.17, 0.0046),
                (0.1715, 0.003)]
    write("dipper.obj", "a honey dipper", [ring(y, r, 40) for y, r in profile])


def write_cupcake():
    write("cup.obj", "a pleated paper cup", [ring(y, r, 216, 0.028, 36) for y, r in
                                             ((0, 0.0235), (0.0004, 0.0240), (0.038, 0.0318),
                                              (0.0384, 0.0312))])
    dome = [(0.0330, 0.0296), (0.0372, 0.0306), (0.0400, 0.0312), (0.0425, 0.0306),
            (0.0448, 0.0285), (0.0465, 0.0250),
            (0.0477, 0.0200), (0.0484, 0.0140), (0.0487, 0.0070)]
    write("cake.obj", "the cake in the cup", [ring(y, r, 72) for y, r in dome])


def write_star_nozzle():
    """The origin is the middle of the opening."""
    rings = []
    for y, radius, ripple in ((0, 0.0068, 0.20), (0.0005, 0.0074, 0.19), (0.006, 0.0080, 0.12),
                              (0.014, 0.0094, 0.03),
                              (0.024, 0.0115, 0), (0.040, 0.0145, 0), (0.041, 0.0140, 0)):
        rings.append(ring(y, radius, 96, ripple, 8))
    write("star_nozzle.obj", "a star nozzle of eight points", rings)


def write_all():
    write_toast()
    write_dipper()
    write_cupcake()
    write_star_nozzle()
    figure_meshes.write(figure_meshes.FIGURES["bear"], FOLDER / "bear.obj")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_all()
