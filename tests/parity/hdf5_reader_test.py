"""Frames read with h5py: the layout that docs promise, the values that went in, and an XDMF index
that points to them rightly."""

import struct
import xml.etree.ElementTree as xml

import h5py
import numpy

from samples import FRAMES, Samples, check, check_equal

COUNTS = [5, 0, 1, 20000]
SHAPES = {
    "position": ("<f4", 3, "m"), "velocity": ("<f4", 3, "m/s"), "id": ("<u8", 1, ""),
    "material": ("<u2", 1, ""), "density": ("<f4", 1, "kg/m3"), "stress": ("<f4", 6, "Pa"),
    "age": ("<f8", 1, "s"), "flags": ("|u1", 1, ""), "bonds": ("<u4", 2, ""),
}


def check_frame(samples, number):
    with h5py.File(samples.frame_path(number), "r") as file:
        count = COUNTS[number]
        check(file.userblock_size == 512, "user block")
        check(file.attrs["format_version"] == 2, "format version")
        check(file.attrs["writer"].decode().startswith("ooze "), "writer")
        check(file.attrs["index"] == number and file.attrs["step"] == 10 * number + 3,
              "index, step")
        check(file.attrs["time"] == 0.125 * number + 0.001, "time")
        check((file.attrs["spacing"], file.attrs["support"]) == (0.01, 0.02), "spacing, support")
        check(file.attrs["up"] == b"z" and file.attrs["method"] == b"ballistic", "up, method")
        check(file.attrs["particle_count"] == count, "particle count")
        particles = file["particles"]
        check(set(particles) == set(SHAPES), "list of fields")
        for name, (kind, columns, unit) in SHAPES.items():
            data = particles[name]
            check(data.dtype == numpy.dtype(kind), f"type of {name}")
            check(data.shape == ((count,) if columns == 1 else (count, columns)),
                  f"shape of {name}")
            check(data.attrs["unit"].decode() == unit and data.attrs["help"], f"unit of {name}")
            check(data.chunks is None and data.compression is None, f"{name} is plain")
        expected = numpy.array([7 * i + (1 << 40 if i % 5 == 4 else 0) for i in range(count)], "u8")
        check_equal(particles["id"], expected, "ids")
        check(list(file["solids/names"].asstr()) == ["bowl", 'Löffel & "<spoon>"'],
              "names of solids")
        check_equal(file["solids/pose"][0],
                    [1, 2, 3, 0, .6, 0, .8, .1, .2, .3, -1, -2, -3 - number],
                    "pose")
        check(list(file["materials/names"].asstr()) == ["honey", "", "a rather long name"],
              "materials")
        check_equal(file["materials/density"], [1420.0, 1000.0, 0.1], "densities")
        check_equal(file["materials/color"][0], numpy.float32([0.9, 0.6, 0.1]), "colours")
        check(file["state/emitter.phase"].shape == (5, 2), "state")
        check(file["state/emitter.phase"].attrs["columns"] == b"phase rate", "names of columns")
        check(file["state/empty"].shape == (0,), "empty state")


def check_block(samples, number):
    with open(samples.frame_path(number), "rb") as file:
        data = file.read()
    check(data[:8] == b"\x8fOOZE\r\n\x1a", "magic")
    version, block, length = struct.unpack_from("<IIQ", data, 8)
    check((version, block, length) == (2, 512, len(data)), "version, block, length")
    index, step, time, count = struct.unpack_from("<QQdQ", data, 32)
    check((index, step, time, count) == (number, 10 * number + 3, 0.125 * number + 0.001,
                                         COUNTS[number]), "numbers in the block")
    check(data[512:520] == b"\x89HDF\r\n\x1a\n", "HDF5 after the block")


def check_index(samples):
    """What a reader of XDMF would do: follow every data item, with the type and shape it says."""
    kinds = {("Float", 4): "<f4", ("Float", 8): "<f8", ("UChar", 1): "|u1", ("UShort", 2): "<u2",
             ("UInt", 4): "<u4", ("Int", 8): "<u8"}
    root = xml.parse(samples.path("run", "run.xdmf")).getroot()
    collection = root.find("Domain/Grid")
    check(collection.get("CollectionType") == "Temporal", "temporal collection")
    filled = [n for n in range(FRAMES) if COUNTS[n] > 0]
    grids = collection.findall("Grid")
    check(len(grids) == len(filled), "a grid for every frame with particles")
    for number, grid in zip(filled, grids):
        check(float(grid.find("Time").get("Value")) == 0.125 * number + 0.001, "time of a grid")
        topology = grid.find("Topology")
        check(topology.get("TopologyType") == "Polyvertex"
              and int(topology.get("NumberOfElements")) == COUNTS[number], "topology")
        items = {"position": grid.find("Geometry/DataItem")}
        items.update({a.get("Name"): a.find("DataItem") for a in grid.findall("Attribute")})
        check(set(items) == set(SHAPES), "attributes of a grid")
        for name, item in items.items():
            file_name, inside = item.text.split(":")
            with h5py.File(samples.path("run", file_name), "r") as file:
                data = file[inside]
                check(data.shape == tuple(int(n) for n in item.get("Dimensions").split()),
                      f"dimensions of {name}")
                check(data.dtype == kinds[item.get("NumberType"), int(item.get("Precision"))],
                      f"type of {name}")


with Samples() as made:
    for frame in range(FRAMES):
        check_frame(made, frame)
        check_block(made, frame)
    check_index(made)
print("h5py reads what was written")
