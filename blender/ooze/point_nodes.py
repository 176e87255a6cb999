"""Geometry nodes that draw loose vertices as particles: a point cloud, which Cycles renders as
spheres, or an instance of a small sphere at each, for every engine."""
import bpy


def add_sockets(group):
    if hasattr(group, "interface"):  # from Blender 4 on
        for direction in ("INPUT", "OUTPUT"):
            group.interface.new_socket("Geometry", in_out=direction,
                                       socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")


def make_group(name, radius, material, instances):
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    add_sockets(group)
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    points = group.nodes.new("GeometryNodeMeshToPoints")
    points.inputs["Radius"].default_value = radius
    group.links.new(first.outputs[0], points.inputs[0])
    drawn = points.outputs[0]
    if instances:
        ball = group.nodes.new("GeometryNodeMeshIcoSphere")
        ball.inputs["Radius"].default_value = radius
        ball.inputs["Subdivisions"].default_value = 2
        smooth = group.nodes.new("GeometryNodeSetShadeSmooth")
        group.links.new(ball.outputs[0], smooth.inputs[0])
        copies = group.nodes.new("GeometryNodeInstanceOnPoints")
        group.links.new(drawn, copies.inputs["Points"])
        group.links.new(smooth.outputs[0], copies.inputs["Instance"])
        drawn = copies.outputs[0]
    paint = group.nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = material
    group.links.new(drawn, paint.inputs[0])
    group.links.new(paint.outputs[0], last.inputs[0])
    for i, node in enumerate(group.nodes):
        node.location = (180 * i, 0)
    return group


def attach(thing, radius, material, instances):
    """Gives the object the modifier, once."""
    if "Ooze particles" not in thing.modifiers:
        modifier = thing.modifiers.new("Ooze particles", "NODES")
        modifier.node_group = make_group(thing.name, radius, material, instances)
