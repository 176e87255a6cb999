"""Reads the PLY files that `ooze mesh` and `ooze export` write, and writes meshes for scenes."""
import re
from urllib.parse import unquote

import numpy

TYPES = {"float": "<f4", "double": "<f8", "uchar": "u1", "uint": "<u4", "int": "<i4"}
HEADER_LIMIT = 1 << 20


class PlyError(Exception):
    """One sentence about a file that cannot be read."""


class Ply:
    """Vertices as a structured array, triangles as rows of three indices."""

    def __init__(self, comments, vertices, triangles):
        self.comments = comments
        self.vertices = vertices
        self.triangles = triangles

    def columns(self, *names):
        """The named properties side by side, as single precision."""
        rows = numpy.empty((len(self.vertices), len(names)), numpy.float32)
        for i, name in enumerate(names):
            rows[:, i] = self.vertices[name]
        return rows

    def solid_poses(self):
        return solid_poses(self.comments)


def solid_poses(comments):
    """Position and rotation (w, x, y, z) of each solid by name."""
    poses = {}
    for line in comments:
        words = line.split(" ", 8)
        if words[0] == "solid" and len(words) == 9:
            numbers = [float(word) for word in words[1:8]]
            poses[unquote(words[8])] = numbers[:3], [numbers[6], *numbers[3:6]]
    return poses


def read_header(file, path):
    """Comments, and the elements with their counts and properties; the file is then at its data."""
    comments, elements = [], []
    if file.readline(16).strip() != b"ply":
        raise PlyError(f"{path} is not a PLY file.")
    while True:
        line = file.readline(HEADER_LIMIT)
        words = line.decode("utf-8", "replace").split()
        if not line.endswith(b"\n") or not words:
            raise PlyError(f"{path} has no complete header.")
        if words[0] == "end_header":
            return comments, elements
        if words[0] == "format" and words[1] != "binary_little_endian":
            raise PlyError(f"{path} is not binary, so Ooze has not written it.")
        if words[0] == "comment":
            comments.append(line.decode("utf-8", "replace").rstrip("\n").partition(" ")[2])
        elif words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append(words[1:])


def vertex_type(properties, path):
    if any(words[0] not in TYPES for words in properties):
        raise PlyError(f"{path} has a property of a type that Ooze does not write.")
    return numpy.dtype([(words[1], TYPES[words[0]]) for words in properties])


def read_rows(file, dtype, count, path):
    rows = numpy.fromfile(file, dtype, count)
    if len(rows) != count:
        raise PlyError(f"{path} ends too early.")
    return rows


def read(path):
    """The whole file."""
    try:
        with open(path, "rb") as file:
            comments, elements = read_header(file, path)
            vertices, triangles = None, None
            for name, count, properties in elements:
                if name == "vertex":
                    vertices = read_rows(file, vertex_type(properties, path), count, path)
                elif name == "face":
                    row = numpy.dtype([("corners", "u1"), ("index", "<u4", 3)])
                    rows = read_rows(file, row, count, path)
                    triangles = rows["index"].astype(numpy.int32)
                    if (rows["corners"] != 3).any():
                        raise PlyError(f"{path} has faces that are not triangles.")
    except OSError as error:
        raise PlyError(f"{path} cannot be read: {error.strerror}.") from error
    if vertices is None:
        raise PlyError(f"{path} has no vertices.")
    if triangles is not None and len(triangles) and triangles.max() >= len(vertices):
        raise PlyError(f"{path} has triangles of vertices that it does not hold.")
    return Ply(comments, vertices, triangles)


def read_comments(path):
    try:
        with open(path, "rb") as file:
            return read_header(file, path)[0]
    except OSError as error:
        raise PlyError(f"{path} cannot be read: {error.strerror}.") from error


def frame_number(name):
    """12 of frame_000012.ply, None of other names."""
    found = re.fullmatch(r"frame_(\d+)\.ply", name)
    return int(found[1]) if found else None


def write(path, vertices, triangles):
    """A triangle mesh: rows of three coordinates and of three indices."""
    faces = numpy.empty(len(triangles), numpy.dtype([("corners", "u1"), ("index", "<u4", 3)]))
    faces["corners"] = 3
    faces["index"] = triangles
    with open(path, "wb") as file:
        file.write(("ply\nformat binary_little_endian 1.0\n"
                    f"element vertex {len(vertices)}\n"
                    "property double x\nproperty double y\nproperty double z\n"
                    f"element face {len(faces)}\nproperty list uchar uint vertex_indices\n"
                    "end_header\n").encode())
        file.write(numpy.ascontiguousarray(vertices, "<f8").tobytes())
        file.write(faces.tobytes())
