#!/usr/bin/env python3
"""Writes the meshes of the rabbit and the person of some scenes, y up: the zero level of a field of
blended ellipsoids, with one vertex in each cell that it crosses (surface nets)."""
import itertools
import math
import pathlib

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
BOTH = (1, -1)  # sides

# Cells in m; `blend` is the width over which two ellipsoids blend. Parts: centre,
# half axes, degrees about z.
RABBIT = {
    "file": "takahashi2014/meshes/rabbit.obj", "cell": 0.032, "low": (-0.588, -0.1, -0.352),
    "count": (33, 37, 22), "blend": 0.07,
    "parts": [
        ((-0.12, 0.30, 0.0), (0.36, 0.31, 0.27), 15),  # body
        ((0.06, 0.22, 0.0), (0.22, 0.24, 0.22), 0),  # chest
        ((0.10, 0.48, 0.0), (0.17, 0.15, 0.15), 0),  # neck
        ((0.22, 0.60, 0.0), (0.19, 0.16, 0.15), -10),  # head
        *(((0.08, 0.86, 0.08 * s), (0.055, 0.20, 0.05), 18) for s in BOTH),  # ears
        ((-0.46, 0.28, 0.0), (0.08, 0.08, 0.08), 0),  # tail
        *(((-0.05, 0.06, 0.18 * s), (0.24, 0.08, 0.08), 0) for s in BOTH),  # feet
        *(((0.20, 0.09, 0.10 * s), (0.10, 0.11, 0.08), 0) for s in BOTH),
    ]}
# Stands with arms half raised, a metre and a half high.
PERSON = {
    "file": "clavet2005/meshes/person.obj", "cell": 0.028, "low": (-0.7, -0.07, -0.266),
    "count": (50, 60, 21), "blend": 0.05,
    "parts": [
        ((0.0, 1.38, 0.0), (0.095, 0.125, 0.105), 0),  # head
        ((0.0, 1.23, 0.0), (0.05, 0.08, 0.05), 0),  # neck
        ((0.0, 1.03, 0.0), (0.17, 0.19, 0.10), 0),  # chest
        ((0.0, 0.80, 0.0), (0.135, 0.15, 0.095), 0),  # belly
        *(((0.17 * s, 1.13, 0.0), (0.075, 0.065, 0.07), 0) for s in BOTH),  # shoulders
        *(((0.30 * s, 1.06, 0.0), (0.16, 0.055, 0.055), -25 * s) for s in BOTH),  # arms
        *(((0.50 * s, 1.09, 0.0), (0.14, 0.045, 0.045), 35 * s) for s in BOTH),
        *(((0.61 * s, 1.18, 0.0), (0.055, 0.05, 0.04), 45 * s) for s in BOTH),  # hands
        *(((0.085 * s, 0.58, 0.0), (0.085, 0.20, 0.085), 3 * s) for s in BOTH),  # thighs
        *(((0.11 * s, 0.25, 0.0), (0.06, 0.22, 0.065), 3 * s) for s in BOTH),  # legs
        *(((0.12 * s, 0.045, 0.05), (0.055, 0.05, 0.12), 0) for s in BOTH),  # feet
    ]}


def ellipsoid(p, centre, axes, degrees):
    """Near the surface, the distance to it."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y, z = (p[k] - centre[k] for k in range(3))
    q = (c * x + s * y, c * y - s * x, z)
    near = math.sqrt(sum((q[k] / axes[k]) ** 2 for k in range(3)))
    slope = math.sqrt(sum((q[k] / axes[k] ** 2) ** 2 for k in range(3)))
    return near * (near - 1) / slope if slope > 0 else -min(axes)


def field(figure, p):
    width = figure["blend"] / 3
    total = sum(math.exp(-ellipsoid(p, *part) / width) for part in figure["parts"])
    return -width * math.log(total) if total > 0 else 1.0


def node(figure, i):
    return tuple(figure["low"][k] + figure["cell"] * i[k] for k in range(3))


def vertex(corners, values):
    """The mean of the points where edges of a cell cross the surface."""
    crossings = []
    for a, b in itertools.combinations(range(8), 2):
        if bin(a ^ b).count("1") == 1 and (values[a] < 0) != (values[b] < 0):
            t = values[a] / (values[a] - values[b])
            crossings.append([corners[a][k] + t * (corners[b][k] - corners[a][k])
                              for k in range(3)])
    return [sum(c[k] for c in crossings) / len(crossings) for k in range(3)]


def write(figure):
    count = figure["count"]
    value = {i: field(figure, node(figure, i)) for i in itertools.product(*(range(n + 1)
                                                                            for n in count))}
    file = SCENES / figure["file"]
    lines, number = [f"# a {file.stem}; written by tools/figure_meshes.py"], {}
    for i in itertools.product(*(range(n) for n in count)):
        corners = [tuple(i[k] + (c >> k & 1) for k in range(3)) for c in range(8)]
        values = [value[c] for c in corners]
        if any(v < 0 for v in values) and any(v >= 0 for v in values):
            number[i] = len(number) + 1
            lines.append("v {:.4f} {:.4f} {:.4f}".format(*vertex([node(figure, c) for c in corners],
                                                                 values)))
    for i, inside in value.items():
        for k in range(3):
            j = tuple(i[m] + (m == k) for m in range(3))
            if j not in value or (inside < 0) == (value[j] < 0):
                continue
            u, v = (k + 1) % 3, (k + 2) % 3
            around = [tuple(i[m] - (m == u) * a - (m == v) * b for m in range(3)) for a,
                      b in ((1, 1), (0, 1), (0, 0), (1, 0))]
            a, b, c, d = (number[cell] for cell in (around if inside < 0 else reversed(around)))
            lines += [f"f {a} {b} {c}", f"f {a} {c} {d}"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(RABBIT)
    write(PERSON)
