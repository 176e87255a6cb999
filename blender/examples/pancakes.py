"""Honey over pancakes, from Blender to a picture: builds a scene, gives the objects their roles,
simulates it with the add-on and renders frame 30 with Cycles.

    OOZE=build/ooze blender -b --factory-startup -P pancakes.py -- FOLDER [SAMPLES]
"""
import math
import os
import sys

import bpy
from mathutils import Vector

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import ooze  # noqa: E402

FRAME = 30


def lathe(name, profile, location, material, sides=96):
    """A closed solid of revolution; the profile runs from the axis to the axis."""
    vertices, faces = [], []
    for k in range(sides):
        angle = 2 * math.pi * k / sides
        vertices += [(r * math.cos(angle), r * math.sin(angle), z) for r, z in profile[1:-1]]
    bottom, top, n = len(vertices), len(vertices) + 1, len(profile) - 2
    vertices += [(0, 0, profile[0][1]), (0, 0, profile[-1][1])]
    for k in range(sides):
        a, b = k * n, (k + 1) % sides * n
        faces += [(a + i, b + i, b + i + 1, a + i + 1) for i in range(n - 1)]
        faces += [(bottom, b, a), (top, a + n - 1, b + n - 1)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(faces))
    mesh.update()
    mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    thing.location = location
    bpy.context.scene.collection.objects.link(thing)
    return thing


def disc_profile(radius, thickness):
    """A flat disc with a round edge."""
    half = thickness / 2
    edge = [(radius - half + half * math.cos(t), half + half * math.sin(t))
            for t in [math.pi * (i / 12 - 0.5) for i in range(13)]]
    return [(0, 0), *edge, (0, thickness)]


def paint(name, color, roughness, browned=None):
    """Principled BSDF; `browned`: colour that faces pointing up and down have, in patches."""
    material, tree, shader, _ = ooze.materials.new_material(name)
    ooze.materials.set_input(shader, (*color, 1), "Base Color")
    ooze.materials.set_input(shader, roughness, "Roughness")
    material.diffuse_color = (*color, 1)
    if browned:
        normal = tree.nodes.new("ShaderNodeNewGeometry")
        split = tree.nodes.new("ShaderNodeSeparateXYZ")
        tree.links.new(normal.outputs["Normal"], split.inputs[0])
        noise = tree.nodes.new("ShaderNodeTexNoise")
        noise.inputs["Scale"].default_value = 38
        place = tree.nodes.new("ShaderNodeTexCoord")
        tree.links.new(place.outputs["Object"], noise.inputs["Vector"])
        flat = tree.nodes.new("ShaderNodeMath")
        flat.operation = "ABSOLUTE"
        tree.links.new(split.outputs["Z"], flat.inputs[0])
        mixed = tree.nodes.new("ShaderNodeMath")
        mixed.operation = "MULTIPLY_ADD"
        tree.links.new(noise.outputs[0], mixed.inputs[0])
        mixed.inputs[1].default_value = 0.7
        tree.links.new(flat.outputs[0], mixed.inputs[2])
        ramp = tree.nodes.new("ShaderNodeValToRGB")
        ramp.color_ramp.elements[0].position = 0.75
        ramp.color_ramp.elements[0].color = (*color, 1)
        ramp.color_ramp.elements[1].position = 1.3 / 1.4
        ramp.color_ramp.elements[1].color = (*browned, 1)
        tree.links.new(mixed.outputs[0], ramp.inputs[0])
        tree.links.new(ramp.outputs[0], shader.inputs["Base Color"])
    return material


def build(scene):
    """Pancakes on a plate, and a nozzle that circles above them."""
    china = paint("china", (0.8, 0.8, 0.78), 0.08)
    cake = paint("cake", (0.82, 0.58, 0.28), 0.7, browned=(0.42, 0.17, 0.045))
    plate = [(0, 0), (0.05, 0), (0.088, 0.010), (0.090, 0.0115), (0.087, 0.0125), (0.06, 0.005),
             (0.052, 0.0035), (0, 0.0035)]
    solids = [lathe("plate", plate, (0, 0, 0), china)]
    for i, (x, y, radius) in enumerate([(0.002, 0, 0.056), (-0.003, 0.002, 0.054),
                                        (0.001, -0.002, 0.055)]):
        solids.append(lathe(f"pancake {i + 1}", disc_profile(radius, 0.0125),
                            (x, y, 0.0035 + 0.0122 * i), cake))
    for solid in solids:
        solid.ooze_role.role = "SOLID"
    nozzle = bpy.data.objects.new("jug", None)
    scene.collection.objects.link(nozzle)
    nozzle.ooze_role.role = "EMITTER"
    nozzle.ooze_role.preset = "honey"
    nozzle.ooze_role.radius, nozzle.ooze_role.speed = 0.0055, 0.75
    for frame in range(1, FRAME + 10, 2):
        angle, radius = 2 * math.pi * frame / 19, 0.010 + 0.019 * min(frame / 26, 1)
        nozzle.location = (radius * math.cos(angle), radius * math.sin(angle), 0.13)
        nozzle.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end = 1, FRAME + 1
    scene.ooze.spacing = 0.0014


def area_light(scene, name, place, size, power, color=(1, 1, 1)):
    data = bpy.data.lights.new(name, "AREA")
    data.size, data.energy, data.color = size, power, color
    light = bpy.data.objects.new(name, data)
    scene.collection.objects.link(light)
    light.location = place
    aim = Vector((0, 0, 0.03)) - Vector(place)
    light.rotation_euler = aim.to_track_quat("-Z", "Y").to_euler()


def set_stage(scene):
    """Table, light and camera."""
    table = bpy.data.meshes.new("table")
    table.from_pydata([(-3, -3, 0), (3, -3, 0), (3, 3, 0), (-3, 3, 0)], [], [(0, 1, 2, 3)])
    table.materials.append(paint("table", (0.09, 0.045, 0.025), 0.6))
    scene.collection.objects.link(bpy.data.objects.new("table", table))
    area_light(scene, "window", (-0.45, 0.5, 0.45), 0.5, 5, (1, 0.97, 0.92))
    area_light(scene, "key", (0.5, -0.35, 0.6), 0.3, 4, (1, 0.98, 0.95))
    area_light(scene, "rim", (0.2, 0.7, 0.2), 0.3, 3)
    scene.world = bpy.data.worlds.new("room")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.9, 0.85, 0.78, 1)
    scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.2
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.location = (0.07, -0.33, 0.165)
    target = Vector((0, 0, 0.038))
    camera.rotation_euler = (target - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 54
    camera.data.dof.use_dof = True
    camera.data.dof.focus_distance = (target - camera.location).length - 0.03
    camera.data.dof.aperture_fstop = 5.6
    scene.camera = camera


def close_gaps(scene):
    """Lets the drawn pancakes grow into the fluid by a third of a spacing: where its surface ends
    just before a solid, a film of air would show as dark patches."""
    for thing in scene.objects:
        if thing.ooze_role.role == "SOLID":
            grow = thing.modifiers.new("close gaps", "DISPLACE")
            grow.mid_level, grow.strength = 0, scene.ooze.spacing / 3


def render(scene, path, samples):
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.cycles.transmission_bounces = scene.cycles.max_bounces = 16
    scene.cycles.sample_clamp_indirect = 4
    scene.render.use_motion_blur = True
    scene.render.resolution_x, scene.render.resolution_y = 960, 540
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "Filmic"
    scene.view_settings.look = "Medium High Contrast"
    scene.frame_set(FRAME)
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:]
    folder = os.path.abspath(arguments[0])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    ooze.register()
    scene = bpy.context.scene
    build(scene)
    set_stage(scene)
    scene.ooze.scene_file = os.path.join(folder, "pancakes.yaml")
    scene.ooze.run = os.path.join(folder, "run")
    bpy.ops.ooze.run()
    print(bpy.context.window_manager.ooze_state.text)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "pancakes.blend"))
    close_gaps(scene)
    render(scene, os.path.join(folder, "pancakes.png"),
           int(arguments[1]) if len(arguments) > 1 else 64)


main()
