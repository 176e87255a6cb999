#!/usr/bin/env python3
"""Writes the meshes of the figures of some scenes, y up: the zero level of a field of blended
ellipsoids, boxes and limbs, with one vertex in each cell that it crosses (surface nets).

    tools/figure_meshes.py [NAME...]"""
import itertools
import math
import pathlib
import sys

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
BOTH = (1, -1)  # sides
FINGERS = ((-0.33, 0.40), (-0.11, 0.46), (0.11, 0.43), (0.32, 0.34))  # z, half the length
PETALS = [2 * math.pi * k / 5 for k in range(5)]  # angles about the stem


# ---- parts: a distance that is exact near the surface, and a box that holds the part --------

def turned(p, centre, turn):
    """A point in the axes of a part that is turned about x, then y, then z, degrees."""
    q = [p[k] - centre[k] for k in range(3)]
    for axis in (2, 1, 0):
        if turn[axis]:
            c, s = math.cos(math.radians(turn[axis])), math.sin(math.radians(turn[axis]))
            a, b = (axis + 1) % 3, (axis + 2) % 3
            q[a], q[b] = c * q[a] + s * q[b], c * q[b] - s * q[a]
    return q


def around(centre, reach):
    return [c - reach for c in centre], [c + reach for c in centre]


def ball(centre, axes, turn=(0, 0, 0)):
    """An ellipsoid."""
    def distance(p):
        q = turned(p, centre, turn)
        near = math.sqrt(sum((q[k] / axes[k]) ** 2 for k in range(3)))
        slope = math.sqrt(sum((q[k] / axes[k] ** 2) ** 2 for k in range(3)))
        return near * (near - 1) / slope if slope > 0 else -min(axes)
    return distance, around(centre, max(axes))


def box(centre, half, radius, turn=(0, 0, 0)):
    """A box with rounded edges."""
    def distance(p):
        q = turned(p, centre, turn)
        d = [abs(q[k]) - half[k] + radius for k in range(3)]
        return math.hypot(*(max(v, 0) for v in d)) + min(max(d), 0) - radius
    return distance, around(centre, math.hypot(*half))


def limb(a, b, radius, radius_b=None):
    """A rod with round ends, whose radius may change from a to b."""
    along = [b[k] - a[k] for k in range(3)]
    length2 = sum(v * v for v in along)
    end = radius if radius_b is None else radius_b

    def distance(p):
        t = sum((p[k] - a[k]) * along[k] for k in range(3)) / length2
        t = min(max(t, 0), 1)
        return math.dist(p, [a[k] + t * along[k] for k in range(3)]) - radius - t * (end - radius)
    reach = max(radius, end)
    return distance, ([min(a[k], b[k]) - reach for k in range(3)],
                      [max(a[k], b[k]) + reach for k in range(3)])


def hoop(centre, radius, stretch, tube):
    """A torus about the z axis, stretched along y."""
    def distance(p):
        x, y, z = (p[k] - centre[k] for k in range(3))
        return math.hypot(math.hypot(x, y / stretch) - radius, z) - tube
    return distance, around(centre, radius * stretch + tube * stretch)


def ribbed(part, depth, centre, pitch, turn=(0, 0, 0)):
    """A part with ribs around the axis y of its own axes, `pitch` apart."""
    inner, (low, high) = part

    def distance(p):
        y = turned(p, centre, turn)[1]
        return inner(p) - depth * math.cos(2 * math.pi * y / pitch)
    return distance, ([v - depth for v in low], [v + depth for v in high])


# ---- figures ---------------------------------------------------------------------------------

# `cell`, `low`: of the grid, m; `count`: its cells; `blend`: the width over which parts blend;
# `cuts` are taken away from `parts`, and `details` added after that; `origin`: of the mesh.
FIGURES = {
    "rabbit": {
        "file": "takahashi2014/meshes/rabbit.obj", "cell": 0.032, "low": (-0.588, -0.1, -0.352),
        "count": (33, 37, 22), "blend": 0.07,
        "parts": [
            ball((-0.12, 0.30, 0.0), (0.36, 0.31, 0.27), (0, 0, 15)),  # body
            ball((0.06, 0.22, 0.0), (0.22, 0.24, 0.22)),  # chest
            ball((0.10, 0.48, 0.0), (0.17, 0.15, 0.15)),  # neck
            ball((0.22, 0.60, 0.0), (0.19, 0.16, 0.15), (0, 0, -10)),  # head
            *(ball((0.08, 0.86, 0.08 * s), (0.055, 0.20, 0.05), (0, 0, 18)) for s in BOTH),  # ears
            ball((-0.46, 0.28, 0.0), (0.08, 0.08, 0.08)),  # tail
            *(ball((-0.05, 0.06, 0.18 * s), (0.24, 0.08, 0.08)) for s in BOTH),  # feet
            *(ball((0.20, 0.09, 0.10 * s), (0.10, 0.11, 0.08)) for s in BOTH),
        ]},
    # Stands with arms half raised, a metre and a half high.
    "person": {
        "file": "clavet2005/meshes/person.obj", "cell": 0.028, "low": (-0.7, -0.07, -0.266),
        "count": (50, 60, 21), "blend": 0.05,
        "parts": [
            ball((0.0, 1.38, 0.0), (0.095, 0.125, 0.105)),  # head
            ball((0.0, 1.23, 0.0), (0.05, 0.08, 0.05)),  # neck
            ball((0.0, 1.03, 0.0), (0.17, 0.19, 0.10)),  # chest
            ball((0.0, 0.80, 0.0), (0.135, 0.15, 0.095)),  # belly
            *(ball((0.17 * s, 1.13, 0.0), (0.075, 0.065, 0.07)) for s in BOTH),  # shoulders
            *(ball((0.30 * s, 1.06, 0.0), (0.16, 0.055, 0.055), (0, 0, -25 * s))
              for s in BOTH),  # arms
            *(ball((0.50 * s, 1.09, 0.0), (0.14, 0.045, 0.045), (0, 0, 35 * s)) for s in BOTH),
            *(ball((0.61 * s, 1.18, 0.0), (0.055, 0.05, 0.04), (0, 0, 45 * s))
              for s in BOTH),  # hands
            *(ball((0.085 * s, 0.58, 0.0), (0.085, 0.20, 0.085), (0, 0, 3 * s))
              for s in BOTH),  # thighs
            *(ball((0.11 * s, 0.25, 0.0), (0.06, 0.22, 0.065), (0, 0, 3 * s))
              for s in BOTH),  # legs
            *(ball((0.12 * s, 0.045, 0.05), (0.055, 0.05, 0.12)) for s in BOTH),  # feet
        ]},
    # A stone head on a bust, a metre high; looks along z.
    "moai": {
        "file": "takamatsu2011/meshes/moai.obj", "cell": 0.017, "low": (-0.289, -0.04, -0.24),
        "count": (34, 64, 32), "blend": 0.035,
        "parts": [
            box((0.0, 0.64, -0.02), (0.155, 0.35, 0.135), 0.08),  # skull
            box((0.0, 0.79, 0.11), (0.15, 0.038, 0.05), 0.036, (-8, 0, 0)),  # brow
            limb((0.0, 0.78, 0.13), (0.0, 0.565, 0.215), 0.032, 0.055),  # nose
            *(ball((0.052 * s, 0.548, 0.172), (0.038, 0.034, 0.048)) for s in BOTH),  # nostrils
            *(ball((0.09 * s, 0.60, 0.085), (0.06, 0.11, 0.055)) for s in BOTH),  # cheeks
            box((0.0, 0.51, 0.115), (0.08, 0.045, 0.05), 0.03),
            box((0.0, 0.474, 0.135), (0.088, 0.02, 0.045), 0.018),  # lips
            box((0.0, 0.413, 0.135), (0.082, 0.02, 0.045), 0.018),
            box((0.0, 0.34, 0.105), (0.125, 0.048, 0.085), 0.045),  # chin
            *(box((0.165 * s, 0.61, -0.03), (0.03, 0.20, 0.06), 0.028, (0, 0, -3 * s))
              for s in BOTH),  # ears
            box((0.0, 0.22, -0.02), (0.135, 0.14, 0.12), 0.08),  # neck
            box((0.0, 0.085, -0.01), (0.225, 0.085, 0.145), 0.07),  # bust
            *(ball((0.17 * s, 0.13, -0.01), (0.07, 0.08, 0.115)) for s in BOTH),  # shoulders
        ],
        "cuts": [
            *(ball((0.085 * s, 0.703, 0.165), (0.053, 0.05, 0.055), (0, 0, 8 * s)) for s in BOTH),
            box((0.0, 0.4435, 0.20), (0.085, 0.008, 0.045), 0.007),  # mouth
        ]},
    # An upright animal with bands of armour on its back, a metre high to the tips of its ears.
    "creature": {
        "file": "takamatsu2011/meshes/creature.obj", "cell": 0.016, "low": (-0.464, -0.03, -0.56),
        "count": (58, 66, 60), "blend": 0.03,
        "parts": [
            ball((0.0, 0.37, 0.03), (0.165, 0.21, 0.145)),  # belly
            ball((0.0, 0.52, 0.02), (0.145, 0.13, 0.12)),  # chest
            ribbed(ball((0.0, 0.43, -0.065), (0.205, 0.265, 0.17), (14, 0, 0)), 0.014,
                   (0.0, 0.43, -0.065), 0.088, (14, 0, 0)),  # shell
            ball((0.0, 0.735, 0.05), (0.12, 0.105, 0.12)),  # head
            ball((0.0, 0.775, 0.01), (0.13, 0.09, 0.115), (-20, 0, 0)),  # its plate
            limb((0.0, 0.715, 0.12), (0.0, 0.66, 0.285), 0.07, 0.036),  # snout
            ball((0.0, 0.672, 0.30), (0.038, 0.034, 0.034)),  # nose
            *(ball((0.115 * s, 0.885, -0.005), (0.052, 0.125, 0.032), (0, -20 * s, -22 * s))
              for s in BOTH),  # ears
            *(limb((0.15 * s, 0.56, 0.01), (0.29 * s, 0.50, 0.05), 0.066, 0.056)
              for s in BOTH),  # arms
            *(limb((0.29 * s, 0.50, 0.05), (0.35 * s, 0.63, 0.13), 0.058, 0.052) for s in BOTH),
            *(limb((0.35 * s, 0.64, 0.13), ((0.35 + 0.06 * k) * s, 0.735 - 0.03 * abs(k), 0.165),
                   0.028, 0.018) for s in BOTH for k in (-1, 0, 1)),  # fingers
            *(ball((0.13 * s, 0.21, 0.03), (0.10, 0.13, 0.115)) for s in BOTH),  # thighs
            *(limb((0.155 * s, 0.17, 0.03), (0.17 * s, 0.06, 0.03), 0.072, 0.065)
              for s in BOTH),  # legs
            *(ball((0.175 * s, 0.045, 0.085), (0.072, 0.048, 0.12)) for s in BOTH),  # feet
            *(limb(((0.175 + 0.045 * k) * s, 0.035, 0.16), ((0.175 + 0.065 * k) * s, 0.028, 0.215),
                   0.03, 0.02) for s in BOTH for k in (-1, 0, 1)),  # toes
            limb((0.0, 0.22, -0.16), (0.06, 0.085, -0.32), 0.10, 0.07),  # tail
            limb((0.06, 0.085, -0.32), (0.21, 0.055, -0.42), 0.07, 0.05),
            limb((0.21, 0.055, -0.42), (0.37, 0.06, -0.40), 0.05, 0.024),
        ],
        "cuts": [
            *(ball((0.118 * s, 0.89, 0.034), (0.03, 0.085, 0.028), (0, -20 * s, -22 * s))
              for s in BOTH),  # inside of the ears
        ],
        "details": [
            *(ball((0.068 * s, 0.765, 0.145), (0.026, 0.028, 0.024)) for s in BOTH),  # eyes
        ]},
    # A plump animal that lies on its belly, a metre and a quarter long; looks along z. No part is
    # thinner than 0.15 m, so that a coarse fill holds several particles across it.
    "hippo": {
        "file": "barreiro2017/meshes/hippo.obj", "cell": 0.03, "low": (-0.6, -0.045, -0.66),
        "count": (40, 23, 46), "blend": 0.06,
        "parts": [
            ball((0.0, 0.25, -0.02), (0.27, 0.235, 0.38)),  # torso
            ball((0.0, 0.40, 0.37), (0.185, 0.165, 0.18)),  # head
            ball((0.0, 0.335, 0.55), (0.16, 0.115, 0.12)),  # snout
            *(ball((0.075 * s, 0.415, 0.60), (0.05, 0.045, 0.05)) for s in BOTH),  # nostrils
            *(limb((0.115 * s, 0.50, 0.32), (0.16 * s, 0.575, 0.30), 0.075, 0.07)
              for s in BOTH),  # ears
            *(limb((0.19 * s, 0.16, 0.20), (0.36 * s, 0.105, 0.36), 0.11, 0.1)
              for s in BOTH),  # arms
            *(limb((0.19 * s, 0.16, -0.22), (0.38 * s, 0.11, -0.30), 0.125, 0.105)
              for s in BOTH),  # legs
            limb((0.0, 0.22, -0.36), (0.0, 0.13, -0.50), 0.11, 0.085),  # tail
        ],
        "details": [
            *(ball((0.115 * s, 0.455, 0.50), (0.034, 0.036, 0.034)) for s in BOTH),  # eyes
        ]},
    # An open left hand with its palm up, a little cupped; fingers along x, the origin under the
    # middle of the palm. In decimetres.
    "hand": {
        "file": "barreiro2017/meshes/hand.obj", "cell": 0.053, "low": (-2.002, -0.352, -1.082),
        "count": (68, 22, 36), "blend": 0.12,
        "parts": [
            box((-0.02, 0.02, 0.0), (0.50, 0.15, 0.42), 0.14),  # palm
            ball((-0.16, 0.08, -0.30), (0.34, 0.20, 0.17), (0, -20, 0)),  # ball of the thumb
            ball((-0.12, 0.08, 0.31), (0.38, 0.17, 0.13)),  # outer edge
            *(ball((0.44, 0.06, z), (0.14, 0.13, 0.11)) for z in (-0.33, -0.11, 0.11, 0.32)),
            *(limb((0.45, 0.03, z), (0.45 + a, 0.06, 1.12 * z), 0.105, 0.10)
              for z, a in FINGERS),  # fingers: first and second half
            *(limb((0.45 + a, 0.06, 1.12 * z), (0.45 + 1.85 * a, 0.21, 1.15 * z), 0.10, 0.08)
              for z, a in FINGERS),
            limb((-0.22, 0.04, -0.36), (0.08, 0.12, -0.68), 0.14, 0.12),  # thumb
            limb((0.08, 0.12, -0.68), (0.36, 0.22, -0.80), 0.12, 0.09),
            *(limb((-0.45, 0.0, 0.13 * s), (-1.75, -0.06, 0.11 * s), 0.19, 0.21)
              for s in BOTH),  # wrist
        ],
        "cuts": [
            ball((0.08, 0.56, 0.02), (0.52, 0.45, 0.36)),  # the hollow of the palm
        ]},
    # Letters of chocolate, a metre high, in the plane z = 0; the origin is the middle.
    "letter_o": {
        "file": "barreiro2017/meshes/letter_o.obj", "cell": 0.05, "low": (-0.6, -0.6, -0.25),
        "count": (24, 24, 10), "blend": 0.05,
        "parts": [hoop((0, 0, 0), 0.31, 1.16, 0.135)]},
    "letter_z": {
        "file": "barreiro2017/meshes/letter_z.obj", "cell": 0.05, "low": (-0.6, -0.6, -0.25),
        "count": (24, 24, 10), "blend": 0.05,
        "parts": [
            limb((-0.27, 0.37, 0), (0.27, 0.37, 0), 0.13),
            limb((0.27, 0.37, 0), (-0.27, -0.37, 0), 0.13),
            limb((-0.27, -0.37, 0), (0.27, -0.37, 0), 0.13),
        ]},
    "letter_e": {
        "file": "barreiro2017/meshes/letter_e.obj", "cell": 0.05, "low": (-0.6, -0.6, -0.25),
        "count": (24, 24, 10), "blend": 0.05,
        "parts": [
            limb((-0.22, -0.37, 0), (-0.22, 0.37, 0), 0.13),
            limb((-0.22, 0.37, 0), (0.25, 0.37, 0), 0.125),
            limb((-0.22, 0.0, 0), (0.18, 0.0, 0), 0.115),
            limb((-0.22, -0.37, 0), (0.25, -0.37, 0), 0.125),
        ]},
    # A flower of sugar on a thick stem, a metre high; it looks up.
    "flower": {
        "file": "barreiro2017/meshes/flower.obj", "cell": 0.036, "low": (-0.595, -0.0878, -0.5818),
        "count": (33, 35, 33), "blend": 0.06,
        "parts": [
            limb((0.0, 0.05, 0.0), (0.0, 0.88, 0.0), 0.10, 0.09),  # stem
            ball((0.0, 0.95, 0.0), (0.15, 0.12, 0.15)),  # its middle
            *(ball((0.29 * math.sin(a), 0.94, 0.29 * math.cos(a)), (0.15, 0.085, 0.20),
                   (-20, math.degrees(a), 0)) for a in PETALS),
        ]},
    # A bust on a round foot, a metre high; looks along z.
    "bust": {
        "file": "gallery/meshes/bust.obj", "cell": 0.0165, "low": (-0.363, -0.05, -0.28),
        "count": (44, 66, 34), "blend": 0.028,
        "parts": [
            ball((0.0, 0.80, -0.02), (0.150, 0.175, 0.180)),  # skull
            ball((0.0, 0.70, 0.045), (0.112, 0.140, 0.120)),  # face
            box((0.0, 0.815, 0.125), (0.085, 0.016, 0.025), 0.015, (12, 0, 0)),  # brow
            limb((0.0, 0.80, 0.150), (0.0, 0.715, 0.198), 0.017, 0.025),  # nose
            *(ball((0.022 * s, 0.708, 0.178), (0.018, 0.014, 0.018)) for s in BOTH),
            ball((0.0, 0.664, 0.150), (0.043, 0.011, 0.020)),  # lips
            ball((0.0, 0.643, 0.148), (0.036, 0.012, 0.020)),
            ball((0.0, 0.592, 0.128), (0.045, 0.036, 0.038)),  # chin
            *(ball((0.070 * s, 0.715, 0.105), (0.036, 0.042, 0.036)) for s in BOTH),  # cheeks
            *(ball((0.150 * s, 0.745, -0.01), (0.018, 0.048, 0.032), (0, 0, -6 * s))
              for s in BOTH),  # ears
            limb((0.0, 0.62, -0.02), (0.0, 0.42, -0.02), 0.088, 0.098),  # neck
            *(limb((0.03 * s, 0.45, -0.02), (0.235 * s, 0.365, -0.03), 0.085, 0.088)
              for s in BOTH),  # shoulders
            ball((0.0, 0.335, 0.0), (0.225, 0.135, 0.125)),  # chest
            limb((0.0, 0.24, 0.0), (0.0, 0.10, 0.0), 0.10, 0.085),
            box((0.0, 0.045, 0.0), (0.15, 0.045, 0.13), 0.02),  # foot
            *(ball((0.15 * math.sin(a) * math.cos(b), 0.82 + 0.165 * math.sin(b),
                    -0.035 - 0.165 * math.cos(a) * math.cos(b)), (0.042, 0.034, 0.042))
              for b in (0.1, 0.6, 1.1) for a in [k * 0.62 for k in range(-3, 4)]),  # curls
            *(ball((0.05 * k, 0.945 - 0.012 * abs(k), 0.085 - 0.012 * abs(k)),
                   (0.036, 0.030, 0.036)) for k in (-2, -1, 0, 1, 2)),
        ],
        "cuts": [
            *(ball((0.055 * s, 0.770, 0.175), (0.030, 0.020, 0.026)) for s in BOTH),  # eyes
        ],
        "details": [
            *(ball((0.053 * s, 0.768, 0.138), (0.022, 0.019, 0.020)) for s in BOTH),
        ]},
    # A gummy bear; the origin is its middle.
    "bear": {
        "file": "gallery/meshes/bear.obj", "cell": 0.02, "low": (-0.34, -0.04, -0.28),
        "count": (34, 54, 34), "blend": 0.045, "origin": (0.0, 0.48, 0.04),
        "parts": [
            ball((0.0, 0.36, -0.01), (0.235, 0.29, 0.185)),  # body
            ball((0.0, 0.33, 0.06), (0.185, 0.21, 0.15)),  # belly
            ball((0.0, 0.745, 0.02), (0.215, 0.19, 0.18)),  # head
            ball((0.0, 0.69, 0.175), (0.105, 0.078, 0.075)),  # muzzle
            *(ball((0.165 * s, 0.905, 0.0), (0.082, 0.082, 0.055)) for s in BOTH),  # ears
            *(limb((0.20 * s, 0.52, 0.04), (0.135 * s, 0.45, 0.225), 0.082, 0.068)
              for s in BOTH),  # arms
            *(limb((0.145 * s, 0.12, 0.03), (0.175 * s, 0.105, 0.235), 0.115, 0.09)
              for s in BOTH),  # legs
        ],
        "cuts": [
            *(ball((0.172 * s, 0.912, 0.062), (0.046, 0.046, 0.036)) for s in BOTH),
            *(ball((0.085 * s, 0.785, 0.195), (0.03, 0.034, 0.03)) for s in BOTH),  # eyes
        ],
        "details": [
            ball((0.0, 0.72, 0.24), (0.042, 0.032, 0.03)),  # nose
        ]},
}


# ---- surface ---------------------------------------------------------------------------------

def union(figure, parts):
    """Blended distance to the parts by node of the grid; nodes far from all parts are absent."""
    cell, low, count, width = figure["cell"], figure["low"], figure["count"], figure["blend"] / 3
    total = {}
    for distance, (least, most) in parts:
        reach = 18 * width  # where a part adds 2e-8 of itself
        ranges = [range(max(math.floor((least[k] - reach - low[k]) / cell), 0),
                        min(math.ceil((most[k] + reach - low[k]) / cell), count[k]) + 1)
                  for k in range(3)]
        for i in itertools.product(*ranges):
            total[i] = total.get(i, 0.0) + math.exp(-distance(node(figure, i)) / width)
    return {i: -width * math.log(value) for i, value in total.items() if value > 0}


def field(figure):
    """The field by node of the grid, negative inside."""
    far, crease = 1.0, 0.004
    solid = union(figure, figure["parts"])
    cut = union(figure, figure.get("cuts", []))
    detail = union(figure, figure.get("details", []))
    value = {}
    for i in itertools.product(*(range(n + 1) for n in figure["count"])):
        v = solid.get(i, far)
        if i in cut:
            v = crease * math.log(math.exp(min(v / crease, 600)) +
                                  math.exp(min(-cut[i] / crease, 600)))
        value[i] = min(v, detail.get(i, far))
    return value


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


def write(figure, file=None):
    value, origin = field(figure), figure.get("origin", (0, 0, 0))
    file = file or SCENES / figure["file"]
    lines, number = [f"# a {file.stem}; written by tools/figure_meshes.py"], {}
    for i in itertools.product(*(range(n) for n in figure["count"])):
        corners = [tuple(i[k] + (c >> k & 1) for k in range(3)) for c in range(8)]
        values = [value[c] for c in corners]
        if any(v < 0 for v in values) and any(v >= 0 for v in values):
            number[i] = len(number) + 1
            at = vertex([node(figure, c) for c in corners], values)
            lines.append("v {:.4f} {:.4f} {:.4f}".format(*(at[k] - origin[k] for k in range(3))))
    for i, inside in value.items():
        for k in range(3):
            j = tuple(i[m] + (m == k) for m in range(3))
            if j not in value or (inside < 0) == (value[j] < 0):
                continue
            u, v = (k + 1) % 3, (k + 2) % 3
            cells = [tuple(i[m] - (m == u) * a - (m == v) * b for m in range(3)) for a,
                     b in ((1, 1), (0, 1), (0, 0), (1, 0))]
            a, b, c, d = (number[cell] for cell in (cells if inside < 0 else reversed(cells)))
            lines += [f"f {a} {b} {c}", f"f {a} {c} {d}"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        write(FIGURES[name])
