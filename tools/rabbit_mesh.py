#!/usr/bin/env python3
"""Writes scenes/takahashi2014/meshes/rabbit.obj, about a metre high, up is y: ellipsoids blended into one field, and the surface
where it is 0, one vertex in each cell that it crosses (surface nets)."""
import itertools
import math
import pathlib

FILE = pathlib.Path(__file__).resolve().parent.parent / "scenes/takahashi2014/meshes/rabbit.obj"
CELL = 0.032  # m
LOW, COUNT = (-0.588, -0.1, -0.352), (33, 37, 22)
BLEND = 0.07  # m, the width in which two ellipsoids run into one another

# centre, half axes, degrees about z
PARTS = [
    ((-0.12, 0.30, 0.0), (0.36, 0.31, 0.27), 15),  # body
    ((0.06, 0.22, 0.0), (0.22, 0.24, 0.22), 0),  # chest
    ((0.10, 0.48, 0.0), (0.17, 0.15, 0.15), 0),  # neck
    ((0.22, 0.60, 0.0), (0.19, 0.16, 0.15), -10),  # head
    ((0.08, 0.86, 0.08), (0.055, 0.20, 0.05), 18),  # ears
    ((0.08, 0.86, -0.08), (0.055, 0.20, 0.05), 18),
    ((-0.46, 0.28, 0.0), (0.08, 0.08, 0.08), 0),  # tail
    ((-0.05, 0.06, 0.18), (0.24, 0.08, 0.08), 0),  # feet
    ((-0.05, 0.06, -0.18), (0.24, 0.08, 0.08), 0),
    ((0.20, 0.09, 0.10), (0.10, 0.11, 0.08), 0),
    ((0.20, 0.09, -0.10), (0.10, 0.11, 0.08), 0),
]


def ellipsoid(p, centre, axes, degrees):
    """Near the surface, the distance to it."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y, z = (p[k] - centre[k] for k in range(3))
    q = (c * x + s * y, c * y - s * x, z)
    near = math.sqrt(sum((q[k] / axes[k]) ** 2 for k in range(3)))
    slope = math.sqrt(sum((q[k] / axes[k] ** 2) ** 2 for k in range(3)))
    return near * (near - 1) / slope if slope > 0 else -min(axes)


def field(p):
    total = sum(math.exp(-ellipsoid(p, *part) / BLEND * 3) for part in PARTS)
    return -BLEND / 3 * math.log(total) if total > 0 else 1.0


def node(i):
    return tuple(LOW[k] + CELL * i[k] for k in range(3))


def vertex(corners, values):
    """The mean of where edges of a cell cross the surface."""
    crossings = []
    for a, b in itertools.combinations(range(8), 2):
        if bin(a ^ b).count("1") == 1 and (values[a] < 0) != (values[b] < 0):
            t = values[a] / (values[a] - values[b])
            crossings.append([corners[a][k] + t * (corners[b][k] - corners[a][k]) for k in range(3)])
    return [sum(c[k] for c in crossings) / len(crossings) for k in range(3)]


def write():
    value = {i: field(node(i)) for i in itertools.product(*(range(n + 1) for n in COUNT))}
    lines, number = ["# a rabbit; written by tools/rabbit_mesh.py"], {}
    for i in itertools.product(*(range(n) for n in COUNT)):
        corners = [tuple(i[k] + (c >> k & 1) for k in range(3)) for c in range(8)]
        values = [value[c] for c in corners]
        if any(v < 0 for v in values) and any(v >= 0 for v in values):
            number[i] = len(number) + 1
            lines.append("v {:.4f} {:.4f} {:.4f}".format(*vertex([node(c) for c in corners], values)))
    for i, inside in value.items():
        for k in range(3):
            j = tuple(i[m] + (m == k) for m in range(3))
            if j not in value or (inside < 0) == (value[j] < 0):
                continue
            u, v = (k + 1) % 3, (k + 2) % 3
            around = [tuple(i[m] - (m == u) * a - (m == v) * b for m in range(3)) for a, b in ((1, 1), (0, 1), (0, 0), (1, 0))]
            a, b, c, d = (number[cell] for cell in (around if inside < 0 else reversed(around)))
            lines += [f"f {a} {b} {c}", f"f {a} {c} {d}"]
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write()
