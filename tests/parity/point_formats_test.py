"""PLY, bgeo and CSV read by parsers written from the formats' descriptions: every value of every
field."""

import csv
import struct

import numpy

from samples import FRAMES, Samples, check, check_equal


def column_names(name, width):
    if width == 1:
        return [name]
    return [f"{name}_{c}" for c in ("xyz" if width == 3 else range(width))]


def check_ply(samples, number):
    types = {"float": "<f4", "double": "<f8", "uchar": "u1", "uint": "<u4"}
    with open(samples.export_path("ply", number), "rb") as file:
        data = file.read()
    header, body = data.split(b"end_header\n", 1)
    lines = header.decode("ascii").splitlines()
    check(lines[:2] == ["ply", "format binary_little_endian 1.0"], "PLY head")
    count = next(int(line.split()[2]) for line in lines if line.startswith("element vertex "))
    row = numpy.dtype([(line.split()[2], types[line.split()[1]])
                       for line in lines if line.startswith("property ")])
    check(len(body) == count * row.itemsize, "PLY length")
    table, fields = numpy.frombuffer(body, row), samples.fields(number)
    special = {"position": ["x", "y", "z"], "velocity": ["vx", "vy", "vz"]}
    for name, values in fields.items():
        names = special.get(name, column_names(name, values.shape[1]))
        for c, column in enumerate(names):
            check_equal(table[column], values[:, c], f"PLY {column}")
    check(len(row.names) == sum(v.shape[1] for v in fields.values()), "PLY columns")


class Big:
    """Big-endian numbers one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, kind):
        value = struct.unpack_from(">" + kind, self.data, self.at)
        self.at += struct.calcsize(">" + kind)
        return value[0]

    def text(self):
        length = self.take("H")
        self.at += length
        return self.data[self.at - length:self.at].decode("ascii")


def check_bgeo(samples, number):
    with open(samples.export_path("bgeo", number), "rb") as file:
        big = Big(file.read())
    check(big.take("i") == int.from_bytes(b"Bgeo", "big"), "bgeo magic")
    check(big.take("c") == b"V" and big.take("i") == 5, "bgeo version")
    points, primitives, point_groups, primitive_groups = (big.take("i") for _ in range(4))
    attributes, vertex_attributes, primitive_attributes, detail = (big.take("i") for _ in range(4))
    check((primitives, point_groups, primitive_groups) == (0, 0, 0), "bgeo primitives and groups")
    check((vertex_attributes, primitive_attributes, detail) == (0, 0, 0), "bgeo other attributes")
    row = [("P", ">f4", (4,))]
    types = {}
    for _ in range(attributes):
        name, size, kind = big.text(), big.take("H"), big.take("i")
        check(kind in (0, 1, 5), f"bgeo type of {name}")
        check([big.take("i") for _ in range(size)] == [0] * size, f"bgeo defaults of {name}")
        types[name] = kind
        row.append((name, ">i4" if kind == 1 else ">f4", (size,)))
    row = numpy.dtype(row)
    table = numpy.frombuffer(big.data, row, points, big.at)
    check(big.data[big.at + points * row.itemsize:] == b"\x00\xff", "bgeo end")
    fields = samples.fields(number)
    check(len(fields["id"]) == points, "bgeo points")
    check_equal(table["P"][:, :3], fields["position"], "bgeo P")
    check((table["P"][:, 3] == 1).all(), "bgeo w")
    check_equal(table["v"], fields["velocity"], "bgeo v")
    check(types["v"] == 5, "bgeo v is a vector")
    low = table["id"].astype("u4").astype("u8")
    high = table["id_high"].astype("u4").astype("u8") if "id_high" in types else numpy.uint64(0)
    check_equal(low | high << numpy.uint64(32), fields["id"], "bgeo id")
    check(("id_high" in types) == (points >= 5), "bgeo splits ids only where it must")
    for name in ("material", "flags", "bonds"):
        check_equal(table[name].astype("u4"), fields[name], f"bgeo {name}")
    for name in ("density", "stress", "age"):
        check_equal(table[name], fields[name].astype("f4"), f"bgeo {name}")


def check_csv(samples, number):
    with open(samples.export_path("csv", number), newline="") as file:
        rows = list(csv.reader(file))
    fields = samples.fields(number)
    units = {"position": "m", "velocity": "m/s", "density": "kg/m3", "stress": "Pa", "age": "s"}
    expected = [c + (f" [{units[name]}]" if name in units else "")
                for name in ORDER for c in column_names(name, fields[name].shape[1])]
    check(rows[0] == expected, "CSV header")
    check(len(rows) - 1 == len(fields["id"]), "CSV rows")
    at = 0
    for name in ORDER:
        values = fields[name]
        for c in range(values.shape[1]):
            texts = [row[at] for row in rows[1:]]
            got = numpy.array([int(t) if values.dtype.kind == "u" else float(t) for t in texts],
                              values.dtype)
            check_equal(got, values[:, c], f"CSV {name}")
            at += 1


ORDER = ["position", "velocity", "id", "material", "density", "stress", "age", "flags", "bonds"]

with Samples() as made:
    for frame in range(FRAMES):
        check_ply(made, frame)
        check_bgeo(made, frame)
        check_csv(made, frame)
print("PLY, bgeo and CSV hold every value")
