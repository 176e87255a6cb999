"""Fills Blender meshes from PLY files: triangles or loose points, with attributes."""
import numpy

import bpy

PLAIN = {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz", "red", "green", "blue"}
KEPT_OF_POINTS = {"material", "temperature", "id"}  # other fields of particles are left out


def linear(channel):
    """8-bit sRGB to linear light: IEC 61966-2-1."""
    s = channel.astype(numpy.float32) / 255.0
    return numpy.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


def set_attribute(mesh, name, kind, values):
    key = {"FLOAT_VECTOR": "vector", "FLOAT_COLOR": "color"}.get(kind, "value")
    attribute = mesh.attributes.new(name, kind, "POINT")
    attribute.data.foreach_set(key, numpy.ascontiguousarray(values).ravel())
    return attribute


def set_triangles(mesh, triangles):
    count = len(triangles)
    mesh.loops.add(3 * count)
    mesh.polygons.add(count)
    mesh.loops.foreach_set("vertex_index", triangles.ravel())
    mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * count, 3, numpy.int32))
    if not bpy.types.MeshPolygon.bl_rna.properties["loop_total"].is_readonly:
        mesh.polygons.foreach_set("loop_total", numpy.full(count, 3, numpy.int32))
    mesh.polygons.foreach_set("use_smooth", numpy.ones(count, bool))


def set_face_materials(mesh, triangles, materials):
    """A face has the material of two of its corners, or of the first where all differ."""
    a, b, c = (materials[triangles[:, i]] for i in range(3))
    mesh.polygons.foreach_set("material_index",
                              numpy.where(b == c, b, a).astype(numpy.int32))


def set_fields(mesh, ply_file):
    """Fields of the particles: whole numbers, scalars, and vectors of three columns."""
    names = ply_file.vertices.dtype.names
    points = ply_file.triangles is None
    for column in names:
        name = column[6:] if column.startswith("field_") else column
        if column in PLAIN or (points and name not in KEPT_OF_POINTS):
            continue
        values = ply_file.vertices[column]
        if name in ("material", "id"):
            set_attribute(mesh, name, "INT", values.astype(numpy.int64).astype(numpy.int32))
        elif column.endswith("_x") and column[:-1] + "y" in names and column[:-1] + "z" in names:
            vector = ply_file.columns(*(column[:-1] + axis for axis in "xyz"))
            set_attribute(mesh, name[:-2], "FLOAT_VECTOR", vector)
        elif not (column[-2:] in ("_y", "_z") and column[:-1] + "x" in names):
            set_attribute(mesh, name, "FLOAT", values.astype(numpy.float32))


def set_colors(mesh, ply_file, palette):
    """Linear colours: those of the file, or of the particles' materials."""
    colors = numpy.ones((len(ply_file.vertices), 4), numpy.float32)
    if "red" in ply_file.vertices.dtype.names:
        for i, name in enumerate(("red", "green", "blue")):
            colors[:, i] = linear(ply_file.vertices[name])
    elif len(palette):
        index = numpy.minimum(ply_file.vertices["material"], len(palette) - 1)
        colors[:, :3] = numpy.asarray(palette, numpy.float32)[index]
    set_attribute(mesh, "color", "FLOAT_COLOR", colors)
    mesh.attributes.active_color = mesh.attributes["color"]


def fill(mesh, ply_file, velocity_scale, palette=()):
    """Replaces the geometry. `velocity_scale`: from m/s to metres per second of playing time, the
    unit of the attribute that Cycles blurs moving meshes by."""
    mesh.clear_geometry()
    mesh.vertices.add(len(ply_file.vertices))
    mesh.vertices.foreach_set("co", ply_file.columns("x", "y", "z").ravel())
    if ply_file.triangles is not None:
        set_triangles(mesh, ply_file.triangles)
        materials = ply_file.vertices["material"].astype(numpy.int32)
        set_face_materials(mesh, ply_file.triangles, materials)
    set_attribute(mesh, "velocity", "FLOAT_VECTOR",
                  ply_file.columns("vx", "vy", "vz") * numpy.float32(velocity_scale))
    set_fields(mesh, ply_file)
    set_colors(mesh, ply_file, palette)
    mesh.update(calc_edges=ply_file.triangles is not None)


def evaluated_triangles(thing, depsgraph):
    """Vertices in the object's own frame and triangles of an object with its modifiers."""
    evaluated = thing.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        vertices = numpy.empty(3 * len(mesh.vertices), numpy.float32)
        mesh.vertices.foreach_get("co", vertices)
        triangles = numpy.empty(3 * len(mesh.loop_triangles), numpy.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    return vertices.reshape(-1, 3).astype(float), triangles.reshape(-1, 3)
