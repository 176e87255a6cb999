#!/usr/bin/env python3
"""Writes the meshes of the gallery, scenes/gallery/meshes/*.obj, up is y: closed lofts of a few
rings, in metres, the slope of the lava as a height map, and the bear and the bust of
figure_meshes.py, about one metre high."""
import math
import pathlib
import random

import figure_meshes

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenes/gallery/meshes"
HAND = FOLDER.parents[1] / "barreiro2017/meshes/hand.obj"


def loft(rings, first=1):
    """Lines of a closed mesh: rings of equal length from bottom to top, counter-clockwise seen from
    above; both ends closed by fans. A profile may go up outside and down inside: a cup."""
    count, lines = len(rings[0]), []
    lines += ["v {:.6g} {:.6g} {:.6g}".format(*p) for ring in rings for p in ring]
    ends = []
    for ring in (rings[0], rings[-1]):
        centre = [sum(p[k] for p in ring) / count for k in range(3)]
        lines.append("v {:.6g} {:.6g} {:.6g}".format(*centre))
        ends.append(len(rings) * count + len(ends) + first)
    for k in range(len(rings) - 1):
        for i in range(count):
            a, b = k * count + i + first, k * count + (i + 1) % count + first
            lines += [f"f {a} {b} {b + count}", f"f {a} {b + count} {a + count}"]
    top = (len(rings) - 1) * count
    for i in range(count):
        j = (i + 1) % count
        lines += [f"f {ends[0]} {j + first} {i + first}",
                  f"f {ends[1]} {top + i + first} {top + j + first}"]
    return lines, first + len(rings) * count + 2


def write(name, remark, rings, tool="gallery_meshes.py"):
    """A mesh of one loft."""
    write_lofts(name, remark, [rings], tool)


def write_lofts(name, remark, lofts, tool="gallery_meshes.py"):
    lines, first = [f"# {remark}; written by tools/{tool}"], 1
    for rings in lofts:
        more, first = loft(rings, first)
        lines += more
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def sweep(path, radii, count=16):
    """Rings of a tube along points that do not run along z; radii: of each point."""
    rings = []
    for i, (x, y, z) in enumerate(path):
        a, b = path[max(i - 1, 0)], path[min(i + 1, len(path) - 1)]
        along = [b[k] - a[k] for k in range(3)]
        length = math.hypot(*along)
        t = [v / length for v in along]
        s = [t[1], -t[0], 0.0]  # t x z
        size = math.hypot(*s)
        s = [v / size for v in s]
        n = [s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]]
        r, points = radii[i], []
        for k in range(count):
            c, d = math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count)
            points.append(tuple((x, y, z)[m] + r * (c * s[m] - d * n[m]) for m in range(3)))
        rings.append(points)
    return rings


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


def write_waffle():
    """A square waffle of 11 cm, its pockets open to both sides of a middle sheet; origin below."""
    pitch, pockets, rim, wide, slope = 0.019, 5, 0.0145, 0.0016, 0.0022
    low, high, skin = 0.0075, 0.0155, 0.0012
    half = pockets * pitch / 2 + wide
    lines = [-half - 0.004, -half - 0.003, -half - 0.0012]
    for k in range(pockets + 1):
        at = (k - pockets / 2) * pitch
        lines += [at - wide - slope, at - wide - 0.0005, at - wide + 0.0003, at + wide - 0.0003,
                  at + wide + 0.0005, at + wide + slope]
    lines = sorted(v for v in lines if -half - 0.0041 < v < half + 0.0041)
    lines = [v for v in lines if v > -half + 0.0002 or v <= -half - 0.0012]
    lines = sorted(set(lines) | {-v for v in lines})

    def rib(v):
        """Height of the nearest rib at this distance from it, 0 to 1."""
        at = abs((v / pitch + pockets / 2) - round(v / pitch + pockets / 2)) * pitch
        at = at if abs(v) < half else max(abs(v) - half + wide, 0)
        if abs(v) > half:
            return 1.0 - max(0.0, (abs(v) - half) / 0.004) ** 2
        return min(1.0, max(0.0, 1 - max(0.0, at - wide + 0.0004) / slope))

    def height(x, z):
        outside = max(abs(x), abs(z)) - half
        top = low + (high - low) * max(rib(x), rib(z))
        if outside > 0:
            top = rim - 0.006 * (outside / 0.004) ** 2
        return top
    count = len(lines)
    text = ["# a waffle; written by tools/gallery_meshes.py"]
    for side in (1, 0):
        for z in lines:
            for x in lines:
                y = height(x, z)
                text.append("v {:.5f} {:.5f} {:.5f}".format(x, y if side else skin, z))

    def quad(a, b, c, d):
        text.extend([f"f {a} {b} {c}", f"f {a} {c} {d}"])
    for j in range(count - 1):
        for i in range(count - 1):
            a = j * count + i + 1
            b, c, d = a + count, a + count + 1, a + 1
            quad(a, b, c, d)
            quad(*(v + count * count for v in (a, d, c, b)))
    edge = [i for i in range(count)] + [j * count + count - 1 for j in range(1, count)]
    edge += [(count - 1) * count + i for i in range(count - 2, -1, -1)]
    edge += [j * count for j in range(count - 2, 0, -1)]
    for i, a in enumerate(edge):
        b = edge[(i + 1) % len(edge)]
        quad(a + 1, b + 1, b + 1 + count * count, a + 1 + count * count)
    (FOLDER / "waffle.obj").write_text("\n".join(text) + "\n")


def write_brush():
    """A toothbrush along x, its bristles up; the origin is the middle of the top of the head."""
    def oval(x, y, tall, wide, count=24):
        return [(x, y + tall * math.sin(-a), wide * math.cos(a)) for a in
                (2 * math.pi * k / count for k in range(count))]
    profile = [(-0.0165, -0.0025, 0.0012, 0.003), (-0.016, -0.0025, 0.0020, 0.0048),
               (-0.012, -0.0025, 0.0024, 0.0062), (0.0, -0.0025, 0.0025, 0.0066),
               (0.011, -0.0025, 0.0025, 0.0060), (0.018, -0.0027, 0.0026, 0.0036),
               (0.030, -0.0032, 0.0026, 0.0026), (0.045, -0.0042, 0.0032, 0.0034),
               (0.060, -0.0055, 0.0045, 0.0056), (0.085, -0.0075, 0.0058, 0.0070),
               (0.110, -0.0080, 0.0054, 0.0062), (0.135, -0.0080, 0.0052, 0.0064),
               (0.148, -0.0080, 0.0044, 0.0054), (0.152, -0.0080, 0.0020, 0.0026)]
    write("brush.obj", "a toothbrush", [oval(*p) for p in profile])
    tufts, chance = [], random.Random(3)
    for j in range(5):
        for i in range(11):
            x, z = (i - 5) * 0.0027, (j - 2) * 0.0024
            if abs(i - 5) == 5 and abs(j - 2) == 2:
                continue
            tip = 0.0100 + 0.0004 * chance.random()
            lean, out = 0.0006 * (chance.random() - 0.5), 0.0005 * (chance.random() - 0.5)
            tufts.append(sweep([(x, -0.001, z), (x + lean / 2, tip / 2, z + out / 2),
                                (x + lean, tip, z + out)], [0.00095, 0.0010, 0.00112], 10))
    write_lofts("bristles.obj", "tufts of bristles", tufts)


def write_paste_bands():
    """Bands of a disc of 4.2 mm in the plane y = 0: openings for stripes of toothpaste."""
    radius, cuts = 0.0042, (-0.0042, -0.0027, -0.0016, -0.00055, 0.00055, 0.0016, 0.0027, 0.0042)
    for k, (low, high) in enumerate(zip(cuts, cuts[1:])):
        steps = 8
        upper = [low + (high - low) * i / steps for i in range(steps + 1)]
        outline = [(z, math.sqrt(max(radius ** 2 - z * z, 1e-9))) for z in upper]
        outline += [(z, -x) for z, x in reversed(outline)]
        outline = [(x, z) for z, x in outline]
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(outline, outline[1:] + outline[:1]))
        if area > 0:
            outline.reverse()
        write(f"paste_band{k}.obj", "part of a nozzle's opening",
              [[(x, y, z) for x, z in outline] for y in (-0.003, 0.003)])


def write_tube():
    """The mouth of a tube of toothpaste, opening down at the origin."""
    profile = [(0.0, 0.0046), (0.0, 0.0056), (0.009, 0.0058), (0.0095, 0.0075), (0.012, 0.0085),
               (0.016, 0.0165), (0.019, 0.0180), (0.070, 0.0170), (0.071, 0.015)]
    write("tube.obj", "a tube of toothpaste", [ring(y, r, 48) for y, r in profile])


def write_jelly():
    """A jelly from a fluted mould, 8 cm wide and 5 cm high; the origin is below."""
    profile = [(0.0, 0.038, 0.055), (0.0006, 0.0392, 0.07), (0.004, 0.0392, 0.075),
               (0.020, 0.0362, 0.075), (0.030, 0.0335, 0.07), (0.0335, 0.0318, 0.055),
               (0.0350, 0.0295, 0.04), (0.0355, 0.0275, 0.03), (0.0362, 0.0268, 0.045),
               (0.0400, 0.0258, 0.06), (0.0460, 0.0238, 0.06), (0.0490, 0.0220, 0.05),
               (0.0508, 0.0195, 0.035), (0.0518, 0.0160, 0.02), (0.0520, 0.0110, 0.0)]
    write("jelly.obj", "a jelly from a fluted mould",
          [ring(y, r, 144, ripple, 12) for y, r, ripple in profile])


def write_mug():
    """A cup with a handle, 9 cm wide and 6.5 cm high, and its saucer."""
    profile = [(0.0, 0.022), (0.0, 0.0255), (0.003, 0.0262), (0.006, 0.030), (0.014, 0.0375),
               (0.026, 0.0425), (0.042, 0.0448), (0.060, 0.0458), (0.0640, 0.0461),
               (0.0650, 0.0452), (0.0640, 0.0440), (0.060, 0.0428), (0.042, 0.0418),
               (0.027, 0.0396), (0.0165, 0.0350), (0.0105, 0.0285), (0.0085, 0.0215),
               (0.0080, 0.010)]
    write("mug.obj", "a cup", [ring(y, r, 72) for y, r in profile])
    inside = [(y + 0.0055, r - 0.0005) for y, r in reversed(profile) if r < 0.0425 and y < 0.05
              and (y, r) in profile[10:]]
    write("coffee.obj", "coffee that fills most of the cup, which stands 5 mm higher",
          [ring(y, r, 48) for y, r in [(inside[0][0], 0.004), *inside, (0.0545, 0.0418)]])
    arc = [(0.0435 - 0.0055 * (k / 20) ** 2 + 0.0250 * math.sin(math.pi * k / 20) ** 0.8,
            0.0360 + 0.0175 * math.cos(math.pi * k / 20), 0.0) for k in range(21)]
    write("handle.obj", "the handle of a cup", sweep(arc, [0.0040] * 21, 20))
    profile = [(0.0, 0.030), (0.0, 0.044), (0.004, 0.058), (0.010, 0.0755), (0.0130, 0.0795),
               (0.0145, 0.0800), (0.0142, 0.0785), (0.0105, 0.0720), (0.0062, 0.0560),
               (0.0050, 0.0420), (0.0045, 0.0300)]
    write("saucer.obj", "a saucer", [ring(y, r, 72) for y, r in profile])


def write_jug():
    """A small jug of metal with a lip, tilted about its lip, which is the origin; it pours along
    -x."""
    rings = []
    for y, r, lip in [(0.0, 0.020, 0), (0.001, 0.022, 0), (0.02, 0.0245, 0), (0.038, 0.0215, 0),
                      (0.050, 0.0190, 0.1), (0.058, 0.0190, 0.35), (0.0585, 0.0182, 0.35),
                      (0.050, 0.0178, 0.1), (0.038, 0.0203, 0), (0.02, 0.0233, 0),
                      (0.003, 0.0205, 0), (0.002, 0.010, 0)]:
        points = []
        for i in range(64):
            a = -2 * math.pi * i / 64
            bump = lip * math.exp(-((math.cos(a) + 1) / 0.12))
            points.append((r * (1 + bump) * math.cos(a) + 0.0256, y - 0.058, r * math.sin(a)))
        rings.append(points)
    write("jug.obj", "a small jug", rings)


def write_egg():
    """The white of a fried egg with a hollow for the yolk, 12 cm wide; the origin is below."""
    def wavy(y, radius, share):
        points = []
        for i in range(96):
            a = -2 * math.pi * i / 96
            wave = 0.10 * math.sin(2 * a + 0.6) + 0.07 * math.sin(3 * a + 2.1)
            wave += 0.035 * math.sin(5 * a + 1) + 0.018 * math.sin(9 * a)
            r = radius * (1 + share * wave)
            points.append((r * math.cos(a), y + 0.0006 * share * math.sin(7 * a), r * math.sin(a)))
        return points
    profile = [(0.0, 0.052, 1), (0.0004, 0.0545, 1), (0.0016, 0.0555, 1), (0.0028, 0.0548, 1),
               (0.0033, 0.0520, 1), (0.0032, 0.0440, 0.8), (0.0040, 0.0350, 0.55),
               (0.0058, 0.0275, 0.25), (0.0066, 0.0240, 0.1), (0.0064, 0.0215, 0),
               (0.0052, 0.0185, 0), (0.0038, 0.0140, 0), (0.0032, 0.0070, 0)]
    write("egg_white.obj", "the white of a fried egg", [wavy(*p) for p in profile])


def write_yolk():
    """A yolk that fits its hollow, 4 cm wide."""
    profile = [(0.0042, 0.0060), (0.0046, 0.0120), (0.0058, 0.0165), (0.0074, 0.0190),
               (0.0096, 0.0200), (0.0120, 0.0193), (0.0144, 0.0170), (0.0163, 0.0130),
               (0.0173, 0.0085), (0.0177, 0.0040)]
    write("yolk.obj", "the yolk of an egg", [ring(y, r, 64) for y, r in profile])


def write_fork():
    """A fork with four prongs that point down; the origin is between their tips."""
    lofts = []
    for k in range(4):
        z = (k - 1.5) * 0.0056
        lofts.append(sweep([(0.0, 0.0, z), (0.0002, 0.004, z), (0.001, 0.02, z), (0.003, 0.036, z),
                            (0.0045, 0.046, z * 0.95), (0.006, 0.052, z * 0.7)],
                           [0.0005, 0.0011, 0.0014, 0.0015, 0.0016, 0.0014], 12))
    path = [(0.0035, 0.042), (0.0045, 0.046), (0.0065, 0.054), (0.010, 0.064), (0.016, 0.080),
            (0.030, 0.110), (0.050, 0.150), (0.066, 0.180), (0.068, 0.183)]
    half = [(0.0008, 0.0085), (0.0014, 0.0105), (0.0016, 0.0098), (0.0018, 0.0055),
            (0.0020, 0.0030), (0.0018, 0.0040), (0.0018, 0.0075), (0.0016, 0.0080),
            (0.0006, 0.0050)]
    flat = []
    for (x, y), (thick, wide) in zip(path, half):
        flat.append([(x + thick * math.cos(a), y - 0.4 * thick * math.cos(a), -wide * math.sin(a))
                     for a in (2 * math.pi * i / 20 for i in range(20))])
    lofts.append(flat)
    write_lofts("fork.obj", "a fork", lofts)


def write_right_hand():
    """The mirror image of the hand of the figures."""
    lines = []
    for line in HAND.read_text().splitlines():
        words = line.split()
        if words[0] == "v":
            line = f"v {words[1]} {words[2]} {-float(words[3]):.4f}"
        elif words[0] == "f":
            line = f"f {words[1]} {words[3]} {words[2]}"
        lines.append(line)
    (FOLDER / "right_hand.obj").write_text("\n".join(lines) + "\n")


def write_slope():
    """A slope of rock with a channel, as a height map of 16 bits: x across, the rows downhill."""
    wide, long = 120, 120
    chance = random.Random(11)
    grids = [[[chance.random() for _ in range(n + 1)] for _ in range(n + 1)]
             for n in (8, 18, 36, 72)]

    def noise(u, v, level):
        grid = grids[level]
        n = len(grid[0]) - 1
        i, j = min(int(u * n), n - 1), min(int(v * n), n - 1)
        a, b = u * n - i, v * n - j
        a, b = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
        return ((grid[j][i] * (1 - a) + grid[j][i + 1] * a) * (1 - b)
                + (grid[j + 1][i] * (1 - a) + grid[j + 1][i + 1] * a) * b)
    rows = []
    for j in range(long):
        v = j / (long - 1)
        middle = 0.21 * math.sin(6.5 * v + 0.4) * (0.3 + v)
        row = []
        for i in range(wide):
            u = i / (wide - 1)
            off = abs(2.6 * (u - 0.5) - middle)
            fall = 0.62 * (1 - v) ** 1.15
            bank = 0.30 * min(off / 0.62, 1.4) ** 1.6
            rough = 0.10 * noise(u, v, 0) + 0.07 * noise(u, v, 1) + 0.05 * noise(u, v, 2)
            rough += 0.025 * noise(u, v, 3)
            row.append(fall + bank + 1.3 * rough * (0.3 + 0.7 * min(off / 0.3, 1)))
        rows.append(row)
    low, high = min(map(min, rows)), max(map(max, rows))
    data = bytearray()
    for row in rows:
        for value in row:
            data += round(65535 * (value - low) / (high - low)).to_bytes(2, "big")
    (FOLDER / "slope.pgm").write_bytes(f"P5\n{wide} {long}\n65535\n".encode() + bytes(data))


def write_all():
    write_toast()
    write_dipper()
    write_cupcake()
    write_star_nozzle()
    write_waffle()
    write_brush()
    write_paste_bands()
    write_tube()
    write_jelly()
    write_mug()
    write_jug()
    write_egg()
    write_yolk()
    write_fork()
    write_right_hand()
    write_slope()
    for name in ("bear", "bust"):
        figure_meshes.write(figure_meshes.FIGURES[name], FOLDER / f"{name}.obj")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_all()
