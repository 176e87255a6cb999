"""Solids of a run as Blender objects. The shapes come from the layer solids.usda that
`ooze export` writes; their poses are in the headers of the PLY files of the frames."""
import os
import re
import tempfile

import numpy
from mathutils import Vector

import bpy

from . import command

MESH = re.compile(r'def Mesh "shape".*?faceVertexIndices = \[([^\]]*)\].*?points = \[([^\]]*)\]',
                  re.S)
PLANE_SIZE = 40.0  # edge of the square that stands for an infinite plane, in extents of the fluid


def shapes_of(run):
    """(vertices, triangles) of each solid that is not a plane, in the order of the scene."""
    with tempfile.TemporaryDirectory(prefix="ooze-solids-") as folder:
        first = run.facts["present"][0].split(":")[0]
        command.run(run.executable, "export", run.folder, "--format", "usda", "--frames", first,
                    "--output", folder, "--quiet")
        with open(os.path.join(folder, "solids.usda"), encoding="utf-8") as file:
            text = file.read()
    shapes = []
    for indices, points in MESH.findall(text):
        triangles = numpy.array(indices.split(","), numpy.int32).reshape(-1, 3)
        numbers = re.sub(r"[()]", "", points).split(",")
        shapes.append((numpy.array(numbers, numpy.float32).reshape(-1, 3), triangles))
    return shapes


def plane_shape(run, solid):
    """A large square across the plane's normal."""
    normal = Vector(solid["shape"].get("normal") or (0, 0, 0))
    if normal.length == 0:
        normal = Vector([float(axis == run.up()) for axis in "xyz"])
    turn = Vector((0, 0, 1)).rotation_difference(normal)
    half = 0.5 * PLANE_SIZE * run.extent()
    corners = [turn @ Vector((half * x, half * y, 0)) for x, y in
               ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return numpy.array(corners, numpy.float32), numpy.array([[0, 1, 2], [0, 2, 3]], numpy.int32)


def new_mesh(name, vertices, triangles):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    mesh.update()
    return mesh


def all_shapes(run):
    """(name, vertices, triangles, look) of the visible solids."""
    volumes = [solid["name"] for solid in run.scene.get("solids") or []
               if solid["shape"]["type"] != "plane"]
    shapes = dict(zip(volumes, shapes_of(run))) if volumes else {}
    for name, solid, look in run.solid_looks():
        if solid["shape"].get("inverted"):
            continue  # solid everywhere outside: it would hide the fluid
        vertices, triangles = shapes[name] if name in shapes else plane_shape(run, solid)
        yield name, vertices, triangles, look
