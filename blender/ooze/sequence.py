"""Objects that show the frames of a run: the surface, the particles and the solids, changed with
the frame of the scene."""
import math
import os

import bpy
from bpy.app.handlers import persistent

from . import geometry, materials, ply, point_nodes, run_folder, solids

ROTATIONS = {"z": (0, 0, 0), "y": (math.pi / 2, 0, 0), "x": (0, -math.pi / 2, 0)}
messages = []  # sentences about frames that could not be shown; the panel shows the last


def fps(scene):
    return scene.render.fps / scene.render.fps_base


def shown_frame(thing, scene):
    """Path of the file for the scene's frame: the latest at or before it, else the first."""
    folder = bpy.path.abspath(thing.ooze_cache.folder)
    frames = run_folder.frames_in(folder)
    if not frames:
        return None
    wanted = scene.frame_current - thing.ooze_cache.start
    earlier = [number for number in frames if number <= wanted]
    return run_folder.frame_path(folder, earlier[-1] if earlier else frames[0])


def show(thing, scene):
    """Loads the geometry or the pose of the scene's frame."""
    cache, path = thing.ooze_cache, shown_frame(thing, scene)
    if not path or (cache.shown == path and cache.kind != "SOLID"):
        return
    if cache.kind == "SOLID":
        pose = ply.solid_poses(ply.read_comments(path)).get(cache.solid)
        if pose:
            thing.location, thing.rotation_quaternion = pose
    else:
        geometry.fill(thing.data, ply.read(path), fps(scene) / cache.frame_rate,
                      [row.color for row in cache.palette])
    cache.shown = path


def show_all(scene, again=False):
    """Every object of a run in this scene. `again`: files may have changed."""
    for thing in scene.objects:
        if thing.ooze_cache.kind == "NONE":
            continue
        if again:
            thing.ooze_cache.shown = ""
        try:
            show(thing, scene)
        except ply.PlyError as error:
            messages.append(str(error))


@persistent
def on_frame_change(scene, _depsgraph=None):
    # Cycles samples the time between frames for motion blur; the velocity attribute has it already
    if scene.frame_subframe == 0.0:
        show_all(scene)


def set_cache(thing, run, kind, folder, start):
    cache = thing.ooze_cache
    cache.kind, cache.folder, cache.run = kind, folder, run.folder
    cache.frame_rate, cache.start, cache.shown = run.frame_rate(), start, ""


def child_of(root, name, data):
    thing = bpy.data.objects.new(name, data)
    root.users_collection[0].objects.link(thing)
    thing.parent = root
    return thing


def find_children(root, kind):
    return [child for child in root.children if child.ooze_cache.kind == kind]


def make_root(run, scene):
    """An empty object that turns the run's axes to those of Blender and its metres to units."""
    root = bpy.data.objects.new(run.name(), None)
    scene.collection.objects.link(root)
    root.empty_display_size = run.extent()
    root.rotation_euler = ROTATIONS[run.up()]
    root.scale = (1.0 / scene.unit_settings.scale_length,) * 3
    root["ooze_run"] = run.folder
    return root


def find_root(folder):
    for thing in bpy.data.objects:
        if thing.get("ooze_run") == os.path.abspath(folder):
            return thing
    return None


def add_surface(root, run, start):
    found = find_children(root, "SURFACE")
    surface = found[0] if found else child_of(root, f"{root.name} surface",
                                              bpy.data.meshes.new(root.name))
    set_cache(surface, run, "SURFACE", os.path.join(run.folder, run_folder.SURFACE), start)
    if not found:
        for name, look in run.material_looks():
            surface.data.materials.append(
                materials.of_look(f"{root.name} {name}", look, root.scale[0]))


def add_points(root, run, start, instances):
    found = find_children(root, "POINTS")
    points = found[0] if found else child_of(root, f"{root.name} particles",
                                             bpy.data.meshes.new(f"{root.name} particles"))
    set_cache(points, run, "POINTS", os.path.join(run.folder, run_folder.POINTS), start)
    points.ooze_cache.palette.clear()
    scene_materials = run.scene.get("materials") or {}
    for name in run.facts["materials"]:
        color = (scene_materials.get(name) or {}).get("color") or (0.5, 0.6, 0.8)
        points.ooze_cache.palette.add().color = color
    material = materials.of_points(f"{root.name} particles", instances)
    point_nodes.attach(points, 0.5 * run.spacing(), material, instances)


def drawn_solids(scene):
    """Objects of the scene that were exported as solids, by their names in the run."""
    return {thing.get("ooze_name"): thing for thing in scene.objects
            if thing.ooze_role.role == "SOLID"}


def add_solids(root, run, scene, folder, start):
    """Solids that the scene does not draw itself. A dynamic one is drawn where the run has moved
    it, and the object that was exported is left out of pictures."""
    known = {child.ooze_cache.solid for child in find_children(root, "SOLID")}
    for name, thing in drawn_solids(scene).items():
        if thing.ooze_role.solid_density == 0:
            known.add(name)
        else:
            thing.hide_render, thing.display_type = True, "BOUNDS"
    if any(solid["name"] not in known for solid in run.scene.get("solids") or []):
        for name, vertices, triangles, look in solids.all_shapes(run):
            if name in known:
                continue
            solid = child_of(root, f"{root.name} {name}",
                             solids.new_mesh(name, vertices, triangles))
            solid.rotation_mode = "QUATERNION"
            solid.ooze_cache.solid, solid.ooze_cache.kind = name, "SOLID"
            solid.data.materials.append(
                materials.of_look(f"{root.name} {name}", look, root.scale[0]))
    for solid in find_children(root, "SOLID"):
        set_cache(solid, run, "SOLID", folder, start)


def fit_range(run, scene, start):
    rate = run.frame_rate()
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate
    scene.frame_start, scene.frame_end = start, start + run.last_frame()


def import_run(run, scene, options):
    """Shows a run, or the further frames of one that is shown already. `options`: surface, points,
    instances, solids (switches), start (the scene's frame of frame 0), fit_range."""
    root = find_root(run.folder) or make_root(run, scene)
    if options.surface:
        add_surface(root, run, options.start)
    if options.points:
        add_points(root, run, options.start, options.instances)
    if options.solids:
        kind = run_folder.SURFACE if options.surface else run_folder.POINTS
        add_solids(root, run, scene, os.path.join(run.folder, kind), options.start)
    # the range of a scene that is exported is the length of its simulation
    exported = any(thing.ooze_role.role != "NONE" for thing in scene.objects)
    if options.fit_range and not exported:
        fit_range(run, scene, options.start)
    scene.render.use_lock_interface = True  # the handler changes data while a picture is rendered
    show_all(scene, again=True)
    return root


def register():
    bpy.app.handlers.frame_change_pre.append(on_frame_change)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(on_frame_change)
